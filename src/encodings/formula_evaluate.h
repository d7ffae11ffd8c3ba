/* formula_evaluate.h - values of a formula in double, and gradients */
#ifndef LCT_FORMULA_EVALUATE_H
#define LCT_FORMULA_EVALUATE_H
#include "formula_graph.h"

enum { LCT_FORMULA_PAIRS = 32 }; /* at most in one pass */

/* Numbers of the query and of the keys, for each array of tokens. */
struct lct_formula_tokens {
    double query[LCT_FORMULA_NAMES];
    double key[LCT_FORMULA_NAMES][LCT_FORMULA_PAIRS];
};

/* A formula for one head: what all pairs share. */
struct lct_formula_run {
    const struct lct_formula *f;
    const struct lct_call *c;
    int64_t head;
    int64_t count;   /* of the keys that the query sees */
    const double *s; /* scores of the pairs */
    double *ds;      /* their gradients; NULL: not wanted */
    const struct lct_formula_tokens *tokens;
    struct lct_formula_tokens *dtokens; /* NULL: not wanted */
    unsigned bit;                       /* of the nodes that the root reads */
    int root;                           /* the node that is wanted */
    double number[LCT_FORMULA_NODES];   /* of nodes without a slot */
};

/*
 * Prepare for one of the roots, which must be given.  If it reads cnt, set
 * 'count' afterwards; if it reads s or tokens, 's' and 'ds', 'tokens' and
 * 'dtokens' for each pass of at most LCT_FORMULA_PAIRS.
 */
void lct_formula_evaluate_open(struct lct_formula_run *run,
                               const struct lct_formula *f, int root,
                               const struct lct_call *c, int64_t head);

/* Values for the pairs of one query and n keys, any number. */
void lct_formula_evaluate(double *out, const struct lct_formula_run *run,
                          int64_t q_pos, const int64_t *k_pos, size_t n);

/*
 * dparam[k] += sum_j dout[j] d value[j] / dparam[k], ds[j] += dout[j] d
 * value[j] / ds[j], and so for tokens.  Derivatives pass from the root to the
 * leaves.  A node to which nothing passes adds exactly 0, so the branch of
 * if(..) that is not taken may be infinite.
 */
void lct_formula_evaluate_backward(double *const *dparam,
                                   const struct lct_formula_run *run,
                                   int64_t q_pos, const int64_t *k_pos,
                                   const double *dout, size_t n);
#endif
