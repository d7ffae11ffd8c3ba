/* page_figures.c - the measured curves: loss by length, by position, by step */
#include "../figure/data.h"
#include "../figure/figure.h"
#include "../figure/inline.h"
#include "figures.h"
#include "lines.h"
#include "page.h"
#include "page_script.h"
#include "html_message.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

locant_mark lct_trained_mark(const struct lct_results *r)
{
    return (locant_mark){ .x = (double)r->trained_length,
                          LCT_LABEL(MSG_TRAINED_LENGTH) };
}

bool lct_page_wants(const struct lct_html *h, enum lct_figure_id id)
{
    return h->taker == NULL || h->taker->id == id;
}

/* ------------------------------------------------------------- any figure */

/* A caption and the sentences at its end. */
enum { PARTS = 3 };
static void find_parts(enum lct_message parts[PARTS], enum lct_message caption,
                       int origin)
{
    parts[0] = caption;
    parts[1] = origin & LCT_GENERATED ? MSG_ON_GENERATED_TEXT : MSG_NONE;
    parts[2] = origin & LCT_MEASURED  ? MSG_MEASURED_HERE
               : origin & LCT_TRAINED ? MSG_TRAINED_HERE
               : origin & LCT_OF_TASK ? MSG_ON_THIS_TASK
                                      : MSG_NONE;
}

/* Passes a figure to the caller.  Its caption omits the model size. */
static locant_status give_figure(struct lct_html *h, const locant_figure *f,
                                 enum lct_message alt,
                                 const enum lct_message parts[PARTS],
                                 const char *const *text)
{
    const enum lct_language language = h->taker->language;
    char caption[LCT_MESSAGE_BYTES];
    int n;

    lct_messages_fill(caption, sizeof caption,
                      lct_messages_of(parts[0], language, h->tokens), text);
    n = (int)strlen(caption);
    if (parts[1])
        lct_messages_fill(caption + n, (int)sizeof caption - n,
                          lct_messages_text(parts[1], language), NULL);
    ++*h->taker->taken;
    return h->taker->take(f, lct_messages_of(alt, language, h->tokens), caption,
                          h->taker->context);
}

/* Keeps the numbers of a drawn figure for lct_page_script(). */
static locant_status keep_numbers(struct lct_html *h, const locant_figure *f)
{
    if (!h->figures || lct_page_bundle_size == 0)
        return LOCANT_OK;
    lct_html_raw(h->figures, h->figures->size ? ",\n" : "");
    return lct_figure_data(h->figures, f, true);
}

/* Name tokens in a text of a figure, unless it is not that of 'id'. */
static void name_tokens(const char **en, const char **zh, enum lct_message id)
{
    if (id == MSG_NONE || *en != lct_messages_text(id, LCT_EN))
        return;
    *en = lct_messages_of(id, LCT_EN, true);
    *zh = lct_messages_of(id, LCT_ZH, true);
}

locant_status lct_page_figure_with(struct lct_html *h,
                                   const struct lct_results *r,
                                   enum lct_figure_id id,
                                   const locant_figure *drawn,
                                   enum lct_message caption,
                                   const char *const *text, const char *at)
{
    const struct lct_figure_row *row = &lct_figures[id];
    locant_figure named = *drawn, *const f = &named;
    enum lct_message parts[PARTS];

    if (h->tokens) {
        name_tokens(&f->title, &f->title_zh, row->title);
        name_tokens(&f->x_label, &f->x_label_zh, row->x_label);
        name_tokens(&f->y_label, &f->y_label_zh, row->y_label);
    }
    find_parts(parts, caption ? caption : row->caption, row->origin);
    if (!lct_page_wants(h, id))
        return LOCANT_OK;
    if (h->taker)
        return give_figure(h, f, row->alt, parts, text);
    lct_html_raw(h, f->width > 600 ? "<figure class=\"wide\">" : "<figure>");
    LCT_TRY(lct_figure_inline(h, f,
                              lct_messages_of(row->alt, LCT_EN, h->tokens),
                              lct_messages_of(row->alt, LCT_ZH, h->tokens)));
    LCT_TRY(keep_numbers(h, f));
    lct_html_raw(h, "<figcaption>");
    lct_html_message_all(h, r, at, parts, PARTS, text);
    lct_page_data(h, r, f);
    lct_html_raw(h, "</figcaption></figure>\n");
    return lct_html_status(h);
}

