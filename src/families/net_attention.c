/*
 * net_attention.c - attention of one layer, over the keys of a cache
 *
 * The encoding of the layer, its window, temperature and factors included, is
 * that of the position plan, and locant_attention_forward() applies it.  Its
 * sums do not depend on how many queries a call has, so a text has the same
 * bits whole, in chunks, and token by token.
 */
#include "net_attention.h"
#include "net_latent.h"
#include "net_math.h"
#include "net_norm.h"
#include "net_share.h"
#include "locant/rotate.h"
#include <stdio.h>
#include <string.h>

/* What stands in scratch, each [B T, ..]. */
struct work {
    void *q, *k, *v, *out, *lse;
};

static locant_status take(struct work *w, struct lct_net_room *room,
                          const struct lct_layer_plan *p, int64_t rows)
{
    w->q = lct_net_take(room, rows, p->heads * p->qk_dim);
    w->k = lct_net_take(room, rows, p->kv_heads * p->qk_dim);
    w->v = lct_net_take(room, rows, p->kv_heads * p->v_dim);
    w->out = lct_net_take(room, rows, p->heads * p->v_dim);
    w->lse = lct_net_take(room, rows, p->heads);
    LCT_NET_GOT(w->lse);
    return LOCANT_OK;
}

locant_tensor lct_net_attention_heads(void *x, locant_dtype dtype, int64_t B,
                                      int64_t T, int64_t heads, int64_t width)
{
    return (locant_tensor){ .data = x,
                            .dtype = dtype,
                            .rank = 4,
                            .shape = { B, heads, T, width },
                            .stride = { T * heads * width, width, heads * width,
                                        1 } };
}

locant_tensor lct_net_attention_slots(void *x, locant_dtype dtype,
                                      const struct lct_net_cache *c,
                                      int64_t from, int64_t n, int axes)
{
    locant_tensor t = { .data =
                            (char *)x + (size_t)(from * (axes > 0 ? axes : 1)) *
                                            locant_dtype_size(dtype),
                        .dtype = dtype,
                        .rank = axes > 0 ? 3 : 2,
                        .shape = { c->B, n, axes },
                        .stride = { c->capacity, 1 } };

    if (axes > 0) {
        t.stride[0] = c->capacity * axes;
        t.stride[1] = axes;
        t.stride[2] = 1;
    }
    return t;
}

static void norm_heads(void *x, const struct lct_net_math *m,
                       const struct lct_net_norm *norm, int64_t numbers)
{
    if (norm->kind != LCT_NET_NO_NORM)
        lct_net_norm_rows(x, x, numbers / norm->width, m, norm);
}

/* q, k, v of the new tokens */
static locant_status project(const struct work *w, const void *x,
                             const struct lct_net_step *s,
                             const struct lct_net_attention *a)
{
    const struct lct_net *n = s->n;
    const struct lct_layer_plan *p = a->plan;
    const int64_t rows = s->cache->B * s->T;
    const int64_t q = p->heads * p->qk_dim, k = p->kv_heads * p->qk_dim;
    const int64_t v = p->kv_heads * p->v_dim;
    const double clip = n->s.clip;

    if (a->latent != NULL)
        return lct_net_latent_forward(w->q, w->k, w->v, x, rows, a, s->room);
    lct_net_linear_forward(w->q, x, rows, &a->q, s->room);
    if (clip != 0)
        n->math->clamp(w->q, -clip, clip, rows * q);
    if (p->keys_of >= 0)
        return LOCANT_OK;
    lct_net_linear_forward(w->k, x, rows, &a->k, s->room);
    if (a->values_of_keys)
        memcpy(w->v, w->k, (size_t)(rows * v) * n->math->item);
    else
        lct_net_linear_forward(w->v, x, rows, &a->v, s->room);
    if (clip != 0) {
        n->math->clamp(w->k, -clip, clip, rows * k);
        n->math->clamp(w->v, -clip, clip, rows * v);
    }
    return LOCANT_OK;
}

