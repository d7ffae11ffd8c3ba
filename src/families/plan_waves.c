/* plan_waves.c - the wavelengths of a layer, from rotated unit vectors */
#include "plan_waves.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    AT = 3,        /* positions: 1, a far one, and the last of the call */
    MOST_AXES = 6,
    MOST = 4096    /* channels of a head */
};

static const double turn = 6.283185307179586;

/* x [D, AT, D] = unit vectors, rotated. */
static locant_status rotate(double *x, const locant_encoding *e, int64_t D,
                            const int64_t *at)
{
    const int64_t axes = locant_encoding_axes(e), rows[] = { AT, axes };
    const int64_t shape[] = { D, AT, D };
    double coords[AT * MOST_AXES];
    locant_tensor t = locant_dense(x, LOCANT_F64, 3, shape), p;
    int64_t whole[AT];

    for (int64_t a = 0; a < D; a++)
        for (int k = 0; k < AT; k++)
            x[(a * AT + k) * D + a] = 1;
    memcpy(whole, at, sizeof whole);
    for (int64_t i = 0; i < AT * axes; i++)
        coords[i] = (double)at[i / axes];
    p = axes == 1 ? locant_dense(whole, LOCANT_I64, 1, rows)
                  : locant_dense(coords, LOCANT_F64, 2, rows);
    return locant_encoding_rotate(&t, &t, e, &p, NULL, 0);
}

/* The channel that unit vector a has turned to, -1: none. */
static int64_t partner(const double *row, int64_t D, int64_t a)
{
    int64_t b = -1;

    for (int64_t i = 0; i < D; i++)
        if (i != a && row[i] != 0 && (b < 0 || fabs(row[i]) > fabs(row[b])))
            b = i;
    return b;
}

/*
 * The frequency of a pair from its angles at 1 and at 'far', both within 2^-51:
 * the first says how many turns the second has made, which then divides its
 * error.
 */
static double frequency(const double *near, const double *distant, int64_t a,
                        int64_t b, int64_t far)
{
    const double f = fabs(atan2(near[b], near[a]));
    const double angle = atan2(distant[b], distant[a]) *
                         (near[b] < 0 ? -1.0 : 1.0);
    const double turns = rint(((double)far * f - angle) / turn);

    return (angle + turns * turn) / (double)far;
}

static void take(struct lct_plan_waves *out, const double *x, int64_t D,
                 int64_t far)
{
    for (int64_t a = 0; a < D; a++) {
        const double *near = x + a * AT * D, *distant = near + D;
        const int64_t b = partner(near, D, a);

        if (b <= a) /* not turned, or the other channel of an earlier pair */
            continue;
        if (out->pairs == 0) {
            out->first = a;
            out->interleaved = b == a + 1;
            out->factor = hypot(near[a], near[b]);
        } else if (b != a + 1) {
            out->interleaved = false;
        }
        out->frequency[out->pairs++] = frequency(near, distant, a, b, far);
    }
}

/* Does it rotate without parameters? */
static bool rotates(const locant_encoding *e)
{
    locant_param_info info;
    bool learned = false;

    for (int i = 0; locant_encoding_param(&info, e, i, NULL); i++)
        learned |= (info.doors & LOCANT_DOOR_ROTATE) != 0;
    return (locant_encoding_doors(e) & LOCANT_DOOR_ROTATE) != 0 && !learned &&
           locant_encoding_axes(e) <= MOST_AXES;
}

locant_status lct_plan_waves_of(struct lct_plan_waves *out,
                                const struct lct_layer_plan *layer,
                                int64_t length, const char *file)
{
    const int64_t D = layer->qk_dim, last = length > 2 ? length - 1 : 1;
    const int64_t far = last < 1 << 20 ? last : 1 << 20;
    const locant_encoding *e = layer->encoding;
    locant_status s = LOCANT_OK;
    double *x;

    *out = (struct lct_plan_waves){ .factor = 1 };
    if (!rotates(e) || D > MOST)
        return LOCANT_OK;
    out->by_length = (locant_encoding_traits(e) & LOCANT_TRAIT_LENGTH) != 0;
    x = locant_alloc((size_t)(D * AT * D) * sizeof *x);
    out->frequency = locant_alloc((size_t)D * sizeof *out->frequency);
    if (x == NULL || out->frequency == NULL)
        s = locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", file);
    if (s == LOCANT_OK)
        s = rotate(x, e, D, (int64_t[]){ 1, far, last });
    if (s == LOCANT_OK)
        take(out, x, D, far);
    locant_release(x);
    if (s == LOCANT_OK)
        return LOCANT_OK;
    lct_plan_waves_free(out);
    return s == LOCANT_ERR_NOMEM
               ? s
               : locant_fail(LOCANT_ERR_FORMAT,
                             "%s: %.120s does not fit heads of %" PRId64
                             " channels",
                             file, layer->spec, D);
}

void lct_plan_waves_free(struct lct_plan_waves *w)
{
    locant_release(w->frequency);
    w->frequency = NULL;
    w->pairs = 0;
}
