/*
 * resize_weights.c - the weights of linear and cubic interpolation.
 *
 * Keys: Cubic convolution interpolation for digital image processing. IEEE
 * Trans. ASSP 29(6), 1981; eq. (15) has a = -1/2.
 * Coordinates are quotients of whole numbers (unless 'offset' has a fraction),
 * kept exact as (whole part, remainder) while products of sizes stay below
 * 2^53; a weight is then off by a few roundings, however long the table.
 */
#include "../core/size.h"
#include "resize.h"
#include <math.h>

/* Keys' kernel in Horner form. */
static double cubic(double u, double a)
{
    u = fabs(u);
    if (u <= 1)
        return ((a + 2) * u - (a + 3)) * u * u + 1;
    if (u < 2)
        return ((a * u - 5 * a) * u + 8 * a) * u - 4 * a;
    return 0;
}

static double tent(double u)
{
    u = fabs(u);
    return u < 1 ? 1 - u : 0;
}

static int64_t clamp(int64_t i, int64_t last)
{
    return i < 0 ? 0 : i > last ? last : i;
}

/* The row of the table that the first weight multiplies: 'low', moved so that
   the rows of all weights are inside the table. */
static int64_t first_of(const struct lct_axis *a, int64_t low)
{
    return clamp(low, a->m - a->taps);
}

/* The coordinate s of include/locant/resize.h as whole part and fraction. */
static int64_t source(double *fraction, const struct lct_axis *a, int64_t x,
                      const locant_resize *how)
{
    double m = (double)a->m, to = (double)a->n + how->offset;
    double numerator = (double)(2 * x + 1) * m - to, denominator = 2 * to;
    double whole, rest;

    if (how->align_corners) {
        numerator = (double)x * (m - 1);
        denominator = a->n > 1 ? (double)(a->n - 1) : 1;
    }
    whole = floor(numerator / denominator);
    rest = numerator - whole * denominator;
    *fraction = rest / denominator;
    return (int64_t)whole;
}

/* Rows beyond an end repeat the end row: their weights add up there. */
static void fill_plain(struct lct_axis *a, int64_t x, const locant_resize *how)
{
    double f, w[4], *out = a->weight + x * a->taps;
    int64_t low = source(&f, a, x, how);
    int terms = how->kind == LOCANT_RESIZE_CUBIC ? 4 : 2;

    if (terms == 4) {
        low -= 1;
        for (int t = 0; t < 4; t++)
            w[t] = cubic(f + 1 - t, -0.75);
    } else {
        w[0] = 1 - f;
        w[1] = f;
    }
    a->first[x] = first_of(a, low);
    for (int t = 0; t < terms; t++)
        out[clamp(low + t, a->m - 1) - a->first[x]] += w[t];
}

/* Half the width of the stretched kernel, in rows of the table. */
static double support(int64_t m, int64_t n, const locant_resize *how)
{
    double scale = (double)m / ((double)n + how->offset);

    return (how->kind == LOCANT_RESIZE_CUBIC ? 2 : 1) * fmax(1, scale);
}

/* Antialias: the kernel is stretched, and the weights are divided by their sum.
 * u is (s - row) in units of the stretch, as a quotient of whole numbers. */
static void fill_smooth(struct lct_axis *a, int64_t x, const locant_resize *how)
{
    double m = (double)a->m, to = (double)a->n + how->offset, sum = 0;
    double at = (double)(2 * x + 1) * m, unit = 2 * fmax(m, to);
    double *out = a->weight + x * a->taps;
    double low = floor((at / to - 1) / 2 - support(a->m, a->n, how));

    a->first[x] = first_of(a, (int64_t)low);
    for (int64_t t = 0; t < a->taps; t++) {
        double u = (at - (double)(2 * (a->first[x] + t) + 1) * to) / unit;

        out[t] = how->kind == LOCANT_RESIZE_CUBIC ? cubic(u, -0.5) : tent(u);
        sum += out[t];
    }
    for (int64_t t = 0; t < a->taps; t++)
        out[t] /= sum;
}

static int64_t count_taps(int64_t m, int64_t n, const locant_resize *how)
{
    double taps = how->kind == LOCANT_RESIZE_CUBIC ? 4 : 2;

    if (how->antialias)
        taps = ceil(2 * support(m, n, how)) + 2;
    return taps < (double)m ? (int64_t)taps : m;
}

/* Invert first[], which never decreases. */
static void fill_ranges(struct lct_axis *a)
{
    int64_t begin = 0, end = 0;

    for (int64_t j = 0; j < a->m; j++) {
        while (begin < a->n && a->first[begin] + a->taps <= j)
            begin++;
        while (end < a->n && a->first[end] <= j)
            end++;
        a->begin[j] = begin;
        a->end[j] = end;
    }
}

static bool allocate(struct lct_axis *a)
{
    size_t n = (size_t)a->n, m = (size_t)a->m, items, both, bytes;

    if (!lct_mul(&items, n, (size_t)a->taps) || !lct_add(&items, items, n) ||
        !lct_mul(&both, m, 2) || !lct_add(&items, items, both) ||
        !lct_mul(&bytes, items, sizeof(double)))
        return false;
    a->memory = locant_alloc(bytes);
    if (a->memory == NULL)
        return false;
    a->weight = a->memory;
    a->first = (int64_t *)(void *)(a->weight + a->n * a->taps);
    a->begin = a->first + a->n;
    a->end = a->begin + a->m;
    return true;
}

locant_status lct_axis_make(struct lct_axis *a, const char *fn, int64_t m,
                            int64_t n, const locant_resize *how)
{
    *a = (struct lct_axis){ .m = m, .n = n, .taps = count_taps(m, n, how) };
    if (!allocate(a))
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the weights",
                           fn);
    for (int64_t x = 0; x < n; x++) {
        if (how->antialias)
            fill_smooth(a, x, how);
        else
            fill_plain(a, x, how);
    }
    fill_ranges(a);
    return LOCANT_OK;
}

void lct_axis_free(struct lct_axis *a)
{
    locant_release(a->memory);
    a->memory = NULL;
}
