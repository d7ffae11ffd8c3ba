/*
 * alibi.c - attention with linear biases.
 *
 * Press, Smith, Lewis: Train Short, Test Long: Attention with Linear Biases
 * Enables Input Length Extrapolation. 2022. arXiv:2108.12409, section 3.
 * Slopes of H heads, H a power of two, are 2^(-8/H), 2^(-16/H), ..; for other H
 * the authors' code takes those of the power of two below, then every other one
 * of the power of two above.
 */
#include "encoding.h"
#include <math.h>

enum { SYMMETRIC };

static const struct lct_key keys[] = {
    { .name = "symmetric", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: distance |p_i - p_j|, for encoders; no: p_i - p_j" },
    { 0 }
};

/* 2^(-8 k / n), exact where the exponent is whole. */
static double slope(int64_t head, int64_t heads)
{
    int64_t power = 1;

    while (power <= heads / 2)
        power *= 2;
    if (head < power)
        return exp2(-8.0 * (double)(head + 1) / (double)power);
    return exp2(-4.0 * (double)(2 * (head - power) + 1) / (double)power);
}

static void bias(double *out, const struct lct_score *s, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n)
{
    double m = slope(head, s->heads);
    int symmetric = s->e->value[SYMMETRIC] != 0;

    for (size_t j = 0; j < n; j++) {
        double d = (double)lct_distance(q_pos, k_pos[j]);

        out[j] = 0 - m * (symmetric ? fabs(d) : d); /* never -0 */
    }
}

const struct lct_encoding lct_enc_alibi = {
    .info = {
        .name = "alibi",
        .title = "Attention with linear biases",
        .formula = "s[h,i,j] += -m_h (p_i - p_j), m_h = 2^(-8h/H), h = 1 .. H",
        .source = "Press et al. 2022, arXiv:2108.12409v2, section 3",
        .used_by = "BLOOM, MPT, Falcon-RW, Baichuan-13B; symmetric: "
                   "jina-bert-v2",
        .traps = "Added after the 1/sqrt(D) scale and never scaled itself "
                 "(Falcon scales it); negative in the past.",
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_MONOTONE,
    },
    .keys = keys,
    .bias = bias,
};
