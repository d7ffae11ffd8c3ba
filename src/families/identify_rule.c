/*
 * identify_rule.c - the rule that measured frequencies obey, as a spec
 *
 * Guesses are made from the frequencies and judged by the encoding that the
 * spec creates: its own frequencies must lie within the errors of all pairs.
 */
#include "identify_rule.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- specs */

void lct_rule_spec(char *out, size_t size, const struct lct_spectrum *s,
                   int64_t rotated, const char *keys)
{
    const struct lct_layout *l = &s->layout;

    (void)snprintf(out, size, "rope(%s,pairing=%s", keys,
                   l->interleaved ? "interleaved" : "half");
    if (rotated < s->head_dim)
        lct_append(out, size, ",dim=%lld", (long long)rotated);
    lct_append(out, size, "%s)", l->first > 0 ? ",side=trailing" : "");
}

double lct_rule_frequency(const struct lct_turns *have,
                          const struct lct_spectrum *s, int64_t c)
{
    int64_t a, b;

    lct_layout_pair(&a, &b, &s->layout, c);
    if (c >= have->about.pairs)
        return 0;
    return have->channels[2 * c] == a && have->channels[2 * c + 1] == b
               ? have->f[c]
               : NAN;
}

/* Largest |difference| in units of the error. */
static double misfit(const struct lct_turns *have, const struct lct_spectrum *s)
{
    double gain = have->about.magnitude, worst;

    worst = fabs(gain - s->gain) / (LCT_SIGMAS * s->gain_error + 4e-7 * gain);
    for (int64_t c = 0; c < s->pairs; c++) {
        double f = lct_rule_frequency(have, s, c);

        if (isnan(f))
            return INFINITY;
        worst = fmax(worst, fabs(f - s->f[c]) / fmax(s->error[c], 1e-300));
    }
    return worst;
}

/* Is there a pair whose frequency could be a tenth off? */
static bool unresolved(const struct lct_turns *have,
                       const struct lct_spectrum *s)
{
    for (int64_t c = 0; c < s->pairs; c++) {
        double f = lct_rule_frequency(have, s, c);

        if (f > 0 && s->error[c] > 0.1 * f)
            return true;
    }
    return false;
}

static void add_guess(struct lct_guesses *g, const char *spec,
                      const struct lct_turns *have,
                      const struct lct_spectrum *s)
{
    if (g->n == LCT_MOST_GUESSES)
        return;
    for (int i = 0; i < g->n; i++)
        if (strcmp(g->spec[i], spec) == 0)
            return;
    g->unresolved |= unresolved(have, s);
    (void)snprintf(g->spec[g->n++], sizeof(g->spec[0]), "%s", spec);
}

bool lct_guess(struct lct_guesses *g, int64_t rotated, const char *keys)
{
    const struct lct_spectrum *s = g->spectrum;
    struct lct_turns have;
    locant_encoding *e;
    locant_status status;
    char spec[1024];
    bool fits = false;

    lct_rule_spec(spec, sizeof(spec), s, rotated, keys);
    status = locant_encoding_create(&e, spec);
    if (status == LOCANT_OK)
        status = lct_turns_of(&have, e, s->head_dim, 1);
    if (status == LOCANT_OK) {
        fits = misfit(&have, s) <= 1;
        if (fits)
            add_guess(g, locant_encoding_spec(e), &have, s);
        lct_turns_free(&have);
    }
    g->no_memory |= status == LOCANT_ERR_NOMEM;
    locant_encoding_free(e);
    return fits;
}

/* ------------------------------------------------------------ plain powers */

struct lct_range lct_base_range(const struct lct_spectrum *s, int64_t first,
                                int64_t end, double factor, int64_t dim)
{
    struct lct_range b = { 0, INFINITY };

    for (int64_t c = first > 0 ? first : 1; c < end; c++) {
        double power = -(double)dim / (2 * (double)c);
        double lo = factor * (s->f[c] - s->error[c]);
        double hi = factor * (s->f[c] + s->error[c]);

        b.lo = fmax(b.lo, pow(hi, power));
        if (lo > 0)
            b.hi = fmin(b.hi, pow(lo, power));
    }
    return b;
}

double lct_range_simplest(const struct lct_range *r, int *digits)
{
    return r->lo <= r->hi && !isinf(r->hi)
               ? lct_simplest(r->lo, r->hi, false, digits)
               : NAN;
}

/* The end of the pairs that visibly rotate. */
static int64_t visible(const struct lct_spectrum *s)
{
    int64_t c = s->pairs;

    while (c > 0 && s->f[c - 1] <= s->error[c - 1])
        c--;
    return c;
}