static const locant_encoding *encoding_of(const struct lct_net_step *s,
                                          const struct lct_net_attention *a)
{
    return s->encoding != NULL ? s->encoding : a->encoding;
}

/* Rotate the heads of the new tokens at their positions, in place. */
static locant_status rotate(void *x, const struct lct_net_step *s,
                            const struct lct_net_attention *a, int64_t heads,
                            int flags)
{
    struct lct_net_cache *c = s->cache;
    const int64_t from = s->from;
    locant_rotation r = LOCANT_ROTATION_INIT;
    locant_tensor t = lct_net_attention_heads(x, s->n->dtype, c->B, s->T, heads,
                                              a->plan->qk_dim);
    locant_tensor at = c->coordinates
                           ? lct_net_attention_slots(c->coords, LOCANT_F64, c,
                                                     from, s->T, c->axes)
                           : lct_net_attention_slots(c->positions, LOCANT_I64,
                                                     c, from, s->T, 0);

    r.encoding = encoding_of(s, a);
    r.positions = &at;
    r.params = a->params;
    r.flags = flags;
    return locant_encoding_rotate_ragged(&t, &t, &r);
}

/* Move [B T, heads width] to slots from .. from + T - 1. */
static void store(void *to, const void *x, const struct lct_net_step *s,
                  int64_t from, int64_t T, int64_t heads, int64_t width)
{
    const struct lct_net_math *m = s->n->math;
    const struct lct_net_cache *c = s->cache;

    for (int64_t b = 0; b < c->B; b++)
        for (int64_t t = 0; t < T; t++)
            for (int64_t h = 0; h < heads; h++)
                memcpy(lct_net_math_at(
                           m, to,
                           ((b * heads + h) * c->capacity + from + t) * width),
                       lct_net_math_at(m, x, ((b * T + t) * heads + h) * width),
                       (size_t)width * m->item);
}

/* Keys and values of the new tokens go to the slots of layer i. */
static locant_status keep(const struct work *w, const struct lct_net_step *s,
                          const struct lct_layer_plan *p, int64_t i)
{
    const struct lct_net_math *m = s->n->math;
    const struct lct_net_cache *c = s->cache;
    const int64_t k = p->kv_heads * p->qk_dim, v = p->kv_heads * p->v_dim;
    struct lct_net_share *share = s->share;
    int64_t from, T;
    void *own;

    if (share == NULL) {
        store(c->layers[i].k, w->k, s, s->from, s->T, p->kv_heads, p->qk_dim);
        store(c->layers[i].v, w->v, s, s->from, s->T, p->kv_heads, p->v_dim);
        return LOCANT_OK;
    }
    own = lct_net_share_place(share, c->B, (size_t)(k + v) * m->item);
    memcpy(own, w->k, (size_t)(c->B * s->T * k) * m->item);
    memcpy(lct_net_math_at(m, own, c->B * s->T * k), w->v,
           (size_t)(c->B * s->T * v) * m->item);
    LCT_TRY(lct_net_share_gather(share));
    from = c->length - share->begin[share->group->size];
    for (int r = 0; r < share->group->size; r++, from += T) {
        const void *part = lct_net_share_part(share, r);

        T = lct_net_share_tokens(share, r);
        store(c->layers[i].k, part, s, from, T, p->kv_heads, p->qk_dim);
        store(c->layers[i].v, lct_net_math_at(m, part, c->B * T * k), s, from,
              T, p->kv_heads, p->v_dim);
    }
    return LOCANT_OK;
}

static locant_tensor cached(void *x, const struct lct_net_step *s,
                            int64_t heads, int64_t width)
{
    const struct lct_net_cache *c = s->cache;

    return (locant_tensor){ .data = x,
                            .dtype = s->n->dtype,
                            .rank = 4,
                            .shape = { c->B, heads, c->length, width },
                            .stride = { heads * c->capacity * width,
                                        c->capacity * width, width, 1 } };
}

/* Llama 4: a token sees the tokens of its chunk, counted from the first that is
   no padding; Qwen2.5-VL: a patch sees those of its window. */
