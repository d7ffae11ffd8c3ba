/*
 * carope.c - rotary angles that accumulate a rate of each token and head.
 *
 * Veisi et al.: Context-aware Rotary Position Embedding. 2025.
 * arXiv:2507.23083.
 *
 *     f_t = 1 / (softplus(<w_h, x_t>) + 1),   0 < f_t < 1
 *     pair c = 1 .. D/2 of token t is rotated by the sum over s <= t of f_s^c
 *
 * The paper gives no code.  It says that training starts from rope, but the
 * formula does not: with w = 0 the rate is 0.5906 for every head and pair 1
 * turns as fast, where rope with 64 channels has 0.7499.  Sums are in double in
 * order of position.  Weights start at N(0, 0.02^2).
 */
#include "content.h"

enum { WEIGHT };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_SHARE(0, "yes: the same weights in all layers"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "weight", .dims = { "heads", "width" }, LCT_NORMAL(0, 0.02),
      .scope = LCT_SHARE_KEY, .doc = "w: of the input in each head's rate" },
    { 0 }
};
/* clang-format on */

static double frequency(const locant_encoding *e, int64_t c, int64_t pairs)
{
    (void)e;
    (void)c;
    (void)pairs;
    return 1;
}

static double logit(const struct lct_call *c, const struct lct_inputs *t,
                    int64_t head)
{
    return lct_dot(c->param[WEIGHT] + head * c->width, t->x[0], c->width);
}

static double rate(double logit)
{
    return 1 / (lct_softplus(logit) + 1);
}

/* Powers of the rate */
static void numbers(double *out, const struct lct_call *c,
                    const struct lct_inputs *t)
{
    int64_t pairs = c->head_dim / 2;

    for (int64_t h = 0; h < c->heads; h++) {
        double f = rate(logit(c, t, h)), power = f;

        for (int64_t i = 0; i < pairs; i++, power *= f)
            out[h * pairs + i] = power;
    }
}

/*
 * forward: out_c = f^c: df = sum c f^(c - 1) dout_c; f = 1 / (softplus(l) + 1):
 * dl = -f^2 sigmoid(l) df.
 */
static void backward(double *const *dparam, const double *dout,
                     const struct lct_call *c, const struct lct_inputs *t)
{
    int64_t pairs = c->head_dim / 2, W = c->width;

    for (int64_t h = 0; h < c->heads; h++) {
        double l = logit(c, t, h), f = rate(l), power = 1, df = 0, dl;

        for (int64_t i = 0; i < pairs; i++, power *= f)
            df += (double)(i + 1) * power * dout[h * pairs + i];
        dl = -f * f * lct_sigmoid(l) * df;
        lct_accumulate(dparam[WEIGHT] + h * W, dl, t->x[0], W);
        lct_accumulate(t->dx[0], dl, c->param[WEIGHT] + h * W, W);
    }
}

static const struct lct_token_angles token_angles = {
    .sums = true,
    .reach = 1,
    .frequency = frequency,
    .numbers = numbers,
    .backward = backward,
};

const struct lct_encoding lct_enc_carope = {
    .info = {
        .name = "carope",
        .title = "Context-aware rotary embedding (CARoPE)",
        .formula = "pair c of head h at token t rotated by sum over s <= t of "
                   "f_s^c, f_s = 1 / (softplus(<w_h, x_s>) + 1)",
        .gradient = "dphi_t = dy_b y_a - dy_a y_b, of q and k, summed from t "
                    "on; df = sum c f^(c - 1) dphi_c; dl = -f^2 sigmoid(l) df; "
                    "dw += dl x; dx += dl w",
        .source = "Veisi et al. 2025, arXiv:2507.23083",
        .used_by = "research",
        .pitfalls = "It does not start as rope, whatever the paper says: with "
                    "w = 0 all heads have frequencies 0.5906^c.  The paper "
                    "does not say whether x is the embedding or the input of "
                    "the layer; this reads the latter.",
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_READS_X,
    },
    .keys = keys,
    .params = { .list = params },
    .content = { .token_angles = &token_angles, .scores_only = true },
};
