/*
 * fope.c - Fourier position embedding.
 *
 * Hua et al.: Fourier Position Embedding: Enhancing Attention's Periodic
 * Extension for Length Generalization. 2024. arXiv:2412.17739.
 * Of rope's frequencies only the m that turn once or more in the trained length
 * are kept.  Matrices mix their cosines and sines, so a pair of channels is
 * multiplied by a sum of waves: f_cos + i f_sin instead of e^(i p f_c).  The
 * pairs beyond the mixed ones have no position.
 *
 * In the authors' code both tables are padded with ones, so a pair without
 * position becomes (x_a - x_b, x_a + x_b): pad=1.  vLLM copied this and then
 * set the sines to 0, which copies the pair: pad=0.  There are min(m, D/4)
 * mixed pairs in the authors' code, m in vLLM.
 */
#include "../angle/schedule.h"
#include "frequencies.h"
#include "rotate.h"
#include <math.h>
#include <string.h>

enum { BASE, LENGTH, GAIN, HEADS, MIXED, PAD, LEARN };
enum { EACH, SHARED };
enum { ALL, QUARTER };
enum { COS, SIN };

static const char *const heads_words[] = { "each", "shared", NULL };
static const char *const mixed_words[] = { "all", "quarter", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "as in rope; 5e6 in Intern-S1-Pro"),
    { .name = "length", .kind = LCT_INTEGER, .def = NAN, .min = 7,
      .max = 1 << 30,
      .doc = "frequencies that turn less than once in it are dropped; left "
             "out: the trained length" },
    { .name = "gain", .kind = LCT_NUMBER, .def = 0.3, .min = 0, .max = 100,
      .doc = "of the Xavier noise that matrices start with, besides the "
             "identity; 0.5 in Intern-S1-Pro" },
    { .name = "heads", .kind = LCT_WORD, .def = EACH, .words = heads_words,
      .doc = "each: matrices of every key head; shared: one pair of matrices" },
    { .name = "mixed", .kind = LCT_WORD, .def = ALL, .words = mixed_words,
      .doc = "mixed pairs: all, as many as frequencies (vLLM); quarter: at "
             "most D/4 (the authors' code)" },
    { .name = "pad", .kind = LCT_INTEGER, .def = 0, .min = 0, .max = 1,
      .doc = "pairs without position: 0, copied; 1, (a - b, a + b), as in "
             "checkpoints of the authors' code" },
    { .name = "learn", .kind = LCT_SWITCH, .def = 0,
      .doc = "no: the matrices are frozen; they have gradients all the same" },
    { 0 }
};
/* clang-format on */

#define OF_COS "mixes cosines: column c is the wave of pair c"
#define OF_SIN "mixes sines"

/* clang-format off */
static const struct lct_param of_each[] = {
    { .name = "cos", .dims = { "kv_heads", "frequencies", "mixed_pairs" },
      .scope = LCT_PER_LAYER, .doc = OF_COS },
    { .name = "sin", .dims = { "kv_heads", "frequencies", "mixed_pairs" },
      .scope = LCT_PER_LAYER, .doc = OF_SIN },
    { 0 }
};

static const struct lct_param of_all[] = {
    { .name = "cos", .dims = { "frequencies", "mixed_pairs" },
      .scope = LCT_PER_LAYER, .doc = OF_COS },
    { .name = "sin", .dims = { "frequencies", "mixed_pairs" },
      .scope = LCT_PER_LAYER, .doc = OF_SIN },
    { 0 }
};
/* clang-format on */

static const struct lct_param *list_of(const locant_encoding *e)
{
    return e->value[HEADS] == SHARED ? of_all : of_each;
}

static bool frozen(const locant_encoding *e)
{
    return e->value[LEARN] == 0;
}

/* LEARNED if its parameters are. */
static unsigned traits(const locant_encoding *e)
{
    return (frozen(e) ? 0 : LOCANT_TRAIT_LEARNED);
}

