/*
 * kerple.c - Chi et al. 2022, arXiv:2205.09921v2, eq. (4) and (5), n the
 * distance |p_i - p_j|:  log -p ln(1 + a n),  power -a n^p.
 * The authors' code keeps every scalar >= 0.01 and the power's p <= 2.
 */
#include "oracle.h"
#include <math.h>
#include <string.h>

static int choose(struct oracle_choice *c, int i, int64_t D)
{
    (void)D;
    memset(c, 0, sizeof(*c));
    c->power = i == 1;
    strcpy(c->spec, i == 1 ? "kerple(kind=power)" : "kerple(kind=log)");
    return i < 2;
}

static int64_t param_size(const struct oracle_choice *c, int k, int64_t heads,
                          int64_t D)
{
    (void)c;
    (void)k;
    (void)D;
    return heads;
}

/* p in [0.01, 2], a in [0.01, 1]: where the authors start. */
static void param_range(double *low, double *high,
                        const struct oracle_choice *c, int k)
{
    (void)c;
    *low = 0.01;
    *high = k == 0 ? 2 : 1;
}

static double bias(const struct oracle_choice *c, int64_t heads, int64_t head,
                   int64_t q, int64_t k, const double *const *param)
{
    double n = fabs((double)q - (double)k);
    double p = param[0][head], a = param[1][head];

    (void)heads;
    if (c->power)
        return n > 0 ? -a * pow(n, p) : 0;
    return -p * log1p(a * n);
}

static void bias_backward(double *const *dparam, const struct oracle_choice *c,
                          int64_t heads, int64_t head, int64_t q, int64_t k,
                          double dout, const double *const *param)
{
    double n = fabs((double)q - (double)k);
    double p = param[0][head], a = param[1][head];

    (void)heads;
    if (!(n > 0))
        return;
    if (c->power) {
        dparam[0][head] -= dout * a * pow(n, p) * log(n);
        dparam[1][head] -= dout * pow(n, p);
    } else {
        dparam[0][head] -= dout * log1p(a * n);
        dparam[1][head] -= dout * p * n / (1 + a * n);
    }
}

extern const struct oracle oracle_kerple;
const struct oracle oracle_kerple = {
    .name = "kerple", .doors = LOCANT_DOOR_SCORE,
    .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
              LOCANT_TRAIT_MONOTONE,
    .params = 2, .choose = choose, .param_size = param_size,
    .param_range = param_range, .bias = bias, .bias_backward = bias_backward,
};
