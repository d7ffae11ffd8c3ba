/*
 * test_report_tasks.c - the tasks a report trains itself: what it plans, what
 * it refuses before the first step, and that a score is that of 'locant train
 * --task' and 'locant eval'.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "corpora.h"
#include "scratch_case.h"
#include "measure/report_tasks.h"
#include <string.h>

static locant_report_options options_of(locant_preset preset,
                                        const char *const *encodings, size_t n)
{
    locant_report_options o = LOCANT_REPORT_INIT;

    o.preset = preset;
    o.encodings = encodings;
    o.n_encodings = n;
    o.directory = scratch_file(&dir, "lab");
    o.path = scratch_file(&dir, "page.html");
    o.with = LOCANT_WITH_TASKS;
    return o;
}

/* -------------------------------------------------------------------- plan */

TEST(what_it_costs_is_said)
{
    static const char *const specs[] = { "rope", "learned" };
    const locant_report_options o = options_of(LOCANT_PRESET_SMOKE, specs, 2);
    FREED_BY(lct_plan_free) struct lct_plan plan;
    FREED_BY(lct_task_plan_free) struct lct_task_plan tasks;
    int64_t trained = 0;

    CHECK_OK(lct_plan_create(&plan, &o));
    CHECK_OK(lct_task_plan_create(&tasks, &plan, NULL));
    assert_int_equal(tasks.n, 3);
    CHECK(tasks.task[2].task->info.control);
    for (size_t i = 0; i < tasks.n; i++) {
        const locant_train_options *t = &tasks.task[i].train;

        CHECK(t->steps >= 1 && t->steps * t->batch * t->length <= 48 << 10);
        trained += 2 * t->steps * t->batch * t->length;
    }
    CHECK(tasks.trained == trained);
    /* eleven items of 128 + 256 .. 2048 tokens twice; 121 of 40 + 80 + 4 */
    assert_int_equal(tasks.tested, 2 * (2 * 11 * 3968 + 132 * 124));
    CHECK(strstr(tasks.message, "tasks T1, T12, T8: 6 more runs (2 encodings,"
                                " 1 seed), trained on ") == tasks.message);
    /* a table is as long as the rows of its task */
    assert_string_equal(tasks.task[0].specs[1], "learned(length=128)");
    assert_string_equal(tasks.task[2].specs[1], "learned(length=42)");
}

/* Rows of a task have more digits than those of the text, and the spec more
   bytes than a run can keep. */
TEST(a_spec_that_grows_too_long_is_refused)
{
    static const char *const specs[] = { "none" };
    const locant_report_options o = options_of(LOCANT_PRESET_SMOKE, specs, 1);
    FREED_BY(lct_plan_free) struct lct_plan plan;
    FREED_BY(lct_task_plan_free) struct lct_task_plan tasks;

    CHECK_OK(lct_plan_create(&plan, &o));
    plan.train.length = 64;
    strcpy(plan.specs[0], "learned(length=64)+rope(scaling=longrope("
                          "original=64,factor=45,long=1.5:1.5,short=1.5");
    while (strlen(plan.specs[0]) < 253)
        strcat(plan.specs[0], ":1.5");
    strcat(plan.specs[0], "))");
    assert_int_equal(strlen(plan.specs[0]), 255);
    CHECK(lct_task_plan_create(&tasks, &plan, "T1") == LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(), "task T1 with learned(length=64)+"));
    CHECK(strstr(locant_last_error(), "is longer than 255 bytes"));
}

/* Enough time: what the tasks recommend, of as many seeds as there are. */
TEST(full_is_as_recommended)
{
    static const char *const specs[] = { "rope" };
    locant_report_options o = options_of(LOCANT_PRESET_FULL, specs, 1);
    FREED_BY(lct_plan_free) struct lct_plan plan;
    FREED_BY(lct_task_plan_free) struct lct_task_plan tasks;

    o.seeds = 3;
    CHECK_OK(lct_plan_create(&plan, &o));
    CHECK_OK(lct_task_plan_create(&tasks, &plan, NULL));
    assert_int_equal(tasks.seeds, 3);
    for (size_t i = 0; i < tasks.n; i++) {
        const locant_task_info *t = &tasks.task[i].task->info;

        CHECK(tasks.task[i].train.steps == t->steps);
        CHECK(tasks.task[i].train.batch == t->batch);
        CHECK(tasks.task[i].items == t->items);
    }
}

static void check_refused(const char *spec, const char *list,
                          const char *sentence)
{
    const locant_report_options o = options_of(LOCANT_PRESET_QUICK, &spec, 1);
    FREED_BY(lct_plan_free) struct lct_plan plan;
    FREED_BY(lct_task_plan_free) struct lct_task_plan tasks;

    CHECK_OK(lct_plan_create(&plan, &o));
    CHECK_REFUSED(lct_task_plan_create(&tasks, &plan, list), LOCANT_ERR_PARAM,
                  sentence);
}

