/* test_sweep.c - a report in parts: plans, rounds, stores of their own */
/* needs: lab */
#define _GNU_SOURCE
#include "measure/sweep.h"
#include "train_case.h"
#include "locant/report.h"

/* -------------------------------------------------------------------- plans */

static const char good[] =
    "{\"format\": \"locant sweep\", \"version\": 1, \"preset\": \"hour\","
    " \"optimizer\": \"adamw\", \"vocabulary\": 0, \"seeds\": 4,"
    " \"corpus_sha256\": \"0123456789abcdef0123456789abcdef"
    "0123456789abcdef0123456789abcdef\","
    " \"encodings\": [{\"spec\": \"rope\", \"rate\": 0.5},"
    " {\"spec\": \"t5\", \"rate\": 1e-3}]}";

static locant_status read_plan(const char *text)
{
    struct lct_sweep s;

    LCT_TRY(lct_sweep_read(&s, text, strlen(text), "plan.json"));
    lct_sweep_free(&s);
    return LOCANT_OK;
}

TEST(a_plan_is_read)
{
    struct lct_sweep s;

    CHECK_OK(lct_sweep_read(&s, good, strlen(good), "plan.json"));
    CHECK(s.preset == LOCANT_PRESET_HOUR && s.optimizer == LOCANT_ADAMW);
    CHECK(s.vocabulary == 0 && s.seeds == 4 && s.n == 2);
    assert_string_equal(s.specs[1], "t5");
    CHECK(s.rates[0] == .5 && s.rates[1] == 1e-3);
    lct_sweep_free(&s);
}

/* Another text in place of 'from'. */
static void check_refused(const char *from, const char *to, const char *why)
{
    char text[sizeof good + 200];
    const char *at = strstr(good, from);

    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to,
             at + strlen(from));
    if (read_plan(text) != LOCANT_ERR_FORMAT ||
        strstr(locant_last_error(), why) == NULL ||
        strncmp(locant_last_error(), "plan.json: ", 11) != 0)
        FAIL("%s: %s\n", text, locant_last_error());
}

TEST(a_plan_that_is_none_is_refused)
{
    check_refused("locant sweep", "locant study", "'format'");
    check_refused("\"version\": 1", "\"version\": 2", "'version'");
    check_refused("\"hour\"", "\"day\"", "'preset'");
    check_refused("\"adamw\"", "7", "'optimizer'");
    check_refused("\"vocabulary\": 0", "\"vocabulary\": 256", "'vocabulary'");
    check_refused("\"seeds\": 4", "\"seeds\": 0", "'seeds'");
    check_refused("\"seeds\": 4", "\"seeds\": 4.5", "'seeds'");
    check_refused("0123456789abcdef0", "0123", "'corpus_sha256'");
    check_refused("\"seeds\"", "\"x\": 1, \"seeds\"", "unknown");
    check_refused("\"rate\": 0.5", "\"rate\": 0", "a rate is not");
    check_refused("\"rate\": 0.5", "\"rate\": \"a\"", "a rate is not");
    check_refused(", \"rate\": 0.5", "", "some of");
    check_refused(", \"rate\": 1e-3", "", "some of");
    check_refused("\"t5\"", "5", "one of 'encodings'");
    check_refused("{\"format\"", "[{\"format\"", "JSON");
}

static locant_report_options options_of(const char *plan)
{
    locant_report_options o = LOCANT_REPORT_INIT;

    o.plan = plan;
    o.directory = scratch_file(&dir, "lab");
    return o;
}

IN_SCRATCH(a_plan_that_is_written_is_read_again)
{
    static const char *const specs[] = { "rope", "alibi" };
    locant_report_options o = options_of(NULL);
    char path[PATH_MAX];
    struct lct_plan a, b;
    int rates;

    snprintf(path, sizeof path, "%s", scratch_file(&dir, "plan.json"));
    o.encodings = specs;
    o.n_encodings = 2;
    o.seeds = 7;
    o.preset = LOCANT_PRESET_FULL;
    o.vocabulary = 0;
    CHECK_OK(lct_plan_create(&a, &o));
    CHECK_OK(locant_report_make_plan(&rates, path, corpus, &o));
    CHECK(!rates); /* nobody has tried them */
    o = options_of(path);
    CHECK_OK(lct_plan_create(&b, &o));
    CHECK(b.n == 2 && b.seeds == 7 && b.n_rates == 3 && !b.rates_known);
    CHECK(strcmp(a.name, b.name) == 0 && a.blocks == b.blocks);
    CHECK(b.train.vocabulary == 0 && b.train.optimizer == a.train.optimizer);
    assert_string_equal(a.specs[1], b.specs[1]);
    CHECK_OK(lct_plan_check_text(&b, corpus));
    b.corpus_sha256[0] ^= 1;
    assert_int_equal(lct_plan_check_text(&b, corpus), LOCANT_ERR_PARAM);
    lct_plan_free(&a);
    lct_plan_free(&b);
    o.seeds = 3;
    assert_int_equal(lct_plan_create(&b, &o), LOCANT_ERR_PARAM);
    o.seeds = 0;
    o.minutes = 5;
    assert_int_equal(locant_report_part(NULL, corpus, &o, 1, 2),
                     LOCANT_ERR_PARAM);
    o.minutes = 0;
    assert_int_equal(locant_report_part(NULL, corpus, &o, 3, 2),
                     LOCANT_ERR_PARAM);
    assert_int_equal(locant_report_part(NULL, corpus, &o, 0, 2),
                     LOCANT_ERR_PARAM);
}

