/*
 * test_train_leaves.c - training in leaves: the sum of the tree over leaves
 * that are passed alone, and runs with the same bits for any number of threads.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "trainer_case.h"

enum { BATCH = 8, LENGTH = 12, SEGMENTS = 4 };

/* ------------------------------------------------- one batch against models */

static locant_train_options options(const char *encoding, int64_t leaves,
                                    int64_t memory)
{
    locant_train_options o = narrow(encoding, 2, LENGTH, 1);

    o.batch = BATCH;
    o.memory = memory;
    o.leaves = leaves;
    return o;
}

/* Random tokens; every 'unscored'-th target of a row is not scored. */
static void fill(struct lct_trainer *t, int unscored)
{
    for (int i = 0; i < BATCH * LENGTH; i++) {
        t->tokens[i] = (int32_t)test_range(0, 255);
        t->targets[i] = (int32_t)test_range(0, 255);
        if (unscored > 0 && i % LENGTH % unscored == 0)
            t->targets[i] = -1;
    }
}

static void clear(struct lct_model *m)
{
    memset(lct_model_grads(m), 0, lct_model_size(m) * sizeof(real));
}

/* The mean loss and its gradient. */
static double pass(struct lct_trainer *t)
{
    double loss;

    clear(t->model);
    CHECK_OK(lct_model_forward(t->model, t->tokens, t->targets, BATCH, LENGTH,
                               NULL, &loss));
    CHECK_OK(lct_model_backward(t->model));
    return loss;
}

/* The leaves as models of their own, with memory of their own. */
struct leaves {
    const struct lct_trainer *t;
    int64_t rows;
    struct lct_model *model[BATCH];
    double loss;
};

static void make_leaves(struct leaves *all, const struct lct_trainer *t)
{
    struct lct_model_config c = lct_train_config(&t->o, t->encoding);

    c.leaves.all = 0;
    *all = (struct leaves){ .t = t, .rows = BATCH / t->o.leaves };
    for (int64_t l = 0; l < t->o.leaves; l++) {
        CHECK_OK(lct_model_create(&all->model[l], &c, all->rows, LENGTH, true));
        memcpy(lct_model_params(all->model[l]), lct_model_params(t->model),
               lct_model_size(t->model) * sizeof(real));
    }
}

static void free_leaves(struct leaves *all)
{
    for (int64_t l = 0; l < all->t->o.leaves; l++)
        lct_model_free(all->model[l]);
}

/* Each leaf's mean over its own targets, all leaves having as many. */
static void pass_leaves(struct leaves *all)
{
    const struct lct_trainer *t = all->t;
    const int64_t n = all->rows * LENGTH;
    int64_t scored = 0;

    all->loss = 0;
    for (int64_t l = 0; l < t->o.leaves; l++) {
        const int32_t *targets = t->targets + l * n;
        real loss[BATCH * LENGTH];
        double sum = 0;

        clear(all->model[l]);
        CHECK_OK(lct_model_forward(all->model[l], t->tokens + l * n, targets,
                                   all->rows, LENGTH, loss, NULL));
        CHECK_OK(lct_model_backward(all->model[l]));
        for (int64_t i = 0; i < n; i++) {
            sum += (double)loss[i];
            scored += targets[i] >= 0;
        }
        all->loss += sum;
    }
    all->loss /= (double)scored;
}

/*
 * Element i of S(first, size).  The gradient of a mean over 1/L of the targets
 * is L times a leaf's: L is a power of two, and everything that follows is
 * linear in the factor, so dividing by L rounds nothing.
 */
static float sum_of(const struct leaves *all, int64_t first, int64_t size,
                    size_t i)
{
    volatile float left, right;

    if (size == 1)
        return lct_model_grads(all->model[first])[i] / (float)all->t->o.leaves;
    left = sum_of(all, first, size / 2, i);
    right = sum_of(all, first + size / 2, size / 2, i);
    return left + right;
}

