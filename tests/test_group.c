/* test_group.c - gather, barrier, broadcast and greeting of a group */
/* needs: lab */
#include "testing.h"
#include "thread_group.h"
#include "train/greeting.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* A byte that tells rank and place. */
static unsigned char byte_of(int rank, size_t at)
{
    return (unsigned char)(31 * (unsigned)rank + 7 * (unsigned)at + 1);
}

/* ------------------------------------------------------------------ gather */

/* Parts of unlike sizes, some of them empty. */
static size_t part_bytes(int rank)
{
    return rank % 3 == 2 ? 0 : 5 + 40 * (size_t)rank;
}

static locant_status gather(const locant_group *g, void *context)
{
    size_t begin[THREAD_GROUP_RANKS + 1] = { 0 };
    unsigned char *data;
    locant_status status;

    (void)context;
    for (int r = 0; r < g->size; r++)
        begin[r + 1] = begin[r] + part_bytes(r);
    data = calloc(begin[g->size] + 1, 1);
    for (size_t i = begin[g->rank]; i < begin[g->rank + 1]; i++)
        data[i] = byte_of(g->rank, i);
    status = lct_group_gather(data, begin, g);
    for (int r = 0; r < g->size && status == LOCANT_OK; r++)
        for (size_t i = begin[r]; i < begin[r + 1]; i++)
            if (data[i] != byte_of(r, i))
                status = locant_fail(LOCANT_ERR_FORMAT, "byte %zu", i);
    free(data);
    return status;
}

TEST(gather_gives_every_rank_all_parts)
{
    run_all(gather, NULL);
}

/* --------------------------------------------------------------- broadcast */

static locant_status broadcast(const locant_group *g, void *context)
{
    unsigned char data[300];
    const size_t bytes = *(size_t *)context;

    memset(data, 0, sizeof data);
    for (size_t i = 0; i < bytes && g->rank == 0; i++)
        data[i] = byte_of(9, i);
    LCT_TRY(lct_group_broadcast(data, bytes, g));
    for (size_t i = 0; i < sizeof data; i++)
        if (data[i] != (i < bytes ? byte_of(9, i) : 0))
            return locant_fail(LOCANT_ERR_FORMAT, "byte %zu", i);
    return LOCANT_OK;
}

TEST(broadcast_gives_every_rank_the_bytes_of_the_first)
{
    size_t bytes = 299;

    run_all(broadcast, &bytes);
    bytes = 0;
    run_all(broadcast, &bytes);
}

/* ----------------------------------------------------------------- barrier */

/* Nobody leaves round i before all have entered it. */
static locant_status meet(const locant_group *g, void *context)
{
    atomic_int *entered = context;

    for (int i = 1; i <= 5; i++) {
        atomic_fetch_add(entered, 1);
        LCT_TRY(lct_group_barrier(g));
        if (atomic_load(entered) < i * g->size)
            return locant_fail(LOCANT_ERR_FORMAT, "left round %d too early", i);
    }
    return lct_group_barrier(g);
}

TEST(barrier_waits_for_every_rank)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];

    for (size_t i = 0; i < LEN(sizes); i++) {
        const struct thread_group_options o = of_size(sizes[i]);
        atomic_int entered = 0;

        thread_group_run(results, &o, meet, &entered);
        for (int r = 0; r < o.size; r++)
            if (results[r].status != LOCANT_OK)
                FAIL("rank %d of %d: %s\n", r, o.size, results[r].message);
    }
}

TEST(without_a_group_there_is_one_rank)
{
    const size_t begin[] = { 0, 1 };
    char data = 'x';

    assert_int_equal(lct_group_size(NULL), 1);
    assert_int_equal(lct_group_rank(NULL), 0);
    CHECK_OK(lct_group_barrier(NULL));
    CHECK_OK(lct_group_broadcast(&data, 1, NULL));
    CHECK_OK(lct_group_gather(&data, begin, NULL));
    CHECK_OK(lct_group_check("f", NULL));
    assert_int_equal(data, 'x');
}

static locant_status no_exchange(const locant_piece *send, size_t sends,
                                 const locant_piece *receive, size_t receives,
                                 void *context)
{
    (void)send;
    (void)sends;
    (void)receive;
    (void)receives;
    (void)context;
    return LOCANT_OK;
}

TEST(a_group_that_cannot_work_is_refused)
{
    locant_group g = { sizeof g, 0, 2, no_exchange, NULL };

    CHECK_OK(lct_group_check("f", &g));
    g.exchange = NULL;
    CHECK_REFUSED(lct_group_check("f", &g), LOCANT_ERR_NULL,
                  "f: group->exchange is NULL");
    g = (locant_group){ sizeof g, 2, 2, no_exchange, NULL };
    CHECK_REFUSED(lct_group_check("f", &g), LOCANT_ERR_PARAM,
                  "f: rank 2 of a group of 2, expected at most 256 ranks,"
                  " counted from 0");
    g = (locant_group){ sizeof g, 0, 257, no_exchange, NULL };
    CHECK(lct_group_check("f", &g) == LOCANT_ERR_PARAM);
    g = (locant_group){ sizeof g, -1, 2, no_exchange, NULL };
    CHECK(lct_group_check("f", &g) == LOCANT_ERR_PARAM);
    g = (locant_group){ 8, 0, 1, no_exchange, NULL };
    CHECK(lct_group_check("f", &g) == LOCANT_ERR_PARAM);
}

/* ---------------------------------------------------------------- greeting */

/* Rank 'unlike' (-1: none) greets with this build and this key. */
struct greetings {
    int unlike;
    const char *build, *key;
};

static locant_status greet(const locant_group *g, void *context)
{
    const struct greetings *x = context;
    const bool unlike = g->rank == x->unlike;
    const struct lct_greeting mine = {
        unlike ? x->build : "locant 0.1.0, avx2, gcc 12.2.0",
        unlike ? x->key : "1;rope;corpus=ab;seed=1", g->rank == 0 ? 812 : 5,
        g->rank == 0 ? UINT64_C(0xfedcba9876543210) : 6
    };
    struct lct_greeting begin;

    LCT_TRY(lct_greeting_exchange(&begin, &mine, g));
    if (begin.step != 812 || begin.hash != UINT64_C(0xfedcba9876543210) ||
        begin.key != mine.key)
        return locant_fail(LOCANT_ERR_FORMAT, "another greeting");
    return lct_group_barrier(g);
}

TEST(greeting_tells_every_rank_where_the_first_begins)
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
    unsigned char bytes[192];
    const locant_piece to = { 0, bytes, 96 }, from = { 0, bytes, 192 };
    struct greetings x = { -1, NULL, NULL };
    locant_random *random = context;

    if (g->rank != 1)
        return greet(g, &x);
    for (size_t i = 0; i < 96; i++)
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
    LCT_TRY(lct_group_barrier(g));
    return lct_group_barrier(g);
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
