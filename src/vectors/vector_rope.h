/* vector_rope.h - true values of rope and sinusoids, in exact arithmetic */
#ifndef LCT_VECTOR_ROPE_H
#define LCT_VECTOR_ROPE_H
#include "vector_angles.h"
#include "vector_values.h"

/* Quantity k of a group of kind ANGLES or ROPE; 'a' is as for
   lct_vector_angles_make().  Errors: NOMEM. */
locant_status lct_vector_rope_values(
    struct lct_vector_values *out, const struct lct_vector_group *g, int k,
    const struct lct_vector_variation *variation, struct lct_vector_angles *a);

/* The table of a group of kind SINUSOIDAL. */
void lct_vector_rope_sinusoids(struct lct_vector_values *out,
                               const struct lct_vector_group *g,
                               const struct lct_vector_variation *variation);

/* The pair of a channel of kind ROPE; -1 if it is not rotated. */
int64_t lct_vector_rope_pair(const struct lct_vector_group *g, int64_t channel);
#endif
