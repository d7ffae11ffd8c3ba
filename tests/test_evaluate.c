/*
 * test_evaluate.c - the protocols against their definitions, one window at a
 * time.
 *
 * Tolerance 1e-5: the same float32 forward over other batch shapes; a loss is a
 * logarithm of at most 20 nats, whose float32 ulp is 2^-19, and the batch split
 * promises the same bits, so what is left is the order of summing in double.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"
#include "store/store_eval.h"
#include <math.h>

enum { BLOCKS = TEST_SANITIZED ? 2 : 5, LONGEST = 2048 };
static const double tolerance = 1e-5;

static int64_t train_with(const char *encoding, int64_t length, int64_t memory)
{
    locant_train_options o = narrow(encoding, 2, length, 30);

    o.memory = memory;
    return run_of(&o);
}

static int64_t train(const char *encoding, int64_t length)
{
    return train_with(encoding, length, 0);
}

/* ------------------------------------------------------------ brute force */

struct reference {
    struct lct_model *model;
    locant_encoding *encoding;
    size_t ends[BLOCKS];
    int32_t in[LONGEST], out[LONGEST];
    float loss[LONGEST];
    int64_t segment; /* tokens of one pass: all, but with memory */
};

static void open_reference(struct reference *r, int64_t run)
{
    struct lct_model_config config;
    struct lct_run_extra extra;
    struct lct_checkpoint c = { .key = extra.key };
    locant_run_info info;
    char *path;

    CHECK_OK(locant_store_run(&info, store, run));
    CHECK_OK(lct_store_read_run_extra(&extra, store, run));
    CHECK_OK(locant_encoding_create(&r->encoding, info.encoding));
    CHECK_OK(lct_model_parse(&config, info.model));
    config.encoding = r->encoding;
    r->segment = config.memory > 0 ? info.length : LONGEST;
    CHECK_OK(lct_model_create(&r->model, &config, 1, LONGEST, false));
    CHECK_OK(lct_store_run_path(&path, store, run, "safetensors"));
    CHECK_OK(lct_checkpoint_read(&c, r->model, path));
    locant_release(path);
    assert_int_equal(lct_choose_blocks(r->ends, BLOCKS,
                                       lct_corpus_split(corpus, LCT_TEST),
                                       LCT_EVAL_SEED),
                     BLOCKS);
}

static void close_reference(struct reference *r)
{
    lct_model_free(r->model);
    locant_encoding_free(r->encoding);
}

/* Inputs bytes[end-C-1 .. end-2], targets bytes[end-C .. end-1]. */
static void read_window(struct reference *r, enum lct_part part, size_t end,
                        int64_t C)
{
    const uint8_t *bytes = lct_corpus_split(corpus, part)->bytes;

    for (int64_t i = 0; i < C; i++) {
        r->in[i] = bytes[(int64_t)end - C - 1 + i];
        r->out[i] = bytes[(int64_t)end - C + i];
    }
}

static void forward(struct reference *r, int64_t C)
{
    lct_model_clear_memory(r->model);
    for (int64_t at = 0; at < C; at += r->segment) {
        int64_t n = C - at < r->segment ? C - at : r->segment;

        CHECK_OK(lct_model_forward(r->model, r->in + at, r->out + at, 1, n,
                                   r->loss + at, NULL));
    }
}

