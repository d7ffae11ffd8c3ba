/* vector_compare.h - compare a tensor with true values, and say where it
 * differs */
#ifndef LCT_VECTOR_COMPARE_H
#define LCT_VECTOR_COMPARE_H
#include "vector_tolerance.h"

/* What is compared. */
struct lct_vector_trial {
    const struct lct_vector_group *group;
    int quantity;
    locant_dtype dtype;
    const locant_tensor *got;
    int rounded; /* angles may be */
};

struct lct_vector_difference {
    bool fails;
    size_t at;                 /* the first entry that does, by position */
    double got, want, allowed; /* there */
    double largest;            /* |got - want| of all entries */
    double share;              /* of what is allowed, at most */
};

/* How expected values are changed before the comparison. */
enum lct_vector_change {
    LCT_VECTOR_AS_IS,
    LCT_VECTOR_NEGATED,
    LCT_VECTOR_MIRRORED, /* the last axis runs backwards */
    LCT_VECTOR_UNSCALED  /* scores times sqrt(channels) */
};

/* Compare with 'want', which has as many elements as the tensor. */
struct lct_vector_difference
lct_vector_compare(const struct lct_vector_trial *t,
                   const struct lct_vector_values *want,
                   enum lct_vector_change change);

/* Shapes agree, apart from axes of one. */
bool lct_vector_compare_shapes(const locant_tensor *got,
                               const struct lct_vector_values *want);

/* "position 4095, pair 3 (channel 35)", by the kind of group. */
void lct_vector_compare_place(char *out, size_t size,
                              const struct lct_vector_trial *t,
                              const struct lct_vector_values *want, size_t at);
#endif
