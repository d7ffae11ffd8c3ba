/*
 * scaling_yarn.c - YaRN: frequencies by parts, and a temperature of the
 * softmax.
 *
 * Peng, Quesnelle, Fan, Shippole: YaRN: Efficient Context Window Extension of
 * Large Language Models. 2023. arXiv:2309.00071v2, section 3.2 and eq. (22). In
 * the paper the ramp is linear in the turns of a pair.  The authors' code,
 * which all ports follow, makes it linear in the index of the pair, between the
 * indices with 'fast' and 'slow' turns.  So does this file.
 *
 * With truncate the ends of the ramp are integers, and frequencies are computed
 * in 128 bits.  Without, the ends are logarithms in double, so frequencies
 * within the ramp are accurate to about 2^-48, the others exactly.
 *
 * DeepSeek V2 (arXiv:2405.04434v5, section 3.1.4), V3 and Mistral 4 set mscale
 * and mscale_all_dim to the same number, so the factor of cosines and sines is
 * 1.  Instead they multiply the scale of the scores by m^2 with m = 0.1
 * mscale_all_dim ln factor + 1, so channels that are not rotated are multiplied
 * too.  Ministral 3 has both keys but does not do this: hence the key 'score'.
 */
#include "scaling.h"
#include "yarn.h"
#include <math.h>

/* clang-format off */
enum {
    FACTOR, ORIGINAL, FAST, SLOW, ATTENTION, MSCALE, MSCALE_ALL, SCORE,
    TRUNCATE, DYNAMIC
};

