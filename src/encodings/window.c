/*
 * window.c - sliding window: only keys nearer than a distance are seen.
 *
 * Beltagy, Peters, Cohan: Longformer. 2020. arXiv:2004.05150, section 3.1; the
 * causal form of Jiang et al.: Mistral 7B. 2023. arXiv:2310.06825, section 2:
 * 'size' keys including the query's own.  Without a causal mask, keys after the
 * query are seen too, if |n| < size (encoders in Transformers use |n| <= size).
 * This encoding has no door: it is added to another one.
 */
#include "encoding.h"

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "size", .kind = LCT_INTEGER, .def = 256, .min = 1,
      .max = 1LL << 40, .doc = "keys that a query sees, including its own" },
    { 0 }
};
/* clang-format on */

static void hide(char *hidden, const locant_encoding *e,
                 const struct lct_head *head, const int64_t *q_pos, size_t n,
                 int64_t k_pos)
{
    int64_t size = (int64_t)e->value[0];

    (void)head;
    for (size_t i = 0; i < n; i++) {
        int64_t d = lct_distance(q_pos[i], k_pos);

        hidden[i] |= (d >= size) | (d <= -size);
    }
}

static enum lct_visibility classify(const locant_encoding *e,
                                    const struct lct_head *head,
                                    struct lct_span q, struct lct_span k)
{
    int64_t size = (int64_t)e->value[0];
    int64_t low = lct_distance(q.low, k.high);
    int64_t high = lct_distance(q.high, k.low);

    (void)head;
    if (low >= size || high <= -size)
        return LCT_VISIBLE_NONE;
    return low > -size && high < size ? LCT_VISIBLE_ALL : LCT_VISIBLE_SOME;
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
        .pitfalls = "Some models count the query's own key in the size, some "
                    "do not; L layers together reach L * (size - 1) back.",
        .variants = variants,
        .traits = LOCANT_TRAIT_RELATIVE,
    },
    .keys = keys,
    .mask = { .hide = hide, .classify = classify },
};
