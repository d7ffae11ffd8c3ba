/*
 * figures_probe.c - what the trained models do: figures of what probes found,
 * a curve or a row of dots for each encoding.
 */
#include "../figure/figure.h"
#include "page.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_POINTS = 256 };

/* n points of a probe; 0: it has none. */
typedef size_t (*points_fn)(double *x, double *y, const json_t *probe);

struct picture {
    const char *name;
    locant_figure_kind kind;
    int log_x, trained; /* trained: the trained length is marked */
    const char *title, *x_label, *y_label, *alt, *caption;
    points_fn points;
    points_fn before;   /* of the parameters before training; or NULL */
    points_fn reference; /* a grey line of that label; or NULL */
    const char *reference_label;
};

/* ------------------------------------------------------------------ reading */

static double real_of(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* probe.attention.which */
static const json_t *sweep_of(const json_t *probe, const char *which)
{
    return json_object_get(json_object_get(probe, "attention"), which);
}

/* Where a run was not measured beyond its trained length: there. */
static const json_t *longest_of(const json_t *probe)
{
    const json_t *far = sweep_of(probe, "long");

    return far ? far : sweep_of(probe, "trained");
}

/* y[k] = mean over heads of list[k]; how many there are. */
static size_t mean_of_lists(double *y, const json_t *sweep, const char *list)
{
    const json_t *heads = json_object_get(sweep, "heads"), *head;
    const double count = (double)json_array_size(heads);
    size_t n = 0, i;

    json_array_foreach(heads, i, head) {
        const json_t *values = json_object_get(head, list), *value;
        size_t k;

        n = json_array_size(values) < MOST_POINTS ? json_array_size(values)
                                                  : MOST_POINTS;
        json_array_foreach(values, k, value)
            if (k < n)
                y[k] = (i == 0 ? 0 : y[k]) + real_of(value) / count;
    }
    return n;
}

/* One value of each head. */
static size_t of_heads(double *y, const json_t *sweep, const char *key)
{
    const json_t *heads = json_object_get(sweep, "heads"), *head;
    size_t i, n = 0;

    json_array_foreach(heads, i, head)
        if (n < MOST_POINTS)
            y[n++] = real_of(json_object_get(head, key));
    return n;
}

/* ------------------------------------------------------------------- points */

static size_t entropy(double *x, double *y, const json_t *probe)
{
    const json_t *sweep = longest_of(probe);
    const json_t *rows = json_object_get(sweep, "rows");
    const size_t n = mean_of_lists(y, sweep, "entropies");

    for (size_t i = 0; i < n; i++)
        x[i] = real_of(json_array_get(rows, i)) + 1;
    return n;
}

/* The largest entropy there can be. */
static size_t even_entropy(double *x, double *y, const json_t *probe)
{
    const size_t n = entropy(x, y, probe);

    for (size_t i = 0; i < n; i++)
        y[i] = log(x[i]);
    return n;
}

/* Bins 0, 1, 2-3, 4-7, ..: in the middle, 0 at a half. */
static size_t distances(double *x, double *y, const json_t *probe)
{
    const json_t *sweep = sweep_of(probe, "trained");
    const double length = real_of(json_object_get(sweep, "length"));
    const size_t n = mean_of_lists(y, sweep, "bins");
    size_t used = 0;

    for (size_t b = 0; b < n && (b == 0 || ldexp(1, (int)b - 1) < length); b++)
        x[used++] = b == 0 ? .5 : b == 1 ? 1 : 1.5 * ldexp(1, (int)b - 1);
    return used;
}

static size_t reach(double *x, double *y, const json_t *probe)
{
    (void)x;
    return of_heads(y, sweep_of(probe, "trained"), "distance");
}

static size_t previous(double *x, double *y, const json_t *probe)
{
    (void)x;
    return of_heads(y, sweep_of(probe, "trained"), "previous_bias");
}

static size_t previous_before(double *x, double *y, const json_t *probe)
{
    (void)x;
    return of_heads(y, sweep_of(probe, "initial"), "previous_bias");
}

static size_t sinks(double *x, double *y, const json_t *probe)
{
    const json_t *list = json_object_get(sweep_of(probe, "sinks"), "text");
    const json_t *value;
    size_t i, n = 0;

    (void)x;
    json_array_foreach(list, i, value)
        if (n < MOST_POINTS)
            y[n++] = real_of(value);
    return n;
}

/* ----------------------------------------------------------------- the list */

#define TEXT "Text of the built-in generator, first seed of each encoding. "

static const struct picture pictures[] = {
    { "entropy", LOCANT_FIGURE_CURVES, 1, 1,
      "Entropy of attention, mean of all heads", "keys that the query sees",
      "entropy (nats)",
      "Curves of the entropy of attention against the number of keys, one per "
      "encoding, below that of even weights.",
      "H = -sum p ln p of the weights of a query, by how many keys it sees. "
      "Weights spread evenly have the dashed line, slope 1 against ln n: a "
      "curve as steep dilutes with the length, a flat one keeps its width. "
      TEXT,
      entropy, NULL, even_entropy, "spread evenly" },
    { "distances", LOCANT_FIGURE_CURVES, 1, 0,
      "Weight by distance, mean of all heads",
      "distance from query back to key, bins that double",
      "share of the weight",
      "Curves of the share of attention in each bin of distance, one per "
      "encoding.",
      "How far back the weight lies, at the trained length: distances 0, 1, "
      "2-3, 4-7 and so on (Kazemnejad et al. 2023, arXiv:2305.19466, section "
      "6). " TEXT,
      distances, NULL, NULL, NULL },
    { "reach", LOCANT_FIGURE_STRIPS, 0, 0, "Mean distance of each head",
      "mean distance (bytes)", NULL,
      "A row for each encoding with one dot a head: the mean distance it "
      "attends at.",
      "sum p d of the weights, mean over queries, one dot a head, at the "
      "trained length. Rows with dots far apart have heads that share out near "
      "and far. " TEXT,
      reach, NULL, NULL, NULL },
    { "previous", LOCANT_FIGURE_STRIPS, 0, 0,
      "Weight of the previous token, by head", "weight above even weights",
      NULL,
      "Rows for each encoding before and after training, one dot a head: how "
      "much more than evenly the previous token is attended to.",
      "A = (1/T) sum (p[t, t-1] - 1/t), one dot a head: 0 of even weights. "
      "Rows with (0) are of the parameters before training: what the encoding "
      "does by itself. " TEXT,
      previous, previous_before, NULL, NULL },
    { "sinks", LOCANT_FIGURE_STRIPS, 0, 0,
      "Weight of the first token, by head", "weight of the first of 64 keys",
      NULL,
      "A row for each encoding with one dot a head: the mean weight of the "
      "first key.",
      "(1/T) sum p[t, 1] in windows of 64 bytes, one dot a head; above 0.3 a "
      "head counts as a sink (Gu et al. 2024, arXiv:2410.10781). " TEXT,
      sinks, NULL, NULL, NULL },
};
enum { PICTURES = sizeof pictures / sizeof pictures[0] };

bool lct_page_is_probe(const char *name)
{
    for (int i = 0; i < PICTURES; i++)
        if (strcmp(pictures[i].name, name) == 0)
            return true;
    return false;
}

bool lct_page_probed(const struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].probe)
            return true;
    return false;
}

