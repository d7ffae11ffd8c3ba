/*
 * selfextend.c - grouped positions beyond a window of neighbours.
 *
 * Jin et al.: LLM Maybe LongLM: Self-Extend LLM Context Window Without Tuning.
 * 2024. arXiv:2401.01325, section 3.2 and algorithm 1.
 *
 *     d = n                                              if n < window
 *     d = floor(p_i/G) - floor(p_j/G) + window - floor(window/G)   beyond
 *
 * The authors divide window by G exactly in prefill and round down while
 * decoding; both agree if G divides the window.  Keys after the query have d =
 * n.
 */
#include "near_far.h"
#include "../positions/distance.h"

enum { GROUP, WINDOW, BASE, PAIRING };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "group", .kind = LCT_INTEGER, .def = 8, .min = 1,
      .max = 1 << 20,
      .doc = "G: so many consecutive far positions count as one" },
    { .name = "window", .kind = LCT_INTEGER, .def = 512, .min = 1,
      .max = 1 << 30, .doc = "keys nearer than this keep their distance; "
      "a multiple of the group is best" },
    LCT_BASE(10000, "as in rope"), LCT_NEAR_FAR_PAIRING,
    { 0 }
};
/* clang-format on */

static int64_t offset(const locant_encoding *e)
{
    return lct_selfextend_offset((int64_t)e->value[WINDOW],
                                 (int64_t)e->value[GROUP]);
}

static int64_t grouped(const locant_encoding *e, enum lct_role role,
                       int64_t pos)
{
    (void)role;
    return lct_floor_div(pos, (int64_t)e->value[GROUP]);
}

static const struct lct_near_far near_far = {
    .base = BASE,
    .pairing = PAIRING,
    .window = WINDOW,
    .classify = lct_near_far_classify,
    .classify_range = lct_near_far_classify_range,
    .offset = offset,
    .grouped = grouped,
};

static const locant_variant variants[] = {
    { "selfextend(group=8,window=1024)", "Llama 2 from 4096 to 16384 tokens",
      "LongLM, Llama 2 chat" },
    { "selfextend(group=4,window=2048,pairing=interleaved)",
      "as llama.cpp's --grp-attn-n 4 --grp-attn-w 2048", "llama.cpp" },
    { 0 }
};

const struct lct_encoding lct_enc_selfextend = {
    .info = {
        .name = "selfextend",
        .title = "Self-Extend: neighbours exact, far positions grouped",
        .formula = "s = sum_c Re(q_c conj(k_c) e^{i d f_c}) / sqrt(D), d = n "
                   "if n < window, else floor(p_i/G) - floor(p_j/G) + window - "
                   "floor(window/G)",
        .gradient = "as rope at d: dq = s sum dS e^{-i d f} k, dk = s sum dS "
                    "e^{i d f} q, in complex pairs",
        .source = "Jin et al. 2024, arXiv:2401.01325v3, section 3.2",
        .used_by = "Llama 2, Mistral, Phi-2 without fine-tuning; llama.cpp "
                   "--grp-attn-n",
        .pitfalls = "Replaces rope: not to be added to it.  Needs unrotated "
                    "keys in the cache.  With a window that is no multiple of "
                    "the group, the authors' prefill and decoding differ.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_CAUSAL,
    },
    .keys = keys,
    .schedule = { .create = lct_near_far_schedule },
    .content = { .products = lct_near_far_products, .near_far = &near_far },
};
