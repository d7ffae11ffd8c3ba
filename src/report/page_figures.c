/* page_figures.c - the measured curves: loss by length, by position, by step */
#include "../core/size.h"
#include "../figure/inline.h"
#include "page.h"
#include "page_script.h"
#include "words.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

locant_mark lct_trained_mark(const struct lct_results *r)
{
    return (locant_mark){ .x = (double)r->trained_length,
                          .label = "trained length" };
}

bool lct_page_wants(const struct lct_html *h, const char *name)
{
    return h->taker == NULL || strcmp(h->taker->name, name) == 0;
}

static locant_status put_figure(struct lct_html *h, const struct lct_results *r,
                                const locant_figure *f, const char *alt,
                                const char *caption, int measured)
{
    const char *const said[] = {
        caption, measured == LCT_TRAINED_HERE
                     ? " Trained on this corpus, at {model.parameters:M} "
                       "parameters."
                     : " On this corpus, at {model.parameters:M} parameters." };

    char zh[LCT_WORD_BYTES];

    lct_html_raw(h, f->width > 600 ? "<figure class=\"wide\">" : "<figure>");
    LCT_TRY(lct_figure_inline(h, f, alt, lct_word_zh(zh, sizeof zh, alt) ? zh : NULL));
    LCT_TRY(lct_page_keep(h, f));
    lct_html_raw(h, "<figcaption>");
    lct_page_say_all(h, r, said, measured ? 2 : 1, NULL);
    lct_page_data(h, f);
    lct_html_raw(h, "</figcaption></figure>\n");
    return lct_html_status(h);
}

locant_status lct_page_figure(struct lct_html *h, const struct lct_results *r,
                              const locant_figure *f, const char *alt,
                              const char *caption, int measured)
{
    struct lct_translated t;
    locant_status status;

    if (h->taker && (f->name == NULL || !lct_page_wants(h, f->name)))
        return LOCANT_OK;
    LCT_TRY(lct_translate(&t, f));
    if (h->taker) {
        ++*h->taker->taken;
        status = h->taker->take(&t.f, alt, caption, h->taker->context);
    } else {
        status = put_figure(h, r, &t.f, alt, caption, measured);
    }
    locant_release(t.series);
    return status;
}

/* Series and their numbers, in two allocations. */
struct lines {
    locant_series *series;
    size_t n, most;
    double *numbers;
    size_t used, room;
};

static locant_status make_lines(struct lines *l, size_t series, size_t numbers)
{
    size_t bytes;

    *l = (struct lines){ .most = series, .room = numbers };
    LCT_TRY(lct_page_numbers(&l->numbers, numbers));
    l->series = lct_mul(&bytes, series, sizeof *l->series)
                    ? locant_alloc(bytes)
                    : NULL;
    if (!l->series) {
        locant_release(l->numbers);
        l->numbers = NULL;
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for %zu lines",
                           series);
    }
    return LOCANT_OK;
}

static void free_lines(struct lines *l)
{
    locant_release(l->series);
    locant_release(l->numbers);
}

static double *take(struct lines *l, size_t n)
{
    double *p = l->numbers + l->used;

    l->used += n;
    return p;
}

static int color_of(size_t group)
{
    return (int)(group % LCT_GREY);
}

/* Solid while colours last, then the dashes that no reference line has. */
static int dash_of(size_t group)
{
    size_t round = group / LCT_GREY;

    return round == 0 ? 0 : 2 + (int)((round - 1) % (LCT_DASHES - 2));
}

/* A level line between the ends of x. */
static void add_level(struct lines *l, const double *x, size_t n, double level,
                      int color, const char *label)
{
    double *at = take(l, 4);

    at[0] = x[0];
    at[1] = x[n - 1];
    at[2] = at[3] = level;
    l->series[l->n++] = (locant_series){ .label = label, .n = 2, .x = at,
                                         .y = at + 2, .dashed = 1,
                                         .color = color };
}

/* Loss by length of group i, with its band and its own window. */
static void add_group(struct lines *l, const struct lct_results *r, size_t i)
{
    enum { N = LOCANT_EVAL_LENGTHS };
    double *x = take(l, N), *y = take(l, N), *low = take(l, N),
           *high = take(l, N);

    for (int k = 0; k < N; k++) {
        const long long length = lct_length(r, k);

        x[k] = (double)length;
        y[k] = lct_page_value(r, "rows.%zu.loss.%lld.mean", i, length);
        low[k] = lct_page_value(r, "rows.%zu.loss.%lld.low", i, length);
        high[k] = lct_page_value(r, "rows.%zu.loss.%lld.high", i, length);
    }
    l->series[l->n++] = (locant_series){ .label = r->groups[i].spec, .n = N,
                                         .x = x, .y = y, .low = low,
                                         .high = high, .marks = 1,
                                         .dashed = dash_of(i),
                                         .color = color_of(i) };
    add_level(l, x, N, LCT_BITS * lct_page_value(r, "rows.%zu.own_window", i),
              color_of(i), NULL);
}

