/*
 * alibi.c - attention with linear biases.
 *
 * Press, Smith, Lewis:  Train Short, Test Long:  Attention with Linear Biases
 * Enables Input Length Extrapolation. 2022. arXiv:2108.12409, section 3. Slopes
 * of H heads, H a power of two, are 2^(-8/H), 2^(-16/H), ..; for other H the
 * authors' code takes those of the power of two below, then every other one of
 * the power of two above.  The dialects follow other software. Most depend on
 * the key's position only, which gives the same causal softmax as the distance.
 * Falcon's does not: build_alibi_tensor() of transformers rounds slopes,
 * positions and their products to bfloat16, and its attention (sdpa; the eager
 * one adds the bias twice) multiplies them by the scale of the scores.
 */
#include "slopes.h"
#include <math.h>
#include <string.h>

enum { SYMMETRIC, DIALECT, MAX, LEARNED };
enum { PRESS, BLOOM, MPT, FALCON };

static const char *const dialects[] = { "press", "bloom", "mpt", "falcon",
                                        NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "symmetric", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: distance |p_i - p_j|, for encoders; no: p_i - p_j" },
    { .name = "dialect", .kind = LCT_WORD, .def = PRESS, .words = dialects,
      .doc = "press: -m (p_i - p_j); bloom: m p_j; mpt: m (p_j - last key); "
             "falcon: m p_j times the scale of the scores, m, p_j and their "
             "product in bfloat16 if the slopes are fixed" },
    { .name = "max", .kind = LCT_NUMBER, .def = 8, .min = 0, .min_open = true,
      .max = 64, .doc = "slopes are 2^(-max h/H), h = 1 .. H" },
    { .name = "learned", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: logarithms of the slopes are parameters" },
    { 0 }
};

static const struct lct_param learned_params[] = {
    { .name = "slope", .dims = { "heads" }, .rate = 10,
      .doc = "logarithm of each head's slope, -40 .. 40; initially that of "
             "the fixed slope" },
    { 0 }
};
/* clang-format on */

static const struct lct_param *params_of(const locant_encoding *e)
{
    return e->value[LEARNED] != 0 ? learned_params : NULL;
}

static unsigned traits(const locant_encoding *e)
{
    bool distance = e->value[DIALECT] == PRESS;

    return (e->value[LEARNED] != 0 ? LOCANT_TRAIT_LEARNED : 0) |
           (e->value[DIALECT] == MPT ? LOCANT_TRAIT_LENGTH : 0) |
           (distance ? LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_MONOTONE : 0);
}

static locant_status check(const locant_encoding *e)
{
    if (e->value[DIALECT] == PRESS || e->value[SYMMETRIC] == 0)
        return LOCANT_OK;
    return LCT_REFUSE("alibi with dialect=%s counts from the key alone, "
                      "expected symmetric=no",
                      dialects[(int)e->value[DIALECT]]);
}

/* The nearest bfloat16, ties to even. */
static double to_bfloat16(double x)
{
    float f = (float)x;
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

static double slope_of(const struct lct_call *c, int64_t head)
{
    if (c->e->value[LEARNED] != 0)
        return exp(c->param[0][head]);
    return lct_slope(c->e->value[MAX], head, c->heads);
}

/* Learned slopes are not rounded: the gradient is that of the exact bias. */
static bool in_bfloat16(const locant_encoding *e)
{
    return e->value[DIALECT] == FALCON && e->value[LEARNED] == 0;
}

static bool slope(double *out, const struct lct_call *c, int64_t head)
{
    *out = slope_of(c, head);
    return !in_bfloat16(c->e);
}

/* The learned slopes start at the fixed ones. */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    (void)k;
    (void)r;
    for (int64_t h = 0; h < info->shape[0]; h++)
        out[h] = log(lct_slope(e->value[MAX], h, info->shape[0]));
    return true;
}

/* Keep exp(value) times any distance finite. */
static double project(const locant_encoding *e, int k, double value)
{
    (void)e;
    (void)k;
    return fmax(-40, fmin(value, 40)); /* NaN becomes -40 */
}

/* -d or -|d|, never -0 */
static double backwards(const struct lct_call *c, double d)
{
    return 0 - (c->e->value[SYMMETRIC] != 0 ? fabs(d) : d);
}

/* The bias is the slope times this. */
static double relative_position(const struct lct_call *c, int64_t q_pos,
                                int64_t k_pos)
{
    switch ((int)c->e->value[DIALECT]) {
    case BLOOM: return (double)k_pos;
    case MPT: return (double)lct_distance(k_pos, c->last);
    case FALCON: return (double)k_pos * c->scale;
    default: return backwards(c, (double)lct_distance(q_pos, k_pos));
    }
}

static void relative_positions(double *out, const struct lct_call *c,
                               int64_t q_pos, const int64_t *k_pos, size_t n)
{
    for (size_t j = 0; j < n; j++)
        out[j] = relative_position(c, q_pos, k_pos[j]);
}

/* Rounded once: the product of two bfloat16 is exact in double. */
static void falcon_bias(double *out, const struct lct_call *c, double m,
                        const int64_t *k_pos, size_t n)
{
    m = to_bfloat16(m);
    for (size_t j = 0; j < n; j++)
        out[j] = to_bfloat16(m * to_bfloat16((double)k_pos[j])) * c->scale;
}

static void bias(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n)
{
    double m = slope_of(c, head);

    if (in_bfloat16(c->e)) {
        falcon_bias(out, c, m, k_pos, n);
        return;
    }
    relative_positions(out, c, q_pos, k_pos, n);
    for (size_t j = 0; j < n; j++)
        out[j] *= m;
}

/* forward: out[j] = exp(slope) relative_position(j) */
static void bias_backward(double *const *dparam, const struct lct_call *c,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t n)
{
    double sum = 0;

    if (c->e->value[LEARNED] == 0)
        return;
    for (size_t j = 0; j < n; j++)
        if (dout[j] != 0)
            sum += dout[j] * relative_position(c, q_pos, k_pos[j]);
    dparam[0][head] += slope_of(c, head) * sum;
}

/* Not in bfloat16, and not from the last key, which is an index. */
static bool is_real(const locant_encoding *e)
{
    return e->value[DIALECT] == PRESS || e->value[DIALECT] == BLOOM;
}

/* As relative_position(). */
static double real_position(const struct lct_call *c, double q, double k)
{
    return c->e->value[DIALECT] == BLOOM ? k : backwards(c, q - k);
}

static void real_bias(double *out, const struct lct_call *c,
                      const struct lct_real_keys *x)
{
    double m = slope_of(c, x->head);

    for (size_t j = 0; j < x->n; j++)
        out[j] = m * real_position(c, x->q, x->k[j]);
}

/* forward: out[j] = m k[j], -m (q - k[j]) or -m |q - k[j]| */
static void real_backward(const struct lct_real_gradients *g,
                          const struct lct_call *c,
                          const struct lct_real_keys *x, const double *dout)
{
    double m = slope_of(c, x->head), sum = 0;
    bool symmetric = c->e->value[SYMMETRIC] != 0;

    for (size_t j = 0; j < x->n; j++) {
        if (dout[j] == 0)
            continue;
        sum += dout[j] * real_position(c, x->q, x->k[j]);
        if (c->e->value[DIALECT] == BLOOM)
            g->dk[j] += m * dout[j];
        else
            lct_real_add(
                g, j,
                -m * dout[j] *
                    (symmetric ? lct_sign(lct_real_distance(x, j)) : 1));
    }
    if (g->dparam != NULL && c->e->value[LEARNED] != 0)
        g->dparam[0][x->head] += m * sum;
}

/*
 * For dialects whose bias depends on the key only: the difference is minus the
 * key's position, or the distance of the key from the last one.
 */
static int64_t position_key(const struct lct_call *c, enum lct_role role,
                            int64_t pos)
{
    if (role == LCT_KEY)
        return pos;
    return c->e->value[DIALECT] == MPT ? c->last : 0;
}

static bool pair_of(int64_t *q_pos, int64_t *k_pos, struct lct_call *c,
                    int64_t difference)
{
    c->last = *q_pos = 0;
    *k_pos = -difference;
    return true;
}

static const locant_variant variants[] = {
    { "alibi(symmetric=yes)", "Symmetric ALiBi",
      "encoders: jina-bert-v2, llm-foundry (full)" },
    { "alibi(dialect=bloom)", "Key-only ALiBi", "BLOOM (HF), fairseq" },
    { "alibi(dialect=mpt)", "Key-only ALiBi, 0 at the last key", "MPT (HF)" },
    { "alibi(dialect=falcon)", "ALiBi inside the scale", "Falcon-RW (HF)" },
    { "alibi(max=16)", "ALiBi with maximum 16",
      "MPT checkpoints with alibi_bias_max" },
    { "alibi(learned=yes)", "Learned ALiBi", "x-transformers" },
    { 0 }
};

const struct lct_encoding lct_enc_alibi = {
    .info = {
        .name = "alibi",
        .title = "Attention with linear biases (ALiBi)",
        .formula = "s[h,i,j] += -m_h (p_i - p_j), m_h = 2^(-8 h / H)",
        .source = "Press et al. 2022, arXiv:2108.12409v2, section 3",
        .used_by = "BLOOM, MPT, Falcon-RW, Baichuan-13B, jina-bert-v2",
        .pitfalls = "Added after the 1/sqrt(D) scale and negative for the "
                    "past; key-only forms cannot tell neighbouring keys apart "
                    "in bfloat16 beyond position 256.",
        .gradient = "learned: dslope_h = -m_h sum_ij dS_ij (p_i - p_j); else "
                    "none",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_MONOTONE,
    },
    .keys = keys,
    .check = check,
    .traits = traits,
    .params = { .list_of = params_of, .fill = fill, .project = project },
    .positions = { .real_of = is_real },
    .score = {
        .bias = bias,
        .backward = bias_backward,
        .real = { real_bias, real_backward },
        .fast = {
            .slope = slope,
            .relative_positions = relative_positions,
            .position_key = position_key,
            .pair_of = pair_of,
        },
    },
};
