/* turns.c - the pairs of a rotation by channel */
#include "turns.h"
#include "../core/error.h"
#include "../core/size.h"
#include "locant/frequencies.h"
#include <string.h>

void lct_turns_free(struct lct_turns *t)
{
    locant_release(t->partner);
    locant_release(t->f);
    locant_release(t->gain);
    memset(t, 0, sizeof(*t));
}

static locant_status allocate(struct lct_turns *out, int64_t dim)
{
    size_t bytes;

    if (!lct_array_bytes(&bytes, &dim, 1, sizeof(double)))
        bytes = 0;
    out->dim = dim;
    out->partner = bytes > 0 ? locant_alloc(bytes) : NULL;
    out->f = bytes > 0 ? locant_alloc(bytes) : NULL;
    out->gain = bytes > 0 ? locant_alloc(bytes) : NULL;
    if (out->partner == NULL || out->f == NULL || out->gain == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for heads of %lld",
                           (long long)dim);
    for (int64_t a = 0; a < dim; a++) {
        out->partner[a] = -1;
        out->f[a] = 0;
        out->gain[a] = 1;
    }
    return LOCANT_OK;
}

/* Frequencies [axes, pairs] and channels [pairs, 2] of 'r' to each channel. */
static void spread(struct lct_turns *out, const locant_rotated *r,
                   const double *f, const int64_t *channels, int axis)
{
    for (int64_t c = 0; c < r->pairs; c++) {
        int64_t a = channels[2 * c], b = channels[2 * c + 1];
        double at = f[axis * r->pairs + c];

        out->gain[a] = out->gain[b] = r->magnitude;
        if (at == 0)
            continue;
        out->partner[a] = b;
        out->partner[b] = a;
        out->f[a] = at;
        out->f[b] = -at;
    }
}

static locant_status measure(struct lct_turns *out, const locant_encoding *e,
                             int64_t length, int axis)
{
    locant_rotated r = LOCANT_ROTATED_INIT;
    locant_tensor f, channels;
    void *memory;
    locant_status s;

    LCT_TRY(locant_encoding_rotated(&r, e, out->dim, length));
    if (axis >= r.axes)
        return locant_fail(LOCANT_ERR_PARAM, "axis %d of %d", axis, r.axes);
    memory = locant_alloc((size_t)(r.pairs * (r.axes + 2)) * sizeof(double));
    if (memory == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for %lld pairs",
                           (long long)r.pairs);
    f = locant_dense(memory, LOCANT_F64, 2, (int64_t[]){ r.axes, r.pairs });
    channels = locant_dense((double *)memory + r.axes * r.pairs, LOCANT_I64, 2,
                            (int64_t[]){ r.pairs, 2 });
    s = locant_encoding_frequencies(&f, &channels, e, out->dim, length);
    if (s == LOCANT_OK)
        spread(out, &r, f.data, channels.data, axis);
    locant_release(memory);
    return s;
}

locant_status lct_turns_of(struct lct_turns *out, const locant_encoding *e,
                           int64_t dim, int64_t length, int axis)
{
    locant_status s;

    memset(out, 0, sizeof(*out));
    s = allocate(out, dim);
    if (s == LOCANT_OK)
        s = measure(out, e, length > 0 ? length : 1, axis);
    if (s != LOCANT_OK)
        lct_turns_free(out);
    return s;
}
