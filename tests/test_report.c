/* test_report.c - gates that fail when they should; the main job, stopped */
/* needs: lab */
#define _GNU_SOURCE
#include "scratch.h"
#include "lab/run.h"
#include "model_specs.h"
#include <math.h>
#include <sys/stat.h>

static struct scratch dir;
static locant_corpus *corpus;

static int set_up(void **state)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;

    (void)state;
    o.kind = LOCANT_CORPUS_GENERATED;
    o.max_bytes = 1 << 20;
    CHECK_OK(locant_corpus_create(&corpus, &o));
    dir = scratch_make();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    locant_corpus_free(corpus);
    scratch_remove(&dir);
    return 0;
}

/* ------------------------------------------------------------------- gates */

enum { GROUPS = 8, SEEDS = 2 };
static const locant_encoding_info plain = {.name = "plain"};
static const locant_encoding_info walled = {.name = "walled",
                                            .traits = LOCANT_TRAIT_WALL};
static struct lct_result results[GROUPS][SEEDS];
static struct lct_group groups[GROUPS];

/* Results that pass every gate. */
static struct lct_results good(void)
{
    struct lct_results r = {.groups = groups, .n = GROUPS, .ngram = {2, 1.9},
                            .ngram_order = {2, 3}};

    for (int g = 0; g < GROUPS; g++) {
        groups[g] = (struct lct_group){
            .info = &plain, .reach = INT64_MAX, .results = results[g],
            .n = SEEDS};
        snprintf(groups[g].spec, sizeof groups[g].spec, "e%d", g);
        for (int s = 0; s < SEEDS; s++) {
            struct lct_result *x = &results[g][s];

            *x = (struct lct_result){0};
            snprintf(x->run.status, sizeof x->run.status, "done");
            snprintf(x->batch_checksum, sizeof x->batch_checksum, "%016d", s);
            x->run.length = 128;
            for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
                x->eval.length[k] = 128 << k;
                x->eval.same_targets[k] = 1.5 + .1 * g + .01 * s;
            }
            x->eval.shuffled = x->eval.same_targets[0] + .3;
            x->eval.causality = 1e-6;
        }
    }
    return r;
}

/* Exactly this gate fails; 0: none. */
static void check_only(struct lct_results *r, int failing)
{
    lct_judge_gates(r);
    for (int i = 2; i <= 7; i++)
        if (r->gates[i - 1].passed != (i != failing))
            FAIL("gate %d, expected %d to fail: %s", i, failing,
                 r->gates[i - 1].sentence);
}

static void gates_pass_what_is_good(void **state)
{
    struct lct_results r = good();

    (void)state;
    check_only(&r, 0);
    assert_string_equal(r.gates[1].name, "g2");
    assert_string_equal(
        r.gates[1].sentence,
        "the best loss at 128 is 1.505 nats/byte (e0); an order-2 n-gram on the"
        " same training bytes has 2.000");
    assert_string_equal(r.gates[6].sentence,
                        "at 2048 the encodings differ by up to 0.700 nats/byte,"
                        " seeds of one encoding by up to 0.010");
    /* A table that ends is undefined beyond its length, which is no failure. */
    groups[3].info = &walled;
    groups[3].reach = 128;
    for (int s = 0; s < SEEDS; s++)
        for (int k = 1; k < LOCANT_EVAL_LENGTHS; k++)
            results[3][s].eval.same_targets[k] = NAN;
    check_only(&r, 0);
}

static void gates_fail_what_is_bad(void **state)
{
    struct lct_results r = good();

    (void)state;
    r.ngram[0] = 1.505 - 1e-9;
    check_only(&r, 2);
    r = good();
    r.ngram[0] = NAN;
    check_only(&r, 2);

    r = good();
    for (int g = 0; g < 3; g++) /* six of eight must hold */
        for (int s = 0; s < SEEDS; s++)
            results[g][s].eval.shuffled -= .11;
    check_only(&r, 3);

    r = good();
    results[7][1].eval.causality = 1.1e-4;
    check_only(&r, 4);
    r = good();
    results[0][0].eval.causality = NAN;
    check_only(&r, 4);

    r = good();
    results[2][1].eval.same_targets[3] = INFINITY;
    check_only(&r, 5);
    r = good();
    snprintf(results[2][1].run.status, sizeof results[2][1].run.status,
             "failed");
    check_only(&r, 5);
    r = good();
    groups[3].info = &walled; /* but not within its length */
    groups[3].reach = 256;
    results[3][0].eval.same_targets[1] = NAN;
    check_only(&r, 5);

    r = good();
    results[5][1].batch_checksum[3] = 'f';
    check_only(&r, 6);

    r = good();
    results[1][0].eval.same_targets[4] += 2; /* seeds 2 apart, means 1.1 */
    check_only(&r, 7);
    r = good();
    for (int g = 0; g < GROUPS; g++)
        groups[g].n = 1;
    check_only(&r, 7);
}

