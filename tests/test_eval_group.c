/*
 * test_eval_group.c - an evaluation that ranks share out has the bits of one
 * process, whatever their number, and one failure is the failure of all.
 *
 * Nothing here has a tolerance: losses are compared bit by bit.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"
#include "thread_group.h"
#include <math.h>

enum { BLOCKS = 5, TRAINED = 64 };
static const int sizes[] = { 1, 2, 3, 4, 8 };
static int stores;
static int64_t blocks = BLOCKS; /* of an evaluation */

/* What all ranks are given. */
struct job {
    locant_eval_options o;
    locant_store *store;
    const locant_corpus *text; /* of rank 1, if it has another */
    int64_t id;
    int64_t blocks; /* of rank 1, if it has others */
    bool no_text;   /* for rank 1 */
    bool nowhere;   /* rank 1 has no room for the result */
    locant_evaluation got[8];
};

static locant_status evaluate_rank(const locant_group *g, void *context)
{
    struct job *job = context;
    locant_eval_options o = job->o;

    o.group = g;
    if (g->rank == 1 && job->blocks)
        o.blocks = job->blocks;
    return locant_evaluate_as(g->rank == 1 && job->nowhere ? NULL
                                                           : &job->got[g->rank],
                              g->rank == 0 ? job->store : NULL, job->id,
                              g->rank != 1   ? corpus
                              : job->no_text ? NULL
                              : job->text    ? job->text
                                             : corpus,
                              &o);
}

/* A store of its own with one run, so that no result is there yet. */
static struct job begin(const locant_train_options *train)
{
    struct job job = { .o = LOCANT_EVAL_INIT };
    char name[32];

    snprintf(name, sizeof name, "store-%d", stores++);
    job.store = open_store(name);
    job.o.blocks = blocks;
    CHECK_OK(locant_train(&job.id, job.store, corpus, train));
    return job;
}

static void run_job(struct thread_group_result *results, struct job *job,
                    const struct thread_group_options *group)
{
    memset(job->got, 0, sizeof job->got);
    thread_group_run(results, group, evaluate_rank, job);
}

/* ------------------------------------------------------------------ bits */

/* All but the time; the bits of NAN are not compared. */
static bool same(const locant_evaluation *a, const locant_evaluation *b)
{
    const double *x = (const double *)a, *y = (const double *)b;
    locant_evaluation timeless = *a;
    const size_t n = sizeof *a / sizeof *x;

    timeless.tokens_per_second = b->tokens_per_second;
    x = (const double *)&timeless;
    for (size_t i = 0; i < n; i++)
        if (memcmp(&x[i], &y[i], sizeof *x) != 0 &&
            !(isnan(x[i]) && isnan(y[i])))
            return false;
    return true;
}

static int64_t recorded(locant_store *s)
{
    int64_t n;
    bool row;

    CHECK_OK(
        lct_store_read(&row, s, "SELECT count(*) FROM evaluations", ">i", &n));
    return n;
}

/* The losses of each block that the store keeps, of one protocol. */
static void check_blocks(const struct job *a, const struct job *b,
                         const struct lct_evaluation_key *key,
                         const char *protocol, size_t lengths)
{
    double *x, *y;

    CHECK_OK(lct_store_read_block_losses(&x, a->store, key, protocol, lengths,
                                         (size_t)blocks));
    CHECK_OK(lct_store_read_block_losses(&y, b->store, key, protocol, lengths,
                                         (size_t)blocks));
    CHECK((x == NULL) == (y == NULL));
    for (size_t i = 0; x && i < lengths * (size_t)blocks; i++)
        CHECK(x[i] == y[i] || (isnan(x[i]) && isnan(y[i])));
    locant_release(x);
    locant_release(y);
}

