/*
 * figures_rope.c - what theory predicts from the angles of a rotation: expected
 * scores, bounds, wavelengths and what YaRN keeps of them, sums of cosines.
 * The angles are measured; the formulas are those of src/measure/rope_theory.h.
 */
#include "../measure/rope_theory.h"
#include "lines.h"
#include "page.h"
#include <math.h>
#include <stdio.h>

enum { PAIRS = LCT_SUBJECT_PAIRS, MOST = 257, LINES = 5, BETA = 32, ALPHA = 1 };

struct plot {
    double freq[PAIRS], base; /* base: NAN if angles are not geometric */
    int64_t pairs, points;
    struct lct_lines lines;
};

/* The base of angles base^(-j/pairs), or NAN.  Angles come rounded to float, so
   ratios of neighbours may differ by 1e-5. */
static double base_of(const double *freq, int64_t pairs)
{
    double ratio;

    if (pairs < 2 || fabs(freq[0] - 1) > 1e-6)
        return NAN;
    ratio = freq[1] / freq[0];
    for (int64_t j = 1; j < pairs; j++)
        if (fabs(freq[j] / freq[j - 1] - ratio) > 1e-5 * ratio)
            return NAN;
    return pow(ratio, -(double)pairs);
}

/* Adds a line of n points, whose x and y the caller fills in. */
static locant_series *add(struct plot *p, enum lct_message label, int64_t n,
                          double **x, double **y)
{
    locant_series *line = lct_lines_add(&p->lines, (size_t)n, p->lines.n);

    lct_lines_name(&p->lines, label);
    line->dashed = line->color;
    *x = lct_lines_points(&p->lines, line);
    *y = *x + n;
    return line;
}

/* Distance i of p->points: up to the length that was asked for, by default up
   to four times the trained length. */
static double distance(const struct plot *p, const struct lct_subject *s,
                       int64_t i)
{
    const int64_t far = lct_subject_length(s, 4 * s->r->trained_length, 4096);

    return (double)(i * far / (p->points - 1));
}

/* ---------------------------------------------------------- scores, bounds */

static locant_status draw_expected(struct lct_html *h,
                                   const struct lct_subject *s, struct plot *p)
{
    static const struct {
        enum lct_rope_vectors kind;
        enum lct_message label;
    } list[] = { { LCT_ROPE_ONES, MSG_VECTORS_OF_ONES },
                 { LCT_ROPE_INDEPENDENT, MSG_UNRELATED_VECTORS },
                 { LCT_ROPE_SAME, MSG_EQUAL_VECTORS } };
    const double chosen = (double)s->r->trained_length;
    const locant_mark mark = lct_trained_mark(s->r);
    const int64_t n = p->points;
    locant_figure f;
    double *x, *y;

    for (int k = 0; k < 3; k++) {
        locant_series *line = add(p, list[k].label, n, &x, &y);
        double *low = lct_lines_take(&p->lines, 2 * (size_t)n);

        if (k > 0) {
            line->low = low;
            line->high = low + n;
        }
        for (int64_t i = 0; i < n; i++) {
            const double at = distance(p, s, i);
            const struct lct_rope_score e =
                lct_rope_expected(list[k].kind, p->freq, p->pairs, at);

            x[i] = at;
            y[i] = e.mean;
            low[i] = e.mean - e.deviation;
            low[n + i] = e.mean + e.deviation;
        }
    }
    add(p, MSG_NONE, n, &x, &y);
    lct_lines_number(&p->lines, MSG_KEY_FOR_DISTANCE, chosen);
    for (int64_t i = 0; i < n; i++) {
        x[i] = distance(p, s, i);
        y[i] =
            lct_rope_expected(LCT_ROPE_ONES, p->freq, p->pairs, x[i] - chosen)
                .mean;
    }
    f = lct_lines_figure(&p->lines, FIG_EXPECTED);
    lct_figures_marks(&f, &mark, 1);
    return lct_page_figure(h, s->r, FIG_EXPECTED, &f);
}

static locant_status draw_su(struct lct_html *h, const struct lct_subject *s,
                             struct plot *p)
{
    const locant_mark mark = lct_trained_mark(s->r);
    locant_figure f;
    double *x, *y;

