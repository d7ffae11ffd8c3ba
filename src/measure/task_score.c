/*
 * task_score.c - scores of a trained run on the fixed test sets of its task.
 *
 * A test set is scored and recorded as a whole, so the store has all of its
 * scores or none.
 */
#include "../store/clock.h"
#include "../store/run_sizes.h"
#include "../train/load_trained.h"
#include "tasks.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 8192 }; /* tokens of a forward pass; more if one row has more */

struct scoring {
    locant_store *store;
    locant_task_eval_options o;
    locant_run_info run;
    const struct lct_task *task;
    const locant_task_test *test;
    char setting[LCT_TASK_SETTING]; /* of the test, with the number of items */
    char as[288];                   /* spec to record under; "": as trained */
    int64_t crop;              /* tokens read, at the end of a row; 0: all */
    locant_encoding *encoding; /* NULL until needed, like the model */
    struct lct_model *model;
    int64_t room;                       /* tokens that the arrays can hold */
    int32_t *tokens, *targets, *places; /* one allocation */
    real *loss;
    uint8_t *hit;
    struct lct_tallies tallies;
    double floor;        /* nats per answer */
    int64_t done, total; /* tokens, for progress */
    double begun;
    locant_task_visitor visit;
    void *context;
};

/* ----------------------------------------------------------------- one test */

static void make_rows(struct scoring *s, int64_t first, int64_t rows,
                      int64_t size)
{
    for (int64_t b = 0; b < rows; b++) {
        const int64_t at = b * size;
        struct lct_row r = { .size = size,
                             .tokens = s->tokens + at,
                             .targets = s->targets + at,
                             .places = s->places + at };

        lct_task_test_row(&r, s->task, s->test, s->o.test_seed, first + b);
    }
}

static locant_status report_progress(const struct scoring *s)
{
    const double elapsed = lct_clock() - s->begun;
    locant_progress p = { .phase = "score",
                          .encoding = s->run.encoding,
                          .seed = s->run.seed,
                          .loss = NAN,
                          .done = s->done,
                          .total = s->total,
                          .elapsed = elapsed,
                          .left = NAN,
                          .rate = NAN };

    if (elapsed > 0) {
        p.rate = (double)s->done / elapsed;
        p.left = (double)(s->total - s->done) / p.rate;
    }
    if (s->o.progress == NULL || s->o.progress(&p, s->o.context) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_INTERRUPTED,
                       "locant_task_evaluate: the scoring of run %" PRId64
                       " was stopped",
                       s->run.id);
}

/* Keep the last 'crop' tokens of every row; returns the new size of a row. */
static int64_t crop_rows(struct scoring *s, int64_t rows, int64_t size)
{
    const int64_t kept = s->crop > 0 && s->crop < size ? s->crop : size;
    const size_t bytes = (size_t)kept * sizeof *s->tokens;

    for (int64_t b = 0; b < rows && kept < size; b++) {
        const int64_t from = (b + 1) * size - kept;

        memmove(s->tokens + b * kept, s->tokens + from, bytes);
        memmove(s->targets + b * kept, s->targets + from, bytes);
        memmove(s->places + b * kept, s->places + from, bytes);
    }
    return kept;
}

static locant_status score_rows(struct scoring *s, int64_t first, int64_t rows,
                                int64_t size)
{
    make_rows(s, first, rows, size);
    size = crop_rows(s, rows, size);
    LCT_TRY(lct_model_forward(s->model, s->tokens, s->targets, rows, size,
                              s->loss, NULL));
    LCT_TRY(lct_model_hits(s->model, s->hit));
    for (int64_t b = 0; b < rows; b++) {
        const int64_t at = b * size;
        const struct lct_answers a = { size, s->targets + at, s->places + at,
                                       s->hit + at, s->loss + at };

        if (!lct_tally_add(&s->tallies, &a))
            return locant_fail(LOCANT_ERR_PARAM,
                               "locant_task_evaluate: %s has"
                               " more than %d places at length %" PRId64,
                               s->task->info.id, LCT_PLACES, s->test->length);
    }
    s->done += rows * size;
    return report_progress(s);
}

static locant_task_score score_of(const struct scoring *s,
                                  const struct lct_tally *t)
{
    return (locant_task_score){
        .task = s->task->info.id,
        .setting = s->test->setting,
        .length = s->test->length,
        .place = t->place,
        .items = t->items,
        .exact = t->exact,
        .tokens = t->tokens,
        .hits = t->hits,
        .loss = t->tokens > 0 ? t->loss / (double)t->tokens : NAN,
        .floor = t->place < 0 && t->tokens > 0 ? s->floor : NAN,
    };
}

