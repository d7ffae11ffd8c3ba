/* numbers_tasks.c - scores of tasks in the document of numbers */
#include "numbers.h"
#include "results_tasks.h"
#include "locant/statistics.h"
#include <math.h>
#include <string.h>

enum { MOST_SEEDS = 64 }; /* of one encoding; others are left out */
static const double level = .95, solved = .9;

/* 'n' points from 'first' on: of one task, one test or one row. */
struct span {
    const struct lct_task_point *first;
    size_t n;
};

static struct span leading(struct span all,
                           bool (*same)(const struct lct_task_point *,
                                        const struct lct_task_point *))
{
    struct span s = { all.first, 0 };

    while (s.n < all.n && same(all.first, all.first + s.n))
        s.n++;
    return s;
}

static struct span after(struct span all, struct span s)
{
    return (struct span){ all.first + s.n, all.n - s.n };
}

static bool same_row(const struct lct_task_point *a,
                     const struct lct_task_point *b)
{
    return a->place == b->place && a->group == b->group;
}

/* ------------------------------------------------------------------- values */

/* The value of the metric, and in *right the share of correct answers; NAN if
   undefined. */
static double value_of(double *right, const struct lct_task_point *p)
{
    const char *metric = p->task->metric;

    *right = NAN;
    if (p->items == 0 || p->tokens == 0)
        return NAN;
    if (strcmp(metric, "loss - floor") == 0)
        return p->loss - p->floor;
    *right = strcmp(metric, "exact match") == 0
                 ? (double)p->exact / (double)p->items
                 : (double)p->hits / (double)p->tokens;
    return strcmp(metric, "read error") == 0 ? 1 - *right : *right;
}

/* The interval of the value if it is a share of items; else NAN. */
static locant_status interval_of(double *low, double *high,
                                 const struct lct_task_point *p)
{
    const char *metric = p->task->metric;
    const bool counted =
        strcmp(metric, "exact match") == 0 ||
        (strcmp(metric, "accuracy") == 0 && p->tokens == p->items);

    *low = *high = NAN;
    return counted && p->items > 0 && p->tokens > 0
               ? locant_wilson(low, high, (size_t)p->exact, (size_t)p->items,
                               level)
               : LOCANT_OK;
}

/* Put the values of all seeds of a row, their mean, and the share of seeds that
   solve the test. */
static locant_status put_values(struct lct_numbers *n, json_t *to,
                                struct span row)
{
    json_t *values = lct_put_array(n, to, "values");
    json_t *lows = lct_put_array(n, to, "values_low");
    json_t *highs = lct_put_array(n, to, "values_high");
    double right[MOST_SEEDS], sum = 0, low, high;
    size_t seeds = row.n < MOST_SEEDS ? row.n : MOST_SEEDS;

    for (size_t s = 0; s < seeds; s++) {
        const double value = value_of(&right[s], &row.first[s]);

        LCT_TRY(interval_of(&low, &high, &row.first[s]));
        sum += value;
        lct_add_real(n, values, value);
        lct_add_real(n, lows, low);
        lct_add_real(n, highs, high);
    }
    lct_put_count(n, to, "seeds", (int64_t)seeds);
    lct_put_real(n, to, "mean", sum / (double)seeds);
    lct_put_real(n, to, "solved",
                 isnan(right[0]) ? NAN : locant_share(right, seeds, solved));
    return LOCANT_OK;
}

/* Put the share of items without an error, over all seeds together. */
static locant_status put_items(struct lct_numbers *n, json_t *to,
                               struct span row)
{
    size_t items = 0, exact = 0;
    double low = NAN, high = NAN;