static void check_bits(const locant_train_options *train, const char *as,
                       enum locant_eval_policy policy)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    struct job one = begin(train);
    const struct lct_evaluation_key key = {
        .run = one.id,
        .want = blocks,
        .corpus_sha256 = locant_corpus_info_of(corpus)->sha256
    };
    locant_evaluation want;

    one.o.encoding = as;
    one.o.policy = policy;
    CHECK_OK(locant_evaluate_as(&want, one.store, one.id, corpus, &one.o));
    CHECK(isfinite(want.same_targets[0]));
    for (size_t i = 0; i < LEN(sizes); i++) {
        const struct thread_group_options group = { .size = sizes[i],
                                                    .seed = test_rand() };
        struct job job = begin(train);

        job.o = one.o;
        for (int again = 0; again < 2; again++) {
            run_job(results, &job, &group);
            thread_group_check(results, sizes[i], LOCANT_OK, NULL);
            assert_int_equal(thread_group_left(), 0);
            for (int r = 0; r < sizes[i]; r++) {
                if (!same(&job.got[r], &want))
                    FAIL("%s: rank %d of %d has other losses\n",
                         train->encoding, r, sizes[i]);
                CHECK(memcmp(&job.got[r], &job.got[0], sizeof want) == 0);
            }
        }
        assert_int_equal(recorded(job.store), 1);
        if (!as && !policy) {
            check_blocks(&one, &job, &key, "P1", LOCANT_EVAL_LENGTHS);
            check_blocks(&one, &job, &key, "P3", LOCANT_EVAL_LENGTHS);
            check_blocks(&one, &job, &key, "P4", 1);
            for (int c = 0; c < LCT_CHANGED; c++)
                check_blocks(&one, &job, &key, lct_changed_names[c], 1);
        }
        locant_store_close(job.store);
    }
    locant_store_close(one.store);
}

/* Causality is checked in two ways (FIRE needs the length), and a table ends
   before the windows do. */
TEST(any_number_of_ranks_has_the_bits_of_one_process)
{
    static const char *const specs[] = { "rope", "fire(hidden=6,length=64)",
                                         "learned(length=64)" };

    for (size_t i = 0; i < LEN(specs); i++) {
        locant_train_options o = narrow(specs[i], 1, TRAINED, 4);

        if (i < 2) {
            check_bits(&o, NULL, LOCANT_POLICY_NONE);
            continue;
        }
        check_bits(&o, NULL, LOCANT_POLICY_RESAMPLE);
    }
}

/* Fewer windows than ranks: each is shared out, and so are its tokens.  Inputs
   that the encoding reads, positions chosen for each row, and two windows for
   three and more ranks. */
TEST(windows_that_ranks_share_too)
{
    static const char *const specs[] = { "randomized(length=4096)+t5", "fox" };

    for (size_t i = 0; i < LEN(specs); i++) {
        locant_train_options o = narrow(specs[i], 1, TRAINED, 2);

        blocks = 1 + (int64_t)i;
        check_bits(&o, NULL, LOCANT_POLICY_NONE);
    }
    blocks = BLOCKS;
}

TEST(memory_another_spec_and_a_vocabulary_too)
{
    locant_train_options o = narrow("transformer-xl", 1, TRAINED, 4);

    o.memory = 40;
    check_bits(&o, NULL, LOCANT_POLICY_NONE);
    o = narrow("rope", 1, TRAINED, 4);
    check_bits(&o, "temperature(kind=logn)+rope", LOCANT_POLICY_NONE);
    o.vocabulary = 300;
    check_bits(&o, NULL, LOCANT_POLICY_NONE);
}

/* --------------------------------------------------------------- refusals */

static void refuse(struct job *job, locant_status status, const char *message)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options group = { .size = 3,
                                                .seed = test_rand() };

    run_job(results, job, &group);
    thread_group_check(results, 3, status, message);
    assert_int_equal(thread_group_left(), 0);
}

TEST(what_differs_is_refused_before_the_first_window)
{
    const locant_train_options o = narrow("rope", 1, TRAINED, 4);
    struct job job = begin(&o);
    locant_corpus *other = generated(512 << 10, 7);
    char want[160];

    job.blocks = 7;
    refuse(&job, LOCANT_ERR_PARAM,
           "locant_evaluate_as: rank 1 has 'blocks=7' where rank 0 has"
           " 'blocks=5'");
    job.blocks = -1;
    job.o.encoding = "rope(base=0)";
    refuse(&job, LOCANT_ERR_PARAM, "rank 1 has 'blocks=-1'");
    job.blocks = 0;
    refuse(&job, LOCANT_ERR_PARAM, "base");
    job.o.encoding = NULL;
    job.text = other;
    snprintf(want, sizeof want, "rank 1 has 'corpus=%.20s",
             locant_corpus_info_of(other)->sha256);
    refuse(&job, LOCANT_ERR_PARAM, want);
    job.text = NULL;
    job.id++;
    refuse(&job, LOCANT_ERR_PARAM, "run 2");
    assert_int_equal(recorded(job.store), 0);
    locant_corpus_free(other);
    locant_store_close(job.store);
}