/* ------------------------------------------------------------------ drawing */

/* The series of one figure, with the memory behind them. */
struct rows {
    locant_series *series;
    size_t n;
    double *numbers; /* x, y of each */
    char (*labels)[300];
};

static locant_status make_rows(struct rows *rows, size_t most)
{
    *rows = (struct rows){ .n = 0 };
    LCT_TRY(lct_page_numbers(&rows->numbers, 2 * MOST_POINTS * most));
    rows->series = locant_alloc(most * sizeof *rows->series);
    rows->labels = locant_alloc(most * sizeof *rows->labels);
    if (!rows->series || !rows->labels)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for %zu rows",
                           most);
    return LOCANT_OK;
}

static void free_rows(struct rows *rows)
{
    locant_release(rows->series);
    locant_release(rows->labels);
    locant_release(rows->numbers);
}

/* A group's points under its label; nothing where it has none. */
static void add_row(struct rows *rows, const struct lct_results *r, size_t i,
                    points_fn points, const char *suffix)
{
    double *x = rows->numbers + 2 * MOST_POINTS * rows->n;
    double *y = x + MOST_POINTS;
    const size_t n = points(x, y, r->groups[i].probe);
    char *label = rows->labels[rows->n];

    if (n == 0)
        return;
    snprintf(label, sizeof *rows->labels, "%s%s", r->groups[i].spec, suffix);
    rows->series[rows->n++] = (locant_series){
        .label = label, .n = n, .x = x, .y = y, .color = (int)(i % LCT_GREY),
        .dashed = i < LCT_GREY ? 0 : 2 + (int)(i / LCT_GREY - 1) % 3 };
}

