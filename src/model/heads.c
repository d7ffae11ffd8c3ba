/* heads.c - attention over the heads of one layer, through the public API */
#include "parts.h"
#include <inttypes.h>

/* [B, T, heads, head_dim] in memory, seen as [B, heads, T, head_dim] */
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
    locant_tensor q, k, v;
    locant_attention attention;
};

static void pose(struct problem *p, const struct lct_model *m,
                 const struct lct_layer *a, int64_t B, int64_t T)
{
    const bool has_params = m->tensor_count > m->encoding_first;

    p->q = by_head(m, a->q, m->config.heads, B, T);
    p->k = by_head(m, a->k, m->config.kv_heads, B, T);
    p->v = by_head(m, a->v, m->config.kv_heads, B, T);
    p->attention = (locant_attention)LOCANT_ATTENTION_INIT;
    p->attention.q = &p->q;
    p->attention.k = &p->k;
    p->attention.v = &p->v;
    p->attention.encoding = m->config.encoding;
    p->attention.params = has_params ? m->encoding_params : NULL;
    p->attention.mask = LOCANT_MASK_CAUSAL;
}

/*
 * Have workspace for B sequences of T tokens.  What attention needs depends on
 * the number of threads; the memory grows when they were raised since, and is
 * otherwise that of the model's making.
 */
locant_status lct_heads_reserve(struct lct_model *m, int64_t B, int64_t T)
{
    struct problem p;
    size_t bytes;
    void *larger;

    pose(&p, m, &m->layers[0], B, T);
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
 * o [B, T, heads, head_dim] = attention(q, k, v), causal, with the rotate,
 * score and content doors of the encoding.
 *
 * Saved for backward: q, k, v, o, lse.
 */
locant_status lct_heads_forward(struct lct_model *m, struct lct_layer *a)
{
    locant_tensor o = by_head(m, a->o, m->config.heads, m->B, m->T);
    locant_tensor lse = row_sums(m, a->lse);
    struct problem p;

    pose(&p, m, a, m->B, m->T);
    return locant_attention_forward(&o, &lse, &p.attention, m->workspace,
                                    m->workspace_bytes);
}

/*
 * forward: o = attention(q, k, v)
 * Writes d.q, d.k, d.v from d.branch = do; adds to the gradients of the
 * encoding's parameters, which all layers share.
 */
locant_status lct_heads_backward(struct lct_model *m, struct lct_layer *a)
{
    const int64_t B = m->B, T = m->T;
    const bool has_params = m->tensor_count > m->encoding_first;
    locant_tensor o = by_head(m, a->o, m->config.heads, B, T);
    locant_tensor d_o = by_head(m, m->d.branch, m->config.heads, B, T);
    locant_tensor lse = row_sums(m, a->lse);
    locant_tensor dq = by_head(m, m->d.q, m->config.heads, B, T);
    locant_tensor dk = by_head(m, m->d.k, m->config.kv_heads, B, T);
    locant_tensor dv = by_head(m, m->d.v, m->config.kv_heads, B, T);
    const locant_attention_gradients d = {
        .struct_size = sizeof(d),
        .dq = &dq,
        .dk = &dk,
        .dv = &dv,
        .dparams = has_params ? m->encoding_grads : NULL,
    };
    struct problem p;

    pose(&p, m, a, B, T);
    return locant_attention_backward(&d, &d_o, &o, &lse, &p.attention,
                                     m->workspace, m->workspace_bytes);
}
