/*
 * path.c - products of Householder-like maps along the path from key to query.
 *
 * Yang et al.: PaTH Attention: Position Encoding via Accumulating Householder
 * Transformations. 2025. arXiv:2505.16381; flash-linear-attention
 * (layers/path_attn).
 *
 *     w_t = v / sqrt(v.v + 1e-6), v = silu(conv(up (down x_t)))  for each head
 *     b_t = 2 sigmoid(beta x_t + bias),   H_t = I - b_t w_t w_t^T
 *     s_ij = scale (<q_i, H_i H_{i-1} .. H_{j+1} k_j> + sum over t in (j, i] of
 *            ln sigmoid(forget x_t + bias))
 *
 * The last sum only with forget=yes.  Tokens are in order of position, those of
 * the document.  Here a query walks back over its keys and takes the maps
 * along; attention in float32 does so by tiles (attention/content_maps.h).
 * Projections and convolution start as the layers of PyTorch.
 */
#include "content.h"
#include <string.h>

enum { RANK, KERNEL, FORGET, SHARE };
enum { DOWN, UP, CONV, BETA, BETA_BIAS, GATE, GATE_BIAS };
enum { MOST_KERNEL = 8, MOST_RANK = 1024 };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "rank", .kind = LCT_INTEGER, .def = 32, .min = 1,
      .max = MOST_RANK, .doc = "units between input and directions" },
    { .name = "kernel", .kind = LCT_INTEGER, .def = 3, .min = 1,
      .max = MOST_KERNEL, .doc = "tokens that the convolution reads" },
    { .name = "forget", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: also gates that forget, as fox, within the scale" },
    LCT_SHARE(0, "yes: the same parameters in all layers"),
    { 0 }
};

#define DIRECTION_PARAMS                                                  \
    { .name = "down", .dims = { "rank", "width" },                        \
      .scope = LCT_SHARE_KEY, .doc = "first layer of the directions" },   \
    { .name = "up", .dims = { "heads", "head_dim", "rank" },              \
      .scope = LCT_SHARE_KEY, .doc = "second layer of the directions" }
#define CONV_PARAM                                                        \
    { .name = "conv", .dims = { "heads", "head_dim", "kernel" },          \
      .scope = LCT_SHARE_KEY,                                             \
      .doc = "of the last tokens, the token's own last" }
#define LINEAR_PARAMS(weight, bias, text)                                 \
    { .name = weight, .dims = { "heads", "width" },                       \
      .scope = LCT_SHARE_KEY, .doc = text },                              \
    { .name = bias, .dims = { "heads" }, .scope = LCT_SHARE_KEY,          \
      .doc = text }
#define PATH_PARAMS DIRECTION_PARAMS, CONV_PARAM,                         \
    LINEAR_PARAMS("beta", "beta_bias", "of the strength of each map")

static const struct lct_param plain[] = { PATH_PARAMS, { 0 } };
static const struct lct_param gated[] = {
    PATH_PARAMS,
    LINEAR_PARAMS("forget", "forget_bias", "of the gate that forgets"),
    { 0 }
};
/* clang-format on */

static bool forgets(const locant_encoding *e)
{
    return e->value[FORGET] != 0;
}

static const struct lct_param *params_of(const locant_encoding *e)
{
    return forgets(e) ? gated : plain;
}

/* Uniform within 1/sqrt(inputs); biases 0. */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    (void)e;
    (void)k;
    if (info->rank == 1)
        return false;
    return lct_fill_uniform(out, info,
                            1 / sqrt((double)info->shape[info->rank - 1]), r);
}

/* --------------------------------------------------- the numbers of a token */

/* w [head_dim], b, ln of the forget gate */
static int64_t count(const struct lct_call *c)
{
    return c->head_dim + 2;
}

/* down x of each of the tokens [kernel, rank], its gradient, and v [D]. */
static int64_t memory(const struct lct_call *c)
{
    return 2 * (int64_t)(c->e->value[KERNEL] * c->e->value[RANK]) +
           2 * c->head_dim;
}

