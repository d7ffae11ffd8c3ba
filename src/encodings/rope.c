/*
 * rope.c - rotary position embedding.
 *
 * Su, Lu, Pan, Murtadha, Wen, Liu: RoFormer: Enhanced Transformer with Rotary
 * Position Embedding. 2021. arXiv:2104.09864.
 * Pair c of a head is rotated by p base^(-2c/dim).  So lengths do not change,
 * and the product of a query at m with a key at n depends only on m - n; tests
 * check both.  The nested 'scaling' extends a trained context (scaling.h).
 * Other lists of frequencies, cuts and tapers are those of frequencies.h.
 */
#include "frequencies.h"
#include "rotate.h"
#include "scaling.h"
#include <inttypes.h>
#include <math.h>

enum { BASE, PAIRING, DIM, SIDE, ANGLES, SCALING, FREQS, CUT, TAPER };
enum { LEADING, TRAILING };

static const char *const pairings[] = { "half", "interleaved", NULL };
static const char *const sides[] = { "leading", "trailing", NULL };
static const char *const angles[] = { "exact", "hf", "ggml", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "longest wavelength / 2 pi, nearly; 5e5 in Llama 3"),
    { .name = "pairing", .kind = LCT_WORD, .def = LCT_HALF, .words = pairings,
      .doc = "half: channels (c, c + dim/2), as HF Llama and GPT-NeoX; "
             "interleaved: (2c, 2c + 1), as RoFormer and Meta Llama" },
    { .name = "dim", .kind = LCT_INTEGER, .def = NAN, .min = 2, .max = 65536,
      .doc = "rotated channels of each head, even; left out: all" },
    { .name = "side", .kind = LCT_WORD, .def = LEADING, .words = sides,
      .doc = "which channels are rotated; trailing in DeepSeek" },
    { .name = "angles", .kind = LCT_WORD, .def = LOCANT_ANGLES_EXACT,
      .words = angles,
      .doc = "exact; hf, ggml: the float32 operations of those stacks, with "
             "this C library's powf, cosf, sinf; PyTorch's own differ in the "
             "last place: on AVX2 and AVX-512 in one frequency of 75, "
             "everywhere in one cosine or sine of 20" },
    { .name = "scaling", .kind = LCT_SPEC, .def = 0, .family = lct_scalings,
      .doc = "none; linear(factor); ntk(factor); dynamic(factor, original, "
             "length); yarn(factor, original, fast, slow, attention, mscale, "
             "mscale-all, score, truncate, dynamic, length); "
             "longrope(original, factor, short, long, attention, critical, "
             "length); "
             "llama3(factor, low, high, original); proportional(partial, "
             "factor); mixed-radix(kind, factor, original, fast, slow)" },
    { .name = "freqs", .kind = LCT_SPEC, .def = 0,
      .family = lct_frequency_rules,
      .doc = "powers: of the base; list(values): radians per position, a:b:c; "
             "geometric(ratio, keep): both ends included, then zeros" },
    { .name = "cut", .kind = LCT_SPEC, .def = 0, .family = lct_frequency_cuts,
      .doc = "which slow pairs are not rotated, after the scaling: none; "
             "pairs(n); length(length): longer wavelengths; part(keep)" },
    { .name = "taper", .kind = LCT_SPEC, .def = 0,
      .family = lct_frequency_tapers,
      .doc = "how slow pairs fade out, after the cut: none; cosine(pairs)" },
    { 0 }
};
/* clang-format on */

/* The steps from the plain list of frequencies to the one in use. */
static const int steps[] = { FREQS, SCALING, CUT, TAPER };
enum { STEPS = sizeof(steps) / sizeof(steps[0]) };

/* Fail if a step has no float32 recipe of this mode. */
static locant_status check_recipe(const locant_encoding *e, int mode)
{
    for (int i = 0; i < STEPS && mode != LOCANT_ANGLES_EXACT; i++) {
        const locant_encoding *step = e->nested[steps[i]];

        if (step->row->schedule.emulated != NULL &&
            !step->row->schedule.emulated(step, mode))
            return LCT_REFUSE(
                "%s has no recipe of %s for these keys, expected angles=exact",
                step->spec, angles[mode]);
    }
    return LOCANT_OK;
}

