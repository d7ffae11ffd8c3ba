/* bench_angle.c - exact angles, and cos() and sin() of libm for comparison */
#include "bench.h"
#include "kernel/kernels.h"
#include <math.h>

enum { FIRST = 1000000 }; /* position of the first row */

struct angle_state {
    size_t rows, pairs;
    struct lct_phase *phase; /* [pairs], per position */
    double *frequency;       /* [pairs], radians per position */
    float *c, *s;            /* [rows, pairs] */
};

static void teardown(void *data)
{
    struct angle_state *a = data;

    if (a == NULL)
        return;
    locant_release(a->phase);
    locant_release(a->frequency);
    locant_release(a->c);
    locant_release(a->s);
    locant_release(a);
}

static void *setup(const struct bench_case *c)
{
    struct angle_state *a = bench_alloc(sizeof(*a));
    size_t n;

    if (a == NULL)
        return NULL;
    a->rows = (size_t)c->tokens;
    a->pairs = (size_t)c->dim / 2;
    n = a->rows * a->pairs;
    a->phase = bench_alloc(a->pairs * sizeof(*a->phase));
    a->frequency = bench_alloc(a->pairs * sizeof(double));
    a->c = bench_alloc(n * sizeof(float));
    a->s = bench_alloc(n * sizeof(float));
    if (!a->phase || !a->frequency || !a->c || !a->s) {
        teardown(a);
        return NULL;
    }
    for (size_t i = 0; i < a->pairs; i++) { /* to 53 bits, enough for timing */
        a->frequency[i] = pow(1e4, -(double)i / (double)a->pairs);
        a->phase[i].hi = (uint64_t)(a->frequency[i] / (2 * acos(-1)) * 0x1p64);
    }
    return a;
}

static void run(void *data)
{
    struct angle_state *a = data;

    lct_kernels()->angle_rows(a->c, a->s, a->phase, a->pairs, FIRST, a->rows,
                              1);
}

static void run_libm(void *data)
{
    struct angle_state *a = data;

    for (size_t t = 0; t < a->rows; t++)
        for (size_t i = 0; i < a->pairs; i++) {
            double angle = (double)(FIRST + t) * a->frequency[i];

            a->c[t * a->pairs + i] = (float)cos(angle);
            a->s[t * a->pairs + i] = (float)sin(angle);
        }
}

/* Compares with libm at the phase of the kernel; only roundings differ. */
static const char *check(void *data)
{
    struct angle_state *a = data;

    run(a);
    for (size_t t = 0; t < a->rows; t++)
        for (size_t i = 0; i < a->pairs; i++) {
            uint64_t fraction = (FIRST + t) * a->phase[i].hi;
            double angle = (double)(int64_t)fraction * 0x1p-63 * acos(-1);

            if (!(fabs(a->c[t * a->pairs + i] - cos(angle)) < 0x1p-24 &&
                  fabs(a->s[t * a->pairs + i] - sin(angle)) < 0x1p-24))
                return "an angle is wrong";
        }
    return NULL;
}

static const char *unchecked(void *data)
{
    (void)data; /* libm is the reference of the other case */
    return NULL;
}

static double pairs(const struct bench_case *c)
{
    return (double)c->tokens * (double)(c->dim / 2);
}

/* clang-format off */
const struct bench_work work_angle = {
    .unit = "ns/pair", .every_isa = true, .one_thread = true, .setup = setup,
    .check = check, .run = run, .teardown = teardown, .amount = pairs,
};
const struct bench_work work_angle_libm = {
    .unit = "ns/pair", .one_thread = true, .setup = setup, .check = unchecked,
    .run = run_libm, .teardown = teardown, .amount = pairs,
};
/* clang-format on */
