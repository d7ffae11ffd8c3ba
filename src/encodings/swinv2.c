/*
 * swinv2.c - log-spaced continuous position bias.
 *
 * Liu et al.: Swin Transformer V2: Scaling Up Capacity and Resolution. 2022.
 * arXiv:2111.09883, section 3.3, eq. (3) and (4), and the authors' code.  With
 * x = 8 offset / (window size - 1), where the size can be that of pretraining,
 * a network 2 -> hidden -> heads with ReLU reads sign(x) log2(1 + |x|) / 3; the
 * bias is 16 sigmoid of its output.
 */
#include "window_table.h"
#include <math.h>

enum { PRETRAINED = LCT_WINDOW_KEYS, HIDDEN };
enum { W1, B1, W2 };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_WINDOW_SIDES(8, "the window"),
    { .name = "pretrained", .kind = LCT_INTEGER, .def = 0, .min = 0,
      .max = 1024, .doc = "offsets are divided by this window size less 1; 0: "
      "by the window's own" },
    { .name = "hidden", .kind = LCT_INTEGER, .def = 512, .min = 1, .max = 4096,
      .doc = "units of the network" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "w1", .dims = { "2", "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "weights of the first layer, rows y and x" },
    { .name = "b1", .dims = { "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "biases of the first layer" },
    { .name = "w2", .dims = { "hidden", "heads" }, .scope = LCT_PER_LAYER,
      .doc = "weights of the second layer" },
    { 0 }
};
/* clang-format on */

/* Linear layers uniform within 1/sqrt(inputs), as PyTorch makes them. */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    double inputs = k == W2 ? e->value[HIDDEN] : 2;

    return lct_fill_uniform(out, info, 1 / sqrt(inputs), r);
}

/* sign(x) log2(1 + |x|) / log2(8), x = 8 offset / (size - 1) */
static double log_offset(const struct lct_call *s, int64_t offset, int key)
{
    double size = s->e->value[PRETRAINED] > 0 ? s->e->value[PRETRAINED]
                                              : s->e->value[key];
    double x = size > 1 ? 8 * (double)offset / (size - 1) : 0;

    return copysign(log2(1 + fabs(x)) / 3, x);
}

/* y[0], y[1]: the inputs of the network for this pair. */
static void input(double y[2], const struct lct_call *s, int64_t q_pos,
                  int64_t k_pos)
{
    int64_t width = (int64_t)s->e->value[WIDTH];

    y[0] = log_offset(s, q_pos / width - k_pos / width, HEIGHT);
    y[1] = log_offset(s, q_pos % width - k_pos % width, WIDTH);
}

/* Unit i of the hidden layer, before ReLU. */
static double unit(const struct lct_call *s, const double y[2], int64_t i)
{
    int64_t hidden = (int64_t)s->e->value[HIDDEN];

    return s->param[W1][i] * y[0] + s->param[W1][hidden + i] * y[1] +
           s->param[B1][i];
}

/* Most heads in one pass of network_backward(). */
enum { TOGETHER = 16 };

/* The biases of 'heads' heads from 'head' on. */
static void network(double *out, const struct lct_call *s, const double y[2],
                    int64_t head, int64_t heads)
{
    int64_t hidden = (int64_t)s->e->value[HIDDEN];

    for (int64_t h = 0; h < heads; h++)
        out[h] = 0;
    for (int64_t i = 0; i < hidden; i++) {
        const double *w2 = s->param[W2] + i * s->heads + head;
        double x = unit(s, y, i);

        if (x > 0)
            for (int64_t h = 0; h < heads; h++)
                out[h] += x * w2[h];
    }
    for (int64_t h = 0; h < heads; h++)
        out[h] = 16 / (1 + exp(-out[h]));
}

/* forward: out = 16 g, g = sigmoid(a), a = sum_i w2_i max(0, x_i) */
static void network_backward(double *const *dparam, const struct lct_call *s,
                             const double y[2], int64_t head, int64_t heads,
                             const double *dout)
{
    int64_t hidden = (int64_t)s->e->value[HIDDEN];
    double da[TOGETHER];

    network(da, s, y, head, heads);
    for (int64_t h = 0; h < heads; h++)
        da[h] = dout[h] * da[h] * (1 - da[h] / 16);
    for (int64_t i = 0; i < hidden; i++) {
        int64_t at = i * s->heads + head;
        double x = unit(s, y, i), dx = 0;

        if (x > 0)
            for (int64_t h = 0; h < heads; h++) {
                dparam[W2][at + h] += da[h] * x;
                dx += da[h] * s->param[W2][at + h];
            }
        dparam[W1][i] += dx * y[0];
        dparam[W1][hidden + i] += dx * y[1];
        dparam[B1][i] += dx;
    }
}

static void bias_heads(double *out, const struct lct_call *s, int64_t head,
                       int64_t heads, int64_t q_pos, int64_t k_pos)
{
    double y[2];

    input(y, s, q_pos, k_pos);
    network(out, s, y, head, heads);
}

static void bias_heads_backward(double *const *dparam, const struct lct_call *s,
                                int64_t head, int64_t heads, int64_t q_pos,
                                int64_t k_pos, const double *dout)
{
    double y[2];

    input(y, s, q_pos, k_pos);
    for (int64_t h = 0; h < heads; h += TOGETHER)
        network_backward(dparam, s, y, head + h,
                         heads - h < TOGETHER ? heads - h : TOGETHER, dout + h);
}

static const locant_variant variants[] = {
    { "swinv2(height=16,width=16,pretrained=8)",
      "Log-CPB moved to a larger window", "Swin v2 at higher resolution" },
    { 0 }
};

const struct lct_encoding lct_enc_swinv2 = {
    .info = {
        .name = "swinv2",
        .title = "Log-spaced continuous position bias (Swin v2)",
        .formula = "s[h,i,j] += 16 sigmoid(MLP_h(l(y_i - y_j), l(x_i - x_j))), "
                   "l(d) = sign(d) log2(1 + |8 d / (W - 1)|) / 3",
        .source = "Liu et al. 2022, arXiv:2111.09883v2, section 3.3, eq. (3), "
                  "(4)",
        .used_by = "Swin Transformer v2",
        .pitfalls = "Swin v2 also replaces q.k by a cosine with a learned "
                    "scale: swinv2+cosine.",
        .gradient = "through the network; sigmoid' = g (1 - g)",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_LIMIT,
    },
    .keys = keys,
    .params = { .list = params, .fill = fill },
    .positions = { .count = lct_window_positions, .of = "window" },
    .score = {
        .bias = lct_bias_of_heads,
        .backward = lct_bias_of_heads_backward,
        .heads = bias_heads,
        .heads_backward = bias_heads_backward,
        .fast = { .position_key = lct_patch_key, .pair_of = lct_patch_pair },
    },
};
