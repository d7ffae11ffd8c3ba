/*
 * picture_rotate.c - pictures of a rotation, measured through the public
 * function: rotate a unit vector and see where it goes.
 */
#include "../core/size.h"
#include "page.h"
#include <math.h>
#include <stdio.h>

enum { MOST_DISTANCES = 2048, MOST_POSITIONS = 256, GRID = 17 };

/* What is rotated: the same vector of 'dim' channels in 'heads' heads. */
struct turner {
    const struct lct_subject *s;
    const locant_tensor *params;
    int64_t heads, dim, wide; /* wide: channels of a rotated row */
    int axes;
};

/*
 * out[h, t, :] = x rotated to positions[t] as a query or a key (flags).  Every
 * head is rotated, because its frequencies may be learned.
 */
static locant_status turn_to(double *out, const struct turner *u,
                             const double *x, const locant_tensor *positions,
                             int flags)
{
    int64_t n = positions->shape[0], shape[3] = { u->heads, n, u->wide };
    locant_tensor to = locant_dense(out, LOCANT_F64, 3, shape), from;
    double *copies;
    locant_status status;

    LCT_TRY(lct_page_numbers(&copies, (size_t)(u->heads * n * u->dim)));
    shape[2] = u->dim;
    from = locant_dense(copies, LOCANT_F64, 3, shape);
    for (int64_t i = 0; i < u->heads * n * u->dim; i++)
        copies[i] = x[i % u->dim];
    status = locant_encoding_rotate(&to, &from, u->s->e, positions, u->params,
                                    flags);
    locant_release(copies);
    return status;
}

