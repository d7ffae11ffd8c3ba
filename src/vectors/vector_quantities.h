/* vector_quantities.h - what a group of golden vectors consists of */
#ifndef LCT_VECTOR_QUANTITIES_H
#define LCT_VECTOR_QUANTITIES_H
#include "vector_groups.h"

struct lct_vector_quantity {
    const char *name, *doc;
    unsigned dtypes; /* bits 1 << locant_dtype */
};

enum { LCT_VECTOR_QUANTITIES = 4 }; /* at most, of a group */

/* The quantities of a kind, ended by one without a name. */
const struct lct_vector_quantity *
lct_vector_quantities_of(enum lct_vector_kind kind);
/* What a group is computed by, for people. */
const char *lct_vector_quantities_formula(const struct lct_vector_group *g);

/* Is quantity k of g tried in this type? */
bool lct_vector_quantities_has(const struct lct_vector_group *g, int k,
                               locant_dtype dtype);
#endif
