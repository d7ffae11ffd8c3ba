/*
 * beit.c - Swin's table over a whole image, with rows for the class token.
 *
 * Bao, Dong, Piao, Wei: BEiT: BERT Pre-Training of Image Transformers. 2022.
 * arXiv:2106.08254; the index is that of the authors' code: position 0 is the
 * class token, patches follow row by row, and the last three rows of the table
 * are class to patch, patch to class, class to class.
 */
#include "window_table.h"

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_WINDOW_SIDES(14, "patches"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "table", .dims = { "offsets", "heads" }, .rate = 10,
      .scope = LCT_PER_LAYER,
      .doc = "bias of each offset, then of class to patch, patch to class, "
             "class to class" },
    { 0 }
};
/* clang-format on */

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)name; /* always "offsets" */
    (void)sizes;
    return lct_window_offsets((int64_t)e->value[HEIGHT],
                              (int64_t)e->value[WIDTH]) +
           3;
}

static int64_t count(const locant_encoding *e, const locant_tensor *given)
{
    (void)given;
    return (int64_t)(e->value[HEIGHT] * e->value[WIDTH]) + 1;
}

static int64_t offset(const struct lct_call *c, int64_t q_pos, int64_t k_pos)
{
    int64_t height = (int64_t)c->e->value[HEIGHT];
    int64_t width = (int64_t)c->e->value[WIDTH];
    int64_t class_row = lct_window_offsets(height, width);

    if (q_pos == 0)
        return k_pos == 0 ? class_row + 2 : class_row;
    if (k_pos == 0)
        return class_row + 1;
    return lct_window_offset(height, width, q_pos - 1, k_pos - 1);
}

/* Position key of the last patch; differences of patches are -last .. last. */
static int64_t last_key(const struct lct_call *c)
{
    int64_t height = (int64_t)c->e->value[HEIGHT];
    int64_t width = (int64_t)c->e->value[WIDTH];

    return lct_window_key(width, height * width - 1);
}

/*
 * The position keys of the class token differ from those of patches by amounts
 * that no pair of patches has: last + 1 .. 2 last + 1 as query of patches,
 * -3 last - 2 .. -2 last - 2 as key of patches, -last - 1 as its own key.
 */
static int64_t position_key(const struct lct_call *c, enum lct_role role,
                            int64_t pos)
{
    if (pos == 0)
        return role == LCT_QUERY ? 2 * last_key(c) + 1 : 3 * last_key(c) + 2;
    return lct_window_key((int64_t)c->e->value[WIDTH], pos - 1);
}

static bool pair_of(int64_t *q_pos, int64_t *k_pos, struct lct_call *c,
                    int64_t difference)
{
    int64_t last = last_key(c);

    *q_pos = difference > last || difference == -last - 1 ? 0 : 1;
    *k_pos = difference <= -2 * last - 2 || difference == -last - 1 ? 0 : 1;
    if (difference < -last)
        return *k_pos == 0;
    if (difference > last)
        return true;
    lct_window_pair(q_pos, k_pos, (int64_t)c->e->value[WIDTH], difference);
    *q_pos += 1;
    *k_pos += 1;
    return true;
}

const struct lct_encoding lct_enc_beit = {
    .info = {
        .name = "beit",
        .title = "Relative position bias with a class token (BEiT)",
        .formula = "s[h,i,j] += table[offset(i, j), h], three more rows for "
                   "pairs with the class token",
        .source = "Bao et al. 2022, arXiv:2106.08254v2, section 2.3 and the "
                  "authors' code",
        .used_by = "BEiT, Data2Vec-vision",
        .pitfalls = "Shared by all layers in pre-training, one table for each "
                    "layer in fine-tuned models.",
        .gradient = "dtable[offset] = sum of dS over pairs of that offset",
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_LIMIT,
    },
    .keys = keys,
    .params = { .list = params, .size = size },
    .positions = { .count = count, .of = "image" },
    .score = {
        .bias = lct_bias_of_entries,
        .backward = lct_bias_of_entries_backward,
        .entry = offset,
        .fast = { .position_key = position_key, .pair_of = pair_of },
    },
};
