/*
 * selftest.h - every operation of the library against its oracle, measured.
 *
 * A row is one operation with one encoding in one dtype over some random cases.
 * Every number compared counts as an error |got - want| / unit, where the unit
 * is what the terms of that number may reach; the row keeps the worst and holds
 * it to a bound derived where the row is opened.
 *
 * The oracles (src/oracle) share no code with the library.
 */
#ifndef SELFTEST_H
#define SELFTEST_H

#include "../cli.h"
#include "oracle/whole.h"

enum { ST_SPEC = 240, ST_BLOCKS = 96 };

/* Half a unit in the last place: what one rounding to the type loses. */
#define ST_HALF_F32  0x1p-24
#define ST_HALF_F16  0x1p-11
#define ST_HALF_BF16 0x1p-8

/*
 * What a chain of operations in double inside of an encoding may lose of its
 * largest term: ten bits of 2^-53.
 */
#define ST_CHAIN 0x1p-43

/* Step of the complex step: f'(x) = Im f(x + i h) / h. */
#define ST_STEP 1e-30

struct st_row {
    const char  *op;
    char         spec[ST_SPEC];
    locant_dtype dtype;
    int64_t      cases;
    double       bound, worst;
    char         refused[200]; /* the library's sentence, where it refused */
};

struct selftest {
    locant_random random;
    int64_t       seed, cases;
    const char   *only; /* operation or encoding; NULL: all */
    json_t       *json; /* array of rows; NULL: print them */
    int64_t       rows, misses;
    struct st_row row;
};

/* ------------------------------------------------------------------- row.c */

/*
 * Start a row; 0 when --only leaves it out.  Random numbers start from seed,
 * op, spec and dtype, so that a row is the same whatever else runs.
 */
int  st_open(struct selftest *t, const char *op, const char *name,
             const char *spec, locant_dtype dtype, double bound);
/* A number of this row. */
void st_error(struct selftest *t, double got, double want, double unit);
/* Did the call succeed?  If not, the row is a miss with the reason. */
int  st_took(struct selftest *t, locant_status s);
void st_close(struct selftest *t);

double  st_uniform(struct selftest *t); /* in [-1, 1) */
int64_t st_range(struct selftest *t, int64_t low, int64_t high);

/* ------------------------------------------------------------------ case.c */

struct st_param {
    size_t  size;
    double  rate;
    cx     *x;      /* the oracle's value */
    double *before; /* what the gradient tensor held */
};

/* A spec, its library encoding, and parameters for both sides. */
struct st_case {
    struct selftest *t;
    const struct whole_oracle *o;
    char spec[ST_SPEC];
    locant_encoding *e;
    const locant_encoding *leaf; /* what the layer uses */
    int first, params, axes;     /* 'first' parameter of the leaf */
    unsigned doors, traits;      /* of the leaf */
    int64_t low, high;           /* positions */
    struct whole w;
    struct st_param p[WHOLE_PARAMS];
    locant_tensor value[WHOLE_PARAMS], grad[WHOLE_PARAMS];
    void *block[ST_BLOCKS];
    int   blocks;
};

/* Spec i of the oracle, in a layer; 0 past the last. */
int  st_case_open(struct st_case *c, struct selftest *t,
                  const struct whole_oracle *o, int i, int layer);
void st_case_close(struct st_case *c);

/* Zeroed memory until the case closes; NULL after noting it in the row. */
void *st_memory(struct st_case *c, size_t n, size_t size);
/* Dense, filled with numbers the dtype holds; data NULL if there is no memory.
 * F16 and BF16 lie in +-[2^-5, 2). */
locant_tensor st_tensor(struct st_case *c, locant_dtype dtype, int rank,
                        const int64_t *shape);
/* n positions the case is defined at; n coordinates, F64 [n, axes]. */
locant_tensor st_positions(struct st_case *c, int64_t n);
locant_tensor st_coordinates(struct st_case *c, int64_t n);

/* Element i of a dense tensor; all of them. */
double st_get(const locant_tensor *t, size_t i);
cx    *st_copy(struct st_case *c, const locant_tensor *t);

/* Random parameters of these sizes, and gradients that hold something.
 * 0 without memory. */
int st_params(struct st_case *c, locant_dtype dtype, const locant_sizes *sizes);
/* The array for the library; NULL if there are none. */
const locant_tensor *st_params_in(const struct st_case *c);

/*
 * A sum of terms weight x f in complex arithmetic, and beside it 'gross' with
 * every term of the derivative taken as positive: rounding errors of a gradient
 * are measured by it.
 */
struct st_sum {
    cx     sum;
    double gross;
};
void st_add(struct st_sum *s, double weight, cx f);
typedef struct st_sum (*st_sum_fn)(void *context);

/* Derivative of the sum along entry *x; *gross as above. */
double st_slope(double *gross, cx *x, st_sum_fn fn, void *context);
/* Gradients of up to 'most' random entries of each parameter. */
void st_check_params(struct st_case *c, st_sum_fn fn, void *context, int most);

/* --------------------------------------------------------------- the tests */

void st_angles(struct selftest *t);  /* exact.c holds their reference */
void st_resize(struct selftest *t);
void st_ids(struct selftest *t);
void st_rotate(struct selftest *t, const struct whole_oracle *o, int i);
void st_table(struct selftest *t, const struct whole_oracle *o, int i);
void st_bias(struct selftest *t, const struct whole_oracle *o, int i);
void st_attend(struct selftest *t, const struct whole_oracle *o, int i);

#endif
