/*
 * net_delta.c - linear attention by a gated delta rule: a state [keys, values]
 * of each head, instead of the keys and values of all tokens
 *
 * Kimi Delta Attention: Kimi Team 2025, arXiv:2510.26692, eq. (1) and section
 * 4: each channel of the keys decays by itself.  Gated DeltaNet: Yang et al.
 * 2024, arXiv:2412.06464, eq. (10): all of a head decay alike.
 *
 *   q, k, v = act(convolution(W x)), q and k of length 1, q over sqrt(keys)
 *   e       = exp(-rate softplus(W x + bias))       rate = e^A_log
 *   S       = diag(e) S
 *   S       = S + k (beta (v - S^T k))^T            beta = sigmoid(W x)
 *   y       = W_o (RMS(S^T q) * gate(W x))
 *
 * Tokens pass one by one however many a step has, so a text has the same bits
 * whole, in chunks, and token by token.
 */
#include "net_delta.h"
#include "net_math.h"
#include "net_norm.h"
#include <math.h>
#include <string.h>

/* Added to the squares of q and of k before the root, by all who run these. */
#define UNIT_EPS 1e-6

int64_t lct_net_delta_channels(const struct lct_net_delta *d)
{
    return 2 * d->key_heads * d->keys + d->heads * d->values;
}

/* Numbers of the decay of a token. */
static int64_t decays_of(const struct lct_net_delta *d)
{
    return d->heads * (d->by_channel ? d->keys : 1);
}

/* ---------------------------------------------------------------- binding */

/* Weights [channels, 1, kernel] of a part of the channels, from 'first' on, as
   [kernel, all channels]. */
static locant_status bind_taps(struct lct_net_delta *d,
                               struct lct_net_binder *b, enum lct_net_role role,
                               int64_t first, int64_t channels)
{
    const struct lct_net_math *m = b->n->math;
    const int64_t all = lct_net_delta_channels(d), size = d->kernel;
    const struct lct_weight *w;

    LCT_TRY(lct_net_bind_need(&w, b, role, ".weight"));
    LCT_TRY(lct_net_bind_shape(b->n, w, 3, (int64_t[3]){ channels, 1, size }));
    for (int64_t c = 0; c < channels; c++)
        for (int64_t p = 0; p < size; p++)
            m->read(lct_net_math_at(m, d->taps, p * all + first + c), w,
                    c * size + p, 1);
    return LOCANT_OK;
}

static locant_status bind_convolution(struct lct_net_delta *d,
                                      struct lct_net_binder *b)
{
    const int64_t keys = d->key_heads * d->keys, values = d->heads * d->values;
    const int64_t channels = lct_net_delta_channels(d);

    d->taps =
        lct_net_keep(b->n, (size_t)(channels * d->kernel) * b->n->math->item);
    LCT_NET_GOT(d->taps);
    if (lct_net_bind_knows(b, LCT_DELTA_CONV))
        return bind_taps(d, b, LCT_DELTA_CONV, 0, channels);
    LCT_TRY(bind_taps(d, b, LCT_CONV_Q, 0, keys));
    LCT_TRY(bind_taps(d, b, LCT_CONV_K, keys, keys));
    return bind_taps(d, b, LCT_CONV_V, 2 * keys, values);
}

/* A map, and which rows of the tensor it has; all 0: it has all. */
struct map {
    struct lct_net_linear *to;
    enum lct_net_role role;
    int64_t out, in;
    struct lct_net_rows rows;
};

/* Maps of their own, with decay and gate by way of few channels (Kimi); or two
   matrices, with rows by heads of keys (Qwen3-Next). */
