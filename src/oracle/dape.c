/*
 * dape.c - Zheng et al. 2024, arXiv:2405.14722v6, eq. (4) and the authors'
 * code, version 1: S' = S + B + f([S; B]), f a network 2H -> hidden -> H with
 * LeakyReLU over the heads of one pair; B is the bias of another encoding, here
 * none, alibi or kerple.
 * Parameters: w1 [2H, hidden], b1, w2 [hidden, H], b2, then those of B.
 */
#include "content.h"
#include <string.h>

static const struct oracle_spec specs[] = { { .text = "dape(hidden=3)+alibi" },
                                            { .text = "dape(hidden=4)+kerple" },
                                            { .text = "dape(hidden=2)" },
                                            { 0 } };

static cx bias_of(const struct oracle_call *call, int64_t b, int64_t h,
                  int64_t i, int64_t j)
{
    double n = (double)past(call, b, i, j);

    if (strstr(call->spec, "kerple"))
        return -call->param[4][h] * clog(1 + call->param[5][h] * fabs(n));
    if (!strstr(call->spec, "alibi"))
        return 0;
    return -alibi_slope(8, h, call->H) * n;
}

static cx plain(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    return call->scale *
           product(query_of(call, b, h, i), key_of(call, b, h, j), call->D);
}

static cx score(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int64_t hidden = (int64_t)oracle_number(call->spec, "hidden", 32);
    cx sum =
        plain(call, b, h, i, j) + bias_of(call, b, h, i, j) + call->param[3][h];

    for (int64_t u = 0; u < hidden; u++) {
        cx a = call->param[1][u];

        for (int64_t g = 0; g < call->H; g++)
            a += call->param[0][g * hidden + u] * plain(call, b, g, i, j) +
                 call->param[0][(call->H + g) * hidden + u] *
                     bias_of(call, b, g, i, j);
        sum += (creal(a) < 0 ? 0.01 * a : a) * call->param[2][u * call->H + h];
    }
    return sum;
}

/* kerple keeps its scalars at 0.01 and above. */
static void range(double *low, double *high, const char *spec, int k)
{
    *low = strstr(spec, "kerple") && k >= 4 ? 0.1 : -1;
    *high = 1;
}

const struct oracle dape_oracle = {
    .name = "dape",
    .specs = specs,
    .range = range,
    .score = score,
};
