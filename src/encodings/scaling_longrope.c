/*
 * scaling_longrope.c - the frequency of each pair divided by its own factor.
 *
 * Ding et al.: LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens.
 * 2024. arXiv:2402.13753v1; Phi-3.  There are two lists of factors, one
 * for texts within the original length and one for longer texts.
 *
 * Shang et al.: LongRoPE2. 2025. arXiv:2502.20082.  Its search for a long list
 * begins at the pair 'critical', which is found by trial: 25 in Phi-3-mini, 30
 * in Llama-3-8B.  Pairs before it have the NTK base at which that pair meets
 * its factor, so divisors are factor^(c/critical), and from it on 'factor', the
 * first list of the search.
 */
#include "scaling.h"
#include <inttypes.h>
#include <math.h>

enum { ORIGINAL, FACTOR, SHORT, LONG, ATTENTION, CRITICAL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "original", .kind = LCT_INTEGER, .def = NAN, .min = 2,
      .max = 1 << 30,
      .doc = "texts of more positions than this use the long list" },
    { .name = "factor", .kind = LCT_NUMBER, .def = NAN, .min = 0,
      .min_open = true, .max = LCT_SCALING_MOST,
      .doc = "stretch of the context; only sets attention, and what critical "
             "makes; left out: 1" },
    { .name = "short", .kind = LCT_LIST, .def = 0, .min = 0.25,
      .max = LCT_SCALING_MOST,
      .doc = "divisors, one for each pair; left out: all 1" },
    { .name = "long", .kind = LCT_LIST, .def = 0, .min = 0.25,
      .max = LCT_SCALING_MOST,
      .doc = "divisors of longer texts; left out: all 1" },
    { .name = "attention", .kind = LCT_NUMBER, .def = NAN, .min = 0,
      .min_open = true, .max = 1000,
      .doc = "multiplies cos and sin; left out: sqrt(1 + ln factor / "
             "ln original), 1 for factors up to 1" },
    { .name = "critical", .kind = LCT_INTEGER, .def = NAN, .min = 1,
      .max = 32768,
      .doc = "instead of a long list: divisors factor^(c/critical) up to this "
             "pair, then factor (the first list of LongRoPE2)" },
    LCT_SCALING_LENGTH,
    { 0 }
};
/* clang-format on */

static locant_status check(const locant_encoding *e)
{
    LCT_TRY(lct_scaling_needs(e, ORIGINAL));
    if (isnan(e->value[CRITICAL]))
        return LOCANT_OK;
    if (e->list[LONG] != NULL)
        return LCT_REFUSE("longrope has the keys 'long' and 'critical', "
                          "expected one of them");
    LCT_TRY(lct_scaling_needs(e, FACTOR));
    if (e->value[FACTOR] < 1)
        return LCT_REFUSE("factor of longrope is %g, expected at least 1 with "
                          "critical",
                          e->value[FACTOR]);
    return LOCANT_OK;
}

static double attention(const locant_encoding *e)
{
    double factor = e->value[FACTOR];

    if (!isnan(e->value[ATTENTION]))
        return e->value[ATTENTION];
    if (!(factor > 1)) /* also if left out */
        return 1;
    return sqrt(1 + log(factor) / log(e->value[ORIGINAL]));
}

static unsigned traits(const locant_encoding *e)
{
    return LOCANT_TRAIT_LENGTH | lct_scaling_isometric(attention(e) == 1);
}

static int64_t which_length(const locant_encoding *e, int64_t length)
{
    int64_t original = (int64_t)e->value[ORIGINAL];

    return length > original ? original + 1 : original;
}

/* Divisors factor^min(c/critical, 1), as one exponential with the base. */
static void divide_from(struct lct_schedule *s, int64_t critical, double factor)
{
    int64_t dim = 2 * s->pairs;

    for (int64_t c = 0; c < s->pairs; c++) {
        double by = pow(factor, fmin((double)c / (double)critical, 1));
        float power = powf((float)s->base, (float)(2 * c) / (float)dim);

        s->frequency[c] =
            c < critical
                ? lct_phase_of_stretched(s->base, c, dim, factor, c, critical)
                : lct_phase_divide(s->frequency[c], factor);
        s->single[c] = s->mode == LOCANT_ANGLES_HF ? 1.0f / ((float)by * power)
                                                   : (float)by;
    }
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    struct lct_schedule *s = *out;
    int which = u->length > (int64_t)e->value[ORIGINAL] ? LONG : SHORT;
    const struct lct_list *list = e->list[which];
    float dim = (float)(2 * s->pairs);

    for (int k = SHORT; k <= LONG; k++)
        if (e->list[k] != NULL && (int64_t)e->list[k]->n != s->pairs)
            return locant_fail(LOCANT_ERR_SHAPE,
                               "%s: the list '%s' of longrope has %zu numbers, "
                               "expected %" PRId64 ", one for each pair",
                               u->fn, keys[k].name, e->list[k]->n, s->pairs);
    s->magnitude = attention(e);
    if (which == LONG && !isnan(e->value[CRITICAL]))
        divide_from(s, (int64_t)e->value[CRITICAL], e->value[FACTOR]);
    if (list != NULL)
        for (int64_t c = 0; c < s->pairs; c++) {
            float by = (float)list->item[c];
            float power = powf((float)s->base, (float)(2 * c) / dim);

            s->frequency[c] = lct_phase_divide(s->frequency[c], list->item[c]);
            s->single[c] =
                s->mode == LOCANT_ANGLES_HF ? 1.0f / (by * power) : by;
        }
    return LOCANT_OK;
}

const struct lct_encoding lct_scaling_longrope = {
    .info = { .name = "longrope",
              .title = "LongRoPE: a factor for each pair",
              .formula = "f_c = base^(-2c/dim) / list_c, the long list iff the "
                         "text is longer than original",
              .source = "Ding et al. 2024, arXiv:2402.13753v1; Shang et al. "
                        "2025, arXiv:2502.20082",
              .used_by = "Phi-3, Phi-3.5, Phi-4-mini, MiniCPM 3",
              .pitfalls = "Changing the list changes the angles of all keys of "
                          "the text; in transformers, keys that are already "
                          "cached keep those of the short list.",
              .gradient = "" },
    .keys = keys,
    .check = check,
    .traits = traits,
    .schedule = {
        .create = schedule,
        .length = which_length,
        .by_call = lct_scaling_by_call,
    },
};
