/*
 * dape.c - data-adaptive positional encoding: a small network of the scores of
 * all heads corrects them.
 *
 * Version 1.  Zheng et al.: DAPE: Data-Adaptive Positional Encoding for Length
 * Extrapolation. 2024. arXiv:2405.14722v6, eq. (4):
 *
 *     S' = S + B + w2^T lrelu(w1^T [S; B] + b1) + b2
 *
 * for each pair of tokens, over heads; S = scale q.k, B the bias of a score
 * encoding ("dape+kerple"), 0 without one, as in the authors' NoPE runs.
 *
 * Version 2.  Zheng et al.: DAPE V2: Process Attention Score as Feature Map for
 * Length Extrapolation. 2024. arXiv:2410.04798.  This follows the code
 * (chuanyang-Zheng/DAPE, positional_embeddings.py), since the text of the paper
 * was not available: both layers become convolutions of 1 x 3 along the keys,
 * padded with zeros, and hidden scores enter as 0.  Tap t of a kernel reads key
 * j + t - 1 in memory.  One thing differs: the authors do not set hidden keys
 * to 0 between the layers, so in training the first hidden key of a row, which
 * does not exist in generation, affects the last visible one.  Here hidden keys
 * are 0 for both layers.
 *
 * Weights start uniform within 1/sqrt(inputs), biases at 0, as in the authors'
 * code.
 */
#include "content.h"

enum { VERSION, HIDDEN, SHARE };
enum { W1, B1, W2, B2 };
enum { MOST_HIDDEN = 256, TAPS = 3 };

static const double leak = 0.01; /* of LeakyReLU, as in PyTorch */

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "version", .kind = LCT_INTEGER, .def = 1, .min = 1, .max = 2,
      .doc = "1: each pair of tokens alone; 2: with its two neighbours" },
    { .name = "hidden", .kind = LCT_INTEGER, .def = 32, .min = 1,
      .max = MOST_HIDDEN, .doc = "units between the layers" },
    LCT_SHARE(0, "yes: one network for all layers"),
    { 0 }
};

static const struct lct_param pointwise[] = {
    { .name = "w1", .dims = { "inputs", "hidden" }, .scope = LCT_SHARE_KEY,
      .doc = "of the scores of all heads, then of their biases" },
    { .name = "b1", .dims = { "hidden" }, .scope = LCT_SHARE_KEY,
      .doc = "biases of the first layer" },
    { .name = "w2", .dims = { "hidden", "heads" }, .scope = LCT_SHARE_KEY,
      .doc = "to what is added to the scores" },
    { .name = "b2", .dims = { "heads" }, .rate = 10, .scope = LCT_SHARE_KEY,
      .doc = "biases of the second layer" },
    { 0 }
};

static const struct lct_param convolution[] = {
    { .name = "w1", .dims = { "inputs", "hidden", "3" }, .scope = LCT_SHARE_KEY,
      .doc = "of the scores of all heads, then of their biases, at keys j - "
             "1, j, j + 1" },
    { .name = "b1", .dims = { "hidden" }, .scope = LCT_SHARE_KEY,
      .doc = "biases of the first layer" },
    { .name = "w2", .dims = { "hidden", "heads", "3" }, .scope = LCT_SHARE_KEY,
      .doc = "to what is added to the scores" },
    { .name = "b2", .dims = { "heads" }, .rate = 10, .scope = LCT_SHARE_KEY,
      .doc = "biases of the second layer" },
    { 0 }
};
/* clang-format on */

static const struct lct_param *params_of(const locant_encoding *e)
{
    return e->value[VERSION] == 1 ? pointwise : convolution;
}

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)e;
    (void)name; /* always "inputs" */
    return 2 * sizes->heads;
}

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    int64_t taps = info->rank == 3 ? info->shape[2] : 1;
    double bound = 1 / sqrt((double)(info->shape[0] * taps));

    (void)e;
    if (k == B1 || k == B2)
        return false;
    return lct_fill_uniform(out, info, bound, r);
}

/* The network, for one query. */
struct net {
    const struct lct_content *c;
    const double *s;     /* [heads, keys] */
    const double *bias;  /* [heads, keys] or NULL */
    int64_t hidden;      /* units between the layers */
    int64_t taps, reach; /* taps are at keys j - reach .. j + reach */
};

