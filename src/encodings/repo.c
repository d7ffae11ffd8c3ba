/*
 * repo.c - positions that the input of a layer chooses, for rotary heads.
 *
 * Li et al.: RePo: Language Models with Context Re-Positioning. 2025.
 * arXiv:2512.14391; the authors' code (SakanaAI/repo).
 *
 *     r_t = silu(W_g x_t) * (W_c x_t),   z_t = <w_h, r_t>
 *     q and k of head h at token t are rotated as by rope at position z_t
 *
 * A position is real and its own for each head.  Masks still go by the tokens'
 * own positions.  Weights start at N(0, 0.02^2), so training starts close to no
 * encoding.  The released model has it from layer 5 on, rope below.
 */
#include "content.h"

enum { BASE, HIDDEN, SHARE };
enum { GATE, CONTENT, POSITION };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(500000, "frequencies are base^(-2c/head_dim)"),
    { .name = "hidden", .kind = LCT_INTEGER, .def = 0, .min = 0,
      .max = 1 << 16, .doc = "units between input and position; 0: width / 8" },
    LCT_SHARE(0, "yes: the same parameters in all layers"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "gate", .dims = { "units", "width" }, LCT_NORMAL(0, 0.02),
      .scope = LCT_SHARE_KEY, .doc = "W_g: makes the gate of the units" },
    { .name = "content", .dims = { "units", "width" }, LCT_NORMAL(0, 0.02),
      .scope = LCT_SHARE_KEY, .doc = "W_c: makes what it multiplies" },
    { .name = "position", .dims = { "heads", "units" }, LCT_NORMAL(0, 0.02),
      .scope = LCT_SHARE_KEY, .doc = "w: makes the position of each head" },
    { 0 }
};
/* clang-format on */

static int64_t units_of(const locant_encoding *e, int64_t width)
{
    int64_t hidden = (int64_t)e->value[HIDDEN];

    return hidden > 0 ? hidden : width >= 8 ? width / 8 : width > 0;
}

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)name; /* always "units" */
    return units_of(e, sizes->width);
}

static double frequency(const locant_encoding *e, int64_t c, int64_t pairs)
{
    return pow(e->value[BASE], -(double)c / (double)pairs);
}

/* The units of a token, in the scratch memory. */
struct units {
    double *gate, *content, *unit; /* [n] */
    int64_t n;
};

static int64_t memory(const struct lct_call *c)
{
    return 3 * units_of(c->e, c->width);
}

static struct units units_at(const struct lct_call *c,
                             const struct lct_inputs *t)
{
    int64_t n = units_of(c->e, c->width), W = c->width;
    struct units u = { t->memory, t->memory + n, t->memory + 2 * n, n };

    for (int64_t i = 0; i < n; i++) {
        u.gate[i] = lct_dot(c->param[GATE] + i * W, t->x[0], W);
        u.content[i] = lct_dot(c->param[CONTENT] + i * W, t->x[0], W);
        u.unit[i] = u.gate[i] * lct_sigmoid(u.gate[i]) * u.content[i];
    }
    return u;
}

static void numbers(double *out, const struct lct_call *c,
                    const struct lct_inputs *t)
{
    struct units u = units_at(c, t);

    for (int64_t h = 0; h < c->heads; h++)
        out[h] = lct_dot(c->param[POSITION] + h * u.n, u.unit, u.n);
}

/*
 * forward: z_h = <w_h, r>, r = silu(a) b: dw_h = dz_h r, dr = sum dz_h w_h;
 * da = dr b silu'(a), silu'(a) = s (1 + a (1 - s)), s = sigmoid(a); db = dr
 * silu(a).
 */
static void backward(double *const *dparam, const double *dout,
                     const struct lct_call *c, const struct lct_inputs *t)
{
    struct units u = units_at(c, t);
    int64_t W = c->width;

    for (int64_t h = 0; h < c->heads; h++)
        lct_accumulate(dparam[POSITION] + h * u.n, dout[h], u.unit, u.n);
    for (int64_t i = 0; i < u.n; i++) {
        double s = lct_sigmoid(u.gate[i]), dr = 0, da, db;

        for (int64_t h = 0; h < c->heads; h++)
            dr += dout[h] * c->param[POSITION][h * u.n + i];
        da = dr * u.content[i] * s * (1 + u.gate[i] * lct_sigmoid(-u.gate[i]));
        db = dr * u.gate[i] * s;
        lct_accumulate(dparam[GATE] + i * W, da, t->x[0], W);
        lct_accumulate(dparam[CONTENT] + i * W, db, t->x[0], W);
        lct_accumulate(t->dx[0], da, c->param[GATE] + i * W, W);
        lct_accumulate(t->dx[0], db, c->param[CONTENT] + i * W, W);
    }
}

static const struct lct_token_angles token_angles = {
    .one = true,
    .reach = 1,
    .frequency = frequency,
    .memory = memory,
    .numbers = numbers,
    .backward = backward,
};

static const locant_variant variants[] = {
    { "repo", "positions from the input, base 500000", "RePo, layers 5 on" },
    { 0 }
};

const struct lct_encoding lct_enc_repo = {
    .info = {
        .name = "repo",
        .title = "Context re-positioning (RePo)",
        .formula = "q, k of head h rotated by z_t base^(-2c/D), z_t = <w_h, "
                   "silu(W_g x_t) * (W_c x_t)>",
        .gradient = "dz_t = sum over pairs of f_c (dy_b y_a - dy_a y_b), of q "
                    "and k; dw_h = sum dz r; dr = sum dz_h w_h; then through "
                    "the gate to W_g, W_c and x",
        .source = "Li et al. 2025, arXiv:2512.14391; SakanaAI/repo",
        .used_by = "research",
        .pitfalls = "Positions need float32 or better.  Order comes from the "
                    "causal mask alone: the past may be permuted.  A position "
                    "is per head of queries, so keys need as many heads.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_READS_X,
    },
    .keys = keys,
    .params = { .list = params, .size = size },
    .content = { .token_angles = &token_angles, .scores_only = true },
};
