/* vector_bias.h - true values of biases, slopes, buckets and temperatures */
#ifndef LCT_VECTOR_BIAS_H
#define LCT_VECTOR_BIAS_H
#include "vector_values.h"

/* Quantity k of a group of these kinds.  Errors: NOMEM. */
locant_status lct_vector_bias_values(struct lct_vector_values *out,
                                     const struct lct_vector_group *g, int k);

/* Rows of the table of a group of kind BUCKETS. */
int64_t lct_vector_bias_buckets(const struct lct_vector_group *g);
#endif
