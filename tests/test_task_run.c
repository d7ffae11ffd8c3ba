/*
 * test_task_run.c - tasks trained and scored: what can be learned is, what
 * cannot is not, and scores are kept.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "scratch.h"
#include "lab/tasks.h"
#include <math.h>
#include <string.h>

static struct scratch dir;
static locant_store *store;

static int set_up(void **state)
{
    (void)state;
    dir = scratch_make();
    CHECK_OK(locant_store_open(&store, scratch_file(&dir, "a")));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    locant_store_close(store);
    scratch_remove(&dir);
    return 0;
}

/* A run small enough for a test. */
static int64_t train(const char *id, const char *encoding, int64_t length,
                     int64_t steps)
{
    locant_train_options o;
    int64_t run = 0;

    CHECK_OK(locant_task_options(&o, id));
    o.encoding = encoding;
    o.layers = 1;
    o.width = 16;
    o.heads = 2;
    o.ff = 32;
    o.batch = 8;
    o.length = length;
    o.steps = steps;
    o.learning_rate = 1e-2;
    CHECK_OK(locant_train(&run, store, NULL, &o));
    return run;
}

/* The scores of one evaluation. */
struct seen {
    locant_task_score score[64];
    int n, stop;
};

static int see(const locant_task_score *score, void *context)
{
    struct seen *seen = context;

    CHECK(seen->n < 64);
    seen->score[seen->n++] = *score;
    return seen->n == seen->stop;
}

static struct seen score(int64_t run, int64_t items, const int64_t *lengths,
                         size_t n)
{
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;
    struct seen seen = { .n = 0 };

    o.items = items;
    o.lengths = lengths;
    o.n_lengths = n;
    CHECK_OK(locant_task_evaluate(store, run, &o, see, &seen));
    return seen;
}

static double accuracy(const locant_task_score *s)
{
    return (double)s->hits / (double)s->tokens;
}

/* --------------------------------------------------------- what is learned */

/* A table of positions tells t modulo 4 exactly, and nothing beyond its end. */
static void a_table_counts_and_ends(void **state)
{
    static const int64_t lengths[] = { 24, 48 };
    const int64_t run = train("T13.4", "learned(length=24)", 24, 150);
    const struct seen seen = score(run, 0, lengths, 2);

    (void)state;
    assert_int_equal(seen.n, 4); /* all, t = 0 .., t = 16 ..; all */
    CHECK(seen.score[0].place == -1 && seen.score[0].items == 1);
    CHECK(seen.score[0].exact == 1 && seen.score[0].hits == 23);
    CHECK(seen.score[1].place == 0 && seen.score[1].tokens == 15);
    CHECK(seen.score[2].place == 16 && seen.score[2].tokens == 8);
    CHECK(seen.score[0].floor == 0);
    CHECK(seen.score[3].length == 48 && seen.score[3].items == 0);
    CHECK(isnan(seen.score[3].loss));
}

/*
 * One layer without positions sees the set of what came before, so it cannot
 * tell x[t-1] from x[t-9]; a rotation can.  k = 1 is where the task is easy.
 */
static void one_layer_copies_only_with_positions(void **state)
{
    static const int64_t length[] = { 24 };
    const int steps = TEST_SANITIZED ? 20 : 600;
    const struct seen with = score(train("T1", "rope", 24, steps), 200, length,
                                   1);
    const struct seen without = score(train("T1", "none", 24, steps), 200,
                                      length, 1);

    (void)state;
    CHECK(with.score[1].place == 1 && without.score[1].place == 1);
    if (TEST_SANITIZED)
        return;
    if (!(accuracy(&with.score[1]) > accuracy(&without.score[1]) + .1))
        FAIL("rope %g, none %g", accuracy(&with.score[1]),
             accuracy(&without.score[1]));
}

/* Parity is a control: a small model does no better than guessing. */
static void parity_stays_at_chance(void **state)
{
    static const int64_t length[] = { 40 };
    const int64_t run = train("T8", "rope", 42, 60);
    const struct seen seen = score(run, 400, length, 1);

    (void)state;
    CHECK(locant_task_find("T8")->control);
    /* deviation of 400 guesses is .025 */
    CHECK(fabs(accuracy(&seen.score[0]) - .5) < 5 * .025);
    CHECK(seen.score[0].items == 400 && seen.score[0].tokens == 400);
}

