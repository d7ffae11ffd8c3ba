/*
 * picture_input.c - pictures of a table P[position, channel]: its values, some
 * channels as curves, moments of its rows, spectra of its channels, and the
 * similarity of positions.
 */
#include "../core/size.h"
#include "page.h"
#include <math.h>
#include <stdio.h>

enum { MOST_POSITIONS = 256, CURVES = 5 };

struct table {
    int64_t n, dim;
    double *cells;  /* [n, dim] */
    double *before; /* the same before training; NULL: not trained */
    double *x;      /* 0 .. n - 1 */
};

static locant_status read_table(double *cells, const struct table *t,
                                const struct lct_subject *s,
                                const locant_tensor *params)
{
    int64_t shape[2] = { t->n, t->dim }, *at;
    locant_tensor out = locant_dense(cells, LOCANT_F64, 2, shape), positions;

    LCT_TRY(lct_subject_positions(&at, s, 0, t->n));
    positions = locant_dense(at, LOCANT_I64, 1, shape);
    return locant_encoding_table(&out, s->e, &positions, params);
}

static locant_status make_table(struct table *t, const struct lct_subject *s)
{
    const int64_t n =
        lct_subject_length(s, 2 * s->r->trained_length, MOST_POSITIONS);
    size_t cells;

    *t = (struct table){ .n = n, .dim = s->r->width };
    if (n < 2 || t->dim < 1 || !lct_mul(&cells, (size_t)n, (size_t)t->dim))
        return locant_fail(LOCANT_ERR_PARAM,
                           "report: a table of %lld x %lld cannot be drawn",
                           (long long)n, (long long)t->dim);
    LCT_TRY(lct_subject_numbers(&t->cells, s, cells));
    LCT_TRY(lct_subject_range(&t->x, s, n));
    LCT_TRY(read_table(t->cells, t, s, lct_subject_params(s)));
    if (!s->trained)
        return LOCANT_OK;
    LCT_TRY(lct_subject_numbers(&t->before, s, cells));
    return read_table(t->before, t, s, s->initial);
}

/* ------------------------------------------------------------------ values */

static locant_status draw_table(struct lct_html *h, const struct lct_subject *s)
{
    locant_figure f = lct_figures_begin(FIG_TABLE);
    struct table t;

    LCT_TRY(make_table(&t, s));
    if (s->trained)
        lct_figures_title(&f, MSG_TABLE_TITLE_TRAINED);
    lct_figures_map(&f, t.cells, t.n, t.dim);
    return lct_page_figure(h, s->r, FIG_TABLE, &f);
}

static locant_status draw_channels(struct lct_html *h,
                                   const struct lct_subject *s)
{
    locant_figure f = lct_figures_begin(FIG_CHANNELS);
    locant_series series[CURVES];
    struct lct_label label[CURVES];
    struct table t;
    double *y;
    int64_t last = -1;
    size_t n = 0;

    LCT_TRY(make_table(&t, s));
    LCT_TRY(lct_subject_numbers(&y, s, CURVES * (size_t)t.n));
    for (int w = 0; w < CURVES; w++) {
        const int64_t channel = w * (t.dim - 1) / (CURVES - 1);
        double *curve = y + w * t.n;

        if (channel == last)
            continue;
        last = channel;
        for (int64_t i = 0; i < t.n; i++)
            curve[i] = t.cells[i * t.dim + channel];
        lct_messages_number(&label[w], MSG_CHANNEL, (double)channel);
        series[n] = lct_figures_line(MSG_NONE, t.n, t.x, curve, w);
        lct_figures_label(&series[n++], &label[w]);
    }
    lct_figures_lines(&f, series, n);
    return lct_page_figure(h, s->r, FIG_CHANNELS, &f);
}

