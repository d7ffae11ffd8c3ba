/*
 * picture_input.c - pictures of a table P[position, channel]: its values, some
 * channels as waves, their spectra, and the similarity of positions.
 */
#include "../core/size.h"
#include "page.h"
#include <math.h>
#include <stdio.h>

enum { MOST_POSITIONS = 256, WAVES = 5 };

struct table {
    int64_t n, dim;
    double *cells; /* [n, dim] */
    double *x;     /* 0 .. n - 1 */
};

static void free_table(struct table *t)
{
    locant_release(t->cells);
    locant_release(t->x);
}

static locant_status fill(struct table *t, const struct lct_subject *s,
                          const locant_tensor *params)
{
    int64_t shape[2] = { t->n, t->dim }, *at;
    locant_tensor out = locant_dense(t->cells, LOCANT_F64, 2, shape), positions;
    locant_status status;

    LCT_TRY(lct_subject_positions(&at, 0, t->n));
    positions = locant_dense(at, LOCANT_I64, 1, shape);
    for (int64_t i = 0; i < t->n; i++)
        t->x[i] = (double)i;
    status = locant_encoding_table(&out, s->e, &positions, params);
    locant_release(at);
    return status;
}

static locant_status make_table(struct table *t, const struct lct_subject *s,
                                const locant_tensor *params)
{
    size_t cells;
    locant_status status;

    *t = (struct table){ .n = lct_subject_length(s, 2 * s->r->trained_length,
                                                 MOST_POSITIONS),
                         .dim = s->r->width };
    if (t->n < 2 || t->dim < 1 ||
        !lct_mul(&cells, (size_t)t->n, (size_t)t->dim))
        return locant_fail(LOCANT_ERR_PARAM,
                           "report: a table of %lld x %lld cannot be drawn",
                           (long long)t->n, (long long)t->dim);
    status = lct_page_numbers(&t->cells, cells);
    if (status == LOCANT_OK)
        status = lct_page_numbers(&t->x, (size_t)t->n);
    if (status == LOCANT_OK)
        status = fill(t, s, params);
    if (status != LOCANT_OK)
        free_table(t);
    return status;
}

static locant_status draw_table(struct lct_html *h, const struct lct_subject *s,
                                const struct table *t)
{
    locant_figure f = lct_figures_begin(FIG_TABLE);

    if (s->trained)
        lct_figures_title(&f, MSG_TABLE_TITLE_TRAINED);
    f.cells = t->cells;
    f.rows = t->n;
    f.cols = t->dim;
    return lct_page_figure(h, s->r, FIG_TABLE, &f);
}

static locant_status draw_waves(struct lct_html *h, const struct lct_subject *s,
                                const struct table *t)
{
    locant_figure f = lct_figures_begin(FIG_CHANNELS);
    locant_series series[WAVES] = { { .label = NULL } };
    struct lct_label label[WAVES];
    double *y;
    int64_t last = -1;
    locant_status status;

    LCT_TRY(lct_page_numbers(&y, WAVES * (size_t)t->n));
    for (int w = 0; w < WAVES; w++) {
        int64_t channel = w * (t->dim - 1) / (WAVES - 1);
        double *wave = y + (size_t)w * (size_t)t->n;
        if (channel == last)
            continue;
        last = channel;
        for (int64_t i = 0; i < t->n; i++)
            wave[i] = t->cells[i * t->dim + channel];
        lct_messages_number(&label[w], MSG_CHANNEL, (double)channel);
        series[f.n_series++] =
            (locant_series){ LCT_FILLED(label[w]), .n = (size_t)t->n, .x = t->x,
                             .y = wave, .color = w };
    }
    f.series = series;
    status = lct_page_figure(h, s->r, FIG_CHANNELS, &f);
    locant_release(y);
    return status;
}