/* Rank 1 alone was called wrongly: the others do not wait for it. */
TEST(one_rank_that_cannot_begin_stops_all)
{
    const locant_train_options o = narrow("rope", 1, TRAINED, 4);
    struct job job = begin(&o);

    job.no_text = true;
    refuse(&job, LOCANT_ERR_PARAM,
           "rank 1: locant_evaluate_as: corpus is NULL");
    job.nowhere = true;
    refuse(&job, LOCANT_ERR_PARAM, "rank 1: locant_evaluate_as: out is NULL");
    locant_store_close(job.store);
}

TEST(a_failure_of_the_store_is_told_to_all)
{
    const locant_train_options o = narrow("rope", 1, TRAINED, 4);
    struct job job = begin(&o);
    char name[32];

    locant_store_close(job.store);
    snprintf(name, sizeof name, "store-%d", stores - 1);
    CHECK_OK(locant_store_open_readonly(&job.store, scratch_file(&dir, name)));
    refuse(&job, LOCANT_ERR_PARAM, "was opened for reading only");
    locant_store_close(job.store);
    job.store = NULL;
    refuse(&job, LOCANT_ERR_PARAM, "rank 0: locant_evaluate_as: store is NULL");
}

TEST(groups_and_sizes_of_other_kinds_are_refused)
{
    locant_group g = { sizeof g, 0, 3, NULL, NULL };
    locant_eval_options o = LOCANT_EVAL_INIT;
    locant_evaluation e;

    o.group = &g;
    CHECK_REFUSED(locant_evaluate_as(&e, NULL, 1, corpus, &o), LOCANT_ERR_NULL,
                  "locant_evaluate_as: group->exchange is NULL");
    /* a caller that was built before there was a group */
    o.struct_size = offsetof(locant_eval_options, group);
    CHECK(locant_evaluate_as(&e, NULL, 1, corpus, &o) == LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(), "options->struct_size is") != NULL);
}

/* ----------------------------------------------------------------- faults */

static int stop_now(void *context)
{
    (void)context;
    return 1;
}

TEST(the_poll_stops_all)
{
    const locant_train_options o = narrow("rope", 1, TRAINED, 4);
    struct job job = begin(&o);

    locant_set_poll(stop_now, NULL);
    refuse(&job, LOCANT_ERR_INTERRUPTED, "was stopped by the poll");
    locant_set_poll(NULL, NULL);
    assert_int_equal(recorded(job.store), 0);
    locant_store_close(job.store);
}

/* Each exchange of a rank fails once: every rank that still works says so, and
   the same call evaluates the run. */
TEST(a_lost_rank_is_reported_and_nothing_is_recorded)
{
    const locant_train_options o = narrow("rope", 1, TRAINED, 4);
    struct thread_group_result results[THREAD_GROUP_RANKS];

    for (int lost = 0; lost < 3; lost++) {
        struct job job = begin(&o);
        struct thread_group_options group = { .size = 3, .failing = lost };
        long failures = 0;

        job.o.blocks = 2;
        for (;;) {
            group.seed = test_rand();
            group.fails_at += 1 + group.fails_at / 4;
            run_job(results, &job, &group);
            if (results[lost].status == LOCANT_OK)
                break;
            failures++;
            for (int r = 0; r < 3; r++)
                if (results[r].status != LOCANT_OK &&
                    (results[r].status != LOCANT_ERR_IO ||
                     strstr(results[r].message, "of 3 is lost") == NULL ||
                     strstr(results[r].message, "the same command") == NULL))
                    FAIL("exchange %ld, rank %d: %s\n", group.fails_at, r,
                         results[r].message);
        }
        CHECK(failures > 6);
        thread_group_check(results, 3, LOCANT_OK, NULL);
        locant_store_close(job.store);
    }
}

/* No memory for the k-th allocation of any rank: none waits for ever, and all
   of its memory is given back. */
TEST(survives_any_allocation_that_fails)
{
    const int stride = TEST_SANITIZED ? 29 : 1;
    const locant_train_options o = narrow("t5", 1, TRAINED, 4);
    struct thread_group_result results[2];
    bool more = true;
    int failures = 0;

    for (long k = 1; more; k += stride) {
        struct job job = begin(&o); /* without a result */

        job.o.blocks = 1;
        more = thread_group_run_short(results, k, evaluate_rank, &job);
        failures += results[0].status != LOCANT_OK;
        locant_store_close(job.store);
    }
    CHECK(failures > 45 / stride); /* of some 55 allocations */
}

TEST_WITH_LAB(512 << 10)
