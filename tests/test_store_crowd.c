/*
 * test_store_crowd.c - many writers, readers beside them, thousands of runs.
 * With LOCANT_CASES=100 each writer adds a thousand runs.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "ask.h"
#include "store/store_eval.h"
#include "store_records.h"
#include "train_case.h"
#include <math.h>

enum { WRITERS = 8, RUNS = TEST_SANITIZED ? 5 : 25 };

static int cases(void)
{
    const char *text = getenv("LOCANT_CASES");

    return text && atoi(text) > 99 ? 10 * atoi(text) : RUNS;
}

static int64_t add_run(locant_store *s, const char *key)
{
    const struct lct_run_new run = { .key = key,
                                     .encoding = "none",
                                     .model = SMALL_MODEL,
                                     .corpus_sha256 = "0",
                                     .steps = 3,
                                     .batch = 1,
                                     .length = 1 };
    int64_t id;

    CHECK_OK(lct_store_find_or_add_run(&id, s, &run));
    return id;
}

/* ----------------------------------------------------------------- writers */

/* Open a store that may not exist yet, and add runs with metrics, an evaluation
   and a probe each. */
static int write_runs(int process, int runs)
{
    const struct lct_metric m[3] = { { 1, 1, 1, 1, 1 },
                                     { 2, 1, 1, 1, 1 },
                                     { 3, 1, 1, 1, 1 } };
    const struct lct_run_state at = { "done", 3, 1, 1, NULL };
    const struct lct_evaluation_row row = { .blocks = 1 };
    int64_t length = 128;
    double loss = 1;
    const struct lct_curve curve = { "P1", 1, 1, &length, &loss, &loss };
    locant_store *s;

    if (locant_store_open(&s, scratch_file(&dir, "store")) != LOCANT_OK)
        return 1;
    for (int i = 0; i < runs; i++) {
        struct lct_evaluation_key key = { .corpus_sha256 = "0", .want = 1 };
        char name[32];

        snprintf(name, sizeof name, "%d-%d", process, i);
        key.run = add_run(s, name);
        if (lct_store_record(s, key.run, &at, m, 3) != LOCANT_OK ||
            lct_store_add_evaluation(s, &key, &row, &curve, 1) != LOCANT_OK ||
            lct_store_keep_latest_probe(s, key.run, "section", "surface",
                                        "{}") != LOCANT_OK)
            return 1;
    }
    locant_store_close(s);
    return 0;
}