/* Frequencies that turn once or more in the length; 0: sizes are unknown. */
static int64_t frequencies_of(const locant_encoding *e, int64_t head_dim)
{
    double length = e->value[LENGTH];

    if (head_dim < 2 || isnan(length))
        return 0;
    return lct_frequencies_within(e->value[BASE], head_dim / 2,
                                  (int64_t)length);
}

static int64_t mixed_of(const locant_encoding *e, int64_t head_dim, int64_t m)
{
    int64_t quarter = head_dim / 4 > 1 ? head_dim / 4 : 1;

    return e->value[MIXED] == QUARTER && m > quarter ? quarter : m;
}

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    int64_t m = frequencies_of(e, sizes->head_dim);

    return strcmp(name, "frequencies") == 0 ? m
                                            : mixed_of(e, sizes->head_dim, m);
}

/*
 * Xavier noise plus the identity or, with more frequencies than mixed pairs,
 * every step-th row of it.  In the authors' code PyTorch counts what goes in
 * and out of a tensor [heads, m, mixed] as m mixed and heads mixed, of a matrix
 * [m, mixed] as mixed and m.
 */
static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    const int64_t *shape = info->shape;
    bool each = info->rank == 3;
    int64_t heads = each ? shape[0] : 1, m = shape[info->rank - 2];
    int64_t mixed = shape[info->rank - 1], step = (m + mixed - 1) / mixed;
    double fans = (double)(each ? mixed * (m + heads) : m + mixed);
    double deviation = e->value[GAIN] * sqrt(2 / fans);

    (void)k;
    for (int64_t i = 0; i < heads * m * mixed; i++) {
        int64_t row = i / mixed % m, column = i % mixed;

        out[i] = deviation * locant_random_normal(r) + (row == column * step);
    }
    return true;
}

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    *out = NULL;
    LCT_TRY(lct_rotate_check_pairs(u->fn, u->dim));
    if (isnan(u->e->value[LENGTH]))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: fope has no length, expected one in its spec, "
                           "or a resolved encoding",
                           u->fn);
    LCT_TRY(lct_schedule_make(out, u, u->e->value[BASE], u->dim / 2));
    lct_frequencies_keep(*out, frequencies_of(u->e, u->dim));
    return LOCANT_OK;
}

/* The matrices of a head, and the sums of waves at one position. */
struct waves {
    const struct lct_schedule *s;
    const double *mix_cos, *mix_sin; /* [m, mixed] */
    int64_t m, mixed;
    int64_t first;     /* entry of the head's matrix within its parameter */
    double *cos, *sin; /* [mixed] */
};

/* 'row' [head_dim] holds the sums. */
static struct waves open_waves(double *row, const struct lct_call *c,
                               enum lct_role role, int64_t head)
{
    struct waves w = { .s = lct_schedule_kept(c->e, c->head_dim),
                       .cos = row,
                       .sin = row + c->head_dim / 2 };

    while (w.m < w.s->pairs &&
           (w.s->frequency[w.m].hi | w.s->frequency[w.m].lo) != 0)
        w.m++;
    w.mixed = mixed_of(c->e, c->head_dim, w.m);
    if (c->e->value[HEADS] == EACH)
        w.first = lct_rotate_kv_head(c, role, head) * w.m * w.mixed;
    w.mix_cos = c->param[COS] + w.first;
    w.mix_sin = c->param[SIN] + w.first;
    memset(row, 0, (size_t)c->head_dim * sizeof(*row));
    return w;
}

/* Add frequency i to the sums. */
static void add_wave(struct waves *w, int64_t i, double cosine, double sine)
{
    for (int64_t c = 0; c < w->mixed; c++) {
        w->cos[c] += cosine * w->mix_cos[i * w->mixed + c];
        w->sin[c] += sine * w->mix_sin[i * w->mixed + c];
    }
}

