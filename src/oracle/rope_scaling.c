/*
 * rope_scaling.c - frequencies beyond the trained length: position
 * interpolation (Chen et al. 2023, arXiv:2306.15595v2, eq. (4)), NTK (bloc97
 * 2023), dynamic NTK, YaRN (Peng et al. 2023, arXiv:2309.00071v2, section 3, by
 * index as its code), LongRoPE (Ding et al. 2024, arXiv:2402.13753v1), Llama
 * 3.1 (its apply_scaling()), p-RoPE (arXiv:2410.06205v3, section 6), MrRoPE
 * (Tian et al. 2026, arXiv:2601.22181); given lists; cuts (Chen et al. 2024,
 * arXiv:2410.21216) and the taper of Li et al. 2026, arXiv:2602.05258.
 */
#include "rope.h"

static double plain(double base, int64_t c, int64_t dim)
{
    return pow(base, -2.0 * (double)c / (double)dim);
}

/* Base that interpolates the last pair by 'factor' and leaves the first. */
static double ntk_base(double base, double factor, int64_t dim)
{
    return base * pow(factor, (double)dim / (double)(dim - 2));
}

static double dynamic_base(const struct oracle_scaling *s, const char *spec,
                           double base)
{
    double f = oracle_number(spec, "factor", 1);
    double original = oracle_number(spec, "original", 1);
    double length = fmax((double)s->length, original);

    return ntk_base(base, f * length / original - (f - 1), s->dim);
}

/* ------------------------------------------------------------------- YaRN */

static double get_mscale(double factor, double m)
{
    return factor <= 1 ? 1 : 0.1 * m * log(factor) + 1;
}

static double yarn_magnitude(const char *spec, double factor)
{
    double m = oracle_number(spec, "mscale", 0);
    double all = oracle_number(spec, "mscale-all", 0);
    double given = oracle_number(spec, "attention", -1);

    if (given >= 0)
        return given;
    if (m != 0 && all != 0)
        return get_mscale(factor, m) / get_mscale(factor, all);
    return get_mscale(factor, 1);
}

/* softmax_scale *= mscale * mscale, with mscale_all_dim alone */
double oracle_rope_score(const char *spec)
{
    double m = get_mscale(oracle_number(spec, "factor", 1),
                          oracle_number(spec, "mscale-all", 0));

    return oracle_word(spec, "score", "yes", 0) ? m * m : 1;
}

/* Index of the pair that turns 'beta' times over the original length. */
static double correction(const char *spec, double beta, double base,
                         int64_t dim)
{
    double original = oracle_number(spec, "original", 1);

    return (double)dim * log(original / (beta * 2 * acos(-1))) /
           (2 * log(base));
}

static void yarn(struct oracle_scaling *s, const char *spec, double base,
                 int64_t c)
{
    double factor = oracle_number(spec, "factor", 1), theta, ramp;
    double low =
        correction(spec, oracle_number(spec, "fast", 32), base, s->dim);
    double high =
        correction(spec, oracle_number(spec, "slow", 1), base, s->dim);

    if (oracle_word(spec, "dynamic", "yes", 0))
        factor =
            fmax((double)s->length / oracle_number(spec, "original", 1), 1);
    if (!oracle_word(spec, "truncate", "no", 0)) {
        low = floor(low);
        high = ceil(high);
    }
    low = fmax(low, 0);
    high = fmin(high, (double)s->dim - 1);
    if (low == high)
        high += 0.001;
    ramp = ((double)c - low) / (high - low);
    ramp = ramp < 0 ? 0 : ramp > 1 ? 1 : ramp;
    theta = plain(base, c, s->dim);
    s->frequency = theta / factor * ramp + theta * (1 - ramp);
    s->magnitude = yarn_magnitude(spec, factor);
}

/* -------------------------------------------------------------- the others */

static void longrope(struct oracle_scaling *s, const char *spec, double base,
                     int64_t c)
{
    double original = oracle_number(spec, "original", 1), list[64];
    double factor = oracle_number(spec, "factor", 1);
    int longer = (double)s->length > original;
    double critical = oracle_number(spec, "critical", 0);

    if (critical > 0) /* Shang et al. 2025, arXiv:2502.20082 */
        list[c] = longer ? pow(factor, fmin((double)c / critical, 1)) : 1;
    else
        oracle_numbers(list, 64, spec, longer ? "long" : "short");
    s->frequency = plain(base, c, s->dim) / list[c];
    s->magnitude = factor <= 1 ? 1 : sqrt(1 + log(factor) / log(original));
    s->magnitude = oracle_number(spec, "attention", s->magnitude);
}

