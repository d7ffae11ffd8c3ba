/*
 * rerope.c - rectified rotary positions: no key is farther than the window.
 *
 * Su Jianlin 2023, github.com/bojone/rerope (README; the posts kexue.fm 9706
 * and 9708 that it names).
 *
 *     d = n if n < window, else window               (ReRoPE)
 *     d = n if n < window, else window + (n - window) / leak   (Leaky ReRoPE)
 *
 * The authors also scale queries by max(1, ln(p + 1) / ln L); here that is
 * "rerope+temperature(kind=logn,length=4096)".  Keys after the query have d = n
 * (the authors' |n| < window differs there, but they mask these keys).
 */
#include "near_far.h"
#include "../positions/distance.h"

enum { WINDOW, LEAK, BASE, PAIRING };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "window", .kind = LCT_INTEGER, .def = 512, .min = 1,
      .max = 1 << 30, .doc = "distances from here on are rectified" },
    { .name = "leak", .kind = LCT_NUMBER, .def = 0, .min = 0, .max = 1e9,
      .doc = "beyond the window a step of 1 adds 1/leak; 0: adds nothing" },
    LCT_BASE(10000, "as in rope"), LCT_NEAR_FAR_PAIRING,
    { 0 }
};
/* clang-format on */

static locant_status check(const locant_encoding *e)
{
    double leak = e->value[LEAK];

    if (leak > 0 && leak < 1)
        return LCT_REFUSE("leak of rerope is %g, expected 0 or at least 1: "
                          "beyond the window steps become shorter",
                          leak);
    return LOCANT_OK;
}

static double divisor(const locant_encoding *e)
{
    return e->value[LEAK] == 0 ? 1 : e->value[LEAK];
}

static int64_t offset(const locant_encoding *e)
{
    return (int64_t)e->value[WINDOW];
}

static int64_t grouped(const locant_encoding *e, enum lct_role role,
                       int64_t pos)
{
    if (e->value[LEAK] == 0)
        return 0;
    return role == LCT_QUERY ? lct_gap(pos, (int64_t)e->value[WINDOW]) : pos;
}

static const struct lct_near_far near_far = {
    .base = BASE,
    .pairing = PAIRING,
    .window = WINDOW,
    .classify = lct_near_far_classify,
    .classify_range = lct_near_far_classify_range,
    .divisor = divisor,
    .offset = offset,
    .grouped = grouped,
};

static const locant_variant variants[] = {
    { "rerope(window=512)+temperature(kind=logn,length=4096)",
      "ReRoPE with the authors' log-n scaling", "Llama 2 with ReRoPE" },
    { "rerope(window=512,leak=16)+temperature(kind=logn,length=4096)",
      "Leaky ReRoPE", "Llama 2 with Leaky ReRoPE" },
    { 0 }
};

const struct lct_encoding lct_enc_rerope = {
    .info = {
        .name = "rerope",
        .title = "Rectified rotary positions (ReRoPE, Leaky ReRoPE)",
        .formula = "s = sum_c Re(q_c conj(k_c) e^{i d f_c}) / sqrt(D), d = n "
                   "if n < window, else window [+ (n - window) / leak]",
        .gradient = "as rope at d: dq = s sum dS e^{-i d f} k, dk = s sum dS "
                    "e^{i d f} q, in complex pairs",
        .source = "Su 2023, github.com/bojone/rerope, rerope_patch.py, "
                  "leaky_rerope_patch.py",
        .used_by = "Llama 2 without fine-tuning",
        .pitfalls = "Replaces rope: not to be added to it.  Needs unrotated "
                    "keys in the cache.  The authors' log-n scaling is a part "
                    "of its results.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE,
    },
    .keys = keys,
    .check = check,
    .schedule = { .create = lct_near_far_schedule },
    .content = { .products = lct_near_far_products, .near_far = &near_far },
};