struct token {
    int64_t rank, kernel;
    int tokens; /* that the convolution reads */
    double *low, *dlow, *v, *dv;
};

static struct token token_of(const struct lct_call *c,
                             const struct lct_inputs *t)
{
    struct token s = { .rank = (int64_t)c->e->value[RANK],
                       .kernel = (int64_t)c->e->value[KERNEL] };

    s.tokens = t->count < s.kernel ? t->count : (int)s.kernel;
    s.low = t->memory;
    s.dlow = s.low + s.kernel * s.rank;
    s.v = s.dlow + s.kernel * s.rank;
    s.dv = s.v + c->head_dim;
    for (int n = 0; n < s.tokens; n++)
        for (int64_t r = 0; r < s.rank; r++)
            s.low[n * s.rank + r] =
                lct_dot(c->param[DOWN] + r * c->width, t->x[n], c->width);
    return s;
}

/* conv(up low) of channel 'at' of all heads */
static double convolved(const struct lct_call *c, const struct token *s,
                        int64_t at)
{
    double sum = 0;

    for (int n = 0; n < s->tokens; n++)
        sum +=
            c->param[CONV][(at + 1) * s->kernel - 1 - n] *
            lct_dot(c->param[UP] + at * s->rank, s->low + n * s->rank, s->rank);
    return sum;
}

/* v of a head; returns its length. */
static double direction(const struct lct_call *c, const struct token *s,
                        int64_t head)
{
    int64_t D = c->head_dim;

    for (int64_t d = 0; d < D; d++) {
        double a = convolved(c, s, head * D + d);

        s->v[d] = a * lct_sigmoid(a);
    }
    return sqrt(lct_dot(s->v, s->v, D) + 1e-6);
}

/* <weight, x> + bias of a head */
static double linear(const struct lct_call *c, const struct lct_inputs *t,
                     int weight, int64_t head)
{
    return lct_dot(c->param[weight] + head * c->width, t->x[0], c->width) +
           c->param[weight + 1][head];
}

static void token_values(double *out, const struct lct_call *c,
                         const struct lct_inputs *t)
{
    struct token s = token_of(c, t);
    int64_t D = c->head_dim;

    for (int64_t h = 0; h < c->heads; h++, out += D + 2) {
        double length = direction(c, &s, h);

        for (int64_t d = 0; d < D; d++)
            out[d] = s.v[d] / length;
        out[D] = 2 * lct_sigmoid(linear(c, t, BETA, h));
        out[D + 1] = forgets(c->e) ? lct_log_sigmoid(linear(c, t, GATE, h)) : 0;
    }
}

/* forward: linear() */
static void linear_backward(double *const *dparam, const struct lct_call *c,
                            const struct lct_inputs *t, int weight,
                            int64_t head, double d)
{
    lct_accumulate(dparam[weight] + head * c->width, d, t->x[0], c->width);
    dparam[weight + 1][head] += d;
    lct_accumulate(t->dx[0], d, c->param[weight] + head * c->width, c->width);
}

/* forward: convolved(): dconv, dup, and the gradient of low */
static void convolved_backward(double *const *dparam, const struct lct_call *c,
                               const struct token *s, int64_t at, double da)
{
    const double *up = c->param[UP] + at * s->rank;

    for (int n = 0; n < s->tokens; n++) {
        int64_t tap = (at + 1) * s->kernel - 1 - n;
        double by = da * c->param[CONV][tap];

        dparam[CONV][tap] += da * lct_dot(up, s->low + n * s->rank, s->rank);
        lct_accumulate(dparam[UP] + at * s->rank, by, s->low + n * s->rank,
                       s->rank);
        lct_accumulate(s->dlow + n * s->rank, by, up, s->rank);
    }
}

/*
 * forward: w = v / |v|, v = silu(a): dv = (dw - w <w, dw>) / |v|, da = dv s (1
 * + a (1 - s)), s = sigmoid(a).
 */
