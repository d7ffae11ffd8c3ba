/*
 * test_train_group.c - ranks that train one run together have the bits of one
 * process, whatever their number, and one failure is the failure of all.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "train_group_case.h"
#include "train/trainer.h"

enum { LEAVES = 8, STEPS = 12 };

static const int sizes[] = { 1, 2, 3, 4, 5, 8 };

static locant_train_options options(const char *encoding)
{
    locant_train_options o = narrow(encoding, 2, 16, STEPS);

    o.batch = LEAVES;
    o.checkpoint_every = 4;
    o.leaves = LEAVES;
    return o;
}

/* -------------------------------------------------------------------- bits */

static void check_bits(const locant_train_options *o)
{
    check_group_bits(o, sizes, LEN(sizes));
}

/* Every door, learned parameters in few and in many leaves, both optimisers. */
IN_SCRATCH(any_number_of_ranks_has_the_bits_of_one_process)
{
    static const char *const specs[] = { "rope",
                                         "t5",
                                         "fire(hidden=6,length=64)",
                                         "shaw(distance=4)",
                                         "learned(length=16)",
                                         "fox",
                                         "cape",
                                         "randomized(length=64)+rope" };

    for (size_t i = 0; i < LEN(specs); i++) {
        locant_train_options o = options(specs[i]);

        o.optimizer = i % 2 ? LOCANT_MUON : LOCANT_ADAMW;
        o.rms_norm = i % 3 == 1;
        check_bits(&o);
    }
}

IN_SCRATCH(other_leaves_and_threads_too)
{
    static const int64_t leaves[] = { 1, 2, 4, 16 };
    const int threads = locant_threads();

    for (size_t i = 0; i < LEN(leaves); i++) {
        locant_train_options o = options("t5");

        o.batch = 16;
        o.leaves = leaves[i];
        CHECK_OK(locant_set_threads(1 + (int)i));
        check_bits(&o);
    }
    CHECK_OK(locant_set_threads(threads));
}

/* A third of the targets is scored, and none of the first leaf. */
static void fill(int32_t *tokens, int32_t *targets,
                 const struct lct_batch_row *row, const void *context)
{
    locant_random r = { row->seed, row->step, 64 * row->row };

    (void)context;
    for (int64_t i = 0; i < row->length; i++) {
        tokens[i] = (int32_t)locant_random_below(&r, 7);
        targets[i] = row->row == 0 || i % 3 ? -1 : tokens[i];
    }
}

IN_SCRATCH(targets_that_are_not_scored_too)
{
    static const struct locant_source source = { "repeat", 7, 0, fill, NULL };
    locant_train_options o = options("rope");

    o.source = &source;
    check_bits(&o);
}

/* What was remembered is in the checkpoint for all rows, and is shared out
   among other ranks. */
IN_SCRATCH(memory_too)
{
    static const char *const specs[] = { "transformer-xl", "rope", "shaw" };

    for (size_t i = 0; i < LEN(specs); i++) {
        locant_train_options o = options(specs[i]);

        o.memory = 40;
        check_bits(&o);
    }
}

IN_SCRATCH(a_group_has_leaves_of_its_own)
{
    locant_train_options o = options("rope"), alone;

    o.batch = 12;
    o.leaves = 0;
    train_ranks(&o, "group", 3);
    alone = o;
    alone.leaves = 4; /* the largest power of two that divides 12 */
    {
        locant_store *a = open_store("alone"), *b = open_store("group");

        check_same_run(a, train(a, &alone), b, 1);
        locant_store_close(a);
        locant_store_close(b);
    }
}

/* --------------------------------------------------------- stop and go on */

/* Any rank may ask; all stop after the same step, and go on with another number
   of ranks, also alone. */
static void check_stopped(int64_t memory)
{
    locant_train_options o = options("rope");
    struct thread_group_result results[THREAD_GROUP_RANKS];
    locant_store *one = open_store("one");
    int64_t id;

    o.memory = memory;
    id = train(one, &o);
    for (int rank = 0; rank < 3; rank++) {
        static const int then[] = { 8, 1, 2 };
        const struct thread_group_options group = { .size = 3,
                                                    .seed = test_rand() };
        char name[32];
        locant_run_info info;
        locant_store *s;
        struct job job = { .o = o, .stopping_rank = rank };

        snprintf(name, sizeof name, "stop-%d-%d", (int)memory, rank);
        job.store = s = open_store(name);
        run_job(results, &job, &group);
        thread_group_check(results, 3, LOCANT_ERR_INTERRUPTED,
                           "run 1 was stopped");
        CHECK_OK(locant_store_run(&info, s, 1));
        assert_string_equal(info.status, "interrupted");
        CHECK(info.step == 2); /* wished after the first, told in the second */
        locant_store_close(s);
        if (then[rank] > 1) {
            train_ranks(&o, name, then[rank]);
        } else {
            s = open_store(name);
            train(s, &o);
            locant_store_close(s);
        }
        s = open_store(name);
        check_same_run(one, id, s, 1);
        locant_store_close(s);
    }
    locant_store_close(one);
}