/* Rows 0, 5, 10, 15 and 20, or only the chosen position. */
static locant_status draw_vectors(struct lct_html *h,
                                  const struct lct_subject *s,
                                  const struct table *t)
{
    locant_figure f = lct_figures_begin(FIG_VECTORS);
    locant_series series[WAVES] = { { .label = NULL } };
    struct lct_label label[WAVES];
    double *x;
    locant_status status;

    LCT_TRY(lct_page_numbers(&x, (size_t)t->dim));
    for (int64_t c = 0; c < t->dim; c++)
        x[c] = (double)c;
    for (int i = 0; i < (s->view.position > 0 ? 1 : WAVES); i++) {
        int64_t at = s->view.position > 0 ? s->view.position : 5 * i;
        if (at >= t->n)
            continue;
        lct_messages_number(&label[i], MSG_POSITION, (double)at);
        series[f.n_series++] = (locant_series){
            LCT_FILLED(label[i]),        .n = (size_t)t->dim, .x = x,
            .y = t->cells + at * t->dim, .dashed = i % 5,     .color = i
        };
    }
    f.series = series;
    status = f.n_series == 0
                 ? locant_fail(LOCANT_ERR_PARAM,
                               "figure vectors: position %lld, but only %lld "
                               "are shown",
                               (long long)s->view.position, (long long)t->n)
                 : lct_page_figure(h, s->r, FIG_VECTORS, &f);
    locant_release(x);
    return status;
}

/* Amplitude of a channel at k cycles in n positions: |DFT| 2/n.  For k = 0 and
   k = n/2, which have no mirror image, it is |DFT| / n. */
static double amplitude(const struct table *t, int64_t channel, int64_t k,
                        const double *cosine)
{
    double re = 0, im = 0;
    int64_t quarter = 3 * t->n; /* sin(a) = cos(a - quarter) */

    for (int64_t i = 0; i < t->n; i++) {
        int64_t turn = i * k * 4 % (4 * t->n);
        double value = t->cells[i * t->dim + channel];
        re += value * cosine[turn];
        im += value * cosine[(turn + quarter) % (4 * t->n)];
    }
    return (k == 0 || 2 * k == t->n ? 1 : 2) * sqrt(re * re + im * im) /
           (double)t->n;
}

static locant_status draw_spectrum(struct lct_html *h,
                                   const struct lct_subject *s,
                                   const struct table *t)
{
    locant_figure f = lct_figures_begin(FIG_SPECTRUM);
    int64_t bins = t->n / 2 + 1;
    double *cells, *cosine;
    locant_status status;

    if (!lct_page_wants(h, FIG_SPECTRUM))
        return LOCANT_OK;
    LCT_TRY(lct_page_numbers(&cosine, 4 * (size_t)t->n));
    status = lct_page_numbers(&cells, (size_t)t->dim * (size_t)bins);
    if (status == LOCANT_OK) {
        for (int64_t i = 0; i < 4 * t->n; i++)
            cosine[i] = cos(2 * 3.14159265358979323846 * (double)i /
                            (double)(4 * t->n));
        for (int64_t c = 0; c < t->dim; c++)
            for (int64_t k = 0; k < bins; k++)
                cells[c * bins + k] = amplitude(t, c, k, cosine);
        f.cells = cells;
        f.rows = t->dim;
        f.cols = bins;
        f.x_step = 1 / (double)t->n;
        status = lct_page_figure(h, s->r, FIG_SPECTRUM, &f);
        locant_release(cells);
    }
    locant_release(cosine);
    return status;
}

/* Cosine of the angle between two rows. */
static double similarity(const struct table *t, int64_t a, int64_t b)
{
    const double *p = t->cells + a * t->dim, *q = t->cells + b * t->dim;
    double pp = 0, pq = 0, qq = 0;

    for (int64_t c = 0; c < t->dim; c++) {
        pp += p[c] * p[c];
        pq += p[c] * q[c];
        qq += q[c] * q[c];
    }
    return pq / (sqrt(pp) * sqrt(qq));
}