static locant_status record(struct scoring *s)
{
    struct lct_task_score scores[LCT_PLACES + 1];

    for (int i = 0; i < s->tallies.n; i++) {
        scores[i] = (struct lct_task_score){
            .run = s->run.id,
            .encoding = s->as,
            .test_seed = (int64_t)s->o.test_seed,
            .score = score_of(s, &s->tallies.at[i]),
        };
        scores[i].score.setting = s->setting;
    }
    return lct_store_add_scores(s->store, scores, (size_t)s->tallies.n);
}

/* Load the model, and allocate arrays with room for a row of every test that
   the encoding is defined at. */
static locant_status load(struct scoring *s)
{
    size_t n = (size_t)s->room;

    if (s->model)
        return LOCANT_OK;
    LCT_TRY(lct_store_check_writable(s->store, "locant_task_evaluate"));
    LCT_TRY(
        lct_load_trained(&s->model, &s->encoding, s->store, &s->run, s->room));
    s->tokens = locant_alloc(3 * n * sizeof *s->tokens);
    s->loss = locant_alloc(n * sizeof *s->loss);
    s->hit = locant_alloc(n * sizeof *s->hit);
    if (!s->tokens || !s->loss || !s->hit)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_task_evaluate: no memory for %zu tokens", n);
    s->targets = s->tokens + n;
    s->places = s->targets + n;
    return LOCANT_OK;
}

static locant_status compute(struct scoring *s)
{
    const int64_t size = lct_task_size(s->task, s->test->length);
    const int64_t at_once = s->room / size;

    LCT_TRY(load(s));
    for (int64_t i = 0; i < s->o.items; i += at_once)
        LCT_TRY(score_rows(
            s, i, at_once < s->o.items - i ? at_once : s->o.items - i, size));
    lct_tally_sort(&s->tallies);
    return record(s);
}

/* ------------------------------------------------------------ stored scores */

static int add_stored(const struct lct_task_score *stored, void *context)
{
    const locant_task_score *x = &stored->score;
    struct scoring *s = context;
    struct lct_tally *t;

    if (strcmp(x->setting, s->setting) != 0 ||
        strcmp(stored->encoding, s->as) != 0 ||
        stored->test_seed != (int64_t)s->o.test_seed ||
        x->length != s->test->length)
        return 0;
    t = lct_tally_of(&s->tallies, x->place);
    if (t == NULL)
        return 1;
    t->items = x->items;
    t->exact = x->exact;
    t->tokens = x->tokens;
    t->hits = x->hits;
    t->loss = x->loss * (double)x->tokens;
    return 0;
}

/* Read the stored scores of the test into the tallies; *found is false, and the
   tallies are empty, unless the store has all of them. */
