/*
 * window.c - sliding window: only keys nearer than a distance are seen.
 *
 * Beltagy, Peters, Cohan: Longformer. 2020. arXiv:2004.05150, section 3.1; the
 * causal form of Jiang et al.: Mistral 7B. 2023. arXiv:2310.06825, section 2:
 * 'size' keys with the query's own among them.  Without a causal mask keys
 * after the query are held to the same |n| < size (Transformers counts
 * |n| <= size in encoders).  No door: it goes with another encoding.
 */
#include "encoding.h"

static const struct lct_key keys[] = {
    { .name = "size", .kind = LCT_INTEGER, .def = 256, .min = 1,
      .max = 1LL << 40, .doc = "keys that a query sees, itself among them" },
    { 0 }
};

static bool hides(const locant_encoding *e, int64_t head, int64_t heads,
                  int64_t q_pos, int64_t k_pos)
{
    int64_t n = lct_distance(q_pos, k_pos), size = (int64_t)e->value[0];

    (void)head;
    (void)heads;
    return n >= size || n <= -size;
}

static const locant_variant variants[] = {
    { "window(size=4096)+rope", "sliding window attention", "Mistral 7B v0.1" },
    { "window(size=1024)+rope", "local layers of five in six", "Gemma 3" },
    { "window(size=512)+alibi", "ALiBi cut off", "" },
    { 0 }
};

const struct lct_encoding lct_enc_window = {
    .info = {
        .name = "window",
        .title = "Sliding window",
        .formula = "s[i,j] = -infinity unless |p_i - p_j| < size",
        .gradient = "0 where hidden",
        .source = "Beltagy et al. 2020, arXiv:2004.05150v2, section 3.1; Jiang "
                  "et al. 2023, arXiv:2310.06825v1, section 2",
        .used_by = "Mistral 7B v0.1; local layers of Gemma 2 and 3, Command "
                   "R7B, gpt-oss",
        .traps = "Some count the query's own key, some do not; layers on top "
                 "of each other reach layers * (size - 1) back.",
        .variants = variants,
        .traits = LOCANT_TRAIT_RELATIVE,
    },
    .keys = keys,
    .hides = hides,
};
