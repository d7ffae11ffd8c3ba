/* test_report.c - declared properties; the main job, stopped */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"
#include "measure/identities.h"
#include "measure/plan.h"
#include "measure/properties.h"
#include "model_specs.h"
#include <math.h>
#include <sys/stat.h>

/* -------------------------------------------------------------- properties */

TEST(every_encoding_has_its_properties)
{
    const char *spec;
    char sentence[256] = "";
    bool held;

    /* test_model_each runs all of them in a sanitized build */
    for (size_t i = 0; (spec = model_spec(i)) != NULL;
         i += TEST_SANITIZED ? 3 : 1) {
        locant_encoding *e, *resolved;

        CHECK_OK(locant_encoding_create(&e, spec));
        CHECK_OK(locant_encoding_resolve(&resolved, e, 128));
        CHECK_OK(lct_properties_check(&held, sentence,
                                      locant_encoding_spec(resolved), 2, 16));
        if (!held)
            FAIL("%s", sentence);
        locant_encoding_free(e);
        locant_encoding_free(resolved);
    }
}

/* Gate g1 once passed with errors of NAN. */
TEST(properties_with_nan_are_lacking)
{
    const unsigned relative = LOCANT_TRAIT_RELATIVE;
    double a[LCT_PROPERTIES_KEYS] = { 0 }, b[LCT_PROPERTIES_KEYS] = { 0 };

    CHECK(!lct_properties_judge_rotation(relative, NAN, 0, 1e-6).what);
    CHECK(lct_properties_judge_rotation(relative, 0, NAN, 1e-6).what);
    CHECK(lct_properties_judge_rotation(relative, 0, 2e-6, 1e-6).what);
    CHECK(
        lct_properties_judge_rotation(LOCANT_TRAIT_ISOMETRIC, NAN, 0, 1).what);
    CHECK(!lct_properties_judge_rotation(0, NAN, NAN, 1e-6).what);

    CHECK(!lct_properties_judge_bias(relative, a, b, LEN(a)).what);
    b[5] = NAN;
    CHECK(lct_properties_judge_bias(relative, a, b, LEN(a)).what);
    CHECK(!lct_properties_judge_bias(0, a, b, LEN(a)).what);
    a[7] = NAN;
    CHECK(lct_properties_judge_bias(0, a, b, LEN(a)).what);
}