static double mean(const float *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

static void check_near(double got, double want, const char *what)
{
    if (!(fabs(got - want) <= tolerance))
        FAIL("%s: got %.9g, want %.9g", what, got, want);
}

static void check_same_targets(struct reference *r, const locant_evaluation *e,
                               const double *blocks, int longest)
{
    for (int k = 0; k <= longest; k++) {
        double sum = 0;

        assert_int_equal(e->length[k], 128 << k);
        for (int b = 0; b < BLOCKS; b++) {
            double loss;

            read_window(r, LCT_TEST, r->ends[b], e->length[k]);
            forward(r, e->length[k]);
            loss = mean(r->loss + e->length[k] - 64, 64);
            check_near(blocks[k * BLOCKS + b], loss, "P1 of a block");
            sum += loss;
        }
        check_near(e->same_targets[k], sum / BLOCKS, "P1");
    }
}

static void check_own_window(struct reference *r, const locant_evaluation *e)
{
    double sum = 0;

    for (int b = 0; b < BLOCKS; b++)
        for (size_t back = 0; back < 64; back += 16) {
            read_window(r, LCT_TEST, r->ends[b] - back, 128);
            forward(r, 128);
            sum += mean(r->loss + 112, 16);
        }
    check_near(e->own_window, sum / (4 * BLOCKS), "P4");
}

/* Windows one after another over the same bytes; and what the store has. */
static void check_non_overlapping(struct reference *r,
                                  const locant_evaluation *e, int64_t run)
{
    const struct lct_evaluation_key key = {
        .run = run,
        .want = BLOCKS,
        .corpus_sha256 = locant_corpus_info_of(corpus)->sha256
    };
    double *p3, *p4, sum = 0;

    CHECK_OK(lct_store_read_block_losses(&p3, store, &key, "P3",
                                         LOCANT_EVAL_LENGTHS, BLOCKS));
    CHECK_OK(lct_store_read_block_losses(&p4, store, &key, "P4", 1, BLOCKS));
    CHECK(p3 != NULL && p4 != NULL);
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        const int64_t C = e->length[k];
        double all = 0;

        for (int b = 0; b < BLOCKS; b++) {
            double own = 0;

            for (int64_t back = 0; back < LONGEST; back += C) {
                read_window(r, LCT_TEST, r->ends[b] - (size_t)back, C);
                forward(r, C);
                own += mean(r->loss, C) * (double)C / LONGEST;
            }
            check_near(p3[k * BLOCKS + b], own, "P3 of a block");
            all += own / BLOCKS;
        }
        check_near(e->non_overlapping[k], all, "P3");
    }
    for (int i = 0; i < LOCANT_EVAL_BUCKETS; i++)
        sum += e->by_position[i] / LOCANT_EVAL_BUCKETS;
    check_near(e->non_overlapping[LOCANT_EVAL_LENGTHS - 1], sum, "mean of P2");
    sum = 0;
    for (int b = 0; b < BLOCKS; b++)
        sum += p4[b] / BLOCKS;
    check_near(e->own_window, sum, "P4 of the blocks");
    locant_release(p3);
    locant_release(p4);
}

static void check_by_position(struct reference *r, const locant_evaluation *e)
{
    double sum[64] = { 0 };

    for (int b = 0; b < BLOCKS; b++) {
        read_window(r, LCT_TEST, r->ends[b], LONGEST);
        forward(r, LONGEST);
        for (int i = 0; i < 64; i++)
            sum[i] += mean(r->loss + 32 * i, 32) / BLOCKS;
    }
    for (int i = 0; i < 64; i++)
        check_near(e->by_position[i], sum[i], "P2");
}

/* For each of 8 targets: what it sees, but 8 bytes, in the order drawn. */
static void check_shuffled(struct reference *r, const locant_evaluation *e)
{
    double rise = 0;

    for (uint64_t w = 0; w < 8 * BLOCKS; w++) {
        locant_random random = { LCT_EVAL_SEED, w, 0 };
        uint64_t target = 127 - 8 * (w % 8);
        double whole;

        read_window(r, LCT_TEST, r->ends[w / 8], 128);
        forward(r, 128);
        whole = r->loss[target];
        for (uint64_t i = target - 8; i > 0; i--) {
            uint64_t j = locant_random_below(&random, i + 1);
            int32_t t = r->in[i];

            r->in[i] = r->in[j];
            r->in[j] = t;
        }
        forward(r, 128);
        rise += r->loss[target] - whole;
    }
    check_near(e->shuffled, e->same_targets[0] + rise / (8 * BLOCKS),
               "shuffled");
}

/* The file of the test split that byte 'at' is in. */
static size_t file_of(size_t at)
{
    const struct lct_split *test = lct_corpus_split(corpus, LCT_TEST);
    size_t f = 0;

    while (f + 1 < test->files && test->start[f + 1] <= at)
        f++;
    return f;
}