const double lct_bases[LCT_BASES] = { 10000,   500000, 1000000, 100,
                                      50000,   150000, 160000,  2000000,
                                      5000000, 100000, 10000000 };

/* A larger base as ntk of a known one, if the factor is short. */
static void guess_ntk(struct lct_guesses *g, struct lct_range b, int64_t dim)
{
    const double power = (double)(dim - 2) / (double)dim;

    for (int i = 0; i < LCT_BASES && dim > 2; i++) {
        struct lct_range f = { pow(b.lo / lct_bases[i], power),
                               pow(b.hi / lct_bases[i], power) };
        char keys[128];
        int digits;
        double factor = lct_simplest(f.lo, f.hi, false, &digits);

        if (!(factor > 1) || digits > 2)
            continue;
        (void)snprintf(keys, sizeof(keys),
                       "base=%.15g,scaling=ntk(factor=%.15g)", lct_bases[i],
                       factor);
        if (lct_guess(g, dim, keys))
            return;
    }
}

/* base^(-2c/dim)/factor in the first 'rotated' channels, all of them pairs of
 * the spectrum before 'end'. */
static bool guess_plain(struct lct_guesses *g, int64_t rotated, int64_t end,
                        double factor)
{
    const struct lct_spectrum *s = g->spectrum;
    struct lct_range b = lct_base_range(s, 1, end, factor, rotated);
    char keys[128];
    int digits;
    double base = lct_range_simplest(&b, &digits);

    if (isnan(base))
        return false;
    (void)snprintf(keys, sizeof(keys), "base=%.15g", base);
    if (factor != 1)
        LCT_APPEND(keys, ",scaling=linear(factor=%.15g)", factor);
    if (!lct_guess(g, rotated, keys))
        return false;
    g->digits = digits;
    if (digits > 2 && factor == 1) {
        struct lct_guesses other = { .spectrum = s };

        guess_ntk(&other, b, rotated);
        g->no_memory |= other.no_memory;
        if (other.n > 0)
            memcpy(g->spec[g->n - 1], other.spec[0], sizeof(g->spec[0]));
    }
    return true;
}

/* The divisor of the first pair, whose plain frequency is 1. */
static double factor_of(const struct lct_spectrum *s)
{
    double lo = 1 / (s->f[0] + s->error[0]), hi = 1 / (s->f[0] - s->error[0]);

    if (!(hi > 0) || (lo <= 1 && hi >= 1))
        return 1;
    return lct_simplest(lo, hi, false, NULL);
}

/* The share of the pairs of which 'kept' are the whole part. */
static double partial(int64_t kept, int64_t pairs)
{
    double exact = (double)kept / (double)pairs;

    if ((int64_t)floor(exact * (double)pairs) == kept)
        return exact;
    return lct_simplest(exact, ((double)kept + 0.9) / (double)pairs, false,
                        NULL);
}

/* Exponents over all pairs, those from 'end' on without rotation. */
static bool guess_proportional(struct lct_guesses *g, int64_t end,
                               double factor)
{
    const struct lct_spectrum *s = g->spectrum;
    struct lct_range b = lct_base_range(s, 1, end, factor, 2 * s->pairs);
    char keys[128];
    int digits;
    double base = lct_range_simplest(&b, &digits);

    if (isnan(base))
        return false;
    (void)snprintf(
        keys, sizeof(keys),
        "base=%.15g,scaling=proportional(partial=%.15g,factor=%.15g)", base,
        partial(end, s->pairs), factor);
    if (!lct_guess(g, 2 * s->pairs, keys))
        return false;
    g->digits = digits;
    return true;
}

/*
 * Pairs from 'end' on stand still.  Leading pairs that interleave can be read
 * as a narrower rotation or as proportional: the shorter base wins, since both
 * are the same function.
 */
static void guess_still(struct lct_guesses *g, int64_t end, double factor)
{
    const struct lct_layout *l = &g->spectrum->layout;
    struct lct_guesses narrow = { .spectrum = g->spectrum, .digits = 99 };
    struct lct_guesses wide = narrow;

    if (end < 2)
        return;
    if (l->interleaved && l->first == 0)
        guess_plain(&narrow, 2 * end, end, factor);
    guess_proportional(&wide, end, factor);
    g->no_memory |= narrow.no_memory || wide.no_memory;
    if (wide.n > 0 && wide.digits < narrow.digits)
        narrow = wide;
    for (int i = 0; i < narrow.n; i++)
        memcpy(g->spec[g->n++], narrow.spec[i], sizeof(g->spec[0]));
    g->unresolved |= narrow.unresolved;
}

