/*
 * formula_chunk.h - formulas that read scores or tokens, some keys at a time:
 *
 *     s' = gain s + bias
 */
#ifndef LCT_FORMULA_CHUNK_H
#define LCT_FORMULA_CHUNK_H
#include "formula_gradient.h"

/* Up to LCT_FORMULA_PAIRS keys of a head, and one query at a time. */
struct lct_formula_chunk {
    size_t n;
    const int64_t *k_pos;
    double s[LCT_FORMULA_PAIRS];
    struct lct_formula_tokens tokens, dtokens;

    struct lct_formula_rows value;
    struct lct_formula_reached reached; /* backward only */
};

/* A run of gain and bias of a head. */
void lct_formula_chunk_run(struct lct_formula_run *run,
                           const struct lct_call *c, int64_t head);

/* Evaluate what depends on the keys alone, after n, k_pos and tokens.key are
 * set. */
void lct_formula_chunk_open(struct lct_formula_chunk *c,
                            struct lct_formula_run *run);

/* out[j] = s' of a query, after s and tokens.query are set; -infinity where
 * future=hide hides a key. */
void lct_formula_chunk_scores(double out[LCT_FORMULA_PAIRS],
                              struct lct_formula_chunk *c,
                              struct lct_formula_run *run, int64_t q_pos);

/*
 * The same for each query in backward, with d the gradient of s', 0 where
 * hidden; d becomes the gradient of s, and dtokens.query that of the query's
 * numbers.  'begin' goes before all queries, and 'end' after them sets
 * dtokens.key.
 */
void lct_formula_chunk_begin_backward(struct lct_formula_chunk *c,
                                      const struct lct_formula_run *run);
void lct_formula_chunk_backward(double d[LCT_FORMULA_PAIRS],
                                double *const *dparam,
                                struct lct_formula_chunk *c,
                                struct lct_formula_run *run, int64_t q_pos);
void lct_formula_chunk_end_backward(double *const *dparam,
                                    struct lct_formula_chunk *c,
                                    struct lct_formula_run *run);
#endif