/* The end of the block whose window replaces that of block b: of another file,
   the first from half of the blocks further on; 0: there is none. */
static size_t other_end(const struct reference *r, size_t b)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t end = r->ends[(b + BLOCKS / 2 + i) % BLOCKS];

        if (file_of(end - 1) != file_of(r->ends[b] - 1))
            return end;
    }
    return 0;
}

/* For each of 8 targets: the last 8 bytes, after bytes of another file at the
   same places, and alone. */
static void check_changed(struct reference *r, const locant_evaluation *e)
{
    const struct lct_split *test = lct_corpus_split(corpus, LCT_TEST);
    const struct lct_split *text = lct_corpus_split(corpus, LCT_TRAIN);
    double replaced = 0, truncated = 0;

    for (size_t w = 0; w < 8 * BLOCKS; w++) {
        const size_t target = 127 - 8 * (w % 8), b = w / 8;
        const uint8_t *other = test->bytes + other_end(r, b) - 129;
        double whole;

        if (other_end(r, b) == 0)
            other = text->bytes + (text->size - 129) * b / BLOCKS;
        read_window(r, LCT_TEST, r->ends[b], 128);
        forward(r, 128);
        whole = r->loss[target];
        for (size_t i = 0; i < target - 7; i++)
            r->in[i] = other[i];
        forward(r, 128);
        replaced += (r->loss[target] - whole) / (8 * BLOCKS);
        read_window(r, LCT_TEST, r->ends[b] - 8 * (w % 8), 8);
        forward(r, 8);
        truncated += (r->loss[7] - whole) / (8 * BLOCKS);
    }
    check_near(e->replaced, e->same_targets[0] + replaced, "replaced");
    check_near(e->truncated, e->same_targets[0] + truncated, "truncated");
}

static void check_validation(struct reference *r, const locant_evaluation *e,
                             int64_t T)
{
    size_t room = lct_corpus_split(corpus, LCT_VALID)->size - (size_t)T - 1;
    double sum = 0;

    for (int w = 0; w < BLOCKS; w++) {
        read_window(r, LCT_VALID, (size_t)T + 1 + room * (size_t)w / BLOCKS, T);
        forward(r, T);
        sum += mean(r->loss, T);
    }
    check_near(e->valid, sum / BLOCKS, "validation");
}

TEST(matches_the_definitions)
{
    static const char *const specs[] = { "none", "rope", "alibi",
                                         "sinusoidal" };

    for (size_t i = TEST_SANITIZED; i < LEN(specs); i += 1 + TEST_SANITIZED) {
        int64_t id = train(specs[i], 64);
        FREED_BY(free_memory) struct reference *r = calloc(1, sizeof *r);
        locant_evaluation e;
        double *blocks;
        bool found;

        assert_non_null(r);
        CHECK_OK(locant_evaluate(&e, store, id, corpus, BLOCKS));
        CHECK_OK(lct_store_load_evaluation(
            &e, &blocks, &found, store, id,
            locant_corpus_info_of(corpus)->sha256, BLOCKS));
        CHECK(found && e.blocks == BLOCKS && e.tokens_per_second > 0);
        open_reference(r, id);
        check_same_targets(r, &e, blocks, LOCANT_EVAL_LENGTHS - 1);
        check_own_window(r, &e);
        check_by_position(r, &e);
        if (i == 1) /* one of them: it takes as long as all the others */
            check_non_overlapping(r, &e, id);
        check_shuffled(r, &e);
        check_changed(r, &e);
        check_validation(r, &e, 64);
        CHECK(e.causality >= 0 && e.causality <= 1e-4);
        close_reference(r);
        locant_release(blocks);
    }
}

/* Validation: from the beginning on, one row. */
static void check_contiguous(struct reference *r, const locant_evaluation *e,
                             int64_t T)
{
    read_window(r, LCT_VALID, (size_t)(BLOCKS * T + 1), BLOCKS * T);
    forward(r, BLOCKS * T);
    check_near(e->valid, mean(r->loss, BLOCKS * T), "validation");
}