static locant_status bind_maps(struct lct_net_delta *d,
                               struct lct_net_binder *b)
{
    const int64_t D = b->n->width, H = d->key_heads, each = d->heads / H;
    const int64_t k = d->keys, v = each * d->values, all = 2 * (k + v);
    const int64_t keys = H * k, values = H * v, two = 2 * each;
    const struct map apart[] = {
        { &d->q, LCT_Q, keys, D, { 0 } },
        { &d->k, LCT_K, keys, D, { 0 } },
        { &d->v, LCT_V, values, D, { 0 } },
        { &d->beta, LCT_DELTA_BETA, d->heads, D, { 0 } },
        { &d->decay_a, LCT_DECAY_A, k, D, { 0 } },
        { &d->decay, LCT_DECAY_B, decays_of(d), k, { 0 } },
        { &d->gate_a, LCT_DELTA_GATE_A, d->values, D, { 0 } },
        { &d->gate, LCT_DELTA_GATE_B, values, d->values, { 0 } },
        { &d->o, LCT_O, D, values, { 0 } },
    };
    const struct map fused[] = {
        { &d->q, LCT_DELTA_QKVZ, keys, D, { 0, k, all, H * all } },
        { &d->k, LCT_DELTA_QKVZ, keys, D, { k, k, all, H * all } },
        { &d->v, LCT_DELTA_QKVZ, values, D, { 2 * k, v, all, H * all } },
        { &d->gate, LCT_DELTA_QKVZ, values, D, { 2 * k + v, v, all, H * all } },
        { &d->beta, LCT_DELTA_BA, d->heads, D, { 0, each, two, H * two } },
        { &d->decay, LCT_DELTA_BA, d->heads, D, { each, each, two, H * two } },
        { &d->o, LCT_DELTA_O, D, values, { 0 } },
    };
    const bool two_matrices = lct_net_bind_knows(b, LCT_DELTA_QKVZ);
    const struct map *m = two_matrices ? fused : apart;
    const size_t n = two_matrices ? sizeof(fused) : sizeof(apart);

    for (size_t i = 0; i < n / sizeof(struct map); i++, m++)
        LCT_TRY(lct_net_bind_rows(m->to, b, m->role, m->out, m->in,
                                  m->rows.all > 0 ? &m->rows : NULL));
    return LOCANT_OK;
}

/* The vectors of the decay, and both norms. */
static locant_status bind_others(struct lct_net_delta *d,
                                 struct lct_net_binder *b)
{
    const struct lct_net_math *m = b->n->math;

    LCT_TRY(lct_net_bind_numbers(&d->rate, b, LCT_DECAY_RATE, "", d->heads));
    for (int64_t h = 0; h < d->heads; h++)
        m->set(d->rate, h, exp(m->get(d->rate, h)));
    LCT_TRY(
        lct_net_bind_numbers(&d->bias, b, LCT_DECAY_BIAS, "", decays_of(d)));
    d->unit = lct_net_bind_rms(d->keys, UNIT_EPS / (double)d->keys);
    d->norm = lct_net_bind_rms(d->values, b->n->s.eps);
    return lct_net_bind_numbers(&d->norm.w, b, LCT_DELTA_NORM, ".weight",
                                d->values);
}

locant_status lct_net_delta_bind(struct lct_net_delta **out,
                                 struct lct_net_binder *b)
{
    struct lct_net_delta *d = lct_net_keep(b->n, sizeof(*d));

    *out = d;
    LCT_NET_GOT(d);
    *d = b->n->s.delta;
    d->act = b->n->act;
    LCT_TRY(bind_maps(d, b));
    LCT_TRY(bind_convolution(d, b));
    return bind_others(d, b);
}

/* ---------------------------------------------------------------- forward */

/* What stands in scratch, each [B T, ..]. */
struct work {
    void *x;     /* [D], with zeros for padding */
    void *raw;   /* [channels]: q, k, v before the convolution */
    void *mixed; /* [channels]: after it */
    void *decay; /* [decays] */
    void *beta;  /* [heads] */
    void *gate;  /* [heads values] */
    void *out;   /* [heads values] */
    void *low;   /* between two maps */
};

