/*
 * figures_rope.c - what theory predicts from the angles of a rotation: expected
 * scores, bounds, wavelengths and what YaRN keeps of them, sums of cosines.
 * The angles are measured; the formulas are those of src/measure/rope_theory.h.
 */
#include "../measure/rope_theory.h"
#include "page.h"
#include <math.h>
#include <stdio.h>

enum { PAIRS = LCT_SUBJECT_PAIRS, MOST = 257, LINES = 5, BETA = 32, ALPHA = 1 };

struct plot {
    double freq[PAIRS], base; /* base: NAN if angles are not geometric */
    int64_t pairs, points;
    double x[LINES][MOST], y[LINES][MOST], low[LINES][MOST], high[LINES][MOST];
    locant_series line[LINES];
    struct lct_label label[LINES];
    size_t n;
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

static locant_series *add(struct plot *p, enum lct_message label,
                          int64_t points)
{
    const size_t i = p->n++;

    p->line[i] = (locant_series){ LCT_LABEL(label), .n = (size_t)points,
                                  .x = p->x[i],     .y = p->y[i],
                                  .color = (int)i,  .dashed = (int)i };
    return &p->line[i];
}

/* Labels the last line with a message and a number. */
static void add_number(struct plot *p, enum lct_message id, double value)
{
    struct lct_label *label = &p->label[p->n - 1];

    lct_messages_number(label, id, value);
    p->line[p->n - 1].label = label->en;
    p->line[p->n - 1].label_zh = label->zh;
}

static locant_figure figure_of(const struct plot *p, enum lct_figure_id id)
{
    locant_figure f = lct_figures_begin(id);

    f.series = p->line;
    f.n_series = p->n;
    return f;
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
    locant_figure f;

    p->n = 0;
    for (int k = 0; k < 3; k++) {
        locant_series *line = add(p, list[k].label, p->points);

        if (k > 0) {
            line->low = p->low[k];
            line->high = p->high[k];
        }
        for (int64_t i = 0; i < p->points; i++) {
            const double at = distance(p, s, i);
            const struct lct_rope_score e =
                lct_rope_expected(list[k].kind, p->freq, p->pairs, at);

            p->x[k][i] = at;
            p->y[k][i] = e.mean;
            p->low[k][i] = e.mean - e.deviation;
            p->high[k][i] = e.mean + e.deviation;
        }
    }
    add(p, MSG_NONE, p->points);
    add_number(p, MSG_KEY_FOR_DISTANCE, chosen);
    for (int64_t i = 0; i < p->points; i++) {
        p->x[3][i] = distance(p, s, i);
        p->y[3][i] = lct_rope_expected(LCT_ROPE_ONES, p->freq, p->pairs,
                                       p->x[3][i] - chosen)
                         .mean;
    }
    f = figure_of(p, FIG_EXPECTED);
    f.marks = &mark;
    f.n_marks = 1;
    return lct_page_figure(h, s->r, FIG_EXPECTED, &f);
}

static locant_status draw_su(struct lct_html *h, const struct lct_subject *s,
                             struct plot *p)
{
    const locant_mark mark = lct_trained_mark(s->r);
    locant_figure f;

    p->n = 0;
    add(p, MSG_NONE, p->points);
    for (int64_t i = 0; i < p->points; i++) {
        p->x[0][i] = distance(p, s, i);
        p->y[0][i] = lct_rope_su_bound(p->freq, p->pairs, p->x[0][i]);
    }
    f = figure_of(p, FIG_SU_BOUND);
    f.marks = &mark;
    f.n_marks = 1;
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
    locant_figure f;

