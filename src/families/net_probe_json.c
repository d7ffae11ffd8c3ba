/* net_probe_json.c - the results of a probe as JSON */
#include "net_probe.h"
#include <math.h>

const double lct_net_probe_unused = .1, lct_net_probe_most = .5,
             lct_net_probe_sink = .3, lct_net_probe_even = .9;

static json_t *real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *reals(const double *x, int64_t n, double factor)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < n; i++)
        json_array_append_new(list, real(x[i] * factor));
    return list;
}

/* ------------------------------------------------------------------ classes */

/* How much of what even weights leave goes to a place: 0 as theirs, 1 all. */
static double excess(double weight, double even)
{
    return even < 1 ? (weight - even) / (1 - even) : 0;
}

/* 'h' and 'even' are sums over 'rows' queries. */
static const char *class_of(const struct lct_net_probe_head *h,
                            const struct lct_net_probe_head *even, double rows)
{
    const struct {
        const char *name;
        double weight, even, least;
    } places[] = {
        { "previous", h->previous, even->previous, lct_net_probe_most },
        { "next", h->next, even->next, lct_net_probe_most },
        { "own", h->own, even->own, lct_net_probe_most },
        { "first", h->first, even->first, lct_net_probe_sink },
        { "local", h->within[0], even->within[0], lct_net_probe_most },
    };

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (excess(places[i].weight / rows, places[i].even / rows) >
            places[i].least)
            return places[i].name;
    return even->entropy > 0 && h->entropy > lct_net_probe_even * even->entropy
               ? "even"
               : "mixed";
}

/* -------------------------------------------------------------------- heads */

/* bins 0: tokens have no distances */
static json_t *weights_json(const struct lct_net_probe_head *h, double rows,
                            int bins)
{
    const double by = 1 / rows;

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o*}",
        "weight", real(h->weight * by), "entropy", real(h->entropy * by),
        "first", real(h->first * by), "own", real(h->own * by), "previous",
        real(h->previous * by), "next", real(h->next * by), "after",
        real(h->after * by), "distance", real(h->distance / h->weight),
        "within", "8", real(h->within[0] * by), "32", real(h->within[1] * by),
        "128", real(h->within[2] * by), "bins",
        bins > 0 ? reals(h->bin, bins, by) : NULL);
}

/* One of the heads, among which 'even' is last. */
static json_t *one_json(const struct lct_net_probe_head *heads, int64_t head,
                        int64_t even, double rows, int bins)
{
    json_t *out = weights_json(&heads[head], rows, bins);

    json_object_set_new(out, "head", json_integer((json_int_t)head));
    json_object_set_new(
        out, "class", json_string(class_of(&heads[head], &heads[even], rows)));
    return out;
}

/* Norms, shares and unused pairs of a head; what it uses is counted in
   'used' [pairs]. */
static json_t *pairs_json(const struct lct_net_probe_layer *l, int64_t head,
                          int64_t *used, double *mean)
{
    const int64_t group = l->plan->heads / l->plan->kv_heads;
    const double *q = l->q + head * (l->pairs + 1);
    const double *k = l->k + head / group * (l->pairs + 1);
    const double even = 1 / (double)l->pairs;
    const bool rest = 2 * l->pairs < l->plan->qk_dim;
    json_t *share = json_array(), *unused = json_array();
    double sum = 0;

    for (int64_t c = 0; c < l->pairs; c++)
        sum += q[c] * k[c];
    for (int64_t c = 0; c < l->pairs; c++) {
        const double x = q[c] * k[c] / sum;

        json_array_append_new(share, real(x));
        mean[c] += x / (double)l->plan->heads;
        if (x < lct_net_probe_unused * even)
            json_array_append_new(unused, json_integer((json_int_t)c));
        else
            used[c]++;
    }
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "q",
        reals(q, l->pairs, 1 / l->q_tokens), "k",
        reals(k, l->pairs, 1 / l->k_tokens), "share", share, "unused", unused,
        "q_rest", rest ? real(q[l->pairs] / l->q_tokens) : json_null(),
        "k_rest", rest ? real(k[l->pairs] / l->k_tokens) : json_null());
}

