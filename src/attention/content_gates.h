/*
 * content_gates.h - forget gates (FoX): biases from gates of tokens.
 *
 * C is the running sum of ln f over the keys of a document in order of
 * position, equal positions in order of memory.  s_ij += C_last(i) - C_j, where
 * last(i) is the last key at or before query i.  C is in double and a
 * difference is rounded once, so distant tokens lose no accuracy.  Sums start
 * anew in each document and do not depend on later keys.  Keys after the query
 * may have gates of their own, with sums C': s_ij += C'_j - C'_last(i).
 */
#ifndef LCT_ATTENTION_CONTENT_GATES_H
#define LCT_ATTENTION_CONTENT_GATES_H
#include "content.h"

void lct_content_gates_layout(struct lct_content_products *c,
                              const struct lct_plan *p,
                              struct lct_arena *arena);
void lct_content_gates_fill(const struct lct_plan *p);
/* Set the gradients of the sums to 0; there may be no gates. */
void lct_content_gates_begin_backward(const struct lct_plan *p);

/* s->s += the biases of the gates; and its backward. */
void lct_content_gates_scores(const struct lct_plan *p,
                              const struct lct_tile *t, struct lct_scratch *s);
void lct_content_gates_scores_backward(const struct lct_plan *p,
                                       const struct lct_tile *t,
                                       const struct lct_scratch *s);

/* Add gradients of batch rows b .. b + rows - 1 to parameters and to dx. */
void lct_content_gates_sum_chunk(const struct lct_plan *p,
                                 const locant_tensor *dx, bool learns,
                                 int64_t b, int64_t rows);
#endif