static int64_t *docs_of(const struct lct_net_step *s,
                        const struct lct_layer_plan *p)
{
    const struct lct_net_cache *c = s->cache;
    const int64_t chunk = p->chunk;

    if (p->grid_window > 0 && s->windows != NULL)
        return s->windows;
    if (chunk == 0)
        return c->docs;
    for (int64_t b = 0; b < c->B; b++)
        for (int64_t i = 0; i < c->length; i++) {
            const int64_t at = b * c->capacity + i;

            s->docs[at] = c->docs[at] < 0 ? -1 : (i - c->start[b]) / chunk;
        }
    return s->docs;
}

/* The keys and queries that a rotation has to turn by itself. */
static bool rotates(const locant_encoding *e)
{
    return e != NULL && (locant_encoding_doors(e) & LOCANT_DOOR_ROTATE);
}

static bool keeps_rotated(const locant_encoding *e)
{
    return rotates(e) && !(locant_encoding_traits(e) & LOCANT_TRAIT_LENGTH);
}

/* Is the norm of q and k after their rotation?  Then both are rotated here. */
static bool normed_late(const struct lct_net_attention *a)
{
    return a->plan->norm.after_rotation && a->plan->norm.kind != LCT_QK_NONE;
}

locant_status lct_net_attention_call(locant_tensor *out, locant_tensor *lse,
                                     const locant_attention *call,
                                     struct lct_net_room *room)
{
    const size_t mark = room->used;
    size_t bytes;
    void *work;

    LCT_TRY(locant_attention_workspace(&bytes, call));
    work = lct_net_take_items(room, (int64_t)bytes, 1, 1);
    LCT_NET_GOT(work);
    LCT_TRY(locant_attention_forward(out, lse, call, work, bytes));
    lct_net_give_back(room, mark);
    return LOCANT_OK;
}

/* Parameters of an encoding have the width of the model, which 'x' of a call
   tells if it is not that of all heads: here, whatever numbers it has. */
static locant_tensor width_of_model(void *numbers, const struct lct_net_step *s,
                                    const struct lct_net_attention *a)
{
    return (
        locant_tensor){ .data = numbers,
                        .dtype = s->n->dtype,
                        .rank = 3,
                        .shape = { s->cache->B, s->cache->length, a->o.w.out },
                        .stride = { 0, 0, 1 } };
}

/* Where queries and keys sit, and which see each other: of both. */
struct places {
    locant_tensor pos[2], at[2], docs[2];
};

/* An array of the cache for the queries of a step and for all keys. */
static void put_pair(const locant_tensor **q, const locant_tensor **k,
                     locant_tensor pair[2], const struct lct_net_step *s,
                     void *x, locant_dtype dtype, int axes)
{
    const struct lct_net_cache *c = s->cache;

    pair[0] = lct_net_attention_slots(x, dtype, c, s->from, s->T, axes);
    pair[1] = lct_net_attention_slots(x, dtype, c, 0, c->length, axes);
    *q = &pair[0];
    *k = &pair[1];
}

static void put_places(locant_attention *call, struct places *p,
                       const struct lct_net_step *s, int64_t *docs)
{
    const struct lct_net_cache *c = s->cache;

    if (c->coordinates && rotates(call->encoding))
        put_pair(&call->q_coords, &call->k_coords, p->at, s, c->coords,
                 LOCANT_F64, c->axes);
    if (c->padded && !c->coordinates) {
        put_pair(&call->q_pos, &call->k_pos, p->pos, s, c->positions,
                 LOCANT_I64, 0);
    } else if (s->from + s->T != c->length) { /* by slot, not the last ones */
        p->pos[0] =
            locant_dense(s->share->slots + s->from, LOCANT_I64, 1, &s->T);
        call->q_pos = &p->pos[0];
    }
    if (c->padded || docs != c->docs)
        put_pair(&call->q_docs, &call->k_docs, p->docs, s, docs, LOCANT_I64, 0);
}