/* Draws rows 0, 5, 10, 15 and 20, or only the chosen position. */
static locant_status draw_vectors(struct lct_html *h,
                                  const struct lct_subject *s)
{
    const int64_t chosen = s->view.position;
    locant_figure f = lct_figures_begin(FIG_VECTORS);
    locant_series series[CURVES];
    struct lct_label label[CURVES];
    struct table t;
    double *x;
    size_t n = 0;

    LCT_TRY(make_table(&t, s));
    LCT_TRY(lct_subject_range(&x, s, t.dim));
    for (int i = 0; i < (chosen > 0 ? 1 : CURVES); i++) {
        const int64_t at = chosen > 0 ? chosen : 5 * i;

        if (at >= t.n)
            continue;
        lct_messages_number(&label[i], MSG_POSITION, (double)at);
        series[n] =
            lct_figures_line(MSG_NONE, t.dim, x, t.cells + at * t.dim, i);
        lct_figures_label(&series[n], &label[i]);
        series[n++].dashed = i % 5;
    }
    if (n == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "figure vectors: position %lld, but only %lld "
                           "are shown",
                           (long long)chosen, (long long)t.n);
    lct_figures_lines(&f, series, n);
    return lct_page_figure(h, s->r, FIG_VECTORS, &f);
}

/* ----------------------------------------------------------------- moments */

/* Mean and standard deviation of n numbers, with 1/n. */
static void moments(double *mean, double *deviation, const double *x, int64_t n)
{
    double sum = 0, squares = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *deviation = sqrt(squares / (double)n);
}

/* Means of the rows and their deviations, also before training; the caption
   has those of the whole table. */
static locant_status draw_spread(struct lct_html *h,
                                 const struct lct_subject *s)
{
    static const enum lct_message labels[] = { MSG_MEAN, MSG_DEVIATION,
                                               MSG_MEAN_INITIAL,
                                               MSG_DEVIATION_INITIAL };
    locant_figure f = lct_figures_begin(FIG_SPREAD);
    locant_series series[4];
    char number[2][24];
    const char *const text[] = { number[0], number[1] };
    struct table t;
    double *y, whole[2];

    LCT_TRY(make_table(&t, s));
    LCT_TRY(lct_subject_numbers(&y, s, 4 * (size_t)t.n));
    for (int64_t i = 0; i < t.n; i++) {
        moments(&y[i], &y[t.n + i], t.cells + i * t.dim, t.dim);
        if (t.before)
            moments(&y[2 * t.n + i], &y[3 * t.n + i], t.before + i * t.dim,
                    t.dim);
    }
    for (int i = 0; i < 4; i++) {
        series[i] = lct_figures_line(labels[i], t.n, t.x, y + i * t.n, i % 2);
        series[i].dashed = i / 2;
    }
    moments(&whole[0], &whole[1], t.cells, t.n * t.dim);
    for (int i = 0; i < 2; i++)
        snprintf(number[i], sizeof number[i], "%.3g", whole[i]);
    lct_figures_lines(&f, series, t.before ? 4 : 2);
    return lct_page_figure_with(h, s->r, FIG_SPREAD, &f, MSG_NONE, text, NULL);
}

/* ---------------------------------------------------------------- spectrum */

/* Amplitude of a channel at k cycles in n positions: |DFT| 2/n.  For k = 0 and
   k = n/2, which have no mirror image, it is |DFT| / n. */
static double amplitude(const struct table *t, int64_t channel, int64_t k,
                        const double *cosine)
{
    double re = 0, im = 0;
    int64_t back = 3 * t->n; /* sin(a) = cos(a + 3/4 of a circle) */

    for (int64_t i = 0; i < t->n; i++) {
        int64_t angle = i * k * 4 % (4 * t->n);
        double value = t->cells[i * t->dim + channel];

        re += value * cosine[angle];
        im += value * cosine[(angle + back) % (4 * t->n)];
    }
    return (k == 0 || 2 * k == t->n ? 1 : 2) * sqrt(re * re + im * im) /
           (double)t->n;
}

static locant_status draw_spectrum(struct lct_html *h,
                                   const struct lct_subject *s)
{
    locant_figure f = lct_figures_begin(FIG_SPECTRUM);
    struct table t;
    int64_t bins;
    double *cells, *cosine;

    LCT_TRY(make_table(&t, s));
    bins = t.n / 2 + 1;
    LCT_TRY(lct_subject_numbers(&cosine, s, 4 * (size_t)t.n));
    LCT_TRY(lct_subject_numbers(&cells, s, (size_t)t.dim * (size_t)bins));
    for (int64_t i = 0; i < 4 * t.n; i++)
        cosine[i] =
            cos(2 * 3.14159265358979323846 * (double)i / (double)(4 * t.n));
    for (int64_t c = 0; c < t.dim; c++)
        for (int64_t k = 0; k < bins; k++)
            cells[c * bins + k] = amplitude(&t, c, k, cosine);
    lct_figures_map(&f, cells, t.dim, bins);
    f.x_step = 1 / (double)t.n;
    return lct_page_figure(h, s->r, FIG_SPECTRUM, &f);
}

