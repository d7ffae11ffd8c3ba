/*
 * picture_rotate.c - pictures of a rotation, measured through the public
 * function: turn a unit vector and look where it went.
 */
#include "../core/size.h"
#include "page.h"
#include <math.h>
#include <stdio.h>

enum { MOST_DISTANCES = 2048, MOST_POSITIONS = 256 };

/* out[t, :] = x turned to position first + t; x is one vector of 'dim'. */
static locant_status turn(double *out, const struct lct_subject *s,
                          const double *x, int64_t first, int64_t n,
                          int64_t dim)
{
    int64_t shape[2] = { n, dim }, *at = locant_alloc((size_t)n * 8);
    locant_tensor to = locant_dense(out, LOCANT_F64, 2, shape);
    locant_tensor from = to, positions = locant_dense(at, LOCANT_I64, 1, shape);
    locant_status status;

    if (!at)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for positions");
    for (int64_t t = 0; t < n; t++) {
        at[t] = first + t;
        for (int64_t c = 0; c < dim; c++)
            out[t * dim + c] = x[c];
    }
    status = locant_encoding_rotate(&to, &from, s->e, &positions, 0);
    locant_release(at);
    return status;
}

/* Expected score of equal vectors, g(d) = <1, R(d) 1> / dim. */
static locant_status draw_score(struct lct_html *h, const struct lct_subject *s,
                                int64_t dim)
{
    locant_mark mark = { (double)s->r->trained_length, "trained length" };
    locant_figure f = LOCANT_FIGURE_INIT;
    locant_series line = { .color = 0 };
    int64_t n = 4 * s->r->trained_length + 1;
    double *out, *x, *y;
    locant_status status;

    n = n > MOST_DISTANCES ? MOST_DISTANCES : n;
    LCT_TRY(lct_page_numbers(&out, (size_t)n * (size_t)dim + (size_t)dim +
                                       2 * (size_t)n));
    x = out + n * dim + dim;
    y = x + n;
    for (int64_t c = 0; c < dim; c++)
        out[n * dim + c] = 1;
    status = turn(out, s, out + n * dim, 0, n, dim);
    for (int64_t d = 0; d < n; d++) {
        x[d] = (double)d;
        y[d] = 0;
        for (int64_t c = 0; c < dim; c++)
            y[d] += out[d * dim + c] / (double)dim;
    }
    line.n = (size_t)n;
    line.x = x;
    line.y = y;
    f.title = "Score of equal vectors, by distance";
    f.x_label = "distance";
    f.y_label = "g(distance)";
    f.width = 460;
    f.height = 360;
    f.series = &line;
    f.n_series = 1;
    f.marks = &mark;
    f.n_marks = mark.x < (double)n;
    if (status == LOCANT_OK)
        status = lct_page_figure(
            h, s->r, &f,
            "Curve of the score of equal vectors against distance.",
            "A query and a key of all ones, turned and multiplied, over the "
            "head's channels. This is not a law of decay: for unrelated random "
            "vectors the expected score is zero at every distance.",
            0);
    locant_release(out);
    return status;
}

/*
 * Frequencies of the pairs: the unit vector of channel c turned by one position
 * is cos f at c and +-sin f at its partner.  freq and first hold dim values;
 * returns the number of pairs through *pairs.
 */
static locant_status find_pairs(double *freq, int64_t *first, int64_t *pairs,
                                const struct lct_subject *s, int64_t dim)
{
    double *unit, *out;
    locant_status status = LOCANT_OK;

    LCT_TRY(lct_page_numbers(&unit, 2 * (size_t)dim));
    out = unit + dim;
    *pairs = 0;
    for (int64_t c = 0; c < dim && status == LOCANT_OK; c++) {
        int64_t partner = -1;
        unit[c] = 1;
        status = turn(out, s, unit, 1, 1, dim);
        unit[c] = 0;
        for (int64_t k = 0; k < dim; k++)
            if (k != c && out[k] != 0)
                partner = k;
        if (status == LOCANT_OK && partner > c) {
            freq[*pairs] = atan2(fabs(out[partner]), out[c]);
            first[(*pairs)++] = c;
        }
    }
    locant_release(unit);
    return status;
}