locant_series lct_page_dashed(double nowhere[2], double x, const char *label)
{
    nowhere[0] = x;
    nowhere[1] = NAN;
    return (locant_series){ .label = label, .n = 1, .x = nowhere,
                            .y = nowhere + 1, .dashed = 1, .color = LCT_GREY };
}

/* The n-gram that remembers as much as a model reads. */
static void add_cache(struct lines *l, const struct lct_results *r)
{
    enum { N = LOCANT_EVAL_LENGTHS };
    double *x = take(l, N), *y = take(l, N);

    for (int k = 0; k < N; k++) {
        x[k] = (double)lct_length(r, k);
        y[k] = lct_page_value(r, "cache.%lld", (long long)lct_length(r, k));
    }
    if (isfinite(y[0]))
        l->series[l->n++] = (locant_series){ .label = "n-gram with cache",
                                             .n = N, .x = x, .y = y,
                                             .dashed = 1, .color = LCT_GREY };
}

/*
 * A frame for the close view: from the lowest loss of a model to 0.35 bits
 * above the lowest at the trained length, where most encodings lie.
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
        f->y_min = least - 0.04;
        f->y_max = first + 0.35;
    }
}

static locant_status write_headline(struct lct_html *h,
                                    const struct lct_results *r,
                                    const struct lines *l)
{
    locant_mark mark = lct_trained_mark(r);
    locant_figure f = LOCANT_FIGURE_INIT;

    f.name = "length";
    f.title = "Loss on the same targets, by length of context";
    f.x_label = "context length (bytes)";
    f.y_label = "loss (bits/byte)";
    f.log_x = 1;
    f.width = 820;
    f.height = 470;
    f.series = l->series;
    f.n_series = l->n;
    f.marks = &mark;
    f.n_marks = 1;
    LCT_TRY(lct_page_figure(
        h, r, &f,
        "Curves of loss in bits per byte against context length, one per "
        "encoding; the numbers are in the table below.",
        "Every point scores the same 64 targets of every block; only the text "
        "before them grows. Bands: 95 % bootstrap over seeds and blocks. "
        "Dashed: the same model reading through a sliding window of its "
        "trained length. The n-grams are of bytes, counted on the training "
        "text. A line that stops is undefined beyond.",
        1));
    close_frame(&f);
    f.name = "close-up";
    f.title = "The same, close up";
    return lct_page_figure(
        h, r, &f, "The same curves, cut off above the trained loss plus 0.35.",
        "The same lines; those that leave the frame go on in the figure above.",
        1);
}

locant_status lct_page_headline(struct lct_html *h, const struct lct_results *r)
{
    char label[2][32];
    struct lines l;
    locant_status status = LOCANT_OK;

    if (r->n > 100)
        return locant_fail(LOCANT_ERR_PARAM,
                           "report: %zu encodings, expected at most 100", r->n);
    LCT_TRY(make_lines(&l, 2 * r->n + 4,
                       (4 * LOCANT_EVAL_LENGTHS + 4) * r->n + 20));
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].n)
            add_group(&l, r, i);
    for (int k = 0; k < 2 && l.n > 0; k++) {
        snprintf(label[k], sizeof label[k], "n-gram, order %d",
                 r->ngram_order[k]);
        if (isfinite(r->ngram[k]) && r->ngram[k] > 0)
            add_level(&l, l.series[0].x, l.series[0].n, r->ngram[k] * LCT_BITS,
                      LCT_GREY, label[k]);
    }
    if (l.n > 0) {
        add_cache(&l, r);
        l.series[l.n] = lct_page_dashed(take(&l, 2), l.series[0].x[0],
                                        "dashed: own window");
        l.n++;
        status = write_headline(h, r, &l);
    }
    free_lines(&l);
    return status;
}

locant_status lct_page_positions(struct lct_html *h,
                                 const struct lct_results *r)
{
    enum { N = LOCANT_EVAL_BUCKETS };
    locant_mark mark = lct_trained_mark(r);
    locant_figure f = LOCANT_FIGURE_INIT;
    struct lines l;
    double width = 0;
    locant_status status;

    LCT_TRY(make_lines(&l, r->n, 2 * (size_t)N * r->n));
    for (size_t i = 0; i < r->n; i++) {
        const struct lct_group *g = &r->groups[i];
        double *x = take(&l, N), *y = take(&l, N);
        if (g->n == 0)
            continue;
        width = (double)g->results[0].eval.length[LOCANT_EVAL_LENGTHS - 1] / N;
        for (int k = 0; k < N; k++) {
            x[k] = (k + 0.5) * width;
            y[k] = lct_page_value(r, "rows.%zu.by_position.%d", i, k);
        }
        l.series[l.n++] = (locant_series){ .label = g->spec, .n = N, .x = x,
                                           .y = y, .dashed = dash_of(i),
                                           .color = color_of(i) };
    }
    f.name = "position";
    f.title = "Loss by position in one long text";
    f.x_label = "position (bytes from the start)";
    f.y_label = "loss (bits/byte)";
    f.log_x = 1;
    f.width = 820;
    f.height = 430;
    f.series = l.series;
    f.n_series = l.n;
    f.marks = &mark;
    f.n_marks = 1;
    status = l.n == 0 ? LOCANT_OK
                      : lct_page_figure(
                            h, r, &f,
                            "Curves of loss against position, one per "
                            "encoding, with the trained length marked.",
                            "One pass over the longest context; each point is "
                            "the mean of a bucket of neighbouring positions "
                            "over all blocks and seeds. Early positions have "
                            "little text to go by: there curves fall.",
                            1);
    free_lines(&l);
    return status;
}

/* Means over spans of steps of each run, where it has them. */
static void add_training(struct lines *l, const struct lct_results *r,
                         const char *key)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++) {
            const size_t steps = r->groups[i].results[s].n_steps;
            const size_t n = steps < LCT_CURVE_POINTS ? steps
                                                      : LCT_CURVE_POINTS;
            double *x = take(l, LCT_CURVE_POINTS);
            double *y = take(l, LCT_CURVE_POINTS);
            for (size_t p = 0; p < n; p++) {
                x[p] = lct_page_value(r, "rows.%zu.runs.%zu.curve.step.%zu", i,
                                      s, p);
                y[p] = lct_page_value(r, "rows.%zu.runs.%zu.curve.%s.%zu", i,
                                      s, key, p);
            }
            if (n > 0 && isfinite(y[n - 1]))
                l->series[l->n++] = (locant_series){
                    .label = s == 0 ? r->groups[i].spec : NULL, .n = n, .x = x,
                    .y = y, .dashed = s > 0, .color = color_of(i) };
        }
}