/* Each writer creates the store if it is the first. */
IN_SCRATCH(takes_eight_writers_at_once)
{
    const int runs = cases();
    pid_t child[WRITERS];

    for (int p = 0; p < WRITERS; p++) {
        child[p] = fork();
        if (child[p] == 0) {
            int failed = write_runs(p, runs);

            if (failed)
                fprintf(stderr, "%s\n", locant_last_error());
            _exit(failed);
        }
    }
    for (int p = 0; p < WRITERS; p++) {
        int status;

        assert_int_equal(waitpid(child[p], &status, 0), child[p]);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(ask(&dir, "SELECT count(*) FROM runs WHERE status ="
                               " 'done'"),
                     WRITERS * runs);
    assert_int_equal(ask(&dir, "SELECT count(*) FROM metrics"),
                     3 * WRITERS * runs);
    assert_int_equal(ask(&dir, "SELECT count(*) FROM losses"), WRITERS * runs);
    /* each has another "kept" */
    assert_int_equal(ask(&dir, "SELECT count(DISTINCT value) FROM probes WHERE"
                               " json_extract(value, '$.kept') BETWEEN 1 AND"
                               " (SELECT count(*) FROM runs)"),
                     WRITERS * runs);
    assert_int_equal(ask(&dir, "SELECT integrity_check = 'ok' FROM"
                               " pragma_integrity_check"),
                     1);
}

/* A writer that waited for longer than the timeout is told so. */
IN_SCRATCH(says_that_the_store_is_locked)
{
    char want[PATH_MAX];
    OWNED(locant_store) *s = open_store("store");
    sqlite3 *other;

    snprintf(want, sizeof want, "%s/runs.db: SQLite says: database is locked",
             scratch_file(&dir, "store"));
    assert_int_equal(sqlite3_open(scratch_file(&dir, "store/runs.db"), &other),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_busy_timeout(s->db, 20);
    CHECK_REFUSED(lct_store_begin_session(s, 1, 0), LOCANT_ERR_IO, want);
    sqlite3_close(other);
    add_run(s, "a");
}

/* ----------------------------------------------------------------- readers */

struct seen {
    int reads, between; /* reads, and those while some steps were done */
};

/* The step of the run is the number of its metrics and the last of them. */
static int check_row(int n, const char *const *names, const char *const *values,
                     const char *kinds, void *context)
{
    struct seen *seen = context;

    (void)names;
    (void)kinds;
    assert_int_equal(n, 4);
    assert_string_equal(values[0], values[1]);
    assert_string_equal(values[0], values[2]);
    seen->reads++;
    seen->between +=
        strcmp(values[0], "0") != 0 && strcmp(values[3], "running") == 0;
    return 0;
}

IN_SCRATCH(readers_see_whole_rows_while_a_run_trains)
{
    static const char query[] =
        "SELECT step, (SELECT count(*) FROM metrics WHERE run = runs.id),"
        " (SELECT ifnull(max(step), 0) FROM metrics WHERE run = runs.id),"
        " status FROM runs";
    locant_train_options o = tiny("alibi");
    locant_store *s;
    struct seen seen = { 0, 0 };
    pid_t child;
    int status;

    o.steps = 150;
    o.checkpoint_every = 3;
    locant_store_close(open_store("store"));
    child = fork();
    if (child == 0) {
        s = open_store("store");
        train(s, &o);
        locant_store_close(s);
        _exit(0);
    }
    CHECK_OK(locant_store_open_readonly(&s, scratch_file(&dir, "store")));
    while (waitpid(child, &status, WNOHANG) == 0) {
        locant_run_info info;

        CHECK_OK(locant_store_sql(s, query, check_row, &seen));
        if (seen.between > 0)
            CHECK_OK(locant_store_run(&info, s, 1));
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(seen.between > 0);
    locant_store_close(s);
}

/* --------------------------------------------------------------- many runs */

static void add_many(locant_store *s, int n)
{
    CHECK_OK(lct_store_begin(s, __func__));
    CHECK_OK(lct_store_end(
        s, lct_store_exec(
               s,
               "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
               " LIMIT ?1) INSERT INTO runs (key, status, encoding, model,"
               " corpus_sha256, seed, step, steps, batch, length, parameters,"
               " encoding_parameters, bytes, seconds, batch_checksum, started)"
               " SELECT 'run ' || (i + (SELECT count(*) FROM runs)), 'done',"
               " 'rope', ?2, '0', i, 10, 10, 1, 1, 1, 0, 1, 1, '', '' FROM n",
               "is", (int64_t)n, SMALL_MODEL)));
    CHECK_OK(lct_store_begin(s, __func__));
    CHECK_OK(lct_store_end(
        s, lct_store_exec(
               s,
               "INSERT OR IGNORE INTO metrics SELECT runs.id, n.value, 1, 1, 1"
               " FROM runs, json_each('[1,2,3,4,5,6,7,8,9,10]') AS n",
               "")));
}

struct work {
    int statements, steps; /* steps: in tens */
};

static int on_statement(unsigned kind, void *context, void *stmt, void *sql)
{
    (void)kind;
    (void)stmt;
    (void)sql;
    ((struct work *)context)->statements++;
    return 0;
}

static int on_steps(void *context)
{
    ((struct work *)context)->steps++;
    return 0;
}

static int count_trained(const locant_run_info *run, void *context)
{
    CHECK(run->train_loss == 1);
    ++*(int *)context;
    return 0;
}

static int count_score(const locant_run_info *run, const char *setup,
                       const locant_task_score *score, void *context)
{
    CHECK(run->id > 0 && setup[0] && score->items == 10);
    ++*(int *)context;
    return 0;
}

/* Measure listing all runs, or all scores; there must be 'want'. */
static struct work measure_list(locant_store *s, bool scores, int want)
{
    struct work work = { 0, 0 };
    int n = 0;

    sqlite3_trace_v2(s->db, SQLITE_TRACE_STMT, on_statement, &work);
    sqlite3_progress_handler(s->db, 10, on_steps, &work);
    if (scores)
        CHECK_OK(locant_task_recorded(s, count_score, &n));
    else
        CHECK_OK(locant_store_runs(s, count_trained, &n));
    sqlite3_trace_v2(s->db, 0, NULL, NULL);
    sqlite3_progress_handler(s->db, 0, NULL, NULL);
    assert_int_equal(n, want);
    return work;
}

/* One statement reads 256 runs, and ten times the runs take ten times the
   steps. */
IN_SCRATCH(lists_thousands_of_runs)
{
    OWNED(locant_store) *s = open_store("store");
    struct work few, many;

    add_many(s, 500);
    few = measure_list(s, false, 500);
    add_many(s, 4500);
    many = measure_list(s, false, 5000);
    CHECK(few.statements == 2 && many.statements == 5000 / 256 + 1);
    /* about 60 steps of the virtual machine for each run */
    CHECK(few.steps > 500 && many.steps < 11 * few.steps);
}

/* A run without scores takes no statement, only a look into an index. */
IN_SCRATCH(finds_scores_among_thousands_of_runs)
{
    const struct lct_task_score score = score_of_run(4711);
    OWNED(locant_store) *s = open_store("store");
    struct work none, one;

    add_many(s, 5000);
    CHECK_OK(lct_store_begin(s, __func__));
    CHECK_OK(lct_store_end(
        s, lct_store_exec(s, "UPDATE runs SET source = 'T1'", "")));
    none = measure_list(s, true, 0);
    assert_int_equal(none.statements, 1);
    CHECK(none.steps < 5000 * 2);
    CHECK_OK(lct_store_add_scores(s, &score, 1));
    one = measure_list(s, true, 1);
    assert_int_equal(one.statements, 3); /* the run, its scores, its key */
    CHECK(one.steps < none.steps + 20);
}

static int find_scan(int n, const char *const *names, const char *const *values,
                     const char *kinds, void *context)
{
    (void)n;
    (void)names;
    (void)kinds;
    if (strncmp(values[3], "SCAN ", 5) == 0)
        FAIL("%s: %s\n", (const char *)context, values[3]);
    return 0;
}

/* No query of the lab scans a table. */
IN_SCRATCH(queries_use_indexes)
{
    static const char *const queries[] = {
        "SELECT id FROM runs WHERE key = 'a'",
        "SELECT id FROM runs WHERE parent = 1",
        "SELECT loss FROM metrics WHERE run = 1 ORDER BY step DESC LIMIT 1",
        "SELECT id FROM evaluations WHERE run = 1",
        "SELECT loss FROM curves WHERE evaluation = 1 AND protocol = 'P1'"
        " ORDER BY length",
        "SELECT loss FROM losses WHERE evaluation = 1 AND protocol = 'P1'"
        " ORDER BY length, block",
        "SELECT hits FROM task_scores WHERE run = 1 AND task = 'T1'"
        " ORDER BY setting, encoding, test_seed, length, place",
        "SELECT value FROM probes WHERE run = 1 AND name = 'x'",
        "SELECT plan FROM plans WHERE key = 'x'",
        "SELECT kind FROM corpora WHERE sha256 = 'x'"
    };
    OWNED(locant_store) *s = open_store("store");

    for (size_t i = 0; i < LEN(queries); i++) {
        char query[512];

        snprintf(query, sizeof query, "EXPLAIN QUERY PLAN %s", queries[i]);
        CHECK_OK(locant_store_sql(s, query, find_scan, (void *)queries[i]));
    }
}

TEST_GROUP(make_corpus, free_corpus)
