/*
 * randomized.c - positions drawn at random from a longer range.
 *
 * Ruoss et al.: Randomized Positional Encodings Boost Length Generalization of
 * Transformers. 2023. arXiv:2305.16843, section 3.
 * In training a sequence of T tokens gets T distinct positions of
 * 0 .. length - 1 in ascending order.  The paper draws them at evaluation too;
 * here evaluation spreads tokens evenly from 0 to length - 1, so that it is
 * reproducible.  This encoding has no door: it is added to another one.
 */
#include "draw.h"
#include "encoding.h"
#include <inttypes.h>

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "length", .kind = LCT_INTEGER, .def = 2048, .min = 1,
      .max = 1 << 30,
      .doc = "positions to draw from: the longest sequence of evaluation, or "
             "more" },
    { 0 }
};
/* clang-format on */

static locant_status positions(const locant_encoding *e, const char *fn,
                               const int64_t *pos, size_t n,
                               const locant_tensor *params)
{
    int64_t length = (int64_t)e->value[0];

    (void)params;
    for (size_t i = 0; i < n; i++)
        if (pos[i] >= length)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: position %" PRId64
                               " (index %zu) is beyond the %" PRId64
                               " positions of randomized",
                               fn, pos[i], i, length);
    return LOCANT_OK;
}

static void choose(int64_t *out, double *reals, const locant_encoding *e,
                   int64_t n, locant_random *r)
{
    int64_t length = (int64_t)e->value[0];

    (void)reals;
    if (r != NULL) {
        lct_draw_set(out, n, length, r);
        return;
    }
    for (int64_t t = 0; t < n; t++)
        out[t] = n == 1 ? 0 : t * (length - 1) / (n - 1); /* below 2^60 */
}

static const locant_variant variants[] = {
    { "randomized(length=2048)+rope", "with rotary positions", "the paper" },
    { "randomized(length=2048)+alibi", "with linear biases", "the paper" },
    { "randomized(length=2048)+sinusoidal", "with sinusoids", "the paper" },
    { "randomized(length=2048)+transformer-xl",
      "with relative scores, the best of the paper", "the paper" },
    { 0 }
};

const struct lct_encoding lct_enc_randomized = {
    .info = {
        .name = "randomized",
        .title = "Randomized positions",
        .formula = "p_0 < .. < p_(T-1): a random set of 0 .. length - 1; "
                   "evaluation: p_t = floor(t (length - 1) / (T - 1))",
        .gradient = "",
        .source = "Ruoss et al. 2023, arXiv:2305.16843v1, section 3",
        .used_by = "length-generalization studies",
        .pitfalls = "The range must cover the longest evaluation, whose "
                    "positions are spread too: training rarely sees plain 0 .. "
                    "T - 1.",
        .variants = variants,
        .traits = LOCANT_TRAIT_RELATIVE,
    },
    .keys = keys,
    .positions = { .check = positions, .choose = choose },
};