static void a_markov_source_leaves_its_entropy(void **state)
{
    static const int64_t length[] = { 32 };
    const struct seen seen = score(train("T14", "rope", 32, 100), 50, length,
                                   1);

    (void)state;
    CHECK(seen.score[0].tokens == 50 * 29);
    CHECK(seen.score[0].floor > 1 && seen.score[0].loss > seen.score[0].floor);
    CHECK(seen.score[0].loss < log(17));
}

/* ------------------------------------------------------------------- store */

static void scores_are_kept(void **state)
{
    static const int64_t lengths[] = { 20, 30 };
    const int64_t run = train("T10", "alibi", 40, 2);
    struct seen first, again;
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;
    const locant_task_info *task;
    char *path;

    (void)state;
    first = score(run, 30, lengths, 2);
    CHECK_OK(locant_task_of(&task, store, run));
    assert_string_equal(task->id, "T10");
    /* without its checkpoint nothing can be computed: it is read */
    CHECK_OK(lct_store_run_path(&path, store, run, "safetensors"));
    CHECK(remove(path) == 0);
    locant_release(path);
    again = score(run, 30, lengths, 2);
    CHECK(first.n == 2 && again.n == 2);
    for (int i = 0; i < 2; i++) {
        const locant_task_score *x = &first.score[i], *y = &again.score[i];

        CHECK(x->length == y->length && x->items == y->items);
        CHECK(x->exact == y->exact && x->hits == y->hits);
        CHECK(x->tokens == y->tokens && x->tokens == 30 * 16);
        CHECK(fabs(x->loss - y->loss) < 1e-12 * x->loss);
    }
    /* ... and another number of items, or another seed, is not that */
    o.items = 31;
    CHECK(locant_task_evaluate(store, run, &o, see, &again) != LOCANT_OK);
    o.items = 30;
    o.test_seed = 2;
    CHECK(locant_task_evaluate(store, run, &o, see, &again) != LOCANT_OK);
}

static void a_visitor_can_stop(void **state)
{
    const int64_t run = train("T9", "t5", 16, 2);
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;
    struct seen seen = { .n = 0, .stop = 1 };

    (void)state;
    o.items = 2;
    CHECK_OK(locant_task_evaluate(store, run, &o, see, &seen));
    assert_int_equal(seen.n, 1);
}

static int refuse(const locant_progress *p, void *context)
{
    (void)context;
    CHECK(strcmp(p->phase, "score") == 0 && p->done <= p->total);
    return 1;
}

static void a_signal_stops_scoring(void **state)
{
    const int64_t run = train("T2", "rope", 16, 2);
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;
    struct seen seen = { .n = 0 };

    (void)state;
    o.progress = refuse;
    assert_int_equal(locant_task_evaluate(store, run, &o, see, &seen),
                     LOCANT_ERR_INTERRUPTED);
    assert_int_equal(seen.n, 0);
}

/* ---------------------------------------------------------------- refusals */

static void refuses_what_is_no_run_of_a_task(void **state)
{
    static const int64_t bad[] = { 200 };
    const int64_t run = train("T3", "none", 9, 1);
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;
    struct seen seen = { .n = 0 };

    (void)state;
    CHECK_REFUSED(locant_task_evaluate(NULL, run, &o, see, &seen),
                  LOCANT_ERR_NULL, "locant_task_evaluate: store is NULL");
    o.items = -1;
    CHECK_REFUSED(locant_task_evaluate(store, run, &o, see, &seen),
                  LOCANT_ERR_PARAM, "locant_task_evaluate: items is -1,"
                  " expected 1 .. 2^30");
    o.items = 5;
    o.lengths = bad;
    o.n_lengths = 1;
    CHECK_REFUSED(locant_task_evaluate(store, run, &o, see, &seen),
                  LOCANT_ERR_PARAM, "locant_task_evaluate: length 200, but T3"
                  " has 1 .. 150");
    o.struct_size = 3;
    CHECK(locant_task_evaluate(store, run, &o, see, &seen) ==
          LOCANT_ERR_PARAM);
    CHECK(locant_task_evaluate(store, 99, &(locant_task_eval_options)
                               LOCANT_TASK_EVAL_INIT, see, &seen) ==
          LOCANT_ERR_PARAM);
}

#define IN_SCRATCH(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_table_counts_and_ends),
        IN_SCRATCH(one_layer_copies_only_with_positions),
        IN_SCRATCH(parity_stays_at_chance),
        IN_SCRATCH(a_markov_source_leaves_its_entropy),
        IN_SCRATCH(scores_are_kept),
        IN_SCRATCH(a_visitor_can_stop),
        IN_SCRATCH(a_signal_stops_scoring),
        IN_SCRATCH(refuses_what_is_no_run_of_a_task),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