static const struct lct_key keys[] = {
    { .name = "factor", .kind = LCT_NUMBER, .def = NAN, .min = 1,
      .max = LCT_SCALING_MOST,
      .doc = "stretch of the context; not read with dynamic=yes" },
    { .name = "original", .kind = LCT_INTEGER, .def = NAN, .min = 1,
      .max = 1 << 30, .doc = "length the model was first trained on" },
    { .name = "fast", .kind = LCT_NUMBER, .def = 32, .min = 0,
      .min_open = true, .max = 1 << 20,
      .doc = "pairs with more turns in the original length keep their "
             "frequency (beta_fast)" },
    { .name = "slow", .kind = LCT_NUMBER, .def = 1, .min = 0, .min_open = true,
      .max = 1 << 20,
      .doc = "frequencies of pairs with fewer turns are divided (beta_slow)" },
    { .name = "attention", .kind = LCT_NUMBER, .def = NAN, .min = 0,
      .min_open = true, .max = 1000,
      .doc = "multiplies cos and sin; left out: 0.1 ln factor + 1, or what "
             "mscale sets" },
    { .name = "mscale", .kind = LCT_NUMBER, .def = 0, .min = 0, .max = 1000,
      .doc = "with mscale-all: attention is (0.1 mscale ln factor + 1) / "
             "(0.1 mscale-all ln factor + 1)" },
    { .name = "mscale-all", .kind = LCT_NUMBER, .def = 0, .min = 0,
      .max = 1000, .doc = "see mscale and score (mscale_all_dim)" },
    { .name = "score", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: attention multiplies the scores by (0.1 mscale-all ln "
             "factor + 1)^2" },
    { .name = "truncate", .kind = LCT_SWITCH, .def = 1,
      .doc = "yes: the ramp begins and ends at whole pairs; no: gpt-oss" },
    { .name = "dynamic", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: factor = max(1, length / original)" },
    LCT_SCALING_LENGTH,
    { 0 }
};
/* clang-format on */

static locant_status check(const locant_encoding *e)
{
    if (e->value[DYNAMIC] == 0)
        LCT_TRY(lct_scaling_needs(e, FACTOR));
    LCT_TRY(lct_scaling_needs(e, ORIGINAL));
    if (e->value[FAST] < e->value[SLOW])
        return LCT_REFUSE("fast of yarn is %g, expected at least slow, %g",
                          e->value[FAST], e->value[SLOW]);
    if (e->value[SCORE] != 0 && e->value[MSCALE_ALL] == 0)
        return LCT_REFUSE("yarn with score=yes needs its key 'mscale-all': %s",
                          keys[SCORE].doc);
    if (e->value[SCORE] != 0 && e->value[DYNAMIC] != 0)
        return LCT_REFUSE("yarn has score=yes and dynamic=yes, expected one of "
                          "them: the factor on scores is one number");
    return LOCANT_OK;
}

static double factor_of(const locant_encoding *e, int64_t length)
{
    if (e->value[DYNAMIC] == 0)
        return e->value[FACTOR];
    return fmax(1, (double)length / e->value[ORIGINAL]);
}

static double attention(const locant_encoding *e, double factor)
{
    double m = e->value[MSCALE], all = e->value[MSCALE_ALL];

    if (!isnan(e->value[ATTENTION]))
        return e->value[ATTENTION];
    return m != 0 && all != 0
               ? lct_yarn_gain(factor, m) / lct_yarn_gain(factor, all)
               : lct_yarn_gain(factor, 1);
}

static double score(const locant_encoding *e)
{
    double m = lct_yarn_gain(e->value[FACTOR], e->value[MSCALE_ALL]);

    return e->value[SCORE] != 0 ? m * m : 1;
}

static unsigned traits(const locant_encoding *e)
{
    if (e->value[DYNAMIC] != 0)
        return LOCANT_TRAIT_LENGTH |
               lct_scaling_isometric(e->value[ATTENTION] == 1);
    return lct_scaling_isometric(attention(e, e->value[FACTOR]) == 1);
}

static int64_t which_length(const locant_encoding *e, int64_t length)
{
    int64_t original = (int64_t)e->value[ORIGINAL];

    if (e->value[DYNAMIC] == 0)
        return 0;
    return length > original ? length : original;
}

/* The index of the pair that makes 'turns' turns in the original length. */
static double index_of(const struct lct_schedule *s, const locant_encoding *e,
                       double turns)
{
    return lct_yarn_pair((double)(2 * s->pairs), s->base, e->value[ORIGINAL],
                         turns);
}

static void ramp_ends(double *low, double *high, const struct lct_schedule *s,
                      const locant_encoding *e)
{
    *low = index_of(s, e, e->value[FAST]);
    *high = index_of(s, e, e->value[SLOW]);
    if (e->value[TRUNCATE] != 0) {
        *low = floor(*low);
        *high = ceil(*high);
    }
    *low = fmax(*low, 0);
    *high = fmin(*high, (double)(2 * s->pairs - 1));
    if (*low == *high)
        *high += 0.001;
}

/* f - (f - f / factor) ramp; with integer ends, the ramp is an exact quotient.
 * 'low' can be above 'high'. */
static struct lct_phase mixed(struct lct_phase f, double factor, double c,
                              double low, double high)
{
    struct lct_phase lost = lct_phase_subtract(f, lct_phase_divide(f, factor));
    double ramp = (c - low) / (high - low);

    if (ramp <= 0)
        return f;
    if (ramp >= 1)
        return lct_phase_divide(f, factor);
    if (low == floor(low) && high == floor(high))
        lost = lct_phase_part(lost, (uint64_t)fabs(c - low),
                              (uint64_t)fabs(high - low));
    else
        lost = lct_phase_product(lost, lct_phase_from(ramp));
    return lct_phase_subtract(f, lost);
}

/* transformers' float32 tensors, operation by operation */
static float hf(const struct lct_schedule *s, double factor, int64_t c,
                double low, double high)
{
    float power = powf((float)s->base, (float)(2 * c) / (float)(2 * s->pairs));
    float ramp = ((float)c - (float)low) / (float)(high - low);
    float keep = 1 - fminf(fmaxf(ramp, 0), 1);

    return 1.0f / ((float)factor * power) * (1 - keep) + 1.0f / power * keep;
}

/* ggml has integer ends only, and one attention factor. */
static bool emulated(const locant_encoding *e, int mode)
{
    bool plain = e->value[TRUNCATE] != 0 && isnan(e->value[ATTENTION]) &&
                 e->value[MSCALE] == 0 && e->value[MSCALE_ALL] == 0;

    return e->value[DYNAMIC] == 0 && (plain || mode != LOCANT_ANGLES_GGML);
}

static void ggml(struct lct_schedule *s, const locant_encoding *e, double low,
                 double high)
{
    s->recipe.scale = 1.0f / (float)e->value[FACTOR];
    s->recipe.mix = 1;
    s->recipe.low = (float)low;
    s->recipe.high = (float)high;
    s->magnitude = (double)(1.0f + 0.1f * logf(1.0f / s->recipe.scale));
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    struct lct_schedule *s = *out;
    double factor = factor_of(e, u->length), low, high;

    if (s->base <= 1)
        return locant_fail(
            LOCANT_ERR_PARAM,
            "%s: base of rope is %g, expected more than 1 with yarn", u->fn,
            s->base);
    ramp_ends(&low, &high, s, e);
    s->magnitude = attention(e, factor);
    for (int64_t c = 0; c < s->pairs; c++) {
        s->frequency[c] = mixed(s->frequency[c], factor, (double)c, low, high);
        if (s->mode == LOCANT_ANGLES_HF)
            s->single[c] = hf(s, factor, c, low, high);
    }
    if (s->mode == LOCANT_ANGLES_GGML)
        ggml(s, e, low, high);
    return LOCANT_OK;
}

const struct lct_encoding lct_scaling_yarn = {
    .info = { .name = "yarn",
              .title = "YaRN",
              .formula = "f (1 - ramp) + f/factor ramp, ramp linear in the "
                         "pair from fast to slow; cos, sin times "
                         "0.1 ln factor + 1",
              .source = "Peng et al. 2023, arXiv:2309.00071v2, section 3.2, "
                        "eq. (22)",
              .used_by = "Qwen2.5, Qwen3, DeepSeek V2/V3, gpt-oss, OLMo 3",
              .pitfalls = "The attention factor multiplies queries and keys, "
                          "so the rotated part of a score has its square; "
                          "score=yes multiplies whole scores, but only in "
                          "attention, not in rotated queries and keys; "
                          "the ramp is linear in the index, not in turns as in "
                          "the paper; gpt-oss does not truncate.",
              .gradient = "" },
    .keys = keys,
    .check = check,
    .traits = traits,
    .schedule = {
        .create = schedule,
        .length = which_length,
        .by_call = lct_scaling_by_call,
        .emulated = emulated,
    },
    .scale = { .of_scores = score },
};
