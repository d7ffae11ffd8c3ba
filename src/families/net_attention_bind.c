/* net_attention_bind.c - the tensors, the encoding and the window of the
   attention of one layer */
#include "net_attention_bind.h"
#include "net_family_keys.h"
#include "net_latent.h"
#include "net_learned.h"
#include "net_math.h"
#include <stdio.h>
#include <string.h>

/* The queries of each head, then the gate of its output. */
static locant_status bind_gated(struct lct_net_attention *a,
                                struct lct_net_binder *b, int64_t layer)
{
    const struct lct_net_place at = { LCT_Q, layer, -1 };
    const int64_t H = a->plan->heads, d = a->plan->qk_dim, D = b->n->width;
    struct lct_net_rows rows = { .group = d, .step = 2 * d, .all = 2 * H * d };

    LCT_TRY(lct_net_bind_linear(&a->q, b, at, H * d, D, LCT_BIAS_Q, &rows));
    rows.first = d;
    return lct_net_bind_linear(&a->gate, b, at, H * d, D, LCT_BIAS_Q, &rows);
}

/* Gemma 4 may have no map of values in global layers; GGUF does not say it. */
static locant_status read_keys_as_values(bool *out,
                                         const struct lct_net_binder *b,
                                         struct lct_net_place v)
{
    const struct lct_config *c = &b->n->config;

    *out = b->s.value_norm && c->dialect == LCT_DIALECT_GGUF;
    if (b->s.value_norm)
        LCT_TRY(lct_net_family_keys_bool(out, c, "attention_k_eq_v"));
    *out = *out && !lct_net_bind_has(b, v);
    return LOCANT_OK;
}

static locant_status bind_apart(struct lct_net_attention *a,
                                struct lct_net_binder *b, int64_t layer)
{
    const struct lct_layer_plan *p = a->plan;
    const int64_t D = b->n->width;
    const struct lct_net_place v = { LCT_V, layer, -1 };

    if (b->s.gated)
        LCT_TRY(bind_gated(a, b, layer));
    else
        LCT_TRY(lct_net_bind_linear(&a->q, b,
                                    (struct lct_net_place){ LCT_Q, layer, -1 },
                                    p->heads * p->qk_dim, D, LCT_BIAS_Q, NULL));
    if (p->keys_of >= 0)
        return LOCANT_OK;
    LCT_TRY(lct_net_bind_linear(&a->k, b,
                                (struct lct_net_place){ LCT_K, layer, -1 },
                                p->kv_heads * p->qk_dim, D, LCT_BIAS_K, NULL));
    LCT_TRY(read_keys_as_values(&a->values_of_keys, b, v));
    return a->values_of_keys
               ? LOCANT_OK
               : lct_net_bind_linear(&a->v, b, v, p->kv_heads * p->v_dim, D,
                                     LCT_BIAS_V, NULL);
}

/* The three as rows of one matrix. */
static locant_status bind_fused(struct lct_net_attention *a,
                                struct lct_net_binder *b, int64_t layer)
{
    const struct lct_layer_plan *p = a->plan;
    const struct lct_net_place at = { LCT_QKV, layer, -1 };
    const int64_t D = b->n->width, d = p->qk_dim, K = p->kv_heads;
    const int64_t group = p->heads / K * d;
    struct lct_net_rows q = { .group = p->heads * d, .step = p->heads * d };
    struct lct_net_rows k = { .first = p->heads * d, .group = K * d };
    struct lct_net_rows v = { .first = (p->heads + K) * d, .group = K * d };

    if (b->s.qkv == LCT_QKV_GROUPED) {
        q = (struct lct_net_rows){ .group = group };
        k = (struct lct_net_rows){ .first = group, .group = d };
        v = (struct lct_net_rows){ .first = group + d, .group = d };
        q.step = group + 2 * d;
    }
    k.step = v.step = b->s.qkv == LCT_QKV_GROUPED ? q.step : K * d;
    q.all = k.all = v.all = (p->heads + 2 * K) * d;
    LCT_TRY(
        lct_net_bind_linear(&a->q, b, at, p->heads * d, D, LCT_BIAS_QKV, &q));
    LCT_TRY(lct_net_bind_linear(&a->k, b, at, K * d, D, LCT_BIAS_QKV, &k));
    return lct_net_bind_linear(&a->v, b, at, K * d, D, LCT_BIAS_QKV, &v);
}

