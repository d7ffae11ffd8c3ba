/*
 * figures_probe.c - what the trained models do: figures of what probes found,
 * a curve or a row of dots for each encoding.
 */
#include "../figure/figure.h"
#include "page.h"
#include "probe_points.h"
#include "words.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct picture {
    const char *name;
    locant_figure_kind kind;
    int log_x, trained; /* trained: the trained length is marked */
    const char *title, *x_label, *y_label, *alt, *caption;
    lct_points_fn points;
    lct_points_fn other;    /* a second line for each encoding, or NULL */
    const char *suffix; /* of its label */
    lct_points_fn reference; /* a grey line of that label; or NULL */
    const char *reference_label;
};

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
      lct_points_entropy, NULL, NULL, lct_points_even_entropy,
      "spread evenly" },
    { "distances", LOCANT_FIGURE_CURVES, 1, 0,
      "Weight by distance, mean of all heads",
      "distance from query back to key, bins that double",
      "share of the weight",
      "Curves of the share of attention in each bin of distance, one per "
      "encoding.",
      "How far back the weight lies, at the trained length: distances 0, 1, "
      "2-3, 4-7 and so on (Kazemnejad et al. 2023, arXiv:2305.19466, section "
      "6). " TEXT,
      lct_points_distances, NULL, NULL, NULL, NULL },
    { "reach", LOCANT_FIGURE_STRIPS, 0, 0, "Mean distance of each head",
      "mean distance (bytes)", NULL,
      "A row for each encoding with one dot a head: the mean distance it "
      "attends at.",
      "sum p d of the weights, mean over queries, one dot a head, at the "
      "trained length. Rows with dots far apart have heads that share out near "
      "and far. " TEXT,
      lct_points_reach, NULL, NULL, NULL, NULL },
    { "previous", LOCANT_FIGURE_STRIPS, 0, 0,
      "Weight of the previous token, by head", "weight above even weights",
      NULL,
      "Rows for each encoding before and after training, one dot a head: how "
      "much more than evenly the previous token is attended to.",
      "A = (1/T) sum (p[t, t-1] - 1/t), one dot a head: 0 of even weights. "
      "Rows with (0) are of the parameters before training: what the encoding "
      "does by itself. " TEXT,
      lct_points_previous, lct_points_previous_before, " (0)", NULL, NULL },
    { "sinks", LOCANT_FIGURE_STRIPS, 0, 0,
      "Weight of the first token, by head", "weight of the first of 64 keys",
      NULL,
      "A row for each encoding with one dot a head: the mean weight of the "
      "first key.",
      "(1/T) sum p[t, 1] in windows of 64 bytes, one dot a head; above 0.3 a "
      "head counts as a sink (Gu et al. 2024, arXiv:2410.10781). " TEXT,
      lct_points_sinks, NULL, NULL, NULL, NULL },
    { "field", LOCANT_FIGURE_CURVES, 1, 0,
      "Gradient within the last bytes", "last bytes before the target",
      "share of the gradient",
      "Curves of the share of a loss's gradient that falls on the last bytes, "
      "one per encoding.",
      "g[j] = |d loss[t] / d input[j]|, summed over the last bytes, as a share "
      "of all, mean of 64 targets at the trained length: where a curve reaches "
      "0.9 ends the effective receptive field of 90 % (Chi et al. 2023, "
      "arXiv:2212.10356). " TEXT,
      lct_points_field, NULL, NULL, NULL, NULL },
    { "truncation", LOCANT_FIGURE_CURVES, 1, 1,
      "The same targets after less text", "bytes of context",
      "loss (nats/byte)",
      "Curves of the loss of the same targets against the bytes of context, "
      "one per encoding.",
      "Where a curve is flat, text further back says nothing more to the "
      "model. 64 targets. " TEXT,
      lct_points_truncation, NULL, NULL, NULL, NULL },
    { "states", LOCANT_FIGURE_CURVES, 0, 0,
      "Position read off the states", "layer",
      "mean error (positions)",
      "Curves of the error of a linear probe of position after each layer, one "
      "per encoding, below that of a constant guess.",
      "Ridge regression from the state after a layer to the position in the "
      "window, fitted on 64 windows, judged on 16 others (after Haviv et al. "
      "2022, arXiv:2203.16634). " TEXT,
      lct_points_states, NULL, NULL, lct_points_chance, "constant guess" },
    { "usage", LOCANT_FIGURE_CURVES, 0, 0,
      "Length of queries and keys, by frequency",
      "pair of channels, fast to slow", "mean length of the pair",
      "Curves of the mean length of each pair of channels of queries and keys, "
      "for each encoding that turns pairs.",
      "Mean of |q| and |k| of each turned pair over tokens and heads, at the "
      "trained length L. Marked: the pair that turns by 3.657210 over L, of "
      "which cos tells most of positions within L; in rope pair (d/2) log_b(L "
      "/ 3.657210), counted from 0. Dashed: keys. " TEXT,
      lct_points_usage_q, lct_points_usage_k, " k", NULL, NULL },
};
enum { PICTURES = sizeof pictures / sizeof pictures[0] };

