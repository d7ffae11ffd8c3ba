/* task_recorded.c - the scores of all task runs in a store */
#include "../core/error.h"
#include "tasks.h"
#include <math.h>
#include <string.h>

enum { TEST_SEED = 1, FLOORS = 64 };

/* A score copied from the store, because the store is locked while scores are
   read. */
struct copied {
    struct lct_task_score score;
    char setting[64];
};

struct recorded {
    locant_store *store;
    locant_task_record_visitor visit;
    void *context;
    locant_status status;
    struct copied *scores; /* [room]; the first n are of this run */
    size_t n, room;
    struct { /* floors computed so far */
        const struct lct_task *task;
        int64_t length, items;
        double value;
    } floors[FLOORS];
    int n_floors;
};

static int copy_score(const struct lct_task_score *score, void *context)
{
    struct recorded *r = context;
    void *at = r->scores;
    struct copied *to;

    if (score->test_seed != TEST_SEED || score->encoding[0] != '\0' ||
        strlen(score->setting) >= sizeof to->setting)
        return 0;
    if (!lct_reserve(&at, &r->room, r->n, 1, sizeof *to)) {
        r->status = locant_fail(LOCANT_ERR_NOMEM,
                                "locant_task_recorded: no"
                                " memory for %zu scores",
                                r->n + 1);
        return 1;
    }
    r->scores = at;
    to = &r->scores[r->n++];
    to->score = *score;
    memcpy(to->setting, score->setting, strlen(score->setting) + 1);
    return 0;
}

/* The floor of a test set of the task; NAN for the score of one place. */
static locant_status find_floor(double *out, struct recorded *r,
                                const struct lct_task *task,
                                const struct copied *c)
{
    const locant_task_test test = { c->score.length, "", task->value };

    if (c->score.length < task->shortest || c->score.length > task->longest)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: a score of run %lld has a"
                           " length that %s has not got",
                           r->store->path, (long long)c->score.run,
                           task->info.id);
    *out = c->score.place < 0 && task->floor == NULL ? 0 : NAN;
    if (c->score.place >= 0 || task->floor == NULL)
        return LOCANT_OK;
    for (int i = 0; i < r->n_floors; i++)
        if (r->floors[i].task == task && r->floors[i].length == test.length &&
            r->floors[i].items == c->score.items) {
            *out = r->floors[i].value;
            return LOCANT_OK;
        }
    LCT_TRY(lct_task_floor(out, task, &test, TEST_SEED, c->score.items));
    if (r->n_floors < FLOORS) {
        r->floors[r->n_floors].task = task;
        r->floors[r->n_floors].length = test.length;
        r->floors[r->n_floors].items = c->score.items;
        r->floors[r->n_floors++].value = *out;
    }
    return LOCANT_OK;
}

/* Copy the key of a run without ";seed=..". */
static void take_setup(char setup[1024], const char *key)
{
    const char *seed = strstr(key, ";seed=");
    const char *rest = seed ? strchr(seed + 1, ';') : NULL;
    const size_t n = seed ? (size_t)(seed - key) : strlen(key);

    memcpy(setup, key, n);
    setup[n] = '\0';
    if (rest)
        memcpy(setup + n, rest, strlen(rest) + 1);
}

static locant_status show_scores(struct recorded *r, int *stop,
                                 const locant_run_info *run,
                                 const struct lct_task *task)
{
    struct lct_run_extra extra;
    char setup[1024];

    LCT_TRY(lct_store_run_extra(&extra, r->store, run->id));
    take_setup(setup, extra.key);
    for (size_t i = 0; i < r->n && !*stop; i++) {
        const struct copied *c = &r->scores[i];
        locant_task_score score = {
            .task = task->info.id,
            .setting = c->setting,
            .length = c->score.length,
            .place = c->score.place,
            .items = c->score.items,
            .exact = c->score.exact,
            .tokens = c->score.tokens,
            .hits = c->score.hits,
            .loss = c->score.loss,
        };

        LCT_TRY(find_floor(&score.floor, r, task, c));
        *stop = r->visit(run, setup, &score, r->context);
    }
    return LOCANT_OK;
}

static int visit_run(const locant_run_info *run, void *context)
{
    struct recorded *r = context;
    const locant_task_info *info;
    locant_status status;
    int stop = 0;

    r->status = lct_task_of(&info, r->store, run);
    if (r->status != LOCANT_OK || info == NULL)
        return r->status != LOCANT_OK;
    r->n = 0;
    status = lct_store_scores(r->store, run->id, info->id, copy_score, r);
    r->status = status != LOCANT_OK ? status : r->status;
    if (r->status == LOCANT_OK)
        r->status = show_scores(r, &stop, run, lct_task_find(info->id));
    return stop || r->status != LOCANT_OK;
}

locant_status locant_task_recorded(locant_store *store,
                                   locant_task_record_visitor visit,
                                   void *context)
{
    struct recorded *r;
    locant_status status;

    LCT_NOT_NULL(__func__, store);
    LCT_NOT_NULL(__func__, visit);
    r = locant_alloc(sizeof *r);
    if (r == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", __func__);
    r->store = store;
    r->visit = visit;
    r->context = context;
    status = lct_store_scored_runs(store, visit_run, r);
    if (status == LOCANT_OK)
        status = r->status;
    locant_release(r->scores);
    locant_release(r);
    return status;
}
