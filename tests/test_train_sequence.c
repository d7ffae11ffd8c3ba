/*
 * test_train_sequence.c - rows that several leaves share: ranks that have parts
 * of a row train a run to the bits of one process.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "model/parts.h"
#include "train_group_case.h"
#include "trainer_case.h"

enum { STEPS = 3 };

/* So many rows, each of them in leaves of 64 tokens. */
static locant_train_options options(const char *encoding, int64_t batch,
                                    int64_t leaves)
{
    locant_train_options o =
        narrow(encoding, 2, leaves / batch * LCT_LEAF_TOKENS, STEPS);

    o.batch = batch;
    o.leaves = leaves;
    o.checkpoint_every = 2;
    return o;
}

/* -------------------------------------------------------------------- bits */

/* One row, of which all ranks have parts.  Every door, inputs that the encoding
   reads, drawn positions, whole and real, and both optimisers. */
IN_SCRATCH(any_number_of_ranks_has_the_bits_of_one_process)
{
    static const int sizes[2][2] = { { 2, 8 }, { 3, 4 } };
    static const char *const specs[] = { "rope",
                                         "t5",
                                         "fire(hidden=6,length=64)",
                                         "shaw(distance=4)",
                                         "learned(length=512)",
                                         "rope+fox",
                                         "path(rank=4)",
                                         "cape+rope",
                                         "randomized(length=2048)+rope",
                                         "transformer-xl" };

    for (size_t i = 0; i < LEN(specs); i++) {
        locant_train_options o = options(specs[i], 1, 8);

        o.optimizer = i % 2 ? LOCANT_MUON : LOCANT_ADAMW;
        o.rms_norm = i % 3 == 1;
        o.kv_heads = 1 + (int64_t)(i == 6 || i % 2);
        check_group_bits(&o, sizes[i % 2], 2);
    }
}

/* Rows that are whole on one rank beside rows that two or three share. */
IN_SCRATCH(rows_that_some_ranks_share_too)
{
    static const int sizes[] = { 2, 3, 5, 6 };
    static const char *const specs[] = { "rope", "randomized(length=512)+t5" };
    const int threads = locant_threads();

    for (size_t i = 0; i < LEN(specs); i++)
        for (int64_t batch = 2; batch <= 4; batch *= 2) {
            locant_train_options o = options(specs[i], batch, 8);

            CHECK_OK(locant_set_threads(1 + 3 * (int)i));
            check_group_bits(&o, sizes, LEN(sizes));
        }
    CHECK_OK(locant_set_threads(threads));
}

/* A third of the targets is scored, and none of the first half of a row. */
static void fill(int32_t *tokens, int32_t *targets,
                 const struct lct_batch_row *row, const void *context)
{
    locant_random r = { row->seed, row->step, 512 * row->row };

    (void)context;
    for (int64_t i = 0; i < row->length; i++) {
        tokens[i] = (int32_t)locant_random_below(&r, 7);
        targets[i] = 2 * i < row->length || i % 3 ? -1 : tokens[i];
    }
}

IN_SCRATCH(targets_that_are_not_scored_too)
{
    static const int sizes[] = { 2, 3 };
    static const struct locant_source source = { "repeat", 7, 0, fill, NULL };
    locant_train_options o = options("rope", 1, 4);

    o.source = &source;
    check_group_bits(&o, sizes, LEN(sizes));
}

/* More ranks than send to each other at once take turns. */
IN_SCRATCH(many_ranks_too)
{
    static const int sizes[] = { 40 };
    locant_train_options o = options("alibi", 1, 64);

    o.layers = 1;
    o.steps = 1;
    check_group_bits(&o, sizes, LEN(sizes));
}

static void refuse(const locant_train_options *o, const char *message)
{
    CHECK(locant_train_check(corpus, o) == LOCANT_ERR_PARAM);
    if (strstr(locant_last_error(), message) == NULL)
        FAIL("%s\n", locant_last_error());
}

/* ------------------------------------------------------------------ blocks */

