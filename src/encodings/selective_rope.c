/*
 * selective_rope.c - rotary angles that accumulate what a small network reads
 * in the last few tokens.
 *
 * Movahedi et al.: Selective Rotary Position Embedding. 2025.
 * arXiv:2511.17388; the authors' code (timurcarstensen/selective-rope).
 *
 *     u_t = x_t, each head's slice divided by sqrt(its squares + 1e-6)
 *     a_t = up (down u_t)
 *     phi_t = (sum over i < kernel of conv[kernel - 1 - i] a_{t-i} + e^bias)
 *             sigmoid(gate u_t)
 *     pair c of token t is rotated by peak base^(-2c/D) times the sum over
 *     s <= t of phi_s
 *
 * with numbers for each head and pair, the gate for each head or each of its
 * pairs; bias and gate are options.  Sums are in double in order of position;
 * convolution and sums start anew in each document.  Projections and
 * convolution start as the layers of PyTorch.
 */
#include "content.h"

enum { RANK, KERNEL, BASE, PEAK, BIAS, GATE, SHARE };
enum { DOWN, UP, CONV, MORE }; /* parameters; then as the keys say */
enum { NO_GATE, GATE_HEAD, GATE_PAIR };
enum { MOST_KERNEL = 8, MOST_RANK = 256 };

static const char *const gates[] = { "none", "head", "pair", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "rank", .kind = LCT_INTEGER, .def = 16, .min = 1,
      .max = MOST_RANK, .doc = "units between input and angles" },
    { .name = "kernel", .kind = LCT_INTEGER, .def = 4, .min = 1,
      .max = MOST_KERNEL, .doc = "tokens that the convolution reads" },
    LCT_BASE(500000, "angles are multiplied by peak base^(-2c/head_dim)"),
    { .name = "peak", .kind = LCT_NUMBER, .def = 1, .min = 0,
      .min_open = true, .max = 1e6, .doc = "the largest of these factors" },
    { .name = "bias", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: e^bias is added to each step; at 0 that is rope" },
    { .name = "gate", .kind = LCT_WORD, .def = NO_GATE, .words = gates,
      .doc = "head, pair: steps are multiplied by a gate of the input, for "
             "each head or each of its pairs" },
    LCT_SHARE(0, "yes: the same parameters in all layers"),
    { 0 }
};

#define PROJECTION_PARAMS                                                 \
    { .name = "down", .dims = { "rank", "width" },                        \
      .scope = LCT_SHARE_KEY, .doc = "first layer (phi_proj.0)" },        \
    { .name = "up", .dims = { "heads", "pairs", "rank" },                 \
      .scope = LCT_SHARE_KEY, .doc = "second layer (phi_proj.1)" }
#define CONV_PARAM                                                        \
    { .name = "conv", .dims = { "heads", "pairs", "kernel" },             \
      .scope = LCT_SHARE_KEY, .doc = "of the last tokens, the token's own " \
      "last (phi_conv1d)" }
#define NETWORK_PARAMS PROJECTION_PARAMS, CONV_PARAM
#define BIAS_PARAM                                                        \
    { .name = "bias", .dims = { "heads", "pairs" }, .rate = 10,           \
      .scope = LCT_SHARE_KEY,                                             \
      .doc = "logarithm of the step of each pair (phi_bias)" }
#define GATE_PARAMS(...)                                                  \
    { .name = "gate_weight", .dims = { __VA_ARGS__, "width" },            \
      .scope = LCT_SHARE_KEY, .doc = "of the gate (phase_gate_proj)" },   \
    { .name = "gate_bias", .dims = { __VA_ARGS__ },                       \
      .scope = LCT_SHARE_KEY, .doc = "of the gate (phase_gate_proj)" }

static const struct lct_param plain[] = { NETWORK_PARAMS, { 0 } };
static const struct lct_param biased[] = { NETWORK_PARAMS, BIAS_PARAM, { 0 } };
static const struct lct_param of_heads[] = {
    NETWORK_PARAMS, GATE_PARAMS("heads"), { 0 }
};
static const struct lct_param biased_of_heads[] = {
    NETWORK_PARAMS, BIAS_PARAM, GATE_PARAMS("heads"), { 0 }
};
static const struct lct_param of_pairs[] = {
    NETWORK_PARAMS, GATE_PARAMS("heads", "pairs"), { 0 }
};
static const struct lct_param biased_of_pairs[] = {
    NETWORK_PARAMS, BIAS_PARAM, GATE_PARAMS("heads", "pairs"), { 0 }
};
/* clang-format on */

static bool has_bias(const locant_encoding *e)
{
    return e->value[BIAS] != 0;
}

static bool has_gate(const locant_encoding *e)
{
    return e->value[GATE] != NO_GATE;
}

static const struct lct_param *params_of(const locant_encoding *e)
{
    static const struct lct_param *const lists[][2] = {
        { plain, biased },
        { of_heads, biased_of_heads },
        { of_pairs, biased_of_pairs },
    };

    return lists[(int)e->value[GATE]][has_bias(e)];
}