IN_SCRATCH(a_stopped_run_goes_on_with_other_ranks)
{
    check_stopped(0);
}

IN_SCRATCH(with_memory_it_goes_on_too)
{
    check_stopped(40);
}

IN_SCRATCH(a_run_that_is_done_is_done_on_every_rank)
{
    const locant_train_options o = options("alibi");

    train_ranks(&o, "a", 2);
    train_ranks(&o, "a", 4);
}

/* ------------------------------------------------------------------- faults */

/* Each exchange of a rank fails once: one sentence on every rank that still
   works, and the run goes on from its checkpoint to the same bits. */
static void lose(int lost, locant_store *one, int64_t id)
{
    locant_train_options o = options("rope");
    struct thread_group_result results[THREAD_GROUP_RANKS];
    struct thread_group_options group = { .size = 3, .failing = lost };
    long failures = 0;

    for (;;) {
        char name[32];
        locant_store *s;
        struct job job = { .o = o, .stopping_rank = -1 };

        group.seed = test_rand();
        group.fails_at += 1 + group.fails_at / 8;
        snprintf(name, sizeof name, "lost-%d-%ld", lost, group.fails_at);
        job.store = s = open_store(name);
        run_job(results, &job, &group);
        locant_store_close(s);
        if (results[lost].status == LOCANT_OK)
            break;
        failures++;
        for (int r = 0; r < 3; r++)
            if (results[r].status != LOCANT_OK &&
                (results[r].status != LOCANT_ERR_IO ||
                 strstr(results[r].message, "of 3 is lost in step ") == NULL ||
                 strstr(results[r].message, "the run continues from step") ==
                     NULL))
                FAIL("exchange %ld, rank %d: %s\n", group.fails_at, r,
                     results[r].message);
        s = open_store(name);
        check_same_run(one, id, s, train(s, &o));
        locant_store_close(s);
    }
    CHECK(failures > 15);
}

IN_SCRATCH(a_lost_rank_costs_no_more_than_a_checkpoint)
{
    locant_train_options o = options("rope");
    locant_store *one = open_store("one");
    const int64_t id = train(one, &o);

    for (int lost = 0; lost < 3; lost++)
        lose(lost, one, id);
    locant_store_close(one);
}

/* The store of rank 0 is read-only: all ranks give its one sentence. */
IN_SCRATCH(a_failure_of_the_store_is_told_to_all)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options group = { .size = 4,
                                                .seed = test_rand() };
    struct job job = { .o = options("rope"), .stopping_rank = -1 };

    locant_store_close(open_store("a"));
    CHECK_OK(locant_store_open_readonly(&job.store, scratch_file(&dir, "a")));
    run_job(results, &job, &group);
    thread_group_check(results, 4, LOCANT_ERR_PARAM,
                       "was opened for reading only");
    locant_store_close(job.store);
}

/* Rank 2 has other parameters: no checkpoint is written, and all say so. */
static locant_status spoil(struct lct_trainer *t)
{
    if (t->ranks.rank == 0 && t->step == 2)
        lct_model_params(t->model)[3] += 1;
    return LOCANT_OK;
}

static const struct lct_train_hooks spoiling = { spoil, NULL };

static locant_status train_spoilt(const locant_group *g, void *context)
{
    struct job *job = context;
    locant_train_options o = job->o;

    o.group = g;
    return lct_train(&job->ids[g->rank], g->rank == 0 ? job->store : NULL,
                     corpus, &o, 0, &spoiling);
}

IN_SCRATCH(ranks_that_disagree_write_no_checkpoint)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options group = { .size = 2,
                                                .seed = test_rand() };
    struct job job = { .o = options("rope") };

    job.store = open_store("a");
    thread_group_run(results, &group, train_spoilt, &job);
    thread_group_check(results, 2, LOCANT_ERR_FORMAT,
                       "rank 1 has other parameters than rank 0 after step 4");
    assert_int_equal(files_in("a"), 0);
    locant_store_close(job.store);
}