static void direction_backward(double *const *dparam, const struct lct_call *c,
                               const struct token *s, int64_t head,
                               const double *dw)
{
    int64_t D = c->head_dim;
    double length = direction(c, s, head);
    double along = lct_dot(s->v, dw, D) / (length * length);

    for (int64_t d = 0; d < D; d++)
        s->dv[d] = (dw[d] - along * s->v[d]) / length;
    for (int64_t d = 0; d < D; d++) {
        double a = convolved(c, s, head * D + d), sigmoid = lct_sigmoid(a);

        convolved_backward(dparam, c, s, head * D + d,
                           s->dv[d] * sigmoid * (1 + a * lct_sigmoid(-a)));
    }
}

static void backward(double *const *dparam, const double *dout,
                     const struct lct_call *c, const struct lct_inputs *t)
{
    struct token s = token_of(c, t);
    int64_t D = c->head_dim;

    memset(s.dlow, 0, (size_t)(s.kernel * s.rank) * sizeof(*s.dlow));
    for (int64_t h = 0; h < c->heads; h++, dout += D + 2) {
        double b = lct_sigmoid(linear(c, t, BETA, h));

        direction_backward(dparam, c, &s, h, dout);
        linear_backward(dparam, c, t, BETA, h, dout[D] * 2 * b * (1 - b));
        if (forgets(c->e))
            linear_backward(dparam, c, t, GATE, h,
                            dout[D + 1] * lct_sigmoid(-linear(c, t, GATE, h)));
    }
    for (int n = 0; n < s.tokens; n++)
        for (int64_t r = 0; r < s.rank; r++) {
            double d = s.dlow[n * s.rank + r];

            lct_accumulate(dparam[DOWN] + r * c->width, d, t->x[n], c->width);
            lct_accumulate(t->dx[n], d, c->param[DOWN] + r * c->width,
                           c->width);
        }
}

static const struct lct_token_angles token_numbers = {
    .count = count,
    .reach = MOST_KERNEL,
    .memory = memory,
    .numbers = token_values,
    .backward = backward,
};

/* ------------------------------------------------------------------- scores */

/* For tiles; the hooks below are the reference. */
static void products(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences)
{
    (void)differences;
    out->maps = (struct lct_map_params){ .rank = (int64_t)e->value[RANK],
                                         .kernel = (int64_t)e->value[KERNEL],
                                         .down = DOWN,
                                         .up = UP,
                                         .conv = CONV,
                                         .beta = BETA,
                                         .beta_bias = BETA_BIAS };
    out->gate_weight = forgets(e) ? GATE : -1;
    out->gate_bias = forgets(e) ? GATE_BIAS : -1;
    out->gates_scaled = true;
}

/* u := H u = u - b w <w, u> of a token */
static void apply(double *u, const double *token, int64_t D)
{
    lct_accumulate(u, -token[D] * lct_dot(token, u, D), token, D);
}

/* Keys up to the query: how many places of c->order. */
static int64_t seen(const struct lct_content *c, int64_t q_pos)
{
    int64_t n = c->keys;

    while (n > 0 && c->k_pos[c->order[n - 1]] > q_pos)
        n--;
    return n;
}

static void scores(double *s, const struct lct_content *c,
                   const struct lct_query *q)
{
    int64_t D = c->call.head_dim;

    for (int64_t h = 0; h < c->call.heads; h++, s += c->keys) {
        const double *row = q->q + h * D;
        double *u = q->memory, sum = 0;

        memcpy(u, row, (size_t)D * sizeof(*u));
        for (int64_t n = seen(c, q->pos); n-- > 0;) {
            int64_t j = c->order[n];
            const double *k = c->k + lct_key_at(c, h, j);
            const double *token = c->numbers + lct_token_at(c, h, j);

            if (!lct_is_hidden(s[j]))
                s[j] +=
                    c->scale * (lct_dot(u, k, D) - lct_dot(row, k, D) + sum);
            apply(u, token, D);
            sum += token[D + 1];
        }
    }
}

