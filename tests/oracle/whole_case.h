/*
 * whole_case.h - what the judges of whole encodings share: a spec, its library
 * encoding, and parameters for both sides.
 */
#ifndef WHOLE_CASE_H
#define WHOLE_CASE_H

#include "../testing.h"
#include "oracle/whole.h"

enum { WHOLE_KEYS = 8, WHOLE_SPEC = 240 };
#define WHOLE_STEP 1e-30

struct whole_param {
    size_t  size;
    double  rate;
    cx     *x;      /* the oracle's value */
    double *before; /* what the gradient tensor held */
};

struct whole_case {
    const struct whole_oracle *o;
    char spec[WHOLE_SPEC];
    locant_encoding *e;
    const locant_encoding *leaf; /* what the layer uses; 'first' parameter */
    int first, params, axes;
    unsigned doors, traits;      /* of the leaf */
    int64_t low, high;           /* positions */
    struct whole w;
    struct whole_param p[WHOLE_PARAMS];
    locant_tensor value[WHOLE_PARAMS], grad[WHOLE_PARAMS];
};

/* Spec i of the oracle, in layer w.layer; 0 past the last.  Sets w.D, w.W. */
int  whole_case_open(struct whole_case *c, const struct whole_oracle *o, int i,
                     int layer);
void whole_case_close(struct whole_case *c);

/* Random parameters of these sizes; gradients hold random numbers. */
void whole_params_make(struct whole_case *c, const locant_sizes *sizes);
/* The array for the library; NULL if there are none. */
const locant_tensor *whole_params_in(const struct whole_case *c);

/* Random dense complex copy of a tensor that was filled; free() it. */
cx *whole_copy(const locant_tensor *t);

/* got within 'bound' of want, or a failure that names the spec. */
void whole_near(const struct whole_case *c, const char *what, size_t at,
                double got, double want, double bound);

/* Derivative of fn (a sum) along entry *x: Im fn(x + i h) / h. */
double whole_slope(cx *x, cx (*fn)(void *context), void *context);

/*
 * Gradients of parameters in 'c' against those of the sum 'fn': to 'rtol' of
 * the largest of the parameter, plus 'additions' in the parameter's type.
 */
void whole_params_check(const struct whole_case *c, cx (*fn)(void *context),
                        void *context, double rtol, int additions);
#endif