    add(p, MSG_NONE, p->points, &x, &y);
    for (int64_t i = 0; i < p->points; i++) {
        x[i] = distance(p, s, i);
        y[i] = lct_rope_su_bound(p->freq, p->pairs, x[i]);
    }
    f = lct_lines_figure(&p->lines, FIG_SU_BOUND);
    lct_figures_marks(&f, &mark, 1);
    return lct_page_figure(h, s->r, FIG_SU_BOUND, &f);
}

/* The score of h_j = e^(-i f_j / 2), whose curvature is the largest. */
static double aligned(const struct plot *p, double s)
{
    double sum = 0;

    for (int64_t j = 0; j < p->pairs; j++)
        sum += cos((s - .5) * p->freq[j]);
    return sum;
}

static locant_status draw_pi(struct lct_html *h, const struct lct_subject *s,
                             struct plot *p)
{
    enum { POINTS = 65 };
    static const enum lct_message labels[] = { MSG_BOUND_AS_PRINTED,
                                               MSG_BOUND_BY_SUM, MSG_REACHED };
    locant_figure f;
    double *x[3], *y[3];

    if (isnan(p->base))
        return LOCANT_OK;
    for (int k = 0; k < 3; k++)
        add(p, labels[k], POINTS, &x[k], &y[k]);
    for (int64_t i = 0; i < POINTS; i++) {
        const double at = (double)i / (POINTS - 1);
        const struct lct_pi_bounds b =
            lct_pi_bounds(p->base, 2 * p->pairs, at, 0, 1);

        for (int k = 0; k < 3; k++)
            x[k][i] = at;
        y[0][i] = b.printed;
        y[1][i] = b.proved;
        y[2][i] = aligned(p, at) - aligned(p, 0);
    }
    f = lct_lines_figure(&p->lines, FIG_PI_BOUNDS);
    return lct_page_figure(h, s->r, FIG_PI_BOUNDS, &f);
}

/* -------------------------------------------------------------- wavelengths */

/* The critical dimension: a horizontal line beyond the pairs that complete a
   rotation within 'length'. */
static void add_critical(struct plot *p, const struct lct_rope_pair *pair,
                         int64_t length)
{
    const int64_t n = lct_rope_rotating(p->freq, p->pairs, length);
    struct lct_label *label = &p->lines.labels[p->lines.n_labels++];
    char rotating[24], all[24];
    const char *const text[] = { rotating, all };
    double *x, *y;
    locant_series *line = add(p, MSG_NONE, 2, &x, &y);

    snprintf(rotating, sizeof rotating, "%lld", (long long)n);
    snprintf(all, sizeof all, "%lld", (long long)p->pairs);
    lct_messages_label(label, MSG_PAIRS_TURN_ONCE, text);
    lct_figures_label(line, label);
    line->color = 9;
    line->dashed = 1;
    x[0] = pair[0].wavelength;
    x[1] = pair[p->pairs - 1].wavelength;
    y[0] = y[1] = (double)n - .5;
}

static locant_status draw_turns(struct lct_html *h, const struct lct_subject *s,
                                struct plot *p)
{
    static const enum lct_message label[] = { MSG_YARN_KEEPS, MSG_YARN_RAMPS,
                                              MSG_YARN_DIVIDES };
    const double factor = s->view.factor > 0 ? s->view.factor : 4;
    const double length = (double)s->r->trained_length;
    const locant_mark marks[] = {
        { .x = length / BETA, LCT_LABEL(MSG_BETA_TURNS) },
        lct_trained_mark(s->r),
        { .x = factor * length, LCT_LABEL(MSG_EXTENDED) }
    };
    const struct lct_rope_setup setup = { p->base,      factor,
                                          BETA,         ALPHA,
                                          2 * p->pairs, s->r->trained_length };
    struct lct_rope_pair pair[PAIRS];
    locant_figure f;

