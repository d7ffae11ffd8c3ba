/*
 * test_evaluate_as.c - runs under another spec, and beyond their table, against
 * models put together by hand.
 *
 * Tolerance 1e-5: as in test_evaluate.c.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"
#include <math.h>

enum { BLOCKS = 2, LONGEST = 2048, WIDTH = 16, TRAINED = 64 };
static const double tolerance = 1e-5;
static const int64_t two[] = { 128, 512 };

static int64_t train(const char *encoding)
{
    const locant_train_options o = narrow(encoding, 1, TRAINED, 20);

    return run_of(&o);
}

/* P1 and P2 where 2048 is asked for. */
static locant_evaluation evaluate(int64_t id, const char *spec,
                                  enum locant_eval_policy policy,
                                  const int64_t *lengths, size_t n)
{
    locant_eval_options o = LOCANT_EVAL_INIT;
    locant_evaluation e;

    o.blocks = BLOCKS;
    o.encoding = spec;
    o.policy = policy;
    o.lengths = lengths;
    o.n_lengths = n;
    CHECK_OK(locant_evaluate_as(&e, store, id, corpus, &o));
    return e;
}

/* ----------------------------------------------------------------- by hand */

static struct lct_model *empty_model(locant_encoding **e, int64_t id,
                                     const char *spec)
{
    struct lct_model_config config;
    struct lct_model *m;
    locant_run_info run;

    CHECK_OK(locant_store_run(&run, store, id));
    CHECK_OK(lct_model_parse(&config, run.model));
    CHECK_OK(locant_encoding_create(e, spec));
    config.encoding = *e;
    CHECK_OK(lct_model_create(&m, &config, 1, LONGEST, false));
    return m;
}

static const struct lct_model_tensor *tensor(const struct lct_model *m,
                                             const char *name)
{
    const struct lct_model_tensor *t;
    int n = lct_model_tensors(m, &t);

    for (int i = 0; i < n; i++)
        if (strcmp(t[i].name, name) == 0)
            return &t[i];
    return NULL;
}

/* Every tensor of the run by its name; 'own' by what it is called there. */
static void fill(struct lct_model *m, int64_t id, const char *name,
                 const char *own)
{
    struct lct_model *trained = NULL;
    const struct lct_model_tensor *t, *from;
    locant_encoding *e = NULL;
    locant_run_info run;
    int n = lct_model_tensors(m, &t);

    CHECK_OK(locant_store_run(&run, store, id));
    CHECK_OK(lct_load_trained(&trained, &e, store, &run, 1));
    for (int i = 0; i < n; i++) {
        from =
            tensor(trained, name && !strcmp(t[i].name, name) ? own : t[i].name);
        assert_non_null(from);
        memcpy(lct_model_params(m) + t[i].offset,
               lct_model_params(trained) + from->offset,
               from->size * sizeof(real));
    }
    lct_model_free(trained);
    locant_encoding_free(e);
}

static double same_targets(struct lct_model *m, int64_t C)
{
    static int32_t in[LONGEST], out[LONGEST];
    static float loss[LONGEST];
    const uint8_t *bytes = lct_corpus_split(corpus, LCT_TEST)->bytes;
    size_t ends[BLOCKS];
    double sum = 0;

    assert_int_equal(lct_choose_blocks(ends, BLOCKS,
                                       lct_corpus_split(corpus, LCT_TEST),
                                       LCT_EVAL_SEED),
                     BLOCKS);
    for (int b = 0; b < BLOCKS; b++) {
        for (int64_t i = 0; i < C; i++) {
            in[i] = bytes[(int64_t)ends[b] - C - 1 + i];
            out[i] = bytes[(int64_t)ends[b] - C + i];
        }
        CHECK_OK(lct_model_forward(m, in, out, 1, C, loss, NULL));
        for (int64_t i = C - 64; i < C; i++)
            sum += loss[i];
    }
    return sum / (64 * BLOCKS);
}

static void check_near(double got, double want, const char *what)
{
    if (!(fabs(got - want) <= tolerance))
        FAIL("%s: got %.9g, want %.9g", what, got, want);
}

/* --------------------------------------------------------------- the tests */

