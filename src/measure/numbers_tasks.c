/* numbers_tasks.c - puts the scores of tasks */
#include "numbers.h"
#include "results_tasks.h"
#include "locant/statistics.h"
#include <math.h>
#include <string.h>

enum { MOST_SEEDS = 64 };        /* of one row; more are left out */
static const double solved = .9; /* share of correct answers of a solved test */

/* clang-format off */
#define OF_INFO(key, member) LCT_FIELD_AS(key, locant_task_info, member)
#define OF_POINT(member) LCT_FIELD(struct lct_task_point, member)
#define FLAG(key, member)                                                      \
    { key, LCT_FIELD_FLAG, offsetof(locant_task_info, member) }
static const struct lct_field
    info_fields[] = { OF_INFO("task", id), OF_INFO("title", title),
        OF_INFO("definition", definition), OF_INFO("metric", metric),
        OF_INFO("unit", unit), OF_INFO("place", place),
        FLAG("control", control), FLAG("upto", upto),
        OF_INFO("chance", chance), OF_INFO("trained_length", length),
        LCT_FIELDS_END },
    model_fields[] = { OF_POINT(model), OF_POINT(parameters), OF_POINT(steps),
        OF_POINT(batch), LCT_FIELDS_END },
    test_fields[] = { OF_POINT(setting), OF_POINT(length), LCT_FIELDS_END };
/* clang-format on */

/* 'n' points from 'first' on, as of one task, one test, or one row, which is
   one encoding at one place. */
struct span {
    const struct lct_task_point *first;
    size_t n;
};

static struct span leading_span(struct span all,
                                bool (*same)(const struct lct_task_point *,
                                             const struct lct_task_point *))
{
    struct span s = { all.first, 0 };

    while (s.n < all.n && same(all.first, all.first + s.n))
        s.n++;
    return s;
}

static struct span rest_after(struct span all, struct span s)
{
    return (struct span){ all.first + s.n, all.n - s.n };
}

static bool same_row(const struct lct_task_point *a,
                     const struct lct_task_point *b)
{
    return a->place == b->place && a->group == b->group;
}

/* ------------------------------------------------------------------- values */

/* The value of the metric. *right is the share of correct answers. Both are NAN
   if undefined. */
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

/* The number of items if the value is a share of items, else 0. */
static size_t items_of(const struct lct_task_point *p)
{
    const char *metric = p->task->metric;
    const bool counted =
        strcmp(metric, "exact match") == 0 ||
        (strcmp(metric, "accuracy") == 0 && p->tokens == p->items);

    return counted && p->tokens > 0 && p->items > 0 ? (size_t)p->items : 0;
}

/* Put the values of all seeds of a row, their mean, and the share of seeds that
   solve the test. */
static void put_values(struct lct_numbers *n, json_t *to, struct span row)
{
    double value[MOST_SEEDS], low[MOST_SEEDS], high[MOST_SEEDS];
    double right[MOST_SEEDS], sum = 0;
    size_t seeds = row.n < MOST_SEEDS ? row.n : MOST_SEEDS;

    for (size_t s = 0; s < seeds; s++) {
        const struct lct_task_point *p = &row.first[s];

        value[s] = value_of(&right[s], p);
        lct_numbers_wilson(n, &low[s], &high[s], (size_t)p->exact, items_of(p));
        sum += value[s];
    }
    lct_put_reals(n, to, "values", value, seeds);
    lct_put_reals(n, to, "values_low", low, seeds);
    lct_put_reals(n, to, "values_high", high, seeds);
    lct_put_count(n, to, "seeds", (int64_t)seeds);
    lct_put_real(n, to, "mean", sum / (double)seeds);
    lct_put_real(n, to, "solved",
                 isnan(right[0]) ? NAN : locant_share(right, seeds, solved));
}

/* Put the share of items without an error, of all seeds together. */
static void put_items(struct lct_numbers *n, json_t *to, struct span row)
{
    size_t items = 0, exact = 0;

    for (size_t s = 0; s < row.n; s++) {
        items += (size_t)row.first[s].items;
        exact += (size_t)row.first[s].exact;
    }
    if (strcmp(row.first->task->metric, "loss - floor") == 0)
        items = 0; /* answers are random: no model can know them */
    lct_put_share(n, to, "exact", exact, items);
}

/* ------------------------------------------------------------------- levels */

/* Put the mean over seeds at each place of a test, for one group. */
static void put_places(struct lct_numbers *n, json_t *to, struct span test,
                       size_t group)
{
    json_t *list = lct_put_array(n, to, "places");

    for (struct span row; test.n > 0; test = rest_after(test, row)) {
        double sum = 0, unused;
        json_t *at;

        row = leading_span(test, same_row);
        if (row.first->place < 0 || row.first->group != group)
            continue;
        for (size_t s = 0; s < row.n; s++)
            sum += value_of(&unused, &row.first[s]);
        at = lct_add_object(n, list);
        lct_put_count(n, at, "place", row.first->place);
        lct_put_real(n, at, "mean", sum / (double)row.n);
    }
}

static void put_test(struct lct_numbers *n, json_t *to, struct span test)
{
    json_t *rows = lct_put_array(n, to, "rows");
    struct span rest = test, row;
    int64_t items = 0;

    lct_put_fields(n, to, test_fields, test.first);
    for (; rest.n > 0 && rest.first->place < 0; rest = rest_after(rest, row)) {
        json_t *one = lct_add_object(n, rows);

        row = leading_span(rest, same_row);
        items = items > row.first->items ? items : row.first->items;
        lct_put_text(n, one, "encoding", n->r->groups[row.first->group].spec);
        put_values(n, one, row);
        put_items(n, one, row);
        if (lct_task_is_mapped(test.first->task))
            put_places(n, one, test, row.first->group);
    }
    lct_put_count(n, to, "items", items);
}

/* Put the hypotheses about encodings that have scores in the task. */
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

static void put_task(struct lct_numbers *n, json_t *to, struct span task)
{
    const struct lct_task_point *p = task.first;
    json_t *tests;
    struct span rest, test;

    lct_put_fields(n, to, info_fields, p->task);
    lct_put_fields(n, to, model_fields, p);
    tests = lct_put_array(n, to, "tests");
    for (rest = task; rest.n > 0; rest = rest_after(rest, test)) {
        test = leading_span(rest, lct_same_test);
        put_test(n, lct_add_object(n, tests), test);
    }
    put_hypotheses(n, to, task);
}

void lct_put_tasks(struct lct_numbers *n)
{
    struct span rest = { n->r->tasks, n->r->n_tasks }, task;
    json_t *list = rest.n > 0 ? lct_put_array(n, n->all, "tasks") : NULL;

    for (; rest.n > 0; rest = rest_after(rest, task)) {
        task = leading_span(rest, lct_same_task);
        put_task(n, lct_add_object(n, list), task);
    }
}
