/*
 * picture_circle.c - channel pairs as hands on a circle, and how the scalings
 * of RoPE change their wavelengths.  Both are measured through the public
 * function, by rotating the unit vector of a channel.
 */
#include "page.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HANDS = 5, TRAIL = 16 };

/* ------------------------------------------------------------------ circle */

enum { HAND = 2 + 2 * TRAIL, RIM = 65 };

/* The hand of a pair at 'position', and a dot for each earlier position; NANs
   keep these unconnected.  Returns the number of points. */
static size_t trace(double *x, double *y, int64_t position, double freq,
                    double radius)
{
    size_t n = 0;

    x[n] = y[n] = 0;
    n++;
    for (int64_t t = position; t >= 0 && t >= position - TRAIL; t--) {
        double angle = (double)t * freq;

        if (t < position) {
            x[n] = y[n] = NAN;
            n++;
        }
        x[n] = radius * cos(angle);
        y[n] = radius * sin(angle);
        n++;
    }
    return n;
}

static locant_status show_circle(struct lct_html *h,
                                 const struct lct_subject *s,
                                 locant_series *hands, size_t n,
                                 int64_t position)
{
    locant_figure f = lct_figures_begin(FIG_CIRCLE);
    const int64_t first = position > TRAIL ? position - TRAIL : 0;
    struct lct_label title;
    char from[24];
    const char *const text[] = { from };

    snprintf(from, sizeof from, "%lld", (long long)first);
    lct_messages_number(&title, MSG_CIRCLE_TITLE, (double)position);
    lct_figures_title_filled(&f, &title);
    f.y_min = -1.05;
    f.y_max = 1.05;
    lct_figures_lines(&f, hands, n);
    return lct_page_figure_with(h, s->r, FIG_CIRCLE, &f, MSG_NONE, text, NULL);
}

locant_status lct_draw_circle(struct lct_html *h, const struct lct_subject *s)
{
    double freq[LCT_SUBJECT_PAIRS], x[HANDS][HAND], y[HANDS][HAND], rim[2][RIM];
    int64_t position = s->view.position > 0 ? s->view.position : 8, pairs;
    locant_series hands[HANDS + 1];
    struct lct_label label[HANDS];
    size_t used = 0;

    LCT_TRY(lct_subject_own_pairs(freq, NULL, &pairs, s));
    for (int64_t i = 0; i < HANDS && i < pairs; i++) {
        int64_t p = pairs <= HANDS ? i : i * (pairs - 1) / (HANDS - 1);
        size_t n = trace(x[i], y[i], position, freq[p], 1 - 0.17 * (double)i);

        lct_messages_number(&label[i], MSG_PAIR, (double)p);
        hands[used] =
            lct_figures_line(MSG_NONE, (int64_t)n, x[i], y[i], (int)i);
        lct_figures_label(&hands[used], &label[i]);
        hands[used++].marks = 1;
    }
    for (int i = 0; i < RIM; i++) {
        rim[0][i] = cos(i * 6.28318530717958647692 / (RIM - 1));
        rim[1][i] = sin(i * 6.28318530717958647692 / (RIM - 1));
    }
    hands[used] = lct_figures_line(MSG_NONE, RIM, rim[0], rim[1], 9);
    hands[used].dashed = 2;
    return used == 0 ? LOCANT_OK : show_circle(h, s, hands, used + 1, position);
}

/* ---------------------------------------------------------------- scalings */

/* Writes the spec with 'scaling' added.  false: the encoding has no such key,
   the spec sets it or lists frequencies, is a sum, or it does not fit. */
static bool scaled(char *out, size_t size, const char *name, const char *spec,
                   const char *scaling)
{
    locant_key_info key;
    bool has = false;
    size_t n = strlen(spec);

    for (int i = 0; !has && locant_encoding_key(&key, name, i); i++)
        has = strcmp(key.name, "scaling") == 0;
    if (!has || strstr(spec, "scaling=") || strstr(spec, "freqs=") ||
        strchr(spec, '+'))
        return false;
    if (n > 0 && spec[n - 1] == ')')
        return snprintf(out, size, "%.*s,scaling=%s)", (int)n - 1, spec,
                        scaling) < (int)size;
    return snprintf(out, size, "%s(scaling=%s)", spec, scaling) < (int)size;
}

enum { PLAIN, LINEAR, NTK, YARN, SCALINGS };

struct scalings {
    double freq[SCALINGS][LCT_SUBJECT_PAIRS];
    int64_t pairs;
    double factor, trained;
};

