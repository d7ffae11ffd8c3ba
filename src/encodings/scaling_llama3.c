/*
 * scaling_llama3.c - frequencies by parts, as Llama 3.1 has them.
 *
 * Grattafiori et al.: The Llama 3 Herd of Models. 2024. arXiv:2407.21783, and
 * apply_scaling() of meta-llama/llama-models.  A pair makes r = original * f /
 * 2 pi turns in the original context.  Pairs with r >= high keep their
 * frequency, pairs with r <= low divide it by 'factor', and in between both
 * frequencies are mixed linearly in r.  Frequencies are fractions of a turn, so
 * r and all else are computed in 128 bits.
 */
#include "scaling.h"
#include <math.h>

enum { FACTOR, LOW, HIGH, ORIGINAL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "factor", .kind = LCT_NUMBER, .def = 8, .min = 1,
      .max = LCT_SCALING_MOST,
      .doc = "slow pairs are divided by it; 32 in Llama 3.2" },
    { .name = "low", .kind = LCT_NUMBER, .def = 1, .min = 0, .max = 1 << 20,
      .doc = "turns in the original context below which a pair is slow" },
    { .name = "high", .kind = LCT_NUMBER, .def = 4, .min = 0, .max = 1 << 20,
      .doc = "turns from which a pair is left alone; at least low" },
    { .name = "original", .kind = LCT_INTEGER, .def = 8192, .min = 1,
      .max = 1 << 30, .doc = "length the model was first trained on" },
    { 0 }
};
/* clang-format on */

static locant_status check(const locant_encoding *e)
{
    if (e->value[LOW] > e->value[HIGH])
        return LCT_REFUSE("low of llama3 is %g, expected at most high, %g",
                          e->value[LOW], e->value[HIGH]);
    return LOCANT_OK;
}

/* x / y as PyTorch divides a number by a tensor */
static float over(float x, float y)
{
    return 1 / y * x;
}

/* transformers' float32 tensors, operation by operation */
static float hf(const locant_encoding *e, float inverse)
{
    const float two_pi = (float)6.283185307179586;
    float wavelength = over(two_pi, inverse);
    float low = (float)e->value[LOW], smooth;

    if (wavelength > (float)(e->value[ORIGINAL] / e->value[LOW]))
        return inverse / (float)e->value[FACTOR];
    if (wavelength < (float)(e->value[ORIGINAL] / e->value[HIGH]))
        return inverse;
    smooth = (over((float)e->value[ORIGINAL], wavelength) - low) /
             (float)(e->value[HIGH] - e->value[LOW]);
    return (1 - smooth) * inverse / (float)e->value[FACTOR] + smooth * inverse;
}

/* The divisors that llama.cpp's converter, also in PyTorch, writes as
 * rope_freqs.weight. */
static float ggml(const locant_encoding *e, float inverse)
{
    const float two_pi = (float)6.283185307179586;
    float wavelength = over(two_pi, inverse), smooth;

    if (wavelength < (float)(e->value[ORIGINAL] / e->value[HIGH]))
        return 1;
    if (wavelength > (float)(e->value[ORIGINAL] / e->value[LOW]))
        return (float)e->value[FACTOR];
    smooth =
        (over((float)e->value[ORIGINAL], wavelength) - (float)e->value[LOW]) /
        (float)(e->value[HIGH] - e->value[LOW]);
    return 1 / ((1 - smooth) / (float)e->value[FACTOR] + smooth);
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    struct lct_schedule *s = *out;
    float dim = (float)(2 * s->pairs);

    for (int64_t c = 0; c < s->pairs; c++) {
        struct lct_phase f = s->frequency[c];
        struct lct_phase slow = lct_phase_divide(f, e->value[FACTOR]);
        float inverse = 1.0f / powf((float)s->base, (float)(2 * c) / dim);

        s->frequency[c] =
            lct_scaling_mix(slow, f,
                            lct_phase_share(f, (uint64_t)e->value[ORIGINAL],
                                            e->value[LOW], e->value[HIGH]));
        s->single[c] =
            s->mode == LOCANT_ANGLES_HF ? hf(e, inverse) : ggml(e, inverse);
    }
    return LOCANT_OK;
}

const struct lct_encoding lct_scaling_llama3 = {
    .info = { .name = "llama3",
              .title = "Llama 3.1 scaling, by parts",
              .formula = "f/factor + (f - f/factor) s, s = (r - low)/(high - "
                         "low) held to 0 .. 1, r = original f / 2 pi",
              .source = "Grattafiori et al. 2024, arXiv:2407.21783v3; "
                        "llama-models, apply_scaling()",
              .used_by = "Llama 3.1, 3.2 (factor 32), 3.3, Apertus",
              .pitfalls =
                  "With low = high, the published code divides by 0 in a "
                  "branch that is not used.",
              .gradient = "",
              .traits = LOCANT_TRAIT_ISOMETRIC },
    .keys = keys,
    .check = check,
    .schedule = { .create = schedule },
};
