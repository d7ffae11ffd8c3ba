/*
 * dape.c - Zheng et al. 2024, arXiv:2405.14722v6, eq. (4) and the authors'
 * code: S' = S + B + f(S, B), f a network 2H -> hidden -> H with LeakyReLU over
 * the heads of one pair, [S; B] with S first; B of another encoding of the
 * score door, here none, alibi (slopes of H heads, H a power of two) or kerple.
 * Parameters: w1 [2H, hidden], b1, w2 [hidden, H], b2, then those of B.
 */
#include "content.h"
#include <string.h>

static const struct oracle_spec specs[] = { { .text = "dape(hidden=3)+alibi" },
                                            { .text = "dape(hidden=4)+kerple" },
                                            { .text = "dape(hidden=2)" },
                                            { 0 } };

static cx bias_of(const struct oracle_call *w, int64_t b, int64_t h, int64_t i,
                  int64_t j)
{
    double n = (double)past(w, b, i, j), slope = 0;
    int64_t power = 1;

    if (strstr(w->spec, "kerple"))
        return -w->param[4][h] * clog(1 + w->param[5][h] * fabs(n));
    if (!strstr(w->spec, "alibi"))
        return 0;
    while (2 * power <= w->H)
        power *= 2;
    slope = h < power
                ? pow(2, -8.0 * (double)(h + 1) / (double)power)
                : pow(2, -4.0 * (double)(2 * (h - power) + 1) / (double)power);
    return -slope * n;
}

static cx plain(const struct oracle_call *w, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    return w->scale * product(query_of(w, b, h, i), key_of(w, b, h, j), w->D);
}

static cx score(const struct oracle_call *w, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    int64_t hidden = (int64_t)oracle_number(w->spec, "hidden", 32);
    cx sum = plain(w, b, h, i, j) + bias_of(w, b, h, i, j) + w->param[3][h];

    for (int64_t u = 0; u < hidden; u++) {
        cx a = w->param[1][u];

        for (int64_t g = 0; g < w->H; g++)
            a += w->param[0][g * hidden + u] * plain(w, b, g, i, j) +
                 w->param[0][(w->H + g) * hidden + u] * bias_of(w, b, g, i, j);
        sum += (creal(a) < 0 ? 0.01 * a : a) * w->param[2][u * w->H + h];
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