locant_status lct_page_figure(struct lct_html *h, const struct lct_results *r,
                              enum lct_figure_id id, const locant_figure *f)
{
    return lct_page_figure_with(h, r, id, f, MSG_NONE, NULL, "");
}

/* ------------------------------------------------------- loss by length */

/* A horizontal grey line from x = first to last. */
static locant_series *add_level(struct lct_lines *l, double first, double last,
                                double level)
{
    locant_series *s = lct_lines_grey(l, 2);
    double *at = lct_lines_points(l, s);

    at[0] = first;
    at[1] = last;
    at[2] = at[3] = level;
    return s;
}

enum { N = LOCANT_EVAL_LENGTHS };

static double length_at(const struct lct_results *r, int k)
{
    return (double)lct_length(r, k);
}

/* Loss by length of group i, with its band, and with its own window. */
static void add_group(struct lct_lines *l, const struct lct_results *r,
                      size_t i)
{
    locant_series *s = lct_lines_losses(l, r, i, "loss");
    double *low = lct_lines_take(l, 2 * N), *high = low + N;

    for (int k = 0; k < N; k++) {
        const long long length = lct_length(r, k);

        low[k] = lct_page_value(r, "rows.%zu.loss.%lld.low", i, length);
        high[k] = lct_page_value(r, "rows.%zu.loss.%lld.high", i, length);
    }
    s->label = r->groups[i].spec;
    s->low = low;
    s->high = high;
    add_level(l, s->x[0], s->x[N - 1],
              lct_page_value(r, "rows.%zu.own_window", i))
        ->color = s->color;
}

/* The n-gram whose cache holds as much text as a model reads. */
static void add_cache(struct lct_lines *l, const struct lct_results *r)
{
    locant_series *s = lct_lines_grey(l, N);
    double *x = lct_lines_points(l, s), *y = x + N;

    for (int k = 0; k < N; k++) {
        x[k] = length_at(r, k);
        y[k] = lct_page_value(r, "cache.%lld", (long long)lct_length(r, k));
    }
    lct_lines_name(l, MSG_NGRAM_WITH_CACHE);
    if (!isfinite(y[0]))
        l->n--;
}

/* References: the n-grams, and an entry that explains dashed lines. */
static void add_references(struct lct_lines *l, const struct lct_results *r)
{
    for (int k = 0; k < 2; k++) {
        const double loss = lct_page_value(r, "ngrams.%d.loss", k);
        char order[24];

        if (!(loss > 0))
            continue;
        add_level(l, length_at(r, 0), length_at(r, N - 1), loss);
        snprintf(order, sizeof order, "%d", r->ngram_order[k]);
        lct_lines_label(l, MSG_NGRAM, order);
    }
    add_cache(l, r);
    lct_lines_dashed(l, length_at(r, 0), MSG_DASHED_OWN_WINDOW);
}

/*
 * The range of the close-up: from just below the lowest loss of a model to 0.24
 * nats above the lowest loss at the trained length.  Most encodings lie there.
 */
static void close_frame(locant_figure *f)
{
    double least = INFINITY, first = INFINITY;

    for (size_t i = 0; i < f->n_series; i++) {
        const locant_series *s = &f->series[i];
        for (size_t k = 0; k < s->n && s->color != LCT_GREY; k++)
            least = s->y[k] < least ? s->y[k] : least;
        if (s->marks && s->y[0] < first)
            first = s->y[0];
    }
    if (isfinite(least) && isfinite(first)) {
        f->y_min = least - 0.03;
        f->y_max = first + 0.24;
    }
}

/* A figure over lengths or positions, with a mark at the trained length. */
static locant_status put_lines(struct lct_html *h, const struct lct_results *r,
                               enum lct_figure_id id, const struct lct_lines *l)
{
    locant_mark mark = lct_trained_mark(r);
    locant_figure f = lct_lines_figure(l, id);

    lct_figures_marks(&f, &mark, 1);
    if (id == FIG_CLOSE_UP)
        close_frame(&f);
    if (id == FIG_LENGTH && !h->taker) { /* beside the table of the summary */
        f.width = 640;
        f.height = 440;
    }
    return lct_page_figure(h, r, id, &f);
}

