/*
 * figures_rope.c - what theory says of the angles of a rotation: expected
 * scores, bounds, wavelengths and what YaRN keeps of them, sums of cosines.
 * The angles are measured; the formulas are those of src/lab/rope_theory.h.
 */
#include "../measure/rope_theory.h"
#include "page.h"
#include <math.h>
#include <stdio.h>

enum { PAIRS = 512, MOST = 257, LINES = 5, BETA = 32, ALPHA = 1 };

struct plot {
    double freq[PAIRS], base; /* base: NAN where angles are not geometric */
    int64_t pairs, points;
    double x[LINES][MOST], y[LINES][MOST], low[LINES][MOST], high[LINES][MOST];
    locant_series line[LINES];
    size_t n;
};

/* Of angles base^(-j/pairs) the base; each is the one before times the same,
   to what is left of angles that come rounded to float. */
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

static locant_series *add(struct plot *p, const char *label, int64_t points)
{
    const size_t i = p->n++;

    p->line[i] = (locant_series){.label = label, .n = (size_t)points,
                                 .x = p->x[i], .y = p->y[i], .color = (int)i,
                                 .dashed = (int)i};
    return &p->line[i];
}

static locant_figure figure_of(const struct plot *p, const char *name,
                               const char *title, const char *x_label,
                               const char *y_label)
{
    locant_figure f = LOCANT_FIGURE_INIT;

    f.name = name;
    f.title = title;
    f.x_label = x_label;
    f.y_label = y_label;
    f.width = 500;
    f.height = 380;
    f.series = p->line;
    f.n_series = p->n;
    return f;
}

/* Distance i of p->points, up to four times the trained length or as asked. */
static double distance(const struct plot *p, const struct lct_subject *s,
                       int64_t i)
{
    const int64_t far = lct_view_length(s, 4 * s->r->trained_length, 4096);

    return (double)(i * far / (p->points - 1));
}

/* ---------------------------------------------------------- scores, bounds */

static locant_status draw_expected(struct lct_html *h,
                                   const struct lct_subject *s, struct plot *p)
{
    static const struct {
        enum lct_rope_vectors kind;
        const char *label;
    } list[] = {{LCT_ROPE_ONES, "vectors of ones"},
                {LCT_ROPE_INDEPENDENT, "unrelated vectors"},
                {LCT_ROPE_SAME, "equal vectors"}};
    const double chosen = (double)s->r->trained_length;
    const locant_mark mark = lct_trained_mark(s->r);
    char label[48];
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
    snprintf(label, sizeof label, "key made for distance %.0f", chosen);
    add(p, label, p->points);
    for (int64_t i = 0; i < p->points; i++) {
        p->x[3][i] = distance(p, s, i);
        p->y[3][i] = lct_rope_expected(LCT_ROPE_ONES, p->freq, p->pairs,
                                       p->x[3][i] - chosen).mean;
    }
    f = figure_of(p, "expected", "Expected scores", "distance",
                  "score / channels");
    f.marks = &mark;
    f.n_marks = 1;
    return lct_page_figure(
        h, s->r, &f,
        "Expected score by distance: of ones, of unrelated random vectors, and "
        "of equal random vectors, with a standard deviation around it; and the "
        "score of a key that is highest at one distance.",
        "With C = sum cos(s f) over the pairs of d channels: ones 2C/d "
        "(arXiv:2104.09864); unrelated normal vectors 0 at every distance, "
        "deviation 1/sqrt(d) (arXiv:2410.06205, proposition 3.2); a normal "
        "vector and itself 2C/d, deviation 2 sqrt(sum cos^2)/d. Scores decay "
        "with distance between equal vectors, not between unrelated ones; and "
        "for any distance there is a key that scores highest there, the query "
        "turned by it (proposition 3.1).",
        0);
}

static locant_status draw_su(struct lct_html *h, const struct lct_subject *s,
                             struct plot *p)
{
    const locant_mark mark = lct_trained_mark(s->r);
    locant_figure f;