TEST(memory_is_carried)
{
    /* 48 does not divide the windows, 160 is longer than some */
    static const int64_t lengths[] = { 48, 160 };

    for (size_t i = TEST_SANITIZED; i < LEN(lengths); i++) {
        int64_t id = train_with("transformer-xl", lengths[i], 72);
        FREED_BY(free_memory) struct reference *r = calloc(1, sizeof *r);
        locant_evaluation e;
        locant_run_info info;
        double *blocks;
        bool found;

        assert_non_null(r);
        CHECK_OK(locant_store_run(&info, store, id));
        CHECK(strstr(info.model, ",memory=72") != NULL);
        CHECK_OK(locant_evaluate(&e, store, id, corpus, BLOCKS));
        CHECK_OK(lct_store_load_evaluation(
            &e, &blocks, &found, store, id,
            locant_corpus_info_of(corpus)->sha256, BLOCKS));
        open_reference(r, id);
        check_same_targets(r, &e, blocks, LOCANT_EVAL_LENGTHS - 1);
        check_own_window(r, &e);
        check_by_position(r, &e);
        check_shuffled(r, &e);
        check_changed(r, &e);
        check_contiguous(r, &e, lengths[i]);
        CHECK(e.causality >= 0 && e.causality <= 1e-4);
        close_reference(r);
        locant_release(blocks);
    }
}

/* Undefined is NAN, never a clamped row. */
TEST(a_table_ends_where_it_ends)
{
    int64_t id = train("learned", 128), shorter = train("learned", 64);
    struct reference *r = calloc(1, sizeof *r);
    locant_evaluation e;
    double *blocks;
    bool found;

    assert_non_null(r);
    CHECK_OK(locant_evaluate(&e, store, id, corpus, BLOCKS));
    CHECK_OK(lct_store_load_evaluation(&e, &blocks, &found, store, id,
                                       locant_corpus_info_of(corpus)->sha256,
                                       BLOCKS));
    open_reference(r, id);
    check_same_targets(r, &e, blocks, 0);
    check_own_window(r, &e);
    for (int k = 1; k < LOCANT_EVAL_LENGTHS; k++)
        CHECK(isnan(e.same_targets[k]) && isnan(blocks[k * BLOCKS]));
    for (int i = 0; i < LOCANT_EVAL_BUCKETS; i++)
        CHECK(i < 4 ? isfinite(e.by_position[i]) : isnan(e.by_position[i]));
    CHECK(e.causality <= 1e-4 && isnan(e.tokens_per_second));
    close_reference(r);
    locant_release(blocks);
    free(r);

    CHECK_OK(locant_evaluate(&e, store, shorter, corpus, BLOCKS));
    CHECK(isnan(e.same_targets[0]) && isnan(e.own_window));
    CHECK(isnan(e.shuffled) && isnan(e.replaced) && isnan(e.truncated));
    CHECK(isnan(e.by_position[0]) && isfinite(e.valid));
    CHECK(e.causality >= 0 && e.causality <= 1e-4);
}

TEST(reads_back_what_was_recorded)
{
    int64_t id = train("none", 64);
    locant_evaluation a, b;
    char *path;

    CHECK_OK(locant_evaluate(&a, store, id, corpus, BLOCKS));
    CHECK_OK(lct_store_run_path(&path, store, id, "safetensors"));
    assert_int_equal(unlink(path), 0);
    CHECK_OK(locant_evaluate(&b, store, id, corpus, BLOCKS));
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    /* Another number of blocks is another evaluation, and needs the file. */
    assert_int_equal(locant_evaluate(&b, store, id, corpus, BLOCKS + 1),
                     LOCANT_ERR_IO);
    locant_release(path);
}