/* The weights of each head in a tensor of its own (StableLM). */
static locant_status bind_norm_parts(struct lct_net_norm *norm,
                                     struct lct_net_binder *b,
                                     struct lct_net_place at, int64_t heads)
{
    const struct lct_weight *w;

    norm->w =
        lct_net_keep(b->n, (size_t)(heads * norm->width) * b->n->math->item);
    if (norm->w == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    for (at.part = 0; at.part < heads; at.part++) {
        LCT_TRY(lct_net_bind_need(&w, b, at, ".weight"));
        LCT_TRY(lct_net_bind_shape(b->n, w, 1, &norm->width));
        b->n->math->read(
            lct_net_math_at(b->n->math, norm->w, at.part * norm->width), w, 0,
            norm->width);
    }
    return LOCANT_OK;
}

static locant_status bind_qk_norm(struct lct_net_norm *norm,
                                  struct lct_net_binder *b,
                                  struct lct_net_place at,
                                  const struct lct_qk_norm *plan, int64_t heads,
                                  int64_t width)
{
    const char *name = lct_net_names_role(&b->prefix, at.role);
    const struct lct_weight *w;

    if (plan->kind == LCT_QK_NONE)
        return LOCANT_OK;
    *norm = (struct lct_net_norm){
        .kind =
            plan->kind == LCT_QK_LAYER ? LCT_NET_LAYER_NORM : LCT_NET_RMS_NORM,
        .width = plan->over == LCT_OVER_ALL ? heads * width : width,
        .weights = plan->over == LCT_OVER_EACH ? heads : 1,
        .eps = plan->eps
    };
    if (plan->kind == LCT_QK_L2)
        return LOCANT_OK;
    if (name != NULL && strchr(name, '%') != NULL)
        return bind_norm_parts(norm, b, at, heads);
    LCT_TRY(lct_net_bind_need(&w, b, at, ".weight"));
    LCT_TRY(lct_net_bind_vector(&norm->w, b->n, w, norm->width * norm->weights,
                                b->s.plus_one ? 1 : 0));
    w = lct_net_bind_find(b, at, ".bias");
    if (w == NULL && norm->kind == LCT_NET_LAYER_NORM &&
        plan->over == LCT_OVER_HEAD && !b->s.bare_norms)
        LCT_TRY(lct_net_bind_need(&w, b, at, ".bias"));
    if (w != NULL)
        LCT_TRY(lct_net_bind_vector(&norm->b, b->n, w,
                                    norm->width * norm->weights, 0));
    return LOCANT_OK;
}

static locant_status bind_sinks(struct lct_net_attention *a,
                                struct lct_net_binder *b, int64_t layer)
{
    const struct lct_net_place at = { LCT_SINK_LOGITS, layer, -1 };
    const struct lct_weight *w = lct_net_bind_find(b, at, ".weight");

