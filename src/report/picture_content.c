/*
 * picture_content.c - pictures of encodings that read queries and keys, for
 * random queries and keys, the same for every encoding.
 */
#include "page.h"
#include "weights.h"
#include <math.h>

enum { TOKENS = 64, DRAWS = 8 };

static int64_t tokens_of(const struct lct_subject *s)
{
    return lct_weights_length(
        s->r->heads, lct_subject_length(s, s->r->trained_length, TOKENS));
}

/* y [heads, n]: what is added at each distance, mean over draws and pairs. */
static locant_status by_distance(double *y, const struct lct_subject *s,
                                 int64_t n)
{
    const int64_t heads = s->r->heads;
    double *count;

    LCT_TRY(lct_subject_numbers(&count, s, (size_t)(heads * n)));
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        const struct lct_weights_query query = { .n = n, .seed = seed };
        struct lct_subject_block *last = s->memory->last;
        struct lct_weights w;

        LCT_TRY(lct_weights_measure(&w, s, lct_subject_params(s), &query));
        for (int64_t i = 0; i < heads * n * n; i++) {
            int64_t distance = i / n % n - i % n;
            int64_t at = i / (n * n) * n + distance;

            if (distance < 0 || isnan(w.added[i]))
                continue;
            y[at] += w.added[i];
            count[at]++;
        }
        lct_subject_release(s, last);
    }
    for (int64_t i = 0; i < heads * n; i++) {
        y[i] = count[i] > 0 ? y[i] / count[i] : NAN;
        if (fabs(y[i]) < 1e-12)
            y[i] = 0; /* rounding error of scores of about 1 */
    }
    return LOCANT_OK;
}

static locant_status draw_added(struct lct_html *h, const struct lct_subject *s)
{
    const int64_t n = tokens_of(s);
    locant_figure f = lct_figures_begin(FIG_ADDED);
    struct lct_subject_lines lines;
    double *x, *y;

    LCT_TRY(lct_subject_range(&x, s, n));
    LCT_TRY(lct_subject_numbers(&y, s, (size_t)(s->r->heads * n)));
    LCT_TRY(by_distance(y, s, n));
    if (s->trained)
        lct_figures_title(&f, MSG_ADDED_TITLE_TRAINED);
    lct_figures_lines(&f, lines.series,
                      lct_subject_lines(&lines, s, x, y, s->r->heads, n));
    return lct_page_figure(h, s->r, FIG_ADDED, &f);
}

/* y [n] = the weights of the last query, or of the chosen one, by distance. */
static locant_status last_query(double *y, const struct lct_subject *s,
                                const locant_tensor *params, int64_t n)
{
    const struct lct_weights_query query = { .n = n,
                                             .seed = lct_subject_seed(s) };
    const int64_t head = lct_subject_head(s, s->r->heads);
    const int64_t chosen = s->view.position > 0 ? s->view.position : n - 1;
    const int64_t at = chosen < n ? chosen : n - 1;
    struct lct_weights w;

    LCT_TRY(lct_weights_measure(&w, s, params, &query));
    for (int64_t d = 0; d < n; d++)
        y[d] = d <= at ? w.weight[(head * n + at) * n + at - d] : NAN;
    return LOCANT_OK;
}

static locant_status draw_weights(struct lct_html *h,
                                  const struct lct_subject *s)
{
    const int64_t n = tokens_of(s);
    locant_figure f = lct_figures_begin(FIG_WEIGHTS);
    locant_series series[2];
    double *x, *y;

    LCT_TRY(lct_subject_range(&x, s, n));
    LCT_TRY(lct_subject_numbers(&y, s, 2 * (size_t)n));
    LCT_TRY(last_query(y, s, lct_subject_params(s), n));
    if (s->trained)
        LCT_TRY(last_query(y + n, s, s->initial, n));
    series[0] =
        lct_figures_line(s->trained ? MSG_TRAINED : MSG_NONE, n, x, y, 0);
    series[1] = lct_figures_line(MSG_INITIAL, n, x, y + n, 9);
    series[1].dashed = 1;
    lct_figures_lines(&f, series, s->trained ? 2 : 1);
    return lct_page_figure(h, s->r, FIG_WEIGHTS, &f);
}

locant_status lct_draw_content(struct lct_html *h, const struct lct_subject *s)
{
    static const struct lct_picture list[] = {
        { FIG_WEIGHTS, FIG_WEIGHTS, draw_weights },
        { FIG_ADDED, FIG_ADDED, draw_added },
        { FIG_TERMS, FIG_TERMS, lct_draw_terms },
    };

    return lct_subject_draw(h, s, list, sizeof list / sizeof list[0]);
}
