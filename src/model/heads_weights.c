/*
 * heads_weights.c - attention weights of some queries of a layer.
 *
 * They are read with unit vectors as values.  If v[j] is the unit vector of
 * channel j - first for the D keys from 'first' on, and 0 for the others, then
 * o[i, c] = p[i, first + c].  Queries before 'first' attend to none of these
 * keys and are left out.
 */
#include "../core/size.h"
#include "heads.h"
#include <inttypes.h>
#include <string.h>

struct reading {
    const struct lct_model *m;
    struct lct_heads_call call;
    const int64_t *t; /* [n] queries */
    int64_t n;
    int64_t *chosen; /* [count] indices in t of the queries of a pass */
    int64_t count;
    void *positions; /* [count] of these queries, int64_t or double; start of
                        the allocation of all arrays but the workspace */
    real *q, *v, *o, *lse;
    real *base; /* [heads, n, D] o for v = 0: what an encoding adds */
    locant_tensor q_view, v_view, o_view, lse_view, positions_view;
    void *workspace;
    size_t workspace_bytes;
};

static locant_status make_reading(struct reading *r)
{
    const int64_t H = r->m->config.heads, D = r->m->head_dim;
    const int64_t rows = H * r->n, keys = r->m->config.kv_heads * r->m->S;
    size_t bytes, position_bytes;

    if (!lct_mul(&bytes, (size_t)(3 * rows * D + keys * D + rows),
                 sizeof(real)) ||
        !lct_mul(&position_bytes, (size_t)r->n, 2 * sizeof(double)) ||
        !lct_add(&bytes, bytes, position_bytes) ||
        (r->positions = locant_alloc(bytes)) == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "lct_model_attention_rows: no "
                           "memory for %" PRId64 " queries",
                           r->n);
    r->chosen = (int64_t *)r->positions + r->n; /* or after n doubles */
    r->q = (real *)(r->chosen + r->n);
    r->o = r->q + rows * D;
    r->base = r->o + rows * D;
    r->lse = r->base + rows * D;
    r->v = r->lse + rows;
    return LOCANT_OK;
}

static void shape_pass(struct reading *r)
{
    const struct lct_model *m = r->m;
    const bool reals = r->call.attention.q_coords != NULL;
    const int64_t q[4] = { 1, m->config.heads, r->count, m->head_dim };
    const int64_t v[4] = { 1, m->config.kv_heads, m->S, m->head_dim };
    const int64_t positions[3] = { 1, r->count, 1 };

    r->q_view = locant_dense(r->q, LCT_REAL_DTYPE, 4, q);
    r->o_view = locant_dense(r->o, LCT_REAL_DTYPE, 4, q);
    r->v_view = locant_dense(r->v, LCT_REAL_DTYPE, 4, v);
    r->lse_view = locant_dense(r->lse, LCT_REAL_DTYPE, 3, q);
    r->positions_view =
        locant_dense(r->positions, reals ? LOCANT_F64 : LOCANT_I64,
                     reals ? 3 : 2, positions);
    if (reals)
        r->call.attention.q_coords = &r->positions_view;
    else
        r->call.attention.q_pos = &r->positions_view;
    r->call.attention.q = &r->q_view;
    r->call.attention.v = &r->v_view;
}

/* Choose the queries that attend to key 'first', and copy them and their
   positions. */
static void choose(struct reading *r, const real *q, int64_t first)
{
    const struct lct_model *m = r->m;
    const int64_t H = m->config.heads, D = m->head_dim;
    const bool by_model =
        m->chooses_positions &&
        (r->call.attention.q_coords != NULL || r->call.attention.k_pos != NULL);
    const int64_t *given = by_model ? lct_row_positions(m, 0, 1, m->S) : NULL;

    r->count = 0;
    for (int64_t i = 0; i < r->n; i++)
        if (m->past + r->t[i] >= first) {
            const int64_t index = m->past + r->t[i];
            int64_t *to = (int64_t *)r->positions + r->count; /* or a double */

            *to = given ? given[index] : index;
            r->chosen[r->count++] = i;
        }
    for (int64_t h = 0; h < H; h++)
        for (int64_t k = 0; k < r->count; k++)
            memcpy(r->q + (h * r->count + k) * D,
                   q + (r->t[r->chosen[k]] * H + h) * D,
                   (size_t)D * sizeof(real));
    shape_pass(r);
}

static locant_status attend(struct reading *r)
{
    LCT_TRY(
        lct_heads_grow(&r->workspace, &r->workspace_bytes, &r->call.attention));
    return locant_attention_forward(&r->o_view, &r->lse_view,
                                    &r->call.attention, r->workspace,
                                    r->workspace_bytes);
}

/* Set v of keys first .. first + D - 1 to unit vectors times 'one'. */
static void mark_keys(struct reading *r, int64_t first, real one)
{
    const int64_t D = r->m->head_dim, S = r->m->S;

    for (int64_t h = 0; h < r->m->config.kv_heads; h++)
        for (int64_t c = 0; c < D && first + c < S; c++)
            r->v[(h * S + first + c) * D + c] = one;
}

/* Read the weights of keys first .. first + D - 1. */
static locant_status read_keys(struct reading *r, real *weight, int64_t first)
{
    const int64_t D = r->m->head_dim, S = r->m->S;
    const int64_t width = first + D < S ? D : S - first;

    mark_keys(r, first, 1);
    LCT_TRY(attend(r));
    mark_keys(r, first, 0);
    for (int64_t h = 0; h < r->m->config.heads; h++)
        for (int64_t k = 0; k < r->count; k++) {
            const int64_t row = h * r->n + r->chosen[k];

            for (int64_t c = 0; c < width; c++)
                weight[row * S + first + c] =
                    r->o[(h * r->count + k) * D + c] - r->base[row * D + c];
        }
    return LOCANT_OK;
}

static locant_status read_rows(struct reading *r, const real *q, real *weight)
{
    const struct lct_model *m = r->m;
    const int64_t rows = m->config.heads * r->n, D = m->head_dim;

    memset(weight, 0, (size_t)(rows * m->S) * sizeof(real));
    memset(r->v, 0, (size_t)(m->config.kv_heads * m->S * D) * sizeof(real));
    choose(r, q, 0);
    LCT_TRY(attend(r));
    memcpy(r->base, r->o, (size_t)(rows * D) * sizeof(real));
    for (int64_t first = 0; first < m->S; first += D) {
        choose(r, q, first);
        if (r->count > 0)
            LCT_TRY(read_keys(r, weight, first));
    }
    return LOCANT_OK;
}

locant_status lct_model_attention_rows(const struct lct_model *m, int64_t layer,
                                       const int64_t *t, int64_t n,
                                       real *weight)
{
    struct reading r = { .m = m, .t = t, .n = n };
    locant_status status;

    if (m->B != 1 || n < 1)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "lct_model_attention_rows: B is %" PRId64
                           " and there are %" PRId64 " queries, "
                           "expected B = 1 and queries",
                           m->B, n);
    for (int64_t i = 0; i < n; i++)
        if (t[i] < 0 || t[i] >= m->T)
            return locant_fail(LOCANT_ERR_PARAM,
                               "lct_model_attention_rows: t"
                               "[%" PRId64 "] is %" PRId64
                               ", expected 0 .. %" PRId64,
                               i, t[i], m->T - 1);
    LCT_TRY(make_reading(&r));
    lct_heads_make_call(&r.call, m, layer, 1, m->T, m->past);
    status = read_rows(&r, m->layers[layer].q, weight);
    locant_release(r.workspace);
    locant_release(r.positions);
    return status;
}
