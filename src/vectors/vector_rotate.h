/* vector_rotate.h - true values of other rotations and tables, from oracles */
#ifndef LCT_VECTOR_ROTATE_H
#define LCT_VECTOR_ROTATE_H
#include "vector_values.h"

/* Quantity k of a group of kind ROTATE.  Errors: NOMEM. */
locant_status lct_vector_rotate_values(struct lct_vector_values *out,
                                       const struct lct_vector_group *g, int k);
/* The table of a group of kind TABLE. */
void lct_vector_rotate_table(struct lct_vector_values *out,
                             const struct lct_vector_group *g);
#endif
