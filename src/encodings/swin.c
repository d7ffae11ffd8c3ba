/*
 * swin.c - a learned bias for each offset within a window of patches.
 *
 * Liu et al.: Swin Transformer: Hierarchical Vision Transformer using Shifted
 * Windows. 2021. arXiv:2103.14030, section 3.2, eq. (4).  Position p of a
 * window is row p / width, column p mod width.  The table has an entry for each
 * of the (2 height - 1)(2 width - 1) offsets, query minus key, in row-major
 * order.
 */
#include "window_table.h"

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_WINDOW_SIDES(7, "the window"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "table", .dims = { "offsets", "heads" }, LCT_NORMAL(0, 0.02),
      .rate = 10, .scope = LCT_PER_LAYER,
      .doc = "bias of each offset, (2 height - 1)(2 width - 1) of them" },
    { 0 }
};
/* clang-format on */

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)name; /* always "offsets" */
    (void)sizes;
    return lct_window_offsets((int64_t)e->value[HEIGHT],
                              (int64_t)e->value[WIDTH]);
}

static int64_t offset(const struct lct_call *s, int64_t q_pos, int64_t k_pos)
{
    return lct_window_offset((int64_t)s->e->value[HEIGHT],
                             (int64_t)s->e->value[WIDTH], q_pos, k_pos);
}

const struct lct_encoding lct_enc_swin = {
    .info = {
        .name = "swin",
        .title = "Relative position bias of windows (Swin)",
        .formula = "s[h,i,j] += table[(y_i - y_j + Wh - 1)(2 Ww - 1) + "
                   "x_i - x_j + Ww - 1, h]",
        .source = "Liu et al. 2021, arXiv:2103.14030v2, section 3.2, eq. (4)",
        .used_by = "Swin Transformer",
        .pitfalls = "The bias goes after 1/sqrt(D); another window size needs "
                    "the table resized (locant resize).",
        .gradient = "dtable[offset] = sum of dS over pairs of that offset",
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_LIMIT,
    },
    .keys = keys,
    .params = { .list = params, .size = size },
    .positions = { .count = lct_window_positions, .of = "window" },
    .score = {
        .bias = lct_bias_of_entries,
        .backward = lct_bias_of_entries_backward,
        .entry = offset,
        .fast = { .position_key = lct_patch_key, .pair_of = lct_patch_pair },
    },
};