static locant_status draw_wavelengths(struct lct_html *h,
                                      const struct lct_subject *s,
                                      const double *freq, int64_t pairs)
{
    locant_mark marks[1] = { { (double)s->r->trained_length,
                               "trained length" } };
    locant_figure f = LOCANT_FIGURE_INIT;
    locant_series line = { .marks = 1, .color = 0 };
    char caption[240];
    int64_t whole = 0;
    double *x, *y;
    locant_status status;

    LCT_TRY(lct_page_numbers(&x, 2 * (size_t)pairs));
    y = x + pairs;
    for (int64_t p = 0; p < pairs; p++) {
        x[p] = 2 * 3.14159265358979323846 / freq[p];
        y[p] = (double)p;
        whole += x[p] <= (double)s->r->trained_length;
    }
    snprintf(caption, sizeof caption,
             "Positions each pair of channels needs for one turn. %lld of %lld "
             "pairs went round at least once within the trained length; the "
             "others meet new angles beyond it.",
             (long long)whole, (long long)pairs);
    line.n = (size_t)pairs;
    line.x = x;
    line.y = y;
    f.title = "Wavelengths";
    f.x_label = "positions per turn";
    f.y_label = "pair";
    f.log_x = 1;
    f.width = 460;
    f.height = 360;
    f.series = &line;
    f.n_series = 1;
    f.marks = marks;
    f.n_marks = 1;
    status = lct_page_figure(h, s->r, &f,
                             "Wavelength of each pair of channels, with the "
                             "trained length marked.",
                             caption, 0);
    locant_release(x);
    return status;
}

static locant_status draw_angles(struct lct_html *h,
                                 const struct lct_subject *s,
                                 const int64_t *first, int64_t pairs,
                                 int64_t dim)
{
    locant_figure f = LOCANT_FIGURE_INIT;
    int64_t n = 2 * s->r->trained_length;
    double *out, *unit, *cells;
    locant_status status = LOCANT_OK;

    n = n > MOST_POSITIONS ? MOST_POSITIONS : n;
    LCT_TRY(lct_page_numbers(&out, (size_t)n * (size_t)(dim + pairs) +
                                       (size_t)dim));
    unit = out + n * dim;
    cells = unit + dim;
    for (int64_t p = 0; p < pairs && status == LOCANT_OK; p++) {
        unit[first[p]] = 1;
        status = turn(out, s, unit, 0, n, dim);
        unit[first[p]] = 0;
        for (int64_t t = 0; t < n; t++)
            cells[t * pairs + p] = out[t * dim + first[p]];
    }
    f.kind = LOCANT_FIGURE_HEATMAP;
    f.title = "Cosine of the angle";
    f.x_label = "pair";
    f.y_label = "position";
    f.width = 460;
    f.height = 360;
    f.cells = cells;
    f.rows = n;
    f.cols = pairs;
    f.diverging = 1;
    if (status == LOCANT_OK)
        status = lct_page_figure(h, s->r, &f,
                                 "Heat map of the cosine of every angle: "
                                 "positions downwards, pairs across.",
                                 "How far each pair of channels is turned at "
                                 "each position.",
                                 0);
    locant_release(out);
    return status;
}

locant_status lct_draw_rotate(struct lct_html *h, const struct lct_subject *s)
{
    int64_t dim = s->r->heads > 0 ? s->r->width / s->r->heads : 0;
    int64_t *first, pairs = 0;
    double *freq;
    locant_status status;

    if (dim < 2)
        return locant_fail(LOCANT_ERR_PARAM,
                           "report: heads of %lld channels cannot be turned",
                           (long long)dim);
    LCT_TRY(lct_page_numbers(&freq, 2 * (size_t)dim));
    first = (int64_t *)(void *)(freq + dim);
    lct_html_raw(h, "<div class=\"grid\">\n");
    status = find_pairs(freq, first, &pairs, s, dim);
    if (status == LOCANT_OK)
        status = draw_score(h, s, dim);
    if (status == LOCANT_OK && pairs > 0)
        status = draw_wavelengths(h, s, freq, pairs);
    if (status == LOCANT_OK && pairs > 0)
        status = draw_angles(h, s, first, pairs, dim);
    lct_html_raw(h, "</div>\n");
    locant_release(freq);
    return status;
}
