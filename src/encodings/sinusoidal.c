/*
 * sinusoidal.c - sines and cosines of geometric wavelengths.
 *
 * Vaswani et al.:  Attention Is All You Need. 2017. arXiv:1706.03762, section
 * 3.5.  Facts that tests check:  P[p + k] is a fixed rotation of P[p], and
 * <P[p], P[q]> depends on |p - q| alone. tensor2tensor, the authors' code,
 * divides by one pair less, so that the longest wavelength is 2 pi base
 * exactly: other frequencies, so another encoding.
 */
#include "encoding.h"
#include "../angle/schedule.h"
#include "../kernel/kernels.h"
#include <math.h>
#include <string.h>

enum { BASE, FORM, SPACING, START, LEARNED };
enum { INTERLEAVED, SPLIT };
enum { GEOMETRIC, INCLUSIVE };

static const char *const forms[] = { "interleaved", "split", NULL };
static const char *const spacings[] = { "geometric", "inclusive", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000,
             "longest wavelength / 2 pi, nearly: larger reaches further"),
    { .name = "form", .kind = LCT_WORD, .def = INTERLEAVED, .words = forms,
      .doc = "interleaved: sin, cos, sin, cos ..; split: all sines, then all "
             "cosines" },
    { .name = "spacing", .kind = LCT_WORD, .def = GEOMETRIC, .words = spacings,
      .doc = "geometric: base^(-2c/d); inclusive: base^(-c/(d/2 - 1)), which "
             "ends at base exactly" },
    { .name = "start", .kind = LCT_INTEGER, .def = 0, .min = 0, .max = 1 << 30,
      .doc = "added to every position; 2 in fairseq" },
    { .name = "learned", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: a learned factor multiplies the rows" },
    { 0 }
};

static const struct lct_param learned_params[] = {
    { .name = "scale", .dims = { "1" },
      .doc = "factor of every row; starts at 1, in a model at the scale of "
             "its embeddings" },
    { 0 }
};
/* clang-format on */

static const struct lct_param *params_of(const locant_encoding *e)
{
    return e->value[LEARNED] != 0 ? learned_params : NULL;
}

static unsigned traits(const locant_encoding *e)
{
    return e->value[LEARNED] != 0 ? LOCANT_TRAIT_LEARNED : 0;
}

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    (void)e;
    (void)k;
    (void)info;
    (void)r;
    out[0] = 1;
    return true;
}

static locant_status check(const locant_encoding *e)
{
    if (e->value[SPACING] == INCLUSIVE && e->value[FORM] == INTERLEAVED)
        return LCT_REFUSE("sinusoidal with spacing=inclusive is known in form "
                          "split only, expected form=split");
    return LOCANT_OK;
}

/* Sines of a row; an odd width ends with a sine (geometric) or with a 0. */
static int64_t sines_of(const locant_encoding *e, int64_t dim)
{
    return e->value[SPACING] == INCLUSIVE ? dim / 2 : dim - dim / 2;
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    int64_t pairs = u->dim / 2;

    if (e->value[SPACING] != INCLUSIVE)
        return lct_schedule_make_sines(out, u, e->value[BASE]);
    LCT_TRY(lct_schedule_make(out, u, e->value[BASE], pairs));
    for (int64_t c = 0; c < pairs; c++)
        (*out)->frequency[c] =
            lct_phase_of(e->value[BASE], c, 2 * (pairs > 1 ? pairs - 1 : 1));
    return LOCANT_OK;
}

/* Channel of sine c, and of cosine c or -1 where there is none. */
static void channels(int64_t *sine, int64_t *cosine, const locant_encoding *e,
                     int64_t c, int64_t dim)
{
    bool split = e->value[FORM] == SPLIT;

    *sine = split ? c : 2 * c;
    *cosine = split ? sines_of(e, dim) + c : 2 * c + 1;
    if (*cosine >= dim)
        *cosine = -1;
}

/* The position whose sinusoids row 'pos' has: 'pos' plus the key 'start'. */
static int64_t shifted(const locant_encoding *e, int64_t pos)
{
    int64_t sum;

    return __builtin_add_overflow(pos, (int64_t)e->value[START], &sum)
               ? INT64_MAX
               : sum;
}

static void plain_row(double *out, const locant_encoding *e, int64_t pos,
                      int64_t dim)
{
    const struct lct_schedule *frequencies = lct_schedule_kept(e, dim);
    int64_t sines = sines_of(e, dim);

    if (dim > 0)
        out[dim - 1] = 0;
    for (int64_t c = 0; c < sines; c++) {
        double cosine, sine;
        int64_t at_sine, at_cosine;

        channels(&at_sine, &at_cosine, e, c, dim);
        lct_angle(&cosine, &sine, frequencies->frequency[c], shifted(e, pos));
        out[at_sine] = sine;
        if (at_cosine >= 0)
            out[at_cosine] = cosine;
    }
}

/*
 * Angles computed at a time, which with the rows they are written to fit the
 * first-level cache: few frequencies and many rows, since the first row is
 * expensive; whole vectors of frequencies, since others are computed singly.
 */
enum { CHUNK_PAIRS = 2048, CHUNK_ROWS = 32 };

