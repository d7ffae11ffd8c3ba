/*
 * mrope.c - multimodal rotary embedding: time, height and width share the
 * frequencies of one RoPE.
 *
 * Wang et al.:  Qwen2-VL. 2024. arXiv:2409.12191, section 2.1.  Pair c has the
 * frequency of rope, rescaled or not; the sections say which coordinate is
 * multiplied by it.  Text has t = h = w = p, so its results equal rope's: to
 * the bit in float32, up to rounding in double.
 */
#include "rope_grid.h"
#include "scaling.h"
#include <inttypes.h>
#include <math.h>

enum { BASE, SECTIONS, LAYOUT, PAIRING, DIM, SCALING };
enum { CHUNKED, INTERLEAVED, ERNIE, GLM };
enum { T, H, W, AXES };

static const char *const layouts[] = { "chunked", "interleaved", "ernie", "glm",
                                       NULL };
static const char *const pairings[] = { "half", "interleaved", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "as in rope; 1e6 in Qwen2-VL"),
    { .name = "sections", .kind = LCT_LIST, .def = 0, .min = 0, .max = 65536,
      .doc = "pairs of t:h:w, of ernie h:w:t; left out: 16:24:24, of ernie "
             "22:22:20" },
    { .name = "layout", .kind = LCT_WORD, .def = CHUNKED, .words = layouts,
      .doc = "chunked: t, then h, then w; interleaved: t h w t h w .. while "
             "sections last, then t; ernie: h w h w .., then t; glm: chunked, "
             "adjacent pairs" },
    { .name = "pairing", .kind = LCT_WORD, .def = NAN, .words = pairings,
      .doc = "as in rope; left out: half, of ernie and glm interleaved" },
    { .name = "dim", .kind = LCT_INTEGER, .def = NAN, .min = 2, .max = 65536,
      .doc = "rotated leading channels, even; left out: all" },
    { .name = "scaling", .kind = LCT_SPEC, .def = 0, .family = lct_scalings,
      .doc = "as in rope; frequencies must not depend on a call's length" },
    { 0 }
};
/* clang-format on */

/* Pairs of section i, in the order of the key. */
static int64_t section(const locant_encoding *e, int i)
{
    static const int64_t usual[] = { 16, 24, 24 }, ernie[] = { 22, 22, 20 };

    if (e->list[SECTIONS] != NULL)
        return (int64_t)e->list[SECTIONS]->item[i];
    return e->value[LAYOUT] == ERNIE ? ernie[i] : usual[i];
}

/* Three coordinates have no length that frequencies could depend on. */
static locant_status check_scaling(const locant_encoding *e)
{
    const locant_encoding *scaling = e->nested[SCALING];

    if (lct_schedule_length(scaling, INT64_MAX) == 0)
        return LOCANT_OK;
    return LCT_REFUSE(
        "scaling of mrope is %s, whose frequencies depend on the length of a "
        "call, expected one with the same for every length",
        scaling->spec);
}

static locant_status check(const locant_encoding *e)
{
    const struct lct_list *list = e->list[SECTIONS];

    if (!isnan(e->value[DIM]) && fmod(e->value[DIM], 2) != 0)
        return LCT_REFUSE("dim of mrope is %.0f, expected an even number",
                          e->value[DIM]);
    if (list != NULL && list->n != AXES)
        return LCT_REFUSE("sections of mrope are %zu, expected 3", list->n);
    if (list != NULL)
        for (int i = 0; i < AXES; i++)
            if (list->item[i] != floor(list->item[i]))
                return LCT_REFUSE(
                    "section %d of mrope is %g, expected a whole number", i,
                    list->item[i]);
    if (e->value[LAYOUT] == ERNIE && section(e, 0) != section(e, 1))
        return LCT_REFUSE("sections h and w of mrope are %" PRId64
                          " and %" PRId64 ", expected equal ones for ernie",
                          section(e, 0), section(e, 1));
    return check_scaling(e);
}

static unsigned traits(const locant_encoding *e)
{
    return LOCANT_TRAIT_RELATIVE | lct_own_traits(e->nested[SCALING]);
}

static double score(const locant_encoding *e)
{
    return lct_scaling_score(e->nested[SCALING]);
}

