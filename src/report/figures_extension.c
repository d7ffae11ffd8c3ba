/*
 * figures_extension.c - figures of reading beyond the trained length, drawn
 * only from the document of numbers.
 */
#include "../figure/figure.h"
#include "figures.h"
#include "lines.h"
#include "page_extension.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MOST = 24, POINTS = LCT_EXT_BUCKETS };

/* A study of another build may have more rows; the rest is not drawn. */
static int at_most(int n, int most)
{
    return n < most ? n : most;
}

int64_t lct_page_extension_length(int f)
{
    return lct_extension_factor(f) * LCT_EXT_TRAINED;
}

static int factors_of(const struct lct_results *r)
{
    return at_most((int)lct_page_size(r, "extension.lengths"), LCT_EXT_FACTORS);
}

/* A line for row i of a list, labelled with the row's title. */
static locant_series *add(struct lct_lines *l, const struct lct_results *r,
                          const char *list, int i, size_t points)
{
    const size_t at = l->n;
    locant_series *s = lct_lines_add(l, points, at);

    s->label = lct_page_text(r, "extension.%s.%d.title", list, i);
    s->label_zh = locant_chinese(s->label);
    s->dashed = (int)(at / LCT_GREY) * 3;
    return s;
}

/* Loss by length of each row; 'needle': the share of needles found. */
static void add_rows(struct lct_lines *l, const struct lct_results *r,
                     const char *list, bool needle)
{
    const int n = at_most((int)lct_page_size(r, "extension.%s", list), MOST);
    const int factors = factors_of(r);

    for (int i = 0; i < n; i++) {
        locant_series *s = add(l, r, list, i, (size_t)factors);
        double *x = lct_lines_points(l, s), *y = x + factors;
        double *low = lct_lines_take(l, 2 * (size_t)factors);

        s->marks = 1;
        if (!needle) {
            s->low = low;
            s->high = low + factors;
        }
        for (int f = 0; f < factors; f++) {
            char path[96];

            snprintf(path, sizeof path, "extension.%s.%d.%s.%" PRId64, list, i,
                     needle ? "needle" : "loss", lct_page_extension_length(f));
            x[f] = (double)lct_page_extension_length(f);
            y[f] = needle ? 100 * lct_page_value(r, "%s.share", path)
                          : lct_page_value(r, "%s.mean", path);
            low[f] = lct_page_value(r, "%s.low", path);
            low[factors + f] = lct_page_value(r, "%s.high", path);
        }
    }
}

/* The method "crop" gets no line: it reads windows, so it has no loss by
   position. */
static void add_positions(struct lct_lines *l, const struct lct_results *r)
{
    const int rows = at_most((int)lct_page_size(r, "extension.methods"), MOST);
    const int64_t n =
        lct_page_extension_length(factors_of(r) - 1) / LCT_EXT_BUCKET;

    for (int i = 0; i < rows; i++) {
        double *x;

        if (isnan(lct_page_value(r, "extension.methods.%d.position.0", i)))
            continue;
        x = lct_lines_points(l, add(l, r, "methods", i, (size_t)n));
        for (int64_t k = 0; k < n; k++) {
            x[k] = ((double)k + .5) * LCT_EXT_BUCKET;
            x[n + k] = lct_page_value(
                r, "extension.methods.%d.position.%" PRId64, i, k);
        }
    }
}

static const struct {
    enum lct_figure_id id;
    const char *list; /* rows of the document; NULL: by position */
    bool needle;
} figures[] = {
    { FIG_EXTENSION, "methods", false },
    { FIG_EXTENSION_TUNED, "tuned", false },
    { FIG_EXTENSION_POSITION, NULL, false },
    { FIG_EXTENSION_NEEDLE, "methods", true },
    { FIG_EXTENSION_NEEDLE_TUNED, "tuned", true },
};

static locant_status draw(struct lct_html *h, const struct lct_results *r,
                          int k)
{
    locant_mark mark = lct_trained_mark(r);
    locant_figure f;
    struct lct_lines l;
    locant_status status = LOCANT_OK;

    LCT_TRY(lct_lines_make(&l, MOST, 0, MOST * 2 * POINTS));
    if (figures[k].list)
        add_rows(&l, r, figures[k].list, figures[k].needle);
    else
        add_positions(&l, r);
    mark.x = LCT_EXT_TRAINED;
    f = lct_lines_figure(&l, figures[k].id);
    lct_figures_marks(&f, &mark, 1);
    if (figures[k].needle) {
        f.y_min = -2;
        f.y_max = 102;
    }
    if (lct_lines_defined(&l))
        status = lct_page_figure(h, r, figures[k].id, &f);
    lct_lines_free(&l);
    return status;
}

locant_status lct_page_extension_figures(struct lct_html *h,
                                         const struct lct_results *r)
{
    if (factors_of(r) == 0)
        return LOCANT_OK;
    for (int k = 0; k < (int)(sizeof figures / sizeof figures[0]); k++)
        LCT_TRY(draw(h, r, k));
    return LOCANT_OK;
}
