/* heads.c - attention of one layer, by locant_attention_forward() */
#include "parts.h"
#include "../core/size.h"
#include "sequence_heads.h"
#include <inttypes.h>
#include <string.h>

/* A view of data [B, T, heads, head_dim] as [B, heads, T, head_dim]. */
static locant_tensor by_head(const struct lct_model *m, real *data,
                             int64_t heads, int64_t B, int64_t T)
{
    const int64_t D = m->head_dim;
    const int64_t shape[4] = { B, heads, T, D };
    locant_tensor t = locant_dense(data, LCT_REAL_DTYPE, 4, shape);

    t.stride[0] = T * heads * D;
    t.stride[1] = D;
    t.stride[2] = heads * D;
    return t;
}

static locant_tensor lse_view(const struct lct_model *m, real *lse)
{
    const int64_t shape[3] = { m->B, m->config.heads, m->T };

    return locant_dense(lse, LCT_REAL_DTYPE, 3, shape);
}

/* One call of attention. */
struct call {
    locant_attention attention;
    locant_tensor q, k, v, x, q_pos, k_pos; /* 'attention' points to them */
    int first_param; /* of the layer's encoding, among all parameters */
};

/* Pass positions [B, S], or coordinates [B, S, 1] if they are real numbers. */
static void set_positions(struct call *c, const struct lct_model *m, int64_t B,
                          int64_t T, int64_t past)
{
    const int64_t shape[3] = { B, past + T, 1 };
    const bool reals = m->real_positions;
    unsigned doors = locant_encoding_doors(c->attention.encoding);

    if (reals && !(doors & LOCANT_DOOR_ROTATE))
        return;
    c->k_pos =
        locant_dense(lct_row_positions(m, 0, B, past + T),
                     reals ? LOCANT_F64 : LOCANT_I64, reals ? 3 : 2, shape);
    c->q_pos = c->k_pos;
    c->q_pos.shape[1] = T;
    c->q_pos.data = (int64_t *)c->k_pos.data + past; /* or as many doubles */
    if (reals) {
        c->attention.q_coords = &c->q_pos;
        c->attention.k_coords = &c->k_pos;
    } else {
        c->attention.q_pos = &c->q_pos;
        c->attention.k_pos = &c->k_pos;
    }
}

void lct_heads_begin(locant_attention *attention, int *first_param,
                     const struct lct_model *m, int64_t layer)
{
    locant_tensor *params = lct_layer_params(m, layer);

    *attention = (locant_attention)LOCANT_ATTENTION_INIT;
    attention->encoding = locant_encoding_layer_of(
        first_param, m->config.encoding, layer, m->config.layers);
    attention->params = params == NULL ? NULL : params + *first_param;
    attention->mask = LOCANT_MASK_CAUSAL;
}

/* Queries are B rows of T tokens; keys are these and the 'past' tokens of
   memory before each row. */
static void make_call(struct call *c, const struct lct_model *m, int64_t layer,
                      int64_t B, int64_t T, int64_t past)
{
    const struct lct_layer *a = &m->layers[layer];
    const int64_t S = past + T, shape[3] = { B, S, m->config.width };

    c->q = by_head(m, a->q, m->config.heads, B, T);
    c->k = by_head(m, a->k, m->config.kv_heads, B, S);
    c->v = by_head(m, a->v, m->config.kv_heads, B, S);
    c->x = locant_dense(a->joined_norm, LCT_REAL_DTYPE, 3, shape);
    c->q_pos = c->k_pos = (locant_tensor){ .data = NULL };
    lct_heads_begin(&c->attention, &c->first_param, m, layer);
    c->attention.q = &c->q;
    c->attention.k = &c->k;
    c->attention.v = &c->v;
    c->attention.x = m->reads_x ? &c->x : NULL;
    if (m->chooses_positions)
        set_positions(c, m, B, T, past);
}

/* Replace the workspace of *bytes by one of 'need' if that is larger. */
static locant_status grow(void **workspace, size_t *bytes, size_t need)
{
    void *larger;

    if (need <= *bytes)
        return LOCANT_OK;
    larger = locant_alloc(need);
    if (larger == NULL)
        return locant_fail(
            LOCANT_ERR_NOMEM,
            "lct_model: no memory for %zu bytes of attention's workspace",
            need);
    locant_release(*workspace);
    *workspace = larger;
    *bytes = need;
    return LOCANT_OK;
}

locant_status lct_heads_grow(struct lct_model *m,
                             const locant_attention *attention,
                             const locant_attention_part *part)
{
    size_t need;

    LCT_TRY(part == NULL ? locant_attention_workspace(&need, attention)
                         : locant_attention_part_workspace(&need, NULL,
                                                           attention, part));
    return grow(&m->workspace, &m->workspace_bytes, need);
}

/*
 * The workspace depends on the number of threads, the layer's encoding and the
 * range of positions.  It is allocated with the model and grows if a pass needs
 * more.
 */