static locant_status read_stored(bool *found, struct scoring *s)
{
    LCT_TRY(lct_store_visit_scores(s->store, s->run.id, s->task->info.id,
                                   add_stored, s));
    /* older builds recorded no places for some tasks; those are scored again */
    *found = s->tallies.at[0].items > 0 &&
             (s->tallies.n > 1 || s->task->info.place == NULL);
    if (!*found)
        lct_tally_begin(&s->tallies);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- visits */

/* Pass the scores to the visitor; *stop becomes nonzero when it has seen
   enough. */
static void visit_scores(struct scoring *s, int *stop)
{
    for (int i = 0; i < s->tallies.n && !*stop; i++) {
        const locant_task_score score = score_of(s, &s->tallies.at[i]);

        *stop = s->visit(&score, s->context);
    }
}

static locant_status score_test(struct scoring *s, const locant_task_test *test,
                                int64_t reach, int *stop)
{
    const int64_t size = lct_task_size(s->task, test->length);
    bool found;

    s->test = test;
    s->floor = 0;
    lct_tally_begin(&s->tallies);
    snprintf(s->setting, sizeof s->setting, "%s", test->setting);
    if (s->o.items != s->task->info.items)
        snprintf(s->setting, sizeof s->setting, "%s%sitems=%" PRId64,
                 test->setting, test->setting[0] ? ";" : "", s->o.items);
    if (size <= reach) {
        LCT_TRY(read_stored(&found, s));
        if (found)
            s->total -= s->o.items * size;
        else
            LCT_TRY(compute(s));
        LCT_TRY(lct_task_floor(&s->floor, s->task, test, s->o.test_seed,
                               s->o.items));
    }
    visit_scores(s, stop);
    return LOCANT_OK;
}

static locant_status score_all(struct scoring *s, const locant_task_test *tests)
{
    locant_encoding *e;
    int64_t reach; /* longest row, in tokens, that the encoding is defined at */
    int stop = 0;

    LCT_TRY(lct_encoding_of_run(&e, s->store, &s->run));
    reach = locant_encoding_length_limit(e);
    locant_encoding_free(e);
    s->room = ROOM;
    for (const locant_task_test *t = tests; t->length > 0; t++) {
        const int64_t size = lct_task_size(s->task, t->length);

        if (size > reach)
            continue;
        s->room = size > s->room ? size : s->room;
        s->total += s->o.items * size;
    }
    s->begun = lct_clock();
    for (const locant_task_test *t = tests; t->length > 0 && !stop; t++)
        LCT_TRY(score_test(s, t, reach, &stop));
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- public */

static void release(struct scoring *s)
{
    lct_model_free(s->model);
    locant_encoding_free(s->encoding);
    locant_release(s->tokens);
    locant_release(s->loss);
    locant_release(s->hit);
}

static locant_status check(struct scoring *s, const locant_task_test *tests)
{
    LCT_TRY(lct_check_done("locant_task_evaluate", &s->run));
    LCT_TRY(lct_check_range("locant_task_evaluate", "items", s->o.items, 1,
                            LCT_TASK_MAX_ITEMS));
    for (const locant_task_test *t = tests; t->length != 0; t++)
        if (t->length < s->task->shortest || t->length > s->task->longest)
            return locant_fail(LOCANT_ERR_PARAM,
                               "locant_task_evaluate: length %" PRId64
                               ", but %s has %" PRId64 " .. %" PRId64,
                               t->length, s->task->info.id, s->task->shortest,
                               s->task->longest);
    return LOCANT_OK;
}

static locant_status find_task(struct scoring *s, int64_t run)
{
    const locant_task_info *info;

    LCT_TRY(locant_store_run(&s->run, s->store, run));
    LCT_TRY(locant_task_of(&info, s->store, run));
    if (info == NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_task_evaluate: run %" PRId64
                           " was trained on text, expected a task",
                           run);
    s->task = lct_task_find(info->id);
    if (s->o.items == 0)
        s->o.items = info->items;
    return LOCANT_OK;
}

static locant_status evaluate(struct scoring *s)
{
    const size_t n = s->o.lengths ? s->o.n_lengths : 0;
    locant_task_test *asked = locant_alloc((n + 1) * sizeof *asked);
    const locant_task_test *tests = n > 0 ? asked : s->task->info.tests;
    locant_status status;

    if (asked == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_task_evaluate: no memory");
    for (size_t i = 0; i < n; i++)
        asked[i] = (locant_task_test){ s->o.lengths[i] ? s->o.lengths[i] : -1,
                                       "", s->task->value };
    status = check(s, tests);
    if (status == LOCANT_OK)
        status = score_all(s, tests);
    locant_release(asked);
    return status;
}

static void set_reading(struct scoring *s, const struct lct_task_reading *as)
{
    int n = 0;

    snprintf(s->run.encoding, sizeof s->run.encoding, "%s", as->spec);
    s->crop = as->crop;
    if (as->crop > 0)
        n = snprintf(s->as, sizeof s->as, "crop(%" PRId64 ") ", as->crop);
    snprintf(s->as + n, sizeof s->as - (size_t)n, "%s", as->spec);
}

locant_status locant_task_evaluate(locant_store *store, int64_t run,
                                   const locant_task_eval_options *options,
                                   locant_task_visitor visit, void *context)
{
    return lct_task_evaluate_as(store, run, NULL, options, visit, context);
}

locant_status lct_task_evaluate_as(locant_store *store, int64_t run,
                                   const struct lct_task_reading *as,
                                   const locant_task_eval_options *options,
                                   locant_task_visitor visit, void *context)
{
    static const char fn[] = "locant_task_evaluate";
    struct scoring *s;
    locant_status status;

    LCT_NOT_NULL(fn, store);
    LCT_NOT_NULL(fn, options);
    LCT_NOT_NULL(fn, visit);
    LCT_TRY(lct_check_struct(fn, options->struct_size, sizeof *options));
    s = locant_alloc(sizeof *s);
    if (s == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", fn);
    s->store = store;
    s->o = *options;
    s->visit = visit;
    s->context = context;
    status = find_task(s, run);
    if (status == LOCANT_OK && as)
        set_reading(s, as);
    if (status == LOCANT_OK)
        status = evaluate(s);
    release(s);
    locant_release(s);
    return status;
}
