/* Tasks on the page: a store with a few scores, their section, its numbers. */
/* needs: lab */
#define _GNU_SOURCE
#include "corpora.h"
#include "scratch.h"

#include "chinese.h"
#include "page_results.h"

#include "measure/numbers.h"
#include "measure/results_tasks.h"
#include "store/store.h"
#include "report/messages.h"
#include <inttypes.h>
#include <jansson.h>

static struct scratch dir;
static locant_store *store;

static int set_up(void **state)
{
    CHECK(make_folder(state) == 0);
    dir = scratch_make();
    store = store_at(scratch_file(&dir, "store"));
    return 0;
}

static int tear_down(void **state)
{
    locant_store_close(store);
    scratch_remove(&dir);
    return remove_folder(state);
}

/* --------------------------------------------------------------------- runs */

/* A run of a task, as locant_train() names it in the store. */
static int64_t add_run(const char *task, const char *encoding, int seed,
                       int64_t length, const char *more)
{
    char key[512];
    struct lct_run_new run = {
        .key = key,
        .encoding = encoding,
        .model = "layers=2,width=64,heads=2,kv_heads=2,ff=256,norm=layer",
        .source = task,
        .corpus_sha256 = "",
        .seed = (uint64_t)seed,
        .steps = 600,
        .batch = 64,
        .length = length,
        .parameters = 50007,
        .encoding_parameters = 7
    };
    int64_t id;

    snprintf(key, sizeof key, "1;%s;%s;corpus=;seed=%d;steps=600;source=%s%s",
             encoding, run.model, seed, task, more);
    CHECK_OK(lct_store_find_or_add_run(&id, store, &run));
    return id;
}

static void add_score(int64_t run, const char *task, int64_t length,
                      int64_t place, int64_t exact, int64_t hits)
{
    const struct lct_task_score score = { .run = run,
                                          .score.task = task,
                                          .score.setting = "",
                                          .encoding = "",
                                          .test_seed = 1,
                                          .score.length = length,
                                          .score.place = place,
                                          .score.items = 100,
                                          .score.exact = exact,
                                          .score.tokens = 1000,
                                          .score.hits = hits,
                                          .score.loss = .5 };

    CHECK_OK(lct_store_add_scores(store, &score, 1));
}

/*
 * T1 of two seeds of rope and one of alibi; T7 of a table as long as its rows;
 * T12 of two parents; the control T4.
 */
static void fill_store(void)
{
    int64_t run = add_run("T1", "rope", 1, 128, "");

    add_score(run, "T1", 128, -1, 60, 950);
    add_score(run, "T1", 128, 1, 60, 1000);
    add_score(run, "T1", 128, 64, 60, 700);
    add_score(run, "T1", 256, -1, 10, 400);
    run = add_run("T1", "rope", 2, 128, "");
    add_score(run, "T1", 128, -1, 20, 850);
    add_score(run, "T1", 128, 64, 20, 300);
    add_score(add_run("T1", "alibi", 1, 128, ""), "T1", 128, -1, 0, 100);
    add_score(add_run("T1", "fire", 1, 128, ""), "T1", 128, -1, 100, 1000);
    add_score(add_run("T7", "learned(length=52)", 1, 52, ""), "T7", 50, -1, 90,
              900);
    add_score(add_run("T12", "rope", 1, 128, ";parent=0123456789abcdef"), "T12",
              128, 50, 80, 900);
    add_score(add_run("T12", "rope", 1, 128, ";parent=0123456789abcdef"), "T12",
              128, -1, 80, 900);
    add_score(add_run("T12", "rope", 2, 128, ";parent=fedcba9876543210"), "T12",
              128, -1, 40, 900);
    add_score(add_run("T4", "rope", 1, 101, ""), "T4", 50, -1, 3, 700);
}

static void make_tasks(struct lct_results *r)
{
    make_results(r);
    fill_store();
    CHECK_OK(lct_results_read_tasks(r, store));
}

static void free_tasks(struct lct_results *r)
{
    locant_release(r->tasks);
    free_results(r);
}

/* ------------------------------------------------------------------ numbers */

static double at(const json_t *numbers, const char *key)
{
    const json_t *found = lct_numbers_at(numbers, key);

    if (!json_is_number(found))
        FAIL("%s: no number there", key);
    return json_number_value(found);
}

static void check_text(const json_t *numbers, const char *key, const char *want)
{
    const char *found = json_string_value(lct_numbers_at(numbers, key));

    CHECK(found != NULL);
    assert_string_equal(found, want);
}

