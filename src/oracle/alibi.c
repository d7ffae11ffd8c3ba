/*
 * alibi.c - Press et al. 2022, arXiv:2108.12409v2, section 3 and the authors'
 * get_slopes().  Instead of -m n libraries add: BLOOM m p_j, MPT m (p_j -
 * last), Falcon m p_j inside of the scale 1/sqrt(D), with m, p_j and the
 * product in bfloat16 if slopes are fixed.  Parameter of learned slopes: ln m.
 */
#include "content.h"

static const struct oracle_spec specs[] = {
    { .text = "alibi" },
    { .text = "alibi(symmetric=yes)" },
    { .text = "alibi(max=16)" },
    { .text = "alibi(learned=yes)" },
    { .text = "alibi(symmetric=yes,learned=yes)" },
    { .text = "alibi(dialect=bloom)" },
    { .text = "alibi(dialect=mpt,max=4)" },
    { .text = "alibi(dialect=falcon)" },
    { .text = "alibi(dialect=falcon,learned=yes)" },
    { 0 }
};

/* Learned slopes are logarithms. */
static void range(double *low, double *high, const char *spec, int k)
{
    (void)spec, (void)k;
    *low = -4;
    *high = 0.5;
}

/* To the nearest bfloat16, ties to even. */
static double to_bf16(double x)
{
    int exponent;
    double fraction = frexp(x, &exponent);

    return ldexp(nearbyint(ldexp(fraction, 8)), exponent - 8);
}

static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    int64_t n = past(call, b, i, j), s;
    double key = (double)oracle_position(call, 1, b, j), last = key;
    int learned = oracle_word(call->spec, "learned", "yes", 0);
    double m = alibi_slope(oracle_number(call->spec, "max", 8), h, call->H);

    for (s = 0; s < call->S; s++)
        last = fmax(last, (double)oracle_position(call, 1, b, s));
    if (oracle_word(call->spec, "dialect", "bloom", 0))
        return m * key;
    if (oracle_word(call->spec, "dialect", "mpt", 0))
        return m * (key - last);
    if (oracle_word(call->spec, "dialect", "falcon", 0))
        return learned ? cexp(call->param[0][h]) * key * call->scale
                       : to_bf16(to_bf16(m) * to_bf16(key)) * call->scale;
    if (oracle_word(call->spec, "symmetric", "yes", 0) && n < 0)
        n = -n;
    if (learned)
        return -cexp(call->param[0][h]) * (double)n;
    return -m * (double)n;
}

const struct oracle alibi_oracle = {
    .name = "alibi",
    .specs = specs,
    .range = range,
    .bias = bias,
    .far = INT32_MAX,
};
