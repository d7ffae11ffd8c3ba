/* picture_spread.c - mean and standard deviation of each row of a table */
#include "page.h"
#include <math.h>
#include <stdio.h>

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

/* y [2, n] = the means of the rows, then their deviations. */
static void of_rows(double *y, const double *cells, int64_t n, int64_t dim)
{
    for (int64_t i = 0; i < n; i++)
        moments(&y[i], &y[n + i], cells + i * dim, dim);
}

static locant_status show(struct lct_html *h, const struct lct_subject *s,
                          const locant_series *series, size_t n_series,
                          const double whole[2])
{
    locant_figure f = lct_figures_begin(FIG_SPREAD);
    char number[2][24];
    const char *const text[] = { number[0], number[1] };

    for (int i = 0; i < 2; i++)
        snprintf(number[i], sizeof number[i], "%.3g", whole[i]);
    f.series = series;
    f.n_series = n_series;
    return lct_page_figure_with(h, s->r, FIG_SPREAD, &f, MSG_NONE, text, NULL);
}

locant_status lct_draw_spread(struct lct_html *h, const struct lct_subject *s,
                              const double *cells, const double *initial,
                              const double *x, int64_t n, int64_t dim)
{
    static const enum lct_message labels[] = { MSG_MEAN, MSG_DEVIATION,
                                               MSG_MEAN_INITIAL,
                                               MSG_DEVIATION_INITIAL };
    locant_series series[4];
    double *y, whole[2];
    locant_status status;

    if (!lct_page_wants(h, FIG_SPREAD))
        return LOCANT_OK;
    LCT_TRY(lct_page_numbers(&y, 4 * (size_t)n));
    of_rows(y, cells, n, dim);
    if (initial)
        of_rows(y + 2 * n, initial, n, dim);
    for (int i = 0; i < 4; i++)
        series[i] = (locant_series){
            LCT_LABEL(labels[i]), .n = (size_t)n, .x = x,
            .y = y + i * n,       .color = i % 2, .dashed = i / 2
        };
    moments(&whole[0], &whole[1], cells, n * dim);
    status = show(h, s, series, initial ? 4 : 2, whole);
    locant_release(y);
    return status;
}
