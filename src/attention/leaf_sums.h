/*
 * leaf_sums.h - gradients of keys, their coordinates, values, inputs and
 * parameters as trees over leaves of queries.
 *
 * A leaf is some tiles of queries.  What an engine sums over queries it sums
 * over those of a leaf, from zero; core/tree.h adds the leaves.
 */
#ifndef LCT_ATTENTION_LEAF_SUMS_H
#define LCT_ATTENTION_LEAF_SUMS_H
#include "gradient_pass.h"

struct lct_leaf_sums {
    size_t size;    /* elements of all sums of a leaf */
    char *arrays;   /* [room, size], F64 if q is F64, else F32 */
    double *coords; /* [room, elements of k_coords] */
};

void lct_leaf_sums_layout(struct lct_leaf_sums *sums, const struct lct_plan *p,
                          struct lct_arena *arena);

/* Run the engine on the queries of each leaf, instead of those of 'pass'; write
   and add what pass->g asks for. */
void lct_leaf_sums_backward(const struct lct_leaf_sums *sums,
                            const struct lct_plan *p,
                            const struct lct_gradient_pass *pass,
                            lct_backward_engine engine);
#endif