static struct net net_of(const struct lct_content *c, const double *s,
                         const struct lct_query *q)
{
    int64_t taps = c->call.e->value[VERSION] == 1 ? 1 : TAPS;

    return (struct net){ .c = c,
                         .s = s,
                         .bias = q->bias,
                         .hidden = (int64_t)c->call.e->value[HIDDEN],
                         .taps = taps,
                         .reach = taps / 2 };
}

/* Does key j exist, and does a head see it? */
static bool is_visible(const struct net *net, int64_t j)
{
    if (j < 0 || j >= net->c->keys)
        return false;
    for (int64_t h = 0; h < net->c->call.heads; h++)
        if (!lct_is_hidden(net->s[h * net->c->keys + j]))
            return true;
    return false;
}

/* Input 'row' of the first layer at key j: S of the heads, then B. */
static double input(const struct net *net, int64_t row, int64_t j)
{
    int64_t heads = net->c->call.heads, at = row % heads * net->c->keys + j;
    double b;

    if (j < 0 || j >= net->c->keys || lct_is_hidden(net->s[at]))
        return 0;
    b = net->bias != NULL ? net->bias[at] : 0;
    return row < heads ? net->s[at] - b : b;
}

/* The first layer at key j before its LeakyReLU; 0 at a hidden key. */
static void first_layer(double *a, const struct net *net, int64_t j)
{
    bool visible = is_visible(net, j);

    for (int64_t u = 0; u < net->hidden; u++)
        a[u] = visible ? net->c->call.param[B1][u] : 0;
    if (!visible)
        return;
    for (int64_t row = 0; row < 2 * net->c->call.heads; row++) {
        const double *w =
            net->c->call.param[W1] + row * net->hidden * net->taps;

        for (int64_t t = 0; t < net->taps; t++) {
            double x = input(net, row, j + t - net->reach);

            for (int64_t u = 0; u < net->hidden; u++)
                a[u] += w[u * net->taps + t] * x;
        }
    }
}

static double leaky(double x)
{
    return x > 0 ? x : leak * x;
}

/* Output of the second layer for a head, from keys j - reach .. j + reach. */
static double second_layer(const struct net *net, double a[TAPS][MOST_HIDDEN],
                           int64_t head, int64_t j)
{
    const double *w = net->c->call.param[W2] + head * net->taps;
    int64_t step = net->c->call.heads * net->taps;
    double sum = net->c->call.param[B2][head];

    for (int64_t t = 0; t < net->taps; t++) {
        int64_t at = j + t - net->reach;

        if (at >= 0)
            for (int64_t u = 0; u < net->hidden; u++)
                sum += w[u * step + t] * leaky(a[at % TAPS][u]);
    }
    return sum;
}

/* In place: a score is overwritten when no first layer will read it again. */
static void scores(double *s, const struct lct_content *c,
                   const struct lct_query *q)
{
    struct net net = net_of(c, s, q);
    double a[TAPS][MOST_HIDDEN];

    for (int64_t j = 0; j < net.reach; j++)
        first_layer(a[j], &net, j);
    for (int64_t j = 0; j < c->keys; j++) {
        first_layer(a[(j + net.reach) % TAPS], &net, j + net.reach);
        for (int64_t h = 0; h < c->call.heads; h++)
            if (!lct_is_hidden(s[h * c->keys + j]))
                s[h * c->keys + j] += second_layer(&net, a, h, j);
    }
}

/*
 * da, the gradient of the first layer at key j before its LeakyReLU, and that
 * of w2.  forward: out[h,i] = b2 + sum over u, t of w2[u,h,t] y[u, i + t -
 * reach], so y[u,j] meets ds[h, j - t + reach].
 */
static void hidden_backward(double *da, const struct lct_content_gradient *g,
                            const struct net *net, const double *ds, int64_t j)
{
    int64_t S = net->c->keys, outputs = net->c->call.heads * net->taps;
    bool visible = is_visible(net, j);
    double a[MOST_HIDDEN];

    first_layer(a, net, j);
    for (int64_t u = 0; u < net->hidden; u++) {
        const double *w2 = net->c->call.param[W2] + u * outputs;
        double *dw2 = g->dparam[W2] + u * outputs, dy = 0;

        for (int64_t i = 0; i < outputs; i++) {
            int64_t at = j - i % net->taps + net->reach;
            double dout;

            if (!visible || at < 0 || at >= S)
                continue;
            dout = ds[i / net->taps * S + at];
            dy += w2[i] * dout;
            dw2[i] += leaky(a[u]) * dout;
        }
        da[u] = a[u] > 0 ? dy : leak * dy;
    }
}

