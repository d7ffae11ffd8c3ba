/*
 * real.h - biases and factors of pairs at the caller's real coordinates, and
 * the gradients of these.
 *
 * They are evaluated pair by pair, in double, and rounded once.
 */
#ifndef LCT_ATTENTION_REAL_H
#define LCT_ATTENTION_REAL_H
#include "factors.h"
#include "tables.h"

/* Sums of gradients; a head of a batch row is owned by one task. */
struct lct_real_sums {
    bool wanted;
    double *q, *k; /* [B, H, T], [B, Hkv, S] */
};

/* Set r->real; refuse coordinates that no part of the encoding reads. */
locant_status lct_real_check(struct lct_request *r);

void lct_real_layout(struct lct_real_sums *sums, const struct lct_plan *p,
                     struct lct_arena *arena);

/* Before and after backward: clear the sums, store them.  Before a leaf of
   queries: clear the sums over queries. */
void lct_real_begin_backward(const struct lct_plan *p,
                             const locant_attention_gradients *g);
void lct_real_begin_leaf(const struct lct_plan *p);
void lct_real_end_backward(const struct lct_plan *p,
                           const locant_attention_gradients *g);

/* Are gradients of coordinates wanted that biases or factors read? */
static inline bool lct_real_is_wanted(const struct lct_plan *p)
{
    return p->request->real && p->real->wanted;
}

/* A query of a head, and keys: from 'key' on or, if 'index' is not NULL,
 * index[n]. */
struct lct_real_row {
    const struct lct_plan *p;
    int64_t b, h, i, key, keys;
    const int64_t *index;
};

/* out[n] = the bias, or a factor, of the query and each key. */
void lct_real_bias(double *out, const struct lct_real_row *r);
void lct_real_factor(double *out, const struct lct_real_row *r,
                     enum lct_factor f);

/*
 * dout[n]: the gradients of these.  Add to the gradients of parameters, in
 * 'sums', a row of p->gradients->params, unless it is NULL, and of coordinates,
 * if they are wanted.
 */
void lct_real_bias_backward(const struct lct_real_row *r, const double *dout,
                            double *sums);
void lct_real_factor_backward(const struct lct_real_row *r, enum lct_factor f,
                              const double *dout, double *sums);
#endif
