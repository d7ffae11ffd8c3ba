/*
 * wavlm.c - Chen et al. 2021, arXiv:2110.13900, as in
 * transformers, modeling_wavlm.py: eight units of W x + b on the slice of the
 * head, the first four and the last four summed into a and c, then
 *     gate = sigmoid(a) (sigmoid(c) k - 1) + 2,
 * times the bias of a T5 bucket of |r|, r = p_j - p_i, half of the buckets for
 * r > 0.  A quotient of logarithms within 1e-13 of an integer is that integer.
 * Parameters: table [buckets, H], W [8, D], b [8], k [H].
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "wavlm", .low = -900, .high = 900 },
    { .text = "wavlm(buckets=8,distance=20)", .low = -40, .high = 40 },
    { .text = "wavlm(buckets=12,distance=50)", .low = -90, .high = 90 },
    { 0 }
};

static int64_t bucket(const struct oracle_call *call, int64_t r)
{
    int64_t side = (int64_t)oracle_number(call->spec, "buckets", 320) / 2;
    int64_t n = r < 0 ? -r : r, first = r > 0 ? side : 0, exact = side / 2;
    long double most = (long double)oracle_number(call->spec, "distance", 800);
    long double step;

    if (n < exact)
        return first + n;
    step = floorl(logl((long double)n / (long double)exact) /
                      logl(most / (long double)exact) *
                      (long double)(side - exact) +
                  1e-13L);
    n = exact + (int64_t)step;
    return first + (n < side - 1 ? n : side - 1);
}

/* sigmoid of the sum of units from .. from + 3 for the slice x [D] */
static cx half_gate(const struct oracle_call *call, const cx *x, int from)
{
    cx sum = 0;

    for (int u = from; u < from + 4; u++)
        sum += call->param[2][u] +
               product(call->param[1] + u * call->D, x, call->D);
    return 1 / (1 + cexp(-sum));
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int64_t own = 0;
    const cx *x;
    cx gate;

    while (past(call, b, i, own) != 0)
        own++;
    x = call->x + (b * call->S + own) * call->W + h * call->D;
    gate = half_gate(call, x, 0) *
               (half_gate(call, x, 4) * call->param[3][h] - 1) +
           2;
    return call->scale * product(query_of(call, b, h, i), key_of(call, b, h, j),
                                 call->D) +
           gate *
               call->param[0][bucket(call, -past(call, b, i, j)) * call->H + h];
}

const struct oracle wavlm_oracle = {
    .name = "wavlm",
    .specs = specs,
    .score = score,
    .x_by_head = 1,
};