locant_status lct_page_lengths(struct lct_html *h, const struct lct_results *r,
                               enum lct_figure_id id)
{
    struct lct_lines l;
    locant_status status = LOCANT_OK;

    if (r->n > 100)
        return locant_fail(LOCANT_ERR_PARAM,
                           "report: %zu encodings, expected at most 100", r->n);
    LCT_TRY(lct_lines_make(&l, 2 * r->n + 4, 2, (4 * N + 4) * (r->n + 4)));
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].n)
            add_group(&l, r, i);
    if (l.n > 0) {
        add_references(&l, r);
        status = put_lines(h, r, id, &l);
    }
    lct_lines_free(&l);
    return status;
}

locant_status lct_page_close_up(struct lct_html *h, const struct lct_results *r)
{
    return lct_page_lengths(h, r, FIG_CLOSE_UP);
}

locant_status lct_page_positions(struct lct_html *h,
                                 const struct lct_results *r)
{
    enum { BUCKETS = LOCANT_EVAL_BUCKETS };
    struct lct_lines l;
    locant_status status;

    LCT_TRY(lct_lines_make(&l, r->n, 0, 2 * (size_t)BUCKETS * r->n));
    for (size_t i = 0; i < r->n; i++) {
        const struct lct_group *g = &r->groups[i];
        locant_series *s;
        double *x, width;

        if (g->n == 0)
            continue;
        s = lct_lines_add(&l, BUCKETS, i);
        x = lct_lines_points(&l, s);
        width = (double)g->results[0].eval.length[N - 1] / BUCKETS;
        for (int k = 0; k < BUCKETS; k++) {
            x[k] = (k + 0.5) * width;
            x[BUCKETS + k] = lct_page_value(r, "rows.%zu.by_position.%d", i, k);
        }
        s->label = g->spec;
    }
    status = l.n == 0 ? LOCANT_OK : put_lines(h, r, FIG_POSITION, &l);
    lct_lines_free(&l);
    return status;
}

/* --------------------------------------------------------- over training */

/* The mean of 'key' over spans of steps of a run, if the run has it. */
static void add_run(struct lct_lines *l, const struct lct_results *r, size_t i,
                    size_t run, const char *key)
{
    const size_t steps = r->groups[i].results[run].n_steps;
    const size_t n = steps < LCT_CURVE_POINTS ? steps : LCT_CURVE_POINTS;
    locant_series *s = lct_lines_add(l, n, i);
    double *x = lct_lines_points(l, s);

    for (size_t p = 0; p < n; p++) {
        x[p] = lct_page_value(r, "rows.%zu.runs.%zu.curve.step.%zu", i, run, p);
        x[n + p] =
            lct_page_value(r, "rows.%zu.runs.%zu.curve.%s.%zu", i, run, key, p);
    }
    s->label = run == 0 ? r->groups[i].spec : NULL;
    s->dashed = run > 0;
    if (n == 0 || !isfinite(x[2 * n - 1]))
        l->n--;
}

static locant_status draw_course(struct lct_html *h,
                                 const struct lct_results *r,
                                 enum lct_figure_id id, const char *key)
{
    locant_figure f;
    struct lct_lines l;
    size_t runs = 0;
    locant_status status = LOCANT_OK;

    if (!lct_page_wants(h, id))
        return LOCANT_OK;
    for (size_t i = 0; i < r->n; i++)
        runs += r->groups[i].n;
    LCT_TRY(lct_lines_make(&l, runs, 0, 2 * LCT_CURVE_POINTS * runs));
    for (size_t i = 0; i < r->n; i++)
        for (size_t run = 0; run < r->groups[i].n; run++)
            add_run(&l, r, i, run, key);
    f = lct_lines_figure(&l, id);
    if (l.n > 0)
        status = lct_page_figure(h, r, id, &f);
    lct_lines_free(&l);
    return status;
}

locant_status lct_page_training(struct lct_html *h, const struct lct_results *r)
{
    LCT_TRY(draw_course(h, r, FIG_TRAINING, "loss"));
    lct_html_raw(h, "<div class=\"grid\">\n");
    LCT_TRY(draw_course(h, r, FIG_GRADIENT, "gradient_norm"));
    LCT_TRY(draw_course(h, r, FIG_GRADIENT_OWN, "encoding_gradient_norm"));
    lct_html_raw(h, "</div>\n");
    return lct_html_status(h);
}
