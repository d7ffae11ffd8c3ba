/* results_tasks.c - reads the scores of models trained on tasks, for a page */
#include "results_tasks.h"
#include "../files/hash.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scores {
    struct lct_results *r;
    size_t room;
    locant_status status;
};

/* ----------------------------------------------------------- which encoding */

void lct_without_length(char out[256], const char *spec, int64_t length)
{
    char key[40];
    size_t n;
    const char *at = spec;
    size_t used = 0;

    n = (size_t)snprintf(key, sizeof key, "length=%" PRId64, length);
    while (*at && used < 255) {
        const bool begins = at > spec && (at[-1] == '(' || at[-1] == ',');

        if (!begins || strncmp(at, key, n) != 0 ||
            (at[n] != ')' && at[n] != ',')) {
            out[used++] = *at++;
            continue;
        }
        at += n;
        if (*at == ',') {
            at++;
        } else if (out[used - 1] == ',') {
            used--;
        } else { /* nothing is left between the brackets */
            used--;
            at++;
        }
    }
    out[used] = '\0';
}

/* The group of the run's encoding; r->n if there is none. */
static size_t find_group(const struct lct_results *r,
                         const locant_run_info *run)
{
    char own[256], other[256];
    size_t i = 0;

    lct_without_length(own, run->encoding, run->length);
    for (; i < r->n; i++) {
        lct_without_length(other, r->groups[i].spec, r->trained_length);
        if (strcmp(own, other) == 0)
            break;
    }
    return i;
}

/*
 * Hash a setup without encoding and parent. A setup begins "1;SPEC;" and may
 * have ";parent=" and 16 digits, which depend on encoding and seed.
 */
static uint64_t hash_setup(const char *setup, const locant_run_info *run)
{
    const size_t spec = strlen(run->encoding);
    const char *rest = strchr(setup, ';'), *parent;
    uint64_t hash;

    if (rest && strncmp(rest + 1, run->encoding, spec) == 0)
        rest += 1 + spec;
    rest = rest ? rest : setup;
    parent = strstr(rest, ";parent=");
    if (parent == NULL)
        return lct_hash(LCT_HASH_BEGIN, rest, strlen(rest));
    hash = lct_hash(LCT_HASH_BEGIN, rest, (size_t)(parent - rest));
    rest = strchr(parent + 1, ';');
    return rest ? lct_hash(hash, rest, strlen(rest)) : hash;
}

/* ------------------------------------------------------------------- scores */

bool lct_task_is_mapped(const locant_task_info *task)
{
    return task->place != NULL && strcmp(task->metric, "loss - floor") != 0;
}

static int add_score(const locant_run_info *run, const char *setup,
                     const locant_task_score *s, void *context)
{
    struct scores *g = context;
    const locant_task_info *task = locant_task_find(s->task);
    const size_t group = find_group(g->r, run);
    void *at = g->r->tasks;
    struct lct_task_point *p;

    if (group == g->r->n || task == NULL ||
        (s->place >= 0 && !lct_task_is_mapped(task)))
        return 0;
    if (!lct_reserve(&at, &g->room, g->r->n_tasks, 1, sizeof *p)) {
        g->status = locant_fail(LOCANT_ERR_NOMEM,
                                "report: no memory for %zu scores of tasks",
                                g->r->n_tasks + 1);
        return 1;
    }
    g->r->tasks = at;
    p = &g->r->tasks[g->r->n_tasks++];
    *p = (struct lct_task_point){
        .task = task,
        .setup = hash_setup(setup, run),
        .steps = run->steps,
        .batch = run->batch,
        .group = group,
        .seed = run->seed,
        .run = run->id,
        .parameters = run->parameters - run->encoding_parameters,
        .length = s->length,
        .place = s->place,
        .items = s->items,
        .exact = s->exact,
        .tokens = s->tokens,
        .hits = s->hits,
        .loss = s->loss,
        .floor = s->floor,
    };
    snprintf(p->model, sizeof p->model, "%s", run->model);
    snprintf(p->setting, sizeof p->setting, "%s", s->setting);
    return 0;
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Tasks are in one array, so their addresses give their order. */
static int by_task(const struct lct_task_point *a,
                   const struct lct_task_point *b)
{
    int c = (a->task > b->task) - (a->task < b->task);

    c = c ? c : compare((uint64_t)a->steps, (uint64_t)b->steps);
    c = c ? c : compare((uint64_t)a->parameters, (uint64_t)b->parameters);
    return c ? c : compare(a->setup, b->setup);
}

static int by_test(const struct lct_task_point *a,
                   const struct lct_task_point *b)
{
    int c = by_task(a, b);

    c = c ? c : compare((uint64_t)a->length, (uint64_t)b->length);
    return c ? c : strcmp(a->setting, b->setting);
}

static int by_point(const void *left, const void *right)
{
    const struct lct_task_point *a = left, *b = right;
    int c = by_test(a, b);

    /* places begin at -1 */
    c = c ? c : compare((uint64_t)a->place + 1, (uint64_t)b->place + 1);
    c = c ? c : compare(a->group, b->group);
    c = c ? c : compare(a->seed, b->seed);
    return c ? c : compare((uint64_t)a->run, (uint64_t)b->run);
}

bool lct_same_task(const struct lct_task_point *a,
                   const struct lct_task_point *b)
{
    return by_task(a, b) == 0;
}

bool lct_same_test(const struct lct_task_point *a,
                   const struct lct_task_point *b)
{
    return by_test(a, b) == 0;
}

locant_status lct_results_read_tasks(struct lct_results *r, locant_store *store)
{
    struct scores g = { .r = r, .status = LOCANT_OK };

    LCT_TRY(locant_task_recorded(store, add_score, &g));
    LCT_TRY(g.status);
    if (r->n_tasks > 0)
        qsort(r->tasks, r->n_tasks, sizeof *r->tasks, by_point);
    return LOCANT_OK;
}

locant_status lct_results_read_tasks_of(struct lct_results *r,
                                        locant_store *store,
                                        const int64_t *runs, size_t n)
{
    size_t kept = 0;

    LCT_TRY(lct_results_read_tasks(r, store));
    for (size_t i = 0; i < r->n_tasks; i++) {
        size_t k = 0;

        while (k < n && runs[k] != r->tasks[i].run)
            k++;
        if (k < n)
            r->tasks[kept++] = r->tasks[i];
    }
    r->n_tasks = kept;
    return LOCANT_OK;
}
