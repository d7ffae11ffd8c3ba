/*
 * net_latent.c - multi-head latent attention: keys and values from one latent
 * vector of each token
 *
 * DeepSeek-AI 2024, arXiv:2405.04434v5, section 2.1.  The rotated part of a key
 * is one vector for all heads and stands behind the part without rotation.
 */
#include "net_latent.h"
#include "net_family_keys.h"
#include "net_math.h"
#include "net_norm.h"
#include <inttypes.h>
#include <string.h>

/* The norms of latent vectors have this, whatever the configuration says. */
#define LATENT_EPS 1e-6

static locant_status bind_queries(struct lct_net_latent *l,
                                  struct lct_net_binder *b,
                                  const struct lct_layer_plan *p)
{
    const int64_t all = p->heads * p->qk_dim, D = b->n->width;
    int64_t rank = -1;

    LCT_TRY(lct_net_family_keys_width(&rank, &b->n->config, "q_lora_rank"));
    if (rank < 0 && !lct_net_bind_has(b, LCT_Q_A))
        return lct_net_bind_linear(&l->q_b, b, LCT_Q, all, D);
    LCT_TRY(lct_net_bind_linear(&l->q_a, b, LCT_Q_A, rank, D));
    LCT_TRY(lct_net_bind_norm(&l->q_norm, b, LCT_Q_A_NORM, l->q_a.w.out));
    l->q_norm.eps = LATENT_EPS;
    return lct_net_bind_linear(&l->q_b, b, LCT_Q_B, all, l->q_a.w.out);
}

/* A tensor [heads, rows, row] as the matrix of the rows of all heads. */
static locant_status bind_heads(struct lct_net_matrix *m,
                                struct lct_net_binder *b,
                                enum lct_net_role role, const int64_t shape[3])
{
    const int64_t rows = shape[0] * shape[1];

    LCT_TRY(lct_net_bind_need(&m->weight, b, role, ".weight"));
    LCT_TRY(lct_net_bind_shape(b->n, m->weight, 3, shape));
    m->out = m->group = m->step = rows;
    m->in = m->row = shape[2];
    return lct_net_bind_blocks(b->n, m->weight, m->row);
}

/*
 * kv_b in two tensors, as GGUF files have it: for each head the keys' part
 * [rank, nope], and the values' part [v_dim, rank].
 */
static locant_status bind_split(struct lct_net_latent *l,
                                struct lct_net_binder *b,
                                const struct lct_layer_plan *p)
{
    struct lct_net_matrix *k = &l->k_b.w;

    LCT_TRY(
        bind_heads(k, b, LCT_K_B, (int64_t[3]){ p->heads, l->rank, l->nope }));
    k->out = p->heads * l->nope;
    k->in = l->rank;
    k->group = l->nope;
    k->step = l->rank * l->nope;
    k->transposed = true;
    return bind_heads(&l->v_b.w, b, LCT_V_B,
                      (int64_t[3]){ p->heads, p->v_dim, l->rank });
}

locant_status lct_net_latent_bind(struct lct_net_latent **out,
                                  struct lct_net_binder *b,
                                  const struct lct_layer_plan *p)
{
    struct lct_net_latent *l = lct_net_keep(b->n, sizeof(*l));

    *out = l;
    LCT_NET_GOT(l);
    l->rope = 64;
    l->rank = 512;
    LCT_TRY(
        lct_net_family_keys_whole(&l->rope, &b->n->config, "qk_rope_head_dim"));
    LCT_TRY(lct_net_family_keys_whole(&l->rank, &b->n->config, "kv_lora_rank"));
    l->nope = p->qk_dim - l->rope;
    if (l->nope < 0 || l->rank < 1)
        return locant_fail(
            LOCANT_ERR_FORMAT,
            "%s: qk_rope_head_dim is %" PRId64 " and kv_lora_rank %" PRId64
            ", expected at most %" PRId64 ", the width of heads, and 1 or more",
            b->n->config.file, l->rope, l->rank, p->qk_dim);
    LCT_TRY(bind_queries(l, b, p));
    LCT_TRY(lct_net_bind_linear(&l->kv_a, b, LCT_KV_A, l->rank + l->rope,
                                b->n->width));
    LCT_TRY(lct_net_bind_norm(&l->kv_norm, b, LCT_KV_A_NORM, l->rank));
    l->kv_norm.eps = LATENT_EPS;
    if (lct_net_bind_has(b, LCT_K_B))
        return bind_split(l, b, p);
    return lct_net_bind_linear(&l->kv_b, b, LCT_KV_B,
                               p->heads * (l->nope + p->v_dim), l->rank);
}