static void check_sums(const char *spec, const struct leaves *all, double loss)
{
    const struct lct_trainer *t = all->t;
    const real *got = lct_model_grads(t->model);
    size_t other = 0;

    for (size_t i = 0; i < lct_model_size(t->model); i++) {
        const float want = sum_of(all, 0, t->o.leaves, i);

        if (got[i] != want)
            FAIL("%s, %d leaves: gradient %zu is %a, not %a", spec,
                 (int)t->o.leaves, i, (double)got[i], (double)want);
        other += want != 0;
    }
    CHECK(other > lct_model_size(t->model) / 4);
    if (loss != all->loss)
        FAIL("%s, %d leaves: loss %a, not %a", spec, (int)t->o.leaves, loss,
             all->loss);
}

static void check_leaves(const char *spec, int64_t leaves, int64_t memory,
                         int unscored)
{
    const locant_train_options o = options(spec, leaves, memory);
    struct lct_trainer *t = make_trainer(&o);
    struct leaves all;
    double loss;

    make_leaves(&all, t);
    for (int step = 0; step < SEGMENTS; step++) {
        fill(t, unscored);
        loss = pass(t);
        pass_leaves(&all);
        check_sums(spec, &all, loss);
    }
    free_leaves(&all);
    lct_trainer_free(t);
}

/* Memory grows from 0 to 12, 24 and 30 tokens, and then stays. */
TEST(is_the_tree_over_leaves_that_are_passed_alone)
{
    static const char *const specs[] = {
        "rope", "t5",  "fire(hidden=6,length=64)", "shaw(distance=4)",
        "none", "fox", "transformer-xl",           "deberta(span=4)"
    };

    for (size_t i = 0; i < LEN(specs); i++)
        for (int64_t leaves = 2; leaves <= BATCH; leaves *= 2) {
            check_leaves(specs[i], leaves, 0, 3);
            check_leaves(specs[i], leaves, 30, 0);
        }
    check_leaves("learned(length=12)", 4, 0, 3);
    check_leaves("sinusoidal", 2, 0, 0);
}

/*
 * One pass of the batch: the same numbers in another order.  Each gradient is a
 * sum over at most n = 96 rows of 42 keys; two float sums of n terms differ by
 * at most 2 n 2^-24 times the sum of the sizes of their terms, which is taken
 * to be at most 100 times the largest gradient of the tensor: 1e-3 of it.
 */
static void check_one_pass(const char *spec, int64_t memory, int kind)
{
    const locant_train_options o = options(spec, 4, memory);
    const locant_train_options whole = options(spec, 0, memory);
    struct lct_trainer *t = make_trainer(&o), *u = make_trainer(&whole);
    double loss, want;

    for (int step = 0; step < SEGMENTS; step++) {
        fill(t, 0);
        /* of leaf 1 nothing is scored, of row 0 one target */
        for (int i = 1; kind == 1 && i < 4 * LENGTH; i++)
            if (i < LENGTH || i >= 2 * LENGTH)
                t->targets[i] = -1;
        memcpy(u->tokens, t->tokens, BATCH * LENGTH * sizeof(*t->tokens));
        memcpy(u->targets, t->targets, BATCH * LENGTH * sizeof(*t->targets));
        lct_model_draw(t->model, (uint64_t)step);
        lct_model_draw(u->model, (uint64_t)step);
        loss = pass(t);
        want = pass(u);
        CHECK(fabs(loss - want) < 1e-5 * want);
        check_gradients(spec, t, u, 1e-3);
    }
    lct_trainer_free(t);
    lct_trainer_free(u);
}

/* Rows of a batch are drawn positions together; a leaf has those of its rows.
 */
TEST(agrees_with_one_pass)
{
    static const char *const specs[] = { "rope", "randomized(length=256)+rope",
                                         "pose(length=256)+alibi", "cape",
                                         "randomized(length=256)+sinusoidal" };

    for (size_t i = 0; i < LEN(specs); i++) {
        check_one_pass(specs[i], 0, 0);
        check_one_pass(specs[i], 0, 1);
    }
    check_one_pass("rope", 30, 1);
    check_one_pass("randomized(length=256)+rope", 30, 0);
}

/* --------------------------------------------------------------- whole runs */