/* Indices of parameters; -1: there is none. */
static int bias_param(const locant_encoding *e)
{
    return has_bias(e) ? MORE : -1;
}

static int gate_param(const locant_encoding *e)
{
    return has_gate(e) ? MORE + has_bias(e) : -1;
}

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)e;
    (void)name; /* always "pairs" */
    return sizes->head_dim / 2;
}

/* Uniform within 1/sqrt(inputs). */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    if (k == bias_param(e) || (has_gate(e) && k == gate_param(e) + 1))
        return false;
    return lct_fill_uniform(out, info,
                            1 / sqrt((double)info->shape[info->rank - 1]), r);
}

static double frequency(const locant_encoding *e, int64_t c, int64_t pairs)
{
    return e->value[PEAK] * pow(e->value[BASE], -(double)c / (double)pairs);
}

/* What is computed of a token and those before it, in the scratch memory. */
struct steps {
    int64_t rank, kernel, pairs;
    double *unit; /* [width]: u of one token */
    double *du;   /* [width] */
    double *low;  /* [kernel, rank]: down u of each token */
    double *dlow; /* [kernel, rank] */
};

static int64_t memory(const struct lct_call *c)
{
    return 2 * c->width +
           2 * (int64_t)(c->e->value[KERNEL] * c->e->value[RANK]);
}

static struct steps steps_in(const struct lct_call *c,
                             const struct lct_inputs *t)
{
    struct steps s = { .rank = (int64_t)c->e->value[RANK],
                       .kernel = (int64_t)c->e->value[KERNEL],
                       .pairs = c->head_dim / 2 };

    s.unit = t->memory;
    s.du = s.unit + c->width;
    s.low = s.du + c->width;
    s.dlow = s.low + s.kernel * s.rank;
    return s;
}

/* The convolution reads as many tokens as the spec says. */
static int count_of(const struct steps *s, const struct lct_inputs *t)
{
    return t->count < s->kernel ? t->count : (int)s->kernel;
}

static double length_of(const double *x, int64_t n)
{
    return sqrt(lct_dot(x, x, n) + 1e-6);
}

/* u: the slices of x [heads, head_dim] divided by their lengths */
static void normalise(double *u, const struct lct_call *c, const double *x)
{
    for (int64_t h = 0; h < c->heads; h++, x += c->head_dim) {
        double length = length_of(x, c->head_dim);

        for (int64_t d = 0; d < c->head_dim; d++)
            *u++ = x[d] / length;
    }
}

/* forward: u = x / sqrt(x.x + eps): dx += (du - u <u, du>) / length */
static void normalise_backward(double *dx, const struct lct_call *c,
                               const double *du, const double *x)
{
    int64_t D = c->head_dim;

    for (int64_t h = 0; h < c->heads; h++, x += D, dx += D, du += D) {
        double length = length_of(x, D);
        double along = lct_dot(x, du, D) / (length * length);

        lct_accumulate(dx, 1 / length, du, D);
        lct_accumulate(dx, -along / length, x, D);
    }
}

/* s.low of all tokens; s.unit of the token itself is left. */
static struct steps steps_of(const struct lct_call *c,
                             const struct lct_inputs *t)
{
    struct steps s = steps_in(c, t);

    for (int n = count_of(&s, t); n-- > 0;) {
        normalise(s.unit, c, t->x[n]);
        for (int64_t r = 0; r < s.rank; r++)
            s.low[n * s.rank + r] =
                lct_dot(c->param[DOWN] + r * c->width, s.unit, c->width);
    }
    return s;
}

/* The step of pair 'at' of all heads before its gate. */
static double step(const struct lct_call *c, const struct lct_inputs *t,
                   const struct steps *s, int64_t at)
{
    int bias = bias_param(c->e);
    double sum = bias >= 0 ? exp(c->param[bias][at]) : 0;

    for (int n = 0; n < count_of(s, t); n++)
        sum +=
            c->param[CONV][(at + 1) * s->kernel - 1 - n] *
            lct_dot(c->param[UP] + at * s->rank, s->low + n * s->rank, s->rank);
    return sum;
}

/* Neighbouring pairs of all heads that share a gate. */
static int64_t pairs_of_gate(const struct lct_call *c, const struct steps *s)
{
    return c->e->value[GATE] == GATE_PAIR ? 1 : s->pairs;
}

/* Gate n, of the unit input of the token; 1 without gates. */
static double gate_of(const struct lct_call *c, const struct steps *s,
                      int64_t n)
{
    int gate = gate_param(c->e);

    if (gate < 0)
        return 1;
    return lct_sigmoid(
        lct_dot(c->param[gate] + n * c->width, s->unit, c->width) +
        c->param[gate + 1][n]);
}

static void numbers(double *out, const struct lct_call *c,
                    const struct lct_inputs *t)
{
    struct steps s = steps_of(c, t);
    int64_t each = pairs_of_gate(c, &s);

    for (int64_t n = 0; n < c->heads * s.pairs / each; n++) {
        double gate = gate_of(c, &s, n);

        for (int64_t i = n * each; i < (n + 1) * each; i++)
            out[i] = gate * step(c, t, &s, i);
    }
}

