/* net_delta_bind.c - the tensors of a layer with a delta rule (net_delta.c) */
#include "net_delta_bind.h"
#include "net_delta.h"
#include "net_math.h"
#include "net_mlp.h"
#include <math.h>

/* Added to the squares of q and of k before the root, by all who run these. */
#define UNIT_EPS 1e-6

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
    if (lct_net_names_role(&b->prefix, LCT_DELTA_CONV) != NULL)
        return bind_taps(d, b, LCT_DELTA_CONV, 0, channels);
    LCT_TRY(bind_taps(d, b, LCT_CONV_Q, 0, keys));
    LCT_TRY(bind_taps(d, b, LCT_CONV_K, keys, keys));
    return bind_taps(d, b, LCT_CONV_V, 2 * keys, values);
}

/* Each of its own, with decay and gate by way of few channels (Kimi). */
static locant_status bind_apart(struct lct_net_delta *d,
                                struct lct_net_binder *b)
{
    const int64_t D = b->n->width, keys = d->key_heads * d->keys;
    const int64_t values = d->heads * d->values;
    const struct {
        struct lct_net_linear *to;
        enum lct_net_role role;
        int64_t out, in;
    } maps[] = {
        { &d->q, LCT_Q, keys, D },
        { &d->k, LCT_K, keys, D },
        { &d->v, LCT_V, values, D },
        { &d->beta, LCT_DELTA_BETA, d->heads, D },
        { &d->decay_a, LCT_DECAY_A, d->keys, D },
        { &d->decay, LCT_DECAY_B, lct_net_delta_decays(d), d->keys },
        { &d->gate_a, LCT_DELTA_GATE_A, d->values, D },
        { &d->gate, LCT_DELTA_GATE_B, values, d->values },
        { &d->o, LCT_O, D, values },
    };

    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
        LCT_TRY(lct_net_bind_linear(maps[i].to, b, maps[i].role, maps[i].out,
                                    maps[i].in));
    return LOCANT_OK;
}

/* In two matrices, with rows by heads of keys (Qwen3-Next). */
static locant_status bind_fused(struct lct_net_delta *d,
                                struct lct_net_binder *b)
{
    const int64_t D = b->n->width, each = d->heads / d->key_heads;
    const int64_t k = d->keys, v = each * d->values, all = 2 * (k + v);
    const struct {
        struct lct_net_linear *to;
        enum lct_net_role role;
        int64_t first, group, step;
    } maps[] = {
        { &d->q, LCT_DELTA_QKVZ, 0, k, all },
        { &d->k, LCT_DELTA_QKVZ, k, k, all },
        { &d->v, LCT_DELTA_QKVZ, 2 * k, v, all },
        { &d->gate, LCT_DELTA_QKVZ, 2 * k + v, v, all },
        { &d->beta, LCT_DELTA_BA, 0, each, 2 * each },
        { &d->decay, LCT_DELTA_BA, each, each, 2 * each },
    };

    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        const struct lct_net_rows rows = { .first = maps[i].first,
                                           .group = maps[i].group,
                                           .step = maps[i].step,
                                           .all = d->key_heads * maps[i].step };

        LCT_TRY(lct_net_bind_rows(maps[i].to, b, maps[i].role,
                                  d->key_heads * rows.group, D, &rows));
    }
    return lct_net_bind_linear(&d->o, b, LCT_DELTA_O, D, d->heads * d->values);
}

/* The vectors of the decay, and both norms. */
static locant_status bind_others(struct lct_net_delta *d,
                                 struct lct_net_binder *b)
{
    const struct lct_net_math *m = b->n->math;

    LCT_TRY(lct_net_bind_numbers(&d->rate, b, LCT_DECAY_RATE, "", d->heads));
    for (int64_t h = 0; h < d->heads; h++)
        m->set(d->rate, h, exp(m->get(d->rate, h)));
    LCT_TRY(lct_net_bind_numbers(&d->bias, b, LCT_DECAY_BIAS, "",
                                 lct_net_delta_decays(d)));
    d->unit = lct_net_bind_rms(d->keys, UNIT_EPS / (double)d->keys);
    d->norm = lct_net_bind_rms(d->values, b->s.eps);
    return lct_net_bind_numbers(&d->norm.w, b, LCT_DELTA_NORM, ".weight",
                                d->values);
}

locant_status lct_net_delta_bind(struct lct_net_delta **out,
                                 struct lct_net_binder *b)
{
    struct lct_net_delta *d = lct_net_keep(b->n, sizeof(*d));

    *out = d;
    LCT_NET_GOT(d);
    *d = b->s.delta;
    LCT_TRY(lct_net_mlp_act(&d->act, b));
    if (lct_net_names_role(&b->prefix, LCT_DELTA_QKVZ) != NULL)
        LCT_TRY(bind_fused(d, b));
    else
        LCT_TRY(bind_apart(d, b));
    LCT_TRY(bind_convolution(d, b));
    return bind_others(d, b);
}
