/* turns.c - frequencies of pairs from rotated unit vectors */
#include "turns.h"
#include "../core/error.h"
#include "../core/size.h"
#include <math.h>
#include <string.h>

enum { AT = 3 }; /* positions, each far beyond the one before */

void lct_turns_free(struct lct_turns *t)
{
    locant_release(t->partner);
    locant_release(t->f);
    locant_release(t->gain);
    memset(t, 0, sizeof(*t));
}

/* Rotate at positions whose coordinate 'axis' is at[k], the others 0. */
static locant_status rotate_along(locant_tensor *x, const locant_encoding *e,
                                  const int64_t *at, int axis)
{
    enum { MOST_AXES = 6 };
    double coords[AT * MOST_AXES] = { 0 };
    int64_t whole[AT], n[2] = { AT, locant_encoding_axes(e) };
    locant_tensor p;

    if (n[1] > MOST_AXES || axis >= n[1])
        return locant_fail(LOCANT_ERR_PARAM, "axis %d of %lld", axis,
                           (long long)n[1]);
    memcpy(whole, at, sizeof(whole));
    for (int k = 0; k < AT; k++)
        coords[k * n[1] + axis] = (double)at[k];
    p = n[1] == 1 ? locant_dense(whole, LOCANT_I64, 1, n)
                  : locant_dense(coords, LOCANT_F64, 2, n);
    return locant_encoding_rotate(x, x, e, &p, NULL, 0);
}

/* Unit vectors [dim, AT, dim] rotated at the positions 'at'. */
static locant_status rotate(double **out, const locant_encoding *e, int64_t dim,
                            const int64_t *at, int axis)
{
    int64_t shape[] = { dim, AT, dim };
    size_t bytes;
    double *x;
    locant_tensor t;
    locant_status s;

    if (!lct_array_bytes(&bytes, shape, 3, sizeof(double)) ||
        (x = locant_alloc(bytes)) == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for heads of %lld",
                           (long long)dim);
    memset(x, 0, bytes);
    for (int64_t a = 0; a < dim; a++)
        for (int64_t k = 0; k < AT; k++)
            x[(a * AT + k) * dim + a] = 1;
    t = locant_dense(x, LOCANT_F64, 3, shape);
    s = rotate_along(&t, e, at, axis);
    if (s != LOCANT_OK) {
        locant_release(x);
        return s;
    }
    *out = x;
    return LOCANT_OK;
}

/* The channel besides a that unit vector a is turned into; -1 if none. */
static int64_t partner_of(const double *row, int64_t dim, int64_t a)
{
    int64_t best = -1;

    for (int64_t b = 0; b < dim; b++)
        if (b != a && row[b] != 0 &&
            (best < 0 || fabs(row[b]) > fabs(row[best])))
            best = b;
    return best;
}

static void measure(struct lct_turns *out, const double *x, int64_t a,
                    const int64_t *at)
{
    const double two_pi = 6.283185307179586476925;
    int64_t dim = out->dim, b = -1;

    for (int k = 0; k < AT && b < 0; k++)
        b = partner_of(x + (a * AT + k) * dim, dim, a);
    out->partner[a] = b;
    out->gain[a] = fabs(x[a * AT * dim + a]);
    for (int k = 0; k < AT && b >= 0; k++) {
        const double *row = x + (a * AT + k) * dim;
        double angle = atan2(row[b], row[a]);
        double turns = round((out->f[a] * (double)at[k] - angle) / two_pi);

        out->gain[a] = hypot(row[a], row[b]);
        out->f[a] = (angle + two_pi * turns) / (double)at[k];
    }
}

locant_status lct_turns_of(struct lct_turns *out, const locant_encoding *e,
                           int64_t dim, int64_t length, int axis)
{
    int64_t far = length > 3 && length <= INT64_C(1) << 31 ? length - 1
                                                           : INT64_C(1) << 30;
    int64_t at[AT] = { 1, (int64_t)sqrt((double)far), far };
    size_t n = (size_t)dim * sizeof(double);
    double *x = NULL;
    locant_status s;

    memset(out, 0, sizeof(*out));
    LCT_TRY(rotate(&x, e, dim, at, axis));
    out->dim = dim;
    out->partner = locant_alloc(n);
    out->f = locant_alloc(n);
    out->gain = locant_alloc(n);
    s = out->partner && out->f && out->gain
            ? LOCANT_OK
            : locant_fail(LOCANT_ERR_NOMEM, "no memory for heads of %lld",
                          (long long)dim);
    if (s == LOCANT_OK)
        memset(out->f, 0, n);
    for (int64_t a = 0; s == LOCANT_OK && a < dim; a++)
        measure(out, x, a, at);
    if (s != LOCANT_OK)
        lct_turns_free(out);
    locant_release(x);
    return s;
}