/* A row of 'leaves' chunks of 1024 tokens; rows of one layer of one head. */
static locant_train_options long_row(const char *encoding, int64_t batch,
                                     int64_t leaves)
{
    locant_train_options o = options(encoding, batch, leaves);

    o.length = leaves / batch * 1024;
    o.steps = 2;
    o.kv_heads = 1;
    return o;
}

/*
 * Ranks that may hold the keys of one chunk only take a row block by block, to
 * the bits of a process that holds all: whole rows, rows that two or three
 * ranks share, and rotations, biases and drawn positions.
 */
IN_SCRATCH(rows_too_long_to_gather_have_the_same_bits)
{
    static const struct {
        const char *spec;
        int64_t batch, leaves;
        int ranks[2];
    } cases[] = { { "rope", 1, 4, { 2, 3 } },
                  { "alibi", 2, 4, { 1, 3 } },
                  { "randomized(length=8192)+xpos", 1, 2, { 2 } },
                  { "learned(length=4096)", 2, 4, { 4 } } };

    for (size_t i = 0; i < LEN(cases); i++) {
        locant_train_options o =
            long_row(cases[i].spec, cases[i].batch, cases[i].leaves);
        locant_store *all = open_store("all");
        const int64_t id = train(all, &o);

        o.gather_limit = 2 * 1024 * (o.width / o.heads) * 4;
        for (int n = 0; n < 2 && cases[i].ranks[n] > 0; n++) {
            char name[32];
            locant_store *s;

            snprintf(name, sizeof name, "blocks-%d-%d", (int)i, n);
            train_ranks(&o, name, cases[i].ranks[n]);
            s = open_store(name);
            check_same_run(all, id, s, 1);
            locant_store_close(s);
        }
        locant_store_close(all);
    }
}

/* Arrays have the tokens of a chunk, not of the row. */
TEST(blocks_take_a_fourth_of_the_memory)
{
    locant_train_options o = long_row("rope", 1, 4);
    struct lct_trainer *all = make_trainer(&o), *blocks;

    o.gather_limit = 2 * 1024 * (o.width / o.heads) * 4;
    blocks = make_trainer(&o);
    assert_int_equal(all->model->sequences.bytes,
                     4 * blocks->model->sequences.bytes);
    lct_trainer_free(all);
    lct_trainer_free(blocks);
}

TEST(refuses_rows_that_blocks_cannot_take)
{
    static const char *const specs[] = { "t5", "shaw(distance=4)", "fox" };
    locant_train_options o = long_row("rope", 1, 4);

    o.gather_limit = 2 * 1024 * o.width * 4;
    for (size_t i = 0; i < LEN(specs); i++) {
        o.encoding = specs[i];
        refuse(&o, ", or leaves of that size, of a multiple of 1024 tokens, "
                   "and an encoding with neither content nor parameters in "
                   "attention");
    }
    o.encoding = "rope";
    CHECK_OK(locant_train_check(corpus, &o));
    o.encoding = "stick-breaking";
    refuse(&o, "rows of 4096 tokens are above gather_limit, so their keys are "
               "gathered in parts, which stick-breaking does not take");
    o.encoding = "rope";
    o.length /= 2;
    o.gather_limit = 4096;
    refuse(&o, ", or leaves of that size");
}

/* --------------------------------------------------------------- gradients */

static void step(struct lct_trainer *t)
{
    const char *not_finite;
    double value;

    CHECK_OK(lct_train_step(t, &not_finite, &value));
    CHECK(not_finite == NULL);
}

/*
 * A step of the same text in leaves and as one chain.  Each gradient is a sum
 * over at most n = 512 tokens of at most 256 keys; two float sums of so many
 * terms differ by at most 2 (512 + 256) 2^-24 times the sum of the sizes of
 * their terms, which is taken to be at most 100 times the largest gradient of
 * the tensor: 1e-2 of it.  A leaf that is missing or doubled is an eighth.
 */