/* forward: a[u,j] = b1 + sum of w1[row,u,t] x[row, j + t - reach] */
static void weights_backward(const struct lct_content_gradient *g,
                             const struct net *net, const double *da, int64_t j)
{
    for (int64_t u = 0; u < net->hidden; u++)
        g->dparam[B1][u] += da[u];
    for (int64_t row = 0; row < 2 * net->c->call.heads; row++) {
        double *dw = g->dparam[W1] + row * net->hidden * net->taps;

        for (int64_t t = 0; t < net->taps; t++) {
            double x = input(net, row, j + t - net->reach);

            for (int64_t u = 0; u < net->hidden; u++)
                dw[u * net->taps + t] += da[u] * x;
        }
    }
}

/* Gradient of input 'row' at key j. */
static double input_backward(const struct net *net,
                             double da[TAPS][MOST_HIDDEN], int64_t row,
                             int64_t j)
{
    const double *w = net->c->call.param[W1] + row * net->hidden * net->taps;
    double dx = 0;

    for (int64_t t = 0; t < net->taps; t++) {
        int64_t at = j - t + net->reach;

        if (at >= 0)
            for (int64_t u = 0; u < net->hidden; u++)
                dx += w[u * net->taps + t] * da[at % TAPS][u];
    }
    return dx;
}

/* The incoming scores were S + B: ds gets dS, dbias gets dB less dS. */
static void scores_backward(double *ds, const struct lct_content_gradient *g,
                            const double *s, const struct lct_content *c,
                            const struct lct_query *q)
{
    struct net net = net_of(c, s, q);
    int64_t heads = c->call.heads;
    double da[TAPS][MOST_HIDDEN];

    for (int64_t j = -net.reach; j < c->keys; j++) {
        int64_t next = j + net.reach;

        hidden_backward(da[next % TAPS], g, &net, ds, next);
        if (next < c->keys)
            weights_backward(g, &net, da[next % TAPS], next);
        if (j < 0)
            continue;
        for (int64_t h = 0; h < heads; h++) {
            int64_t at = h * c->keys + j;
            double dscore;

            if (lct_is_hidden(s[at]))
                continue;
            dscore = input_backward(&net, da, h, j);
            if (g->dbias != NULL)
                g->dbias[at] += input_backward(&net, da, heads + h, j) - dscore;
            g->dparam[B2][h] += ds[at];
            ds[at] += dscore;
        }
    }
}

static const locant_variant variants[] = {
    { "dape+kerple", "the paper's best base", "DAPE-Kerple" },
    { "dape+alibi", "with linear biases", "DAPE-ALiBi" },
    { "dape+fire", "with FIRE as the base", "DAPE-FIRE" },
    { "dape", "of the scores alone", "DAPE with NoPE" },
    { "dape(version=2)+kerple", "1 x 3 convolutions", "DAPE V2-Kerple" },
    { "dape(version=2)+alibi", "1 x 3 convolutions, linear biases",
      "DAPE V2-ALiBi" },
    { 0 }
};

const struct lct_encoding lct_enc_dape = {
    .info = {
        .name = "dape",
        .title = "Data-adaptive positional encoding (DAPE)",
        .formula = "S' = S + B + w2^T lrelu(w1^T [S; B] + b1) + b2 over heads; "
                   "version 2: convolutions of 1 x 3 along keys",
        .gradient = "through both layers; dS = dS' + (w1 da)_S, dB = dS' + "
                    "(w1 da)_B, da = lrelu'(a) (w2 dS')",
        .source = "Zheng et al. 2024, arXiv:2405.14722v6, eq. (4); Zheng et "
                  "al. 2024, arXiv:2410.04798v1, by its code",
        .used_by = "length-extrapolation studies",
        .pitfalls = "The authors' files call it CAPE, but cape is another "
                    "encoding.  Their version 2 uses one hidden activation per "
                    "row in training.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED,
    },
    .keys = keys,
    .params = {
        .list = pointwise,
        .list_of = params_of,
        .size = size,
        .fill = fill,
    },
    .content = {
        .scores = scores,
        .backward = scores_backward,
        .scores_only = true,
    },
};