/* Two roots of (share - p)^2 = z^2 p (1 - p) / n, in the closed form. */
static void check_wilson(const json_t *numbers, const char *low,
                         const char *high, double share, double n)
{
    const double z = 1.959963984540054, square = z * z / n;
    const double middle = share + square / 2;
    const double half = z * sqrt(share * (1 - share) / n + square / (4 * n));

    /* a few operations on numbers below 2; z has 16 digits */
    CHECK(fabs(at(numbers, low) - (middle - half) / (1 + square)) < 1e-14);
    CHECK(fabs(at(numbers, high) - (middle + half) / (1 + square)) < 1e-14);
}

static void check_first(const json_t *n)
{
    check_text(n, "tasks.0.task", "T1");
    CHECK(at(n, "tasks.0.parameters") == 50000);
    CHECK(at(n, "tasks.0.tests.0.length") == 128);
    CHECK(at(n, "tasks.0.tests.1.length") == 256);
    check_text(n, "tasks.0.tests.0.rows.0.encoding", "alibi");
    check_text(n, "tasks.0.tests.0.rows.1.encoding", "rope");
    CHECK(lct_numbers_at(n, "tasks.0.tests.0.rows.2") == NULL); /* fire */
    CHECK(at(n, "tasks.0.tests.0.rows.1.seeds") == 2);
    CHECK(at(n, "tasks.0.tests.0.rows.1.values.1") == .85);
    CHECK(fabs(at(n, "tasks.0.tests.0.rows.1.mean") - .9) < 1e-15);
    CHECK(at(n, "tasks.0.tests.0.rows.1.solved") == .5);
    CHECK(at(n, "tasks.0.tests.0.rows.1.exact") == .4);
    check_wilson(n, "tasks.0.tests.0.rows.1.low", "tasks.0.tests.0.rows.1.high",
                 .4, 200);
    /* ten answers an item: no share of items */
    CHECK(
        json_is_null(lct_numbers_at(n, "tasks.0.tests.0.rows.1.values_low.0")));
    CHECK(at(n, "tasks.0.tests.0.rows.1.places.0.place") == 1);
    CHECK(at(n, "tasks.0.tests.0.rows.1.places.0.mean") == 1);
    CHECK(at(n, "tasks.0.tests.0.rows.1.places.1.place") == 64);
    CHECK(at(n, "tasks.0.tests.0.rows.1.places.1.mean") == .5);
    check_text(n, "tasks.0.hypotheses.1.encoding", "rope");
}

/* Of T12 each seed's score is a share of its own items. */
static void check_seeds(const json_t *n)
{
    check_text(n, "tasks.3.task", "T12");
    CHECK(at(n, "tasks.3.tests.0.rows.0.values.0") == .8);
    check_wilson(n, "tasks.3.tests.0.rows.0.values_low.0",
                 "tasks.3.tests.0.rows.0.values_high.0", .8, 100);
    check_wilson(n, "tasks.3.tests.0.rows.0.values_low.1",
                 "tasks.3.tests.0.rows.0.values_high.1", .4, 100);
}

TEST_WITH(set_up, tear_down, scores_are_in_the_numbers)
{
    FREED_BY(free_tasks) struct lct_results r;
    json_t *n;

    make_tasks(&r);
    CHECK_OK(lct_numbers_create(&n, &r));
    check_first(n);
    check_seeds(n);
    check_text(n, "tasks.1.task", "T4");
    CHECK(json_is_true(lct_numbers_at(n, "tasks.1.control")));
    CHECK(json_is_false(lct_numbers_at(n, "tasks.0.control")));
    /* a table as long as the rows of the task is the table of the page */
    check_text(n, "tasks.2.task", "T7");
    check_text(n, "tasks.2.tests.0.rows.0.encoding", "learned(length=128)");
    /* two parents are two seeds of one experiment */
    check_text(n, "tasks.3.task", "T12");
    CHECK(at(n, "tasks.3.tests.0.rows.0.seeds") == 2);
    CHECK(fabs(at(n, "tasks.3.tests.0.rows.0.mean") - .6) < 1e-15);
    CHECK(lct_numbers_at(n, "tasks.4") == NULL);
    json_decref(n);
}

TEST(a_length_that_was_left_out_is_dropped)
{
    static const char *const cases[][2] = {
        { "learned(length=128)", "learned" },
        { "learned(length=12)", "learned(length=12)" },
        { "learned(length=1280)", "learned(length=1280)" },
        { "x(a=1,length=128)+rope", "x(a=1)+rope" },
        { "x(length=128,a=1)", "x(a=1)" },
        { "rope(original_length=128)", "rope(original_length=128)" },
        { "temperature(kind=logn,length=128)+x(length=128)",
          "temperature(kind=logn)+x" },
    };
    char out[256];

    for (size_t i = 0; i < LEN(cases); i++) {
        lct_without_length(out, cases[i][0], 128);
        assert_string_equal(out, cases[i][1]);
    }
}

/* --------------------------------------------------------------------- page */

