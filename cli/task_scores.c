/* task_scores.c - locant tasks --scores: scores of the runs in a store. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "locant/statistics.h"
#include "task.h"

enum { SEEDS = 64 };

/* A score of a run, and the members by which scores are grouped. */
struct row {
    const locant_task_info *task;
    const char *setup, *setting;
    char encoding[256];
    int64_t run, steps, length, place, items, exact;
    uint64_t seed;
    double value;     /* of the task's metric */
    double right;     /* share of right answers or items; NAN for losses */
    double low, high; /* Wilson interval of exact / items */
};

struct table {
    struct row *rows;
    size_t n, room;
    int places; /* also print scores by place */
    int failed;
};

/* ----------------------------------------------------------------- collect */

/* Set the score by the metric of the task. */
static void set_value(struct row *row, const locant_task_score *s)
{
    const char *metric = row->task->metric;
    const double right =
        s->tokens > 0 ? (double)s->hits / (double)s->tokens : NAN;

    row->right = strcmp(metric, "exact match") == 0
                     ? (double)s->exact / (double)s->items
                     : right;
    row->value = row->right;
    if (strcmp(metric, "read error") == 0)
        row->value = 1 - right;
    if (strcmp(metric, "loss - floor") == 0) {
        row->right = NAN;
        row->value = s->loss - s->floor;
    }
}

static int collect(const locant_run_info *run, const char *setup,
                   const locant_task_score *s, void *context)
{
    struct table *t = context;
    struct row *row;

    if (s->items == 0 || (s->place >= 0 && !t->places))
        return 0;
    if (t->n == t->room) {
        size_t room = t->room ? 2 * t->room : 256;
        struct row *larger = realloc(t->rows, room * sizeof *larger);

        if (larger == NULL)
            return t->failed = 1;
        t->rows = larger;
        t->room = room;
    }
    row = &t->rows[t->n++];
    *row = (struct row){
        .task = locant_task_find(s->task),
        .setup = cli_copy(setup, strlen(setup)),
        .setting = cli_copy(s->setting, strlen(s->setting)),
        .run = run->id,
        .steps = run->step,
        .length = s->length,
        .place = s->place,
        .items = s->items,
        .exact = s->exact,
        .seed = run->seed,
    };
    snprintf(row->encoding, sizeof row->encoding, "%s", run->encoding);
    set_value(row, s);
    t->failed = row->setup == NULL || row->setting == NULL ||
                locant_wilson(&row->low, &row->high, (size_t)s->exact,
                              (size_t)s->items, .95) != LOCANT_OK;
    return t->failed;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Order rows; 0 if both are the same test of the same experiment. */
static int compare_points(const struct row *a, const struct row *b)
{
    /* Tasks are compared by address: one array has them in listing order. */
    int c = (a->task > b->task) - (a->task < b->task);

    c = c ? c : strcmp(a->setting, b->setting);
    c = c ? c : compare(a->length, b->length);
    c = c ? c : compare(a->place, b->place);
    return c ? c : strcmp(a->setup, b->setup);
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int c = compare_points(x, y);

    return c ? c : (x->seed > y->seed) - (x->seed < y->seed);
}

/* ------------------------------------------------------------------- print */

static json_t *row_json(const struct row *r)
{
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:I, s:I}", "run",
                     (json_int_t)r->run, "seed", (json_int_t)r->seed, "value",
                     cli_real(r->value), "low", cli_real(r->low), "high",
                     cli_real(r->high), "items", (json_int_t)r->items, "exact",
                     (json_int_t)r->exact);
}

/* The share of seeds with .9 or more right; NAN for losses. */
static double solved(const struct row *rows, size_t n)
{
    double right[SEEDS];

    for (size_t i = 0; i < n; i++)
        right[i] = rows[i].right;
    return isnan(right[0]) ? NAN : locant_share(right, n, .9);
}

static json_t *point_json(const struct row *r, size_t n)
{
    json_t *seeds = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(seeds, row_json(&r[i]));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:o, s:I, s:o, s:o}", "task", r->task->id,
        "metric", r->task->metric, "encoding", r->encoding, "setting",
        r->setting, "length", (json_int_t)r->length, "place",
        r->place < 0 ? json_null() : json_integer(r->place), "steps",
        (json_int_t)r->steps, "solved", cli_real(solved(r, n)), "seeds", seeds);
}

static void print_point(const struct row *r, size_t n, int first)
{
    if (first)
        printf("%s %s: %s%s\n%7s  %-11s %5s  %-26s %6s %6s  %s\n", r->task->id,
               r->task->title, r->task->metric,
               r->task->control ? ", a control" : "", "length", "setting",
               "place", "encoding", "steps", ">= .9", "value of each seed");
    printf("%7" PRId64 "  %-11s %5s  %-26s %6" PRId64 " %6s ", r->length,
           cli_safe(r->setting),
           r->place >= 0 ? cli_text("%" PRId64, r->place) : "",
           cli_safe(r->encoding), r->steps,
           isnan(solved(r, n)) ? "" : cli_text("%.2f", solved(r, n)));
    for (size_t i = 0; i < n; i++)
        printf(" %.3f", r[i].value);
    putchar('\n');
}

static int print(const struct cli *cli, struct table *t)
{
    json_t *json = cli->json ? json_array() : NULL;
    const char *task = "";

    if (t->n > 0)
        qsort(t->rows, t->n, sizeof *t->rows, compare_rows);
    for (size_t i = 0, n; i < t->n; i += n) {
        const struct row *r = &t->rows[i];

        for (n = 1; i + n < t->n && n < SEEDS && compare_points(r, r + n) == 0;
             n++)
            continue;
        if (json)
            json_array_append_new(json, point_json(r, n));
        else
            print_point(r, n, strcmp(task, r->task->id) != 0);
        task = r->task->id;
    }
    return json ? cli_json(json) : CLI_OK;
}

int cli_task_scores(const struct cli *cli, const char *dir, int places)
{
    struct table t = { .places = places };
    locant_store *store;
    int status;

    CLI_TRY(cli_store_open(&store, dir, CLI_READ));
    status = cli_status(locant_task_recorded(store, collect, &t));
    if (status == CLI_OK)
        status = t.failed ? cli_fail(CLI_INPUT, "no memory for the scores")
                          : print(cli, &t);
    free(t.rows);
    return status;
}
