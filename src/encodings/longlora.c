/*
 * longlora.c - shifted sparse attention: tokens see only their group, and in
 * half of the heads groups are shifted by half a group.
 *
 * Chen et al.: LongLoRA: Efficient Fine-tuning of Long-Context Large Language
 * Models. 2024. arXiv:2309.12307, section 3.2.
 * The second half of the heads is shifted.  The authors roll the sequence, so
 * that the first half group joins the last one.  Here the half groups at both
 * ends stay apart: the group depends on the position alone, and no later token
 * is seen.  For training only: inference uses full attention.
 */
#include "encoding.h"
#include "../positions/distance.h"

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "group", .kind = LCT_INTEGER, .def = 64, .min = 2,
      .max = 1LL << 40,
      .doc = "tokens of a group, a quarter of the context in the paper" },
    { 0 }
};
/* clang-format on */

/* Group of a position; in shifted heads groups begin half a group earlier. */
static int64_t group_of(int64_t pos, int64_t group, bool shifted)
{
    int64_t index = lct_floor_div(pos, group);

    return index + (shifted && lct_gap(pos, index * group) >= group / 2);
}

static bool shifts(const struct lct_head *head)
{
    return head->index >= head->count / 2 && head->count > 1;
}

static void hide(char *hidden, const locant_encoding *e,
                 const struct lct_head *head, const int64_t *q_pos, size_t n,
                 int64_t k_pos)
{
    int64_t group = (int64_t)e->value[0];
    int64_t own = group_of(k_pos, group, shifts(head));

    for (size_t i = 0; i < n; i++)
        hidden[i] |= group_of(q_pos[i], group, shifts(head)) != own;
}

static enum lct_visibility classify(const locant_encoding *e,
                                    const struct lct_head *head,
                                    struct lct_span q, struct lct_span k)
{
    int64_t group = (int64_t)e->value[0];
    bool shifted = shifts(head);
    int64_t q_low = group_of(q.low, group, shifted);
    int64_t q_high = group_of(q.high, group, shifted);
    int64_t k_low = group_of(k.low, group, shifted);
    int64_t k_high = group_of(k.high, group, shifted);

    if (q_low > k_high || k_low > q_high)
        return LCT_VISIBLE_NONE;
    return q_low == k_high && k_low == q_high ? LCT_VISIBLE_ALL
                                              : LCT_VISIBLE_SOME;
}

static const locant_variant variants[] = {
    { "longlora(group=2048)+rope(base=10000)",
      "fine-tuning to 8192 tokens in groups of a quarter",
      "LongLoRA, Llama 2" },
    { 0 }
};

const struct lct_encoding lct_enc_longlora = {
    .info = {
        .name = "longlora",
        .title = "Shifted sparse attention (LongLoRA)",
        .formula = "s[h,i,j] = -infinity unless p_i and p_j are in one group; "
                   "groups of the second half of the heads are shifted by "
                   "group / 2",
        .gradient = "0 where hidden",
        .source = "Chen et al. 2024, arXiv:2309.12307v3, section 3.2",
        .used_by = "LongLoRA fine-tuning of Llama 2",
        .pitfalls = "The authors' roll lets the last half group see the first "
                    "one; positions are not shifted; not for inference.",
        .variants = variants,
        .traits = 0,
    },
    .keys = keys,
    .mask = { .hide = hide, .classify = classify },
};
