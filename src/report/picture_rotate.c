/*
 * picture_rotate.c - pictures of a rotation, measured through the public
 * function: rotate a unit vector and see where it goes.
 */
#include "page.h"
#include "locant/rotate.h"
#include <math.h>

enum { MOST_DISTANCES = 2048, MOST_POSITIONS = 256, GRID = 17 };

/* What is rotated: the same vector of 'dim' channels in 'heads' heads. */
struct vectors {
    int64_t heads, dim, out_dim; /* out_dim: channels of a rotated row */
    int axes;
};

/* Every head is rotated if its frequencies may be learned. */
static struct vectors vectors_of(const struct lct_subject *s)
{
    const int64_t dim = s->r->width / s->r->heads;

    return (struct vectors){ lct_subject_params(s) ? s->r->heads : 1, dim,
                             locant_encoding_rotated_width(s->e, dim),
                             locant_encoding_axes(s->e) };
}

/* out[h, t, :] = x rotated to positions[t] as a query or a key (flags). */
static locant_status rotate_to(double *out, const struct lct_subject *s,
                               const double *x, const locant_tensor *positions,
                               int flags)
{
    const struct vectors v = vectors_of(s);
    int64_t n = positions->shape[0], shape[3] = { v.heads, n, v.out_dim };
    locant_tensor to = locant_dense(out, LOCANT_F64, 3, shape), from;
    struct lct_subject_block *last = s->memory->last;
    double *copies;

    LCT_TRY(lct_subject_numbers(&copies, s, (size_t)(v.heads * n * v.dim)));
    shape[2] = v.dim;
    from = locant_dense(copies, LOCANT_F64, 3, shape);
    for (int64_t i = 0; i < v.heads * n * v.dim; i++)
        copies[i] = x[i % v.dim];
    LCT_TRY(locant_encoding_rotate(&to, &from, s->e, positions,
                                   lct_subject_params(s), flags));
    lct_subject_release(s, last);
    return LOCANT_OK;
}

