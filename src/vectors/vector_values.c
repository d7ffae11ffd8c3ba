/* vector_values.c - true values by kind of group */
#include "vector_values.h"
#include "vector_bias.h"
#include "vector_rope.h"
#include "vector_rotate.h"
#include <string.h>

const struct lct_vector_variation lct_vector_values_right = { .power = 1 };

static bool is(const struct lct_vector_group *g, int k, const char *quantity)
{
    return strcmp(lct_vector_quantities_of(g->kind)[k].name, quantity) == 0;
}

static void set_shape(struct lct_vector_values *v, int rank, int64_t a,
                      int64_t b, int64_t c)
{
    v->rank = rank;
    v->shape[0] = a;
    v->shape[1] = b;
    v->shape[2] = c;
    v->n = (size_t)(a * b * c);
}

void lct_vector_values_shape(struct lct_vector_values *v,
                             const struct lct_vector_group *g, int k)
{
    const int64_t T = g->queries->n, S = g->keys->n, H = g->heads;

    if (is(g, k, "scores") || is(g, k, "buckets"))
        set_shape(v, 2, T, S, 1);
    else if (is(g, k, "bias"))
        set_shape(v, 3, H, T, S);
    else if (is(g, k, "dtable"))
        set_shape(v, 2, lct_vector_bias_buckets(g), H, 1);
    else if (is(g, k, "slopes"))
        set_shape(v, 1, H, 1, 1);
    else if (is(g, k, "factor"))
        set_shape(v, 1, T, 1, 1);
    else if (is(g, k, "frequencies"))
        set_shape(v, 1, g->rotated / 2, 1, 1);
    else if (g->kind == LCT_VECTOR_ANGLES)
        set_shape(v, 2, T, g->rotated / 2, 1);
    else
        set_shape(v, 2, T, LCT_VECTOR_DIM, 1);
}

static bool has_angles(const struct lct_vector_group *g, int k)
{
    return g->kind <= LCT_VECTOR_TABLE && !is(g, k, "frequencies");
}

locant_status
lct_vector_values_make(struct lct_vector_values *out,
                       const struct lct_vector_group *g, int k,
                       const struct lct_vector_variation *variation,
                       struct lct_vector_angles *angles)
{
    locant_status s;

    memset(out, 0, sizeof *out);
    lct_vector_values_shape(out, g, k);
    out->value = locant_alloc(2 * out->n * sizeof *out->value);
    if (out->value == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: %zu values", g->name, out->n);
    if (has_angles(g, k))
        out->slack = out->value + out->n;
    switch (g->kind) {
    case LCT_VECTOR_ANGLES:
    case LCT_VECTOR_ROPE:
        s = lct_vector_rope_values(out, g, k, variation, angles);
        break;
    case LCT_VECTOR_ROTATE: s = lct_vector_rotate_values(out, g, k); break;
    case LCT_VECTOR_SINUSOIDAL:
        lct_vector_rope_sinusoids(out, g, variation);
        s = LOCANT_OK;
        break;
    case LCT_VECTOR_TABLE:
        lct_vector_rotate_table(out, g);
        s = LOCANT_OK;
        break;
    default: s = lct_vector_bias_values(out, g, k); break;
    }
    if (s != LOCANT_OK)
        lct_vector_values_free(out);
    return s;
}

void lct_vector_values_free(struct lct_vector_values *v)
{
    locant_release(v->value);
    v->value = v->slack = NULL;
}
