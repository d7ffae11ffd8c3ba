/*
 * scaling.c - the family of rescalings, and the short ones: none, linear,
 * proportional.
 */
#include "scaling.h"
#include "frequencies.h"
#include <inttypes.h>
#include <math.h>

extern const struct lct_encoding lct_scaling_ntk, lct_scaling_dynamic,
    lct_scaling_yarn, lct_scaling_longrope, lct_scaling_llama3;
extern const struct lct_encoding lct_scaling_mixed_radix;
static const struct lct_encoding linear, proportional;

/* clang-format off */
const struct lct_encoding *const lct_scalings[] = {
    &lct_scaling_none, &linear, &lct_scaling_ntk, &lct_scaling_dynamic,
    &lct_scaling_yarn, &lct_scaling_longrope, &lct_scaling_llama3,
    &proportional, &lct_scaling_mixed_radix, NULL
};
/* clang-format on */

locant_status lct_scaling_needs(const locant_encoding *e, int key)
{
    if (!isnan(e->value[key]))
        return LOCANT_OK;
    return LCT_REFUSE("%s needs its key '%s': %s", e->row->info.name,
                      e->row->keys[key].name, e->row->keys[key].doc);
}

bool lct_scaling_not_ggml(const locant_encoding *e, int mode)
{
    (void)e;
    return mode != LOCANT_ANGLES_GGML;
}

const char *const lct_scaling_lengths[] = { "document", "call", NULL };

bool lct_scaling_by_call(const locant_encoding *e)
{
    return lct_value(e, "length") == 1;
}

double lct_scaling_score(const locant_encoding *scaling)
{
    return scaling->row->scale.of_scores != NULL
               ? scaling->row->scale.of_scores(scaling)
               : 1;
}

locant_status lct_scaling_schedule(struct lct_schedule **out,
                                   const locant_encoding *scaling, double base,
                                   const char *fn, int64_t pairs,
                                   int64_t head_dim)
{
    const struct lct_schedule_use use = { scaling, fn, head_dim, 0 };
    struct lct_schedule *s;
    locant_status status;

    *out = NULL;
    LCT_TRY(lct_schedule_make(&s, &use, base, pairs));
    status = scaling->row->schedule.create(&s, &use);
    if (status != LOCANT_OK) {
        locant_release(s);
        return status;
    }
    *out = s;
    return LOCANT_OK;
}

unsigned lct_scaling_isometric(bool isometric)
{
    return isometric ? LOCANT_TRAIT_ISOMETRIC : 0;
}

struct lct_phase lct_scaling_mix(struct lct_phase slow, struct lct_phase fast,
                                 struct lct_phase share)
{
    if (share.hi == UINT64_MAX && share.lo == UINT64_MAX)
        return fast;
    return lct_phase_add(
        slow, lct_phase_product(lct_phase_subtract(fast, slow), share));
}

/* -------------------------------------------------------------------- none */

locant_status lct_scaling_keep(struct lct_schedule **out,
                               const struct lct_schedule_use *u)
{
    (void)out;
    (void)u;
    return LOCANT_OK;
}

const struct lct_encoding lct_scaling_none = {
    .info = { .name = "none",
              .title = "Frequencies as they are",
              .formula = "f_c = base^(-2c/dim)",
              .source = "Su et al. 2021, arXiv:2104.09864v5",
              .used_by = "",
              .pitfalls = "",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .schedule = { .create = lct_scaling_keep },
};

/* ------------------------------------------------------------------ linear */

/* clang-format off */
static const struct lct_key linear_keys[] = {
    { .name = "factor", .kind = LCT_NUMBER, .def = NAN, .min = 1,
      .max = LCT_SCALING_MOST, .doc = "positions are divided by it" },
    { 0 }
};
/* clang-format on */

static locant_status needs_factor(const locant_encoding *e)
{
    return lct_scaling_needs(e, 0);
}

static locant_status divide(struct lct_schedule **out,
                            const struct lct_schedule_use *u)
{
    struct lct_schedule *s = *out;
    double factor = u->e->value[0];

    for (int64_t c = 0; c < s->pairs; c++) {
        s->frequency[c] = lct_phase_divide(s->frequency[c], factor);
        if (s->mode == LOCANT_ANGLES_HF)
            s->single[c] /= (float)factor;
    }
    s->recipe.scale = 1.0f / (float)factor;
    return LOCANT_OK;
}

static const struct lct_encoding linear = {
    .info = { .name = "linear",
              .title = "Position interpolation",
              .formula = "f_c = base^(-2c/dim) / factor",
              .source = "Chen et al. 2023, arXiv:2306.15595v2, eq. (4)",
              .used_by = "Gemma 3 global layers (factor 8), Code Llama "
                         "variants, LongChat",
              .pitfalls =
                  "In float32, p (f/factor) and (p/factor) f are rounded "
                  "differently.",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .keys = linear_keys,
    .check = needs_factor,
    .schedule = { .create = divide },
};

/* ------------------------------------------------------------ proportional */

enum { PARTIAL, FACTOR };

/* clang-format off */
static const struct lct_key proportional_keys[] = {
    { .name = "partial", .kind = LCT_NUMBER, .def = 0.25, .min = 0, .max = 1,
      .doc = "share of the pairs that keep a frequency: the fastest" },
    { .name = "factor", .kind = LCT_NUMBER, .def = 1, .min = 1,
      .max = LCT_SCALING_MOST, .doc = "positions are divided by it" },
    { 0 }
};
/* clang-format on */

/*
 * Pairs beyond partial * dim / 2 do not rotate; the others keep their
 * exponents.
 */
static locant_status keep_fast(struct lct_schedule **out,
                               const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    struct lct_schedule *s = *out;
    double part = e->value[PARTIAL] * (double)(2 * s->pairs);
    int64_t rotating = (int64_t)floor(part / 2);

    for (int64_t c = 0; c < rotating; c++) {
        s->frequency[c] = lct_phase_divide(s->frequency[c], e->value[FACTOR]);
        s->single[c] /= (float)e->value[FACTOR];
    }
    lct_frequencies_keep(s, rotating);
    return LOCANT_OK;
}

static const struct lct_encoding proportional = {
    .info = { .name = "proportional",
              .title = "p-RoPE: only the fastest pairs rotate",
              .formula = "f_c = base^(-2c/dim) / factor for "
                         "c < floor(partial dim / 2), else 0",
              .source = "Barbero et al. 2024, arXiv:2410.06205v3",
              .used_by = "Gemma 4 global layers (partial 0.25, base 1e6)",
              .pitfalls = "Not partial rotation: the exponent is over all "
                          "pairs, and with pairing=half the rotated channels "
                          "are c and c + dim/2.",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .keys = proportional_keys,
    .schedule = { .create = keep_fast, .emulated = lct_scaling_not_ggml },
};
