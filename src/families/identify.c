/* identify.c - the public calls: checks of arguments, rows in double */
#include "../core/size.h"
#include "identify_rotation.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Elements of a rotation that are read. */
enum { MOST_ELEMENTS = 1 << 22 };

void lct_identity_begin(locant_identity *out)
{
    memset(out, 0, sizeof(*out));
    out->sign = 1;
    out->factor = 1;
}

static bool accepted(double *x, bool masks)
{
    if (!masks)
        return isfinite(*x);
    if (*x <= -1e30)
        *x = -INFINITY;
    return *x <= 1e30;
}

locant_status lct_identify_read(double **out, const char *fn, const char *arg,
                                const locant_tensor *t, bool masks)
{
    size_t n = lct_identify_elements(t), bytes;

    *out = NULL;
    if (!lct_mul(&bytes, n, sizeof(double)) ||
        (*out = locant_alloc(bytes + 1)) == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu elements",
                           fn, n);
    lct_identify_doubles(*out, t);
    for (size_t i = 0; i < n; i++)
        if (!accepted(&(*out)[i], masks)) {
            double bad = (*out)[i];

            locant_release(*out);
            *out = NULL;
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: %s has the entry %g at element %zu, "
                               "expected finite numbers%s",
                               fn, arg, bad, i, masks ? " or a mask" : "");
        }
    return LOCANT_OK;
}

locant_status lct_identify_check(const char *fn, const char *arg,
                                 const locant_tensor *t)
{
    if (t == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn, arg);
    if (t->dtype != LOCANT_F32 && t->dtype != LOCANT_F16 &&
        t->dtype != LOCANT_BF16 && t->dtype != LOCANT_F64)
        return locant_fail(LOCANT_ERR_DTYPE,
                           "%s: %s has dtype %s, expected f32, f16, bf16 or "
                           "f64",
                           fn, arg, locant_dtype_name(t->dtype));
    if (t->rank < 1 || t->rank > LOCANT_MAX_RANK)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %s has rank %d, expected 1 to %d", fn, arg,
                           t->rank, LOCANT_MAX_RANK);
    for (int d = 0; d < t->rank; d++)
        if (t->shape[d] < 1)
            return locant_fail(LOCANT_ERR_SHAPE,
                               "%s: %s has size %lld in dimension %d, expected "
                               "at least 1",
                               fn, arg, (long long)t->shape[d], d);
    if (t->data == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s has no data", fn, arg);
    return LOCANT_OK;
}

locant_status lct_identify_same(const char *fn, const char *arg,
                                const locant_tensor *t, const char *other,
                                const locant_tensor *as)
{
    LCT_TRY(lct_identify_check(fn, arg, t));
    for (int d = 0; t->rank == as->rank && d < t->rank; d++)
        if (t->shape[d] != as->shape[d])
            return locant_fail(LOCANT_ERR_SHAPE,
                               "%s: %s has size %lld in dimension %d, expected "
                               "%lld as %s",
                               fn, arg, (long long)t->shape[d], d,
                               (long long)as->shape[d], other);
    if (t->rank != as->rank)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %s has rank %d, expected %d as %s", fn, arg,
                           t->rank, as->rank, other);
    return LOCANT_OK;
}

size_t lct_identify_elements(const locant_tensor *t)
{
    size_t n = 1;

    for (int d = 0; d < t->rank; d++)
        if (!lct_mul(&n, n, (size_t)t->shape[d]))
            return SIZE_MAX;
    return n;
}

/* A position of row t. */
static double position_at(const locant_tensor *positions, int64_t t)
{
    if (positions == NULL)
        return (double)t;
    if (positions->dtype == LOCANT_I64)
        return (
            double)((const int64_t *)positions->data)[t * positions->stride[0]];
    return ((const double *)positions->data)[t * positions->stride[0]];
}

static locant_status check_positions(const char *fn, const locant_tensor *p,
                                     int64_t n)
{
    if (p->dtype != LOCANT_I64 && p->dtype != LOCANT_F64)
        return locant_fail(LOCANT_ERR_DTYPE,
                           "%s: positions has dtype %s, expected i64 or f64",
                           fn, locant_dtype_name(p->dtype));
    if (p->data == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: positions has no data", fn);
    if (p->rank != 1 || p->shape[0] != n)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: positions has rank %d and size %lld, expected "
                           "[%lld], one for each row",
                           fn, p->rank,
                           p->rank > 0 ? (long long)p->shape[0] : 0,
                           (long long)n);
    return LOCANT_OK;
}