    if (!a->plan->sinks)
        return LOCANT_OK;
    if (w == NULL)
        LCT_TRY(lct_net_bind_need(&w, b, at, ""));
    return lct_net_bind_vector(&a->sinks, b->n, w, a->plan->heads, 0);
}

/*
 * The longest position is that of all rows of a call, as in transformers: the
 * key 'length' of a scaling, which plans leave out.
 */
static locant_status choose_by_call(struct lct_net_attention *a)
{
    static const char *const scalings[] = { "scaling=dynamic(",
                                            "scaling=longrope(" };
    const char *spec = a->plan->spec, *found = NULL;
    locant_status status;
    size_t room, to = 0;
    char *text;

    for (size_t i = 0; spec != NULL && found == NULL && i < 2; i++) {
        found = strstr(spec, scalings[i]);
        to = found != NULL ? (size_t)(found - spec) + strlen(scalings[i]) : 0;
    }
    if (found == NULL || strstr(found, "length=") != NULL)
        return LOCANT_OK;
    room = strlen(spec) + sizeof("length=call,");
    text = locant_alloc(room);
    if (text == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    snprintf(text, room, "%.*slength=call,%s", (int)to, spec, spec + to);
    status = locant_encoding_create(&a->own, text);
    locant_release(text);
    if (status == LOCANT_OK)
        a->encoding = a->own;
    return status;
}

/*
 * ALiBi counted from the key alone is, but for a constant that the softmax of a
 * row does not see, ALiBi by distance: whose numbers are smaller, and do not
 * depend on the length of the call as those of MPT do.
 */
static locant_status choose_encoding(struct lct_net_attention *a)
{
    static const char *const dialects[] = { "(dialect=mpt)", "(dialect=bloom)",
                                            "dialect=mpt,", "dialect=bloom," };
    const char *spec = a->plan->spec, *found = NULL;
    char by_distance[128];
    size_t length = 0;

    a->encoding = a->plan->encoding;
    for (size_t i = 0; spec != NULL && found == NULL && i < 4; i++) {
        found = strstr(spec, dialects[i]);
        length = strlen(dialects[i]);
    }
    if (found == NULL || strlen(spec) >= sizeof(by_distance))
        return choose_by_call(a);
    snprintf(by_distance, sizeof(by_distance), "%.*s%s", (int)(found - spec),
             spec, found + length);
    LCT_TRY(locant_encoding_create(&a->own, by_distance));
    a->encoding = a->own;
    return LOCANT_OK;
}

/* One matrix of q, k and v, unless the file has three. */
static bool is_fused(const struct lct_net_binder *b, int64_t layer)
{
    const struct lct_net_place fused = { LCT_QKV, layer, -1 };
    const struct lct_net_place apart = { LCT_Q, layer, -1 };

    if (lct_net_names_role(&b->prefix, LCT_QKV) == NULL)
        return false;
    return lct_net_bind_has(b, fused) || !lct_net_bind_has(b, apart);
}

locant_status lct_net_attention_bind(struct lct_net_attention *a,
                                     struct lct_net_binder *b,
                                     const struct lct_layer_plan *p,
                                     int64_t layer)
{
    const struct lct_net_place q = { LCT_Q_NORM, layer, -1 };
    const struct lct_net_place k = { LCT_K_NORM, layer, -1 };
    const struct lct_net_place o = { LCT_O, layer, -1 };

    a->plan = p;
    LCT_TRY(choose_encoding(a));
    LCT_TRY(lct_net_learned_bind(a, b, layer));
    a->clip = b->s.clip;
    a->window = b->s.same_length ? b->s.memory : 0;
    if (b->s.latent)
        LCT_TRY(lct_net_latent_bind(&a->latent, b, p, layer));
    else if (is_fused(b, layer))
        LCT_TRY(bind_fused(a, b, layer));
    else
        LCT_TRY(bind_apart(a, b, layer));
    LCT_TRY(bind_qk_norm(&a->q_norm, b, q, &p->norm, p->heads, p->qk_dim));
    if (p->keys_of < 0)
        LCT_TRY(
            bind_qk_norm(&a->k_norm, b, k, &p->norm, p->kv_heads, p->qk_dim));
    if (b->s.value_norm)
        a->v_norm = (struct lct_net_norm){ .kind = LCT_NET_RMS_NORM,
                                           .width = p->v_dim,
                                           .weights = 1,
                                           .eps = b->s.eps };
    LCT_TRY(bind_sinks(a, b, layer));
    return lct_net_bind_linear(&a->o, b, o, b->n->width, p->heads * p->v_dim,
                               LCT_BIAS_O, NULL);
}
