/*
 * properties.c - gate g1: the encodings of a report do what they declare, tried
 * through the public functions on this machine, by this build.
 */
#include "run.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 64 };
static const int64_t shift = 1000;

/*
 * Worst error of a score of two rotated unit vectors: each of their entries is
 * two products and a sum of numbers rounded to float32 (angle table 0.55 ulp of
 * values up to 1, product and sum half an ulp each): at most 4 x 2^-24 of the
 * pair's length, for both vectors 8 x 2^-24.  Twice that is allowed.
 */
static const double score_bound = 16 * 0x1p-24;
/*
 * The emulated float32 recipes of angles, which a spec must ask for, err by
 * 1e-4 at the largest position tried; a wrong rotation errs by about 1.
 */
static const double emulated_bound = 1e-4;

struct probe {
    locant_encoding *e;
    int64_t heads, width, dim;
    locant_tensor own[4], *params; /* NULL if it has none */
    char *sentence;
    bool held;
};

static void lacks(struct probe *p, const char *what, double error)
{
    p->held = false;
    snprintf(p->sentence, 256, "%.100s %s (error %.2g)",
             locant_encoding_spec(p->e), what, error);
}

/* ------------------------------------------------------------------- rotate */

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* x [2, dim] at positions m and n into y. */
static locant_status rotate(double *y, double *x, const struct probe *p,
                            int64_t m, int64_t n)
{
    const int64_t two = 2, shape[2] = {2, p->dim};
    int64_t where[2] = {m, n};
    locant_tensor out = locant_dense(y, LOCANT_F64, 2, shape);
    locant_tensor in = locant_dense(x, LOCANT_F64, 2, shape);
    locant_tensor positions = locant_dense(where, LOCANT_I64, 1, &two);

    return locant_encoding_rotate(&out, &in, p->e, &positions, 0);
}

static locant_status try_rotation(struct probe *p, double *x, int64_t m,
                                  int64_t n)
{
    const unsigned traits = locant_encoding_info_of(p->e)->traits;
    /* Canonical specs leave defaults out, and the default is exact. */
    const bool emulated =
        strstr(locant_encoding_spec(p->e), "angles=") != NULL;
    const double relative_bound = emulated ? emulated_bound : score_bound;
    double *y = x + 2 * p->dim, *z = x + 4 * p->dim;
    double unit = dot(x, x, p->dim) + dot(x + p->dim, x + p->dim, p->dim);
    double error;

    LCT_TRY(rotate(y, x, p, m, n));
    LCT_TRY(rotate(z, x, p, m + shift, n + shift));
    error = fabs(dot(x, x, p->dim) - dot(y, y, p->dim)) / unit;
    if ((traits & LOCANT_TRAIT_ISOMETRIC) && !(error <= score_bound))
        lacks(p, "does not keep the length of a vector", error);
    error = fabs(dot(y, y + p->dim, p->dim) - dot(z, z + p->dim, p->dim)) /
            unit;
    if ((traits & LOCANT_TRAIT_RELATIVE) && !(error <= relative_bound))
        lacks(p, "does not score by the difference of positions", error);
    return LOCANT_OK;
}