static void rows_are_means_over_seeds(void **state)
{
    struct lct_results r = good();
    locant_report_row row;

    (void)state;
    results[0][0].eval.own_window = 1.7;
    results[0][1].eval.own_window = 1.9;
    results[0][0].run.seconds = 3;
    results[0][1].run.seconds = 5;
    results[0][0].bytes = 12345;
    lct_report_row_of(&row, &r.groups[0]);
    assert_string_equal(row.encoding, "e0");
    assert_int_equal(row.seeds, 2);
    /* 1.50 and 1.51: deviation .01/sqrt(2), t(.975, 1) = 12.7062 */
    CHECK(fabs(row.loss[0] - 1.505) < 1e-12);
    CHECK(fabs(row.half_width[0] - 12.7062 * .005) < 1e-5);
    CHECK(fabs(row.gain - (1.8 - 1.505)) < 1e-12);
    CHECK(row.seconds == 4 && row.bytes == 12345);
    groups[0].n = 1;
    lct_report_row_of(&row, &r.groups[0]);
    CHECK(row.loss[0] == 1.5 && isnan(row.half_width[0]));
}

static void every_encoding_has_its_properties(void **state)
{
    const char *spec;
    char sentence[256] = "";
    bool held;

    (void)state;
    /* test_model_each runs all of them in a sanitized build */
    for (size_t i = 0; (spec = model_spec(i)) != NULL;
         i += TEST_SANITIZED ? 3 : 1) {
        locant_encoding *e, *resolved;

        CHECK_OK(locant_encoding_create(&e, spec));
        CHECK_OK(locant_encoding_resolve(&resolved, e, 128));
        CHECK_OK(lct_check_properties(&held, sentence,
                                      locant_encoding_spec(resolved), 2, 16));
        if (!held)
            FAIL("%s", sentence);
        locant_encoding_free(e);
        locant_encoding_free(resolved);
    }
}

/* ---------------------------------------------------------------- the job */

struct watch {
    int64_t done, total;
    int calls, stop_after, evaluations;
};

static int watch(const locant_progress *p, void *context)
{
    struct watch *w = context;

    CHECK(p->encoding != NULL && p->seed >= 1 && p->elapsed >= 0);
    CHECK(p->done >= w->done && p->done <= p->total);
    CHECK(w->total == 0 || w->total == p->total);
    w->done = p->done;
    w->total = p->total;
    w->evaluations += strcmp(p->phase, "evaluate") == 0;
    return ++w->calls == w->stop_after;
}

static locant_report_options smoke(const char *const *encodings, size_t n)
{
    locant_report_options o = LOCANT_REPORT_INIT;

    o.preset = LOCANT_PRESET_SMOKE;
    o.encodings = encodings;
    o.n_encodings = n;
    o.directory = scratch_file(&dir, "lab");
    o.path = scratch_file(&dir, "page.html");
    return o;
}

static void check_rows(const locant_report *r)
{
    assert_int_equal(r->n_rows, 2);
    assert_string_equal(r->rows[0].encoding, "learned(length=128)");
    assert_string_equal(r->rows[1].encoding, "alibi");
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(r->rows[i].seeds, 2);
        /* below a uniform guess, above certainty */
        CHECK(r->rows[i].loss[0] > 0 && r->rows[i].loss[0] < log(256));
        CHECK(r->rows[i].half_width[0] > 0 && r->rows[i].bytes > 0);
        CHECK(r->rows[i].train_tokens_per_second > 0);
    }
    CHECK(isnan(r->rows[0].loss[1]) && isfinite(r->rows[1].loss[4]));
    assert_int_equal(r->rows[0].encoding_parameters, 128 * 32);
    assert_int_equal(r->rows[1].encoding_parameters, 0);
    /* g1 properties, g4 causal, g5 finite, g6 batches: hold at any size */
    for (int i = 0; i < 7; i++)
        if (!r->gates[i].passed && (i == 0 || (i >= 3 && i <= 5)))
            FAIL("%s: %s", r->gates[i].name, r->gates[i].sentence);
    CHECK(r->gates[1].passed == 0); /* 40 steps beat no n-gram */
}

