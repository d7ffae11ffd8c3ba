/*
 * grape_m.c - Zhang et al. 2025, arXiv:2512.07805: exp(p w L) with the matrix
 * L = a b^T - b a^T written out, by the closed form of a rank-2 generator; and
 * learned frequencies in canonical planes, rotated as in the authors' code.
 */
#include "pairs.h"

static const struct oracle_spec specs[] = {
    { .text = "grape-m" },
    { .text = "grape-m(heads=each,kappa=2,base=100)" },
    { .text = "grape-m(heads=each,theta=plain)" },
    { .text = "grape-m(planes=rank2,omega=0.1)" },
    { .text = "grape-m(planes=rank2,heads=each,omega=0.01)" },
    { .text = "grape-m(learn=no,heads=each)" },
    { 0 }
};

/* L[i][j] of the head whose vectors begin at 'at' */
static cx generator(const struct oracle_call *call, int64_t at, int64_t i,
                    int64_t j)
{
    const cx *a = call->param[0] + at, *b = call->param[1] + at;

    return a[i] * b[j] - b[i] * a[j];
}

static cx rank2(const struct oracle_call *call, int64_t at, const cx *x,
                int64_t d, double p)
{
    double n = p * oracle_number(call->spec, "omega", 1);
    cx square = 0, once = 0, twice = 0, s;

    for (int64_t i = 0; i < call->D; i++)
        for (int64_t j = 0; j < i; j++)
            square += generator(call, at, i, j) * generator(call, at, i, j);
    s = csqrt(square);
    for (int64_t j = 0; j < call->D; j++) {
        once += generator(call, at, d, j) * x[j];
        for (int64_t k = 0; k < call->D; k++)
            twice +=
                generator(call, at, d, k) * generator(call, at, k, j) * x[j];
    }
    return x[d] + csin(n * s) / s * once +
           2 * csin(n * s / 2) * csin(n * s / 2) / square * twice;
}

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    double p = oracle_coord(call, key, b, t, 0,
                            (double)oracle_position(call, key, b, t));
    struct oracle_pair pair = oracle_pair_of(d, call->D, 0);
    int64_t head = key ? h : h / (call->H / call->G);
    cx angle;

    if (!oracle_word(call->spec, "heads", "each", 0))
        head = 0;
    if (oracle_word(call->spec, "planes", "rank2", 0))
        return rank2(call, head * call->D, x, d, p);
    angle = call->param[0][head * call->D / 2 + pair.c];
    if (!oracle_word(call->spec, "theta", "plain", 0))
        angle = cexp(angle / oracle_number(call->spec, "kappa", 16));
    angle *= p;
    return oracle_rotate_pair(x, d, pair, ccos(angle), -csin(angle));
}

const struct oracle grape_m_oracle = {
    .name = "grape-m",
    .specs = specs,
    .D_step = 2,
    .rotated = rotated,
    .real = 1,
};
