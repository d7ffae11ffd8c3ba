/* test_group.c - gather, barrier, broadcast and greeting of a group */
/* needs: lab */
#include "testing.h"
#include "group_case.h"
#include "train/ranks.h"
#include "thread_group.h"
#include <stdio.h>

static const int sizes[] = { 1, 2, 3, 4, 5, 8, 33 };

/* A sentence with the rank; valid until the next call. */
static const char *with_rank(const char *format, int rank, int size)
{
    static char text[THREAD_GROUP_MESSAGE];

    snprintf(text, sizeof text, format, rank, size);
    return text;
}

static struct thread_group_options of_size(int size)
{
    return (struct thread_group_options){ .size = size, .seed = test_rand() };
}

/* Run the body in every rank of a group of each size; all must succeed. */
static void run_all(thread_group_body body, void *context)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];

    for (size_t i = 0; i < LEN(sizes); i++) {
        const struct thread_group_options o = of_size(sizes[i]);

        thread_group_run(results, &o, body, context);
        for (int r = 0; r < o.size; r++)
            if (results[r].status != LOCANT_OK)
                FAIL("rank %d of %d: %s\n", r, o.size, results[r].message);
        assert_int_equal(thread_group_left(), 0);
    }
}

/* ------------------------------------------------------------------ gather */

TEST(gather_gives_every_rank_all_parts)
{
    run_all(gather, NULL);
}

/* --------------------------------------------------------------- broadcast */

TEST(broadcast_gives_every_rank_the_bytes_of_the_first)
{
    size_t bytes = 299;

    run_all(broadcast, &bytes);
    bytes = 0;
    run_all(broadcast, &bytes);
}

TEST(without_a_group_there_is_one_rank)
{
    const size_t begin[] = { 0, 1 };
    char data = 'x';

    assert_int_equal(lct_group_size(NULL), 1);
    assert_int_equal(lct_group_rank(NULL), 0);
    CHECK_OK(lct_group_broadcast(&data, 1, NULL));
    CHECK_OK(lct_group_gather(&data, begin, NULL));
    CHECK_OK(lct_group_check("f", NULL));
    CHECK(lct_group_agree(LOCANT_ERR_IO, NULL) == LOCANT_ERR_IO);
    assert_int_equal(data, 'x');
}

TEST(a_group_that_cannot_work_is_refused)
{
    locant_group g = { sizeof g, 0, 2, thread_group_refuse, NULL };

    CHECK_OK(lct_group_check("f", &g));
    g.exchange = NULL;
    CHECK_REFUSED(lct_group_check("f", &g), LOCANT_ERR_NULL,
                  "f: group->exchange is NULL");
    g = (locant_group){ sizeof g, 2, 2, thread_group_refuse, NULL };
    CHECK_REFUSED(lct_group_check("f", &g), LOCANT_ERR_PARAM,
                  "f: rank 2 of a group of 2, expected at most 256 ranks,"
                  " counted from 0");
    g = (locant_group){ sizeof g, 0, 257, thread_group_refuse, NULL };
    CHECK(lct_group_check("f", &g) == LOCANT_ERR_PARAM);
    g = (locant_group){ sizeof g, -1, 2, thread_group_refuse, NULL };
    CHECK(lct_group_check("f", &g) == LOCANT_ERR_PARAM);
    g = (locant_group){ 8, 0, 1, thread_group_refuse, NULL };
    CHECK(lct_group_check("f", &g) == LOCANT_ERR_PARAM);
}

/* ------------------------------------------------------------------ status */

/* Ranks from 2 on fail, each with its own status. */
static locant_status agree(const locant_group *g, void *context)
{
    (void)context;
    return lct_group_agree(
        g->rank < 2
            ? LOCANT_OK
            : locant_fail(g->rank % 2 == 0 ? LOCANT_ERR_NOMEM : LOCANT_ERR_IO,
                          "failure %d", g->rank),
        g);
}

static locant_status tell_no_status(const locant_group *g, void *context)
{
    (void)context;
    return lct_group_agree(g->rank == 1 ? (locant_status)99 : LOCANT_OK, g);
}

TEST(the_first_failure_is_that_of_all_ranks)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];

    for (size_t i = 0; i < LEN(sizes); i++) {
        const struct thread_group_options o = of_size(sizes[i]);

        thread_group_run(results, &o, agree, NULL);
        for (int r = 0; r < o.size; r++) {
            assert_int_equal(results[r].status,
                             o.size > 2 ? LOCANT_ERR_NOMEM : LOCANT_OK);
            if (o.size > 2)
                assert_string_equal(results[r].message, "rank 2: failure 2");
        }
        thread_group_run(results, &o, tell_no_status, NULL);
        for (int r = 0; r < o.size; r++)
            assert_int_equal(results[r].status,
                             o.size > 1 ? LOCANT_ERR_FORMAT : LOCANT_OK);
        assert_int_equal(thread_group_left(), 0);
    }
}

/* ---------------------------------------------------------------- greeting */

TEST(ranks_that_are_alike_greet)
{
    struct greetings x = { -1, NULL, NULL };

    run_all(greet, &x);
}

/* All ranks give this one message. */
static void check_unlike(struct greetings x, int size, const char *message)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options o = of_size(size);

    thread_group_run(results, &o, greet, &x);
    for (int r = 0; r < size; r++) {
        assert_int_equal(results[r].status, LOCANT_ERR_PARAM);
        assert_string_equal(results[r].message, message);
    }
    assert_int_equal(thread_group_left(), 0);
}