static locant_status check(const locant_encoding *e)
{
    const locant_encoding *scaling = e->nested[SCALING];
    double dim = e->value[DIM];

    if (!isnan(dim) && fmod(dim, 2) != 0)
        return LCT_REFUSE("dim of rope is %.0f, expected an even number", dim);
    if (e->value[FREQS] != 0 && e->value[SCALING] != 0)
        return LCT_REFUSE("rope has freqs=%s and scaling=%s, expected one of "
                          "them: scalings are of powers of a base",
                          e->nested[FREQS]->row->info.name,
                          scaling->row->info.name);
    return check_recipe(e, (int)e->value[ANGLES]);
}

/*
 * Frequencies that depend on a length differ from text to text, and float32
 * recipes do not depend on the difference of positions alone.
 */
static unsigned traits(const locant_encoding *e)
{
    bool exact = e->value[ANGLES] == LOCANT_ANGLES_EXACT;
    unsigned own = lct_own_traits(e->nested[SCALING]);

    return own |
           (own & LOCANT_TRAIT_LENGTH || !exact ? 0 : LOCANT_TRAIT_RELATIVE);
}

static int64_t schedule_length(const locant_encoding *e, int64_t length)
{
    return lct_schedule_length(e->nested[SCALING], length);
}

static double score(const locant_encoding *e)
{
    return lct_scaling_score(e->nested[SCALING]);
}

static bool by_call(const locant_encoding *e)
{
    const locant_encoding *scaling = e->nested[SCALING];

    return scaling->row->schedule.by_call != NULL &&
           scaling->row->schedule.by_call(scaling);
}

/* Edit the frequencies step by step; on failure the caller frees *s. */
static locant_status edit(struct lct_schedule **s,
                          const struct lct_schedule_use *u)
{
    for (int i = 0; i < STEPS; i++) {
        const locant_encoding *step = u->e->nested[steps[i]];

        LCT_TRY(step->row->schedule.create(
            s, &(struct lct_schedule_use){ step, u->fn, u->dim, u->length }));
    }
    return LOCANT_OK;
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    int64_t dim = isnan(e->value[DIM]) ? u->dim : (int64_t)e->value[DIM];
    struct lct_schedule *s;
    locant_status status;

    *out = NULL;
    if (dim > u->dim)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: rope rotates %" PRId64
                           " channels of each head, found heads of %" PRId64,
                           u->fn, dim, u->dim);
    LCT_TRY(lct_rotate_check_pairs(u->fn, dim));
    LCT_TRY(lct_schedule_make(&s, u, e->value[BASE], dim / 2));
    s->pairing = (enum lct_pairing)e->value[PAIRING];
    s->first = e->value[SIDE] == TRAILING ? u->dim - dim : 0;
    s->mode = (locant_angle_mode)e->value[ANGLES];
    lct_recipe_plain(s, e->value[BASE]);
    status = edit(&s, u);
    if (status != LOCANT_OK) {
        locant_release(s);
        return status;
    }
    *out = s;
    return LOCANT_OK;
}