static void stops_continues_and_repeats(void **state)
{
    static const char *const encodings[] = {"learned", "alibi"};
    locant_report_options o = smoke(encodings, 2);
    struct watch w = {.stop_after = 3};
    locant_report first, second;
    struct stat st;

    (void)state;
    o.seeds = 2;
    o.progress = watch;
    o.context = &w;
    CHECK_REFUSED(locant_report_run(&first, corpus, &o), LOCANT_ERR_INTERRUPTED,
                  "locant_report_run: stopped; every run has its checkpoint and"
                  " the same call continues");
    CHECK(access(o.path, F_OK) != 0);
    w = (struct watch){0};
    CHECK_OK(locant_report_run(&first, corpus, &o));
    CHECK(w.calls > 0 && w.evaluations > 0);
    check_rows(&first);
    assert_int_equal(stat(o.path, &st), 0);
    CHECK(st.st_size > 10000);

    /* Everything is in the store now: no work, same numbers. */
    w = (struct watch){0};
    CHECK_OK(locant_report_run(&second, corpus, &o));
    assert_int_equal(w.calls, 0);
    assert_int_equal(second.n_rows, first.n_rows);
    for (size_t i = 0; i < first.n_rows; i++)
        CHECK(memcmp(&first.rows[i], &second.rows[i],
                     sizeof first.rows[i]) == 0);
    locant_report_free(&first);
    locant_report_free(&second);
    CHECK_OK(locant_report_run(NULL, corpus, &o));
}

static void refuses_bad_arguments(void **state)
{
    static const char *const twice[] = {"rope", "rope(base=10000)"};
    static const char *const wrong[] = {"alibi", "alibbi"};
    static const char *const hole[] = {"alibi", NULL};
    locant_report_options o = smoke(twice, 2);
    char want[PATH_MAX + 64];

    (void)state;
    o.directory = scratch_file(&dir, "untouched");
    CHECK_REFUSED(locant_report_run(NULL, corpus, &o), LOCANT_ERR_PARAM,
                  "locant_report_run: encoding rope is given twice");
    o.encodings = wrong;
    assert_int_equal(locant_report_run(NULL, corpus, &o), LOCANT_ERR_PARAM);
    o.encodings = hole;
    CHECK_REFUSED(locant_report_run(NULL, corpus, &o), LOCANT_ERR_NULL,
                  "locant_report_run: one of encodings is NULL");
    o.encodings = NULL;
    o.seeds = -1;
    CHECK_REFUSED(locant_report_run(NULL, corpus, &o), LOCANT_ERR_PARAM,
                  "locant_report_run: seeds is -1, expected 0 .. 1000");
    o.seeds = 0;
    o.preset = (locant_preset)9;
    CHECK_REFUSED(locant_report_run(NULL, corpus, &o), LOCANT_ERR_PARAM,
                  "locant_report_run: preset is 9, expected 0 .. 3");
    o.preset = LOCANT_PRESET_SMOKE;
    o.path = scratch_file(&dir, "nowhere/page.html");
    snprintf(want, sizeof want, "%s: cannot be written: No such file or"
             " directory", o.path);
    CHECK_REFUSED(locant_report_run(NULL, corpus, &o), LOCANT_ERR_IO, want);
    CHECK_REFUSED(locant_report_run(NULL, NULL, &o), LOCANT_ERR_NULL,
                  "locant_report_run: corpus is NULL");
    CHECK(access(o.directory, F_OK) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gates_pass_what_is_good),
        cmocka_unit_test(gates_fail_what_is_bad),
        cmocka_unit_test(rows_are_means_over_seeds),
        cmocka_unit_test(every_encoding_has_its_properties),
        cmocka_unit_test(stops_continues_and_repeats),
        cmocka_unit_test(refuses_bad_arguments),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
