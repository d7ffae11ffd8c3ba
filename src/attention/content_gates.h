/*
 * content_gates.h - gates of tokens that weaken what lies before them (FoX).
 *
 * With C the running sum of ln f in order of documents and positions (of equal
 * ones the earlier in memory first), s_ij += C_last(i) - C_j, where last(i) is
 * the last key that query i may see.  C is kept in double and differences are
 * rounded once, so that nothing is lost between far tokens; its sums run from
 * the start of each document, so what follows changes nothing.
 */
#ifndef LCT_ATTENTION_CONTENT_GATES_H
#define LCT_ATTENTION_CONTENT_GATES_H
#include "content.h"

void lct_content_gates_layout(struct lct_content_products *c,
                              const struct lct_plan *p,
                              struct lct_arena *arena);
void lct_content_gates_fill(const struct lct_plan *p);

/* s->s += the gates of the tile; and backward. */
void lct_content_gates_scores(const struct lct_plan *p,
                              const struct lct_tile *t, struct lct_scratch *s);
void lct_content_gates_scores_backward(const struct lct_plan *p,
                                       const struct lct_tile *t,
                                       const struct lct_scratch *s);

/* Batch rows b .. b + rows - 1 are done: to parameters, and to dx. */
void lct_content_gates_sum_chunk(const struct lct_plan *p,
                                 const locant_tensor *dx, bool learns,
                                 int64_t b, int64_t rows);
#endif