/*
 * forward: step = e^bias + sum of conv[kernel - 1 - n] <up, low_n>: dconv =
 * dstep <up, low_n>, dup = dstep conv low_n, dlow_n = dstep conv up.
 */
static void step_backward(double *const *dparam, const struct lct_call *c,
                          const struct lct_inputs *t, const struct steps *s,
                          int64_t at, double dstep)
{
    int bias = bias_param(c->e);
    const double *up = c->param[UP] + at * s->rank;

    if (bias >= 0)
        dparam[bias][at] += dstep * exp(c->param[bias][at]);
    for (int n = 0; n < count_of(s, t); n++) {
        int64_t tap = (at + 1) * s->kernel - 1 - n;
        double by = dstep * c->param[CONV][tap];

        dparam[CONV][tap] += dstep * lct_dot(up, s->low + n * s->rank, s->rank);
        lct_accumulate(dparam[UP] + at * s->rank, by, s->low + n * s->rank,
                       s->rank);
        lct_accumulate(s->dlow + n * s->rank, by, up, s->rank);
    }
}

/* forward: gate = sigmoid(weight u + bias); adds to du of the token. */
static void gate_backward(double *const *dparam, const struct lct_call *c,
                          const struct steps *s, int64_t n, double dgate)
{
    int param = gate_param(c->e);
    double gate = gate_of(c, s, n), d = dgate * gate * (1 - gate);

    if (param < 0)
        return;
    lct_accumulate(dparam[param] + n * c->width, d, s->unit, c->width);
    dparam[param + 1][n] += d;
    lct_accumulate(s->du, d, c->param[param] + n * c->width, c->width);
}

/* forward: low_n = down u_n; du already has the gradient of the gate. */
static void low_backward(double *const *dparam, const struct lct_call *c,
                         const struct lct_inputs *t, const struct steps *s)
{
    for (int n = 0; n < count_of(s, t); n++) {
        normalise(s->unit, c, t->x[n]);
        for (int64_t r = 0; r < s->rank; r++) {
            double d = s->dlow[n * s->rank + r];

            lct_accumulate(dparam[DOWN] + r * c->width, d, s->unit, c->width);
            lct_accumulate(s->du, d, c->param[DOWN] + r * c->width, c->width);
        }
        normalise_backward(t->dx[n], c, s->du, t->x[n]);
        for (int64_t i = 0; i < c->width; i++)
            s->du[i] = 0;
    }
}

/* forward: out = gate step */
static void backward(double *const *dparam, const double *dout,
                     const struct lct_call *c, const struct lct_inputs *t)
{
    struct steps s = steps_of(c, t);
    int64_t each = pairs_of_gate(c, &s);

    for (int64_t i = 0; i < c->width; i++)
        s.du[i] = 0;
    for (int64_t i = 0; i < s.kernel * s.rank; i++)
        s.dlow[i] = 0;
    for (int64_t n = 0; n < c->heads * s.pairs / each; n++) {
        double gate = gate_of(c, &s, n), dgate = 0;

        for (int64_t i = n * each; i < (n + 1) * each; i++) {
            dgate += dout[i] * step(c, t, &s, i);
            step_backward(dparam, c, t, &s, i, dout[i] * gate);
        }
        gate_backward(dparam, c, &s, n, dgate);
    }
    low_backward(dparam, c, t, &s);
}

static const struct lct_token_angles token_angles = {
    .sums = true,
    .reach = MOST_KERNEL,
    .frequency = frequency,
    .memory = memory,
    .numbers = numbers,
    .backward = backward,
};

static const locant_variant variants[] = {
    { "selective-rope", "as the authors' code starts", "Selective RoPE" },
    { "selective-rope(bias=yes)", "with a step of its own for each pair",
      "Selective RoPE with use_bias" },
    { "selective-rope(gate=head)", "with a gate for each head",
      "Selective RoPE with use_gate" },
    { 0 }
};

const struct lct_encoding lct_enc_selective_rope = {
    .info = {
        .name = "selective-rope",
        .title = "Selective rotary embedding (Selective RoPE)",
        .formula = "pair c of head h at token t rotated by f_c sum over s <= t "
                   "of phi_s, phi = conv(up down u), u = x normalised per head",
        .gradient = "dphi_t = f_c (dy_b y_a - dy_a y_b), of q and k, summed "
                    "from t on; then through the convolution and both layers "
                    "to x",
        .source = "Movahedi et al. 2025, arXiv:2511.17388; "
                  "timurcarstensen/selective-rope, rotary.py",
        .used_by = "research",
        .pitfalls = "A norm of queries and keys stands after the rotation.  "
                    "Angles grow without a bound, so sums need double.  Keys "
                    "need as many heads as queries.  x has a slice for each "
                    "head, so its width is heads times head_dim.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_READS_X,
    },
    .keys = keys,
    .params = {
        .list = plain,
        .list_of = params_of,
        .size = size,
        .fill = fill,
    },
    .content = {
        .token_angles = &token_angles,
        .scores_only = true,
        .splits_x = true,
    },
};
