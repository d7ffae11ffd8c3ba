/* vector_tolerance.h - how far an implementation may be off in each type */
#ifndef LCT_VECTOR_TOLERANCE_H
#define LCT_VECTOR_TOLERANCE_H
#include "vector_values.h"

/* |got - want| <= absolute + relative |want| + angles slack, the last only if
   angles may be rounded. */
struct lct_vector_tolerance {
    double absolute, relative, angles;
};

struct lct_vector_tolerance
lct_vector_tolerance_of(const struct lct_vector_values *v, locant_dtype dtype);

/* The derivation, for people. */
extern const char lct_vector_tolerance_words[];
#endif
