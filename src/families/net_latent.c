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
#include <string.h>

/* The norms of latent vectors have this, whatever the configuration says. */
#define LATENT_EPS 1e-6

static locant_status bind_norm(struct lct_net_norm *norm,
                               struct lct_net_binder *b, enum lct_net_role role,
                               int64_t layer, int64_t width)
{
    LCT_TRY(lct_net_bind_norm(
        norm, b, (struct lct_net_place){ role, layer, -1 }, width));
    norm->eps = LATENT_EPS;
    return LOCANT_OK;
}

static locant_status bind_queries(struct lct_net_latent *l,
                                  struct lct_net_binder *b,
                                  const struct lct_layer_plan *p, int64_t layer)
{
    const struct lct_net_place a = { LCT_Q_A, layer, -1 };
    const int64_t all = p->heads * p->qk_dim, D = b->n->width;
    int64_t rank = -1;

    LCT_TRY(lct_net_family_keys_width(&rank, &b->n->config, "q_lora_rank"));
    if (rank < 0 && !lct_net_bind_has(b, a))
        return lct_net_bind_linear(&l->q_b, b,
                                   (struct lct_net_place){ LCT_Q, layer, -1 },
                                   all, D, 0, NULL);
    LCT_TRY(lct_net_bind_linear(&l->q_a, b, a, rank, D, LCT_BIAS_QKV, NULL));
    LCT_TRY(bind_norm(&l->q_norm, b, LCT_Q_A_NORM, layer, l->q_a.w.out));
    return lct_net_bind_linear(&l->q_b, b,
                               (struct lct_net_place){ LCT_Q_B, layer, -1 },
                               all, l->q_a.w.out, 0, NULL);
}

/*
 * kv_b in two tensors, as GGUF files have it: for each head the keys' part
 * [rank, nope], and the values' part [v_dim, rank].
 */
static locant_status bind_split(struct lct_net_latent *l,
                                struct lct_net_binder *b,
                                const struct lct_layer_plan *p, int64_t layer)
{
    const struct lct_net_place k = { LCT_K_B, layer, -1 };
    const struct lct_net_place v = { LCT_V_B, layer, -1 };
    const int64_t H = p->heads, each = l->rank * l->nope;
    const struct lct_weight *w;

    LCT_TRY(lct_net_bind_need(&w, b, k, ".weight"));
    LCT_TRY(
        lct_net_bind_shape(b->n, w, 3, (int64_t[3]){ H, l->rank, l->nope }));
    LCT_TRY(lct_net_bind_blocks(b->n, w, l->nope));
    l->k_b.w = (struct lct_net_matrix){ .weight = w,
                                        .out = H * l->nope,
                                        .in = l->rank,
                                        .row = l->nope,
                                        .group = l->nope,
                                        .step = each,
                                        .transposed = true };
    LCT_TRY(lct_net_bind_need(&w, b, v, ".weight"));
    LCT_TRY(
        lct_net_bind_shape(b->n, w, 3, (int64_t[3]){ H, p->v_dim, l->rank }));
    LCT_TRY(lct_net_bind_blocks(b->n, w, l->rank));
    l->v_b.w = (struct lct_net_matrix){ .weight = w,
                                        .out = H * p->v_dim,
                                        .in = l->rank,
                                        .row = l->rank,
                                        .group = H * p->v_dim,
                                        .step = H * p->v_dim };
    return LOCANT_OK;
}

locant_status lct_net_latent_bind(struct lct_net_latent **out,
                                  struct lct_net_binder *b,
                                  const struct lct_layer_plan *p, int64_t layer)
{
    struct lct_net_latent *l = lct_net_keep(b->n, sizeof(*l));
    const struct lct_net_place kv_a = { LCT_KV_A, layer, -1 };
    const struct lct_net_place kv_b = { LCT_KV_B, layer, -1 };

    *out = l;
    if (l == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    l->rope = 64;
    l->rank = 512;
    LCT_TRY(
        lct_net_family_keys_whole(&l->rope, &b->n->config, "qk_rope_head_dim"));
    LCT_TRY(lct_net_family_keys_whole(&l->rank, &b->n->config, "kv_lora_rank"));
    l->nope = p->qk_dim - l->rope;
    if (l->nope < 0 || l->rank < 1)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: qk_rope_head_dim or kv_lora_rank does not fit "
                           "the width of heads",
                           b->n->config.file);
    LCT_TRY(bind_queries(l, b, p, layer));
    LCT_TRY(lct_net_bind_linear(&l->kv_a, b, kv_a, l->rank + l->rope,
                                b->n->width, LCT_BIAS_QKV, NULL));
    LCT_TRY(bind_norm(&l->kv_norm, b, LCT_KV_A_NORM, layer, l->rank));
    if (lct_net_bind_has(b, (struct lct_net_place){ LCT_K_B, layer, -1 }))
        return bind_split(l, b, p, layer);
    return lct_net_bind_linear(
        &l->kv_b, b, kv_b, p->heads * (l->nope + p->v_dim), l->rank, 0, NULL);
}