IN_SCRATCH(a_loss_that_is_not_finite_fails_on_all)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options group = { .size = 2,
                                                .seed = test_rand() };
    struct job job = { .o = options("rope"), .stopping_rank = -1 };
    locant_run_info info;

    job.o.learning_rate = 1e30;
    job.store = open_store("a");
    run_job(results, &job, &group);
    thread_group_check(results, 2, LOCANT_ERR_PARAM, "a lower learning_rate");
    CHECK_OK(locant_store_run(&info, job.store, 1));
    assert_string_equal(info.status, "failed");
    locant_store_close(job.store);
}

/* ------------------------------------------------------------------ advice */

/* Notices of one rank that tell how much of a step messages take. */
struct advised {
    int times;
    double share;
};

static int take_advice(const locant_progress *p, void *context)
{
    struct advised *a = context;

    if (p->notice && strstr(p->notice, "'locant report --part'")) {
        a->times++;
        CHECK(sscanf(p->notice, "the 2 ranks spend %lf of a step", &a->share) ==
              1);
    }
    return 0;
}

static void pause_for(int milliseconds)
{
    const struct timespec pause = { 0, milliseconds * 1000000L };

    nanosleep(&pause, NULL);
}

static locant_status slow_exchange(const locant_piece *send, size_t sends,
                                   const locant_piece *receive, size_t receives,
                                   void *context)
{
    const locant_group *g = context;

    pause_for(20);
    return g->exchange(send, sends, receive, receives, g->context);
}

static void slow_fill(int32_t *tokens, int32_t *targets,
                      const struct lct_batch_row *row, const void *context)
{
    pause_for(5);
    fill(tokens, targets, row, context);
}

struct advice_job {
    struct job job;
    bool slow;
    struct advised advised[2];
};

static locant_status train_advised(const locant_group *g, void *context)
{
    struct advice_job *x = context;
    locant_train_options o = x->job.o;
    locant_group slow = { sizeof slow, g->rank, g->size, slow_exchange,
                          (void *)(uintptr_t)g };

    o.group = x->slow ? &slow : g;
    o.progress = take_advice;
    o.context = &x->advised[g->rank];
    return locant_train(&x->job.ids[g->rank],
                        g->rank == 0 ? x->job.store : NULL, corpus, &o);
}

/* Three exchanges of 20 ms are more than half of a step of this model, and 8
   rows of 5 ms are more than its messages. */
IN_SCRATCH(ranks_that_wait_more_than_they_compute_say_so_once)
{
    static const struct locant_source source = { "slow", 7, 0, slow_fill,
                                                 NULL };

    for (int slow = 0; slow < 2; slow++) {
        struct thread_group_result results[THREAD_GROUP_RANKS];
        const struct thread_group_options group = { .size = 2,
                                                    .seed = test_rand() };
        struct advice_job x = { .job.o = options("none"), .slow = slow != 0 };

        x.job.o.source = slow ? NULL : &source;
        x.job.store = open_store(slow ? "slow" : "fast");
        thread_group_run(results, &group, train_advised, &x);
        thread_group_check(results, 2, LOCANT_OK, NULL);
        assert_int_equal(x.advised[0].times, slow);
        assert_int_equal(x.advised[1].times, 0);
        CHECK(!slow || (x.advised[0].share > .5 && x.advised[0].share <= 1));
        locant_store_close(x.job.store);
    }
}

/* ---------------------------------------------------------------- refusals */

static locant_status other_seed(const locant_group *g, void *context)
{
    struct job *job = context;
    locant_train_options o = job->o;

    o.group = g;
    o.seed += g->rank == 1;
    return locant_train(&job->ids[g->rank], g->rank == 0 ? job->store : NULL,
                        corpus, &o);
}

IN_SCRATCH(unlike_options_are_refused_before_the_store_is_written)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options group = { .size = 3,
                                                .seed = test_rand() };
    struct job job = { .o = options("rope") };
    int64_t n;
    bool row;

    job.store = open_store("a");
    thread_group_run(results, &group, other_seed, &job);
    thread_group_check(results, 3, LOCANT_ERR_PARAM,
                       "rank 1 has 'seed=2' where rank 0 has 'seed=1'");
    CHECK_OK(
        lct_store_read(&row, job.store, "SELECT count(*) FROM runs", ">i", &n));
    assert_int_equal(n, 0);
    locant_store_close(job.store);
}