static locant_status take(struct work *w, struct lct_net_room *room,
                          const struct lct_net_delta *d, int64_t rows)
{
    const int64_t channels = lct_net_delta_channels(d);
    const int64_t a = d->decay_a.w.out, b = d->gate_a.w.out;

    w->x = lct_net_take(room, rows, d->o.w.out);
    w->raw = lct_net_take(room, rows, channels);
    w->mixed = lct_net_take(room, rows, channels);
    w->decay = lct_net_take(room, rows, decays_of(d));
    w->beta = lct_net_take(room, rows, d->heads);
    w->gate = lct_net_take(room, rows, d->heads * d->values);
    w->out = lct_net_take(room, rows, d->heads * d->values);
    w->low = lct_net_take(room, rows, a > b ? a : b);
    LCT_NET_GOT(w->low);
    return LOCANT_OK;
}

struct job {
    const struct lct_net_math *m;
    const struct lct_net_delta *d;
    struct work w;
    int64_t T;
    const struct lct_net_slots *slots; /* 'recent': the last of 'raw' */
};

/* x, or a copy with zeros where a token is padding */
static const void *without_padding(void *room, const void *x,
                                   const struct lct_net_step *s, int64_t D)
{
    const struct lct_net_cache *c = s->cache;
    const size_t row = (size_t)D * s->n->math->item;

    if (!c->padded)
        return x;
    memcpy(room, x, (size_t)(c->B * s->T) * row);
    for (int64_t i = 0; i < c->B * s->T; i++)
        if (c->docs[i / s->T * c->capacity + s->from + i % s->T] < 0)
            memset((char *)room + (size_t)i * row, 0, row);
    return room;
}

/* y = map(a(x)), or map(x) if there is no a */
static void project(void *y, const void *x, const struct lct_net_step *s,
                    const struct lct_net_linear *a,
                    const struct lct_net_linear *map, void *low)
{
    const int64_t rows = s->cache->B * s->T;

    if (a->w.weight != NULL)
        lct_net_linear_forward(low, x, rows, a, s->room);
    lct_net_linear_forward(y, a->w.weight != NULL ? low : x, rows, map,
                           s->room);
}

static void project_all(const struct work *w, const void *x,
                        const struct lct_net_step *s,
                        const struct lct_net_delta *d)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t rows = s->cache->B * s->T;
    const int64_t keys = d->key_heads * d->keys;
    const int64_t channels = lct_net_delta_channels(d);
    void *k = lct_net_math_at(m, w->raw, keys);
    void *v = lct_net_math_at(m, k, keys);

    lct_net_linear_columns(w->raw, channels, x, rows, &d->q, s->room);
    lct_net_linear_columns(k, channels, x, rows, &d->k, s->room);
    lct_net_linear_columns(v, channels, x, rows, &d->v, s->room);
    lct_net_linear_forward(w->beta, x, rows, &d->beta, s->room);
    project(w->decay, x, s, &d->decay_a, &d->decay, w->low);
    project(w->gate, x, s, &d->gate_a, &d->gate, w->low);
}

/* The convolution of one token over those before it. */
static void convolve(const struct job *j, int64_t i)
{
    const struct lct_net_math *m = j->m;
    const int64_t channels = lct_net_delta_channels(j->d);
    const int64_t before = j->d->kernel - 1, b = i / j->T;
    void *y = lct_net_math_at(m, j->w.mixed, i * channels);

    memset(y, 0, (size_t)channels * m->item);
    for (int64_t p = 0; p <= before; p++) {
        const int64_t t = i % j->T + p - before;
        const void *x =
            t >= 0 ? lct_net_math_at(m, j->w.raw, (b * j->T + t) * channels)
                   : lct_net_math_at(m, j->slots->recent,
                                     (b * before + before + t) * channels);

        m->add_product(y, x, lct_net_math_at(m, j->d->taps, p * channels),
                       channels);
    }
    m->activate(y, j->d->act, channels);
}

