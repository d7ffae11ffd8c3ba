/* net_probe.c - queries, keys and weights of each layer of a run */
#include "net_probe.h"
#include "spec_key.h"
#include "turns.h"
#include <math.h>
#include <string.h>

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM, "locant_model_probe: no memory");
}

/* ------------------------------------------------------------------- begin */

/* The window of a layer by itself. */
static locant_status find_window(struct lct_net_probe_layer *l)
{
    struct lct_spec_parts *parts = locant_alloc(sizeof(*parts));
    const char *window;
    locant_status status = LOCANT_OK;

    if (parts == NULL)
        return no_memory();
    lct_spec_split(parts, l->plan->spec != NULL ? l->plan->spec : "none");
    window = lct_spec_part(parts, "window");
    if (window != NULL)
        status = locant_encoding_create(&l->hides, window);
    locant_release(parts);
    return status;
}

/* A layer that is not plainly rotated has no pairs. */
static locant_status find_pairs(struct lct_net_probe_layer *l, int64_t length)
{
    struct lct_turns t;
    locant_status status =
        lct_turns_of(&t, l->plan->encoding, l->plan->qk_dim, length);

    l->magnitude = 1;
    if (status != LOCANT_OK)
        return status == LOCANT_ERR_NOMEM ? status : LOCANT_OK;
    lct_turns_join(&t);
    l->pairs = t.about.pairs;
    l->magnitude = t.about.magnitude;
    l->channels = t.channels;
    l->frequency = t.f;
    return LOCANT_OK;
}

static locant_status begin_layer(struct lct_net_probe_layer *l,
                                 const struct lct_net_layer *layer,
                                 int64_t length)
{
    const struct lct_layer_plan *plan = layer->attention.plan;

    l->plan = plan;
    if (layer->cross != NULL) {
        l->cross = lct_net_zeros(plan->heads + 1, 1, sizeof(*l->cross));
        if (l->cross == NULL)
            return no_memory();
    }
    LCT_TRY(find_window(l));
    if (plan->encoding != NULL)
        LCT_TRY(find_pairs(l, length));
    l->q = lct_net_zeros(plan->heads, l->pairs + 1, sizeof(*l->q));
    l->k = lct_net_zeros(plan->kv_heads, l->pairs + 1, sizeof(*l->k));
    l->heads = lct_net_zeros(plan->heads + 1, 1, sizeof(*l->heads));
    return l->q != NULL && l->k != NULL && l->heads != NULL ? LOCANT_OK
                                                            : no_memory();
}

/* ------------------------------------------------------------------- norms */

static double number(const locant_tensor *x, int64_t at)
{
    return x->dtype == LOCANT_F64 ? ((const double *)x->data)[at]
                                  : (double)((const float *)x->data)[at];
}

/* Add the norms of the pairs of one vector, then that of the other channels. */
static void add_norms(double *sums, const locant_tensor *x, int64_t at,
                      const struct lct_net_probe_layer *l, double factor)
{
    const int64_t D = x->shape[3];
    double rest = 0;

    for (int64_t c = 0; c < D; c++)
        rest += number(x, at + c) * number(x, at + c);
    for (int64_t c = 0; c < l->pairs; c++) {
        const double a = number(x, at + l->channels[2 * c]);
        const double b = number(x, at + l->channels[2 * c + 1]);

        sums[c] += factor * hypot(a, b);
        rest -= a * a + b * b;
    }
    /* the difference of equal sums may be below 0 by its rounding */
    if (2 * l->pairs < D)
        sums[l->pairs] += sqrt(fmax(rest, 0));
}

/* The last T vectors of each row of x [B, heads, .., D] that are no padding. */
static void add_vectors(double *sums, double *tokens, const locant_tensor *x,
                        const locant_tensor *docs, int64_t T,
                        const struct lct_net_probe_layer *l, double factor)
{
    const int64_t from = x->shape[2] - T;

    for (int64_t b = 0; b < x->shape[0]; b++)
        for (int64_t t = 0; t < T; t++) {
            if (docs != NULL &&
                ((const int64_t *)docs->data)[b * docs->stride[0] + t] < 0)
                continue;
            *tokens += 1;
            for (int64_t h = 0; h < x->shape[1]; h++)
                add_norms(sums + h * (l->pairs + 1), x,
                          b * x->stride[0] + h * x->stride[1] +
                              (from + t) * x->stride[2],
                          l, factor);
        }
}

/* A factor of cosines and sines is in what attention does not rotate. */
static locant_status seen(void *context, int64_t layer,
                          const locant_attention *call,
                          const locant_tensor *lse)
{
    struct lct_net_probe *p = context;
    struct lct_net_probe_layer *l = &p->layers[layer];
    const int64_t T = call->q->shape[2];
    const double m = call->encoding != NULL ? l->magnitude : 1;
    const bool rotated = call->flags & LOCANT_ATTENTION_KEYS_ROTATED;

    if (l->heads == NULL)
        return LOCANT_OK;
    add_vectors(l->q, &l->q_tokens, call->q, call->q_docs, T, l, m);
    add_vectors(l->k, &l->k_tokens, call->k, call->q_docs, T, l,
                rotated ? 1 : m);
    return lct_net_probe_rows(l->heads, &l->rows, call, lse, l->hides);
}

/* Tokens of the encoder and of the decoder are numbered from 0. */
static locant_status seen_cross(void *context, int64_t layer,
                                const locant_attention *call,
                                const locant_tensor *lse, int64_t from)
{
    struct lct_net_probe *p = context;
    struct lct_net_probe_layer *l = &p->layers[layer];
    const int64_t T = call->q->shape[2], S = call->k->shape[2];
    locant_attention placed = *call;
    locant_tensor q_pos, k_pos;
    int64_t *at;
    locant_status status;

    if (l->cross == NULL)
        return LOCANT_OK;
    at = lct_net_zeros(T + S, 1, sizeof(*at));
    if (at == NULL)
        return no_memory();
    for (int64_t i = 0; i < T + S; i++)
        at[i] = i < T ? from + i : i - T;
    q_pos = locant_dense(at, LOCANT_I64, 1, &T);
    k_pos = locant_dense(at + T, LOCANT_I64, 1, &S);
    placed.q_pos = &q_pos;
    placed.k_pos = &k_pos;
    status = lct_net_probe_rows(l->cross, &l->cross_rows, &placed, lse, NULL);
    locant_release(at);
    return status;
}

locant_status lct_net_probe_begin(struct lct_net_probe *p,
                                  const struct lct_net_stack *s, int64_t length,
                                  int64_t only)
{
    *p = (struct lct_net_probe){ .stack = s };
    p->watch = (struct lct_net_watch){ seen, p, seen_cross };
    p->layers = lct_net_zeros(s->n_layers, 1, sizeof(*p->layers));
    if (p->layers == NULL)
        return no_memory();
    for (int64_t i = 0; i < s->n_layers; i++)
        if ((only < 0 || only == i) && s->layers[i].delta == NULL)
            LCT_TRY(begin_layer(&p->layers[i], &s->layers[i], length));
    return LOCANT_OK;
}

void lct_net_probe_end(struct lct_net_probe *p)
{
    for (int64_t i = 0; p->layers != NULL && i < p->stack->n_layers; i++) {
        struct lct_net_probe_layer *l = &p->layers[i];

        locant_encoding_free(l->hides);
        locant_release(l->channels);
        locant_release(l->frequency);
        locant_release(l->q);
        locant_release(l->k);
        locant_release(l->heads);
        locant_release(l->cross);
    }
    locant_release(p->layers);
}