static double llama3(const char *spec, double theta)
{
    double factor = oracle_number(spec, "factor", 8);
    double low = oracle_number(spec, "low", 1);
    double high = oracle_number(spec, "high", 4);
    double original = oracle_number(spec, "original", 8192);
    double wave = 2 * acos(-1) / theta, smooth;

    if (wave < original / high)
        return theta;
    if (wave > original / low)
        return theta / factor;
    smooth = (original / wave - low) / (high - low);
    return (1 - smooth) * theta / factor + smooth * theta;
}

static double proportional(const char *spec, double theta, int64_t c,
                           int64_t dim)
{
    double partial = oracle_number(spec, "partial", 0.25);
    int64_t rotating = (int64_t)floor(partial * (double)dim / 2);

    return c < rotating ? theta / oracle_number(spec, "factor", 1) : 0;
}

/* Turns of pair c in the original context. */
static double turns(const char *spec, double base, int64_t c, int64_t dim)
{
    return plain(base, c, dim) * oracle_number(spec, "original", 1) /
           (2 * acos(-1));
}

static void mixed_radix(struct oracle_scaling *s, const char *spec, double base,
                        int64_t c)
{
    double factor = oracle_number(spec, "factor", 1), share, t, n;
    int64_t low = 0, high = s->dim / 2;

    for (int64_t i = s->dim / 2; i-- > 0;) {
        double r = turns(spec, base, i, s->dim);

        if (r > oracle_number(spec, "fast", 32) && i > low)
            low = i;
        if (r < oracle_number(spec, "slow", 1))
            high = i;
    }
    n = (double)(high - low);
    t = fmin(fmax((double)(c - low), 0), n);
    share = c >= high                             ? 1
            : oracle_word(spec, "kind", "uni", 0) ? t / n
                                                  : t * (t + 1) / (n * (n + 1));
    s->frequency = plain(base, c, s->dim) * pow(factor, -share);
    s->magnitude = 1 + 0.1 * log(factor);
}

/* ------------------------------------------------- lists, cuts and tapers */

static double listed(const char *spec, double theta, int64_t c, int64_t dim)
{
    double values[64], keep = oracle_number(spec, "keep", 1);
    double n = floor(keep * (double)dim / 2);

    if (oracle_word(spec, "freqs", "geometric", 0))
        return (double)c >= n ? 0
                              : pow(oracle_number(spec, "ratio", 1024),
                                    -(double)c / fmax(n - 1, 1));
    if (!oracle_word(spec, "freqs", "list", 0))
        return theta;
    oracle_numbers(values, 64, spec, "values");
    return values[c];
}

static double edited(const char *spec, double theta, int64_t c, int64_t dim)
{
    const double pi = acos(-1), n = oracle_number(spec, "pairs", 0);
    double m = (double)c - ((double)dim / 2 - n);

    if (oracle_word(spec, "cut", "pairs", 0) &&
        c >= dim / 2 - (int64_t)oracle_number(spec, "n", 0))
        return 0;
    if (oracle_word(spec, "cut", "length", 0) &&
        2 * pi / theta > oracle_number(spec, "length", 0))
        return 0;
    if (oracle_word(spec, "cut", "part", 0) &&
        (double)c >= floor(oracle_number(spec, "keep", 0.75) * (double)dim / 2))
        return 0;
    if (oracle_word(spec, "taper", "cosine", 0) && m >= 0 && n > 1)
        return theta * 0.5 * (1 + cos(pi * m / (n - 1)));
    return theta;
}

void oracle_rope_scaling(struct oracle_scaling *s, const char *spec, int64_t c)
{
    double base = oracle_number(spec, "base", 10000);

    s->magnitude = 1;
    s->frequency = listed(spec, plain(base, c, s->dim), c, s->dim);
    if (oracle_word(spec, "scaling", "linear", 0))
        s->frequency /= oracle_number(spec, "factor", 1);
    if (oracle_word(spec, "scaling", "ntk", 0))
        s->frequency =
            plain(ntk_base(base, oracle_number(spec, "factor", 1), s->dim), c,
                  s->dim);
    if (oracle_word(spec, "scaling", "dynamic", 0))
        s->frequency = plain(dynamic_base(s, spec, base), c, s->dim);
    if (oracle_word(spec, "scaling", "yarn", 0))
        yarn(s, spec, base, c);
    if (oracle_word(spec, "scaling", "longrope", 0))
        longrope(s, spec, base, c);
    if (oracle_word(spec, "scaling", "llama3", 0))
        s->frequency = llama3(spec, s->frequency);
    if (oracle_word(spec, "scaling", "proportional", 0))
        s->frequency = proportional(spec, s->frequency, c, s->dim);
    if (oracle_word(spec, "scaling", "mixed-radix", 0))
        mixed_radix(s, spec, base, c);
    s->frequency = edited(spec, s->frequency, c, s->dim);
}
