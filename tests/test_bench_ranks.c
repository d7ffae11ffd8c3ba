/* needs: bench, lab */
/* test_bench_ranks.c - messages of ranks are timed after they were judged */
#include "bench/bench_ranks.h"
#include "testing.h"
#include "thread_group.h"
#include <math.h>

enum { SIZES = 2 };

/* What all ranks are given. Rank 'spoiling' gets a byte changed in pieces of
   'bytes'. */
struct job {
    int spoiling;
    size_t bytes;
    struct bench_ranks found[THREAD_GROUP_RANKS];
};

struct spoiler {
    const locant_group *group;
    size_t bytes;
};

static locant_status spoil(const locant_piece *send, size_t sends,
                           const locant_piece *receive, size_t receives,
                           void *context)
{
    const struct spoiler *x = context;
    const locant_status status =
        x->group->exchange(send, sends, receive, receives, x->group->context);

    for (size_t i = 0; i < receives && status == LOCANT_OK; i++)
        if (receive[i].bytes == x->bytes)
            ((char *)receive[i].data)[receive[i].bytes - 2] ^= 1;
    return status;
}

static locant_status measure(const locant_group *g, void *context)
{
    struct job *job = context;
    struct spoiler x = { g, job->bytes };
    const locant_group spoilt = { sizeof spoilt, g->rank, g->size, spoil, &x };

    return bench_ranks(&job->found[g->rank],
                       g->rank == job->spoiling ? &spoilt : g, NULL, true);
}

static void run(struct thread_group_result *results, struct job *job, int size)
{
    const struct thread_group_options group = { .size = size,
                                                .seed = test_rand() };

    thread_group_run(results, &group, measure, job);
}

static void check_numbers(const struct bench_ranks *b, int size)
{
    CHECK(b->size == size && b->sums == 2 && b->gathers == 1);
    CHECK(b->flops > 1e6 && b->latency > 1e-9 && b->bandwidth > 1e5);
    for (int i = 0; i < b->sums; i++)
        CHECK(b->sum[i].tree > 0 && isnan(b->sum[i].allreduce));
    CHECK(b->gather[0].bytes == 128 * 768 * 2 * 4 && b->gather[0].seconds > 0);
    CHECK(b->ranks[0] == size && b->counts == (size == 2 ? 5 : 6));
}

/* By the formula of docs/SCALE.md: M sends 2 x 4 x 860000 bytes (P-1)/P, in 2
   (P-1) messages; 16 sequences of 128 tokens, 4 layers of 128 channels. */
static void check_efficiency(const struct bench_ranks *b)
{
    for (int c = 0; c < b->counts; c++) {
        const double p = b->ranks[c];
        const double ideal =
            16 * (6 * .86e6 * 128 + 7 * 128. * 128 * 128 * 4) / p / b->flops;
        const double messages =
            8 * .86e6 * (p - 1) / p / b->bandwidth + 2 * (p - 1) * b->latency;
        const double found = b->load[1].efficiency[c];

        if (p > 16)
            CHECK(isnan(found));
        else
            CHECK(fabs(found - ideal / (ideal + messages)) < 1e-12);
    }
}

TEST(every_rank_gets_the_same_numbers)
{
    static const int sizes[SIZES] = { 2, 3 };

    for (int i = 0; i < SIZES; i++) {
        struct thread_group_result results[THREAD_GROUP_RANKS];
        static struct job job;

        job.spoiling = -1;
        run(results, &job, sizes[i]);
        thread_group_check(results, sizes[i], LOCANT_OK, NULL);
        CHECK(thread_group_left() == 0);
        for (int r = 0; r < sizes[i]; r++) {
            check_numbers(&job.found[r], sizes[i]);
            check_efficiency(&job.found[r]);
            CHECK(job.found[r].latency == job.found[0].latency);
            CHECK(job.found[r].sum[1].tree == job.found[0].sum[1].tree);
        }
    }
}

/* The piece of a neighbour; half of the keys and values; half of a gradient. */
TEST(wrong_bytes_are_noticed_before_they_are_timed)
{
    static const struct {
        size_t bytes;
        const char *what;
    } cases[] = {
        { 1 << 18, "locant bench: a piece arrived with other bytes" },
        { 393216, "gathered keys and values have other bytes" },
        { 2000, "the sum of leaves has other bits" },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct thread_group_result results[THREAD_GROUP_RANKS];
        static struct job job;

        job.spoiling = 1;
        job.bytes = cases[i].bytes;
        run(results, &job, 2);
        thread_group_check(results, 2, LOCANT_ERR_FORMAT, cases[i].what);
    }
}

TEST(one_rank_has_no_messages)
{
    const locant_group alone = { sizeof alone, 0, 1, NULL, NULL };
    struct bench_ranks b;

    CHECK_REFUSED(bench_ranks(&b, &alone, NULL, true), LOCANT_ERR_PARAM,
                  "locant bench: there is 1 rank, expected at least 2, as of"
                  " mpirun -n 2");
}