    p->n = 0;
    add(p, NULL, p->points);
    for (int64_t i = 0; i < p->points; i++) {
        p->x[0][i] = distance(p, s, i);
        p->y[0][i] = lct_rope_su_bound(p->freq, p->pairs, p->x[0][i]);
    }
    f = figure_of(p, "su-bound", "Bound of the score", "distance",
                  "mean of |S|");
    f.marks = &mark;
    f.n_marks = 1;
    return lct_page_figure(
        h, s->r, &f, "Upper bound of the score by distance, which falls and "
        "rises again.",
        "(2/d) sum |S_j(s)|, S_j(s) = sum over i < j of e^(i s f_i): what "
        "multiplies the largest step of h in the bound of RoFormer "
        "(arXiv:2104.09864, eq. 37). It does not fall everywhere. Times d it "
        "is 2B(s), the bound of extrapolated scores in PI (arXiv:2306.15595, "
        "eq. 8).",
        0);
}

/* The score of h_j = e^(-i f_j / 2), which is as curved as can be. */
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
    add(p, "bound as printed", POINTS);
    add(p, "bound by the sum", POINTS);
    add(p, "reached", POINTS);
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
    f = figure_of(p, "pi-bounds", "Scores between two positions",
                  "place between two trained positions",
                  "distance from the line between them");
    return lct_page_figure(
        h, s->r, &f, "Two bounds of how far a score is from the line between "
        "those of two neighbouring positions, and a score that goes beyond "
        "the lower one.",
        "Of max |h| = 1: d (s - s1)(s2 - s) / (8 ln c) as printed "
        "(arXiv:2306.15595, theorem 2.1); (s - s1)(s2 - s)/2 sum f^2, of which "
        "the printed one takes less than the sum; and the score of h aligned "
        "in the middle, which lies between them. Interpolated scores stay "
        "near the line all the same: extrapolated ones are bound by 2B(s) "
        "alone.",
        0);
}

/* -------------------------------------------------------------- wavelengths */

/* A level line above the pairs that turn at least once: the critical
   dimension. */
static void add_turning(struct plot *p, const struct lct_rope_pair *pair,
                        char *label, size_t size, int64_t length)
{
    const int64_t n = lct_rope_rotating(p->freq, p->pairs, length);
    const size_t at = p->n;
    locant_series *line;

    snprintf(label, size, "%lld of %lld pairs turn once",
             (long long)n, (long long)p->pairs);
    line = add(p, label, 2);
    line->color = 9;
    line->dashed = 1;
    p->x[at][0] = pair[0].wavelength;
    p->x[at][1] = pair[p->pairs - 1].wavelength;
    p->y[at][0] = p->y[at][1] = (double)n - .5;
}

static locant_status draw_turns(struct lct_html *h, const struct lct_subject *s,
                                struct plot *p)
{
    static const char *const label[] = {"kept by YaRN", "in its ramp",
                                        "divided by YaRN"};
    const double factor = s->view.factor > 0 ? s->view.factor : 4;
    const double length = (double)s->r->trained_length;
    const locant_mark marks[] = {
        {.x = length / BETA, .label = "beta turns"},
        lct_trained_mark(s->r),
        {.x = factor * length, .label = "extended"}};
    const struct lct_rope_setup setup = {p->base, factor, BETA, ALPHA,
                                         2 * p->pairs, s->r->trained_length};
    struct lct_rope_pair pair[PAIRS];
    char turning[64];
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
        p->n -= line->n == 0; /* YaRN leaves none so */
    }
    add_turning(p, pair, turning, sizeof turning, s->r->trained_length);
    f = figure_of(p, "turns", "Wavelengths, and what YaRN does to them",
                  "positions per turn", "pair");
    f.log_x = 1;
    f.marks = marks;
    f.n_marks = factor > 1 ? 3 : 2;
    return lct_page_figure(
        h, s->r, &f, "Wavelength of each pair, coloured by what YaRN does to "
        "it, with the trained and the extended length.",
        "Wavelength 2 pi base^(2j/d). YaRN keeps pairs that turn beta = 32 "
        "times within the trained length, left of the first line, and divides "
        "those that do not turn alpha = 1 times, right of the trained length "
        "(arXiv:2309.00071, section 3.2); between them its ramp is linear in "
        "the pair's index here and ends at whole pairs, as in the authors' "
        "code, where the paper's is linear in turns. Pairs right of the "
        "trained length never turned in training: above the dashed line, "
        "which is called the critical dimension.",
        0);
}

