/* formula_evaluate.h - values of a formula in double */
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
    struct lct_formula_tokens *dtokens;     /* NULL: not wanted */
    const struct lct_real_keys *real;       /* instead of whole positions; NULL:
                                            not given */
    const struct lct_real_gradients *dreal; /* NULL: not wanted */
    unsigned bits;                          /* of the roots that are wanted */
    int root;                               /* the last of their nodes */
    double number[LCT_FORMULA_NODES];       /* of nodes without a slot */
};

/*
 * Prepare for one of the roots, which must be given.  If it reads cnt, set
 * 'count' afterwards; if it reads s or tokens, 's' and 'ds', 'tokens' and
 * 'dtokens' for each pass of at most LCT_FORMULA_PAIRS; and so 'real' and
 * 'dreal' for real positions.
 */
void lct_formula_evaluate_open(struct lct_formula_run *run,
                               const struct lct_formula *f, int root,
                               const struct lct_call *c, int64_t head);

/* The same for several roots, those of bits 1 << root; -1 in run->root: none of
 * them is given. */
void lct_formula_evaluate_open_roots(struct lct_formula_run *run,
                                     const struct lct_formula *f,
                                     unsigned roots, const struct lct_call *c,
                                     int64_t head);

/* The roots of s' = gain s + bias. */
enum {
    LCT_FORMULA_SCORE_ROOTS = 1 << LCT_FORMULA_GAIN | 1 << LCT_FORMULA_BIAS
};

/* Values for the pairs of one query and n keys, any number. */
void lct_formula_evaluate(double *out, const struct lct_formula_run *run,
                          int64_t q_pos, const int64_t *k_pos, size_t n);

/* Rows of numbers, one for each node with a slot. */
struct lct_formula_rows {
    double row[LCT_FORMULA_VARYING][LCT_FORMULA_PAIRS];
};

/* What a node with a slot depends on besides numbers: keys alone, queries
 * alone, or other things. */
enum lct_formula_kind_of_node {
    LCT_FORMULA_KEYS,
    LCT_FORMULA_QUERIES,
    LCT_FORMULA_OTHERS
};

static inline enum lct_formula_kind_of_node
lct_formula_evaluate_kind(const struct lct_formula_node *x)
{
    unsigned reads = x->reads & LCT_READS_PAIR;

    if (!(reads & ~(unsigned)(LCT_READS_J | LCT_READS_K)))
        return LCT_FORMULA_KEYS;
    return reads & ~(unsigned)(LCT_READS_I | LCT_READS_Q | LCT_READS_CNT)
               ? LCT_FORMULA_OTHERS
               : LCT_FORMULA_QUERIES;
}

/* The values of all nodes for one query and at most LCT_FORMULA_PAIRS keys. */
void lct_formula_evaluate_rows(struct lct_formula_rows *value,
                               const struct lct_formula_run *run, int64_t q_pos,
                               const int64_t *k_pos, size_t n);

/* Argument k of a node for n pairs; a number is repeated in 'copies'. */
const double *lct_formula_evaluate_argument(
    double copies[LCT_FORMULA_PAIRS], const struct lct_formula_run *run,
    const struct lct_formula_rows *value, const struct lct_formula_node *x,
    int k, size_t n);
#endif
