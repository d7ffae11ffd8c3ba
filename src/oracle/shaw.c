/*
 * shaw.c - Shaw, Uszkoreit, Vaswani 2018, arXiv:1803.02155v2, eq. (3)-(5):
 * e_ij = q_i (k_j + aK_ij) / sqrt(D), z_i = sum_j a_ij (v_j + aV_ij),
 * a_ij = w[clip(j - i, k)].
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "shaw(distance=3)" },
    { .text = "shaw" },
    { .text = "shaw(distance=1,values=no)" },
    { .text = "shaw(distance=2,share=yes)" },
    { 0 }
};

static int64_t row_of(const struct oracle_call *call, int64_t b, int64_t i,
                      int64_t j)
{
    int64_t k = (int64_t)oracle_number(call->spec, "distance", 16);

    return clip(-past(call, b, i, j), -k, k) + k;
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    const cx *row = call->param[0] + row_of(call, b, i, j) * call->D;
    const cx *q = query_of(call, b, h, i), *k = key_of(call, b, h, j);

    return call->scale * (product(q, k, call->D) + product(q, row, call->D));
}

static cx value(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j, int64_t d)
{
    int64_t g = h / (call->H / call->G);
    cx v = call->v[((b * call->G + g) * call->S + j) * call->D + d];

    if (oracle_word(call->spec, "values", "no", 0))
        return v;
    return v + call->param[1][row_of(call, b, i, j) * call->D + d];
}

const struct oracle shaw_oracle = {
    .name = "shaw",
    .specs = specs,
    .score = score,
    .value = value,
};