TEST_WITH(set_up, tear_down, the_section_shows_them)
{
    static const char mean[] =
        "<td class=\"i\" data-number=\"tasks.0.tests.0.rows.1.mean solved "
        "seeds exact";
    FREED_BY(free_tasks) struct lct_results r;
    char *page, *section, *controls;

    make_tasks(&r);
    page = page_of(&r);
    section = strstr(page, "<div id=\"tasks\">");
    controls = strstr(page, "id=\"controls\"");
    CHECK(section && controls && section < controls);
    CHECK(strstr(page, "<a href=\"#tasks\">") != NULL);
    CHECK(strstr(section, mean) && strstr(section, mean) < controls);
    CHECK(strstr(section, "<h3>T12 ") < controls);
    CHECK(strstr(section, "<h3>T4 ") > controls);
    /* a dot a seed: rope and alibi at 128, rope at 256; T4; T7; T12 */
    CHECK(count(section, " data-name=\"task-1-1\"") == 1);
    CHECK(count(section, " data-name=\"task-4-1\"") == 1);
    /* at 256 nothing was scored by place */
    CHECK(count(section, " data-name=\"task-1-places-") == 1);
    CHECK(count(section, " data-name=\"task-4-depths-") == 1);
    /* who solves it: all but losses; rows are named by encodings */
    CHECK(count(section, " data-name=\"task-1-solved\"") == 1);
    CHECK(count(section, "-solved\"") == count(section, "<h3>T"));
    CHECK(strstr(strstr(section, " data-name=\"task-1-places-"), ">rope<"));
    CHECK(strstr(section, "aria-label=\"Hypotheses about the tasks\""));
    CHECK(strstr(section, "On this task, at <span data-number=\""
                          "tasks.0.parameters\">50&#8239;000</span> "
                          "parameters"));
    /* alibi at 256 */
    CHECK(count(section, "not scored") > 0);
    CHECK(count(section, "class=\"banner\"") == 0);
    check_chinese(section, "tasks");
    CHECK(strstr(section, "负对照") && strstr(section, "每个种子一个点"));
    /* what repeats the page names its tasks */
    CHECK(strstr(page, " --with tasks --tasks T1,T4,T7,T12 --encodings "));
    free(page);
}

TEST_WITH(set_up, tear_down, without_scores_there_is_no_section)
{
    FREED_BY(free_tasks) struct lct_results r;
    char *page;

    make_results(&r);
    add_score(add_run("T1", "fire", 1, 128, ""), "T1", 128, -1, 100, 1000);
    add_run("T1", "rope", 1, 128, "");
    CHECK_OK(lct_results_read_tasks(&r, store));
    CHECK(r.n_tasks == 0);
    page = page_of(&r);
    CHECK(!strstr(page, "id=\"tasks\"") && !strstr(page, "#tasks"));
    CHECK(!strstr(page, " --with "));
    free(page);
}

static void check_known(const char *words)
{
    if (locant_chinese(words) == NULL)
        FAIL("no Chinese of '%s'", words);
}

TEST(every_task_has_its_words)
{
    static const char *const known[] = {
        "none",   "learned", "sinusoidal", "rope", "alibi",         "t5",
        "kerple", "fire",    "cope",       "xpos", "rope(base=128)"
    };
    const locant_task_info *t;
    int hypotheses = 0;

    for (int i = 0; (t = locant_task_at(i)) != NULL; i++) {
        check_known(t->title);
        check_known(t->metric);
        check_known(t->unit);
        check_known(t->definition);
        if (t->place && strcmp(t->place, "depth, per cent") != 0)
            check_known(t->place);
        for (size_t k = 0; k < LEN(known); k++) {
            const struct lct_hypothesis *h = lct_hypothesis_of(t->id, known[k]);

            if (h == NULL)
                continue;
            check_known(h->expected);
            check_known(h->reason);
            hypotheses++;
        }
    }
    CHECK(hypotheses > 60);
    CHECK(lct_hypothesis_of("T13.16", "rope") != NULL);
    CHECK(lct_hypothesis_of("T10", "rope") == NULL);
    CHECK(lct_hypothesis_of("T1", "rope+alibi") == NULL);
}

/* ----------------------------------------------------- memory that runs out */

TEST_WITH(set_up, tear_down, survives_lack_of_memory)
{
    FREED_BY(free_results) struct lct_results r;
    locant_status status = LOCANT_ERR_NOMEM;

    make_results(&r);
    fill_store();
    for (long k = 0; status != LOCANT_OK; k++) {
        test_memory_fail_from(k + 1);
        status = lct_results_read_tasks(&r, store);
        locant_release(r.tasks);
        CHECK(status == LOCANT_OK || status == LOCANT_ERR_NOMEM);
        CHECK(test_memory_held() == 0 && k < 100000);
        test_memory_end();
        r.tasks = NULL;
        r.n_tasks = 0;
    }
}
