/*
 * figures_probe.c - figures of what probes measured in trained models: a curve
 * or a row of dots for each encoding.
 */
#include "../figure/figure.h"
#include "figures.h"
#include "lines.h"
#include "page.h"
#include "probe_points.h"
#include "html_message.h"
#include <math.h>

/* ---------------------------------------------------------------- the list */

/* clang-format off */
#define POINTS(read_, part_, key_, x_)                                         \
    { LCT_POINTS_##read_, part_, key_, .x = LCT_POINTS_X_##x_ }
#define POINTS_BY(read_, part_, key_, x_, x_key_)                              \
    { LCT_POINTS_##read_, part_, key_, LCT_POINTS_X_##x_, .x_key = x_key_ }
/* clang-format on */
#define TRAINED "attention.trained"
#define INITIAL "attention.initial"

static const struct picture {
    enum lct_figure_id id;
    struct lct_points points;
    struct lct_points other;        /* a second line for each encoding */
    enum lct_message other_label;   /* label of that line */
    lct_points_reference reference; /* a grey line, or NULL */
    enum lct_message reference_label;
    const char *predicted; /* path of a predicted value to mark, or NULL */
} pictures[] = {
    { FIG_ENTROPY,
      { LCT_POINTS_MEANS, "attention.long", "entropies", LCT_POINTS_X_QUERY,
        "rows", TRAINED },
      .reference = lct_points_even_entropy,
      .reference_label = MSG_SPREAD_EVENLY },
    { FIG_SLOPES, POINTS(HEADS, TRAINED, "slope", NONE),
      POINTS(HEADS, INITIAL, "slope", NONE),
      .other_label = MSG_BEFORE_TRAINING },
    { FIG_DISTANCES, .points = POINTS(MEANS, TRAINED, "bins", BINS) },
    { FIG_REACH, .points = POINTS(HEADS, TRAINED, "distance", NONE) },
    { FIG_SHARES, POINTS(MEANS, TRAINED, "shares", SHARES),
      .reference = lct_points_even_shares,
      .reference_label = MSG_SPREAD_EVENLY },
    { FIG_PREVIOUS, POINTS(HEADS, TRAINED, "previous_bias", NONE),
      POINTS(HEADS, INITIAL, "previous_bias", NONE),
      .other_label = MSG_BEFORE_TRAINING },
    { FIG_SINKS, POINTS(LIST, "attention.sinks", "text", NONE),
      POINTS(LIST, "attention.sinks", "repeated", NONE),
      .other_label = MSG_REPEATED },
    { FIG_FIELD, .points = POINTS(LIST, "field.trained", "within", POWERS) },
    { FIG_TRUNCATION,
      .points = POINTS_BY(LIST, "field.truncation", "loss", LIST, "lengths") },
    { FIG_STATES, POINTS(STATES, "states", "error", COUNT),
      .reference = lct_points_chance, .reference_label = MSG_CONSTANT_GUESS },
    { FIG_USAGE, POINTS(MEANS, "usage", "q", COUNT),
      POINTS(MEANS, "usage", "k", COUNT), .other_label = MSG_OF_KEYS,
      .predicted = "usage.predicted" },
    { FIG_PARTIAL, POINTS_BY(LIST, "partial", "loss", LIST, "last"),
      POINTS_BY(LIST, "partial", "loss_far", LIST, "last"),
      .other_label = MSG_LONGER, .predicted = "partial.predicted" },
    { FIG_SWINGS, POINTS(LIST, "tables", "spectrum", COUNT),
      POINTS(LIST, "tables", "spectrum_initial", COUNT),
      .other_label = MSG_BEFORE_TRAINING },
    { FIG_BIAS_STEPS, POINTS(COURSE, "training", "previous_bias", STEPS),
      POINTS(COURSE, "training", "self_bias", STEPS), .other_label = MSG_OWN },
    { FIG_ENTROPY_STEPS,
      .points = POINTS(COURSE, "training", "entropy", STEPS) },
    { FIG_REACH_STEPS,
      .points = POINTS(COURSE, "training", "distance", STEPS) },
    { FIG_SINKS_STEPS, .points = POINTS(COURSE, "training", "sink", STEPS) },
};
enum { PICTURES = sizeof pictures / sizeof pictures[0], MOST_MARKS = 8 };

bool lct_page_probed(const struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].probe)
            return true;
    return false;
}

/* ----------------------------------------------------------------- drawing */