/* A row is a random symbol again and again; a third is scored. */
static void repeat(int32_t *tokens, int32_t *targets,
                   const struct lct_batch_row *row, const void *context)
{
    locant_random r = { row->seed, row->step, 16 * row->row };
    const int32_t symbol = (int32_t)locant_random_below(&r, 5);

    (void)context;
    for (int64_t i = 0; i < row->length; i++) {
        tokens[i] = symbol;
        targets[i] = i % 3 == 0 ? symbol : -1;
    }
}

static const struct locant_source repeats = { "repeats", 5, 4, repeat, NULL };

static locant_train_options run_of_leaves(const char *encoding, int64_t leaves)
{
    locant_train_options o = narrow(encoding, 2, 32, 12);

    o.batch = BATCH;
    o.leaves = leaves;
    o.checkpoint_every = 5;
    return o;
}

static int64_t train_on(int threads, locant_store *s,
                        const locant_train_options *o)
{
    int64_t id;

    CHECK_OK(locant_set_threads(threads));
    id = train(s, o);
    CHECK_OK(locant_set_threads(0));
    return id;
}

static locant_store *store_of(const char *way, int number)
{
    char name[32];

    snprintf(name, sizeof name, "%s%d", way, number);
    return open_store(name);
}

/* On one thread, on 4, and on 3 stopped after every step. */
static void check_run(const locant_train_options *of, int number)
{
    OWNED(locant_store) *a = store_of("one", number);
    OWNED(locant_store) *b = store_of("four", number);
    OWNED(locant_store) *c = store_of("stopped", number);
    locant_train_options o = *of;
    const int64_t one = train_on(1, a, &o), four = train_on(4, b, &o);
    int64_t stopped = 0;
    int stops = 0;

    o.progress = stop;
    o.context = &stops;
    CHECK_OK(locant_set_threads(3));
    while (locant_train(&stopped, c, corpus, &o) == LOCANT_ERR_INTERRUPTED)
        ;
    CHECK_OK(locant_set_threads(0));
    assert_int_equal(stops, o.steps);
    check_same_run(a, one, b, four);
    check_same_run(a, one, c, stopped);
}

IN_SCRATCH(a_run_has_the_same_bits_for_any_threads)
{
    static const char *const specs[] = { "rope", "t5", "fire", "shaw",
                                         "learned(length=32)" };
    int n = 0;

    for (size_t i = 0; i < LEN(specs); i++) {
        locant_train_options o = run_of_leaves(specs[i], i % 2 ? 2 : 8);

        check_run(&o, n++);
        o.memory = 64;
        if (i < 4) /* a table of inputs has no memory */
            check_run(&o, n++);
        o.memory = 0;
        o.source = &repeats;
        check_run(&o, n++);
    }
}

/* Parameters and moments; the runs have keys of their own. */
static bool same_values(locant_store *s, int64_t i, int64_t j)
{
    locant_tensors *x = checkpoint_of(s, i), *y = checkpoint_of(s, j);
    const locant_tensor *t;
    const char *name;
    bool same = true;

    for (size_t n = 0; (t = locant_tensors_at(x, n, &name)) != NULL; n++)
        same = same && memcmp(t->data, locant_tensors_find(y, name)->data,
                              bytes_of(t)) == 0;
    locant_tensors_free(x);
    locant_tensors_free(y);
    return same;
}

IN_SCRATCH(leaves_are_part_of_what_a_run_is)
{
    static const char *const specs[] = { "rope", "t5", "transformer-xl" };
    OWNED(locant_store) *s = open_store("a");
    struct lct_run_extra extra;

    for (size_t i = 0; i < LEN(specs); i++) {
        locant_train_options o = run_of_leaves(specs[i], 0);
        int64_t id[3];

        o.memory = i == 2 ? 40 : 0;
        for (int k = 0; k < 3; k++) {
            static const int64_t leaves[] = { 0, 1, 8 };

            o.leaves = leaves[k];
            id[k] = train(s, &o);
        }
        CHECK(id[0] != id[1] && id[1] != id[2] && id[0] != id[2]);
        /* one leaf is one pass */
        CHECK(same_values(s, id[0], id[1]));
        CHECK(!same_values(s, id[0], id[2]));
        CHECK_OK(lct_store_read_run_extra(&extra, s, id[0]));
        CHECK(strstr(extra.key, "leaves") == NULL);
        CHECK_OK(lct_store_read_run_extra(&extra, s, id[2]));
        CHECK(strstr(extra.key, ";leaves=8") != NULL);
    }
}

