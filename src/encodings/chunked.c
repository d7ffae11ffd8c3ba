/*
 * chunked.c - chunked attention: a query sees the keys of its own chunk only.
 *
 * Local layers of Llama 4: transformers 5, chunked_overlay() of
 * masking_utils.py.  There chunks begin at the first token of a row that is no
 * padding, which is position 0 here.
 * This encoding has no door: it is added to another one.
 */
#include "../positions/distance.h"
#include "encoding.h"

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "size", .kind = LCT_INTEGER, .def = 8192, .min = 1,
      .max = 1LL << 40, .doc = "tokens of a chunk" },
    { 0 }
};
/* clang-format on */

static void hide(char *hidden, const locant_encoding *e,
                 const struct lct_head *head, const int64_t *q_pos, size_t n,
                 int64_t k_pos)
{
    const int64_t size = (int64_t)e->value[0];
    const int64_t own = lct_floor_div(k_pos, size);

    (void)head;
    for (size_t i = 0; i < n; i++)
        hidden[i] |= lct_floor_div(q_pos[i], size) != own;
}

static enum lct_visibility classify(const locant_encoding *e,
                                    const struct lct_head *head,
                                    struct lct_span q, struct lct_span k)
{
    const int64_t size = (int64_t)e->value[0];
    const int64_t q_low = lct_floor_div(q.low, size);
    const int64_t q_high = lct_floor_div(q.high, size);
    const int64_t k_low = lct_floor_div(k.low, size);
    const int64_t k_high = lct_floor_div(k.high, size);

    (void)head;
    if (q_low > k_high || k_low > q_high)
        return LCT_VISIBLE_NONE;
    return q_low == k_high && k_low == q_high ? LCT_VISIBLE_ALL
                                              : LCT_VISIBLE_SOME;
}

static const locant_variant variants[] = {
    { "chunked(size=8192)+rope(base=500000,pairing=interleaved)",
      "layers with RoPE", "Llama 4" },
    { 0 }
};

const struct lct_encoding lct_enc_chunked = {
    .info = {
        .name = "chunked",
        .title = "Chunked attention",
        .formula = "s[i,j] = -infinity unless floor(p_i / size) = "
                   "floor(p_j / size)",
        .gradient = "0 where hidden",
        .source = "Meta 2025, transformers 5, masking_utils.py, "
                  "chunked_overlay()",
        .used_by = "local layers of Llama 4",
        .pitfalls = "The first token of a chunk sees itself alone; positions "
                    "count from the first token that is no padding.",
        .variants = variants,
        .traits = 0,
    },
    .keys = keys,
    .mask = { .hide = hide, .classify = classify },
};
