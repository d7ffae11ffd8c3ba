/*
 * vector_values.h - the true values of a quantity, and what the errors of an
 * implementation are measured by
 */
#ifndef LCT_VECTOR_VALUES_H
#define LCT_VECTOR_VALUES_H
#include "vector_angles.h"
#include "vector_quantities.h"

struct lct_vector_values {
    int rank;
    int64_t shape[3];
    size_t n;
    double *value; /* [n] */
    /* How far a value moves at most if every angle is off by a relative 1:
       [n], NULL if there are no angles. */
    double *slack;
    /* Sums of magnitudes at most: of operands times results that are rounded
       ('reach'), of the terms of a long sum ('terms'). */
    double reach, terms;
    double relative; /* further roundings of the result itself */
    double doubt;    /* the error of the values */
};

/* How a neighbouring convention differs from the group's. */
struct lct_vector_variation {
    const char *name; /* "positions from 1" */
    bool reversed;    /* the angles have the other sign */
    int offset;       /* added to positions */
    int power;        /* of the attention factor; 1 is right */
    bool plain_scale; /* scores lack the factor of the scaling */
};
extern const struct lct_vector_variation lct_vector_values_right;

/*
 * The values of quantity k of g; 'angles' keeps those of the last call and is
 * zeroed before the first.  Errors: NOMEM.
 */
locant_status
lct_vector_values_make(struct lct_vector_values *out,
                       const struct lct_vector_group *g, int k,
                       const struct lct_vector_variation *variation,
                       struct lct_vector_angles *angles);
void lct_vector_values_free(struct lct_vector_values *v);

/* Shape of the quantity, without its values; n is the number of elements. */
void lct_vector_values_shape(struct lct_vector_values *out,
                             const struct lct_vector_group *g, int k);
#endif
