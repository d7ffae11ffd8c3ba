/* task_recorded.c - the scores of all task runs in a store */
#include "../core/error.h"
#include "tasks.h"
#include <math.h>
#include <string.h>

enum { TEST_SEED = 1, FLOORS = 64 };

/* A score copied from the store, which is locked while it passes scores on. The
   setting is in 'setting'; score.setting is no longer valid. */
struct copied {
    locant_task_score score;
    char setting[LCT_TASK_SETTING];
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

    if (score->test_seed != TEST_SEED || score->encoding[0] != '\0')
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
    to->score = score->score;
    memcpy(to->setting, score->score.setting, strlen(score->score.setting) + 1);
    return 0;
}

/* The floor of a test set, 0 if the task has none; NAN for a score of one
   place. */
static locant_status find_floor(double *out, struct recorded *r, int64_t run,
                                const struct lct_task *task,
                                const locant_task_score *c)
{
    const locant_task_test test = { c->length, "", task->value };

    if (c->length < task->shortest || c->length > task->longest)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: a score of run %lld has a"
                           " length that %s does not have",
                           r->store->path, (long long)run, task->info.id);
    *out = c->place < 0 ? 0 : NAN;
    if (c->place >= 0 || task->floor == NULL)
        return LOCANT_OK;
    for (int i = 0; i < r->n_floors; i++)
        if (r->floors[i].task == task && r->floors[i].length == test.length &&
            r->floors[i].items == c->items) {
            *out = r->floors[i].value;
            return LOCANT_OK;
        }
    LCT_TRY(lct_task_floor(out, task, &test, TEST_SEED, c->items));
    if (r->n_floors < FLOORS) {
        r->floors[r->n_floors].task = task;
        r->floors[r->n_floors].length = test.length;
        r->floors[r->n_floors].items = c->items;
        r->floors[r->n_floors++].value = *out;
    }
    return LOCANT_OK;
}

/* The setup of a run is its key without ";seed=..". */
static void copy_setup(char setup[1024], const char *key)
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

    LCT_TRY(lct_store_read_run_extra(&extra, r->store, run->id));
    copy_setup(setup, extra.key);
    for (size_t i = 0; i < r->n && !*stop; i++) {
        const struct copied *c = &r->scores[i];
        locant_task_score score = c->score;

        score.task = task->info.id;
        score.setting = c->setting;
        LCT_TRY(find_floor(&score.floor, r, run->id, task, &score));
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
    status = lct_store_visit_scores(r->store, run->id, info->id, copy_score, r);
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
    status = lct_store_visit_scored_runs(store, visit_run, r);
    if (status == LOCANT_OK)
        status = r->status;
    locant_release(r->scores);
    locant_release(r);
    return status;
}
