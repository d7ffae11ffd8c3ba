/*
 * whole_calls.h - tokens of a pool, and calls of attention on any of them.
 */
#ifndef WHOLE_CALLS_H
#define WHOLE_CALLS_H

#include "whole_case.h"
#include "attend.h"

enum { WHOLE_TOKENS = 10, WHOLE_CALL = 16, WHOLE_PAD = -1 };

/* A pool of tokens, F64 in every dtype's precision. */
struct whole_pool {
    struct whole_case c;
    locant_dtype dtype;
    int64_t n, first; /* tokens; position of the first */
    double *q, *k, *v, *x, *dout; /* [tokens, heads, D], x [tokens, W] */
};

/* One call of attention on tokens of the pool; WHOLE_PAD: a token of NaN. */
struct whole_call {
    int64_t T, S;
    int64_t q[WHOLE_CALL], k[WHOLE_CALL];           /* token, or WHOLE_PAD */
    int64_t q_pos[WHOLE_CALL], k_pos[WHOLE_CALL];
    int64_t q_doc[WHOLE_CALL], k_doc[WHOLE_CALL];
    int docs;
    locant_tensor out, lse, dq, dk, dv, dx; /* answers, [1,H,T,D] .. */
    locant_tensor grad[WHOLE_PARAMS];
};

/* A pool for the case that was opened. */
void whole_pool_make(struct whole_pool *p, locant_dtype dtype);
void whole_pool_free(struct whole_pool *p);

/* A call without tokens is all zeros. */
void whole_add_query(struct whole_call *c, int64_t token, int64_t pos,
                     int64_t doc);
void whole_add_both(struct whole_call *c, int64_t token, int64_t pos,
                    int64_t doc);
/* Tokens from .. to - 1 of the pool, placed from the first position on. */
void whole_plain(struct whole_call *c, const struct whole_pool *p,
                 int64_t from, int64_t to);

/* Fill in the answers of a call, forward and backward. */
void whole_ask(struct whole_call *c, const struct whole_pool *p);
void whole_answers_free(struct whole_call *c, const struct whole_pool *p);
#endif
