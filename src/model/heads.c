/* heads.c - attention of one layer, by locant_attention_forward() */
#include "heads.h"
#include "sequence_heads.h"

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

/* Pass positions [B, S], or coordinates [B, S, 1] if they are real numbers. */
static void set_positions(struct lct_heads_call *c, const struct lct_model *m,
                          int64_t B, int64_t T, int64_t past)
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

void lct_heads_make_call(struct lct_heads_call *c, const struct lct_model *m,
                         int64_t layer, int64_t B, int64_t T, int64_t past)
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

locant_status lct_heads_grow(void **workspace, size_t *bytes,
                             const locant_attention *attention)
{
    size_t need;

    LCT_TRY(locant_attention_workspace(&need, attention));
    return lct_heads_grow_to(workspace, bytes, need);
}

locant_status lct_heads_grow_to(void **workspace, size_t *bytes, size_t need)
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

/*
 * The workspace depends on the number of threads, the layer's encoding and the
 * range of positions.  It is allocated with the model and grows if a pass needs
 * more.
 */
locant_status lct_heads_reserve(struct lct_model *m, int64_t B, int64_t T,
                                int64_t past)
{
    const locant_encoding *before = NULL;
    struct lct_heads_call c;

    if (m->sequences.leaves > 1)
        return lct_sequence_heads_reserve(m);
    for (int64_t l = 0; l < m->config.layers; l++) {
        const locant_encoding *e = locant_encoding_layer_of(
            NULL, m->config.encoding, l, m->config.layers);

        if (e != before) {
            lct_heads_make_call(&c, m, l, B, T, past);
            LCT_TRY(lct_heads_grow(&m->workspace, &m->workspace_bytes,
                                   &c.attention));
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
    struct lct_heads_call c;

    if (m->sequences.leaves > 1)
        return lct_sequence_heads_forward(m, layer);
    lct_heads_make_call(&c, m, layer, m->B, m->T, m->past);
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
    struct lct_heads_call c;
    locant_tensor *const tensors[] = { &c.q,     &c.k, &c.v, &c.x, &c.q_pos,
                                       &c.k_pos, &o,   &d_o, &lse, &dq,
                                       &dk,      &dv,  &dx };
    const int n = sizeof(tensors) / sizeof(tensors[0]);
    const int64_t parts = m->encoding_count > 0 ? m->leaves : 1;

    if (m->sequences.leaves > 1)
        return lct_sequence_heads_backward(m, layer);
    lct_heads_make_call(&c, m, layer, B, T, m->past);
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
