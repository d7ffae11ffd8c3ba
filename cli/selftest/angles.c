/*
 * angles.c - exact angles, and what is turned by them up to position 2^31,
 * against an evaluation in twice the precision of long double.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exact.h"
#include "selftest.h"

enum { DIM = 64, PAIRS = DIM / 2, ROWS = 8 };
#define FAR (INT64_C(1) << 31)

/* The unit in the last place of float32 at x. */
static double ulp_at(long double x)
{
    float f = (float)fabsl(x);
    int   exponent;

    frexpl(x, &exponent);
    return f < FLT_MIN ? 0x1p-149 : ldexp(1, exponent - FLT_MANT_DIG);
}

/* A random size of any magnitude below 2^31, or one that brings some pair
 * close to a multiple of a quarter turn. */
static int64_t position(struct selftest *t, const struct exact *f)
{
    int64_t near[40];
    double  u = locant_random_uniform(&t->random);
    int64_t p = (int64_t)exp2(31 * u);
    int     n;

    if (st_range(t, 0, 2) > 0)
        return st_range(t, 0, 1) || p >= FAR ? FAR - 1 - p / 2 : p;
    n = exact_near(near, 40, f[st_range(t, 0, PAIRS - 1)], FAR);
    if (n == 0)
        return p;
    return near[st_range(t, 0, n - 1)] * st_range(t, 0, 1) +
           near[n - 1] * st_range(t, 0, 1);
}

static void frequencies(struct exact f[PAIRS], double base)
{
    for (int64_t c = 0; c < PAIRS; c++)
        f[c] = exact_frequency(base, c, DIM);
}

/*
 * "within 0.501 units in the last place" (angles.h).  Positions of type F64
 * promise it too, where |value| is above 2^-20 of 1.
 */
static void angles(struct selftest *t, double base, int real)
{
    const int64_t shape[] = { ROWS, PAIRS, 2 };
    struct exact  f[PAIRS];
    float         got[ROWS][PAIRS][2];
    int64_t       id[ROWS];
    double        at[ROWS];
    locant_tensor out = locant_dense(got, LOCANT_F32, 3, shape);
    locant_tensor pos = locant_dense(real ? (void *)at : (void *)id,
                                     real ? LOCANT_F64 : LOCANT_I64, 1, shape);
    char spec[64];

    snprintf(spec, sizeof spec, "base=%g%s", base, real ? " at fractions" : "");
    if (!st_open(t, "angles", "angles", spec, LOCANT_F32, 0.501))
        return;
    frequencies(f, base);
    for (int64_t n = 0; n < 16 * t->cases; n++, t->row.cases++) {
        for (int r = 0; r < ROWS; r++) {
            id[r] = position(t, f) * (st_range(t, 0, 1) ? 1 : -1);
            at[r] = real ? (double)id[r] + st_uniform(t) : (double)id[r];
        }
        if (!st_took(t, locant_angles(&out, &pos, base, LOCANT_ANGLES_EXACT)))
            break;
        for (int k = 0; k < ROWS * PAIRS; k++) {
            int r = k / PAIRS, c = k % PAIRS;
            long double want[2];

            exact_angle(&want[0], &want[1], f[c], at[r]);
            for (int i = 0; i < 2; i++)
                if (!real || fabsl(want[i]) > 0x1p-20L)
                    st_error(t, (double)((long double)got[r][c][i] - want[i]),
                             0, ulp_at(want[i]));
        }
    }
    st_close(t);
}

/* --------------------------------------------------------------- rope, far */

/* What the operation does, and the turn of x that undoes or makes it. */
enum { FORWARD, INVERSE, BACKWARD };

struct far {
    struct st_case c; /* holds memory only */
    const char *spec;
    locant_encoding *e;
    struct exact f[PAIRS];
    int interleaved, what;
};

static locant_status ask(const struct far *r, locant_tensor *out,
                         const locant_tensor *x, const locant_tensor *pos)
{
    if (r->what == BACKWARD)
        return locant_encoding_rotate_backward(out, NULL, x, NULL, r->e, pos,
                                               NULL, 0);
    return locant_encoding_rotate(out, x, r->e, pos, NULL,
                                  r->what == INVERSE ? LOCANT_ROTATE_INVERSE
                                                     : 0);
}

static void judge(struct far *r, const locant_tensor *out,
                  const locant_tensor *x, const int64_t *id)
{
    for (int k = 0; k < ROWS * PAIRS; k++) {
        int row = k / PAIRS, c = k % PAIRS;
        int a = r->interleaved ? 2 * c : c;
        int b = r->interleaved ? 2 * c + 1 : c + PAIRS;
        size_t at = (size_t)row * DIM;
        double xa = st_get(x, at + (size_t)a), xb = st_get(x, at + (size_t)b);
        long double cosine, sine;

        exact_angle(&cosine, &sine, r->f[c],
                    (double)(r->what == FORWARD ? id[row] : -id[row]));
        st_error(r->c.t, st_get(out, at + (size_t)a),
                 (double)(xa * cosine - xb * sine), fabs(xa) + fabs(xb));
        st_error(r->c.t, st_get(out, at + (size_t)b),
                 (double)(xa * sine + xb * cosine), fabs(xa) + fabs(xb));
    }
}

