/*
 * rope.c - rotary position embedding.
 *
 * Su, Lu, Pan, Murtadha, Wen, Liu: RoFormer: Enhanced Transformer with Rotary
 * Position Embedding. 2021. arXiv:2104.09864.
 * Pair c of a head turns by p * base^(-2c/dim).  Two facts follow and are what
 * the tests hold us to: lengths do not change, and the product of a query at m
 * with a key at n depends only on m - n.
 */
#include "encoding.h"
#include "../angle/schedule.h"
#include <inttypes.h>
#include <math.h>

enum { BASE, PAIRING, DIM, ANGLES };

static const char *const pairings[] = { "half", "interleaved", NULL };
static const char *const angles[] = { "exact", "hf", "ggml", NULL };

static const struct lct_key keys[] = {
    { .name = "base", .kind = LCT_NUMBER, .def = 10000, .min = 1, .max = 1e30,
      .doc = "longest wavelength / 2 pi, nearly; 5e5 in Llama 3" },
    { .name = "pairing", .kind = LCT_WORD, .def = LCT_HALF, .words = pairings,
      .doc = "half: channels (c, c + dim/2), as HF Llama and GPT-NeoX; "
             "interleaved: (2c, 2c + 1), as RoFormer and Meta Llama" },
    { .name = "dim", .kind = LCT_INTEGER, .def = NAN, .min = 2, .max = 65536,
      .doc = "rotated leading channels of each head, even; left out: all" },
    { .name = "angles", .kind = LCT_WORD, .def = LOCANT_ANGLES_EXACT,
      .words = angles,
      .doc = "exact; hf, ggml: the float32 recipes of those stacks, bit for "
             "bit" },
    { 0 }
};

static locant_status check(const locant_encoding *e)
{
    double dim = e->value[DIM];

    if (!isnan(dim) && fmod(dim, 2) != 0)
        return locant_fail(LOCANT_ERR_PARAM, "locant_encoding_create: dim of "
                           "rope is %.0f, expected an even number", dim);
    return LOCANT_OK;
}

static locant_status schedule(struct lct_schedule **out,
                              const locant_encoding *e, const char *fn,
                              int64_t head_dim)
{
    int64_t dim = isnan(e->value[DIM]) ? head_dim : (int64_t)e->value[DIM];

    if (dim > head_dim)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: rope turns %" PRId64
                           " channels of each head, found heads of %" PRId64,
                           fn, dim, head_dim);
    if (dim % 2 != 0)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: heads have %" PRId64
                           " channels, expected an even number to turn in "
                           "pairs", fn, dim);
    *out = lct_schedule_create(e->value[BASE], dim / 2, head_dim);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %" PRId64
                           " frequencies", fn, dim / 2);
    (*out)->pairing = (enum lct_pairing)e->value[PAIRING];
    (*out)->mode = (locant_angle_mode)e->value[ANGLES];
    return LOCANT_OK;
}

const struct lct_encoding lct_enc_rope = {
    .info = {
        .name = "rope",
        .title = "Rotary position embedding",
        .formula = "(a, b) of pair c at p -> (a cos f - b sin f, "
                   "a sin f + b cos f), f = p base^(-2c/dim)",
        .source = "Su et al. 2021, arXiv:2104.09864v5, eq. (34)",
        .used_by = "Llama, Qwen, Gemma, Mistral, GPT-NeoX, GPT-J, PaLM",
        .traps = "The two pairings differ by a permutation of channels and do "
                 "not mix; float32 angles are wrong by 6e-3 at position 1e5.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_ISOMETRIC,
    },
    .keys = keys,
    .check = check,
    .schedule = schedule,
};
