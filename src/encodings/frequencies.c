/*
 * frequencies.c - lists of rotary frequencies, and cuts and tapers of them.
 *
 * A rule makes the list before a scaling reads it; cuts and tapers edit what
 * the scaling leaves, for each length anew if it depends on one.  A pair of
 * frequency 0 is not rotated: its cosine is 1 and its sine 0, so its channels
 * are copied (times the attention factor of a scaling that has one).
 *
 * Barbero et al. 2024, arXiv:2410.06205v3 (the fastest pairs alone); Chen et
 * al. 2024, arXiv:2410.21216 (no wavelengths beyond the trained length); Li et
 * al. 2026, arXiv:2602.05258 (slow pairs fade out).
 */
#include "frequencies.h"
#include "../angle/schedule.h"
#include "scaling.h"
#include <inttypes.h>
#include <math.h>

static const struct lct_encoding powers, list, geometric;
static const struct lct_encoding cut_pairs, cut_length, cut_part, cosine;

/* clang-format off */
const struct lct_encoding *const lct_frequency_rules[] = {
    &powers, &list, &geometric, NULL
};
const struct lct_encoding *const lct_frequency_cuts[] = {
    &lct_scaling_none, &cut_pairs, &cut_length, &cut_part, NULL
};
const struct lct_encoding *const lct_frequency_tapers[] = {
    &lct_scaling_none, &cosine, NULL
};
/* clang-format on */

static void zero(struct lct_schedule *s, int64_t c)
{
    s->frequency[c] = (struct lct_phase){ 0, 0 };
    s->single[c] = 0;
}

void lct_frequencies_keep(struct lct_schedule *s, int64_t n)
{
    for (int64_t c = n; c < s->pairs; c++)
        zero(s, c);
}

/* ------------------------------------------------------------------- rules */

static const struct lct_encoding powers = {
    .info = { .name = "powers",
              .title = "Powers of the base",
              .formula = "f_c = base^(-2c/dim)",
              .source = "Su et al. 2021, arXiv:2104.09864v5",
              .used_by = "",
              .pitfalls = "",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .schedule = { .create = lct_scaling_keep }, /* it enters as powers */
};

/* clang-format off */
static const struct lct_key list_keys[] = {
    { .name = "values", .kind = LCT_LIST, .def = 0, .min = 0, .max = 1000,
      .doc = "radians per position, one number for each pair; 0: the pair is "
             "not rotated" },
    { 0 }
};
/* clang-format on */

static locant_status list_check(const locant_encoding *e)
{
    if (e->list[0] != NULL)
        return LOCANT_OK;
    return LCT_REFUSE("list needs its key 'values': %s", list_keys[0].doc);
}

static locant_status list_create(struct lct_schedule **out,
                                 const struct lct_schedule_use *u)
{
    const struct lct_list *values = u->e->list[0];
    struct lct_schedule *s = *out;

    if ((int64_t)values->n != s->pairs)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: the list of frequencies has %zu numbers, "
                           "expected %" PRId64 ", one for each pair",
                           u->fn, values->n, s->pairs);
    for (int64_t c = 0; c < s->pairs; c++) {
        s->frequency[c] = lct_phase_of_radians(values->item[c]);
        s->single[c] = (float)values->item[c];
    }
    return LOCANT_OK;
}

