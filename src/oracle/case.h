/*
 * case.h - one random case: a spec, the library's encoding of it, and the same
 * parameters for library and oracle.
 */
#ifndef ORACLE_CASE_H
#define ORACLE_CASE_H

#include "run.h"
#include <setjmp.h>

enum { ORACLE_BLOCKS = 96 };

/* Step of the complex step: f'(x) = Im f(x + i h) / h. */
#define ORACLE_STEP 1e-30

struct oracle_param {
    size_t size;
    double rate;
    cx *x;          /* the oracle's value */
    double *before; /* what the gradient tensor held */
};

struct oracle_case {
    struct oracle_run *run;
    const struct oracle *o; /* NULL: the case holds memory only */
    const char *spec;
    locant_encoding *e;
    const locant_encoding *leaf; /* the encoding of the layer */
    int first, params; /* first parameter of the leaf; number of all */
    int axes;          /* of the leaf, as doors and traits */
    unsigned doors, traits;
    int64_t low, high; /* positions to draw */
    struct oracle_call call;
    struct oracle_param p[ORACLE_PARAMS];
    locant_tensor value[ORACLE_PARAMS], grad[ORACLE_PARAMS];
    struct {
        void *data;
        size_t bytes;
    } block[ORACLE_BLOCKS]; /* memory to release */
    int blocks;
    jmp_buf stop; /* where to continue if the case cannot be finished */
};

/* Checks case n of the row; 'what' comes from oracle_case_each(). */
typedef void (*oracle_body)(struct oracle_case *c, int64_t n, int what);

/*
 * Run the cases of the open row, with spec i of o (NULL: none), in a random
 * layer if 'layers'.
 */
void oracle_case_each(struct oracle_run *r, const struct oracle *o, int i,
                      int layers, oracle_body body, int what);

/* Describe the encoding of spec i in c, which holds no memory afterwards.
 * Returns 0 if there is no spec i. */
int oracle_case_describe(struct oracle_case *c, struct oracle_run *r,
                         const struct oracle *o, int i);

/* Open a single case; the caller closes it. */
void oracle_case_open(struct oracle_case *c, struct oracle_run *r,
                      const struct oracle *o, int i, int layer);
void oracle_case_close(struct oracle_case *c);

/* Unless the call succeeded, end the case as a miss. */
void oracle_case_ok(struct oracle_case *c, locant_status s);

/* Zeroed memory until the case closes; if there is none, the case ends here. */
void *oracle_case_alloc(struct oracle_case *c, size_t n, size_t size);
/* A dense tensor of random numbers in -2 .. 2 that the dtype holds exactly. */
locant_tensor oracle_case_tensor(struct oracle_case *c, locant_dtype dtype,
                                 int rank, const int64_t *shape);
/* From now on only read the memory of t, which is dense. */
void oracle_case_seal(const struct oracle_case *c, const locant_tensor *t);
/* n positions at which the case is defined; n coordinates, F64 [n, axes]. */
locant_tensor oracle_case_positions(struct oracle_case *c, int64_t n);
locant_tensor oracle_case_coordinates(struct oracle_case *c, int64_t n);

size_t oracle_count(const locant_tensor *t); /* elements */
/* Element i in row-major order: how many elements after the first it lies in
   memory; read it; write it, of F32 or F64. */
int64_t oracle_offset(const locant_tensor *t, size_t i);
double oracle_get(const locant_tensor *t, size_t i);
void oracle_put(const locant_tensor *t, size_t i, double x);
/* All elements, in row-major order. */
cx *oracle_case_copy(struct oracle_case *c, const locant_tensor *t);

/* Random parameters for these sizes, and gradients with random contents. */
void oracle_case_params(struct oracle_case *c, const locant_sizes *sizes);
/* The parameters for the library; NULL if there are none. */
const locant_tensor *oracle_case_params_in(const struct oracle_case *c);

/* As oracle_run_near(); a miss records the sizes and options of the case. */
void oracle_case_near(struct oracle_case *c, const char *what, size_t at,
                      double got, double want, double allowed);

/*
 * A sum of terms weight x f in complex arithmetic.  'gross' is the sum of the
 * magnitudes of the derivative's terms, which measures its rounding errors.
 */
struct oracle_sum {
    cx sum;
    double gross;
};
void oracle_sum_add(struct oracle_sum *s, double weight, cx f);
typedef struct oracle_sum (*oracle_sum_fn)(void *context);

/* Derivative of the sum along entry *x; *gross as above. */
double oracle_slope(double *gross, cx *x, oracle_sum_fn fn, void *context);

/* How many of the 'size' entries of a gradient are checked. */
int64_t oracle_entries(const struct oracle_case *c, int64_t size);
/* Index of the k-th entry that is checked. */
int64_t oracle_entry(const struct oracle_case *c, int64_t k, int64_t size);

/*
 * Check gradients of parameters against the slopes of 'fn'.  They may be off by
 * 'error' of their terms, and are rounded 'times' times to the parameter's
 * type.
 */
void oracle_case_params_check(struct oracle_case *c, oracle_sum_fn fn,
                              void *context, double error, int times);
#endif
