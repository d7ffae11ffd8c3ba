/*
 * scaling_ntk.c - NTK-aware scaling: a larger base, fixed or by the length.
 *
 * bloc97, "NTK-Aware Scaled RoPE" (2023), as written down in Peng et al., YaRN,
 * arXiv:2309.00071v2, section 3.1: the base grows by s^(dim/(dim - 2)), so that
 * the first pair keeps its frequency and the last divides it by exactly s.
 * "Dynamic" (emozilla 2023; section 3.3 there) computes s from the length of
 * the text.  The larger base is never rounded, since one exponential computes
 * both powers.
 */
#include "scaling.h"
#include <math.h>

enum { FACTOR, ORIGINAL };

static void stretch(struct lct_schedule *s, double factor)
{
    int64_t dim = 2 * s->pairs;
    double power = (double)dim / (double)(dim - 2);

    if (dim == 2)
        return; /* the only pair keeps its frequency */
    for (int64_t c = 0; c < s->pairs; c++)
        s->frequency[c] =
            lct_phase_of_stretched(s->base, c, dim, factor, 2 * c, dim - 2);
    if (s->mode != LOCANT_ANGLES_EXACT)
        lct_recipe_plain(s, s->base * pow(factor, power));
}

/* clang-format off */
static const struct lct_key ntk_keys[] = {
    { .name = "factor", .kind = LCT_NUMBER, .def = NAN, .min = 1,
      .max = LCT_SCALING_MOST,
      .doc = "what the last pair's frequency is divided by (HunYuan: alpha)" },
    { 0 }
};
/* clang-format on */

static locant_status ntk_check(const locant_encoding *e)
{
    return lct_scaling_needs(e, FACTOR);
}

static locant_status ntk(struct lct_schedule **out,
                         const struct lct_schedule_use *u)
{
    stretch(*out, u->e->value[FACTOR]);
    return LOCANT_OK;
}

const struct lct_encoding lct_scaling_ntk = {
    .info = { .name = "ntk",
              .title = "NTK-aware scaling",
              .formula = "f_c = (base factor^(dim/(dim-2)))^(-2c/dim)",
              .source = "bloc97 2023; Peng et al. 2023, arXiv:2309.00071v2, "
                        "section 3.1",
              .used_by = "HunYuan (alpha), community long-context Llama 2",
              .pitfalls = "Middle pairs are stretched by less than the factor.",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .keys = ntk_keys,
    .check = ntk_check,
    .schedule = { .create = ntk },
};

/* ----------------------------------------------------------------- dynamic */

/* clang-format off */
static const struct lct_key dynamic_keys[] = {
    { .name = "factor", .kind = LCT_NUMBER, .def = NAN, .min = 1,
      .max = LCT_SCALING_MOST, .doc = "how fast the base grows with length" },
    { .name = "original", .kind = LCT_INTEGER, .def = NAN, .min = 1,
      .max = 1 << 30,
      .doc = "length up to which nothing changes (max_position_embeddings)" },
    LCT_SCALING_LENGTH,
    { 0 }
};
/* clang-format on */

static locant_status dynamic_check(const locant_encoding *e)
{
    LCT_TRY(lct_scaling_needs(e, FACTOR));
    return lct_scaling_needs(e, ORIGINAL);
}

static int64_t dynamic_length(const locant_encoding *e, int64_t length)
{
    int64_t original = (int64_t)e->value[ORIGINAL];

    return length > original ? length : original;
}

/* transformers has the base of longer calls in float32, its power in double. */
static void hf(struct lct_schedule *s, double factor, int64_t length,
               double original)
{
    double dim = (double)(2 * s->pairs);
    float by =
        (float)factor * (float)length / (float)original - (float)(factor - 1);

    if (s->mode == LOCANT_ANGLES_HF && s->pairs > 1 &&
        (double)length > original)
        lct_recipe_plain(
            s, (double)((float)s->base * (float)pow(by, dim / (dim - 2))));
}

/*
 * s = factor L / original - (factor - 1), here 1 + factor (L - original) /
 * original, in double: exact if the quotient is, else within 2^-53 of s; the
 * frequency of pair c then is off by 2c/(dim - 2) times as much.
 */
static locant_status dynamic(struct lct_schedule **out,
                             const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    double factor = e->value[FACTOR], original = e->value[ORIGINAL];
    double more = (double)(dynamic_length(e, u->length) - (int64_t)original);

    stretch(*out, 1 + factor * more / original);
    hf(*out, factor, u->length, original);
    return LOCANT_OK;
}

const struct lct_encoding lct_scaling_dynamic = {
    .info = { .name = "dynamic",
              .title = "NTK-aware scaling by length",
              .formula = "ntk with factor f L/L0 - (f - 1), L = max(longest "
                         "position + 1, L0)",
              .source = "emozilla 2023; Peng et al. 2023, arXiv:2309.00071v2, "
                        "section 3.3",
              .used_by = "Qwen 1, InternLM 2, community Llama 2",
              .pitfalls = "Cached keys were rotated with the base of an "
                          "earlier length; exact use needs raw keys or "
                          "rerotation.",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC | LOCANT_TRAIT_LENGTH },
    .keys = dynamic_keys,
    .check = dynamic_check,
    .schedule = {
        .create = dynamic,
        .length = dynamic_length,
        .by_call = lct_scaling_by_call,
        .emulated = lct_scaling_not_ggml,
    },
};
