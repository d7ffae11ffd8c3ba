/*
 * figures_learning.c - what happens to the heads of each encoding during
 * training.  Each encoding has a panel; all panels are in one frame, so that
 * lines of a kind are one path.
 */
#include "page.h"
#include <math.h>
#include <stdio.h>

enum { LINES = 6, PANELS = 8, MOST = 16 }; /* MOST: steps of a run */
static const double width = .9;            /* of a panel; panels are 1 apart */

/* All values are in [0, 1]; with 'of', they are divided by that number. */
static const struct {
    enum lct_message label;
    const char *key, *of;
} lines[LINES] = {
    { MSG_PREVIOUS_TOKEN, "previous", NULL },
    { MSG_OWN_TOKEN, "own", NULL },
    { MSG_ENTROPY, "entropy", "even_entropy" },
    { MSG_AXIS_DISTANCE, "distance", "even_distance" },
    { MSG_SINK_HEADS, "sinks", NULL },
    { MSG_ENCODING_GRADIENT, "gradient_share", NULL },
};

struct panels {
    locant_series line[LINES];
    locant_mark mark[PANELS];
    double x[LINES][PANELS * (MOST + 1)], y[LINES][PANELS * (MOST + 1)];
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
    const double v = value(r, row, lines[line].key, k);

    return lines[line].of == NULL
               ? v
               : v / lct_page_value(r, "probes.rows.%zu.training.%s", row,
                                    lines[line].of);
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
        locant_series *s = &p->line[line];

        if (s->n > 0) { /* a gap after the previous panel */
            p->x[line][s->n] = left - (1 - width) / 2;
            p->y[line][s->n++] = NAN;
        }
        for (int k = 0; k < steps; k++) {
            p->x[line][s->n] =
                left + width * log(value(r, row, "step", k) + 1) / all;
            p->y[line][s->n++] = share_of(r, row, line, k);
        }
    }
    p->mark[p->n++] = (locant_mark){ .x = left, .label = spec };
}

static locant_status show(struct lct_html *h, const struct lct_results *r,
                          const struct panels *p)
{
    locant_figure f = lct_figures_begin(FIG_LEARNING);

    f.series = p->line;
    f.n_series = LINES;
    f.marks = p->mark;
    f.n_marks = p->n;
    return lct_page_figure(h, r, FIG_LEARNING, &f);
}

static void begin(struct panels *p)
{
    p->n = 0;
    for (int i = 0; i < LINES; i++)
        p->line[i] = (locant_series){ LCT_LABEL(lines[i].label), .x = p->x[i],
                                      .y = p->y[i], .color = i, .marks = 1 };
}

locant_status lct_page_learning(struct lct_html *h, const struct lct_results *r)
{
    struct panels *p;
    locant_status status = LOCANT_OK;
    size_t row = 0;

    if (!lct_page_wants(h, FIG_LEARNING))
        return LOCANT_OK;
    p = locant_alloc(sizeof *p);
    if (p == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for a figure");
    begin(p);
    for (size_t i = 0; i < r->n && status == LOCANT_OK; i++) {
        if (r->groups[i].probe == NULL)
            continue;
        if (p->n == PANELS) {
            status = show(h, r, p);
            begin(p);
        }
        add_panel(p, r, row++, r->groups[i].spec);
    }
    if (status == LOCANT_OK && p->n > 0)
        status = show(h, r, p);
    locant_release(p);
    return status;
}