/* 'width' numbers of each of 'rows' rows, which are so many apart. */
static void copy(void *to, int64_t to_row, const void *from, int64_t from_row,
                 int64_t rows, int64_t width, const struct lct_net_math *m)
{
    for (int64_t r = 0; r < rows; r++)
        memcpy(lct_net_math_at(m, to, r * to_row),
               lct_net_math_at(m, from, r * from_row), (size_t)width * m->item);
}

/* Keys and values of all heads from the normed latent vectors; the part of keys
   that is not rotated stands first. */
static locant_status expand(void *k, void *v, const void *latent, int64_t rows,
                            const struct lct_net_attention *a,
                            struct lct_net_room *room)
{
    const struct lct_net_latent *l = a->latent;
    const struct lct_net_math *m = room->n->math;
    const int64_t H = a->plan->heads, v_dim = a->plan->v_dim;
    const bool split = l->k_b.w.weight != NULL;
    const int64_t each = split ? l->nope : l->nope + v_dim;
    void *both = lct_net_take(room, rows, H * each);

    LCT_NET_GOT(both);
    lct_net_linear_forward(both, latent, rows, split ? &l->k_b : &l->kv_b,
                           room);
    copy(k, a->plan->qk_dim, both, each, rows * H, l->nope, m);
    if (split)
        lct_net_linear_forward(v, latent, rows, &l->v_b, room);
    else
        copy(v, v_dim, lct_net_math_at(m, both, l->nope), each, rows * H, v_dim,
             m);
    return LOCANT_OK;
}

locant_status lct_net_latent_forward(void *q, void *k, void *v, const void *x,
                                     int64_t rows,
                                     const struct lct_net_attention *a,
                                     struct lct_net_room *room)
{
    const struct lct_net_math *m = room->n->math;
    const struct lct_net_latent *l = a->latent;
    const int64_t H = a->plan->heads, both = l->rank + l->rope;
    const size_t mark = room->used;
    void *low = lct_net_take(room, rows, l->q_a.w.out);
    void *kv = lct_net_take(room, rows, both);
    void *latent = lct_net_take(room, rows, l->rank);

    LCT_NET_GOT(latent);
    if (l->q_a.w.weight != NULL) {
        lct_net_linear_forward(low, x, rows, &l->q_a, room);
        lct_net_norm_rows(low, low, rows, m, &l->q_norm);
    }
    lct_net_linear_forward(q, l->q_a.w.weight != NULL ? low : x, rows, &l->q_b,
                           room);
    lct_net_linear_forward(kv, x, rows, &l->kv_a, room);
    copy(latent, l->rank, kv, both, rows, l->rank, m);
    lct_net_norm_rows(latent, latent, rows, m, &l->kv_norm);
    LCT_TRY(expand(k, v, latent, rows, a, room));
    for (int64_t h = 0; h < H; h++) /* the rotated part is that of all heads */
        copy(lct_net_math_at(m, k, h * (l->nope + l->rope) + l->nope),
             H * (l->nope + l->rope), lct_net_math_at(m, kv, l->rank), both,
             rows, l->rope, m);
    lct_net_give_back(room, mark);
    return LOCANT_OK;
}