/* A temperature that warms queries from the trained length on. */
TEST(another_temperature)
{
    static const struct {
        const char *spec, *as, *name, *own;
    } cases[] = {
        { "t5", "temperature(kind=logn)+t5", "encoding.t5.table",
          "encoding.table" },
        { "rope", "temperature(kind=logn)+rope", NULL, NULL },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        int64_t id = train(cases[i].spec);
        locant_evaluation e =
            evaluate(id, cases[i].as, LOCANT_POLICY_NONE, two, LEN(two));
        locant_evaluation plain;
        locant_encoding *hand;
        struct lct_model *m;
        char spec[64];

        snprintf(spec, sizeof spec, "temperature(kind=logn,length=%d)+%s",
                 TRAINED, cases[i].spec);
        m = empty_model(&hand, id, spec);
        fill(m, id, cases[i].name, cases[i].own);
        for (size_t k = 0; k < LEN(two); k++) {
            assert_int_equal(e.length[k], two[k]);
            check_near(e.same_targets[k], same_targets(m, two[k]), spec);
        }
        CHECK(e.length[2] == 0 && isnan(e.same_targets[2]));
        CHECK(isnan(e.by_position[0]) && isnan(e.own_window));
        CHECK_OK(locant_evaluate(&plain, store, id, corpus, BLOCKS));
        /* it has warmed something */
        CHECK(fabs(plain.same_targets[2] - e.same_targets[1]) > tolerance);
        lct_model_free(m);
        locant_encoding_free(hand);
    }
}

/* What changes nothing gives the same bits. */
TEST(the_same_encoding_is_the_same)
{
    int64_t id = train("kerple");
    locant_evaluation plain, own, cold;

    CHECK_OK(locant_evaluate(&plain, store, id, corpus, BLOCKS));
    own = evaluate(id, "kerple", LOCANT_POLICY_NONE, two, LEN(two));
    CHECK(own.same_targets[0] == plain.same_targets[0]);
    CHECK(own.same_targets[1] == plain.same_targets[2]);
    /* ln(p + 1) / ln(4096) stays below 1 */
    cold = evaluate(id, "temperature(kind=logn,length=4096)+kerple",
                    LOCANT_POLICY_NONE, NULL, 0);
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        CHECK(cold.same_targets[k] == plain.same_targets[k]);
    for (int i = 0; i < LOCANT_EVAL_BUCKETS; i++)
        CHECK(cold.by_position[i] == plain.by_position[i]);
}

/* Row 'at' of n rows by the definition of a policy: two rows and a weight. */
static double table_row(const real *table, int64_t at, int64_t n,
                        int64_t column, enum locant_eval_policy policy)
{
    double s = (double)at * (TRAINED - 1) / (double)(n - 1), below = floor(s);
    int64_t row = at;

    if (policy == LOCANT_POLICY_RESAMPLE)
        return (1 - (s - below)) * table[(int64_t)below * WIDTH + column] +
               (below < TRAINED - 1
                    ? (s - below) * table[((int64_t)below + 1) * WIDTH + column]
                    : 0);
    if (row >= TRAINED)
        row = policy == LOCANT_POLICY_CLAMP ? TRAINED - 1 : row % TRAINED;
    return table[row * WIDTH + column];
}

TEST(tables_beyond_their_end)
{
    int64_t id = train("learned");
    locant_encoding *hand;
    struct lct_model *m;
    real *table, *own;

    m = empty_model(&hand, id, "learned(length=2048)");
    fill(m, id, NULL, NULL);
    table = lct_model_params(m) + tensor(m, "encoding.table")->offset;
    own = calloc(TRAINED * WIDTH, sizeof *own);
    assert_non_null(own);
    memcpy(own, table, TRAINED * WIDTH * sizeof *own);
    for (int p = LOCANT_POLICY_CLAMP; p <= LOCANT_POLICY_RESAMPLE; p++) {
        locant_evaluation e =
            evaluate(id, NULL, (enum locant_eval_policy)p, two, LEN(two));

        for (size_t k = 0; k < LEN(two); k++) {
            for (int64_t i = 0; i < two[k] * WIDTH; i++)
                table[i] = (real)table_row(own, i / WIDTH, two[k], i % WIDTH,
                                           (enum locant_eval_policy)p);
            check_near(e.same_targets[k], same_targets(m, two[k]),
                       locant_eval_policy_name((enum locant_eval_policy)p));
        }
    }
    free(own);
    lct_model_free(m);
    locant_encoding_free(hand);
}

/* With offset rows before the first, and as a part of a sum. */
TEST(a_window_within_the_table_is_as_trained)
{
    static const int64_t within[] = { TRAINED };
    static const char *const specs[] = { "learned(offset=2)", "rope+learned" };

    for (size_t i = 0; i < LEN(specs); i++) {
        int64_t id = train(specs[i]);
        locant_evaluation e = evaluate(id, NULL, LOCANT_POLICY_NONE, within, 1);

        CHECK(isfinite(e.same_targets[0]));
        for (int p = LOCANT_POLICY_CLAMP; p <= LOCANT_POLICY_RESAMPLE; p++)
            CHECK(evaluate(id, NULL, (enum locant_eval_policy)p, within, 1)
                      .same_targets[0] == e.same_targets[0]);
    }
}