static json_t *head_json(const struct lct_net_probe_layer *l, int64_t head,
                         int bins, int64_t *used, double *mean)
{
    json_t *out = one_json(l->heads, head, l->plan->heads, l->rows, bins);

    json_object_set_new(out, "pairs",
                        l->pairs > 0 ? pairs_json(l, head, used, mean)
                                     : json_null());
    return out;
}

/* Attention over an encoder, whose tokens have numbers and no distances. */
static json_t *cross_json(const struct lct_net_probe_layer *l, int64_t head)
{
    const int64_t H = l->plan->heads;
    json_t *heads;

    if (l->cross == NULL)
        return json_null();
    heads = json_array();
    for (int64_t h = 0; h < H; h++)
        if (head < 0 || head == h)
            json_array_append_new(heads,
                                  one_json(l->cross, h, H, l->cross_rows, 0));
    return json_pack("{s:o, s:o}", "even",
                     weights_json(&l->cross[H], l->cross_rows, 0), "heads",
                     heads);
}

/* ------------------------------------------------------------------- layers */

/* The pairs of a layer: turns in the text, and what all heads together use. */
static json_t *frequencies_json(const struct lct_net_probe_layer *l,
                                int64_t length, const int64_t *used,
                                const double *mean)
{
    const double turn = 2 * acos(-1.0);
    json_t *waves = json_array(), *unused = json_array();
    int64_t incomplete = 0;

    for (int64_t c = 0; c < l->pairs; c++) {
        json_array_append_new(waves, real(turn / l->frequency[c]));
        incomplete += l->frequency[c] * (double)length < turn;
        if (used[c] == 0)
            json_array_append_new(unused, json_integer((json_int_t)c));
    }
    return json_pack("{s:o, s:o, s:o, s:I, s:o, s:o}", "frequency",
                     reals(l->frequency, l->pairs, 1), "wavelength", waves,
                     "turns", reals(l->frequency, l->pairs, length / turn),
                     "incomplete", (json_int_t)incomplete, "unused", unused,
                     "share", reals(mean, l->pairs, 1));
}

static json_t *layer_json(const struct lct_net_probe_layer *l, int64_t layer,
                          int64_t length, int64_t head, int bins)
{
    const size_t pairs = (size_t)l->pairs + 1;
    double *mean = locant_alloc(pairs * sizeof(*mean));
    int64_t *used = locant_alloc(pairs * sizeof(*used));
    const bool enough = mean != NULL && used != NULL;
    json_t *heads = json_array(), *out = NULL;

    for (int64_t h = 0; enough && h < l->plan->heads; h++) {
        json_t *one = head_json(l, h, bins, used, mean);

        if (head < 0 || head == h)
            json_array_append(heads, one);
        json_decref(one);
    }
    if (enough)
        out = json_pack("{s:I, s:s, s:I, s:I, s:o, s:o, s:O, s:o}", "layer",
                        (json_int_t)layer, "spec",
                        l->plan->spec != NULL ? l->plan->spec : "none",
                        "heads_of", (json_int_t)l->plan->heads, "kv_heads",
                        (json_int_t)l->plan->kv_heads, "even",
                        weights_json(&l->heads[l->plan->heads], l->rows, bins),
                        "pairs",
                        l->pairs > 0 ? frequencies_json(l, length, used, mean)
                                     : json_null(),
                        "heads", heads, "cross", cross_json(l, head));
    json_decref(heads);
    locant_release(mean);
    locant_release(used);
    return out;
}

json_t *lct_net_probe_json(const struct lct_net_probe *p, int64_t length,
                           int64_t head)
{
    const int bins = lct_net_probe_bin(length - 1) + 1;
    json_t *layers = json_array(), *first = json_array();

    for (int b = 0; b < bins; b++)
        json_array_append_new(first, json_integer(b > 0 ? 1LL << (b - 1) : 0));
    for (int64_t i = 0; i < p->stack->n_layers; i++)
        if (p->layers[i].heads != NULL) {
            json_t *layer = layer_json(&p->layers[i], i, length, head, bins);

            if (layer == NULL) {
                json_decref(layers);
                json_decref(first);
                return NULL;
            }
            json_array_append_new(layers, layer);
        }
    return json_pack("{s:s, s:I, s:o, s:f, s:o}", "schema",
                     "locant.model-probe/1", "length", (json_int_t)length,
                     "bins", first, "unused_below", lct_net_probe_unused,
                     "layers", layers);
}