/* ------------------------------------------------------------------- bases */

static void add_sums(struct plot *p, const struct lct_subject *s,
                     const char *label, double base)
{
    const size_t k = p->n;
    double freq[PAIRS];

    add(p, label, p->points);
    lct_rope_frequencies(freq, base, 2 * p->pairs);
    for (int64_t i = 0; i < p->points; i++) {
        const double at = (double)(i * s->r->trained_length / (p->points - 1));

        p->x[k][i] = at;
        p->y[k][i] = (double)p->pairs *
                     lct_rope_expected(LCT_ROPE_ONES, freq, p->pairs, at).mean;
    }
}

/* As many digits as angles that come rounded to float tell. */
static double five_digits(double x)
{
    const double unit = pow(10, floor(log10(x)) - 4);

    return round(x / unit) * unit;
}

static locant_status draw_base(struct lct_html *h, const struct lct_subject *s,
                               struct plot *p)
{
    const double least =
        lct_smallest_base(2 * p->pairs, s->r->trained_length);
    const double length = (double)s->r->trained_length;
    const int64_t points = p->points;
    const double fitted = lct_fitted_base(length);
    char own[40], smallest[40], fit[40];
    locant_figure f;
    locant_status status;

    if (isnan(p->base) || isnan(least) || s->r->trained_length < 2)
        return LOCANT_OK;
    if (s->r->trained_length < p->points)
        p->points = s->r->trained_length + 1;
    snprintf(own, sizeof own, "base %.0f", five_digits(p->base));
    snprintf(smallest, sizeof smallest, "smallest base %.0f", least);
    snprintf(fit, sizeof fit, "fitted base %.0f", fitted);
    p->n = 0;
    add_sums(p, s, own, p->base);
    add_sums(p, s, smallest, least);
    add_sums(p, s, "base of the trained length", length);
    add_sums(p, s, fit, fitted);
    add(p, NULL, 2);
    p->x[4][1] = length;
    p->x[4][0] = p->y[4][0] = p->y[4][1] = 0;
    p->line[4].color = 9;
    f = figure_of(p, "base-bound", "Sum of cosines", "distance",
                  "sum over pairs");
    status = lct_page_figure(
        h, s->r, &f, "Sum of the cosines of all pairs by distance for four "
        "bases; some of them go below zero.",
        "B(m) = sum cos(m f) of the pairs; where it is below 0, unrelated "
        "keys score above equal ones. Men et al. (arXiv:2405.14591) ask that "
        "it be at least 0 within the context; the smallest base is the first "
        "that does of 2, 2.1, 2.205, ..: larger ones may fail again. The "
        "fitted base is 0.0424 L^1.628, their curve for lengths L of 10^3 to "
        "10^6, which knows nothing of the number of channels. A base of the "
        "trained length breaks that rule, and yet has been reported to read "
        "long texts better (Oka et al., ICLR 2026): a rule for finding equal "
        "keys says little about loss.",
        0);
    p->points = points;
    return status;
}

locant_status lct_draw_rope_theory(struct lct_html *h,
                                   const struct lct_subject *s)
{
    static const struct {
        const char *name;
        locant_status (*draw)(struct lct_html *, const struct lct_subject *,
                              struct plot *);
    } list[] = {{"expected", draw_expected}, {"su-bound", draw_su},
                {"pi-bounds", draw_pi}, {"turns", draw_turns},
                {"base-bound", draw_base}};
    struct plot *p;
    locant_status status = LOCANT_OK;

    if (s->r->width / s->r->heads < 4 || s->r->trained_length < 1)
        return LOCANT_OK;
    p = locant_alloc(sizeof *p);
    if (p == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for a figure");
    status = lct_pair_frequencies(p->freq, &p->pairs, s);
    p->base = base_of(p->freq, p->pairs);
    p->points = 129;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (status == LOCANT_OK && p->pairs > 0 &&
            lct_page_wants(h, list[i].name))
            status = list[i].draw(h, s, p);
    locant_release(p);
    return status;
}