/* Of the group whose reference has the most points. */
static void add_reference(struct rows *rows, const struct lct_results *r,
                          const struct picture *p)
{
    double x[MOST_POINTS], y[MOST_POINTS], far = 0;
    size_t best = r->n;

    for (size_t i = 0; i < r->n; i++) {
        const size_t n =
            r->groups[i].probe ? p->reference(x, y, r->groups[i].probe) : 0;

        if (n > 0 && x[n - 1] > far) {
            far = x[n - 1];
            best = i;
        }
    }
    if (best == r->n)
        return;
    add_row(rows, r, best, p->reference, "");
    rows->series[rows->n - 1].label = p->reference_label;
    rows->series[rows->n - 1].color = LCT_GREY;
    rows->series[rows->n - 1].dashed = 1;
}

static void fill_rows(struct rows *rows, const struct lct_results *r,
                      const struct picture *p)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->groups[i].probe == NULL)
            continue;
        if (p->before)
            add_row(rows, r, i, p->before, " (0)");
        add_row(rows, r, i, p->points, "");
    }
    if (p->reference)
        add_reference(rows, r, p);
}

static locant_status draw(struct lct_html *h, const struct lct_results *r,
                          const struct picture *p)
{
    const locant_mark mark = lct_trained_mark(r);
    locant_figure f = LOCANT_FIGURE_INIT;
    struct rows rows;
    locant_status status;

    if (!lct_page_wants(h, p->name))
        return LOCANT_OK;
    status = make_rows(&rows, 2 * r->n + 1);
    if (status == LOCANT_OK)
        fill_rows(&rows, r, p);
    f.kind = p->kind;
    f.name = p->name;
    f.title = p->title;
    f.x_label = p->x_label;
    f.y_label = p->y_label;
    f.log_x = p->log_x;
    f.width = 460;
    f.height = p->kind == LOCANT_FIGURE_CURVES ? 360
                                               : 90 + 20 * (int)rows.n;
    f.series = rows.series;
    f.n_series = rows.n;
    f.marks = &mark;
    f.n_marks = p->trained ? 1 : 0;
    if (status == LOCANT_OK && rows.n > 0)
        status = lct_page_figure(h, r, &f, p->alt, p->caption, 1);
    free_rows(&rows);
    return status;
}

locant_status lct_page_probes(struct lct_html *h, const struct lct_results *r)
{
    locant_status status = LOCANT_OK;

    lct_html_raw(h, "<p>What was found by running the trained models of the "
                    "first seed over a text that is the same for all, and no "
                    "part of the corpus. Maps and weights show what attention "
                    "does, not why the loss is what it is.</p>\n"
                    "<div class=\"grid\">\n");
    for (int i = 0; i < PICTURES && status == LOCANT_OK; i++)
        status = draw(h, r, &pictures[i]);
    lct_html_raw(h, "</div>\n");
    return status;
}