/* The frequencies under each scaling; pairs is 0 if the encoding has none. */
static locant_status try_scalings(struct scalings *w,
                                  const struct lct_subject *s)
{
    const char *spec = locant_encoding_spec(s->e);
    const char *name = locant_encoding_info_of(s->e)->name;
    int64_t pairs;

    LCT_TRY(lct_subject_own_pairs(w->freq[PLAIN], NULL, &w->pairs, s));
    for (int i = 1; i < SCALINGS && w->pairs > 0; i++) {
        char text[400], scaling[120];
        locant_encoding *e;
        locant_status status;

        if (i == YARN)
            snprintf(scaling, sizeof scaling, "yarn(factor=%.9g,original=%.0f)",
                     w->factor, w->trained);
        else
            snprintf(scaling, sizeof scaling, "%s(factor=%.9g)",
                     i == LINEAR ? "linear" : "ntk", w->factor);
        if (!scaled(text, sizeof text, name, spec, scaling)) {
            w->pairs = 0;
            return LOCANT_OK;
        }
        LCT_TRY(locant_encoding_create(&e, text));
        status = lct_subject_pairs(w->freq[i], NULL, &pairs, s, e, NULL, 1);
        locant_encoding_free(e);
        LCT_TRY(status);
        w->pairs = pairs < w->pairs ? pairs : w->pairs;
    }
    return LOCANT_OK;
}

static locant_status show_scalings(struct lct_html *h,
                                   const struct lct_subject *s,
                                   const struct scalings *w)
{
    static const char *const label[SCALINGS] = { NULL, "PI", "NTK", "YaRN" };
    double x[SCALINGS][LCT_SUBJECT_PAIRS], pair[LCT_SUBJECT_PAIRS];
    locant_mark marks[2] = { lct_trained_mark(s->r),
                             { .x = w->factor * w->trained,
                               LCT_LABEL(MSG_EXTENDED) } };
    locant_series series[SCALINGS];
    locant_figure f = lct_figures_begin(FIG_SCALINGS);
    struct lct_label title;

    for (int i = 0; i < SCALINGS; i++) {
        for (int64_t p = 0; p < w->pairs; p++) {
            x[i][p] = 2 * 3.14159265358979323846 / w->freq[i][p];
            pair[p] = (double)p;
        }
        series[i] = lct_figures_line(i == PLAIN ? MSG_AS_TRAINED : MSG_NONE,
                                     w->pairs, x[i], pair, i);
        if (i != PLAIN)
            series[i].label = label[i];
        series[i].marks = 1;
        series[i].dashed = i;
    }
    lct_messages_number(&title, MSG_SCALINGS_TITLE, w->factor);
    lct_figures_title_filled(&f, &title);
    lct_figures_lines(&f, series, SCALINGS);
    lct_figures_marks(&f, marks, w->factor > 1 ? 2 : 1);
    return lct_page_figure(h, s->r, FIG_SCALINGS, &f);
}

/* gamma of YaRN: 1 keeps a pair's frequency, 0 divides it by the factor. */
static locant_status show_ramps(struct lct_html *h, const struct lct_subject *s,
                                const struct scalings *w)
{
    double turns[LCT_SUBJECT_PAIRS], index[LCT_SUBJECT_PAIRS];
    double pair[LCT_SUBJECT_PAIRS];
    locant_series series[2];
    locant_figure f = lct_figures_begin(FIG_RAMPS);

    if (!(w->factor > 1))
        return LOCANT_OK;
    for (int64_t p = 0; p < w->pairs; p++) {
        double r = w->trained * w->freq[PLAIN][p] / 6.28318530717958647692;

        pair[p] = (double)p;
        turns[p] = fmin(fmax((r - 1) / (32 - 1), 0), 1);
        index[p] = (w->freq[YARN][p] / w->freq[PLAIN][p] - 1 / w->factor) /
                   (1 - 1 / w->factor);
    }
    series[0] = lct_figures_line(MSG_LINEAR_IN_INDEX, w->pairs, pair, index, 3);
    series[1] = lct_figures_line(MSG_LINEAR_IN_TURNS, w->pairs, pair, turns, 9);
    series[0].marks = series[1].marks = series[1].dashed = 1;
    lct_figures_lines(&f, series, 2);
    return lct_page_figure(h, s->r, FIG_RAMPS, &f);
}

locant_status lct_draw_scalings(struct lct_html *h, const struct lct_subject *s)
{
    struct scalings w = { .factor = s->view.factor > 0 ? s->view.factor : 4,
                          .trained = (double)s->r->trained_length };

    LCT_TRY(try_scalings(&w, s));
    if (w.pairs == 0)
        return LOCANT_OK;
    LCT_TRY(show_scalings(h, s, &w));
    return show_ramps(h, s, &w);
}
