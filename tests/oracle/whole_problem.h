/*
 * whole_problem.h - one random attention problem with a whole encoding, for the
 * library and for its oracle.
 */
#ifndef WHOLE_PROBLEM_H
#define WHOLE_PROBLEM_H

#include "whole_case.h"
#include "attend.h"

struct whole_problem {
    struct whole_case c;
    locant_dtype dtype;
    int place;
    locant_tensor q, k, v, x, dout; /* [B,H|G,T|S,D]; x [B,S,W] */
    locant_tensor q_pos, k_pos, q_coords, k_coords;
    locant_tensor out, lse, dq, dk, dv, dx;
    cx *in[6];                      /* q, k, v, x, dout, sinks; dense */
    int options;                    /* are there any? */
    locant_tensor sinks, dsinks;    /* [H]; dsinks is added to */
    locant_attention a;             /* the library's problem */
};

/* Everything from c, opened; float32 numbers in every dtype. */
void whole_problem_make(struct whole_problem *p, locant_dtype dtype);
void whole_problem_free(struct whole_problem *p);

/* Then some of the options of the call. */
void whole_problem_options(struct whole_problem *p);

/* Run the library; exact workspaces that hold NaN. */
void whole_problem_forward(struct whole_problem *p);
void whole_problem_backward(struct whole_problem *p);
#endif