int64_t lct_net_latent_scratch(const struct lct_net_attention *a)
{
    const struct lct_net_latent *l = a->latent;

    return l->q_a.w.out + 2 * l->rank + l->rope + l->kv_b.w.out + l->k_b.w.out;
}

/* kv [rows, rank + rope] -> its first 'rank' numbers, dense */
static void take_latent(void *to, const void *kv, const struct lct_net_math *m,
                        const struct lct_net_latent *l, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++)
        memcpy(lct_net_math_at(m, to, r * l->rank),
               lct_net_math_at(m, kv, r * (l->rank + l->rope)),
               (size_t)l->rank * m->item);
}

/* k [rows, H, nope + rope] from its two parts; rows of 'part' hold H times
   'each' numbers, of 'kv' the rotated part behind the latent vector. */
static void take_keys(void *k, const void *part, int64_t each, const void *kv,
                      const struct lct_net_math *m,
                      const struct lct_net_attention *a, int64_t rows)
{
    const struct lct_net_latent *l = a->latent;
    const int64_t H = a->plan->heads, qk = a->plan->qk_dim;

    for (int64_t i = 0; i < rows * H; i++) {
        const int64_t token = i / H * (l->rank + l->rope);
        void *to = lct_net_math_at(m, k, i * qk);

        memcpy(to, lct_net_math_at(m, part, i * each),
               (size_t)l->nope * m->item);
        memcpy(lct_net_math_at(m, to, l->nope),
               lct_net_math_at(m, kv, token + l->rank),
               (size_t)l->rope * m->item);
    }
}

/* v [rows, H, v_dim] from rows of nope and v_dim numbers */
static void take_values(void *v, const void *both, const struct lct_net_math *m,
                        const struct lct_net_attention *a, int64_t rows)
{
    const int64_t nope = a->latent->nope, width = a->plan->v_dim;

    for (int64_t i = 0; i < rows * a->plan->heads; i++)
        memcpy(lct_net_math_at(m, v, i * width),
               lct_net_math_at(m, both, i * (nope + width) + nope),
               (size_t)width * m->item);
}

void lct_net_latent_forward(const struct lct_net_latent_work *work,
                            const void *x, int64_t rows,
                            const struct lct_net *n,
                            const struct lct_net_attention *a,
                            const struct lct_net_room *room)
{
    const struct lct_net_math *m = n->math;
    const struct lct_net_latent *l = a->latent;
    const int64_t H = a->plan->heads, qk = a->plan->qk_dim;
    const int64_t each = l->nope + a->plan->v_dim;
    void *low = work->scratch;
    void *kv = lct_net_math_at(m, low, rows * l->q_a.w.out);
    void *latent = lct_net_math_at(m, kv, rows * (l->rank + l->rope));
    void *both = lct_net_math_at(m, latent, rows * l->rank);

    if (l->q_a.w.weight != NULL) {
        lct_net_linear_forward(low, l->q_a.w.out, x, rows, n, &l->q_a, room);
        lct_net_norm_rows(low, low, rows, m, &l->q_norm);
    }
    lct_net_linear_forward(work->q, H * qk, l->q_a.w.weight != NULL ? low : x,
                           rows, n, &l->q_b, room);
    lct_net_linear_forward(kv, l->rank + l->rope, x, rows, n, &l->kv_a, room);
    take_latent(latent, kv, m, l, rows);
    lct_net_norm_rows(latent, latent, rows, m, &l->kv_norm);
    if (l->k_b.w.weight != NULL) {
        lct_net_linear_forward(both, H * l->nope, latent, rows, n, &l->k_b,
                               room);
        lct_net_linear_forward(work->v, H * a->plan->v_dim, latent, rows, n,
                               &l->v_b, room);
        take_keys(work->k, both, l->nope, kv, m, a, rows);
        return;
    }
    lct_net_linear_forward(both, H * each, latent, rows, n, &l->kv_b, room);
    take_keys(work->k, both, each, kv, m, a, rows);
    take_values(work->v, both, m, a, rows);
}
