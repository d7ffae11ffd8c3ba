/*
 * net_cross.c - attention of a decoder over the states of an encoder
 *
 * It knows no positions and no order: every query sees every key that is no
 * padding (Vaswani et al. 2017, arXiv:1706.03762v7, section 3.2.3).
 */
#include "net_cross.h"
#include "net_math.h"

/* --------------------------------------------------------------- binding */

locant_status lct_net_cross_bind(struct lct_net_layer *l,
                                 struct lct_net_binder *b,
                                 const struct lct_layer_plan *p)
{
    const int64_t D = b->n->width, q = p->heads * p->qk_dim;
    const int64_t v = p->heads * p->v_dim;
    struct lct_net_attention *a;

    if (!lct_net_bind_knows(b, LCT_CROSS_Q))
        return LOCANT_OK;
    l->cross = a = lct_net_keep(b->n, sizeof(*a));
    LCT_NET_GOT(a);
    a->plan = p;
    LCT_TRY(lct_net_bind_norm(&l->before_cross, b, LCT_NORM_CROSS, D));
    LCT_TRY(lct_net_bind_norm(&l->after_cross, b, LCT_AFTER_CROSS, D));
    LCT_TRY(lct_net_bind_linear(&a->q, b, LCT_CROSS_Q, q, D));
    LCT_TRY(lct_net_bind_linear(&a->k, b, LCT_CROSS_K, q, D));
    LCT_TRY(lct_net_bind_linear(&a->v, b, LCT_CROSS_V, v, D));
    return lct_net_bind_linear(&a->o, b, LCT_CROSS_O, D, v);
}

/* ---------------------------------------------------------------- forward */

locant_status lct_net_cross_forward(void *y, const void *x,
                                    const struct lct_net_step *s,
                                    const struct lct_net_attention *a,
                                    int64_t layer)
{
    const struct lct_net *n = s->n;
    const struct lct_net_memory *m = s->memory;
    const struct lct_net_cache *c = s->cache;
    const struct lct_layer_plan *p = a->plan;
    const int64_t rows = m->B * s->T;
    const int64_t lse_shape[3] = { m->B, p->heads, s->T };
    const size_t mark = s->room->used;
    void *q_rows = lct_net_take(s->room, rows, p->heads * p->qk_dim);
    void *o_rows = lct_net_take(s->room, rows, p->heads * p->v_dim);
    void *sums = lct_net_take(s->room, rows, p->heads);
    locant_tensor q = lct_net_attention_heads(q_rows, n->dtype, m->B, s->T,
                                              p->heads, p->qk_dim);
    locant_tensor k = lct_net_attention_heads(m->k[layer], n->dtype, m->B, m->T,
                                              p->heads, p->qk_dim);
    locant_tensor v = lct_net_attention_heads(m->v[layer], n->dtype, m->B, m->T,
                                              p->heads, p->v_dim);
    locant_tensor o = lct_net_attention_heads(o_rows, n->dtype, m->B, s->T,
                                              p->heads, p->v_dim);
    locant_tensor lse = locant_dense(sums, n->dtype, 3, lse_shape);
    locant_tensor q_docs =
        lct_net_attention_slots(c->docs, LOCANT_I64, c, s->from, s->T, 0);
    locant_tensor k_docs =
        locant_dense(m->docs, LOCANT_I64, 2, (int64_t[2]){ m->B, m->T });
    locant_attention call = LOCANT_ATTENTION_INIT;

    LCT_NET_GOT(sums);
    lct_net_linear_forward(q_rows, x, rows, &a->q, s->room);
    call.q = &q;
    call.k = &k;
    call.v = &v;
    call.scale = p->scale;
    if (m->padded) {
        call.q_docs = &q_docs;
        call.k_docs = &k_docs;
    }
    LCT_TRY(lct_net_attention_call(&o, &lse, &call, s->room));
    if (s->watch != NULL && s->watch->cross != NULL)
        LCT_TRY(
            s->watch->cross(s->watch->context, layer, &call, &lse, s->from));
    lct_net_linear_forward(y, o_rows, rows, &a->o, s->room);
    lct_net_give_back(s->room, mark);
    return LOCANT_OK;
}
