/* convert_verify.c - see convert_verify.h */
#include "convert_verify.h"
#include "convert_project.h"
#include "pairing.h"
#include "locant/rotate.h"
#include <inttypes.h>
#include <math.h>

enum { POSITIONS = 5, AXES = 4 };
static const int64_t positions[POSITIONS] = { 0, 1, 7, 100, 4000 };

/* Queries and keys [heads, POSITIONS, width] of a layer of one side. */
struct heads {
    float *q, *k;
    int64_t keys; /* heads of keys: 1 of MLA */
};

struct verifier {
    const struct lct_tower *tower;
    int64_t layer;
    struct lct_convert_project project;
    struct heads side[2];
    double worst;
};

/* ----------------------------------------------------------------- rotation */

static locant_status encoding_with(locant_encoding **out,
                                   const locant_encoding *e, bool interleaved)
{
    locant_status status;
    char *spec;

    LCT_TRY(lct_pairing_spec(&spec, locant_encoding_spec(e), interleaved));
    status = locant_encoding_create(out, spec);
    locant_release(spec);
    return status;
}

/* Positions of one number, or of several that differ. */
static locant_tensor places_of(double *coordinates, const locant_encoding *e)
{
    const int axes = locant_encoding_axes(e);

    if (axes == 1)
        return locant_dense((void *)(uintptr_t)positions, LOCANT_I64, 1,
                            (const int64_t[]){ POSITIONS });
    for (int i = 0; i < POSITIONS; i++)
        for (int a = 0; a < axes; a++)
            coordinates[i * axes + a] =
                (double)(a == 0 ? positions[i] : positions[i] / (2 * a) + a);
    return locant_dense(coordinates, LOCANT_F64, 2,
                        (const int64_t[]){ POSITIONS, axes });
}

static locant_status rotate(float *x, int64_t heads, int64_t width,
                            const locant_encoding *e, bool keys)
{
    double coordinates[POSITIONS * AXES];
    const locant_tensor at = places_of(coordinates, e);
    locant_tensor t = locant_dense(
        x, LOCANT_F32, 3, (const int64_t[]){ heads, POSITIONS, width });

    return locant_encoding_rotate(&t, &t, e, &at, NULL,
                                  keys ? LOCANT_ROTATE_KEY : 0);
}

/* Whose keys the layer reads: its own, or an earlier one's. */
static int64_t keys_layer(const struct verifier *v)
{
    const int64_t of = v->tower->layers[v->layer].keys_of;

    return of >= 0 ? of : v->layer;
}

static locant_status fill_side(struct verifier *v, struct heads *out,
                               const struct lct_convert_side *s)
{
    const struct lct_layer_plan *layer = &v->tower->layers[v->layer];
    const int64_t width = v->project.heads.width;
    locant_encoding *e = NULL;
    locant_status status;
    int64_t queries = 0;

    v->project.layer = v->layer;
    LCT_TRY(lct_convert_project_heads(out->q, &queries, &v->project, s->parts,
                                      false, s->plus_one, POSITIONS));
    v->project.layer = keys_layer(v);
    LCT_TRY(lct_convert_project_heads(out->k, &out->keys, &v->project, s->parts,
                                      true, s->plus_one, POSITIONS));
    LCT_TRY(encoding_with(&e, layer->encoding, s->interleaved));
    status = rotate(out->q, queries, width, e, false);
    if (status == LOCANT_OK)
        status = rotate(out->k, out->keys, width, e, true);
    locant_encoding_free(e);
    return status;
}

/* ------------------------------------------------------------------- scores */

static double score(const struct verifier *v, const struct heads *s, int64_t h,
                    int i, int j)
{
    const int64_t n = v->project.heads.width;
    const int64_t key = h * s->keys / v->project.heads.heads;
    const float *q = s->q + (h * POSITIONS + i) * n;
    const float *k = s->k + (key * POSITIONS + j) * n;
    double sum = 0;

    for (int64_t c = 0; c < n; c++)
        sum += (double)q[c] * (double)k[c];
    return sum;
}

static locant_status compare(struct verifier *v)
{
    double largest = 0, worst = 0;
    int64_t head = 0;
    int at[2] = { 0 };

    for (int64_t h = 0; h < v->project.heads.heads; h++)
        for (int i = 0; i < POSITIONS; i++)
            for (int j = 0; j < POSITIONS; j++) {
                const double a = score(v, &v->side[0], h, i, j);
                const double b = score(v, &v->side[1], h, i, j);

                largest = fmax(largest, fabs(a));
                if (!(fabs(a - b) <= worst)) {
                    worst = fabs(a - b);
                    head = h;
                    at[0] = i;
                    at[1] = j;
                }
            }
    if (largest > 0)
        worst /= largest;
    v->worst = fmax(v->worst, worst);
    if (worst <= LCT_CONVERT_TOLERANCE)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "layer %" PRId64 ", head %" PRId64
                       ": the scores of positions %" PRId64 " and %" PRId64
                       " differ by %.3g of the largest, at most %.0e expected",
                       v->layer, head, positions[at[0]], positions[at[1]],
                       worst, LCT_CONVERT_TOLERANCE);
}

/* -------------------------------------------------------------- the whole */

static locant_status allocate(struct verifier *v,
                              const struct lct_convert_side *before,
                              const struct lct_convert_side *after)
{
    int64_t width = 1;
    size_t most = 1;

    for (int64_t l = 0; l < v->tower->n_layers; l++) {
        const struct lct_convert_heads h = before->parts->heads[l];
        const size_t n = (size_t)((h.heads + h.kv_heads) * h.width);

        most = n > most ? n : most;
        width = h.width > width ? h.width : width;
    }
    for (int s = 0; s < 2; s++) {
        v->side[s].q = locant_alloc(most * POSITIONS * sizeof(float));
        v->side[s].k = locant_alloc(most * POSITIONS * sizeof(float));
        if (v->side[s].q == NULL || v->side[s].k == NULL)
            return locant_fail(LOCANT_ERR_NOMEM, "no memory to verify scores");
    }
    return lct_convert_project_make(&v->project, before->parts, after->parts,
                                    width);
}

static void release(struct verifier *v)
{
    for (int s = 0; s < 2; s++) {
        locant_release(v->side[s].q);
        locant_release(v->side[s].k);
    }
    lct_convert_project_free(&v->project);
}

/* Does the side have the queries and the keys of the layer? */
static bool has_both(const struct verifier *v, const struct lct_convert_side *s)
{
    return lct_convert_project_has(s->parts, v->layer, false) &&
           lct_convert_project_has(s->parts, keys_layer(v), true);
}

static locant_status verify_layer(struct verifier *v,
                                  const struct lct_convert_side *before,
                                  const struct lct_convert_side *after)
{
    const struct lct_layer_plan *layer = &v->tower->layers[v->layer];

    v->project.heads = before->parts->heads[v->layer];
    v->project.norm = &layer->norm;
    if (v->project.heads.dims == 0 ||
        (!has_both(v, before) && !has_both(v, after)))
        return LOCANT_OK;
    LCT_TRY(fill_side(v, &v->side[0], before));
    LCT_TRY(fill_side(v, &v->side[1], after));
    return compare(v);
}

locant_status lct_convert_verify(double *worst, const struct lct_tower *tower,
                                 const struct lct_convert_side *before,
                                 const struct lct_convert_side *after)
{
    struct verifier v = { .tower = tower };
    locant_status status = allocate(&v, before, after);

    for (; v.layer < tower->n_layers && status == LOCANT_OK; v.layer++)
        status = verify_layer(&v, before, after);
    release(&v);
    *worst = v.worst;
    return status;
}
