/* picture_spread.c - mean and standard deviation of each row of a table */
#include "page.h"
#include <math.h>
#include <stdio.h>

/* Of n numbers, with 1/n. */
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

/* y = means of the rows, then their deviations: [2, n]. */
static void of_rows(double *y, const double *cells, int64_t n, int64_t dim)
{
    for (int64_t i = 0; i < n; i++)
        moments(&y[i], &y[n + i], cells + i * dim, dim);
}

static locant_status show(struct lct_html *h, const struct lct_subject *s,
                          const locant_series *series, size_t n_series,
                          const double whole[2])
{
    locant_figure f = LOCANT_FIGURE_INIT;
    char caption[300];

    snprintf(caption, sizeof caption,
             "Over the channels of each row. Of the whole table: mean %.3g, "
             "standard deviation %.3g.", whole[0], whole[1]);
    f.name = "spread";
    f.title = "Mean and deviation by position";
    f.x_label = "position";
    f.y_label = "value";
    f.width = 460;
    f.height = 360;
    f.series = series;
    f.n_series = n_series;
    return lct_page_figure(h, s->r, &f,
                           "Curves of the mean and of the standard deviation "
                           "of each row of the table.",
                           caption, 0);
}

locant_status lct_draw_spread(struct lct_html *h, const struct lct_subject *s,
                              const double *cells, const double *initial,
                              const double *x, int64_t n, int64_t dim)
{
    static const char *const labels[] = { "mean", "deviation",
                                          "mean, initial",
                                          "deviation, initial" };
    locant_series series[4];
    double *y, whole[2];
    locant_status status;

    if (!lct_page_wants(h, "spread"))
        return LOCANT_OK;
    LCT_TRY(lct_page_numbers(&y, 4 * (size_t)n));
    of_rows(y, cells, n, dim);
    if (initial)
        of_rows(y + 2 * n, initial, n, dim);
    for (int i = 0; i < 4; i++)
        series[i] = (locant_series){ .label = labels[i], .n = (size_t)n, .x = x,
                                     .y = y + i * n, .color = i % 2,
                                     .dashed = i / 2 };
    moments(&whole[0], &whole[1], cells, n * dim);
    status = show(h, s, series, initial ? 4 : 2, whole);
    locant_release(y);
    return status;
}