/* The queries that meet each key, [keys, D], in q->memory. */
static void walk(double *history, const struct lct_content *c,
                 const struct lct_query *q, int64_t head)
{
    int64_t D = c->call.head_dim, n = seen(c, q->pos);
    size_t row = (size_t)D * sizeof(*history);

    memcpy(history + n * D, q->q + head * D, row);
    for (; n-- > 0;) {
        double *u = history + n * D;

        memcpy(u, u + D, row);
        if (n + 1 < seen(c, q->pos)) /* the maps of the keys passed */
            apply(u, c->numbers + lct_token_at(c, head, c->order[n + 1]), D);
    }
}

/*
 * forward: s = scale (<u, k> + sum), then u' = u - b w <w, u>.  From the oldest
 * key on, with a the gradient of u': db = -<w, u> <w, a>, dw = -b (<w, u> a +
 * <w, a> u), du = H a + scale ds k, dk = scale ds u.  Attention adds the
 * gradients of scale <q, k> itself.
 */
static void head_backward(const double *ds,
                          const struct lct_content_gradient *g,
                          const struct lct_content *c,
                          const struct lct_query *q, int64_t head)
{
    int64_t D = c->call.head_dim, most = seen(c, q->pos);
    const double *row = q->q + head * D;
    double *a = q->memory + (most + 1) * D, older = 0;

    walk(q->memory, c, q, head);
    memset(a, 0, (size_t)D * sizeof(*a));
    for (int64_t n = 0; n < most; n++) {
        int64_t j = c->order[n], at = lct_token_at(c, head, j);
        const double *w = c->numbers + at, *u = q->memory + n * D;
        const double *k = c->k + lct_key_at(c, head, j);
        double *dw = g->dnumbers + at, d = c->scale * ds[j];
        double along_u = lct_dot(w, u, D), along_a = lct_dot(w, a, D);

        dw[D] -= along_u * along_a;
        dw[D + 1] += older;
        lct_accumulate(dw, -w[D] * along_u, a, D);
        lct_accumulate(dw, -w[D] * along_a, u, D);
        lct_accumulate(a, -w[D] * along_a, w, D);
        if (d == 0)
            continue;
        older += d;
        lct_accumulate(a, d, k, D);
        lct_accumulate(g->dk + lct_key_at(c, head, j), d, u, D);
        lct_accumulate(g->dk + lct_key_at(c, head, j), -d, row, D);
        lct_accumulate(g->dq + head * D, -d, k, D);
    }
    lct_accumulate(g->dq + head * D, 1, a, D);
}

static void scores_backward(double *ds, const struct lct_content_gradient *g,
                            const double *s, const struct lct_content *c,
                            const struct lct_query *q)
{
    (void)s;
    for (int64_t h = 0; h < c->call.heads; h++)
        head_backward(ds + h * c->keys, g, c, q, h);
}

static const locant_variant variants[] = {
    { "path", "maps along the path", "PaTH" },
    { "path(forget=yes)", "and gates that forget", "PaTH-FoX" },
    { 0 }
};

const struct lct_encoding lct_enc_path = {
    .info = {
        .name = "path",
        .title = "Accumulated Householder maps (PaTH)",
        .formula = "s[h,i,j] = scale <q_i, H_i .. H_{j+1} k_j>, H_t = I - b_t "
                   "w_t w_t^T, w_t of length 1 and b_t in (0, 2) from x",
        .gradient = "from the oldest key on, a the gradient of u: db = -<w, u> "
                    "<w, a>, dw = -b (<w, u> a + <w, a> u), a <- H a + scale "
                    "dS k; dk = scale dS u; dq = a at last",
        .source = "Yang et al. 2025, arXiv:2505.16381; flash-linear-attention, "
                  "layers/path_attn",
        .used_by = "research",
        .pitfalls = "Its gates stand within the scale, those of fox do not.  "
                    "Keys in a cache do not stay as they were if maps are "
                    "applied to them; here queries take the maps, and a "
                    "state keeps them between steps.  Keys need as many heads "
                    "as queries.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_READS_X | LOCANT_TRAIT_CAUSAL,
    },
    .keys = keys,
    .params = { .list = plain, .list_of = params_of, .fill = fill },
    .content = {
        .products = products,
        .scores = scores,
        .backward = scores_backward,
        .token_numbers = &token_numbers,
    },
};