static void check_one_chain(const char *spec)
{
    const locant_train_options o = options(spec, 2, 8);
    locant_train_options chain = o;
    struct lct_trainer *t = make_trainer(&o), *u;

    chain.leaves = 0;
    u = make_trainer(&chain);
    step(t);
    step(u);
    CHECK(fabs(t->metrics[0].loss - u->metrics[0].loss) <
          1e-5 * u->metrics[0].loss);
    CHECK(fabs(t->metrics[0].grad_norm - u->metrics[0].grad_norm) <
          1e-3 * u->metrics[0].grad_norm);
    check_gradients(spec, t, u, 1e-2);
    lct_trainer_free(t);
    lct_trainer_free(u);
}

TEST(agrees_with_one_chain)
{
    static const char *const specs[] = {
        "rope",
        "t5",
        "shaw(distance=4)",
        "learned(length=256)",
        "rope+fox",
        "randomized(length=512)+rope",
    };

    for (size_t i = 0; i < LEN(specs); i++)
        check_one_chain(specs[i]);
}

/* ------------------------------------------------------------------ faults */

/* Each exchange of a rank fails once: the run goes on with other ranks to the
   same bits. */
IN_SCRATCH(a_lost_rank_costs_no_more_than_a_checkpoint)
{
    locant_train_options o = options("t5", 1, 4);
    struct thread_group_result results[THREAD_GROUP_RANKS];
    struct thread_group_options group = { .size = 3, .failing = 1 };
    locant_store *one = open_store("one");
    const int64_t id = train(one, &o);
    long failures = 0;

    for (;;) {
        struct job job = { .o = o, .stopping_rank = -1 };
        char name[32];

        group.seed = test_rand();
        group.fails_at += 1 + group.fails_at / 4;
        snprintf(name, sizeof name, "lost-%ld", group.fails_at);
        job.store = open_store(name);
        run_job(results, &job, &group);
        locant_store_close(job.store);
        if (results[1].status == LOCANT_OK)
            break;
        failures++;
        for (int r = 0; r < 3; r++)
            if (results[r].status != LOCANT_OK &&
                (results[r].status != LOCANT_ERR_IO ||
                 strstr(results[r].message, "of 3 is lost in step ") == NULL))
                FAIL("exchange %ld, rank %d: %s\n", group.fails_at, r,
                     results[r].message);
        train_ranks(&o, name, 4);
        job.store = open_store(name);
        check_same_run(one, id, job.store, 1);
        locant_store_close(job.store);
    }
    CHECK(failures > 10);
    locant_store_close(one);
}

/* Rank 1 finds a token that cannot be, in the second step and among its own
   leaves only, and tells it to all. */
static void fill_wrong(int32_t *tokens, int32_t *targets,
                       const struct lct_batch_row *row, const void *context)
{
    fill(tokens, targets, row, context);
    if (context != NULL && row->step == 1)
        tokens[200] = 99; /* leaf 1 has chunk 3 */
}

static locant_status train_wrong(const locant_group *g, void *context)
{
    struct job *job = context;
    const struct locant_source source = { "repeat", 7, 0, fill_wrong,
                                          g->rank == 1 ? job : NULL };
    locant_train_options o = job->o;

    o.group = g;
    o.source = &source;
    return locant_train(&job->ids[g->rank], g->rank == 0 ? job->store : NULL,
                        NULL, &o);
}

IN_SCRATCH(a_rank_that_cannot_pass_leaves_none_waiting)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options group = { .size = 4,
                                                .seed = test_rand() };
    struct job job = { .o = options("rope", 1, 4), .stopping_rank = -1 };

    job.store = open_store("a");
    thread_group_run(results, &group, train_wrong, &job);
    thread_group_check(results, 4, LOCANT_ERR_PARAM, "is 99, expected 0 .. 6");
    assert_int_equal(thread_group_left(), 0);
    locant_store_close(job.store);
}

/* So does one that fails between forward and backward, of rows that are
   gathered at once or chunk by chunk. */
struct half {
    const locant_encoding *e;
    int64_t chunk;
    bool in_blocks;
};

