/*
 * company.h - tokens of a pool, and calls of attention on any of them.
 */
#ifndef COMPANY_CALLS_H
#define COMPANY_CALLS_H

#include "../testing.h"
#include "oracle/case.h"

enum { COMPANY_TOKENS = 10, COMPANY_CALL = 16, COMPANY_PAD = -1 };

/* A pool of tokens, F64 in every dtype's precision. */
struct company {
    struct oracle_case *c;
    locant_dtype dtype;
    int64_t n, first;             /* tokens; position of the first */
    double *q, *k, *v, *x, *dout; /* [tokens, heads, D], x [tokens, W] */
};

/* One call of attention on tokens of the pool; COMPANY_PAD: a token of NaN. */
struct company_call {
    int64_t T, S;
    int64_t q[COMPANY_CALL], k[COMPANY_CALL]; /* token,
    or COMPANY_PAD */
    int64_t q_pos[COMPANY_CALL], k_pos[COMPANY_CALL];
    int64_t q_doc[COMPANY_CALL], k_doc[COMPANY_CALL];
    int docs;
    locant_tensor out, lse, dq, dk, dv, dx; /* answers, [1,H,T,D] .. */
    locant_tensor grad[ORACLE_PARAMS];
};

/* Random tokens of the case p->c. */
void company_make(struct company *p, locant_dtype dtype);
void company_free(struct company *p);

/* A call without tokens is all zeros. */
void company_add_query(struct company_call *c, int64_t token, int64_t pos,
                       int64_t doc);
void company_add_both(struct company_call *c, int64_t token, int64_t pos,
                      int64_t doc);
/* Tokens from .. to - 1 of the pool, placed from the first position on. */
void company_plain(struct company_call *c, const struct company *p,
                   int64_t from, int64_t to);

/* Fill in the answers of a call, forward and backward. */
void company_ask(struct company_call *c, const struct company *p);
void company_answers_free(struct company_call *c, const struct company *p);
#endif
