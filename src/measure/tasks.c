/* tasks.c - rows of tasks, and tasks as sources of batches */
#include "tasks.h"
#include "../train/train.h"
#include <inttypes.h>
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

/* Streams of a seed: "task" and "test" in ASCII, plus a number below 2^40, so
   that they do not overlap. */
static const uint64_t STREAM_TRAIN = (uint64_t)0x7461736b << 32;
static const uint64_t STREAM_TEST = (uint64_t)0x74657374 << 32;

/* Random numbers reserved for each row of a stream, more than any row uses. */
static const uint64_t ROW_WORDS = (uint64_t)1 << 24;

/* --------------------------------------------------------------------- rows */

int64_t lct_task_size(const struct lct_task *task, int64_t length)
{
    return task->scale * length + task->extra;
}

void lct_task_test_row(struct lct_row *r, const struct lct_task *task,
                       const locant_task_test *test, uint64_t seed,
                       int64_t index)
{
    r->random = (locant_random){ seed,
                                 STREAM_TEST + (uint64_t)test->length * 1024 +
                                     (uint64_t)test->value,
                                 (uint64_t)index * ROW_WORDS };
    r->length = test->length;
    r->index = index;
    r->value = test->value;
    lct_task_make(r, task);
}

locant_status lct_task_floor(double *out, const struct lct_task *task,
                             const locant_task_test *test, uint64_t seed,
                             int64_t items)
{
    const int64_t size = lct_task_size(task, test->length);
    int64_t answers = 0;
    int32_t *tokens;
    double sum = 0;

    *out = 0;
    if (task->floor == NULL)
        return LOCANT_OK;
    tokens = locant_alloc((size_t)size * 2 * sizeof *tokens);
    if (tokens == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_task_evaluate: no memory"
                           " for %" PRId64 " tokens",
                           size);
    for (int64_t i = 0; i < items; i++) {
        struct lct_row r = { .size = size,
                             .tokens = tokens,
                             .targets = tokens + size };

        lct_task_test_row(&r, task, test, seed, i);
        sum += task->floor(&r);
        for (int64_t k = 0; k < size; k++)
            answers += r.targets[k] >= 0;
    }
    locant_release(tokens);
    *out = sum / (double)answers;
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ sources */

/* Make a training row of the longest length that fits or, for tasks with
   'upto', of a random length up to that. */
static void fill(int32_t *tokens, int32_t *targets,
                 const struct lct_batch_row *item, const void *context)
{
    const struct lct_task *task = context;
    const int64_t fits = (item->length - task->extra) / task->scale;
    struct lct_row r = {
        .random = { item->seed, STREAM_TRAIN + item->step,
                    item->row * ROW_WORDS },
        .length = fits < task->longest ? fits : task->longest,
        .index = -1,
        .value = task->value,
        .size = item->length,
        .tokens = tokens,
        .targets = targets,
    };

    if (task->info.upto)
        r.length = 1 + lct_row_draw(&r, r.length);
    lct_task_make(&r, task);
}

enum { TASKS_MAX = 32 };

static struct locant_source sources[TASKS_MAX];

static void make_sources(void)
{
    const struct lct_task *task;

    for (int i = 0; (task = lct_task_at(i)) != NULL; i++) {
        assert(i < TASKS_MAX);
        sources[i] = (struct locant_source){
            .name = task->info.id,
            .vocab = task->info.vocab,
            .shortest = lct_task_size(task, task->shortest),
            .fill = fill,
            .context = task,
        };
    }
}

/* The source of a task; all sources are made once. */
static const struct locant_source *source_of(const struct lct_task *task)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int i = 0;

    pthread_once(&once, make_sources);
    while (sources[i].context != task)
        i++;
    return &sources[i];
}

/* ------------------------------------------------------------------- public */

const locant_task_info *locant_task_at(int i)
{
    const struct lct_task *task = lct_task_at(i);

    return task ? &task->info : NULL;
}

const struct lct_task *lct_task_find(const char *id)
{
    const struct lct_task *task = NULL;

    for (int i = 0; id && (task = lct_task_at(i)) != NULL; i++)
        if (strcasecmp(task->info.id, id) == 0)
            break;
    return task;
}

const locant_task_info *locant_task_find(const char *id)
{
    const struct lct_task *task = lct_task_find(id);

    return task ? &task->info : NULL;
}

locant_status locant_task_options(locant_train_options *out, const char *id)
{
    const struct lct_task *task = lct_task_find(id);

    LCT_NOT_NULL(__func__, out);
    LCT_NOT_NULL(__func__, id);
    if (task == NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: no task '%s'; there are T1 .."
                           " T16",
                           __func__, id);
    *out = (locant_train_options)LOCANT_TRAIN_INIT;
    out->layers = task->info.layers;
    out->width = task->info.width;
    out->heads = task->info.heads;
    out->ff = 4 * task->info.width;
    out->batch = task->info.batch;
    out->length = lct_task_size(task, task->info.length);
    out->steps = task->info.steps;
    out->learning_rate = task->info.learning_rate;
    out->source = source_of(task);
    return LOCANT_OK;
}

locant_status lct_task_of(const locant_task_info **out,
                          const locant_store *store, const locant_run_info *run)
{
    *out = NULL;
    if (strcmp(run->source, "text") == 0)
        return LOCANT_OK;
    *out = locant_task_find(run->source);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: run %" PRId64 " was trained"
                           " on '%s', which this locant does not know",
                           store->path, run->id, run->source);
    return LOCANT_OK;
}

locant_status locant_task_of(const locant_task_info **out, locant_store *store,
                             int64_t run)
{
    locant_run_info info;

    LCT_NOT_NULL(__func__, out);
    LCT_NOT_NULL(__func__, store);
    LCT_TRY(locant_store_run(&info, store, run));
    return lct_task_of(out, store, &info);
}