static const locant_variant variants[] = {
    { "rope(pairing=interleaved)", "as in the paper",
      "RoFormer, Llama 1 and 2 (Meta weights)" },
    { "rope", "rotate_half", "Llama 2, Mistral 7B, Qwen 1 (Hugging Face)" },
    { "rope(dim=32)", "partial: a quarter of 128",
      "GPT-NeoX, Pythia, StableLM" },
    { "rope(pairing=interleaved,dim=64)", "partial, adjacent pairs",
      "GPT-J (64 of 256), ChatGLM 2 and 3, GLM-4 (64 of 128)" },
    { "rope(base=500000)", "large base", "Llama 3, OLMo 2" },
    { "rope(base=1e6)", "large base", "Mistral v0.2, Mixtral, Qwen2, Qwen3" },
    { "rope(base=500000,scaling=llama3)", "by parts", "Llama 3.1, 3.3" },
    { "rope(base=500000,scaling=llama3(factor=32))", "by parts, 32 times",
      "Llama 3.2" },
    { "rope(base=1e6,scaling=yarn(factor=4,original=32768))", "YaRN",
      "Qwen2.5, Qwen3 (131072 tokens)" },
    { "rope(pairing=interleaved,dim=64,side=trailing,"
      "scaling=yarn(factor=40,original=4096,mscale=1,mscale-all=1,score=yes))",
      "YaRN, trailing 64 of 192 channels, scores times 1.874",
      "DeepSeek V3, R1" },
    { "rope(base=50000,pairing=interleaved,dim=64,side=trailing,"
      "scaling=yarn(factor=32,original=4096,fast=1,mscale=1,mscale-all=1,"
      "score=yes))",
      "the same with fast = slow", "Kimi K2" },
    { "rope(base=150000,scaling=yarn(factor=32,original=4096,truncate=no))",
      "YaRN, not truncated", "gpt-oss" },
    { "rope(scaling=longrope(original=4096,factor=32))",
      "LongRoPE; the lists short and long come with the checkpoint",
      "Phi-3 128k" },
    { "rope(scaling=longrope(original=2048,factor=64,critical=25))",
      "the first list of LongRoPE2", "Shang et al. 2025, for Phi-3-mini" },
    { "rope(scaling=linear(factor=4))", "position interpolation",
      "LongChat, long Llama 2" },
    { "rope(scaling=dynamic(factor=2,original=4096))", "NTK by length",
      "InternLM 2" },
    { "rope(scaling=ntk(factor=8))", "NTK", "community Llama 2" },
    { "rope(base=1e6,scaling=linear(factor=8))", "global layers",
      "Gemma 3 (local layers: rope)" },
    { "rope(base=1e6,scaling=proportional)", "global layers",
      "Gemma 4 (local layers: rope)" },
    { "rope(scaling=proportional(partial=0.75))", "0.75-RoPE",
      "Barbero et al. 2024" },
    { "rope(taper=cosine(pairs=20))", "Clipped RoPE, for 64 pairs",
      "Li et al. 2026" },
    { "rope(cut=length(length=4096))", "no wavelength beyond a length",
      "HoPE, Chen et al. 2024" },
    { "rope(freqs=geometric(keep=0.5))", "1 .. 1/1024, then zeros",
      "GPT-2 speed runs, Anson et al. 2025" },
    { "rope(scaling=mixed-radix(factor=4,original=4096))", "MrRoPE",
      "Tian et al. 2026" },
    { NULL, NULL, NULL }
};

const struct lct_encoding lct_enc_rope = {
    .info = {
        .name = "rope",
        .title = "Rotary position embedding",
        .formula = "(a, b) of pair c at p -> (a cos f - b sin f, "
                   "a sin f + b cos f), f = p base^(-2c/dim)",
        .source = "Su et al. 2021, arXiv:2104.09864v5, eq. (34)",
        .used_by = "Llama, Qwen, Gemma, Mistral, GPT-NeoX, GPT-J, PaLM",
        .pitfalls = "The two pairings differ by a permutation of channels and "
                    "do not mix; float32 angles are wrong by 6e-3 at position "
                    "1e5; the exponent is over the rotated channels, not the "
                    "head's.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_ISOMETRIC,
        .gradient = "dx = R(-f) dy: da = dy_a cos f + dy_b sin f, "
                    "db = dy_b cos f - dy_a sin f (times the attention factor "
                    "of a scaling)",
        .variants = variants,
    },
    .keys = keys,
    .check = check,
    .traits = traits,
    .schedule = {
        .create = schedule,
        .length = schedule_length,
        .by_call = by_call,
    },
    .scale = { .of_scores = score },
};