    for (size_t s = 0; s < row.n; s++) {
        items += (size_t)row.first[s].items;
        exact += (size_t)row.first[s].exact;
    }
    if (strcmp(row.first->task->metric, "loss - floor") == 0)
        items = 0; /* answers are random: no model can know them */
    if (items > 0)
        LCT_TRY(locant_wilson(&low, &high, exact, items, level));
    lct_put_real(n, to, "exact",
                 items > 0 ? (double)exact / (double)items : NAN);
    lct_put_real(n, to, "low", low);
    lct_put_real(n, to, "high", high);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- levels */

/* Put the mean over seeds at each place of a test, for one group. */
static void put_places(struct lct_numbers *n, json_t *to, struct span test,
                       size_t group)
{
    json_t *list = lct_put_array(n, to, "places");

    for (struct span row; test.n > 0; test = after(test, row)) {
        double sum = 0, unused;
        json_t *at;

        row = leading(test, same_row);
        if (row.first->place < 0 || row.first->group != group)
            continue;
        for (size_t s = 0; s < row.n; s++)
            sum += value_of(&unused, &row.first[s]);
        at = lct_add_object(n, list);
        lct_put_count(n, at, "place", row.first->place);
        lct_put_real(n, at, "mean", sum / (double)row.n);
    }
}

static locant_status put_test(struct lct_numbers *n, json_t *to,
                              struct span test)
{
    json_t *rows = lct_put_array(n, to, "rows");
    struct span rest = test, row;
    int64_t items = 0;

    lct_put_text(n, to, "setting", test.first->setting);
    lct_put_count(n, to, "length", test.first->length);
    for (; rest.n > 0 && rest.first->place < 0; rest = after(rest, row)) {
        json_t *one = lct_add_object(n, rows);

        row = leading(rest, same_row);
        items = items > row.first->items ? items : row.first->items;
        lct_put_text(n, one, "encoding", n->r->groups[row.first->group].spec);
        LCT_TRY(put_values(n, one, row));
        LCT_TRY(put_items(n, one, row));
        if (lct_task_mapped(test.first->task))
            put_places(n, one, test, row.first->group);
    }
    lct_put_count(n, to, "items", items);
    return LOCANT_OK;
}

/* Put the hypotheses about the encodings that have scores. */
static void put_hypotheses(struct lct_numbers *n, json_t *to, struct span task)
{
    json_t *list = lct_put_array(n, to, "hypotheses");

    for (size_t g = 0; g < n->r->n; g++) {
        const struct lct_hypothesis *h;
        char spec[256];
        size_t i = 0;
        json_t *one;

        while (i < task.n && task.first[i].group != g)
            i++;
        lct_without_length(spec, n->r->groups[g].spec, n->r->trained_length);
        h = i < task.n ? lct_hypothesis_of(task.first->task->id, spec) : NULL;
        if (h == NULL)
            continue;
        one = lct_add_object(n, list);
        lct_put_text(n, one, "encoding", n->r->groups[g].spec);
        lct_put_text(n, one, "expected", h->expected);
        lct_put_text(n, one, "reason", h->reason);
    }
}

static locant_status put_task(struct lct_numbers *n, json_t *to,
                              struct span task)
{
    const struct lct_task_point *p = task.first;
    json_t *tests;
    struct span rest, test;

    lct_put_text(n, to, "task", p->task->id);
    lct_put_text(n, to, "title", p->task->title);
    lct_put_text(n, to, "definition", p->task->definition);
    lct_put_text(n, to, "metric", p->task->metric);
    lct_put_text(n, to, "unit", p->task->unit);
    lct_put_text(n, to, "place", p->task->place);
    lct_put(n, to, "control", json_boolean(p->task->control));
    lct_put(n, to, "upto", json_boolean(p->task->upto));
    lct_put_real(n, to, "chance", p->task->chance);
    lct_put_count(n, to, "trained_length", p->task->length);
    lct_put_text(n, to, "model", p->model);
    lct_put_count(n, to, "parameters", p->parameters);
    lct_put_count(n, to, "steps", p->steps);
    lct_put_count(n, to, "batch", p->batch);
    tests = lct_put_array(n, to, "tests");
    for (rest = task; rest.n > 0; rest = after(rest, test)) {
        test = leading(rest, lct_same_test);
        LCT_TRY(put_test(n, lct_add_object(n, tests), test));
    }
    put_hypotheses(n, to, task);
    return LOCANT_OK;
}

locant_status lct_put_tasks(struct lct_numbers *n)
{
    struct span rest = { n->r->tasks, n->r->n_tasks }, task;
    json_t *list;

    if (rest.n == 0)
        return LOCANT_OK;
    list = lct_put_array(n, n->all, "tasks");
    for (; rest.n > 0; rest = after(rest, task)) {
        task = leading(rest, lct_same_task);
        LCT_TRY(put_task(n, lct_add_object(n, list), task));
    }
    return LOCANT_OK;
}