/* Copy sines and cosines c .. c + n - 1 of a row to their channels. */
static void spread(float *out, const locant_encoding *e, const float *sines,
                   const float *cosines, size_t c, size_t n, int64_t dim)
{
    size_t all_sines = (size_t)sines_of(e, dim);
    size_t all_cosines = (size_t)dim - all_sines;
    size_t left = all_cosines < c ? 0 : all_cosines - c;
    size_t pairs = left < n ? left : n; /* sines that have a cosine */

    if (e->value[FORM] == SPLIT) {
        memcpy(out + c, sines, n * sizeof(*out));
        memcpy(out + all_sines + c, cosines, pairs * sizeof(*out));
        return;
    }
    lct_kernels()->interleave(out + 2 * c, sines, cosines, pairs);
    if (pairs < n)
        out[dim - 1] = sines[n - 1];
}

/* 'n' rows of at most CHUNK_ROWS. */
static void chunk(float *out, const locant_encoding *e, const int64_t *pos,
                  size_t n, int64_t dim)
{
    const struct lct_schedule *frequencies = lct_schedule_kept(e, dim);
    float cosines[CHUNK_PAIRS], sines[CHUNK_PAIRS];
    size_t pairs = (size_t)sines_of(e, dim), most = CHUNK_PAIRS / n, m;
    int64_t at[CHUNK_ROWS];

    for (size_t t = 0; t < n; t++) {
        at[t] = shifted(e, pos[t]);
        out[(t + 1) * (size_t)dim - 1] = 0; /* for an odd INCLUSIVE row */
    }
    for (size_t c = 0; c < pairs; c += m) {
        m = pairs - c < most ? pairs - c : most / LCT_PAD * LCT_PAD;
        lct_schedule_angles_of(cosines, sines, frequencies, c, m, at, n);
        for (size_t t = 0; t < n; t++)
            spread(out + t * (size_t)dim, e, sines + t * m, cosines + t * m, c,
                   m, dim);
    }
}

/* Uses the kernel of the rotate door, so rows are as exact as its angles. */
static bool rows(float *out, const locant_encoding *e, const int64_t *pos,
                 size_t n, int64_t dim, const locant_tensor *params)
{
    size_t m;

    (void)params;
    if (e->value[LEARNED] != 0 || dim < 1)
        return false;
    for (size_t t = 0; t < n; t += m) {
        m = n - t < CHUNK_ROWS ? n - t : CHUNK_ROWS;
        chunk(out + t * (size_t)dim, e, pos + t, m, dim);
    }
    return true;
}

static const struct lct_schedule *waves(const locant_encoding *e, int64_t dim)
{
    bool plain = e->value[FORM] == INTERLEAVED && e->value[START] == 0 &&
                 e->value[LEARNED] == 0;

    return plain && dim > 0 ? lct_schedule_kept(e, dim) : NULL;
}

static void row(double *out, const locant_encoding *e,
                const struct lct_point *at, int64_t dim,
                const locant_tensor *params)
{
    double scale = e->value[LEARNED] != 0 ? lct_get(&params[0], 0) : 1;

    plain_row(out, e, at->pos, dim);
    if (scale != 1)
        for (int64_t d = 0; d < dim; d++)
            out[d] *= scale;
}

/* forward: out = scale P[pos] */
static void row_backward(locant_tensor *dparams, const locant_encoding *e,
                         const double *drow, const struct lct_point *at,
                         int64_t dim, const locant_tensor *params)
{
    const struct lct_schedule *frequencies = lct_schedule_kept(e, dim);
    int64_t sines = sines_of(e, dim);
    double sum = 0;

    (void)params;
    for (int64_t c = 0; c < sines; c++) {
        double cosine, sine;
        int64_t at_sine, at_cosine;

        channels(&at_sine, &at_cosine, e, c, dim);
        lct_angle(&cosine, &sine, frequencies->frequency[c],
                  shifted(e, at->pos));
        sum += drow[at_sine] * sine;
        if (at_cosine >= 0)
            sum += drow[at_cosine] * cosine;
    }
    lct_add_to(&dparams[0], 0, sum);
}

static const locant_variant variants[] = {
    { "sinusoidal(form=split)", "Sinusoidal, sines then cosines",
      "Marian, Pegasus, CTRL, RoFormer (HF)" },
    { "sinusoidal(form=split,spacing=inclusive)", "Sinusoidal of tensor2tensor",
      "tensor2tensor; Whisper's encoder" },
    { "sinusoidal(form=split,spacing=inclusive,start=2)",
      "Sinusoidal of fairseq", "fairseq, M2M100, NLLB, Speech2Text" },
    { "sinusoidal(form=split,learned=yes)", "Sinusoidal with a learned scale",
      "x-transformers" },
    { 0 }
};

const struct lct_encoding lct_enc_sinusoidal = {
    .info = {
        .name = "sinusoidal",
        .title = "Sinusoidal absolute positions",
        .formula = "P[p,2c] = sin(p base^(-2c/d)), "
                   "P[p,2c+1] = cos(p base^(-2c/d))",
        .source = "Vaswani et al. 2017, arXiv:1706.03762v7, section 3.5",
        .used_by = "original Transformer; split: Marian, Pegasus, CTRL",
        .pitfalls = "c counts pairs, not channels; tensor2tensor and fairseq "
                    "divide by d/2 - 1, which is another encoding.",
        .gradient = "learned=yes: dscale = sum dY P; else none",
        .variants = variants,
        .doors = LOCANT_DOOR_INPUT,
    },
    .keys = keys,
    .check = check,
    .traits = traits,
    .params = { .list_of = params_of, .fill = fill },
    .schedule = { .create = schedule },
    .input = {
        .row = row,
        .backward = row_backward,
        .fast = { .rows = rows, .waves = waves },
    },
};
