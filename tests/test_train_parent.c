/*
 * test_train_parent.c - ranks train a run that begins with the parameters of
 * another one, which rank 0 alone can read.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "train_group_case.h"

enum { PARENT = 1, CHILD = 2, LEAVES = 8 };

static const int sizes[] = { 1, 2, 3, 4, 5, 8 };

static locant_train_options options(const char *encoding)
{
    locant_train_options o = narrow(encoding, 2, 16, 5);

    o.batch = LEAVES;
    o.checkpoint_every = 4;
    o.leaves = LEAVES;
    return o;
}

/* A store with a parent of bytes, or of a vocabulary. */
static locant_store *store_with_parent(const char *name, int vocabulary)
{
    locant_store *s = open_store(name);
    locant_train_options o = options("rope");

    o.steps = 3;
    o.vocabulary = vocabulary;
    assert_int_equal(train(s, &o), PARENT);
    return s;
}

/* Its sizes are the parent's, and those here are not read. */
static locant_train_options child(void)
{
    locant_train_options o = options("rope(scaling=linear(factor=2))");

    o.parent = PARENT;
    o.layers = 7;
    o.width = 9;
    o.vocabulary = 1234;
    return o;
}

static void check_child(int vocabulary)
{
    const locant_train_options o = child();
    locant_store *one =
        store_with_parent(vocabulary > 0 ? "tokens" : "bytes", vocabulary);

    assert_int_equal(train(one, &o), CHILD);
    for (size_t i = 0; i < LEN(sizes); i++) {
        char name[32];
        locant_store *s;

        snprintf(name, sizeof name, "%d-%d", vocabulary, sizes[i]);
        locant_store_close(store_with_parent(name, vocabulary));
        train_ranks(&o, name, sizes[i]);
        s = open_store(name);
        check_same_run(one, CHILD, s, CHILD);
        locant_store_close(s);
    }
    locant_store_close(one);
}

IN_SCRATCH(any_number_of_ranks_has_the_bits_of_one_process)
{
    check_child(0);
    check_child(300);
}

/* ---------------------------------------------------------------- refusals */

static locant_status other_parent(const locant_group *g, void *context)
{
    struct job *job = context;
    struct job other = *job;

    other.o.parent += g->rank == 1;
    return train_rank(g, &other);
}

static locant_status no_parent(const locant_group *g, void *context)
{
    struct job *job = context;
    struct job other = *job;

    if (g->rank == 1)
        other.o = options("rope");
    return train_rank(g, &other);
}

static locant_status other_encoding(const locant_group *g, void *context)
{
    struct job *job = context;
    struct job other = *job;

    if (g->rank == 2)
        other.o.encoding = "t5";
    return train_rank(g, &other);
}

IN_SCRATCH(all_ranks_are_refused_alike)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options group = { .size = 3,
                                                .seed = test_rand() };
    locant_store *s = store_with_parent("a", 0);
    struct job job = { .o = child(), .store = s, .stopping_rank = -1 };

    thread_group_run(results, &group, other_parent, &job);
    thread_group_check(results, 3, LOCANT_ERR_PARAM,
                       "rank 1 has 'parent=2' where rank 0 has 'parent=1'");
    thread_group_run(results, &group, no_parent, &job);
    thread_group_check(results, 3, LOCANT_ERR_PARAM,
                       "where rank 0 has 'parent=1'");
    thread_group_run(results, &group, other_encoding, &job);
    thread_group_check(results, 3, LOCANT_ERR_PARAM,
                       "rank 2: locant_train: t5 has 64 parameters");
    job.o.parent = 99;
    thread_group_run(results, &group, train_rank, &job);
    thread_group_check(results, 3, LOCANT_ERR_PARAM, "99");
    job.o.parent = PARENT;
    job.o.encoding = "t5";
    thread_group_run(results, &group, train_rank, &job);
    thread_group_check(results, 3, LOCANT_ERR_PARAM,
                       "and rope of its parent, run 1, has 0");
    assert_int_equal(thread_group_left(), 0);
    locant_store_close(s);
}

/* ------------------------------------------------------------------- faults */

static struct job first_step(locant_store *s)
{
    struct job job = { .o = child(), .store = s, .stopping_rank = -1 };

    job.o.steps = 1;
    return job;
}

/* Rank 1 is lost in its k-th exchange, of which all that still work tell.
   Returns false when k is beyond the last. */
static bool is_lost(locant_store *s, long k)
{
    struct thread_group_result results[2];
    const struct thread_group_options group = {
        .size = 2, .seed = test_rand(), .failing = 1, .fails_at = k
    };
    struct job job = first_step(s);

    run_job(results, &job, &group);
    for (int r = 0; r < 2; r++)
        CHECK(results[r].status == LOCANT_OK ||
              strstr(results[r].message, "is lost in step") != NULL);
    return results[1].status != LOCANT_OK;
}

static bool is_short(locant_store *s, long k)
{
    struct thread_group_result results[2];
    struct job job = first_step(s);

    return thread_group_run_short(results, k, train_rank, &job);
}

IN_SCRATCH(faults_on_the_way_to_the_first_step_are_told)
{
    const int stride = TEST_SANITIZED ? 31 : 5;
    locant_store *s = store_with_parent("a", 300);
    long exchanges = 1, allocations = 1;

    while (is_lost(s, exchanges))
        exchanges++;
    CHECK(exchanges > 10);
    locant_store_close(s);
    s = store_with_parent("b", 300);
    while (is_short(s, allocations))
        allocations += stride;
    CHECK(allocations > 60);
    locant_store_close(s);
}

TEST_GROUP(make_corpus, free_corpus)
