/* problem.h - one random attention problem, for the library and its oracle. */
#ifndef ORACLE_PROBLEM_H
#define ORACLE_PROBLEM_H

#include "case.h"

enum { ORACLE_KEYS = 80 }; /* most keys */

struct oracle_problem {
    struct oracle_case *c;
    locant_dtype dtype;
    int reference; /* run the reference implementation, in double */
    int of_keys;   /* values are the first channels of keys */
    int place;     /* how positions of tokens are chosen */
    locant_tensor q, k, v, x, dout; /* [B,H|G,T|S,D]; v, dout: Dv;
                                       x [B,S,W] */
    locant_tensor q_pos, k_pos, q_coords, k_coords, sinks;
    locant_tensor out, lse, dq, dk, dv, dx, dsinks;
    cx *in[6];          /* q, k, v, x, dout, sinks; dense */
    locant_attention a; /* the library's problem */
};

/*
 * Problem n of a row of attention.  The first is long; every second one has a
 * window, a cap and sinks, or some of them; one in four F64 problems runs on
 * the reference.  In half of them values have another width than keys, and in
 * a quarter they are the first channels of keys.
 */
void oracle_problem_make(struct oracle_problem *p, struct oracle_case *c,
                         int64_t n);
/* Run the library with workspaces of the exact size that hold NaN. */
void oracle_problem_forward(struct oracle_problem *p);
void oracle_problem_backward(struct oracle_problem *p);
#endif