static locant_status draw_similarity(struct lct_html *h,
                                     const struct lct_subject *s,
                                     const struct table *t, const double *cells)
{
    locant_figure f = lct_figures_begin(FIG_SIMILARITY);

    f.cells = cells;
    f.rows = f.cols = t->n;
    return lct_page_figure(h, s->r, FIG_SIMILARITY, &f);
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

static void all_pairs(double *cells, const struct table *t)
{
    for (int64_t a = 0; a < t->n; a++)
        for (int64_t b = 0; b <= a; b++)
            cells[a * t->n + b] = cells[b * t->n + a] = similarity(t, a, b);
}

static locant_status draw_distance(struct lct_html *h,
                                   const struct lct_subject *s,
                                   const struct table *t, const double *y,
                                   const double *y_initial, bool band)
{
    locant_series series[2];
    locant_figure f = lct_figures_begin(FIG_DISTANCE);
    size_t n = (size_t)t->n;

    series[0] = (locant_series){ LCT_LABEL(y_initial ? MSG_TRAINED : MSG_NONE),
                                 .n = n,
                                 .x = t->x,
                                 .y = y,
                                 .low = band ? y + n : NULL,
                                 .high = band ? y + 2 * n : NULL };
    series[1] =
        (locant_series){ LCT_LABEL(MSG_INITIAL), .n = n,      .x = t->x,
                         .y = y_initial,         .dashed = 1, .color = 9 };
    f.series = series;
    f.n_series = y_initial ? 2 : 1;
    return lct_page_figure_with(h, s->r, FIG_DISTANCE, &f,
                                band ? MSG_NONE : MSG_DISTANCE_CAPTION_EXACT,
                                NULL, NULL);
}

/* The two similarity pictures; 'initial' may be NULL. */
static locant_status draw_alike(struct lct_html *h, const struct lct_subject *s,
                                const struct table *t,
                                const struct table *initial)
{
    size_t n = (size_t)t->n;
    double *cells, *y;
    bool band;
    locant_status status;

    LCT_TRY(lct_page_numbers(&cells, n * n));
    status = lct_page_numbers(&y, 6 * n);
    if (status == LOCANT_OK) {
        if (initial) {
            all_pairs(cells, initial);
            by_distance(y + 3 * n, cells, t->n);
        }
        all_pairs(cells, t);
        band = by_distance(y, cells, t->n) > 1e-5; /* more than rounding */
        status = draw_similarity(h, s, t, cells);
        if (status == LOCANT_OK)
            status =
                draw_distance(h, s, t, y, initial ? y + 3 * n : NULL, band);
        locant_release(y);
    }
    locant_release(cells);
    return status;
}

locant_status lct_draw_input(struct lct_html *h, const struct lct_subject *s)
{
    struct table t, initial;
    bool compare = s->trained != NULL;
    locant_status status;

    LCT_TRY(make_table(&t, s, lct_subject_params(s)));
    status = compare ? make_table(&initial, s, s->initial) : LOCANT_OK;
    if (status != LOCANT_OK) {
        free_table(&t);
        return status;
    }
    lct_html_raw(h, "<div class=\"grid\">\n");
    status = draw_table(h, s, &t);
    if (status == LOCANT_OK)
        status = draw_waves(h, s, &t);
    if (status == LOCANT_OK)
        status = draw_vectors(h, s, &t);
    if (status == LOCANT_OK)
        status = lct_draw_spread(h, s, t.cells, compare ? initial.cells : NULL,
                                 t.x, t.n, t.dim);
    if (status == LOCANT_OK)
        status = draw_spectrum(h, s, &t);
    if (status == LOCANT_OK)
        status = draw_alike(h, s, &t, compare ? &initial : NULL);
    lct_html_raw(h, "</div>\n");
    free_table(&t);
    if (compare)
        free_table(&initial);
    return status;
}
