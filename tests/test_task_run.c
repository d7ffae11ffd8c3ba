/*
 * test_task_run.c - tasks trained and scored: what can be learned is, what
 * cannot is not, and scores are kept.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "corpora.h"
#include "scratch.h"
#include "measure/tasks.h"
#include "locant/files.h"
#include <math.h>
#include <string.h>

static struct scratch dir;
static locant_store *store;

static int set_up(void **state)
{
    (void)state;
    dir = scratch_make();
    store = store_at(scratch_file(&dir, "a"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    locant_store_close(store);
    scratch_remove(&dir);
    return 0;
}

static uint64_t seed = 1;

/* A run small enough for a test. */
static int64_t train(const char *id, const char *encoding, int64_t length,
                     int64_t steps)
{
    locant_train_options o;
    int64_t run = 0;

    CHECK_OK(locant_task_options(&o, id));
    o.seed = seed;
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
TEST_WITH(set_up, tear_down, a_table_counts_and_ends)
{
    static const int64_t lengths[] = { 24, 48 };
    const int64_t run = train("T13.4", "learned(length=24)", 24, 150);
    const struct seen seen = score(run, 0, lengths, 2);

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
TEST_WITH(set_up, tear_down, one_layer_copies_only_with_positions)
{
    static const int64_t length[] = { 24 };
    const int steps = TEST_SANITIZED ? 20 : 600;
    const struct seen with =
        score(train("T1", "rope", 24, steps), 200, length, 1);
    const struct seen without =
        score(train("T1", "none", 24, steps), 200, length, 1);

    CHECK(with.score[1].place == 1 && without.score[1].place == 1);
    if (TEST_SANITIZED)
        return;
    if (!(accuracy(&with.score[1]) > accuracy(&without.score[1]) + .1))
        FAIL("rope %g, none %g", accuracy(&with.score[1]),
             accuracy(&without.score[1]));
}

/* Parity is a control: a small model does no better than guessing. */
TEST_WITH(set_up, tear_down, parity_stays_at_chance)
{
    static const int64_t length[] = { 40 };
    const int64_t run = train("T8", "rope", 42, 60);
    const struct seen seen = score(run, 400, length, 1);

    CHECK(locant_task_find("T8")->control);
    /* deviation of 400 guesses is .025 */
    CHECK(fabs(accuracy(&seen.score[0]) - .5) < 5 * .025);
    CHECK(seen.score[0].items == 400 && seen.score[0].tokens == 400);
}

TEST_WITH(set_up, tear_down, a_markov_source_leaves_its_entropy)
{
    static const int64_t length[] = { 32 };
    const struct seen seen =
        score(train("T14", "rope", 32, 100), 50, length, 1);

    CHECK(seen.score[0].tokens == 50 * 29);
    CHECK(seen.score[0].floor > 1 && seen.score[0].loss > seen.score[0].floor);
    CHECK(seen.score[0].loss < log(17));
}

/* ------------------------------------------------------------------- store */

TEST_WITH(set_up, tear_down, scores_are_kept)
{
    static const int64_t lengths[] = { 20, 30 };
    const int64_t run = train("T10", "alibi", 40, 2);
    struct seen first, again;
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;
    const locant_task_info *task;
    char *path;

    first = score(run, 30, lengths, 2);
    CHECK_OK(locant_task_of(&task, store, run));
    assert_string_equal(task->id, "T10");
    /* without its checkpoint nothing can be computed: it is read */
    CHECK_OK(lct_store_run_path(&path, store, run, "safetensors"));
    CHECK(remove(path) == 0);
    locant_release(path);
    again = score(run, 30, lengths, 2);
    /* all, and the answers from 1, 2, 4, 8 and 16 on */
    CHECK(first.n == 12 && again.n == 12);
    for (int i = 0; i < 12; i++) {
        const locant_task_score *x = &first.score[i], *y = &again.score[i];
        const int64_t answers = i % 6 == 0 ? 16 : i % 6 == 5 ? 1 : x->place;

        CHECK(x->place == (i % 6 == 0 ? -1 : 1 << (i % 6 - 1)));
        CHECK(x->length == y->length && x->items == y->items);
        CHECK(x->exact == y->exact && x->hits == y->hits);
        CHECK(x->tokens == y->tokens && x->tokens == 30 * answers);
        CHECK(fabs(x->loss - y->loss) < 1e-12 * x->loss);
    }
    /* ... and another number of items, or another seed, is not that */
    o.items = 31;
    CHECK(locant_task_evaluate(store, run, &o, see, &again) != LOCANT_OK);
    o.items = 30;
    o.test_seed = 2;
    CHECK(locant_task_evaluate(store, run, &o, see, &again) != LOCANT_OK);
}

/* Scores of all runs, with what they were made with but the seed. */
struct recorded {
    char setup[8][1024];
    locant_task_score score[8];
    int64_t run[8];
    int n;
};

static int record(const locant_run_info *run, const char *setup,
                  const locant_task_score *score, void *context)
{
    struct recorded *r = context;

    CHECK(r->n < 8);
    snprintf(r->setup[r->n], sizeof r->setup[0], "%s", setup);
    r->run[r->n] = run->id;
    r->score[r->n++] = *score;
    return 0;
}

/* Of a task whose places an older build did not tell: they are made up for. */
TEST_WITH(set_up, tear_down, scores_without_places_are_made_again)
{
    static const int64_t lengths[] = { 24 };
    const int64_t run = train("T3", "alibi", 27, 2);
    const struct seen first = score(run, 4, lengths, 1);
    struct seen again;

    CHECK(first.n > 1 && first.score[1].place >= 0);
    CHECK_OK(
        lct_store_exec(store, "DELETE FROM task_scores WHERE place >= 0", ""));
    again = score(run, 4, lengths, 1);
    CHECK(again.n == first.n);
    CHECK_OK(lct_store_exec(store,
                            "UPDATE task_scores SET items = 9 WHERE"
                            " place >= 0",
                            ""));
    again = score(run, 4, lengths, 1); /* and those are kept */
    CHECK(again.n == first.n && again.score[1].items == 9);
}

TEST_WITH(set_up, tear_down, seeds_of_one_experiment_are_told_by_their_setup)
{
    static const int64_t length[] = { 16 };
    static struct recorded r;
    int64_t run[3];

    r.n = 0;
    for (int i = 0; i < 3; i++) {
        seed = i == 1 ? 2 : 1;
        run[i] = train("T14", i == 2 ? "alibi" : "rope", 16, 2);
        (void)score(run[i], 5, length, 1);
    }
    seed = 1;
    train("T14", "t5", 16, 2); /* not scored */
    CHECK_OK(locant_task_recorded(store, record, &r));
    assert_int_equal(r.n, 6); /* three runs, all of it and place 0 */
    for (int i = 0; i < 3; i++) {
        const locant_task_score *all = &r.score[2 * i];

        CHECK(r.run[2 * i] == run[i] && r.run[2 * i + 1] == run[i]);
        CHECK(all->place == -1 && r.score[2 * i + 1].place == 0);
        CHECK(all->items == 5 && all->length == 16);
        CHECK(all->floor > 1 && all->floor == r.score[0].floor);
        CHECK(isnan(r.score[2 * i + 1].floor));
    }
    assert_string_equal(r.setup[0], r.setup[2]);
    assert_string_not_equal(r.setup[0], r.setup[4]);
    CHECK(strstr(r.setup[0], "seed") == NULL);
    CHECK(strstr(r.setup[0], ";source=T14") != NULL);
}

TEST_WITH(set_up, tear_down, a_visitor_can_stop)
{
    const int64_t run = train("T9", "t5", 16, 2);
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;
    struct seen seen = { .n = 0, .stop = 1 };

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

TEST_WITH(set_up, tear_down, a_signal_stops_scoring)
{
    const int64_t run = train("T2", "rope", 16, 2);
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;
    struct seen seen = { .n = 0 };

    o.progress = refuse;
    assert_int_equal(locant_task_evaluate(store, run, &o, see, &seen),
                     LOCANT_ERR_INTERRUPTED);
    assert_int_equal(seen.n, 0);
}

/* ---------------------------------------------------------------- refusals */

TEST_WITH(set_up, tear_down, refuses_what_is_no_run_of_a_task)
{
    static const int64_t bad[] = { 200 };
    const int64_t run = train("T3", "none", 9, 1);
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;
    struct seen seen = { .n = 0 };

    REFUSES(NULL, locant_task_evaluate(NULL, run, &o, see, &seen),
            "store is NULL");
    o.items = -1;
    REFUSES(PARAM, locant_task_evaluate(store, run, &o, see, &seen),
            "items is -1, expected 1 .. 1048576");
    o.items = 5;
    o.lengths = bad;
    o.n_lengths = 1;
    REFUSES(PARAM, locant_task_evaluate(store, run, &o, see, &seen),
            "length 200, but T3 has 1 .. 150");
    o.struct_size = 3;
    CHECK(locant_task_evaluate(store, run, &o, see, &seen) == LOCANT_ERR_PARAM);
    CHECK(locant_task_evaluate(store, 99,
                               &(locant_task_eval_options)LOCANT_TASK_EVAL_INIT,
                               see, &seen) == LOCANT_ERR_PARAM);
}

/* ----------------------------------------------------------------- parents */

static locant_tensors *checkpoint_of(int64_t run)
{
    locant_tensors *t;
    char *path;

    CHECK_OK(lct_store_run_path(&path, store, run, "safetensors"));
    CHECK_OK(locant_tensors_read(&t, path));
    locant_release(path);
    return t;
}

static void check_same_parameters(int64_t a, int64_t b)
{
    locant_tensors *x = checkpoint_of(a), *y = checkpoint_of(b);
    const locant_tensor *t;
    const char *name;
    int compared = 0;

    for (size_t i = 0; (t = locant_tensors_at(x, i, &name)) != NULL; i++) {
        const locant_tensor *u = locant_tensors_find(y, name);
        size_t n = sizeof(float);

        if (strncmp(name, "adamw", 5) == 0)
            continue;
        for (int k = 0; k < t->rank; k++)
            n *= (size_t)t->shape[k];
        CHECK(u != NULL && memcmp(t->data, u->data, n) == 0);
        compared++;
    }
    CHECK(compared == 11); /* embedding, a layer's eight, norm, output */
    locant_tensors_free(x);
    locant_tensors_free(y);
}

/* A passkey run goes on from one on text, whose sizes it has. */
TEST_WITH(set_up, tear_down, a_fine_tune_begins_with_its_parent)
{
    locant_train_options o = LOCANT_TRAIN_INIT;
    struct lct_run_extra x, y;
    locant_corpus *corpus;
    locant_run_info info;
    struct lct_metric *first;
    int64_t parent = 0, child = 0, again = 0, other = 0;
    size_t n;

    corpus = generated(128 << 10, 0);
    o.layers = 1;
    o.width = 16;
    o.heads = 2;
    o.ff = 24;
    o.batch = 2;
    o.length = 32;
    o.steps = 4;
    o.encoding = "rope";
    CHECK_OK(locant_train(&parent, store, corpus, &o));
    locant_corpus_free(corpus);
    CHECK_OK(locant_task_options(&o, "T12"));
    o.encoding = "rope(scaling=linear(factor=2))";
    o.parent = parent;
    o.steps = 3;
    o.batch = 2;
    /* a step too small to move a parameter: what is stored is the parent's */
    o.learning_rate = 1e-30;
    CHECK_OK(locant_train(&child, store, NULL, &o));
    CHECK_OK(locant_train(&again, store, NULL, &o));
    CHECK(child != parent && again == child);
    CHECK_OK(locant_store_run(&info, store, child));
    assert_string_equal(info.model, "layers=1,width=16,heads=2,kv_heads=2,"
                                    "ff=24,norm=layer");
    CHECK_OK(lct_store_read_run_extra(&x, store, child));
    CHECK(strstr(x.key, ";source=T12;parent=") != NULL);
    check_same_parameters(parent, child);
    CHECK_OK(lct_store_read_metrics(&first, &n, store, child));
    CHECK(n == 3 && first[0].step == 1 && isfinite(first[0].loss));
    locant_release(first);
    /* the same numbers with another parent are another run */
    o.parent = child;
    CHECK_OK(locant_train(&other, store, NULL, &o));
    CHECK_OK(lct_store_read_run_extra(&y, store, other));
    CHECK(other != child && strcmp(x.key, y.key) != 0);
    o.parent = train("T13.2", "rope", 8, 1);
    CHECK(locant_train(&other, store, NULL, &o) == LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(), "has a vocabulary of 4, expected 256") !=
          NULL);
    o.parent = parent;
    o.encoding = "t5";
    CHECK(locant_train(&other, store, NULL, &o) == LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(), "t5") != NULL);
    o.parent = 99;
    CHECK(locant_train(&other, store, NULL, &o) == LOCANT_ERR_PARAM);
}

static int stop_once(const locant_progress *p, void *context)
{
    return p->step > 0 && (*(int *)context)++ == 0;
}

/* By its number alone: the store knows task and parent. */
TEST_WITH(set_up, tear_down, a_stopped_run_is_resumed_by_number)
{
    locant_train_options o;
    locant_run_info info;
    int64_t run = 0;
    int asked = 0;

    CHECK_OK(locant_task_options(&o, "T13.3"));
    o.layers = 1;
    o.encoding = "alibi";
    o.length = 12;
    o.steps = 20;
    o.progress = stop_once;
    o.context = &asked;
    assert_int_equal(locant_train(&run, store, NULL, &o),
                     LOCANT_ERR_INTERRUPTED);
    CHECK_OK(locant_resume(store, run, NULL, NULL, NULL));
    CHECK_OK(locant_store_run(&info, store, run));
    assert_string_equal(info.status, "done");
    assert_string_equal(info.source, "T13.3");
    CHECK(info.step == 20);
}
