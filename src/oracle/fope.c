/*
 * fope.c - Hua et al. 2024, arXiv:2412.17739, and the authors' code: pairs are
 * multiplied by sums of the cosines and sines of the frequencies that turn at
 * least once in the trained length.
 */
#include "pairs.h"

static const struct oracle_spec specs[] = {
    { .text = "fope(length=128)" },
    { .text = "fope(length=40,heads=shared,learn=yes)" },
    { .text = "fope(base=50,length=300,learn=yes,pad=1)" },
    { .text = "fope(base=100,length=64,learn=yes,mixed=quarter)" },
    { .text = "fope(length=64,heads=shared,mixed=quarter,pad=1)" },
    { 0 }
};

static double frequency(const struct oracle_call *call, int64_t c)
{
    return pow(oracle_number(call->spec, "base", 10000),
               -2.0 * (double)c / (double)call->D);
}

/* Sum of column c of a matrix, times the waves at p. */
static cx wave(const struct oracle_call *call, int sine, int64_t head,
               int64_t c, double p)
{
    double slowest = 2 * acos(-1) / oracle_number(call->spec, "length", 1);
    int64_t m = 0, mixed, quarter = call->D / 4 > 1 ? call->D / 4 : 1, first;
    cx sum = 0;

    while (m < call->D / 2 && frequency(call, m) >= slowest)
        m++;
    mixed = m;
    if (oracle_word(call->spec, "mixed", "quarter", 0) && m > quarter)
        mixed = quarter;
    if (c >= mixed) /* a pair without position */
        return sine ? oracle_number(call->spec, "pad", 0) : 1;
    first = oracle_word(call->spec, "heads", "shared", 0) ? 0 : head;
    for (int64_t i = 0; i < m; i++)
        sum +=
            (sine ? sin(p * frequency(call, i)) : cos(p * frequency(call, i))) *
            call->param[sine][(first * m + i) * mixed + c];
    return sum;
}

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    double p = oracle_coord(call, key, b, t, 0,
                            (double)oracle_position(call, key, b, t));
    struct oracle_pair pair = oracle_pair_of(d, call->D, 0);
    int64_t head = key ? h : h / (call->H / call->G);

    return oracle_rotate_pair(x, d, pair, wave(call, 0, head, pair.c, p),
                              wave(call, 1, head, pair.c, p));
}

const struct oracle fope_oracle = {
    .name = "fope",
    .specs = specs,
    .D_step = 2,
    .rotated = rotated,
    .real = 1,
};