static const struct lct_encoding list = {
    .info = { .name = "list",
              .title = "Given frequencies",
              .formula = "f_c = values_c",
              .source = "",
              .used_by = "",
              .pitfalls = "",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .keys = list_keys,
    .check = list_check,
    .schedule = { .create = list_create, .emulated = lct_scaling_not_ggml },
};

enum { RATIO, KEEP };

/* clang-format off */
static const struct lct_key geometric_keys[] = {
    { .name = "ratio", .kind = LCT_NUMBER, .def = 1024, .min = 1, .max = 1e30,
      .doc = "first frequency, which is 1, over the last one kept" },
    { .name = "keep", .kind = LCT_NUMBER, .def = 1, .min = 0, .max = 1,
      .doc = "share of the pairs that have a frequency; the others have 0" },
    { 0 }
};
/* clang-format on */

static int64_t share_of(const struct lct_schedule *s, double share)
{
    return (int64_t)floor(share * (double)(2 * s->pairs) / 2);
}

/* ratio^(-c / (n - 1)), c < n: unlike in powers of a base, the end is
 * included. */
static locant_status geometric_create(struct lct_schedule **out,
                                      const struct lct_schedule_use *u)
{
    struct lct_schedule *s = *out;
    double ratio = u->e->value[RATIO];
    int64_t n = share_of(s, u->e->value[KEEP]), steps = n > 1 ? n - 1 : 1;

    for (int64_t c = 0; c < n; c++) {
        s->frequency[c] = lct_phase_of(ratio, c, 2 * steps);
        s->single[c] = (float)pow(ratio, -(double)c / (double)steps);
    }
    lct_frequencies_keep(s, n);
    return LOCANT_OK;
}

static const struct lct_encoding geometric = {
    .info = { .name = "geometric",
              .title = "A geometric series with both ends, then zeros",
              .formula = "f_c = ratio^(-c/(n - 1)) for c < n = floor(keep "
                         "dim/2), else 0",
              .source = "Anson et al. 2025, arXiv:2505.17083",
              .used_by = "speed runs of GPT-2 (ratio 1024, keep 0.5)",
              .pitfalls = "",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .keys = geometric_keys,
    .schedule = { .create = geometric_create,
                  .emulated = lct_scaling_not_ggml },
};

/* -------------------------------------------------------------------- cuts */

/* How many of the slowest pairs an edit is for; more than there are: fail. */
static locant_status slowest(int64_t *n, const struct lct_schedule *s,
                             const struct lct_schedule_use *u)
{
    *n = (int64_t)u->e->value[0];
    if (*n <= s->pairs)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: %s is for %" PRId64 " pairs, found heads with "
                       "%" PRId64 " rotated pairs",
                       u->fn, u->e->spec, *n, s->pairs);
}

static locant_status needs_first(const locant_encoding *e)
{
    return lct_scaling_needs(e, 0);
}

/* clang-format off */
static const struct lct_key pairs_keys[] = {
    { .name = "n", .kind = LCT_INTEGER, .def = NAN, .min = 0, .max = 32768,
      .doc = "so many of the slowest pairs are not rotated" },
    { 0 }
};
static const struct lct_key length_keys[] = {
    { .name = "length", .kind = LCT_INTEGER, .def = NAN, .min = 1,
      .max = 1 << 30,
      .doc = "pairs with a longer wavelength are not rotated; left out: the "
             "trained length" },
    { 0 }
};
static const struct lct_key part_keys[] = {
    { .name = "keep", .kind = LCT_NUMBER, .def = 0.75, .min = 0, .max = 1,
      .doc = "share of the pairs that rotate: the fastest" },
    { 0 }
};
/* clang-format on */

static locant_status cut_slowest(struct lct_schedule **out,
                                 const struct lct_schedule_use *u)
{
    int64_t n;

    LCT_TRY(slowest(&n, *out, u));
    lct_frequencies_keep(*out, (*out)->pairs - n);
    return LOCANT_OK;
}

/* Does f make less than one turn in so many positions?  There is no tie,
 * because turns are rational multiples of 1 / 2 pi, or 0. */
static bool is_slow(struct lct_phase f, int64_t length)
{
    struct lct_phase turns = lct_phase_share(f, (uint64_t)length, 1, 1);

    return turns.hi == 0 && turns.lo == 0;
}

int64_t lct_frequencies_within(double base, int64_t pairs, int64_t length)
{
    int64_t c = 0;

    while (c < pairs && !is_slow(lct_phase_of(base, c, 2 * pairs), length))
        c++;
    return c;
}

static locant_status cut_long(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    struct lct_schedule *s = *out;

    if (isnan(u->e->value[0]))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the cut by length of rope has no length, "
                           "expected one in its spec, or a resolved encoding",
                           u->fn);
    for (int64_t c = 0; c < s->pairs; c++)
        if (is_slow(s->frequency[c], (int64_t)u->e->value[0]))
            zero(s, c);
    return LOCANT_OK;
}