/* Rank 1 alone cannot begin: the others do not wait for it. */
static locant_status wrong_on_one(const locant_group *g, void *context)
{
    struct job *job = context;
    locant_train_options o = job->o;

    o.group = g;
    if (g->rank == 1)
        o.encoding = "rope(base=0)";
    return locant_train(&job->ids[g->rank], g->rank == 0 ? job->store : NULL,
                        corpus, &o);
}

static locant_status too_long_on_one(const locant_group *g, void *context)
{
    struct job *job = context;
    locant_train_options o = job->o;

    o.group = g;
    if (g->rank == 1)
        o.steps = -1;
    return locant_train(&job->ids[g->rank], g->rank == 0 ? job->store : NULL,
                        corpus, &o);
}

static locant_status nowhere_on_one(const locant_group *g, void *context)
{
    struct job *job = context;
    locant_train_options o = job->o;

    o.group = g;
    return locant_train(g->rank == 1 ? NULL : &job->ids[g->rank],
                        g->rank == 0 ? job->store : NULL, corpus, &o);
}

static locant_status no_text_on_one(const locant_group *g, void *context)
{
    struct job *job = context;
    locant_train_options o = job->o;

    o.group = g;
    return locant_train(&job->ids[g->rank], g->rank == 0 ? job->store : NULL,
                        g->rank == 1 ? NULL : corpus, &o);
}

IN_SCRATCH(one_rank_that_cannot_begin_stops_all)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options group = { .size = 3,
                                                .seed = test_rand() };
    struct job job = { .o = options("rope") };

    job.store = open_store("a");
    thread_group_run(results, &group, wrong_on_one, &job);
    thread_group_check(results, 3, LOCANT_ERR_PARAM, "base");
    thread_group_run(results, &group, too_long_on_one, &job);
    thread_group_check(results, 3, LOCANT_ERR_PARAM, "steps is -1");
    thread_group_run(results, &group, nowhere_on_one, &job);
    thread_group_check(results, 3, LOCANT_ERR_PARAM, "rank 1: locant_train: ");
    thread_group_run(results, &group, no_text_on_one, &job);
    thread_group_check(results, 3, LOCANT_ERR_PARAM, "rank 1: locant_train: ");
    locant_store_close(job.store);
}

/* No memory for the k-th allocation of any rank: none waits for ever, and all
   of its memory is given back. */
IN_SCRATCH(survives_any_allocation_that_fails)
{
    const int stride = TEST_SANITIZED ? 29 : 3;
    struct thread_group_result results[2];
    locant_train_options o = options("t5");
    bool more = true;
    int failures = 0;

    o.steps = 2;
    o.memory = 8;
    for (long k = 1; more; k += stride) {
        struct job job = { .o = o, .stopping_rank = -1 };
        char name[32];

        snprintf(name, sizeof name, "k-%ld", k);
        job.store = open_store(name);
        more = thread_group_run_short(results, k, train_rank, &job);
        failures += results[0].status != LOCANT_OK;
        locant_store_close(job.store);
    }
    CHECK(failures > 60 / stride);
}

TEST(groups_that_cannot_train_are_refused)
{
    locant_train_options o = options("rope");
    locant_group g = { sizeof g, 0, 9, NULL, NULL };

    o.group = &g;
    CHECK_REFUSED(locant_train_check(corpus, &o), LOCANT_ERR_NULL,
                  "locant_train: group->exchange is NULL");
    g.exchange = (locant_status(*)(const locant_piece *, size_t,
                                   const locant_piece *, size_t, void *))1;
    CHECK_REFUSED(locant_train_check(corpus, &o), LOCANT_ERR_PARAM,
                  "locant_train: 9 ranks share a batch of 8 rows in 8 leaves,"
                  " expected at most 8 ranks, or more leaves");
    g.size = 4;
    CHECK_OK(locant_train_check(corpus, &o));
    o.batch = 7;
    o.leaves = 0;
    CHECK_REFUSED(locant_train_check(corpus, &o), LOCANT_ERR_PARAM,
                  "locant_train: 4 ranks share a batch of 7 rows in 1 leaves,"
                  " expected at most 1 ranks, or more leaves");
    g.struct_size = 4;
    CHECK(locant_train_check(corpus, &o) == LOCANT_ERR_PARAM);
}

TEST_GROUP(make_corpus, free_corpus)
