/* test_core.c - statuses, tensors, memory, threads, random numbers */
#include "testing.h"
#include "core/pool.h"
#include "core/size.h"
#include "core/tensor.h"
#include "kernel/row.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(sentences_stay_on_their_thread)
{
    assert_int_equal(locant_fail(LOCANT_ERR_PARAM, "%s is %d", "x", 3),
                     LOCANT_ERR_PARAM);
    assert_string_equal(locant_last_error(), "x is 3");
    /* An argument may be the last sentence itself. */
    locant_fail(LOCANT_ERR_IO, "again: %s", locant_last_error());
    assert_string_equal(locant_last_error(), "again: x is 3");
    for (int s = 0; s <= LOCANT_ERR_INTERRUPTED; s++)
        assert_memory_equal(locant_status_name((locant_status)s), "LOCANT_", 7);
    assert_string_equal(locant_status_name((locant_status)99),
                        "LOCANT_ERR_UNKNOWN");
}

/* Known answers of the Random123 distribution (kat_vectors, philox4x32-10). */
TEST(philox_matches_published_vectors)
{
    static const struct {
        uint32_t counter[4], key[2], want[4];
    } known[] = {
        { { 0, 0, 0, 0 },
          { 0, 0 },
          { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
          { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    uint32_t out[4];

    for (size_t i = 0; i < LEN(known); i++) {
        locant_philox(out, known[i].counter, known[i].key);
        assert_memory_equal(out, known[i].want, sizeof(out));
    }
}

TEST(random_streams_resume_and_are_uniform)
{
    locant_random a = { .seed = 7, .stream = 3 }, b;
    double sum = 0, squares = 0;
    enum { N = 100000 };

    for (int i = 0; i < 1001; i++)
        locant_random_word(&a);
    b = a;
    for (int i = 0; i < 100; i++)
        assert_int_equal(locant_random_word(&a), locant_random_word(&b));
    for (int i = 0; i < N; i++) {
        double x = locant_random_normal(&a);

        sum += x;
        squares += x * x;
        CHECK(locant_random_below(&b, 3) < 3);
    }
    /* Standard errors 1/sqrt(N) and sqrt(2/N): five of them. */
    CHECK(fabs(sum / N) < 5 / sqrt((double)N));
    CHECK(fabs(squares / N - 1) < 5 * sqrt(2.0 / N));
}

TEST(tensors_are_checked)
{
    float data[12] = { 0 };
    int64_t shape[2] = { 3, 4 }, any[2] = { -1, -1 }, want[2] = { 3, 5 };
    locant_tensor t = locant_dense(data, LOCANT_F32, 2, shape);

    CHECK_OK(lct_check("f", "x", &t, LCT_IN_F32, 2, any));
    CHECK_REFUSED(lct_check("f", "x", NULL, LCT_IN_F32, 2, any),
                  LOCANT_ERR_NULL, "f: x is NULL");
    CHECK_REFUSED(lct_check("f", "x", &t, LCT_IN_F64 | LCT_IN_BF16, 2, any),
                  LOCANT_ERR_DTYPE, "f: x is f32, expected bf16 or f64");
    CHECK_REFUSED(lct_check("f", "x", &t, LCT_IN_F32, 3, any), LOCANT_ERR_SHAPE,
                  "f: x has rank 2, expected 3");
    CHECK_REFUSED(lct_check("f", "x", &t, LCT_IN_F32, 2, want),
                  LOCANT_ERR_SHAPE,
                  "f: x has size 4 in dimension 1, expected 5");
    t.stride[1] = 2;
    CHECK_REFUSED(lct_check("f", "x", &t, LCT_IN_F32, 2, any),
                  LOCANT_ERR_LAYOUT, "f: last stride of x is 2, expected 1");
    t = locant_dense(data, LOCANT_F32, 2, shape);
    t.shape[0] = INT64_MAX / 8;
    CHECK_REFUSED(lct_check("f", "x", &t, LCT_IN_F32, 2, any), LOCANT_ERR_SHAPE,
                  "f: the size of x does not fit in memory");
    t = locant_dense(data, LOCANT_F32, 2, shape);
    t.stride[0] = INT64_MAX / 2;
    CHECK_REFUSED(lct_check("f", "x", &t, LCT_IN_F32, 2, any),
                  LOCANT_ERR_LAYOUT, "f: the strides of x reach beyond memory");
    t = locant_dense((char *)data + 1, LOCANT_F32, 2, shape);
    CHECK_REFUSED(lct_check("f", "x", &t, LCT_IN_F32, 2, any),
                  LOCANT_ERR_LAYOUT,
                  "f: the data of x is not aligned to its 4-byte elements");
}

TEST(overlap_is_seen)
{
    float data[64];
    locant_tensor a = DENSE(F32, data, 4, 8);

    CHECK_OK(lct_check_overlap("f", &a, &a));
    CHECK_OK(lct_check_apart("f", &a, VIEW(F32, data + 32, 4, 8)));
    assert_int_equal(lct_check_overlap("f", &a, VIEW(F32, data + 8, 4, 8)),
                     LOCANT_ERR_ALIAS);
    assert_int_equal(lct_check_apart("f", &a, &a), LOCANT_ERR_ALIAS);
    a.stride[0] = 4; /* rows share four elements */
    assert_int_equal(lct_check_output("f", "x", &a), LOCANT_ERR_LAYOUT);
    a.stride[0] = 0;
    assert_int_equal(lct_check_output("f", "x", &a), LOCANT_ERR_LAYOUT);
}

TEST(sizes_do_not_wrap)
{
    int64_t zero[3] = { 0, INT64_MAX, 4 }, big[2] = { 1ll << 32, 1ll << 32 };
    int64_t good[2] = { 3, 5 };
    size_t bytes = 1;

    CHECK(!lct_array_bytes(&bytes, zero, 3, 4)); /* a 0 hides nothing */
    CHECK(!lct_array_bytes(&bytes, big, 2, 1));
    CHECK(lct_array_bytes(&bytes, good, 2, 8) && bytes == 120);
    CHECK(lct_array_bytes(&bytes, zero, 1, 4) && bytes == 0);
}

/* Exhaustive over the 16-bit formats: widen, narrow, get the same back. */
TEST(half_formats_round_trip)
{
    static const locant_dtype kinds[] = { LOCANT_F16, LOCANT_BF16 };

    for (size_t k = 0; k < LEN(kinds); k++)
        for (uint32_t u = 0; u < 65536; u++) {
            uint16_t in = (uint16_t)u, out;
            double wide;

            lct_row_to_f64(&wide, &in, kinds[k], 1);
            if (isnan(wide) || (kinds[k] == LOCANT_BF16 && (u & 0x7fff) == 0))
                continue;
            lct_row_from_f64(&out, kinds[k], &wide, 1);
            if (in != out)
                FAIL("%s %04x became %04x", locant_dtype_name(kinds[k]), in,
                     out);
        }
}

/* Every double between two neighbours goes to the nearer, ties to even. */
TEST(half_formats_round_to_nearest_even)
{
    static const locant_dtype kinds[] = { LOCANT_F16, LOCANT_BF16 };

    for (size_t k = 0; k < LEN(kinds); k++) {
        uint16_t top = kinds[k] == LOCANT_F16 ? 0x7bff : 0x7f7f;

        for (uint16_t u = 1; u < top; u++) {
            uint16_t next = (uint16_t)(u + 1), out;
            double a, b, x;

            lct_row_to_f64(&a, &u, kinds[k], 1);
            lct_row_to_f64(&b, &next, kinds[k], 1);
            x = a + (b - a) * 0.5;
            lct_row_from_f64(&out, kinds[k], &x, 1);
            CHECK(out == (u % 2 == 0 ? u : next));
            x = nextafter(x, 0);
            lct_row_from_f64(&out, kinds[k], &x, 1);
            CHECK(out == u);
            x = nextafter(a + (b - a) * 0.5, INFINITY);
            lct_row_from_f64(&out, kinds[k], &x, 1);
            CHECK(out == next);
        }
    }
}

/* ----------------------------------------------------------------- threads */

enum { TASKS = 1000 };
static _Atomic int ran[TASKS];
static _Atomic int in_slot[1024];

static void note(void *context, size_t task, int slot)
{
    (void)context;
    CHECK(atomic_fetch_add(&in_slot[slot], 1) == 0);
    atomic_fetch_add(&ran[task], 1);
    atomic_fetch_sub(&in_slot[slot], 1);
}

static void nested(void *context, size_t task, int slot)
{
    (void)slot;
    CHECK(lct_inside_task());
    CHECK(lct_slots() == 1);
    if (task < 10)
        locant_parallel_for(TASKS / 10, note, context);
}

static void check_all_ran(int times)
{
    for (int i = 0; i < TASKS; i++)
        if (atomic_exchange(&ran[i], 0) != times)
            FAIL("task %d did not run %d times", i, times);
}

TEST(every_task_runs_once)
{
    static const int threads[] = { 1, 2, 3, 7, 16 };

    for (size_t i = 0; i < LEN(threads); i++) {
        CHECK_OK(locant_set_threads(threads[i]));
        assert_int_equal(locant_threads(), threads[i]);
        for (int round = 0; round < 50; round++) {
            locant_parallel_for(TASKS, note, NULL);
            check_all_ran(1);
        }
    }
    CHECK_OK(locant_set_threads(0));
    REFUSES(PARAM, locant_set_threads(-1),
            "threads is -1, expected 0 (automatic) to 1024");
}

static void count(void *context, size_t task, int slot)
{
    (void)context;
    (void)slot;
    atomic_fetch_add(&ran[task], 1);
}

static void count_inside(void *context, size_t task, int slot)
{
    (void)task;
    (void)slot;
    locant_parallel_for(TASKS, count, context);
}

TEST(nested_calls_run_serially)
{
    CHECK_OK(locant_set_threads(4));
    locant_parallel_for(20, count_inside, NULL);
    check_all_ran(20);
    locant_parallel_for(1, nested, NULL);
    for (int i = 0; i < TASKS; i++)
        atomic_store(&ran[i], 0);
    CHECK_OK(locant_set_threads(0));
}

static void *caller(void *unused)
{
    for (int round = 0; round < 50; round++)
        locant_parallel_for(TASKS, count, unused);
    return NULL;
}

TEST(several_callers_take_turns)
{
    pthread_t thread[4];

    CHECK_OK(locant_set_threads(3));
    for (size_t i = 0; i < LEN(thread); i++)
        assert_int_equal(pthread_create(&thread[i], NULL, caller, NULL), 0);
    for (size_t i = 0; i < LEN(thread); i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    check_all_ran(200);
    CHECK_OK(locant_set_threads(0));
}

TEST(children_of_fork_work)
{
    CHECK_OK(locant_set_threads(4));
    locant_parallel_for(TASKS, count, NULL);
    check_all_ran(1);
    for (int round = 0; round < 5; round++) {
        int status;
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            alarm(20); /* a hang is a failure */
            locant_parallel_for(TASKS, count, NULL);
            for (int i = 0; i < TASKS; i++)
                if (ran[i] != 1)
                    _exit(1);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK_OK(locant_set_threads(0));
}

static int lent_calls;

static void lend(size_t tasks, locant_task body, void *task_context,
                 void *context)
{
    (void)context;
    lent_calls++;
    for (size_t task = tasks; task-- > 0;)
        body(task_context, task, (int)(task % 2));
}

TEST(threads_can_be_lent)
{
    CHECK_OK(locant_set_threads(2));
    locant_set_parallel_for(lend, NULL);
    lent_calls = 0;
    locant_parallel_for(20, count_inside, NULL);
    locant_set_parallel_for(NULL, NULL);
    check_all_ran(20);
    assert_int_equal(lent_calls, 1); /* calls inside a task stay serial */
    CHECK_OK(locant_set_threads(0));
}

/* ------------------------------------------------------------------ memory */

TEST(memory_goes_through_the_hook)
{
    char *p;

    test_memory_fail(0);
    p = locant_alloc(100);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 64, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(p[i], 0);
    assert_int_equal(test_memory_held(), 1);
    locant_release(p);
    locant_release(NULL);
    assert_int_equal(test_memory_held(), 0);
    assert_null(locant_alloc(SIZE_MAX - 8));
    test_memory_end();
}

TEST(isa_names_are_checked)
{
    int available, any = 0;

    for (int i = 0; locant_isa_at(i, &available) != NULL; i++)
        any |= available;
    CHECK(any);
    assert_null(locant_isa_at(-1, NULL));
    REFUSES(PARAM, locant_set_isa("avx"),
            "no kernels named 'avx' in this build");
}
