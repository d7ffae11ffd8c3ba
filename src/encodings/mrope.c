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
enum { CHUNKED, INTERLEAVED, ERNIE, GLM, VIDEO, HOPE };
enum { T, H, W, USUAL_AXES };

static const char *const layouts[] = { "chunked", "interleaved", "ernie", "glm",
                                       "video",   "hope",        NULL };
static const char *const pairings[] = { "half", "interleaved", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "as in rope; 1e6 in Qwen2-VL"),
    { .name = "sections", .kind = LCT_LIST, .def = 0, .min = 0, .max = 65536,
      .doc = "pairs of t:h:w, of ernie h:w:t; left out: 16:24:24, of ernie "
             "22:22:20; chunked takes 1 to 6 sections, one for each "
             "coordinate" },
    { .name = "layout", .kind = LCT_WORD, .def = CHUNKED, .words = layouts,
      .doc = "chunked: t, then h, then w; interleaved: t h w t h w .. while "
             "sections last, then t; ernie: h w h w .., then t; glm: chunked, "
             "adjacent pairs; video: h w h w .., then t; hope: the same "
             "without t, its pairs are not rotated" },
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

/* h and w take turns. */
static bool alternates(const locant_encoding *e)
{
    return e->value[LAYOUT] == ERNIE || e->value[LAYOUT] >= VIDEO;
}

/* The section of h, which that of w follows. */
static int first_of(const locant_encoding *e)
{
    return e->value[LAYOUT] == ERNIE ? 0 : H;
}

static int axes_of(const locant_encoding *e)
{
    return e->list[SECTIONS] == NULL ? USUAL_AXES : (int)e->list[SECTIONS]->n;
}

/* Several coordinates have no length that frequencies could depend on. */
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
    if (list != NULL && e->value[LAYOUT] != CHUNKED && list->n != USUAL_AXES)
        return LCT_REFUSE("sections of mrope are %zu, expected 3", list->n);
    if (list != NULL && list->n > LCT_MOST_AXES)
        return LCT_REFUSE("sections of mrope are %zu, expected 1 .. %d",
                          list->n, LCT_MOST_AXES);
    if (list != NULL)
        for (int i = 0; i < (int)list->n; i++)
            if (list->item[i] != floor(list->item[i]))
                return LCT_REFUSE(
                    "section %d of mrope is %g, expected a whole number", i,
                    list->item[i]);
    if (alternates(e) && section(e, first_of(e)) != section(e, first_of(e) + 1))
        return LCT_REFUSE("sections h and w of mrope are %" PRId64
                          " and %" PRId64 ", expected equal ones for %s",
                          section(e, first_of(e)), section(e, first_of(e) + 1),
                          layouts[(int)e->value[LAYOUT]]);
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
    for (int a = 0; a < axes_of(e); a++)
        coords[a] = (double)pos;
}

static int axis_of_chunk(const locant_encoding *e, int64_t c)
{
    int a = 0;

    while (a + 1 < axes_of(e) && c >= section(e, a))
        c -= section(e, a++);
    return a;
}

/* The coordinate of pair c. */
static int axis_of(const locant_encoding *e, int64_t c)
{
    if (alternates(e)) {
        if (c >= section(e, first_of(e)) + section(e, first_of(e) + 1))
            return T;
        return c % 2 == 0 ? H : W;
    }
    if (e->value[LAYOUT] != INTERLEAVED)
        return axis_of_chunk(e, c);
    if (c % 3 == 1 && c < 3 * section(e, H))
        return H;
    return c % 3 == 2 && c < 3 * section(e, W) ? W : T;
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    int64_t dim = isnan(e->value[DIM]) ? u->dim : (int64_t)e->value[DIM];
    double pairing = e->value[PAIRING];
    struct lct_schedule *rope;
    locant_status status;
    int64_t sum = 0;

    for (int a = 0; a < axes_of(e); a++)
        sum += section(e, a);

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
        pairing = e->value[LAYOUT] == ERNIE || e->value[LAYOUT] == GLM
                      ? LCT_INTERLEAVED
                      : LCT_HALF;
    LCT_TRY(lct_scaling_schedule(&rope, e->nested[SCALING], e->value[BASE],
                                 u->fn, dim / 2, u->dim));
    status = lct_grid_schedule(out, u, 1, dim / 2, (enum lct_pairing)pairing);
    for (int64_t c = 0; status == LOCANT_OK && c < dim / 2; c++)
        if (e->value[LAYOUT] != HOPE || axis_of(e, c) != T)
            (*out)->frequency[axis_of(e, c) * (dim / 2) + c] =
                rope->frequency[c];
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
    { "mrope(sections=16:16:16:16,scaling=ntk(factor=1000))",
      "XD-RoPE: position, width, height, image", "HunYuan-VL, HunyuanOCR" },
    { "mrope(layout=video)", "low frequencies to time", "VideoRoPE" },
    { "mrope(layout=hope)", "time has no frequency", "HoPE (hybrid, video)" },
    { 0 }
};

const struct lct_encoding lct_enc_mrope = {
    .info = {
        .name = "mrope",
        .title = "Multimodal rotary embedding (time, height, width)",
        .formula = "pair c rotates by (t, h or w) base^(-2c/dim); the section "
                   "of c chooses the coordinate",
        .source = "Wang et al. 2024, arXiv:2409.12191v2, section 2.1; ERNIE "
                  "and GLM layouts from their code; VideoRoPE "
                  "arXiv:2502.05173v3; HoPE arXiv:2505.20444v2",
        .used_by = "Qwen2-VL, Qwen2.5-VL, Qwen3-VL, GLM-4.xV, ERNIE 4.5 VL, "
                   "HunYuan-VL, VideoRoPE",
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
        .axes_of = axes_of,
        .check = lct_grid_positions,
        .coordinates = coordinates,
    },
    .schedule = { .create = schedule },
    .scale = { .of_scores = score },
};
