/*
 * crossformer.c - dynamic position bias of two-dimensional offsets.
 *
 * Wang et al.: CrossFormer: A Versatile Vision Transformer Hinging on
 * Cross-scale Attention. 2022. arXiv:2108.00154v2, section 3.2, and the
 * authors' code: a linear layer 2 -> hidden of the offset (rows, columns),
 * then three times LayerNorm, ReLU, linear; the last one leads to the heads.
 */
#include "window_table.h"
#include <math.h>

enum { HIDDEN = LCT_WINDOW_KEYS };
enum { MOST_HIDDEN = 256 };
enum { W0, B0, G1, N1, W1, B1, G2, N2, W2, B2, G3, N3, W3, B3 };

static const double epsilon = 1e-5; /* of the LayerNorms */

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_WINDOW_SIDES(7, "the group"),
    { .name = "hidden", .kind = LCT_INTEGER, .def = 16, .min = 2,
      .max = MOST_HIDDEN,
      .doc = "units of each layer; a quarter of the width in the paper" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "w0", .dims = { "2", "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "weights of the first layer, rows y and x" },
    { .name = "b0", .dims = { "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "biases of the first layer" },
    { .name = "g1", .dims = { "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "weight of norm 1" },
    { .name = "n1", .dims = { "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "bias of norm 1" },
    { .name = "w1", .dims = { "hidden", "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "weights of layer 1, [in, out]" },
    { .name = "b1", .dims = { "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "biases of layer 1" },
    { .name = "g2", .dims = { "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "weight of norm 2" },
    { .name = "n2", .dims = { "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "bias of norm 2" },
    { .name = "w2", .dims = { "hidden", "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "weights of layer 2, [in, out]" },
    { .name = "b2", .dims = { "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "biases of layer 2" },
    { .name = "g3", .dims = { "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "weight of norm 3" },
    { .name = "n3", .dims = { "hidden" }, .scope = LCT_PER_LAYER,
      .doc = "bias of norm 3" },
    { .name = "w3", .dims = { "hidden", "heads" }, .rate = 10,
      .scope = LCT_PER_LAYER, .doc = "weights of layer 3, [in, out]" },
    { .name = "b3", .dims = { "heads" }, .rate = 10, .scope = LCT_PER_LAYER,
      .doc = "biases of layer 3" },
    { 0 }
};
/* clang-format on */

/* Norms start as the identity, linear layers uniform within 1/sqrt(inputs). */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    double inputs = k <= B0 ? 2 : e->value[HIDDEN];
    /* The parameter of block 1 with the same role as k. */
    int within = k <= B0 ? W1 : (k - G1) % 4 + G1;

    if (within == W1 || within == B1)
        return lct_fill_uniform(out, info, 1 / sqrt(inputs), r);
    for (int64_t i = 0; i < info->shape[0]; i++)
        out[i] = within == G1 ? 1 : 0;
    return true;
}

/* Activations of one forward pass. */
struct pass {
    double y[2];              /* the offset: rows, columns */
    double x[3][MOST_HIDDEN]; /* what enters each norm */
    double z[3][MOST_HIDDEN]; /* normalised */
    double a[3][MOST_HIDDEN]; /* g z + b, before ReLU */
    double inverse[3];        /* 1 / deviation */
};

static void normalise(struct pass *p, const struct lct_call *c, int block)
{
    int64_t n = (int64_t)c->e->value[HIDDEN];
    const double *g = c->param[G1 + 4 * block], *b = c->param[N1 + 4 * block];
    double mean = 0, square = 0;

    for (int64_t i = 0; i < n; i++)
        mean += p->x[block][i];
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++)
        square += (p->x[block][i] - mean) * (p->x[block][i] - mean);
    p->inverse[block] = 1 / sqrt(square / (double)n + epsilon);
    for (int64_t i = 0; i < n; i++) {
        p->z[block][i] = (p->x[block][i] - mean) * p->inverse[block];
        p->a[block][i] = g[i] * p->z[block][i] + b[i];
    }
}

static void run(struct pass *p, const struct lct_call *c, int64_t q_pos,
                int64_t k_pos)
{
    int64_t n = (int64_t)c->e->value[HIDDEN];
    int64_t width = (int64_t)c->e->value[WIDTH];

    p->y[0] = (double)(q_pos / width - k_pos / width);
    p->y[1] = (double)(q_pos % width - k_pos % width);
    for (int64_t i = 0; i < n; i++)
        p->x[0][i] = c->param[W0][i] * p->y[0] + c->param[W0][n + i] * p->y[1] +
                     c->param[B0][i];
    for (int block = 0; block < 3; block++) {
        const double *w = c->param[W1 + 4 * block];

        normalise(p, c, block);
        if (block == 2)
            break;
        for (int64_t k = 0; k < n; k++)
            p->x[block + 1][k] = c->param[B1 + 4 * block][k];
        for (int64_t i = 0; i < n; i++)
            if (p->a[block][i] > 0)
                for (int64_t k = 0; k < n; k++)
                    p->x[block + 1][k] += p->a[block][i] * w[i * n + k];
    }
}

static void bias_heads(double *out, const struct lct_call *c, int64_t head,
                       int64_t heads, int64_t q_pos, int64_t k_pos)
{
    int64_t n = (int64_t)c->e->value[HIDDEN];
    struct pass p;

    run(&p, c, q_pos, k_pos);
    for (int64_t h = 0; h < heads; h++)
        out[h] = c->param[B3][head + h];
    for (int64_t i = 0; i < n; i++)
        if (p.a[2][i] > 0)
            for (int64_t h = 0; h < heads; h++)
                out[h] += p.a[2][i] * c->param[W3][i * c->heads + head + h];
}

/*
 * forward: a = g z + b, z = (x - mean) / deviation
 * dx = (dz - mean(dz) - z mean(dz z)) / deviation, dz = g da; da becomes dx.
 */
static void normalise_backward(double *da, double *const *dparam,
                               const struct pass *p, const struct lct_call *c,
                               int block)
{
    int64_t n = (int64_t)c->e->value[HIDDEN];
    const double *g = c->param[G1 + 4 * block];
    double mean = 0, along = 0;

    for (int64_t i = 0; i < n; i++) {
        dparam[G1 + 4 * block][i] += da[i] * p->z[block][i];
        dparam[N1 + 4 * block][i] += da[i];
        mean += da[i] * g[i] / (double)n;
        along += da[i] * g[i] * p->z[block][i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        da[i] =
            (da[i] * g[i] - mean - p->z[block][i] * along) * p->inverse[block];
}

/* From da of block 2 back to w0 and b0; 'da' is overwritten. */
static void run_backward(double *da, double *const *dparam,
                         const struct pass *p, const struct lct_call *c)
{
    int64_t n = (int64_t)c->e->value[HIDDEN];

    for (int block = 2; block >= 0; block--) {
        double dinput[MOST_HIDDEN];
        int w = W1 + 4 * (block - 1);

        normalise_backward(da, dparam, p, c, block);
        if (block == 0)
            break;
        for (int64_t k = 0; k < n; k++)
            dparam[w + 1][k] += da[k];
        for (int64_t i = 0; i < n; i++) {
            dinput[i] = 0;
            if (p->a[block - 1][i] > 0)
                for (int64_t k = 0; k < n; k++) {
                    dparam[w][i * n + k] += da[k] * p->a[block - 1][i];
                    dinput[i] += da[k] * c->param[w][i * n + k];
                }
        }
        for (int64_t i = 0; i < n; i++)
            da[i] = dinput[i];
    }
    for (int64_t i = 0; i < n; i++) {
        dparam[W0][i] += da[i] * p->y[0];
        dparam[W0][n + i] += da[i] * p->y[1];
        dparam[B0][i] += da[i];
    }
}

/* forward: out[h] = b3 + sum_i max(0, a_i) w3_i */
static void bias_heads_backward(double *const *dparam, const struct lct_call *c,
                                int64_t head, int64_t heads, int64_t q_pos,
                                int64_t k_pos, const double *dout)
{
    int64_t n = (int64_t)c->e->value[HIDDEN];
    double da[MOST_HIDDEN];
    struct pass p;

    run(&p, c, q_pos, k_pos);
    for (int64_t h = 0; h < heads; h++)
        dparam[B3][head + h] += dout[h];
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i * c->heads + head;

        da[i] = 0;
        if (p.a[2][i] > 0)
            for (int64_t h = 0; h < heads; h++) {
                da[i] += dout[h] * c->param[W3][at + h];
                dparam[W3][at + h] += dout[h] * p.a[2][i];
            }
    }
    run_backward(da, dparam, &p, c);
}

const struct lct_encoding lct_enc_crossformer = {
    .info = {
        .name = "crossformer",
        .title = "Dynamic position bias of patches (CrossFormer)",
        .formula = "s[h,i,j] += DPB_h(y_i - y_j, x_i - x_j), linear, then "
                   "three times LayerNorm, ReLU, linear",
        .source = "Wang et al. 2022, arXiv:2108.00154v2, section 3.2",
        .used_by = "CrossFormer",
        .pitfalls = "LayerNorm comes before each ReLU; the offset enters in "
                    "patches, not normalised.",
        .gradient = "through the network, summed over equal offsets",
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_LIMIT,
    },
    .keys = keys,
    .params = { .list = params, .fill = fill },
    .positions = { .count = lct_window_positions, .of = "group" },
    .score = {
        .bias = lct_bias_of_heads,
        .backward = lct_bias_of_heads_backward,
        .heads = bias_heads,
        .heads_backward = bias_heads_backward,
        .fast = { .position_key = lct_patch_key, .pair_of = lct_patch_pair },
    },
};