/* Adds the points of group i; NULL, and no line, if it has none. */
static locant_series *add(struct lct_lines *l, const struct lct_results *r,
                          size_t i, const struct lct_points *points)
{
    locant_series *s = lct_lines_add(l, LCT_POINTS, i);
    double *x = lct_lines_points(l, s);

    s->label = r->groups[i].spec;
    s->n = lct_points_of(x, x + LCT_POINTS, points, r->groups[i].probe);
    if (s->n > 0)
        return s;
    l->n--;
    return NULL;
}

static void add_other(struct lct_lines *l, const struct lct_results *r,
                      size_t i, const struct picture *p)
{
    locant_series *s = add(l, r, i, &p->other);

    if (s == NULL)
        return;
    lct_lines_label(l, p->other_label, r->groups[i].spec);
    if (lct_figures[p->id].kind == LOCANT_FIGURE_CURVES)
        s->dashed = 1;
}

/* Adds the reference curve, at all x of the group whose last x is largest. */
static void add_reference(struct lct_lines *l, const struct lct_results *r,
                          const struct picture *p)
{
    double x[LCT_POINTS], y[LCT_POINTS], far = 0;
    size_t best = r->n;
    locant_series *s;

    for (size_t i = 0; i < r->n; i++) {
        const size_t n = r->groups[i].probe ? lct_points_of(x, y, &p->points,
                                                            r->groups[i].probe)
                                            : 0;

        if (n > 0 && x[n - 1] > far) {
            far = x[n - 1];
            best = i;
        }
    }
    s = best < r->n ? add(l, r, best, &p->points) : NULL;
    if (s == NULL)
        return;
    p->reference(lct_lines_points(l, s) + LCT_POINTS, s->x, s->n,
                 r->groups[best].probe);
    lct_lines_name(l, p->reference_label);
    s->color = LCT_GREY;
    s->dashed = 1;
}

/* Rows of dots from before training stand above those from after it. */
static void fill(struct lct_lines *l, const struct lct_results *r,
                 const struct picture *p)
{
    const bool strips = lct_figures[p->id].kind == LOCANT_FIGURE_STRIPS;

    for (size_t i = 0; i < r->n; i++) {
        if (r->groups[i].probe == NULL)
            continue;
        if (p->other.read && strips)
            add_other(l, r, i, p);
        add(l, r, i, &p->points);
        if (p->other.read && !strips)
            add_other(l, r, i, p);
    }
    if (p->reference)
        add_reference(l, r, p);
}

/* Marks the trained length or the predicted values; returns the number. */
static size_t make_marks(locant_mark *marks, const struct lct_results *r,
                         const struct picture *p)
{
    size_t n = 0;

    if (p->id == FIG_ENTROPY || p->id == FIG_TRUNCATION)
        marks[n++] = lct_trained_mark(r);
    for (size_t i = 0; i < r->n && p->predicted; i++) {
        const double at =
            lct_page_real(lct_numbers_at(r->groups[i].probe, p->predicted));

        if (isfinite(at) && n < MOST_MARKS)
            marks[n++] = (locant_mark){ .x = at, .label = r->groups[i].spec };
    }
    return n;
}

static locant_status draw(struct lct_html *h, const struct lct_results *r,
                          const struct picture *p)
{
    const size_t most = 2 * r->n + 1;
    locant_mark marks[MOST_MARKS];
    locant_figure f;
    struct lct_lines l;
    locant_status status = LOCANT_OK;

    if (!lct_page_wants(h, p->id))
        return LOCANT_OK;
    LCT_TRY(lct_lines_make(&l, most, r->n, 2 * LCT_POINTS * most));
    fill(&l, r, p);
    f = lct_lines_figure(&l, p->id);
    if (f.height == 0)
        f.height = 90 + 20 * (int)l.n;
    lct_figures_marks(&f, marks, make_marks(marks, r, p));
    if (l.n > 0)
        status = lct_page_figure(h, r, p->id, &f);
    lct_lines_free(&l);
    return status;
}

locant_status lct_page_probes(struct lct_html *h, const struct lct_results *r)
{
    locant_status status = LOCANT_OK;

    lct_html_message_in(h, "<p>", MSG_MODELS_LEAD,
                        "</p>\n<div class=\"grid\" id=\"probes\">\n");
    for (int i = 0; i < PICTURES && status == LOCANT_OK; i++)
        status = draw(h, r, &pictures[i]);
    if (status == LOCANT_OK)
        status = lct_page_learning(h, r);
    if (status == LOCANT_OK)
        status = lct_page_maps(h, r, -1);
    lct_html_raw(h, "</div>\n");
    lct_page_probe_tables(h, r);
    return status;
}