bool lct_page_is_probe(const char *name)
{
    for (int i = 0; i < PICTURES; i++)
        if (strcmp(pictures[i].name, name) == 0)
            return true;
    return strcmp(name, "maps") == 0;
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
    LCT_TRY(lct_page_numbers(&rows->numbers, 2 * LCT_POINTS * most));
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
                    lct_points_fn points, const char *suffix)
{
    double *x = rows->numbers + 2 * LCT_POINTS * rows->n;
    double *y = x + LCT_POINTS;
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
    double x[LCT_POINTS], y[LCT_POINTS], far = 0;
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
        if (p->other && p->kind == LOCANT_FIGURE_STRIPS)
            add_row(rows, r, i, p->other, p->suffix);
        add_row(rows, r, i, p->points, "");
        if (p->other && p->kind == LOCANT_FIGURE_CURVES) {
            const size_t before = rows->n;

            add_row(rows, r, i, p->other, p->suffix);
            if (rows->n > before)
                rows->series[before].dashed = 1;
        }
    }
    if (p->reference)
        add_reference(rows, r, p);
}

enum { MOST_MARKS = 8 };

/* The trained length, or the pairs that are predicted; how many. */
static size_t make_marks(locant_mark *marks, const struct lct_results *r,
                         const struct picture *p)
{
    size_t n = 0;

    if (p->trained)
        marks[n++] = lct_trained_mark(r);
    for (size_t i = 0; i < r->n && p->points == lct_points_usage_q; i++) {
        const double at = lct_probe_number(json_object_get(
            json_object_get(r->groups[i].probe, "usage"), "predicted"));

        if (isfinite(at) && n < MOST_MARKS)
            marks[n++] = (locant_mark){ .x = at, .label = r->groups[i].spec };
    }
    return n;
}

static locant_status draw(struct lct_html *h, const struct lct_results *r,
                          const struct picture *p)
{
    locant_mark marks[MOST_MARKS];
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
    f.marks = marks;
    f.n_marks = make_marks(marks, r, p);
    if (status == LOCANT_OK && rows.n > 0)
        status = lct_page_figure(h, r, &f, p->alt, p->caption, 1);
    free_rows(&rows);
    return status;
}

locant_status lct_page_probes(struct lct_html *h, const struct lct_results *r)
{
    locant_status status = LOCANT_OK;

    lct_html_raw(h, "<p>");
    lct_html_word(h, "What was found by running the trained models of the "
                     "first seed over a text that is the same for all, and no "
                     "part of the corpus. Maps and weights show what attention "
                     "does, not why the loss is what it is.");
    lct_html_raw(h, "</p>\n"
                    "<div class=\"grid\" id=\"probes\">\n");
    for (int i = 0; i < PICTURES && status == LOCANT_OK; i++)
        status = draw(h, r, &pictures[i]);
    if (status == LOCANT_OK)
        status = lct_page_maps(h, r, 0);
    lct_html_raw(h, "</div>\n");
    return status;
}