static locant_status attend(const struct work *w, const struct lct_net_step *s,
                            const struct lct_net_attention *a, int64_t layer,
                            const struct lct_net_slots *slots)
{
    const struct lct_layer_plan *p = a->plan;
    const struct lct_net_cache *c = s->cache;
    locant_dtype dtype = s->n->dtype;
    locant_tensor q =
        lct_net_attention_heads(w->q, dtype, c->B, s->T, p->heads, p->qk_dim);
    locant_tensor out =
        lct_net_attention_heads(w->out, dtype, c->B, s->T, p->heads, p->v_dim);
    locant_tensor k = cached(slots->k, s, p->kv_heads, p->qk_dim);
    locant_tensor v = cached(slots->v, s, p->kv_heads, p->v_dim);
    locant_tensor lse =
        locant_dense(w->lse, dtype, 3, (int64_t[3]){ c->B, p->heads, s->T });
    locant_tensor sinks = locant_dense(a->sinks, dtype, 1, &p->heads);
    locant_tensor input = width_of_model(w->q, s, a);
    struct places places;
    locant_attention call = LOCANT_ATTENTION_INIT;

    call.q = &q;
    call.k = &k;
    call.v = &v;
    call.encoding = normed_late(a) ? NULL : encoding_of(s, a);
    call.params = a->params;
    call.mask = p->mask == LCT_CAUSAL ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE;
    call.scale = p->scale;
    call.softcap = p->softcap;
    call.window = a->window;
    call.sinks = a->sinks != NULL ? &sinks : NULL;
    if (a->n_params > 0 && a->o.w.out != p->heads * p->qk_dim)
        call.x = &input;
    if (call.encoding != NULL && keeps_rotated(call.encoding))
        call.flags = LOCANT_ATTENTION_KEYS_ROTATED;
    put_places(&call, &places, s, docs_of(s, p));
    LCT_TRY(lct_net_attention_call(&out, &lse, &call, s->room));
    return s->watch != NULL
               ? s->watch->seen(s->watch->context, layer, &call, &lse)
               : LOCANT_OK;
}

locant_status lct_net_attention_forward(void *y, const void *x,
                                        const struct lct_net_step *s,
                                        const struct lct_net_attention *a,
                                        int64_t layer)
{
    const struct lct_layer_plan *p = a->plan;
    const struct lct_net_math *m = s->n->math;
    const int64_t rows = s->cache->B * s->T;
    const int64_t of = p->keys_of >= 0 ? p->keys_of : layer;
    const int64_t q = rows * p->heads * p->qk_dim;
    const int64_t k = rows * p->kv_heads * p->qk_dim;
    const size_t mark = s->room->used;
    const bool late = normed_late(a);
    struct work w;

    LCT_TRY(take(&w, s->room, p, rows));
    LCT_TRY(project(&w, x, s, a));
    if (late && rotates(encoding_of(s, a)))
        LCT_TRY(rotate(w.q, s, a, p->heads, 0));
    norm_heads(w.q, m, &a->q_norm, q);
    if (p->keys_of < 0) {
        if (!late)
            norm_heads(w.k, m, &a->k_norm, k);
        norm_heads(w.v, m, &a->v_norm, rows * p->kv_heads * p->v_dim);
        if (keeps_rotated(encoding_of(s, a)))
            LCT_TRY(rotate(w.k, s, a, p->kv_heads, LOCANT_ROTATE_KEY));
        if (late)
            norm_heads(w.k, m, &a->k_norm, k);
        LCT_TRY(keep(&w, s, p, of));
    }
    LCT_TRY(attend(&w, s, a, layer, &s->cache->layers[of]));
    if (a->gate.w.weight != NULL) { /* in the place of the queries */
        lct_net_linear_forward(w.q, x, rows, &a->gate, s->room);
        m->activate(w.q, LCT_ACT_SIGMOID, q);
        m->multiply(w.out, w.q, q);
    }
    lct_net_linear_forward(y, w.out, rows, &a->o, s->room);
    lct_net_give_back(s->room, mark);
    return LOCANT_OK;
}