TEST(reads_back_what_was_recorded)
{
    int64_t id = train("alibi");
    const char *as = "temperature(kind=logn)+alibi";
    locant_evaluation a = evaluate(id, as, LOCANT_POLICY_NONE, two, LEN(two));
    locant_evaluation c = evaluate(id, as, LOCANT_POLICY_NONE, NULL, 0), b, d;
    char *path;

    CHECK(c.same_targets[0] == a.same_targets[0]);
    CHECK(isfinite(c.by_position[LOCANT_EVAL_BUCKETS - 1]));
    CHECK_OK(lct_store_run_path(&path, store, id, "safetensors"));
    assert_int_equal(unlink(path), 0);
    locant_release(path);
    b = evaluate(id, as, LOCANT_POLICY_NONE, two, LEN(two));
    d = evaluate(id, as, LOCANT_POLICY_NONE, NULL, 0);
    CHECK(memcmp(&a, &b, sizeof a) == 0 && memcmp(&c, &d, sizeof c) == 0);
}

static void refuse(int64_t id, const locant_eval_options *o, const char *want)
{
    locant_evaluation e;

    CHECK_REFUSED(locant_evaluate_as(&e, store, id, corpus, o),
                  LOCANT_ERR_PARAM, want);
}

TEST(refuses_what_does_not_fit)
{
    static const int64_t falling[] = { 256, 128 }, short_one[] = { 63 };
    locant_eval_options o = LOCANT_EVAL_INIT;
    int64_t t5 = train("t5"), rope = train("rope"), learned = train("learned");

    o.blocks = 1;
    o.encoding = "none";
    refuse(t5, &o,
           "locant_evaluate_as: parameter t5.table of t5 has no partner"
           " in none");
    o.encoding = "t5";
    refuse(rope, &o,
           "locant_evaluate_as: parameter t5.table of t5 has no"
           " partner in rope");
    o.encoding = "t5(buckets=16)";
    refuse(t5, &o,
           "locant_evaluate_as: parameter t5.table of t5(buckets=16)"
           " has no partner of its shape in t5");
    o.encoding = "learned(length=128)";
    refuse(learned, &o,
           "locant_evaluate_as: parameter learned.table of"
           " learned(length=128) has no partner of its shape in"
           " learned(length=64)");
    o.encoding = NULL;
    o.policy = LOCANT_POLICY_WRAP;
    refuse(rope, &o, "locant_evaluate_as: rope has no end, expected no policy");
    refuse(train("randomized(length=64)+rope"), &o,
           "locant_evaluate_as: no"
           " table of randomized(length=64)+rope ends where its positions do,"
           " expected no policy");
    o.policy = (enum locant_eval_policy)4;
    refuse(rope, &o, "locant_evaluate_as: policy is 4, expected 0 .. 3");
    o.policy = LOCANT_POLICY_NONE;
    o.lengths = falling;
    o.n_lengths = 2;
    refuse(rope, &o,
           "locant_evaluate_as: length 1 is 128, expected them rising"
           " from 64 to 2048");
    o.lengths = short_one;
    o.n_lengths = 1;
    refuse(rope, &o,
           "locant_evaluate_as: length 0 is 63, expected them rising"
           " from 64 to 2048");
    o.n_lengths = 6;
    refuse(rope, &o, "locant_evaluate_as: n_lengths is 6, expected 1 .. 5");
}

/* ------------------------------------------------------ nowhere to keep it */

static int count_ticks(int64_t tokens, void *context)
{
    (void)tokens;
    ++*(int *)context;
    return 0;
}

/* What cannot be recorded is not computed; what is recorded is read. */
TEST(a_store_that_cannot_be_written_is_told_at_once)
{
    locant_eval_options o = LOCANT_EVAL_INIT;
    const int64_t id = train("alibi");
    locant_evaluation e;
    locant_store *other;
    int ticks = 0;

    CHECK_OK(locant_store_open_readonly(&other, scratch_file(&dir, "store")));
    CHECK(lct_evaluate(&e, other, id, corpus, 1, count_ticks, &ticks) ==
          LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(), "was opened for reading only") != NULL);
    o.blocks = 1;
    o.encoding = "none";
    CHECK(lct_evaluate_as(&e, other, id, corpus, &o, count_ticks, &ticks) ==
          LOCANT_ERR_PARAM);
    assert_int_equal(ticks, 0);
    CHECK_OK(lct_evaluate(&e, store, id, corpus, 1, count_ticks, &ticks));
    CHECK(ticks > 0);
    ticks = 0;
    CHECK_OK(lct_evaluate(&e, other, id, corpus, 1, count_ticks, &ticks));
    assert_int_equal(ticks, 0);
    locant_store_close(other);
}

TEST_WITH_LAB(512 << 10)