/* What the rule wants of one token. */
static void task_token(void *context, size_t task, int slot)
{
    const struct job *j = context;
    const struct lct_net_math *m = j->m;
    const struct lct_net_delta *d = j->d;
    const int64_t i = (int64_t)task, keys = d->key_heads * d->keys;
    const double root = 1 / sqrt((double)d->keys);
    void *q = lct_net_math_at(m, j->w.mixed, i * lct_net_delta_channels(d));
    void *k = lct_net_math_at(m, q, keys);

    (void)slot;
    convolve(j, i);
    /* x over its length is x over its root mean square, over sqrt(keys) */
    m->norm(q, q, &d->unit, 2 * d->key_heads);
    m->scale(q, root * root, keys);
    m->scale(k, root, keys);
    m->decay(lct_net_math_at(m, j->w.decay, i * decays_of(d)), d->rate, d->bias,
             d->heads, d->by_channel ? d->keys : 1);
    m->activate(lct_net_math_at(m, j->w.beta, i * d->heads), LCT_ACT_SIGMOID,
                d->heads);
}

/* All tokens of one head of one row. */
static void task_head(void *context, size_t task, int slot)
{
    const struct job *j = context;
    const struct lct_net_math *m = j->m;
    const struct lct_net_delta *d = j->d;
    const int64_t b = (int64_t)task / d->heads, h = (int64_t)task % d->heads;
    const int64_t keys = d->key_heads * d->keys;
    const int64_t q = h / (d->heads / d->key_heads) * d->keys;

    (void)slot;
    for (int64_t i = b * j->T; i < (b + 1) * j->T; i++) {
        const void *mixed =
            lct_net_math_at(m, j->w.mixed, i * lct_net_delta_channels(d));
        const int64_t at = i * d->heads + h;
        void *out = lct_net_math_at(m, j->w.out, at * d->values);
        void *gate = lct_net_math_at(m, j->w.gate, at * d->values);

        m->delta(&(struct lct_net_delta_token){
            .state = lct_net_math_at(m, j->slots->state,
                                     (int64_t)task * d->keys * d->values),
            .out = out,
            .v = lct_net_math_at(m, mixed, 2 * keys + h * d->values),
            .q = lct_net_math_at(m, mixed, q),
            .k = lct_net_math_at(m, mixed, keys + q),
            .decay = lct_net_math_at(m, j->w.decay,
                                     at * (d->by_channel ? d->keys : 1)),
            .by_channel = d->by_channel,
            .beta = m->get(j->w.beta, at),
            .keys = d->keys,
            .values = d->values });
        m->norm(out, out, &d->norm, 1);
        m->activate(gate, d->gate_act, d->values);
        m->multiply(out, gate, d->values);
    }
}

/* The last rows before the convolution, which the next step reads. */
static void keep_recent(const struct job *j, int64_t B)
{
    const int64_t before = j->d->kernel - 1;
    const int64_t channels = lct_net_delta_channels(j->d);
    const size_t row = (size_t)channels * j->m->item;

    for (int64_t i = 0; i < B * before; i++) {
        const int64_t b = i / before, t = j->T + i % before - before;
        const void *from =
            t >= 0 ? lct_net_math_at(j->m, j->w.raw, (b * j->T + t) * channels)
                   : lct_net_math_at(j->m, j->slots->recent,
                                     (b * before + before + t) * channels);

        memcpy(lct_net_math_at(j->m, j->slots->recent, i * channels), from,
               row);
    }
}

locant_status lct_net_delta_forward(void *y, const void *x,
                                    const struct lct_net_step *s,
                                    const struct lct_net_delta *d,
                                    int64_t layer)
{
    const int64_t B = s->cache->B, rows = B * s->T;
    const size_t mark = s->room->used;
    struct job j = {
        .m = s->n->math, .d = d, .T = s->T, .slots = &s->cache->layers[layer]
    };

    LCT_TRY(take(&j.w, s->room, d, rows));
    project_all(&j.w, without_padding(j.w.x, x, s, d->o.w.out), s, d);
    locant_parallel_for((size_t)rows, task_token, &j);
    locant_parallel_for((size_t)(B * d->heads), task_head, &j);
    keep_recent(&j, B);
    lct_net_linear_forward(y, j.w.out, rows, &d->o, s->room);
    lct_net_give_back(s->room, mark);
    return LOCANT_OK;
}