/*
 * In units of |a| + |b|: a float32 table within 0.51 units of 2^-24, two
 * products and a sum in float32 (not of F64 tensors), storage once.
 */
static double far_bound(locant_dtype dtype)
{
    double storage = dtype == LOCANT_F32   ? ST_HALF_F32
                     : dtype == LOCANT_F16 ? ST_HALF_F16 + 0x1p-20
                     : dtype == LOCANT_F64 ? 0x1p-53
                                           : ST_HALF_BF16;

    return (dtype == LOCANT_F64 ? 0.51 : 2.51) * ST_HALF_F32 + 1.01 * storage;
}

static void rotate(struct selftest *t, struct far *r, locant_dtype dtype)
{
    static const char *const ops[] = { "rotate-far", "rotate-far-inv",
                                       "rotate-far-back" };
    const int64_t shape[] = { ROWS, DIM };
    int64_t       id[ROWS];
    locant_tensor pos = locant_dense(id, LOCANT_I64, 1, shape);

    if (!st_open(t, ops[r->what], "rope", r->spec, dtype, far_bound(dtype)))
        return;
    memset(&r->c, 0, sizeof r->c);
    r->c.t = t;
    for (int64_t n = 0; n < 8 * t->cases; n++, t->row.cases++) {
        locant_tensor x   = st_tensor(&r->c, dtype, 2, shape);
        locant_tensor out = st_tensor(&r->c, dtype, 2, shape);

        for (int k = 0; k < ROWS; k++)
            id[k] = position(t, r->f) * (st_range(t, 0, 1) ? 1 : -1);
        if (x.data != NULL && out.data != NULL &&
            st_took(t, ask(r, &out, &x, &pos)))
            judge(r, &out, &x, id);
        st_case_close(&r->c);
    }
    st_close(t);
}

static void ropes(struct selftest *t)
{
    static const char *const specs[] = {
        "rope", "rope(pairing=interleaved)",
        "rope(base=500000)", "rope(base=500000,pairing=interleaved)"
    };
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64, LOCANT_F16,
                                           LOCANT_BF16 };

    for (int s = 0; s < 4; s++) {
        struct far r = { .spec = specs[s], .interleaved = s % 2 };

        if (locant_encoding_create(&r.e, r.spec) != LOCANT_OK) {
            t->misses++;
            continue;
        }
        frequencies(r.f, s < 2 ? 10000 : 500000);
        for (r.what = FORWARD; r.what <= BACKWARD; r.what++)
            for (int d = 0; d < 4; d++)
                rotate(t, &r, dtypes[d]);
        locant_encoding_free(r.e);
    }
}

/* --------------------------------------------------------- sinusoidal, far */

/* Sines of any position in double, rounded once. */
static void sinusoid(struct selftest *t, locant_dtype dtype)
{
    const int64_t shape[] = { ROWS, DIM };
    struct st_case   c = { .t = t };
    struct exact     f[PAIRS];
    locant_encoding *e = NULL;
    int64_t          id[ROWS];
    locant_tensor    pos = locant_dense(id, LOCANT_I64, 1, shape), out;

    if (!st_open(t, "table-far", "sinusoidal", "sinusoidal", dtype,
                 ST_CHAIN + (dtype == LOCANT_F32 ? 1.01 * ST_HALF_F32 : 0)))
        return;
    frequencies(f, 10000);
    out = st_tensor(&c, dtype, 2, shape);
    if (out.data != NULL && st_took(t, locant_encoding_create(&e,
                                                              "sinusoidal")))
        for (int64_t n = 0; n < 8 * t->cases; n++, t->row.cases++) {
            for (int k = 0; k < ROWS; k++)
                id[k] = position(t, f);
            if (!st_took(t, locant_encoding_table(&out, e, &pos, NULL)))
                break;
            for (size_t k = 0; k < ROWS * PAIRS; k++) {
                long double cosine, sine;

                exact_angle(&cosine, &sine, f[k % PAIRS],
                            (double)id[k / PAIRS]);
                st_error(t, st_get(&out, 2 * k), (double)sine, 1);
                st_error(t, st_get(&out, 2 * k + 1), (double)cosine, 1);
            }
        }
    locant_encoding_free(e);
    st_case_close(&c);
    st_close(t);
}

void st_angles(struct selftest *t)
{
    static const double bases[] = { 100, 10000, 500000, 1e6 };

    for (int b = 0; b < 4; b++)
        for (int real = 0; real < 2; real++)
            angles(t, bases[b], real);
    ropes(t);
    sinusoid(t, LOCANT_F32);
    sinusoid(t, LOCANT_F64);
}