TEST(what_cannot_be_is_refused_before)
{
    check_refused("rope", "T1,T99",
                  "locant_report_run: no task 'T99'; 'locant"
                  " tasks' names them");
    check_refused("rope", "T1,,T8",
                  "locant_report_run: no task ''; 'locant"
                  " tasks' names them");
    check_refused("rope", "",
                  "locant_report_run: no task is named; 'locant"
                  " tasks' names them");
    check_refused("rope", "T1,t1", "locant_report_run: task T1 is given twice");
    /* 128 positions are enough for the report, not for flip-flops */
    check_refused("learned(length=200)", "T1,T9",
                  "locant_report_run: task T9"
                  " with learned(length=200): locant_train: learned(length=200)"
                  " has 200 positions, expected at least the 256 tokens of a"
                  " training sequence");
}

/* -------------------------------------------------------------------- runs */

struct seen {
    locant_task_score score[128];
    int64_t run[128];
    int n;
};

static int see(const locant_run_info *run, const char *setup,
               const locant_task_score *score, void *context)
{
    struct seen *s = context;

    (void)setup;
    CHECK(s->n < 128);
    s->run[s->n] = run->id;
    s->score[s->n++] = *score;
    return 0;
}

static struct seen read_store(const char *name)
{
    struct seen s = { .n = 0 };
    locant_store *store;

    store = store_at(scratch_file(&dir, name));
    CHECK_OK(locant_task_recorded(store, see, &s));
    locant_store_close(store);
    return s;
}

/* By length, of which tasks share none: side by side, either may be first. */
static const locant_task_score *find(const struct seen *s, int64_t length,
                                     int64_t place)
{
    for (int i = 0; i < s->n; i++)
        if (s->score[i].length == length && s->score[i].place == place)
            return &s->score[i];
    FAIL("no score at %lld, %lld\n", (long long)length, (long long)place);
    return NULL;
}

static int ignore(const locant_task_score *score, void *context)
{
    (void)score;
    (void)context;
    return 0;
}

/* By hand, as 'locant train --task' and 'locant eval' do it. */
static void train_alone(const struct lct_task_plan *tasks,
                        const locant_corpus *corpus)
{
    locant_train_options base = tasks->report->train;
    locant_store *store;
    int64_t parent;

    store = store_at(scratch_file(&dir, "alone"));
    base.encoding = "alibi";
    base.seed = 1;
    CHECK_OK(locant_train(&parent, store, corpus, &base));
    for (size_t i = 0; i < tasks->n; i++) {
        const struct lct_planned_task *t = &tasks->task[i];
        locant_train_options o;
        locant_task_eval_options e = LOCANT_TASK_EVAL_INIT;
        int64_t run;

        CHECK_OK(locant_task_options(&o, t->task->info.id));
        o.encoding = "alibi";
        o.seed = 1;
        o.steps = t->train.steps;
        o.batch = t->train.batch;
        o.parent = t->task->info.fine_tune ? parent : 0;
        e.items = t->items;
        CHECK_OK(locant_train(&run, store, NULL, &o));
        CHECK_OK(locant_task_evaluate(store, run, &e, ignore, NULL));
    }
    locant_store_close(store);
}

struct watch {
    int calls, stop_after, notices;
};

static int watch(const locant_progress *p, void *context)
{
    struct watch *w = context;

    CHECK(p->done <= p->total);
    w->notices += p->notice != NULL && strncmp(p->notice, "tasks T8", 8) == 0;
    return ++w->calls == w->stop_after;
}

TEST(scores_are_those_of_a_run_alone)
{
    static const char *const specs[] = { "alibi" };
    locant_report_options o = options_of(LOCANT_PRESET_SMOKE, specs, 1);
    struct watch w = { 0 };
    struct seen report, alone, again;
    FREED_BY(lct_plan_free) struct lct_plan plan;
    FREED_BY(lct_task_plan_free) struct lct_task_plan tasks;
    locant_corpus *corpus;

    corpus = generated(256 << 10, 0);
    o.tasks = TEST_SANITIZED ? "T8" : "T8,T12";
    o.progress = watch;
    o.context = &w;
    CHECK_OK(locant_report_run(NULL, corpus, &o));
    CHECK(w.notices == 1);
    report = read_store("lab");

    /* what the store has is not done again */
    w = (struct watch){ 0 };
    CHECK_OK(locant_report_run(NULL, corpus, &o));
    again = read_store("lab");
    assert_int_equal(again.n, report.n);
    assert_memory_equal(again.run, report.run, sizeof report.run);

    CHECK_OK(lct_plan_create(&plan, &o));
    CHECK_OK(lct_task_plan_create(&tasks, &plan, o.tasks));
    train_alone(&tasks, corpus);
    alone = read_store("alone");
    /* T8 at two lengths; T12 at five, of all depths and of eleven */
    assert_int_equal(report.n, 2 + (TEST_SANITIZED ? 0 : 5 * (1 + 11)));
    assert_int_equal(alone.n, report.n);
    for (int i = 0; i < alone.n; i++) {
        const locant_task_score *a = &alone.score[i];
        const locant_task_score *b = find(&report, a->length, a->place);

        CHECK(a->items == b->items && a->exact == b->exact);
        CHECK(a->hits == b->hits && a->tokens == b->tokens);
        CHECK(a->loss == b->loss);
    }
    locant_corpus_free(corpus);
}

TEST_GROUP(make_dir, remove_dir)
