/* heads.c - attention over the heads of one layer, through the public API */
#include "parts.h"
#include <inttypes.h>

/* [B, T, heads, head_dim] as it lies, seen as [B, heads, T, head_dim] */
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

static locant_tensor row_sums(const struct lct_model *m, real *lse)
{
    const int64_t shape[3] = { m->B, m->config.heads, m->T };

    return locant_dense(lse, LCT_REAL_DTYPE, 3, shape);
}

struct problem {
    locant_tensor q, k, v, x, q_pos, k_pos;
    locant_attention attention;
    int first_param; /* of the layer's encoding, among all */
};

/* Positions [B, S], or real ones [B, S, 1], where the encoding chose them. */
static void place(struct problem *p, const struct lct_model *m, int64_t B,
                  int64_t T, int64_t past)
{
    const int64_t shape[3] = { B, past + T, 1 };
    const bool reals = m->real_places;
    unsigned doors = locant_encoding_doors(p->attention.encoding);

    if (reals && !(doors & LOCANT_DOOR_ROTATE))
        return;
    p->k_pos = locant_dense(m->positions, reals ? LOCANT_F64 : LOCANT_I64,
                            reals ? 3 : 2, shape);
    p->q_pos = p->k_pos;
    p->q_pos.shape[1] = T;
    p->q_pos.data = (int64_t *)m->positions + past; /* as wide as double */
    if (reals) {
        p->attention.q_coords = &p->q_pos;
        p->attention.k_coords = &p->k_pos;
    } else {
        p->attention.q_pos = &p->q_pos;
        p->attention.k_pos = &p->k_pos;
    }
}

/* Queries of B x T tokens, keys of 'past' remembered ones before them too. */
static void pose(struct problem *p, const struct lct_model *m, int64_t layer,
                 int64_t B, int64_t T, int64_t past)
{
    const struct lct_layer *a = &m->layers[layer];
    const int64_t S = past + T, shape[3] = { B, S, m->config.width };
    locant_tensor *params = lct_layer_views(m, m->encoding_params, layer);

    p->q = by_head(m, a->q, m->config.heads, B, T);
    p->k = by_head(m, a->k, m->config.kv_heads, B, S);
    p->v = by_head(m, a->v, m->config.kv_heads, B, S);
    p->x = locant_dense(a->whole_norm, LCT_REAL_DTYPE, 3, shape);
    p->attention = (locant_attention)LOCANT_ATTENTION_INIT;
    p->attention.q = &p->q;
    p->attention.k = &p->k;
    p->attention.v = &p->v;
    p->attention.x = m->reads_x ? &p->x : NULL;
    p->attention.encoding =
        locant_encoding_layer(&p->first_param, m->config.encoding, layer);
    p->attention.params = params == NULL ? NULL : params + p->first_param;
    p->attention.mask = LOCANT_MASK_CAUSAL;
    if (m->places)
        place(p, m, B, T, past);
}

static locant_status reserve(struct lct_model *m, int64_t layer, int64_t B,
                             int64_t T, int64_t past)
{
    struct problem p;
    size_t bytes;
    void *larger;

    pose(&p, m, layer, B, T, past);
    LCT_TRY(locant_attention_workspace(&bytes, &p.attention));
    if (bytes <= m->workspace_bytes)
        return LOCANT_OK;
    larger = locant_alloc(bytes);
    if (larger == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "lct_model: no memory for %zu "
                           "bytes of attention's workspace", bytes);
    locant_release(m->workspace);
    m->workspace = larger;
    m->workspace_bytes = bytes;
    return LOCANT_OK;
}

/*
 * Have workspace for B sequences of T tokens.  What attention needs depends on
 * the number of threads, the layer's encoding and how far apart positions lie;
 * the memory grows when they ask for more, and is otherwise that of the model's
 * making.
 */
locant_status lct_heads_reserve(struct lct_model *m, int64_t B, int64_t T,
                                int64_t past)
{
    const locant_encoding *before = NULL;

    for (int64_t l = 0; l < m->config.layers; l++) {
        const locant_encoding *e =
            locant_encoding_layer(NULL, m->config.encoding, l);

        if (e != before)
            LCT_TRY(reserve(m, l, B, T, past));
        before = e;
    }
    return LOCANT_OK;
}

/*
 * o [B, T, heads, head_dim] = attention(q, k, v), causal, with the rotate,
 * score and content doors of the layer's encoding.
 *
 * Saved for backward: q, k, v, whole_norm, o, lse.
 */
locant_status lct_heads_forward(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    locant_tensor o = by_head(m, a->o, m->config.heads, m->B, m->T);
    locant_tensor lse = row_sums(m, a->lse);
    struct problem p;

    pose(&p, m, layer, m->B, m->T, m->past);
    return locant_attention_forward(&o, &lse, &p.attention, m->workspace,
                                    m->workspace_bytes);
}

/*
 * forward: o = attention(q, k, v)
 * Writes d.q, d.k, d.v (and d.read) from d.branch = do; adds to the gradients
 * of the encoding's parameters.
 */
locant_status lct_heads_backward(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const int64_t B = m->B, T = m->T, S = m->S;
    const int64_t shape[3] = { B, S, m->config.width };
    locant_tensor o = by_head(m, a->o, m->config.heads, B, T);
    locant_tensor d_o = by_head(m, m->d.branch, m->config.heads, B, T);
    locant_tensor lse = row_sums(m, a->lse);
    locant_tensor dq = by_head(m, m->d.q, m->config.heads, B, T);
    locant_tensor dk = by_head(m, m->d.k, m->config.kv_heads, B, S);
    locant_tensor dv = by_head(m, m->d.v, m->config.kv_heads, B, S);
    locant_tensor dx = locant_dense(m->d.read, LCT_REAL_DTYPE, 3, shape);
    locant_tensor *grads = lct_layer_views(m, m->encoding_grads, layer);
    locant_attention_gradients d = LOCANT_ATTENTION_GRADIENTS_INIT;
    struct problem p;

    pose(&p, m, layer, B, T, m->past);
    d.dq = &dq;
    d.dk = &dk;
    d.dv = &dv;
    d.dx = m->reads_x ? &dx : NULL;
    d.dparams = grads == NULL ? NULL : grads + p.first_param;
    return locant_attention_backward(&d, &d_o, &o, &lse, &p.attention,
                                     m->workspace, m->workspace_bytes);
}