static locant_status cut_share(struct lct_schedule **out,
                               const struct lct_schedule_use *u)
{
    lct_frequencies_keep(*out, share_of(*out, u->e->value[0]));
    return LOCANT_OK;
}

static const struct lct_encoding cut_pairs = {
    .info = { .name = "pairs",
              .title = "The slowest pairs are not rotated",
              .formula = "f_c = 0 for c >= dim/2 - n",
              .source = "Li et al. 2026, arXiv:2602.05258 (hard clipping)",
              .used_by = "",
              .pitfalls = "n was tuned for 64 pairs.",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .keys = pairs_keys,
    .check = needs_first,
    .schedule = { .create = cut_slowest, .emulated = lct_scaling_not_ggml },
};

static const struct lct_encoding cut_length = {
    .info = { .name = "length",
              .title = "Wavelengths beyond a length are not rotated (HoPE)",
              .formula = "f_c = 0 where 2 pi / f_c > length",
              .source = "Chen et al. 2024, arXiv:2410.21216",
              .used_by = "HoPE; FoPE has the same threshold",
              .pitfalls = "The wavelength is the scaled one.",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .keys = length_keys,
    .schedule = { .create = cut_long, .emulated = lct_scaling_not_ggml },
};

static const struct lct_encoding cut_part = {
    .info = { .name = "part",
              .title = "Only the fastest pairs rotate",
              .formula = "f_c = 0 for c >= floor(keep dim/2)",
              .source = "Barbero et al. 2024, arXiv:2410.06205v3",
              .used_by = "as scaling=proportional, and after any scaling",
              .pitfalls = "",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .keys = part_keys,
    .schedule = { .create = cut_share, .emulated = lct_scaling_not_ggml },
};

/* ------------------------------------------------------------------ tapers */

/* clang-format off */
static const struct lct_key cosine_keys[] = {
    { .name = "pairs", .kind = LCT_INTEGER, .def = NAN, .min = 0, .max = 32768,
      .doc = "so many of the slowest pairs fade out: the first keeps its "
             "frequency, the last has 0; 20 of 64 in the paper" },
    { 0 }
};
/* clang-format on */

/* (1 + cos(pi m / (n - 1))) / 2; the ends are exact, and one pair keeps its
 * frequency. */
static double weight(int64_t m, int64_t n)
{
    const double pi = 3.141592653589793;

    if (m == 0)
        return 1;
    return m == n - 1 ? 0 : (1 + cos(pi * (double)m / (double)(n - 1))) / 2;
}

static locant_status fade(struct lct_schedule **out,
                          const struct lct_schedule_use *u)
{
    struct lct_schedule *s = *out;
    int64_t n;

    LCT_TRY(slowest(&n, s, u));
    for (int64_t m = 1; m < n; m++) {
        int64_t c = s->pairs - n + m;
        double w = weight(m, n);

        s->frequency[c] = lct_phase_product(s->frequency[c], lct_phase_from(w));
        s->single[c] *= (float)w;
    }
    return LOCANT_OK;
}

static const struct lct_encoding cosine = {
    .info = { .name = "cosine",
              .title = "Clipped RoPE: slow pairs fade out",
              .formula = "f_c (1 + cos(pi m/(pairs - 1)))/2 for the last "
                         "pairs, m = 0 .. pairs - 1",
              .source = "Li et al. 2026, arXiv:2602.05258",
              .used_by = "Clipped RoPE (CoPE of its authors, not cope)",
              .pitfalls = "pairs was tuned for heads of 64 pairs.",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .keys = cosine_keys,
    .check = needs_first,
    .schedule = { .create = fade, .emulated = lct_scaling_not_ggml },
};