/* An evaluation of before a protocol gets it, and keeps the rest. */
static void check_is_added(const char *protocol)
{
    int64_t id = train("rope", 128);
    locant_evaluation a, b;

    CHECK_OK(locant_evaluate(&a, store, id, corpus, 1));
    lct_store_lock(store);
    CHECK_OK(lct_store_exec(store, "DELETE FROM losses WHERE protocol = ?1",
                            "s", protocol));
    CHECK_OK(lct_store_exec(store, "DELETE FROM curves WHERE protocol = ?1",
                            "s", protocol));
    CHECK_OK(lct_store_exec(store, "UPDATE evaluations SET valid = 7", ""));
    lct_store_unlock(store);
    CHECK_OK(locant_evaluate(&b, store, id, corpus, 1));
    CHECK(b.non_overlapping[0] == a.non_overlapping[0]);
    CHECK_OK(locant_evaluate(&b, store, id, corpus, 1));
    CHECK(memcmp(a.non_overlapping, b.non_overlapping,
                 sizeof a.non_overlapping) == 0);
    CHECK(b.replaced == a.replaced && b.truncated == a.truncated);
    CHECK(b.valid == 7);
}

TEST(what_is_missing_is_added)
{
    check_is_added("P3");
    check_is_added("replaced");
}

/* A store that cannot be written gives what it has. */
TEST(what_is_missing_is_undefined_if_it_cannot_be_added)
{
    int64_t id = train("rope", 128);
    locant_evaluation e;

    CHECK_OK(locant_evaluate(&e, store, id, corpus, 1));
    CHECK(isfinite(e.replaced));
    lct_store_lock(store);
    CHECK_OK(lct_store_exec(
        store, "DELETE FROM curves WHERE protocol = 'replaced'", ""));
    CHECK_OK(lct_store_exec(
        store, "DELETE FROM losses WHERE protocol = 'replaced'", ""));
    CHECK_OK(lct_store_exec(store, "PRAGMA query_only = 1", ""));
    lct_store_unlock(store);
    CHECK_OK(locant_evaluate(&e, store, id, corpus, 1));
    CHECK(isnan(e.replaced) && isfinite(e.same_targets[0]));
    lct_store_lock(store);
    CHECK_OK(lct_store_exec(store, "PRAGMA query_only = 0", ""));
    lct_store_unlock(store);
}

static int stop(const locant_progress *p, void *context)
{
    (void)p;
    (void)context;
    return 1;
}

TEST(refuses_bad_arguments)
{
    locant_train_options o = LOCANT_TRAIN_INIT;
    locant_evaluation e;
    int64_t id = 0;
    char want[256];

    o.layers = 1;
    o.width = 8;
    o.heads = 1;
    o.progress = stop;
    assert_int_equal(locant_train(&id, store, corpus, &o),
                     LOCANT_ERR_INTERRUPTED);
    snprintf(want, sizeof want,
             "locant_evaluate: run %lld is interrupted at"
             " step 1 of 600, expected it done",
             (long long)id);
    CHECK_REFUSED(locant_evaluate(&e, store, id, corpus, 1), LOCANT_ERR_PARAM,
                  want);
    REFUSES(NULL, locant_evaluate(NULL, store, id, corpus, 1), "out is NULL");
    REFUSES(NULL, locant_evaluate(&e, store, id, NULL, 1), "corpus is NULL");
    REFUSES(PARAM, locant_evaluate(&e, store, id, corpus, -1),
            "blocks is -1, expected 0 .. 1048576");
    CHECK(locant_evaluate(&e, store, 999, corpus, 1) == LOCANT_ERR_PARAM);
}

TEST_WITH_LAB(1 << 20)

/* A forecast and a percentage count on it. */
static int count_tokens(int64_t tokens, void *context)
{
    *(int64_t *)context += tokens;
    return 0;
}

TEST(no_more_tokens_than_announced)
{
    int64_t tokens = 0, id = train("rope", 128);
    locant_evaluation e;

    CHECK_OK(
        lct_evaluate(&e, store, id, corpus, BLOCKS, count_tokens, &tokens));
    CHECK(tokens > 0 && tokens <= lct_evaluation_tokens(BLOCKS, 128));
}
