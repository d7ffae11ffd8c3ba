/*
 * extension_plan.c - the tables of methods, of fine-tunes, and of what each
 * preset trains and evaluates.
 *
 * The window of Self-Extend is a multiple of its group, without which prefill
 * and decoding differ in the authors' code. At 2048 tokens its largest distance
 * is 125, which is within the trained 128. Clipped RoPE fades out as large a
 * share of the 16 pairs as 20 of 64. DroPE (Gelberg et al. 2025,
 * arXiv:2512.12167) goes on without positions at the trained length.
 */
#include "../core/error.h"
#include "extension.h"
#include <stdio.h>
#include <string.h>

static const struct lct_extension_method methods[] = {
    { "none", "none", "rope", "Su et al. 2021, arXiv:2104.09864", false },
    { "crop", "crop to 128", "rope", "the last 128 bytes alone", true },
    { "window", "window of 128", "window(size=128)+rope",
      "Beltagy et al. 2020, arXiv:2004.05150", false },
    { "pi", "PI", "rope(scaling=linear(factor=@))",
      "Chen et al. 2023, arXiv:2306.15595", false },
    { "ntk", "NTK", "rope(scaling=ntk(factor=@))",
      "Peng et al. 2023, arXiv:2309.00071, section 3.1", false },
    { "dynamic", "dynamic NTK", "rope(scaling=dynamic(factor=1,original=128))",
      "Peng et al. 2023, arXiv:2309.00071, section 3.3", false },
    { "yarn4", "YaRN, beta 4",
      "rope(scaling=yarn(factor=@,original=128,fast=4))",
      "Peng et al. 2023, arXiv:2309.00071", false },
    { "yarn8", "YaRN, beta 8",
      "rope(scaling=yarn(factor=@,original=128,fast=8))",
      "Peng et al. 2023, arXiv:2309.00071", false },
    { "yarn32", "YaRN, beta 32", "rope(scaling=yarn(factor=@,original=128))",
      "Peng et al. 2023, arXiv:2309.00071", false },
    { "radix8", "MrRoPE, beta 8",
      "rope(scaling=mixed-radix(factor=@,original=128,fast=8))",
      "Tian et al. 2026, arXiv:2601.22181", false },
    { "taper", "Clipped RoPE", "rope(taper=cosine(pairs=5))",
      "Li et al. 2026, arXiv:2602.05258", false },
    { "rerope", "ReRoPE", "rerope(window=64)",
      "Su 2023, github.com/bojone/rerope", false },
    { "selfextend", "Self-Extend", "selfextend(group=32,window=64)",
      "Jin et al. 2024, arXiv:2401.01325", false },
    { "streaming", "StreamingLLM", "streaming(sinks=4,window=124)",
      "Xiao et al. 2024, arXiv:2309.17453", false },
    { "logn", "log n", "temperature(kind=logn,length=128)+rope",
      "Chiang and Cholak 2022, arXiv:2202.12172", false },
};

static const struct lct_extension_tuning tunings[] = {
    { "none", "none", "rope", "rope", 512 },
    { "pi", "PI", "rope(scaling=linear(factor=@))",
      "rope(scaling=linear(factor=@))", 512 },
    { "ntk", "NTK", "rope(scaling=ntk(factor=@))",
      "rope(scaling=ntk(factor=@))", 512 },
    { "yarn8", "YaRN, beta 8",
      "rope(scaling=yarn(factor=@,original=128,fast=8))",
      "rope(scaling=yarn(factor=@,original=128,fast=8))", 512 },
    { "drope", "DroPE", "none", "none", 128 },
    { "pose", "PoSE with PI", "pose(length=512)+rope(scaling=linear(factor=@))",
      "rope(scaling=linear(factor=@))", 128 },
};

/* By preset. Heads have 32 channels throughout: 16 pairs, of which 6 make a
   full rotation within 128 positions. */
/* clang-format off */
static const struct lct_extension_plan plans[] = {
    /* layers, width, heads, ff, steps, rate, seeds,
       blocks, items, needle_steps, factors */
    [LOCANT_PRESET_SMOKE] = { "smoke", 2, 64, 2, 128, 40, 3e-3, 1,
        4, 11, 20, 2 },
    [LOCANT_PRESET_QUICK] = { "quick", 3, 64, 2, 256, 600, 3e-3, 3,
        48, 22, 600, 4 },
    [LOCANT_PRESET_HOUR] = { "hour", 4, 128, 4, 512, 2000, 2e-3, 3,
        96, 110, 600, 4 },
    [LOCANT_PRESET_FULL] = { "full", 4, 128, 4, 512, 4000, 2e-3, 5,
        192, 330, 600, 4 },
};
/* clang-format on */

enum {
    METHODS = sizeof methods / sizeof methods[0],
    TUNINGS = sizeof tunings / sizeof tunings[0],
    PLANS = sizeof plans / sizeof plans[0]
};

int lct_extension_methods(void)
{
    return METHODS;
}

const struct lct_extension_method *lct_extension_method(int i)
{
    return i >= 0 && i < METHODS ? &methods[i] : NULL;
}

int lct_extension_tunings(void)
{
    return TUNINGS;
}

const struct lct_extension_tuning *lct_extension_tuning(int i)
{
    return i >= 0 && i < TUNINGS ? &tunings[i] : NULL;
}

const struct lct_extension_plan *lct_extension_plan(locant_preset preset)
{
    return (unsigned)preset < PLANS ? &plans[preset]
                                    : &plans[LOCANT_PRESET_QUICK];
}

int64_t lct_extension_factor(int i)
{
    return INT64_C(2) << i;
}

locant_status lct_extension_spec(char out[256], const char *pattern,
                                 int64_t factor)
{
    const char *at = strchr(pattern, '@');
    char text[256];
    locant_encoding *resolved = NULL;

    if (at)
        snprintf(text, sizeof text, "%.*s%lld%s", (int)(at - pattern), pattern,
                 (long long)factor, at + 1);
    else
        snprintf(text, sizeof text, "%s", pattern);
    LCT_TRY(lct_encoding_create_at(&resolved, text, LCT_EXT_TRAINED));
    snprintf(out, 256, "%s", locant_encoding_spec(resolved));
    locant_encoding_free(resolved);
    return LOCANT_OK;
}

locant_train_options lct_extension_options(const struct lct_extension_plan *p)
{
    locant_train_options o = LOCANT_TRAIN_INIT;

    o.encoding = "rope";
    o.layers = p->layers;
    o.width = p->width;
    o.heads = o.kv_heads = p->heads;
    o.ff = p->ff;
    o.rms_norm = 1; /* as the models of the report */
    o.steps = p->steps;
    o.learning_rate = p->rate;
    o.length = LCT_EXT_TRAINED;
    return o;
}