IN_SCRATCH(resumes_with_the_recorded_leaves)
{
    OWNED(locant_store) *a = open_store("a"), *b = open_store("b");
    locant_train_options o = run_of_leaves("t5", 4);
    int64_t straight, id = 0;
    int stops = 0;

    straight = train(a, &o);
    o.progress = stop;
    o.context = &stops;
    CHECK(locant_train(&id, b, corpus, &o) == LOCANT_ERR_INTERRUPTED);
    CHECK_OK(locant_resume(b, id, corpus, NULL, NULL));
    check_same_run(a, straight, b, id);
}

/* What a store says of leaves is checked before a model is made of it. */
IN_SCRATCH(refuses_leaves_that_a_store_made_up)
{
    static const struct {
        const char *leaves, *message;
    } wrong[] = {
        { "'4'", "run 1 has options this locant does not read" },
        { "3", "run 1: leaves is 3, expected 0 or a power of two up to 256" },
        { "16", "run 1: length is 32, expected a multiple of 128" },
        { "8", "run 1: its options are those of another run than its key" },
    };
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = run_of_leaves("rope", 4);
    int64_t id = 0;
    int stops = 0;
    char sql[160];

    o.progress = stop;
    o.context = &stops;
    CHECK(locant_train(&id, s, corpus, &o) == LOCANT_ERR_INTERRUPTED);
    for (size_t i = 0; i < LEN(wrong); i++) {
        snprintf(sql, sizeof sql,
                 "UPDATE runs SET options = json_set(options, '$.leaves', %s)",
                 wrong[i].leaves);
        CHECK(sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK);
        assert_int_equal(locant_resume(s, id, corpus, NULL, NULL),
                         LOCANT_ERR_FORMAT);
        if (strstr(locant_last_error(), wrong[i].message) == NULL)
            FAIL("leaves %s: %s", wrong[i].leaves, locant_last_error());
    }
    assert_int_equal(stops, 1);
}

/* The k-th allocation fails, for k = 1, 2, .. until a run is checked: what the
   leaves add to the model is among them. */
TEST(survives_lack_of_memory)
{
    const locant_train_options o = run_of_leaves("t5", 4);
    locant_status status = LOCANT_ERR_NOMEM;
    int k, without = 0;

    test_memory_fail(0);
    for (k = 1; status != LOCANT_OK && k < 1000; k++) {
        test_memory_fail(k);
        status = locant_train_check(corpus, &o);
        if (status != LOCANT_OK && status != LOCANT_ERR_NOMEM)
            FAIL("allocation %d: %s: %s", k, locant_status_name(status),
                 locant_last_error());
        without += strstr(locant_last_error(), "sums of leaves") != NULL;
    }
    CHECK_OK(status);
    CHECK(k > 10 && without == 1);
    CHECK(test_memory_held() == 0);
    test_memory_end();
}

IN_SCRATCH(refuses_leaves_that_cannot_be)
{
    static const int64_t bad[] = { -1, 3, 12, 512, INT64_MIN };
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = run_of_leaves("rope", 16);
    int64_t id = 77;
    int n = 0;

    REFUSES(
        PARAM, locant_train(&id, s, corpus, &o),
        "length is 32, expected a multiple of 128: each row has 2 leaves, of "
        "whole multiples of 64 tokens");
    o.batch = 6;
    o.leaves = 4;
    REFUSES(PARAM, locant_train(&id, s, corpus, &o),
            "leaves is 4, expected a divisor or a multiple of the batch, 6");
    for (size_t i = 0; i < LEN(bad); i++) {
        char text[80];

        snprintf(text, sizeof text,
                 "leaves is %lld, expected 0 or a power of two up to 256",
                 (long long)bad[i]);
        o.leaves = bad[i];
        REFUSES(PARAM, locant_train(&id, s, corpus, &o), text);
    }
    assert_int_equal(id, 77);
    CHECK_OK(locant_store_runs(s, count_run, &n));
    assert_int_equal(n, 0);
}

TEST_GROUP(make_corpus, free_corpus)