TEST(identities_with_nan_do_not_hold)
{
    struct lct_identity same = { .bound = 1e-6 };
    struct lct_identity other = { .bound = 1e-3, .above = true };
    static const double errors[] = { NAN, 1e-9 };

    lct_identity_add(&same, 1e-9);
    lct_identity_add(&other, 1);
    CHECK(same.holds && other.holds);
    for (size_t i = 0; i < LEN(errors); i++) { /* and NAN stays */
        lct_identity_add(&same, errors[i]);
        lct_identity_add(&other, 1 + errors[i]);
        CHECK(!same.holds && !other.holds);
        CHECK(isnan(same.error) && isnan(other.error));
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

    if (p->notice)
        return 0;
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

TEST(stops_continues_and_repeats)
{
    static const char *const encodings[] = { "learned", "alibi" };
    locant_report_options o = smoke(encodings, 2);
    struct watch w = { .stop_after = 3 };
    locant_report first, second;
    struct stat st;

    o.seeds = 2;
    o.progress = watch;
    o.context = &w;
    REFUSES(INTERRUPTED, locant_report_run(&first, corpus, &o),
            "stopped; every run has its checkpoint and the same call "
            "continues");
    CHECK(access(o.path, F_OK) != 0);
    w = (struct watch){ 0 };
    CHECK_OK(locant_report_run(&first, corpus, &o));
    CHECK(w.calls > 0 && w.evaluations > 0);
    check_rows(&first);
    assert_int_equal(stat(o.path, &st), 0);
    CHECK(st.st_size > 10000);

    /* Everything is in the store now: no work, same numbers. */
    w = (struct watch){ 0 };
    CHECK_OK(locant_report_run(&second, corpus, &o));
    assert_int_equal(w.calls, 0);
    assert_int_equal(second.n_rows, first.n_rows);
    for (size_t i = 0; i < first.n_rows; i++)
        CHECK(memcmp(&first.rows[i], &second.rows[i], sizeof first.rows[i]) ==
              0);
    locant_report_free(&first);
    locant_report_free(&second);
    CHECK_OK(locant_report_run(NULL, corpus, &o));
}

TEST(homework_is_three_at_twice_the_length)
{
    static const char *const specs[] = { "sinusoidal", "rope", "alibi" };
    locant_report_options o = smoke(NULL, 0);
    FREED_BY(lct_plan_free) struct lct_plan plan;

    o.preset = LOCANT_PRESET_HOMEWORK;
    CHECK_OK(lct_plan_create(&plan, &o));
    assert_string_equal(plan.name, "homework");
    CHECK(plan.n == LEN(specs) && plan.seeds == 3 && plan.judged == 1);
    CHECK(plan.train.length == 128);
    for (size_t i = 0; i < plan.n && i < LEN(specs); i++)
        assert_string_equal(plan.specs[i], specs[i]);
}

/*
 * Of two rates, one of which trains nothing, the other is chosen, whatever the
 * test text says; the runs of the first seed are those tried.
 */
TEST(rates_are_chosen_by_validation)
{
    static const char *const encodings[] = { "none", "alibi" };
    const char *sha = locant_corpus_info_of(corpus)->sha256;
    locant_report_options o = smoke(encodings, 2);
    FREED_BY(lct_plan_free) struct lct_plan plan;
    locant_store *s;

    CHECK_OK(lct_plan_create(&plan, &o));
    plan.rates[0] = 1e-9;
    plan.rates[1] = 4e-3;
    plan.n_rates = 2;
    plan.blocks = 1;
    plan.train.steps = 15;
    s = store_at(scratch_file(&dir, "sweep"));
    CHECK_OK(
        lct_plan_run(&plan, &(struct lct_lab){ .store = s, .corpus = corpus }));
    for (int i = 0; i < 2; i++) {
        CHECK(plan.rate[i] == 4e-3);
        CHECK(plan.valid[2 + i] < plan.valid[i]);
        CHECK(plan.runs[i] == plan.tried[2 + i]);
    }
    /* planted: the one that trained nothing is best on the test text, and the
       other encoding's best rate has no validation loss */
    lct_store_lock(s);
    CHECK_OK(lct_store_exec(s,
                            "UPDATE curves SET loss = 0 WHERE evaluation"
                            " IN (SELECT id FROM evaluations WHERE run = ?1)",
                            "i", plan.tried[0]));
    CHECK_OK(lct_store_exec(s,
                            "UPDATE evaluations SET valid = NULL"
                            " WHERE run = ?1",
                            "i", plan.tried[3]));
    lct_store_unlock(s);
    CHECK_OK(lct_choose_rates(&plan, s, sha));
    CHECK(plan.rate[0] == 4e-3 && plan.rate[1] == 1e-9);
    locant_store_close(s);
}

/* Reports with different optimisers share no run. */
TEST(the_optimizer_trains_every_run)
{
    static const char *const encodings[] = { "alibi" };
    locant_report_options o = smoke(encodings, 1);
    FREED_BY(lct_plan_free) struct lct_plan plan;
    OWNED(locant_store) *s = store_at(scratch_file(&dir, "muon"));
    locant_run_info run;
    int64_t first;

    o.optimizer = LOCANT_ADAMW;
    CHECK_OK(lct_plan_create(&plan, &o));
    plan.blocks = 1;
    plan.train.steps = 2;
    CHECK_OK(
        lct_plan_run(&plan, &(struct lct_lab){ .store = s, .corpus = corpus }));
    first = plan.runs[0];
    plan.train.optimizer = LOCANT_MUON;
    CHECK_OK(
        lct_plan_run(&plan, &(struct lct_lab){ .store = s, .corpus = corpus }));
    CHECK(plan.runs[0] != first);
    CHECK_OK(locant_store_run(&run, s, plan.runs[0]));
    assert_string_equal(run.optimizer, "muon");
}

/* Quick is trained by Muon on tokens unless the caller chooses. */
TEST(the_preset_chooses_optimizer_and_vocabulary)
{
    locant_report_options o = LOCANT_REPORT_INIT;
    struct lct_plan plan;

    CHECK_OK(lct_plan_create(&plan, &o));
    CHECK(plan.train.optimizer == LOCANT_MUON && plan.train.vocabulary == 512);
    lct_plan_free(&plan);
    o.optimizer = LOCANT_ADAMW;
    o.vocabulary = 0;
    CHECK_OK(lct_plan_create(&plan, &o));
    CHECK(plan.train.optimizer == LOCANT_ADAMW && plan.train.vocabulary == 0);
    lct_plan_free(&plan);
    o.vocabulary = -2;
    CHECK(lct_plan_create(&plan, &o) == LOCANT_ERR_PARAM);
}

TEST(refuses_bad_arguments)
{
    static const char *const twice[] = { "rope", "rope(base=10000)" };
    static const char *const wrong[] = { "alibi", "alibbi" };
    static const char *const hole[] = { "alibi", NULL };
    locant_report_options o = smoke(twice, 2);
    char want[PATH_MAX + 64];

    o.directory = scratch_file(&dir, "untouched");
    REFUSES(PARAM, locant_report_run(NULL, corpus, &o),
            "encoding rope is given twice");
    o.encodings = wrong;
    assert_int_equal(locant_report_run(NULL, corpus, &o), LOCANT_ERR_PARAM);
    o.encodings = hole;
    REFUSES(NULL, locant_report_run(NULL, corpus, &o),
            "one of encodings is NULL");
    o.encodings = NULL;
    o.seeds = -1;
    REFUSES(PARAM, locant_report_run(NULL, corpus, &o),
            "seeds is -1, expected 0 .. 1000");
    o.seeds = 0;
    o.preset = (locant_preset)9;
    REFUSES(PARAM, locant_report_run(NULL, corpus, &o),
            "preset is 9, expected 0 .. 4");
    o.preset = LOCANT_PRESET_SMOKE;
    o.path = scratch_file(&dir, "nowhere/page.html");
    snprintf(want, sizeof want,
             "%s: cannot be written: No such file or"
             " directory",
             o.path);
    CHECK_REFUSED(locant_report_run(NULL, corpus, &o), LOCANT_ERR_IO, want);
    REFUSES(NULL, locant_report_run(NULL, NULL, &o), "corpus is NULL");
    CHECK(access(o.directory, F_OK) != 0);
}

TEST_WITH_TEXT(1 << 20)