/* ------------------------------------------------------------------- whole */

void lct_identify_canonical(char *spec, size_t size)
{
    locant_encoding *e;

    if (locant_encoding_create(&e, spec) != LOCANT_OK)
        return;
    (void)snprintf(spec, size, "%s", locant_encoding_spec(e));
    locant_encoding_free(e);
}

locant_status lct_identify_list(locant_identity *out,
                                const struct lct_spectrum *s)
{
    char list[sizeof(out->spec) - 128] = "freqs=list(values=";

    for (int64_t c = 0; c < s->pairs; c++)
        LCT_APPEND(list, "%s%.9g", c > 0 ? ":" : "",
                   s->f[c] <= s->error[c]
                       ? 0
                       : lct_simplest(s->f[c] - s->error[c],
                                      s->f[c] + s->error[c], false, NULL));
    LCT_APPEND(list, ")");
    lct_rule_spec(out->spec, sizeof(out->spec), s, s->layout.width, list);
    return LOCANT_OK;
}

/* The plain rule nearest to the visible pairs, to say how far off they are. */
static void closest(locant_identity *out, const struct lct_spectrum *s)
{
    double xx = 0, xy = 0, base, worst = 0;
    char keys[64];
    int64_t at = 0;

    for (int64_t c = 1; c < visible(s); c++) {
        double x = -(double)c / (double)s->pairs;

        xx += x * x;
        xy += x * log(s->f[c]);
    }
    base = xx > 0 ? exp(fmin(fmax(xy / xx, 0), 40)) : 10000;
    for (int64_t c = 0; c < s->pairs; c++) {
        double f = pow(base, -(double)c / (double)s->pairs);

        if (fabs(f - s->f[c]) > worst) {
            worst = fabs(f - s->f[c]);
            at = c;
        }
    }
    base = lct_simplest(base * (1 - 1e-3), base * (1 + 1e-3), false, NULL);
    (void)snprintf(keys, sizeof(keys), "base=%.15g", base);
    lct_rule_spec(out->closest, sizeof(out->closest), s, s->layout.width, keys);
    lct_identify_canonical(out->closest, sizeof(out->closest));
    LCT_APPEND(out->note,
               "The frequencies match no rule; the closest differs by %.3g "
               "radians per position in pair %lld.  ",
               worst, (long long)at);
}

static void conclude(locant_identity *out, const struct lct_guesses *g)
{
    const struct lct_spectrum *s = g->spectrum;
    const char *plural = g->n > 1 ? "Several rules fit" : "";

    (void)snprintf(out->spec, sizeof(out->spec), "%s", g->spec[0]);
    out->verdict = LOCANT_IDENTIFIED;
    if (g->n == 1 && !g->unresolved)
        return;
    out->verdict = LOCANT_UNDECIDED;
    for (int i = 0; i < g->n; i++)
        lct_identify_remains(out, "%s", g->spec[i]);
    LCT_APPEND(out->note, "%s", plural);
    if (g->unresolved) {
        int64_t c = 0;

        while (c < s->pairs && s->error[c] <= 0.1 * s->f[c])
            c++;
        LCT_APPEND(out->note,
                   "%sPairs from %lld on turn too little at these positions to "
                   "measure their frequencies: other scalings%s fit as well",
                   g->n > 1 ? ".  " : "", (long long)c,
                   s->layout.interleaved ? " and narrower rotations" : "");
    }
    LCT_APPEND(out->note, ".");
}

locant_status lct_identify_rule(locant_identity *out,
                                const struct lct_spectrum *s)
{
    struct lct_guesses g = { .spectrum = s };
    int64_t end = visible(s);
    double factor = factor_of(s);

    if (s->gain == 1 && s->layout.width == 2 && end == 1) {
        out->verdict = LOCANT_UNDECIDED;
        lct_rule_spec(out->spec, sizeof(out->spec), s, 2, "base=10000");
        LCT_APPEND(out->note, "With one pair any base fits.");
        lct_identify_remains(out, "%s", out->spec);
        return LOCANT_OK;
    }
    if (!guess_plain(&g, s->layout.width, s->pairs, factor)) {
        guess_still(&g, end, factor);
        if (g.n == 0)
            lct_guess_ramps(&g);
    }
    if (g.no_memory)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for a spec");
    if (g.n > 0) {
        conclude(out, &g);
        return LOCANT_OK;
    }
    LCT_TRY(lct_identify_list(out, s));
    closest(out, s);
    if (s->gain != 1)
        LCT_APPEND(out->note, "Rotated channels are multiplied by %.6g.",
                   s->gain);
    return LOCANT_OK;
}