/* The same at positions 0, 1, .. n - 1. */
static locant_status rotate(double *out, const struct lct_subject *s,
                            const double *x, int64_t n, int flags)
{
    struct lct_subject_block *last = s->memory->last;
    int64_t *at;
    locant_tensor positions;

    LCT_TRY(lct_subject_positions(&at, s, 0, n));
    positions = locant_dense(at, LOCANT_I64, 1, &n);
    LCT_TRY(rotate_to(out, s, x, &positions, flags));
    lct_subject_release(s, last);
    return LOCANT_OK;
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y[h, d] = <q(d), k(0)> / dim, where q and k are vectors of ones. */
static locant_status ones_by_distance(double *y, const struct lct_subject *s,
                                      int64_t n)
{
    const struct vectors v = vectors_of(s);
    double *out, *key, *ones;

    LCT_TRY(lct_subject_numbers(
        &out, s, (size_t)(v.heads * (n + 1) * v.out_dim + v.dim)));
    key = out + v.heads * n * v.out_dim;
    ones = key + v.heads * v.out_dim;
    for (int64_t c = 0; c < v.dim; c++)
        ones[c] = 1;
    LCT_TRY(rotate(out, s, ones, n, 0));
    LCT_TRY(rotate(key, s, ones, 1, LOCANT_ROTATE_KEY));
    for (int64_t i = 0; i < v.heads * n; i++)
        y[i] = dot(out + i * v.out_dim, key + i / n * v.out_dim, v.out_dim) /
               (double)v.dim;
    return LOCANT_OK;
}

/* Expected score of equal vectors: g(d) = <R(d) 1, R(0) 1> / dim. */
static locant_status draw_score(struct lct_html *h, const struct lct_subject *s)
{
    const int64_t heads = vectors_of(s).heads;
    locant_mark mark = lct_trained_mark(s->r);
    locant_figure f = lct_figures_begin(FIG_SCORE);
    struct lct_subject_lines lines;
    int64_t n =
        lct_subject_length(s, 4 * s->r->trained_length + 1, MOST_DISTANCES);
    double *x, *y;

    LCT_TRY(lct_subject_range(&x, s, n));
    LCT_TRY(lct_subject_numbers(&y, s, (size_t)n * (size_t)heads));
    LCT_TRY(ones_by_distance(y, s, n));
    lct_figures_lines(&f, lines.series,
                      lct_subject_lines(&lines, s, x, y, heads, n));
    if (f.n_series == 1)
        lines.series[0].label = lines.series[0].label_zh = NULL;
    lct_figures_marks(&f, &mark, mark.x < (double)n);
    return lct_page_figure(h, s->r, FIG_SCORE, &f);
}

/*
 * For several axes: scores of a query of ones in the middle of a grid over the
 * last two axes, with keys of ones at all cells.
 */
static locant_status draw_grid(struct lct_html *h, const struct lct_subject *s)
{
    enum { MIDDLE = GRID / 2 * GRID + GRID / 2 };
    const struct vectors v = vectors_of(s);
    const int64_t shape[2] = { GRID * GRID, v.axes };
    size_t rows = (size_t)(GRID * GRID * v.heads * v.out_dim);
    locant_figure f = lct_figures_begin(FIG_GRID);
    locant_tensor at;
    double *q, *k, *ones, *cells, *places;

    if (v.axes < 2)
        return LOCANT_OK;
    LCT_TRY(lct_subject_numbers(
        &q, s, 2 * rows + (size_t)v.dim + GRID * GRID * (1 + (size_t)v.axes)));
    k = q + rows;
    ones = k + rows;
    cells = ones + v.dim;
    places = cells + GRID * GRID;
    for (int64_t c = 0; c < v.dim; c++)
        ones[c] = 1;
    for (int64_t i = 0; i < GRID * GRID; i++) {
        places[i * v.axes + v.axes - 1] = (double)(i % GRID);
        places[i * v.axes + v.axes - 2] = (double)(i / GRID);
    }
    at = locant_dense(places, LOCANT_F64, 2, shape);
    LCT_TRY(rotate_to(q, s, ones, &at, 0));
    LCT_TRY(rotate_to(k, s, ones, &at, LOCANT_ROTATE_KEY));
    for (int64_t i = 0; i < GRID * GRID; i++)
        cells[i] = dot(q + MIDDLE * v.out_dim, k + i * v.out_dim, v.out_dim) /
                   (double)v.dim;
    lct_figures_map(&f, cells, GRID, GRID);
    return lct_page_figure(h, s->r, FIG_GRID, &f);
}

static locant_status draw_wavelengths(struct lct_html *h,
                                      const struct lct_subject *s,
                                      const double *freq, int64_t pairs)
{
    const locant_mark mark = lct_trained_mark(s->r);
    locant_figure f = lct_figures_begin(FIG_WAVELENGTHS);
    locant_series line;
    double *x, *y;

    LCT_TRY(lct_subject_numbers(&x, s, (size_t)pairs));
    LCT_TRY(lct_subject_range(&y, s, pairs));
    for (int64_t p = 0; p < pairs; p++)
        x[p] = 2 * 3.14159265358979323846 / freq[p];
    line = lct_figures_line(MSG_NONE, pairs, x, y, 0);
    line.marks = 1;
    lct_figures_lines(&f, &line, 1);
    lct_figures_marks(&f, &mark, 1);
    return lct_page_figure(h, s->r, FIG_WAVELENGTHS, &f);
}

static locant_status draw_angles(struct lct_html *h,
                                 const struct lct_subject *s,
                                 const int64_t *first, int64_t pairs)
{
    const struct vectors v = vectors_of(s);
    const int64_t dim = v.dim;
    locant_figure f = lct_figures_begin(FIG_COSINE);
    int64_t n = lct_subject_length(s, 2 * s->r->trained_length, MOST_POSITIONS);
    double *out, *unit, *cells;

    LCT_TRY(lct_subject_numbers(&out, s,
                                (size_t)(n * (v.heads * dim + pairs) + dim)));
    unit = out + v.heads * n * dim;
    cells = unit + dim;
    for (int64_t p = 0; p < pairs; p++) {
        unit[first[p]] = 1;
        LCT_TRY(rotate(out, s, unit, n, 0));
        unit[first[p]] = 0;
        for (int64_t t = 0; t < n; t++)
            cells[t * pairs + p] = out[t * dim + first[p]];
    }
    lct_figures_map(&f, cells, n, pairs);
    return lct_page_figure(h, s->r, FIG_COSINE, &f);
}

/* Wavelengths and angles, if the encoding rotates channels in pairs. */
static locant_status draw_pairs(struct lct_html *h, const struct lct_subject *s)
{
    int64_t first[LCT_SUBJECT_PAIRS], pairs;
    double freq[LCT_SUBJECT_PAIRS];

    LCT_TRY(lct_subject_own_pairs(freq, first, &pairs, s));
    if (pairs == 0)
        return LOCANT_OK;
    LCT_TRY(draw_wavelengths(h, s, freq, pairs));
    return draw_angles(h, s, first, pairs);
}

locant_status lct_draw_rotate(struct lct_html *h, const struct lct_subject *s)
{
    static const struct lct_picture list[] = {
        { FIG_SCORE, FIG_SCORE, draw_score },
        { FIG_GRID, FIG_GRID, draw_grid },
        { FIG_WAVELENGTHS, FIG_COSINE, draw_pairs },
        { FIG_CIRCLE, FIG_CIRCLE, lct_draw_circle },
        { FIG_SCALINGS, FIG_RAMPS, lct_draw_scalings },
        { FIG_EXPECTED, FIG_BASE_BOUND, lct_draw_rope_theory },
    };
    const int64_t dim = s->r->heads > 0 ? s->r->width / s->r->heads : 0;

    if (dim < 2)
        return locant_fail(LOCANT_ERR_PARAM,
                           "report: heads of %lld channels cannot be rotated",
                           (long long)dim);
    return lct_subject_draw(h, s, list, sizeof list / sizeof list[0]);
}
