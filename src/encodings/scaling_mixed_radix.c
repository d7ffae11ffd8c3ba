/*
 * scaling_mixed_radix.c - MrRoPE: the context factor spread over the pairs as
 * the digits of a mixed radix.
 *
 * Tian et al.: MrRoPE. 2026. arXiv:2601.22181.  Frequencies are divided by
 * factor^E, where E grows from 0 at pair 'low', the last with more than 'fast'
 * turns in the original length, to 1 at pair 'high', the first with fewer than
 * 'slow'.  With n = high - low and t = c - low, E is t/n (uni: each radix grows
 * alike) or t(t + 1)/(n(n + 1)) (pro: slower pairs take more).  If no pair has
 * more than 'fast' turns, low is the first pair; if none has fewer than 'slow',
 * high is one past the last, so a pair keeps its frequency or is divided in
 * full only if its turns say so.
 *
 * E is a quotient of integers and turns are compared in 128 bits, so the
 * frequencies are exact to 2^-127 turns.
 */
#include "scaling.h"
#include <math.h>

enum { KIND, FACTOR, ORIGINAL, FAST, SLOW };
enum { PRO, UNI };

static const char *const kinds[] = { "pro", "uni", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "kind", .kind = LCT_WORD, .def = PRO, .words = kinds,
      .doc = "pro: slower pairs take more of the factor; uni: all alike" },
    { .name = "factor", .kind = LCT_NUMBER, .def = NAN, .min = 1,
      .max = LCT_SCALING_MOST, .doc = "stretch of the context" },
    { .name = "original", .kind = LCT_INTEGER, .def = NAN, .min = 1,
      .max = 1 << 30, .doc = "length the model was first trained on" },
    { .name = "fast", .kind = LCT_NUMBER, .def = 32, .min = 0,
      .min_open = true, .max = 1 << 20,
      .doc = "pairs with more turns in the original length keep their "
             "frequency" },
    { .name = "slow", .kind = LCT_NUMBER, .def = 1, .min = 0, .min_open = true,
      .max = 1 << 20,
      .doc = "frequencies of pairs with fewer turns are divided by factor" },
    { 0 }
};
/* clang-format on */

static locant_status check(const locant_encoding *e)
{
    LCT_TRY(lct_scaling_needs(e, FACTOR));
    LCT_TRY(lct_scaling_needs(e, ORIGINAL));
    if (e->value[FAST] < e->value[SLOW])
        return LCT_REFUSE("fast of mixed-radix is %g, expected at least slow, "
                          "%g",
                          e->value[FAST], e->value[SLOW]);
    return LOCANT_OK;
}

static unsigned traits(const locant_encoding *e)
{
    return lct_scaling_isometric(e->value[FACTOR] == 1);
}

/* How many pairs make more than 'turns' turns in the original length; no
 * frequency makes exactly so many, because turns have a factor 1 / 2 pi. */
static int64_t faster(const struct lct_schedule *s, const locant_encoding *e,
                      double turns)
{
    int64_t c = 0;

    for (; c < s->pairs; c++)
        if (lct_phase_share(s->frequency[c], (uint64_t)e->value[ORIGINAL],
                            turns, turns)
                .hi == 0)
            break;
    return c;
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    struct lct_schedule *s = *out;
    double factor = e->value[FACTOR];
    int64_t fast = faster(s, e, e->value[FAST]), low = fast > 0 ? fast - 1 : 0;
    int64_t high = faster(s, e, e->value[SLOW]), n = high - low;
    bool pro = e->value[KIND] == PRO;

    s->magnitude = 1 + 0.1 * log(factor);
    for (int64_t c = low; c < s->pairs; c++) {
        int64_t t = c - low;

        if (c >= high)
            s->frequency[c] = lct_phase_divide(s->frequency[c], factor);
        else
            s->frequency[c] = lct_phase_of_stretched(
                s->base, c, 2 * s->pairs, factor, pro ? t * (t + 1) : t,
                pro ? n * (n + 1) : n);
    }
    return LOCANT_OK;
}

/* No other software has it. */
static bool emulated(const locant_encoding *e, int mode)
{
    (void)e;
    return mode == LOCANT_ANGLES_EXACT;
}

const struct lct_encoding lct_scaling_mixed_radix = {
    .info = { .name = "mixed-radix",
              .title = "MrRoPE: a mixed radix",
              .formula = "f factor^-E, E = t(t + 1)/(n(n + 1)) or t/n between "
                         "the pairs of fast and slow turns; cos, sin times "
                         "0.1 ln factor + 1",
              .source = "Tian et al. 2026, arXiv:2601.22181",
              .used_by = "research",
              .pitfalls = "The attention factor multiplies queries and keys, "
                          "so a score has its square, as in yarn.",
              .gradient = "" },
    .keys = keys,
    .check = check,
    .traits = traits,
    .schedule = { .create = schedule, .emulated = emulated },
};