locant_status lct_heads_reserve(struct lct_model *m, int64_t B, int64_t T,
                                int64_t past)
{
    const locant_encoding *before = NULL;
    struct call c;

    if (m->sequences.leaves > 1)
        return lct_sequence_heads_reserve(m);
    for (int64_t l = 0; l < m->config.layers; l++) {
        const locant_encoding *e = locant_encoding_layer_of(
            NULL, m->config.encoding, l, m->config.layers);

        if (e != before) {
            make_call(&c, m, l, B, T, past);
            LCT_TRY(lct_heads_grow(m, &c.attention, NULL));
        }
        before = e;
    }
    return LOCANT_OK;
}

/*
 * o [B, T, heads, head_dim] = causal attention(q, k, v) with the layer's
 * encoding.
 *
 * Saved for backward: q, k, v, joined_norm, o, lse.
 */
locant_status lct_heads_forward(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    locant_tensor o = by_head(m, a->o, m->config.heads, m->B, m->T);
    locant_tensor lse = lse_view(m, a->lse);
    struct call c;

    if (m->sequences.leaves > 1)
        return lct_sequence_heads_forward(m, layer);
    make_call(&c, m, layer, m->B, m->T, m->past);
    return locant_attention_forward(&o, &lse, &c.attention, m->workspace,
                                    m->workspace_bytes);
}

/* Leave the first of 'parts' equal parts of the rows of each tensor that is
   there. */
static void cut(locant_tensor *const *tensors, int n, int64_t parts)
{
    for (int i = 0; i < n; i++)
        tensors[i]->shape[0] /= parts;
}

/* From a part of the rows to the next. */
static void advance(locant_tensor *const *tensors, int n)
{
    for (int i = 0; i < n; i++) {
        locant_tensor *t = tensors[i];
        const int64_t elements = t->shape[0] * t->stride[0];

        if (t->data != NULL)
            t->data = (char *)t->data +
                      (size_t)elements * locant_dtype_size(t->dtype);
    }
}

/*
 * forward: o = attention(q, k, v)
 * Writes d.q, d.k, d.v (and d.read) from d.branch, the gradient of o.  Adds to
 * the gradients of the encoding's parameters, which each leaf has of its own.
 */
locant_status lct_heads_backward(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const int64_t B = m->B, T = m->T, S = m->S;
    const int64_t shape[3] = { B, S, m->config.width };
    locant_tensor o = by_head(m, a->o, m->config.heads, B, T);
    locant_tensor d_o = by_head(m, m->d.branch, m->config.heads, B, T);
    locant_tensor lse = lse_view(m, a->lse);
    locant_tensor dq = by_head(m, m->d.q, m->config.heads, B, T);
    locant_tensor dk = by_head(m, m->d.k, m->config.kv_heads, B, S);
    locant_tensor dv = by_head(m, m->d.v, m->config.kv_heads, B, S);
    locant_tensor dx = locant_dense(m->d.read, LCT_REAL_DTYPE, 3, shape);
    locant_attention_gradients d = LOCANT_ATTENTION_GRADIENTS_INIT;
    struct call c;
    locant_tensor *const tensors[] = { &c.q,     &c.k, &c.v, &c.x, &c.q_pos,
                                       &c.k_pos, &o,   &d_o, &lse, &dq,
                                       &dk,      &dv,  &dx };
    const int n = sizeof(tensors) / sizeof(tensors[0]);
    const int64_t parts = m->encoding_count > 0 ? m->leaves : 1;

    if (m->sequences.leaves > 1)
        return lct_sequence_heads_backward(m, layer);
    make_call(&c, m, layer, B, T, m->past);
    d.dq = &dq;
    d.dk = &dk;
    d.dv = &dv;
    d.dx = m->reads_x ? &dx : NULL;
    cut(tensors, n, parts);
    for (int64_t l = 0; l < parts; l++) {
        locant_tensor *grads = lct_layer_grads(m, l, layer);

        d.dparams = grads == NULL ? NULL : grads + c.first_param;
        LCT_TRY(locant_attention_backward(&d, &d_o, &o, &lse, &c.attention,
                                          m->workspace, m->workspace_bytes));
        advance(tensors, n);
    }
    return LOCANT_OK;
}

/* ---------------------------------------------------- weights of some rows */

/*
 * Attention weights p are read with unit vectors as values.  If v[j] is the
 * unit vector of channel j - first for the D keys from 'first' on, and 0 for
 * the others, then o[i, c] = p[i, first + c].  Queries before 'first' attend to
 * none of these keys and are left out.
 */
struct reading {
    const struct lct_model *m;
    struct call call;
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
    size_t need;

    LCT_TRY(locant_attention_workspace(&need, &r->call.attention));
    LCT_TRY(grow(&r->workspace, &r->workspace_bytes, need));
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
    make_call(&r.call, m, layer, 1, m->T, m->past);
    status = read_rows(&r, m->layers[layer].q, weight);
    locant_release(r.workspace);
    locant_release(r.positions);
    return status;
}