/* The same at positions first, first + 1, .. */
static locant_status turn(double *out, const struct turner *u, const double *x,
                          int64_t first, int64_t n, int flags)
{
    int64_t *at;
    locant_tensor positions;
    locant_status status;

    LCT_TRY(lct_subject_positions(&at, first, n));
    positions = locant_dense(at, LOCANT_I64, 1, &n);
    status = turn_to(out, u, x, &positions, flags);
    locant_release(at);
    return status;
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y[h, d] = <q(d), k(0)> / dim, where q and k are vectors of ones. */
static locant_status ones_by_distance(double *y, const struct turner *u,
                                      int64_t n)
{
    double *out, *key, *ones;
    locant_status status;

    LCT_TRY(lct_page_numbers(&out,
                             (size_t)(u->heads * (n + 1) * u->wide + u->dim)));
    key = out + u->heads * n * u->wide;
    ones = key + u->heads * u->wide;
    for (int64_t c = 0; c < u->dim; c++)
        ones[c] = 1;
    status = turn(out, u, ones, 0, n, 0);
    if (status == LOCANT_OK)
        status = turn(key, u, ones, 0, 1, LOCANT_ROTATE_KEY);
    for (int64_t i = 0; i < u->heads * n; i++)
        y[i] = dot(out + i * u->wide, key + i / n * u->wide, u->wide) /
               (double)u->dim;
    locant_release(out);
    return status;
}

/* Expected score of equal vectors: g(d) = <R(d) 1, R(0) 1> / dim. */
static locant_status draw_score(struct lct_html *h, const struct turner *u)
{
    const struct lct_subject *s = u->s;
    locant_mark mark = lct_trained_mark(s->r);
    locant_figure f = lct_figures_begin(FIG_SCORE);
    struct lct_subject_lines lines;
    int64_t n =
        lct_subject_length(s, 4 * s->r->trained_length + 1, MOST_DISTANCES);
    double *x, *y;
    locant_status status;

    LCT_TRY(lct_page_numbers(&x, (size_t)n * (size_t)(u->heads + 1)));
    y = x + n;
    for (int64_t d = 0; d < n; d++)
        x[d] = (double)d;
    status = ones_by_distance(y, u, n);
    f.series = lines.series;
    f.n_series = lct_subject_lines(&lines, s, x, y, u->heads, n);
    if (f.n_series == 1)
        lines.series[0].label = lines.series[0].label_zh = NULL;
    f.marks = &mark;
    f.n_marks = mark.x < (double)n;
    if (status == LOCANT_OK)
        status = lct_page_figure(h, s->r, FIG_SCORE, &f);
    locant_release(x);
    return status;
}

/*
 * For several axes: scores of a query of ones in the middle of a grid over the
 * last two axes, with keys of ones at all cells.
 */
static locant_status draw_grid(struct lct_html *h, const struct turner *u)
{
    enum { MIDDLE = GRID / 2 * GRID + GRID / 2 };
    const int64_t shape[2] = { GRID * GRID, u->axes };
    size_t rows = (size_t)(GRID * GRID * u->heads * u->wide);
    locant_figure f = lct_figures_begin(FIG_GRID);
    locant_tensor at;
    double *q, *k, *ones, *cells, *places;
    locant_status status;

    LCT_TRY(lct_page_numbers(&q, 2 * rows + (size_t)u->dim +
                                     GRID * GRID * (1 + (size_t)u->axes)));
    k = q + rows;
    ones = k + rows;
    cells = ones + u->dim;
    places = cells + GRID * GRID;
    for (int64_t c = 0; c < u->dim; c++)
        ones[c] = 1;
    for (int64_t i = 0; i < GRID * GRID; i++) {
        places[i * u->axes + u->axes - 1] = (double)(i % GRID);
        places[i * u->axes + u->axes - 2] = (double)(i / GRID);
    }
    at = locant_dense(places, LOCANT_F64, 2, shape);
    status = turn_to(q, u, ones, &at, 0);
    if (status == LOCANT_OK)
        status = turn_to(k, u, ones, &at, LOCANT_ROTATE_KEY);
    for (int64_t i = 0; i < GRID * GRID; i++)
        cells[i] = dot(q + MIDDLE * u->wide, k + i * u->wide, u->wide) /
                   (double)u->dim;
    f.cells = cells;
    f.rows = f.cols = GRID;
    if (status == LOCANT_OK)
        status = lct_page_figure(h, u->s->r, FIG_GRID, &f);
    locant_release(q);
    return status;
}

static locant_status draw_wavelengths(struct lct_html *h,
                                      const struct lct_subject *s,
                                      const double *freq, int64_t pairs)
{
    locant_mark marks[1] = { lct_trained_mark(s->r) };
    locant_figure f = lct_figures_begin(FIG_WAVELENGTHS);
    locant_series line = { .marks = 1, .color = 0 };
    double *x, *y;
    locant_status status;

    LCT_TRY(lct_page_numbers(&x, 2 * (size_t)pairs));
    y = x + pairs;
    for (int64_t p = 0; p < pairs; p++) {
        x[p] = 2 * 3.14159265358979323846 / freq[p];
        y[p] = (double)p;
    }
    line.n = (size_t)pairs;
    line.x = x;
    line.y = y;
    f.series = &line;
    f.n_series = 1;
    f.marks = marks;
    f.n_marks = 1;
    status = lct_page_figure(h, s->r, FIG_WAVELENGTHS, &f);
    locant_release(x);
    return status;
}

static locant_status draw_angles(struct lct_html *h, const struct turner *u,
                                 const int64_t *first, int64_t pairs)
{
    const int64_t dim = u->dim;
    locant_figure f = lct_figures_begin(FIG_COSINE);
    int64_t n =
        lct_subject_length(u->s, 2 * u->s->r->trained_length, MOST_POSITIONS);
    double *out, *unit, *cells;
    locant_status status = LOCANT_OK;

    LCT_TRY(
        lct_page_numbers(&out, (size_t)(n * (u->heads * dim + pairs) + dim)));
    unit = out + u->heads * n * dim;
    cells = unit + dim;
    for (int64_t p = 0; p < pairs && status == LOCANT_OK; p++) {
        unit[first[p]] = 1;
        status = turn(out, u, unit, 0, n, 0);
        unit[first[p]] = 0;
        for (int64_t t = 0; t < n; t++)
            cells[t * pairs + p] = out[t * dim + first[p]];
    }
    f.cells = cells;
    f.rows = n;
    f.cols = pairs;
    if (status == LOCANT_OK)
        status = lct_page_figure(h, u->s->r, FIG_COSINE, &f);
    locant_release(out);
    return status;
}

/* Wavelengths and angles, if the encoding rotates channels in pairs. */
static locant_status draw_pairs(struct lct_html *h, const struct turner *u)
{
    int64_t first[LCT_SUBJECT_PAIRS], pairs;
    double freq[LCT_SUBJECT_PAIRS];

    LCT_TRY(lct_subject_pairs(freq, first, &pairs, u->s->e, u->params, u->heads,
                              u->dim));
    if (pairs == 0)
        return LOCANT_OK;
    LCT_TRY(draw_wavelengths(h, u->s, freq, pairs));
    return draw_angles(h, u, first, pairs);
}

locant_status lct_draw_rotate(struct lct_html *h, const struct lct_subject *s)
{
    struct turner u = { .s = s,
                        .params = lct_subject_params(s),
                        .axes = locant_encoding_axes(s->e) };
    locant_status status;

    u.heads = u.params == NULL ? 1 : s->r->heads;
    u.dim = s->r->heads > 0 ? s->r->width / s->r->heads : 0;
    if (u.dim < 2)
        return locant_fail(LOCANT_ERR_PARAM,
                           "report: heads of %lld channels cannot be turned",
                           (long long)u.dim);
    u.wide = locant_encoding_rotated_width(s->e, u.dim);
    lct_html_raw(h, "<div class=\"grid\">\n");
    status = draw_score(h, &u);
    if (status == LOCANT_OK && u.axes > 1)
        status = draw_grid(h, &u);
    if (status == LOCANT_OK && u.wide == u.dim)
        status = draw_pairs(h, &u);
    if (status == LOCANT_OK)
        status = lct_draw_circle(h, s);
    if (status == LOCANT_OK)
        status = lct_draw_scalings(h, s);
    if (status == LOCANT_OK)
        status = lct_draw_rope_theory(h, s);
    lct_html_raw(h, "</div>\n");
    return status;
}
