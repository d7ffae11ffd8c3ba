/*
 * longlora.c - shifted sparse attention: groups of tokens see themselves, and
 * in half of the heads groups are shifted by half of one.
 *
 * Chen et al.: LongLoRA: Efficient Fine-tuning of Long-Context Large Language
 * Models. 2024. arXiv:2309.12307, section 3.2.
 * The second half of the heads is shifted.  The authors roll the sequence, so
 * that the first half group joins the last one; here the two halves at the
 * ends stay apart, which needs no length of the sequence (positions decide) and
 * leaks nothing.  For training only: inference is full attention.
 */
#include "encoding.h"
#include "../positions/distance.h"

static const struct lct_key keys[] = {
    { .name = "group", .kind = LCT_INTEGER, .def = 64, .min = 2,
      .max = 1LL << 40, .doc = "tokens of a group, a quarter of the context in "
      "the paper" },
    { 0 }
};

/* Group of a position; shifted ones begin half a group earlier. */
static int64_t group_of(int64_t pos, int64_t group, bool shifted)
{
    int64_t first = lct_floor_div(pos, group);

    return first + (shifted && lct_gap(pos, first * group) >= group / 2);
}

static bool hides(const locant_encoding *e, int64_t head, int64_t heads,
                  int64_t q_pos, int64_t k_pos)
{
    bool shifted = head >= heads / 2 && heads > 1;
    int64_t group = (int64_t)e->value[0];

    return group_of(q_pos, group, shifted) != group_of(k_pos, group, shifted);
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
        .traps = "The authors' roll lets the last half group see the first "
                 "one; positions stay the true ones; not for inference.",
        .variants = variants,
        .traits = 0,
    },
    .keys = keys,
    .hides = hides,
};