static locant_status pass_half(const locant_group *g, void *context)
{
    const struct half *half = context;
    const struct lct_model_config c = { .layers = 2,
                                        .width = 16,
                                        .heads = 2,
                                        .kv_heads = 2,
                                        .ff = 8,
                                        .vocab = 7,
                                        .encoding = half->e,
                                        .in_blocks = half->in_blocks,
                                        .leaves = { 4, g->rank, g->rank + 1, 4,
                                                    g } };
    int32_t ids[1024] = { 0 };
    struct lct_model *m;
    locant_status status;

    CHECK_OK(lct_model_create(&m, &c, 1, 4 * half->chunk, true));
    CHECK_OK(lct_model_init(m, 1));
    CHECK_OK(lct_model_forward(m, ids, ids, 1, half->chunk, NULL, NULL));
    status = g->rank == 2 ? lct_model_end_exchanges(m) : lct_model_backward(m);
    lct_model_free(m);
    return status;
}

TEST(nor_does_one_that_fails_half_way)
{
    struct thread_group_result results[THREAD_GROUP_RANKS];
    const struct thread_group_options group = { .size = 4,
                                                .seed = test_rand() };
    OWNED(locant_encoding) *e = test_create("rope");
    struct half cases[] = { { e, LCT_LEAF_TOKENS, false }, { e, 1024, true } };

    for (size_t i = 0; i < LEN(cases); i++) {
        thread_group_run(results, &group, pass_half, &cases[i]);
        thread_group_check(results, 4, LOCANT_OK, NULL);
        assert_int_equal(thread_group_left(), 0);
    }
}

IN_SCRATCH(survives_any_allocation_that_fails)
{
    const int stride = TEST_SANITIZED ? 31 : 7;
    struct thread_group_result results[2];
    locant_train_options o = options("rope+fox", 1, 4);
    bool more = true;
    int failures = 0;

    o.steps = 1;
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

/* ---------------------------------------------------------------- refusals */

TEST(refuses_leaves_of_tokens_that_cannot_be)
{
    locant_train_options o = options("rope", 1, 4);

    CHECK_OK(locant_train_check(corpus, &o));
    o.length = 192;
    refuse(&o, "length is 192, expected a multiple of 256: each row has 4 "
               "leaves, of whole multiples of 64 tokens");
    o.length = 256;
    o.memory = 64;
    refuse(&o, "memory is 64, expected 0 where 4 leaves divide the tokens of 1 "
               "rows");
    o.memory = 0;
    o.batch = 3;
    refuse(&o, "leaves is 4, expected a divisor or a multiple of the batch, 3");
    o.batch = 1;
    o.leaves = 3;
    refuse(&o, "leaves is 3, expected 0 or a power of two up to 256");
    o.leaves = 4;
    o.gather_limit = 32767; /* 256 tokens, 2 x 16 numbers of 4 bytes */
    refuse(&o, "a row of 256 tokens in 4 leaves has 32768 bytes of keys and "
               "values, expected at most gather_limit, 32767");
    o.gather_limit++;
    CHECK_OK(locant_train_check(corpus, &o));
    o.encoding = "fox"; /* and inputs */
    refuse(&o, "has 49152 bytes of keys and values");
    o.gather_limit = -1;
    refuse(&o, "gather_limit is -1, expected 0 .. ");
}

TEST(refuses_to_gather_too_much)
{
    locant_train_options o = options("t5", 1, 4);

    o.length = 1 << 18; /* of 512 KiB of text */
    o.width = 2048;
    o.heads = 2;
    refuse(&o, "has 4294967296 bytes of keys and values, expected at most "
               "gather_limit, 2147483648");
}

IN_SCRATCH(resumes_with_the_recorded_leaves)
{
    OWNED(locant_store) *a = open_store("a"), *b = open_store("b");
    locant_train_options o = options("t5", 2, 4);
    int64_t straight, id = 0;
    int stops = 0;

    o.gather_limit = 1 << 20;
    straight = train(a, &o);
    o.progress = stop;
    o.context = &stops;
    CHECK(locant_train(&id, b, corpus, &o) == LOCANT_ERR_INTERRUPTED);
    CHECK_OK(locant_resume(b, id, corpus, NULL, NULL));
    check_same_run(a, straight, b, id);
}

TEST_GROUP(make_corpus, free_corpus)