    if (isnan(p->base))
        return LOCANT_OK;
    p->n = 0;
    add(p, MSG_BOUND_AS_PRINTED, POINTS);
    add(p, MSG_BOUND_BY_SUM, POINTS);
    add(p, MSG_REACHED, POINTS);
    for (int64_t i = 0; i < POINTS; i++) {
        const double at = (double)i / (POINTS - 1);
        const struct lct_pi_bounds b =
            lct_pi_bounds(p->base, 2 * p->pairs, at, 0, 1);

        for (int k = 0; k < 3; k++)
            p->x[k][i] = at;
        p->y[0][i] = b.printed;
        p->y[1][i] = b.proved;
        p->y[2][i] = aligned(p, at) - aligned(p, 0);
    }
    f = figure_of(p, FIG_PI_BOUNDS);
    return lct_page_figure(h, s->r, FIG_PI_BOUNDS, &f);
}

/* -------------------------------------------------------------- wavelengths */

/* A level line that separates the pairs that make at least one full rotation:
   the critical dimension. */
static void add_turning(struct plot *p, const struct lct_rope_pair *pair,
                        int64_t length)
{
    const int64_t n = lct_rope_rotating(p->freq, p->pairs, length);
    const size_t at = p->n;
    char turning[24], all[24];
    const char *const text[] = { turning, all };
    locant_series *line = add(p, MSG_NONE, 2);

    snprintf(turning, sizeof turning, "%lld", (long long)n);
    snprintf(all, sizeof all, "%lld", (long long)p->pairs);
    lct_messages_label(&p->label[at], MSG_PAIRS_TURN_ONCE, text);
    line->label = p->label[at].en;
    line->label_zh = p->label[at].zh;
    line->color = 9;
    line->dashed = 1;
    p->x[at][0] = pair[0].wavelength;
    p->x[at][1] = pair[p->pairs - 1].wavelength;
    p->y[at][0] = p->y[at][1] = (double)n - .5;
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
    p->n = 0;
    for (int k = 0; k < 3; k++) {
        const size_t at = p->n;
        locant_series *line = add(p, label[k], 0);

        line->color = k;
        line->marks = 1;
        for (int64_t j = 0; j < p->pairs; j++) {
            const double g = pair[j].gamma_index;

            if ((g >= 1 ? 0 : g > 0 ? 1 : 2) != k)
                continue;
            p->x[at][line->n] = pair[j].wavelength;
            p->y[at][line->n++] = (double)j;
        }
        p->n -= line->n == 0; /* no pair of this kind */
    }
    add_turning(p, pair, s->r->trained_length);
    f = figure_of(p, FIG_TURNS);
    f.marks = marks;
    f.n_marks = factor > 1 ? 3 : 2;
    return lct_page_figure(h, s->r, FIG_TURNS, &f);
}

/* ------------------------------------------------------------------- bases */

static void add_sums(struct plot *p, const struct lct_subject *s,
                     enum lct_message label, double named, double base)
{
    const size_t k = p->n;
    double freq[PAIRS];

    add(p, MSG_NONE, p->points);
    add_number(p, label, round(named));
    lct_rope_frequencies(freq, base, 2 * p->pairs);
    for (int64_t i = 0; i < p->points; i++) {
        const double at = (double)(i * s->r->trained_length / (p->points - 1));

        p->x[k][i] = at;
        p->y[k][i] = (double)p->pairs *
                     lct_rope_expected(LCT_ROPE_ONES, freq, p->pairs, at).mean;
    }
}

/* Rounds to five digits: angles in float do not tell more. */
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
    const int64_t points = p->points;
    const double fitted = lct_fitted_base(length);
    locant_figure f;
    locant_status status;

    if (isnan(p->base) || isnan(least) || s->r->trained_length < 2)
        return LOCANT_OK;
    if (s->r->trained_length < p->points)
        p->points = s->r->trained_length + 1;
    p->n = 0;
    add_sums(p, s, MSG_BASE, five_digits(p->base), p->base);
    add_sums(p, s, MSG_SMALLEST_BASE, least, least);
    add_sums(p, s, MSG_BASE_TRAINED_LENGTH, length, length);
    add_sums(p, s, MSG_FITTED_BASE, fitted, fitted);
    add(p, MSG_NONE, 2);
    p->x[4][1] = length;
    p->x[4][0] = p->y[4][0] = p->y[4][1] = 0;
    p->line[4].color = 9;
    f = figure_of(p, FIG_BASE_BOUND);
    status = lct_page_figure(h, s->r, FIG_BASE_BOUND, &f);
    p->points = points;
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
    struct plot *p;
    locant_status status = LOCANT_OK;

    if (s->r->width / s->r->heads < 4 || s->r->trained_length < 1)
        return LOCANT_OK;
    p = locant_alloc(sizeof *p);
    if (p == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for a figure");
    status = lct_subject_own_pairs(p->freq, NULL, &p->pairs, s);
    p->base = base_of(p->freq, p->pairs);
    p->points = 129;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (status == LOCANT_OK && p->pairs > 0 &&
            lct_page_wants(h, list[i].id))
            status = list[i].draw(h, s, p);
    locant_release(p);
    return status;
}
