/* attend.h - one random attention problem, for the library and its oracle. */
#ifndef SELFTEST_ATTEND_H
#define SELFTEST_ATTEND_H

#include "selftest.h"

enum { ST_KEYS = 80 };

struct problem {
    struct st_case c;
    locant_dtype dtype;
    locant_tensor q, k, v, x, dout; /* [B,H|G,T|S,D]; x [B,S,W] */
    locant_tensor q_pos, k_pos;
    locant_tensor out, lse, dq, dk, dv, dx;
    cx *in[5];                      /* q, k, v, x, dout; dense */
    locant_attention a;             /* the library's problem */
    void  *workspace;
    size_t bytes;

    /* What the oracle sums: rows i0 .. i1 - 1 of batch rows b0 .. b1 - 1. */
    int64_t b0, b1, i0, i1;
    double top;   /* largest |score|, and what its terms may reach */
    double reach; /* largest |value| */
};

/* A problem of case 'number': the first is long.  0 without memory. */
int problem_make(struct problem *p, int64_t number);
/* Run the library; 0 after a refusal. */
int problem_forward(struct problem *p);
int problem_backward(struct problem *p);

#endif