    if (isnan(p->base) || p->pairs > MOST)
        return LOCANT_OK;
    lct_rope_pairs(pair, &setup);
    for (int k = 0; k < 3; k++) {
        double *x, *y;
        locant_series *line = add(p, label[k], p->pairs, &x, &y);

        line->n = 0;
        line->color = k;
        line->marks = 1;
        for (int64_t j = 0; j < p->pairs; j++) {
            const double g = pair[j].gamma_index;

            if ((g >= 1 ? 0 : g > 0 ? 1 : 2) != k)
                continue;
            x[line->n] = pair[j].wavelength;
            y[line->n++] = (double)j;
        }
        p->lines.n -= line->n == 0; /* no pair of this kind */
    }
    add_critical(p, pair, s->r->trained_length);
    f = lct_lines_figure(&p->lines, FIG_TURNS);
    lct_figures_marks(&f, marks, factor > 1 ? 3 : 2);
    return lct_page_figure(h, s->r, FIG_TURNS, &f);
}

/* ------------------------------------------------------------------- bases */

/* Adds sum cos(m f) by distance m for a base, which the label shows as
   'named'. */
static void add_sums(struct plot *p, const struct lct_subject *s,
                     enum lct_message label, double named, double base)
{
    double freq[PAIRS], *x, *y;

    add(p, MSG_NONE, p->points, &x, &y);
    lct_lines_number(&p->lines, label, round(named));
    lct_rope_frequencies(freq, base, 2 * p->pairs);
    for (int64_t i = 0; i < p->points; i++) {
        const double at = (double)(i * s->r->trained_length / (p->points - 1));

        x[i] = at;
        y[i] = (double)p->pairs *
               lct_rope_expected(LCT_ROPE_ONES, freq, p->pairs, at).mean;
    }
}

/* Rounds to five digits, as many as angles in float determine. */
static double five_digits(double x)
{
    const double unit = pow(10, floor(log10(x)) - 4);

    return round(x / unit) * unit;
}

static locant_status draw_base(struct lct_html *h, const struct lct_subject *s,
                               struct plot *p)
{
    const double least = lct_smallest_base(2 * p->pairs, s->r->trained_length);
    const double length = (double)s->r->trained_length;
    const double fitted = lct_fitted_base(length);
    locant_figure f;
    double *x, *y;

    if (isnan(p->base) || isnan(least) || s->r->trained_length < 2)
        return LOCANT_OK;
    if (s->r->trained_length < p->points)
        p->points = s->r->trained_length + 1;
    add_sums(p, s, MSG_BASE, five_digits(p->base), p->base);
    add_sums(p, s, MSG_SMALLEST_BASE, least, least);
    add_sums(p, s, MSG_BASE_TRAINED_LENGTH, length, length);
    add_sums(p, s, MSG_FITTED_BASE, fitted, fitted);
    add(p, MSG_NONE, 2, &x, &y)->color = 9; /* the line at 0 */
    x[1] = length;
    x[0] = y[0] = y[1] = 0;
    f = lct_lines_figure(&p->lines, FIG_BASE_BOUND);
    return lct_page_figure(h, s->r, FIG_BASE_BOUND, &f);
}

/* Draws a figure with lines and memory of its own. */
static locant_status
draw_lines(struct lct_html *h, const struct lct_subject *s, struct plot *p,
           locant_status (*draw)(struct lct_html *, const struct lct_subject *,
                                 struct plot *))
{
    locant_status status;

    p->points = 129;
    LCT_TRY(lct_lines_make(&p->lines, LINES, LINES, 4 * LINES * MOST));
    status = draw(h, s, p);
    lct_lines_free(&p->lines);
    return status;
}

locant_status lct_draw_rope_theory(struct lct_html *h,
                                   const struct lct_subject *s)
{
    static const struct {
        enum lct_figure_id id;
        locant_status (*draw)(struct lct_html *, const struct lct_subject *,
                              struct plot *);
    } list[] = { { FIG_EXPECTED, draw_expected },
                 { FIG_SU_BOUND, draw_su },
                 { FIG_PI_BOUNDS, draw_pi },
                 { FIG_TURNS, draw_turns },
                 { FIG_BASE_BOUND, draw_base } };
    struct plot p;

    if (s->r->width / s->r->heads < 4 || s->r->trained_length < 1)
        return LOCANT_OK;
    LCT_TRY(lct_subject_own_pairs(p.freq, NULL, &p.pairs, s));
    p.base = base_of(p.freq, p.pairs);
    for (size_t i = 0; i < sizeof list / sizeof list[0] && p.pairs > 0; i++)
        if (lct_page_wants(h, list[i].id))
            LCT_TRY(draw_lines(h, s, &p, list[i].draw));
    return LOCANT_OK;
}