/* -------------------------------------------------------------- similarity */

/* Cosine of the angle between two rows. */
static double similarity(const double *p, const double *q, int64_t dim)
{
    double pp = 0, pq = 0, qq = 0;

    for (int64_t c = 0; c < dim; c++) {
        pp += p[c] * p[c];
        pq += p[c] * q[c];
        qq += q[c] * q[c];
    }
    return pq / (sqrt(pp) * sqrt(qq));
}

static void all_pairs(double *out, const double *rows, const struct table *t)
{
    for (int64_t a = 0; a < t->n; a++)
        for (int64_t b = 0; b <= a; b++)
            out[a * t->n + b] = out[b * t->n + a] =
                similarity(rows + a * t->dim, rows + b * t->dim, t->dim);
}

/* y [3, n]: mean, least and largest similarity at each distance.  Returns the
   largest difference of the last two. */
static double by_distance(double *y, const double *cells, int64_t n)
{
    double widest = 0;

    for (int64_t d = 0; d < n; d++) {
        double sum = 0, low = INFINITY, high = -INFINITY;

        for (int64_t i = d; i < n; i++) {
            double value = cells[i * n + i - d];

            sum += value;
            low = fmin(low, value);
            high = fmax(high, value);
        }
        y[d] = sum / (double)(n - d);
        y[n + d] = low;
        y[2 * n + d] = high;
        widest = fmax(widest, high - low);
    }
    return widest;
}

static locant_status draw_distance(struct lct_html *h,
                                   const struct lct_subject *s,
                                   const struct table *t, const double *cells)
{
    locant_figure f = lct_figures_begin(FIG_DISTANCE);
    locant_series series[2];
    const int64_t n = t->n;
    double *y, *before, *cells_before;
    bool band;

    LCT_TRY(lct_subject_numbers(&y, s, 6 * (size_t)n));
    before = y + 3 * n;
    if (t->before) {
        LCT_TRY(lct_subject_numbers(&cells_before, s, (size_t)(n * n)));
        all_pairs(cells_before, t->before, t);
        by_distance(before, cells_before, n);
    }
    band = by_distance(y, cells, n) > 1e-5; /* more than rounding */
    series[0] =
        lct_figures_line(t->before ? MSG_TRAINED : MSG_NONE, n, t->x, y, 0);
    series[0].low = band ? y + n : NULL;
    series[0].high = band ? y + 2 * n : NULL;
    series[1] = lct_figures_line(MSG_INITIAL, n, t->x, before, 9);
    series[1].dashed = 1;
    lct_figures_lines(&f, series, t->before ? 2 : 1);
    return lct_page_figure_with(h, s->r, FIG_DISTANCE, &f,
                                band ? MSG_NONE : MSG_DISTANCE_CAPTION_EXACT,
                                NULL, NULL);
}

static locant_status draw_similarity(struct lct_html *h,
                                     const struct lct_subject *s)
{
    locant_figure f = lct_figures_begin(FIG_SIMILARITY);
    struct table t;
    double *cells;

    LCT_TRY(make_table(&t, s));
    LCT_TRY(lct_subject_numbers(&cells, s, (size_t)(t.n * t.n)));
    all_pairs(cells, t.cells, &t);
    lct_figures_map(&f, cells, t.n, t.n);
    LCT_TRY(lct_page_figure(h, s->r, FIG_SIMILARITY, &f));
    return draw_distance(h, s, &t, cells);
}

locant_status lct_draw_input(struct lct_html *h, const struct lct_subject *s)
{
    static const struct lct_picture list[] = {
        { FIG_TABLE, FIG_TABLE, draw_table },
        { FIG_CHANNELS, FIG_CHANNELS, draw_channels },
        { FIG_VECTORS, FIG_VECTORS, draw_vectors },
        { FIG_SPREAD, FIG_SPREAD, draw_spread },
        { FIG_SPECTRUM, FIG_SPECTRUM, draw_spectrum },
        { FIG_SIMILARITY, FIG_DISTANCE, draw_similarity },
    };

    return lct_subject_draw(h, s, list, sizeof list / sizeof list[0]);
}