locant_status lct_identify_positions(double **out, const char *fn,
                                     const locant_tensor *positions, int64_t n)
{
    *out = NULL;
    if (positions != NULL)
        LCT_TRY(check_positions(fn, positions, n));
    *out = locant_alloc((size_t)n * sizeof(double));
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %lld positions",
                           fn, (long long)n);
    for (int64_t t = 0; t < n; t++) {
        double p = position_at(positions, t);

        (*out)[t] = p;
        if (isfinite(p))
            continue;
        locant_release(*out);
        *out = NULL;
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: positions[%lld] is %g, expected a finite "
                           "number",
                           fn, (long long)t, p);
    }
    return LOCANT_OK;
}

/* -------------------------------------------------------------- rotations */

/* Move the first and last rows that are read to the front. */
static void keep_some(struct lct_rows *r)
{
    int64_t most = r->dim < MOST_ELEMENTS ? MOST_ELEMENTS / r->dim : 1;
    int64_t half = most / 2, from = r->n - (most - half);

    if (r->n <= most)
        return;
    memmove(r->x + half * r->dim, r->x + from * r->dim,
            (size_t)((most - half) * r->dim) * sizeof(double));
    memmove(r->y + half * r->dim, r->y + from * r->dim,
            (size_t)((most - half) * r->dim) * sizeof(double));
    memmove(r->position + half, r->position + from,
            (size_t)(most - half) * sizeof(double));
    r->n = most;
}

/* Positions [T] of n rows of [.., T]. */
static locant_status spread(struct lct_rows *r, const char *fn,
                            const locant_tensor *positions, int64_t T)
{
    double *of_row = locant_alloc((size_t)r->n * sizeof(double) + 1);

    if (of_row == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %lld rows", fn,
                           (long long)r->n);
    r->position = of_row;
    LCT_TRY(lct_identify_positions(&of_row, fn, positions, T));
    for (int64_t i = 0; i < r->n; i++)
        r->position[i] = of_row[i % T];
    locant_release(of_row);
    return LOCANT_OK;
}

static locant_status rotation(locant_identity *out, struct lct_rows *r,
                              const locant_tensor *x, const locant_tensor *y,
                              const locant_tensor *positions)
{
    const char *fn = "locant_identify_rotation";
    double of_x, small;
    size_t n = lct_identify_elements(x);

    r->dim = x->shape[x->rank - 1];
    r->n = (int64_t)n / r->dim;
    LCT_TRY(lct_identify_read(&r->x, fn, "x", x, false));
    LCT_TRY(lct_identify_read(&r->y, fn, "y", y, false));
    LCT_TRY(spread(r, fn, positions, x->shape[x->rank - 2]));
    lct_identify_rounding(&of_x, &small, r->x, n, x->dtype);
    r->rounding = lct_identify_stored(out, &r->smallest, r->y, n, y->dtype);
    keep_some(r);
    LCT_TRY(lct_rows_order(r));
    return lct_identify_rows(out, r, of_x < r->rounding ? r->rounding : 0);
}

locant_status locant_identify_rotation(locant_identity *out,
                                       const locant_tensor *x,
                                       const locant_tensor *y,
                                       const locant_tensor *positions)
{
    const char *fn = "locant_identify_rotation";
    struct lct_rows r = { 0 };
    locant_status s;

    LCT_NOT_NULL(fn, out);
    LCT_TRY(lct_identify_check(fn, "x", x));
    LCT_TRY(lct_identify_same(fn, "y", y, "x", x));
    lct_identity_begin(out);
    if (x->rank < 2 || x->shape[x->rank - 1] < 2)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: x has rank %d and %lld channels, expected [.., "
                           "T, D] with D at least 2",
                           fn, x->rank, (long long)x->shape[x->rank - 1]);
    s = rotation(out, &r, x, y, positions);
    lct_rows_free(&r);
    return s;
}