/* (a, b) of each pair times f_cos + i sign f_sin; 'out' holds the sums. */
static void multiply(double *out, const double *x, const struct lct_call *c,
                     const struct waves *w, double sign)
{
    double pad = c->e->value[PAD];
    int64_t half = c->head_dim / 2;

    for (int64_t i = 0; i < half; i++) {
        double cosine = i < w->mixed ? out[i] : 1;
        double sine = sign * (i < w->mixed ? out[half + i] : pad);
        double a = x[i], b = x[half + i];

        out[i] = a * cosine - b * sine;
        out[half + i] = a * sine + b * cosine;
    }
}

static void map(double *out, const double *x, const struct lct_call *c,
                enum lct_role role, int64_t head, const struct lct_point *at)
{
    struct waves w = open_waves(out, c, role, head);

    for (int64_t i = 0; i < w.m; i++) {
        double cosine, sine;

        lct_rotate_angle(&cosine, &sine, w.s->frequency[i], at);
        add_wave(&w, i, cosine, sine);
    }
    multiply(out, x, c, &w, 1);
}

/*
 * forward: f_cos_c = sum_i cos(p f_i) cos[i][c], f_sin alike, (a', b') =
 * (f_cos + i f_sin) (a, b).  Rows that no query sees may hold NaN, so a
 * gradient of 0 is not multiplied.
 */
static void add_gradient(double *const *dparam, const struct waves *w,
                         const double *dout, const double *x, int64_t i,
                         const double wave[2])
{
    int64_t half = w->s->pairs, at = w->first + i * w->mixed;

    for (int64_t c = 0; c < w->mixed; c++) {
        double da = dout[c], db = dout[half + c];

        if (da == 0 && db == 0)
            continue;
        dparam[COS][at + c] += wave[0] * (da * x[c] + db * x[half + c]);
        dparam[SIN][at + c] += wave[1] * (db * x[c] - da * x[half + c]);
    }
}

static void backward(double *dx, double *const *dparam, const double *dout,
                     const double *x, const struct lct_call *c,
                     enum lct_role role, int64_t head,
                     const struct lct_point *at)
{
    struct waves w = open_waves(dx, c, role, head);

    for (int64_t i = 0; i < w.m; i++) {
        double wave[2];

        lct_rotate_angle(&wave[0], &wave[1], w.s->frequency[i], at);
        add_wave(&w, i, wave[0], wave[1]);
        if (dparam[COS] != NULL)
            add_gradient(dparam, &w, dout, x, i, wave);
    }
    multiply(dx, dout, c, &w, -1);
}

static const locant_variant variants[] = {
    { "fope(mixed=quarter,pad=1)", "the authors' code", "OLMo with FoPE" },
    { "fope(base=5e6,gain=0.5)", "of every key head", "Intern-S1-Pro" },
    { NULL, NULL, NULL }
};

const struct lct_encoding lct_enc_fope = {
    .info = {
        .name = "fope",
        .title = "Fourier position embedding (FoPE)",
        .formula = "(a, b) of pair c at p -> (a u - b v, a v + b u), u = sum_i "
                   "cos(p f_i) cos_ic, v = sum_i sin(p f_i) sin_ic, f_i = "
                   "base^(-2i/D) >= 2 pi/length",
        .source = "Hua et al. 2024, arXiv:2412.17739",
        .used_by = "Intern-S1-Pro",
        .pitfalls = "Scores depend on absolute positions, and cached keys "
                    "cannot be rotated again; pad must be that of the "
                    "checkpoint; matrices are of key heads, so the query heads "
                    "of a group share them.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = 0,
        .gradient = "da = u da' + v db', db = u db' - v da'; dcos_ic = sum "
                    "cos(p f_i) (da' a + db' b), dsin_ic = sum sin(p f_i) "
                    "(db' a - da' b)",
        .variants = variants,
    },
    .keys = keys,
    .traits = traits,
    .params = { .list_of = list_of, .frozen = frozen, .size = size,
                .fill = fill },
    .schedule = { .create = schedule },
    .rotate = { .map = map, .backward = backward },
};