/* A curve over steps for each run. */
struct course {
    const char *key; /* of the curves in the document of numbers */
    const char *name, *title, *y_label, *alt, *caption;
    int width, height;
};

static const struct course courses[] = {
    { "loss", "training", "Training loss", "loss (bits/byte)",
      "Curves of training loss against step, one per run.",
      "Each run, averaged over neighbouring steps; solid the first seed, "
      "dashed the others. All encodings see the same batches.", 820, 400 },
    { "gradient_norm", "gradient", "Norm of the gradient",
      "norm before clipping",
      "Curves of the norm of the gradient against step, one per run.",
      "Of all parameters, before it is clipped to 1; averaged over "
      "neighbouring steps; solid the first seed, dashed the others.", 460,
      360 },
    { "encoding_gradient_norm", "gradient-own",
      "Norm of the gradient of the encoding's parameters",
      "norm before clipping",
      "Curves of the norm of the gradient of the encoding's own parameters "
      "against step, one per run that has some.",
      "Of the parameters that the encoding adds, before clipping; averaged "
      "over neighbouring steps; solid the first seed, dashed the others. An "
      "encoding without parameters has no curve.", 460, 360 },
};

static locant_status draw_course(struct lct_html *h,
                                 const struct lct_results *r,
                                 const struct course *c)
{
    locant_figure f = LOCANT_FIGURE_INIT;
    struct lines l;
    size_t runs = 0;
    locant_status status = LOCANT_OK;

    if (!lct_page_wants(h, c->name))
        return LOCANT_OK;
    for (size_t i = 0; i < r->n; i++)
        runs += r->groups[i].n;
    LCT_TRY(make_lines(&l, runs, 2 * LCT_CURVE_POINTS * runs));
    add_training(&l, r, c->key);
    f.name = c->name;
    f.title = c->title;
    f.x_label = "step";
    f.y_label = c->y_label;
    f.width = c->width;
    f.height = c->height;
    f.series = l.series;
    f.n_series = l.n;
    if (l.n > 0)
        status = lct_page_figure(h, r, &f, c->alt, c->caption, 1);
    free_lines(&l);
    return status;
}

locant_status lct_page_training(struct lct_html *h, const struct lct_results *r)
{
    LCT_TRY(draw_course(h, r, &courses[0]));
    lct_html_raw(h, "<div class=\"grid\">\n");
    LCT_TRY(draw_course(h, r, &courses[1]));
    LCT_TRY(draw_course(h, r, &courses[2]));
    lct_html_raw(h, "</div>\n");
    return lct_html_status(h);
}
