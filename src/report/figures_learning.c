/*
 * figures_learning.c - what happens to the heads of each encoding during
 * training.  Each encoding has a panel.  A figure has up to PANELS of them side
 * by side in one frame, so each line of 'rows' is one path through all panels.
 */
#include "lines.h"
#include "page.h"
#include <math.h>

enum { LINES = 6, PANELS = 8, MOST = 16 }; /* MOST: steps drawn of a run */
enum { POINTS = PANELS * (MOST + 1) };     /* of a line */
static const double width = .9;            /* of a panel; panels are 1 apart */

/* Lines with one axis.  A value is a share or, if 'of' is set, a ratio to that:
   to what equal weights would give. */
static const struct {
    enum lct_message label;
    const char *key, *of;
} rows[LINES] = {
    { MSG_PREVIOUS_TOKEN, "previous", NULL },
    { MSG_OWN_TOKEN, "own", NULL },
    { MSG_ENTROPY, "entropy", "even_entropy" },
    { MSG_AXIS_DISTANCE, "distance", "even_distance" },
    { MSG_SINK_HEADS, "sinks", NULL },
    { MSG_ENCODING_GRADIENT, "gradient_share", NULL },
};

struct panels {
    struct lct_lines lines;
    locant_mark mark[PANELS];
    size_t n; /* number of panels */
};

/* The value of 'key' at step k in row 'row' of the document. */
static double value(const struct lct_results *r, size_t row, const char *key,
                    int k)
{
    return lct_page_value(r, "probes.rows.%zu.training.%s.%d", row, key, k);
}

/* How many steps a row has, at most MOST. */
static int steps_of(const struct lct_results *r, size_t row)
{
    int n = 0;

    while (n < MOST && isfinite(value(r, row, "step", n)))
        n++;
    return n;
}

static double share_of(const struct lct_results *r, size_t row, int line, int k)
{
    const double v = value(r, row, rows[line].key, k);

    return rows[line].of == NULL
               ? v
               : v / lct_page_value(r, "probes.rows.%zu.training.%s", row,
                                    rows[line].of);
}

/* Adds the panel of a row; nothing if the row has no steps. */
static void add_panel(struct panels *p, const struct lct_results *r, size_t row,
                      const char *spec)
{
    const int steps = steps_of(r, row);
    const double left = (double)p->n + 1;
    const double all = steps ? log(value(r, row, "step", steps - 1) + 1) : 0;

    if (!(all > 0))
        return;
    for (int line = 0; line < LINES; line++) {
        locant_series *s = &p->lines.series[line];
        double *x = lct_lines_points(&p->lines, s), *y = x + POINTS;

        if (s->n > 0) { /* a gap after the previous panel */
            x[s->n] = left - (1 - width) / 2;
            y[s->n++] = NAN;
        }
        for (int k = 0; k < steps; k++) {
            x[s->n] = left + width * log(value(r, row, "step", k) + 1) / all;
            y[s->n++] = share_of(r, row, line, k);
        }
    }
    p->mark[p->n++] = (locant_mark){ .x = left, .label = spec };
}

/* Draws the panels, if there are any, and empties them. */
static locant_status draw_panels(struct lct_html *h,
                                 const struct lct_results *r, struct panels *p)
{
    locant_figure f = lct_lines_figure(&p->lines, FIG_LEARNING);

    if (p->n > 0) {
        lct_figures_marks(&f, p->mark, p->n);
        LCT_TRY(lct_page_figure(h, r, FIG_LEARNING, &f));
    }
    p->n = 0;
    for (int i = 0; i < LINES; i++)
        p->lines.series[i].n = 0;
    return LOCANT_OK;
}

static locant_status draw(struct lct_html *h, const struct lct_results *r,
                          struct panels *p)
{
    size_t row = 0;

    for (int i = 0; i < LINES; i++) {
        lct_lines_add(&p->lines, POINTS, (size_t)i)->marks = 1;
        lct_lines_name(&p->lines, rows[i].label);
        p->lines.series[i].n = 0;
    }
    for (size_t i = 0; i < r->n; i++) {
        if (r->groups[i].probe == NULL)
            continue;
        if (p->n == PANELS)
            LCT_TRY(draw_panels(h, r, p));
        add_panel(p, r, row++, r->groups[i].spec);
    }
    return draw_panels(h, r, p);
}

locant_status lct_page_learning(struct lct_html *h, const struct lct_results *r)
{
    struct panels p = { .n = 0 };
    locant_status status;

    if (!lct_page_wants(h, FIG_LEARNING))
        return LOCANT_OK;
    LCT_TRY(lct_lines_make(&p.lines, LINES, 0, 2 * LINES * POINTS));
    status = draw(h, r, &p);
    lct_lines_free(&p.lines);
    return status;
}