static locant_status check_rotation(struct probe *p)
{
    locant_random r = {1, 0, 0};
    double *x = locant_alloc(6 * (size_t)p->dim * sizeof *x);
    locant_status status = LOCANT_OK;

    if (x == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", __func__);
    for (int k = 0; k < N && status == LOCANT_OK && p->held; k++) {
        for (int64_t i = 0; i < 2 * p->dim; i++)
            x[i] = locant_random_normal(&r);
        status = try_rotation(p, x, (int64_t)locant_random_below(&r, 2048),
                              (int64_t)locant_random_below(&r, 2048));
    }
    locant_release(x);
    return status;
}

/* -------------------------------------------------------------------- score */

/* Bias of query 'first' + N - 1 to keys first .. first + N - 1: [heads, N]. */
static locant_status bias(double *out, const struct probe *p, int64_t first)
{
    const int64_t one = 1, n = N, shape[3] = {p->heads, 1, N};
    int64_t query = first + N - 1, keys[N];
    locant_tensor t = locant_dense(out, LOCANT_F64, 3, shape);
    locant_tensor q = locant_dense(&query, LOCANT_I64, 1, &one);
    locant_tensor k = locant_dense(keys, LOCANT_I64, 1, &n);

    for (int64_t i = 0; i < N; i++)
        keys[i] = first + i;
    return locant_encoding_bias(&t, p->e, &q, &k, p->params);
}

/* Bias is formed from the difference of positions: equal to the bit. */
static void compare_bias(struct probe *p, const double *a, const double *b)
{
    const unsigned traits = locant_encoding_info_of(p->e)->traits;

    for (int64_t i = 0; i < p->heads * N && p->held; i++) {
        double further = i % N ? a[i - 1] - a[i] : 0;

        if (!isfinite(a[i]))
            lacks(p, "has a bias that is not finite", a[i]);
        else if ((traits & LOCANT_TRAIT_RELATIVE) && a[i] != b[i])
            lacks(p, "has a bias that depends on absolute positions",
                  fabs(a[i] - b[i]));
        else if ((traits & LOCANT_TRAIT_MONOTONE) && further > 0)
            lacks(p, "has a bias that grows with distance", further);
    }
}

static locant_status check_bias(struct probe *p)
{
    size_t n = (size_t)p->heads * N;
    double *a = locant_alloc(2 * n * sizeof *a);
    locant_status status;

    if (a == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", __func__);
    status = bias(a, p, 0);
    if (status == LOCANT_OK)
        status = bias(a + n, p, shift);
    if (status == LOCANT_OK)
        compare_bias(p, a, a + n);
    locant_release(a);
    return status;
}

/* -------------------------------------------------------------------- input */

static locant_status check_table(struct probe *p)
{
    const int64_t one = 1, shape[2] = {1, p->width};
    int64_t at = 0;
    double *row = locant_alloc((size_t)p->width * sizeof *row);
    locant_tensor out = locant_dense(row, LOCANT_F64, 2, shape);
    locant_tensor positions = locant_dense(&at, LOCANT_I64, 1, &one);
    locant_status status = LOCANT_OK;

    if (row == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", __func__);
    for (at = 0; at < N && status == LOCANT_OK && p->held; at++) {
        status = locant_encoding_table(&out, p->e, &positions, p->params);
        for (int64_t i = 0; i < p->width && status == LOCANT_OK && p->held;
             i++)
            if (!isfinite(row[i]))
                lacks(p, "has a table entry that is not finite", row[i]);
    }
    at = INT64_C(1) << 40;
    if (status == LOCANT_OK &&
        (locant_encoding_info_of(p->e)->traits & LOCANT_TRAIT_WALL) &&
        locant_encoding_table(&out, p->e, &positions, p->params) !=
            LOCANT_ERR_PARAM)
        lacks(p, "does not refuse a position beyond its table", (double)at);
    locant_release(row);
    return status;
}

/* ---------------------------------------------------------------------- all */

static locant_status init_params(struct probe *p)
{
    locant_param_info info;

    for (int i = 0;
         i < 4 && locant_encoding_param(&info, p->e, i, p->heads, p->width);
         i++) {
        size_t n = 1;

        for (int k = 0; k < info.rank; k++)
            n *= (size_t)info.shape[k];
        p->params = p->own;
        p->own[i] = locant_dense(locant_alloc(n * sizeof(double)), LOCANT_F64,
                                 info.rank, info.shape);
        if (p->own[i].data == NULL)
            return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", __func__);
        LCT_TRY(locant_encoding_param_init(&p->own[i], p->e, i, 1));
    }
    return LOCANT_OK;
}

static locant_status check_doors(struct probe *p)
{
    unsigned doors = locant_encoding_info_of(p->e)->doors;

    LCT_TRY(init_params(p));
    if (doors & LOCANT_DOOR_INPUT)
        LCT_TRY(check_table(p));
    if (doors & LOCANT_DOOR_ROTATE)
        LCT_TRY(check_rotation(p));
    if (doors & LOCANT_DOOR_SCORE)
        LCT_TRY(check_bias(p));
    return LOCANT_OK;
}

locant_status lct_check_properties(bool *held, char sentence[256],
                                   const char *spec, int64_t heads,
                                   int64_t width)
{
    struct probe p = {.heads = heads, .width = width, .dim = width / heads,
                      .sentence = sentence, .held = true};
    locant_status status;

    LCT_TRY(locant_encoding_create(&p.e, spec));
    status = check_doors(&p);
    for (int i = 0; i < 4; i++)
        locant_release(p.own[i].data);
    locant_encoding_free(p.e);
    *held = p.held;
    return status;
}