TEST(unlike_builds_and_runs_are_refused_with_both_values)
{
    const char *build = "locant 0.1.0, avx2, gcc 12.2.0";
    const char *key = "1;rope;corpus=ab;seed=1";

    for (int size = 2; size <= 5; size++) {
        check_unlike((struct greetings){ size - 1,
                                         "locant 0.1.0, avx512, gcc 12.2.0",
                                         key },
                     size,
                     with_rank("locant_train: rank %d has 'avx512' where rank 0"
                               " has 'avx2': all ranks need the same build,"
                               " instruction set, text and options",
                               size - 1, 0));
        check_unlike((struct greetings){ 1, build, "1;rope;corpus=cd;seed=2" },
                     size,
                     "locant_train: rank 1 has 'corpus=cd' where rank 0 has"
                     " 'corpus=ab': all ranks need the same build, instruction"
                     " set, text and options");
        check_unlike(
            (struct greetings){ 1, build, "1;rope;corpus=ab;seed=1;leaves=8" },
            size,
            "locant_train: rank 1 has 'leaves=8' where rank 0 has '':"
            " all ranks need the same build, instruction set, text and"
            " options");
    }
}

/* A rank that sends anything at all as its greeting. */
static locant_status greet_wrongly(const locant_group *g, void *context)
{
    unsigned char bytes[160];
    const locant_piece to = { 0, bytes, 80 }, from = { 0, bytes, 160 };
    struct greetings x = { -1, NULL, NULL };
    locant_random *random = context;

    if (g->rank != 1)
        return greet(g, &x);
    for (size_t i = 0; i < 80; i++)
        bytes[i] = (unsigned char)locant_random_word(random);
    if (locant_random_below(random, 2))
        memcpy(bytes, "LOCGRP01", 8);
    LCT_TRY(g->exchange(&to, 1, NULL, 0, g->context));
    return g->exchange(NULL, 0, &from, 1, g->context);
}

TEST(bytes_that_are_no_greeting_are_refused)
{
    locant_random random = { test_rand(), 0, 0 };

    for (int i = 0; i < 50; i++) {
        struct thread_group_result results[3];
        const struct thread_group_options o = of_size(3);

        thread_group_run(results, &o, greet_wrongly, &random);
        for (int r = 0; r < 3; r += 2) {
            assert_int_equal(results[r].status, LOCANT_ERR_PARAM);
            CHECK(strstr(results[r].message, "rank 1 ") != NULL);
        }
    }
}

/* ------------------------------------------------------------------ faults */

static locant_status do_all(const locant_group *g, void *context)
{
    struct greetings x = { -1, NULL, NULL };
    size_t bytes = 20;

    (void)context;
    LCT_TRY(greet(g, &x));
    LCT_TRY(broadcast(g, &bytes));
    LCT_TRY(gather(g, NULL));
    LCT_TRY(gather(g, NULL));
    return gather(g, NULL);
}

/* All ranks that did not end in time report the rank that is lost. */
static void check_reported(const struct thread_group_result *results, int lost,
                           int size)
{
    for (int r = 0; r < size; r++)
        if (results[r].status != LOCANT_OK)
            assert_string_equal(results[r].message,
                                with_rank("rank %d of %d is lost", lost, size));
}

/* Each exchange of the rank fails once. Nobody waits for ever. */
static void lose(int lost, int size)
{
    struct thread_group_result results[8];
    struct thread_group_options o = of_size(size);

    o.failing = lost;
    do {
        o.fails_at++;
        thread_group_run(results, &o, do_all, NULL);
        check_reported(results, lost, size);
    } while (results[lost].status != LOCANT_OK);
    CHECK(o.fails_at > 6);
}

TEST(a_lost_rank_is_reported_by_all_that_wait)
{
    for (int size = 2; size <= 5; size++)
        for (int lost = 0; lost < size; lost++)
            lose(lost, size);
}

/* ------------------------------------------------------------------ memory */

/* Bytes that a rank has for gradients beyond those of one process: a gradient
   for each of its subtrees but one, and slices of the others' subtrees, which
   are the largest allocation for so many elements. */
static double extra_bytes(const locant_group *g, int64_t leaves, size_t n)
{
    locant_train_options o = LOCANT_TRAIN_INIT;
    struct lct_ranks r;
    double slices;
    size_t own;

    o.group = g;
    o.batch = o.leaves = leaves;
    test_memory_fail(0);
    CHECK_OK(lct_ranks_create(&r, &o));
    CHECK_OK(lct_ranks_reserve(&r, n));
    own = (size_t)lct_tree_subtrees(r.leaves.first, r.leaves.last);
    slices = (double)test_memory_largest();
    CHECK(slices >= (double)((r.count - own) * (n / (size_t)g->size) * 4));
    slices += (double)((own - 1) * n * sizeof(float));
    lct_ranks_free(&r);
    test_memory_end();
    return slices;
}

/* docs/SCALE.md: (log2 L + 3) gradients of n elements, and one byte. */
TEST(a_rank_has_few_gradients_more_than_one_process)
{
    const size_t n = 1 << 18;
    const double bytes = (double)(n * sizeof(float));
    double most = 0;

    for (int log = 1; log <= 8; log++) {
        for (int size = 2; size <= 16 && size <= 1 << log; size++) {
            for (int rank = 0; rank < size; rank++) {
                const locant_group g = { sizeof g, rank, size, NULL, NULL };
                const double extra = extra_bytes(&g, 1 << log, n);

                if (extra > (log + 3) * bytes + 1)
                    FAIL("rank %d of %d, %d leaves: %.2f gradients\n", rank,
                         size, 1 << log, extra / bytes);
                most = log == 4 && extra > most ? extra : most;
            }
        }
    }
    CHECK(most < 3.34 * bytes && most > 3.33 * bytes); /* of 16 leaves */
}
