/*
 * picture_content.c - pictures of encodings that read queries and keys.  They
 * have no table, so random content is used, the same for each.
 */
#include "page.h"
#include <math.h>
#include <stdio.h>

enum { TOKENS = 64, LOOKS = 8 };

/* y [heads, n]: what is added at each distance, mean over draws and pairs. */
static locant_status by_distance(double *y, const struct lct_subject *s,
                                 const locant_tensor *params, int64_t n)
{
    const int64_t heads = s->r->heads;
    double *count;
    locant_status status = LOCANT_OK;

    LCT_TRY(lct_page_numbers(&count, (size_t)(heads * n)));
    for (uint64_t seed = 1; seed <= LOOKS && status == LOCANT_OK; seed++) {
        struct lct_look look;

        status = lct_page_look(&look, s, params, n, seed, false);
        for (int64_t i = 0; status == LOCANT_OK && i < heads * n * n; i++) {
            int64_t distance = i / n % n - i % n;
            int64_t at = i / (n * n) * n + distance;

            if (distance < 0 || isnan(look.added[i]))
                continue;
            y[at] += look.added[i];
            count[at]++;
        }
        lct_page_look_free(&look);
    }
    for (int64_t i = 0; i < heads * n; i++) {
        y[i] = count[i] > 0 ? y[i] / count[i] : NAN;
        if (fabs(y[i]) < 1e-12)
            y[i] = 0; /* rounding error of scores of about 1 */
    }
    locant_release(count);
    return status;
}

static locant_status draw_added(struct lct_html *h, const struct lct_subject *s,
                                int64_t n, const double *x)
{
    locant_figure f = lct_figures_begin(FIG_ADDED);
    struct lct_subject_lines lines;
    double *y;
    locant_status status;

    if (!lct_page_wants(h, FIG_ADDED))
        return LOCANT_OK;
    LCT_TRY(lct_page_numbers(&y, (size_t)(s->r->heads * n)));
    status = by_distance(y, s, lct_subject_params(s), n);
    if (s->trained)
        lct_figures_title(&f, MSG_ADDED_TITLE_TRAINED);
    f.series = lines.series;
    f.n_series = lct_subject_lines(&lines, s, x, y, s->r->heads, n);
    if (status == LOCANT_OK)
        status = lct_page_figure(h, s->r, FIG_ADDED, &f);
    locant_release(y);
    return status;
}

/* y [n] = the weights of the last query, or of the chosen one, by distance. */
static locant_status last_query(double *y, const struct lct_subject *s,
                                const locant_tensor *params, int64_t n)
{
    struct lct_look look;
    int64_t head = lct_subject_head(s, s->r->heads);
    int64_t at = s->view.position > 0 ? s->view.position : n - 1;

    at = at < n ? at : n - 1;
    LCT_TRY(lct_page_look(&look, s, params, n, lct_subject_seed(s), false));
    for (int64_t d = 0; d < n; d++)
        y[d] = d <= at ? look.weight[(head * n + at) * n + at - d] : NAN;
    lct_page_look_free(&look);
    return LOCANT_OK;
}

static locant_status draw_weights(struct lct_html *h,
                                  const struct lct_subject *s, int64_t n,
                                  const double *x)
{
    locant_series series[2] = { { .label = NULL } };
    locant_figure f = lct_figures_begin(FIG_WEIGHTS);
    double *y;
    locant_status status;

    LCT_TRY(lct_page_numbers(&y, 2 * (size_t)n));
    status = last_query(y, s, lct_subject_params(s), n);
    if (status == LOCANT_OK && s->trained)
        status = last_query(y + n, s, s->initial, n);
    series[0] = (locant_series){ LCT_LABEL(s->trained ? MSG_TRAINED : MSG_NONE),
                                 .n = (size_t)n, .x = x, .y = y, .color = 0 };
    series[1] = (locant_series){ LCT_LABEL(MSG_INITIAL),
                                 .n = (size_t)n,
                                 .x = x,
                                 .y = y + n,
                                 .dashed = 1,
                                 .color = 9 };
    f.series = series;
    f.n_series = s->trained ? 2 : 1;
    if (status == LOCANT_OK)
        status = lct_page_figure(h, s->r, FIG_WEIGHTS, &f);
    locant_release(y);
    return status;
}

locant_status lct_draw_content(struct lct_html *h, const struct lct_subject *s)
{
    int64_t n = lct_subject_length(s, s->r->trained_length, TOKENS);
    double *x;
    locant_status status;

    LCT_TRY(lct_page_numbers(&x, (size_t)n));
    for (int64_t d = 0; d < n; d++)
        x[d] = (double)d;
    lct_html_raw(h, "<div class=\"grid\">\n");
    status = draw_weights(h, s, n, x);
    if (status == LOCANT_OK)
        status = draw_added(h, s, n, x);
    if (status == LOCANT_OK)
        status = lct_draw_terms(h, s);
    lct_html_raw(h, "</div>\n");
    locant_release(x);
    return status;
}