static void coordinates(double *coords, const locant_encoding *e, int64_t pos)
{
    (void)e;
    for (int a = 0; a < AXES; a++)
        coords[a] = (double)pos;
}

/* The coordinate of pair c. */
static int axis_of(const locant_encoding *e, int64_t c)
{
    int64_t first = section(e, 0), second = section(e, 1);

    switch ((int)e->value[LAYOUT]) {
    case INTERLEAVED:
        if (c % 3 == 1 && c < 3 * second)
            return H;
        return c % 3 == 2 && c < 3 * section(e, 2) ? W : T;
    case ERNIE:
        if (c >= first + second)
            return T;
        return c % 2 == 0 ? H : W;
    default:
        if (c < first)
            return T;
        return c < first + second ? H : W;
    }
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    int64_t dim = isnan(e->value[DIM]) ? u->dim : (int64_t)e->value[DIM];
    int64_t sum = section(e, 0) + section(e, 1) + section(e, 2);
    double pairing = e->value[PAIRING];
    struct lct_schedule *rope;
    locant_status status;

    if (dim > u->dim)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: mrope rotates %" PRId64
                           " channels of each head, found heads of %" PRId64,
                           u->fn, dim, u->dim);
    if (dim % 2 != 0 || 2 * sum != dim)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: the sections of mrope are %" PRId64
                           " pairs, expected half of the %" PRId64
                           " channels it rotates",
                           u->fn, sum, dim);
    if (isnan(pairing))
        pairing = e->value[LAYOUT] >= ERNIE ? LCT_INTERLEAVED : LCT_HALF;
    LCT_TRY(lct_scaling_schedule(&rope, e->nested[SCALING], e->value[BASE],
                                 u->fn, dim / 2, u->dim));
    status = lct_grid_schedule(out, u, 1, dim / 2, (enum lct_pairing)pairing);
    for (int64_t c = 0; status == LOCANT_OK && c < dim / 2; c++)
        (*out)->frequency[axis_of(e, c) * (dim / 2) + c] = rope->frequency[c];
    if (status == LOCANT_OK)
        (*out)->magnitude = rope->magnitude;
    locant_release(rope);
    return status;
}

static const locant_variant variants[] = {
    { "mrope(base=1e6)", "chunked", "Qwen2-VL, Qwen2.5-VL" },
    { "mrope(base=1e6,scaling=yarn(factor=4,original=32768))", "chunked, YaRN",
      "Qwen2.5-VL (131072 tokens)" },
    { "mrope(base=5e6,sections=24:20:20,layout=interleaved)", "interleaved",
      "Qwen3-VL" },
    { "mrope(base=1e7,sections=11:11:10,layout=interleaved,dim=64)",
      "interleaved, partial", "Qwen3.5" },
    { "mrope(base=500000,layout=ernie)", "h and w alternate", "ERNIE 4.5 VL" },
    { "mrope(sections=8:12:12,layout=glm,dim=64)", "chunked, partial",
      "GLM-4.1V, GLM-4.5V" },
    { 0 }
};

const struct lct_encoding lct_enc_mrope = {
    .info = {
        .name = "mrope",
        .title = "Multimodal rotary embedding (time, height, width)",
        .formula = "pair c rotates by (t, h or w) base^(-2c/dim); the section "
                   "of c chooses the coordinate",
        .source = "Wang et al. 2024, arXiv:2409.12191v2, section 2.1; ERNIE "
                  "and GLM layouts from their code",
        .used_by = "Qwen2-VL, Qwen2.5-VL, Qwen3-VL, GLM-4.xV, ERNIE 4.5 VL",
        .pitfalls = "Sections count pairs; ggml sends the last pairs of the "
                    "interleaved layout to a fourth coordinate; ids after an "
                    "image do not start at its length.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_ISOMETRIC,
        .gradient = "dx = R(-f) dy, pair by pair (times the attention factor "
                    "of a scaling)",
        .variants = variants,
    },
    .keys = keys,
    .check = check,
    .traits = traits,
    .positions = {
        .axes = AXES,
        .check = lct_grid_positions,
        .coordinates = coordinates,
    },
    .schedule = { .create = schedule },
    .scale = { .of_scores = score },
};