/* ------------------------------------------------------------------- rounds */

/* The plan of a preset that tries rates, with runs of a moment. */
static void make_plan(struct lct_plan *plan)
{
    static const char *const specs[] = { "rope", "alibi", "none" };
    locant_report_options o = options_of(NULL);

    o.encodings = specs;
    o.n_encodings = 3;
    o.seeds = 2;
    o.preset = LOCANT_PRESET_FULL;
    o.vocabulary = 0;
    CHECK_OK(lct_plan_create(plan, &o));
    plan->train.layers = 1;
    plan->train.width = plan->train.ff = 8;
    plan->train.heads = plan->train.kv_heads = 2;
    plan->train.batch = 2;
    plan->train.length = 32;
    plan->train.steps = 4;
    plan->blocks = 2;
}

static void run_plan(struct lct_plan *plan, locant_store *s)
{
    const struct lct_lab lab = { .store = s, .corpus = corpus };

    CHECK_OK(lct_plan_run(plan, &lab));
}

/* Train all parts of one round, and merge them. */
static void run_parts(struct lct_plan *plan, int parts, const char *to,
                      size_t want)
{
    locant_store *all = open_store(to), *part;
    size_t jobs = 0;

    for (plan->part = 1; plan->part <= parts; plan->part++) {
        char name[32];

        plan->parts = parts;
        snprintf(name, sizeof name, "%s-%d", to, plan->part);
        CHECK_OK(locant_store_open_alone(&part, scratch_file(&dir, name)));
        run_plan(plan, part);
        jobs += lct_plan_jobs(plan);
        locant_store_close(part);
        part = open_store(name);
        CHECK_OK(locant_store_merge(NULL, all, part));
        locant_store_close(part);
    }
    assert_int_equal(jobs, want);
    locant_store_close(all);
}

static int find_same(const locant_run_info *run, void *context)
{
    locant_store **stores = context;
    struct lct_run_extra extra;
    int64_t id = 0;
    bool found;

    CHECK_OK(lct_store_read_run_extra(&extra, stores[1], run->id));
    CHECK_OK(lct_store_read(&found, stores[0],
                            "SELECT id FROM runs WHERE key = ?1", "s>i",
                            extra.key, &id));
    CHECK(found);
    check_same_run(stores[0], id, stores[1], run->id);
    return 0;
}

/* Two rounds of five and of two parts train the runs of the whole report, and
   no others. */
IN_SCRATCH(two_rounds_of_parts_have_the_runs_of_the_whole)
{
    locant_store *stores[2];
    struct lct_plan whole, parts;
    size_t found;
    int64_t n[2];
    bool row;

    make_plan(&whole);
    make_plan(&parts);
    stores[0] = open_store("whole");
    run_plan(&whole, stores[0]);
    run_parts(&parts, 5, "parts", 9);
    stores[1] = open_store("parts");
    CHECK_OK(lct_plan_find_tried(&found, &parts, stores[1], corpus));
    assert_int_equal(found, 9);
    parts.train.constant_rate = 1; /* these would be other runs */
    CHECK_OK(lct_plan_find_tried(&found, &parts, stores[1], corpus));
    assert_int_equal(found, 0);
    parts.train.constant_rate = 0;
    CHECK_OK(lct_plan_find_tried(&found, &parts, stores[1], corpus));
    CHECK_OK(lct_choose_rates(&parts, stores[1],
                              locant_corpus_info_of(corpus)->sha256));
    locant_store_close(stores[1]);
    for (size_t i = 0; i < 3; i++)
        CHECK(parts.rate[i] == whole.rate[i]);
    parts.rates_known = true;
    run_parts(&parts, 2, "parts", 6);
    stores[1] = open_store("parts");
    for (int i = 0; i < 2; i++)
        CHECK_OK(lct_store_read(&row, stores[i], "SELECT count(*) FROM runs",
                                ">i", &n[i]));
    assert_int_equal(n[0], n[1]);
    CHECK_OK(locant_store_runs(stores[1], find_same, stores));
    locant_store_close(stores[0]);
    locant_store_close(stores[1]);
    lct_plan_free(&whole);
    lct_plan_free(&parts);
}

/* -------------------------------------------------------------------- alone */

/* Open the store alone in another process; the status. */
static locant_status open_elsewhere(void)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        locant_store *s;
        locant_status got =
            locant_store_open_alone(&s, scratch_file(&dir, "a"));

        if (got != LOCANT_OK && strstr(locant_last_error(), "process") == NULL)
            got = LOCANT_ERR_NULL;
        _exit((int)got);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    return (locant_status)WEXITSTATUS(status);
}

IN_SCRATCH(one_process_has_a_store_that_is_open_alone)
{
    locant_train_options o = tiny("rope");
    locant_store *s;
    char path[PATH_MAX];

    o.steps = 3;
    CHECK_OK(locant_store_open_alone(&s, scratch_file(&dir, "a")));
    train(s, &o);
    snprintf(path, sizeof path, "%s/runs.db-shm", scratch_file(&dir, "a"));
    CHECK(access(path, F_OK) != 0); /* no memory that processes share */
    path[strlen(path) - 3] = 0;
    strcat(path, "wal");
    CHECK(access(path, F_OK) == 0);
    assert_int_equal(open_elsewhere(), LOCANT_ERR_UNSUPPORTED);
    locant_store_close(s);
    assert_int_equal(open_elsewhere(), LOCANT_OK);
    s = open_store("a"); /* and as any other */
    locant_store_close(s);
}

TEST_GROUP(make_corpus, free_corpus)
