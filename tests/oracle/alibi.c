/*
 * alibi.c - Press et al. 2022, arXiv:2108.12409v2, section 3: the bias is
 * -m (p_i - p_j), slopes 2^(-8h/n) for n heads, h = 1 .. n, n a power of two.
 * Other counts follow the authors' code (ofirpress,
 * attention_with_linear_biases, fairseq/models/transformer.py, get_slopes):
 * the slopes of the power of two below, then every other slope of the power
 * of two above.
 */
#include "oracle.h"
#include <math.h>
#include <string.h>

static int choose(struct oracle_choice *c, int i, int64_t D)
{
    (void)D;
    memset(c, 0, sizeof(*c));
    c->symmetric = i == 1;
    strcpy(c->spec, i == 1 ? "alibi(symmetric=yes)" : "alibi");
    return i < 2;
}

double oracle_alibi_slope(int64_t h, int64_t heads)
{
    int64_t below = 1;

    while (2 * below <= heads)
        below *= 2;
    if (h < below)
        return pow(2.0, -8.0 * (double)(h + 1) / (double)below);
    return pow(2.0, -8.0 * (double)(2 * (h - below) + 1) / (double)(2 * below));
}

static double bias(const struct oracle_choice *c, int64_t heads, int64_t head,
                   int64_t q, int64_t k, const double *const *param)
{
    double n = (double)q - (double)k;

    (void)param;
    return -oracle_alibi_slope(head, heads) * (c->symmetric ? fabs(n) : n);
}

extern const struct oracle oracle_alibi;
const struct oracle oracle_alibi = {
    .name = "alibi", .doors = LOCANT_DOOR_SCORE,
    .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_MONOTONE,
    .choose = choose, .bias = bias,
};
