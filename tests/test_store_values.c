/* test_store_values.c - values that no locant writes are refused */
/* needs: lab */
#define _GNU_SOURCE
#include "store_case.h"
#include <math.h>

/* Change run 1 by SQL; reading it in a list and, if 'alone', by its id, is
   refused with this error message. Then undo the change. */
static void check_refused(locant_store *s, bool alone, const char *sql,
                          const char *said)
{
    char want[PATH_MAX + 512];
    locant_run_info run;
    int n = 0;

    change("CREATE TABLE kept AS SELECT * FROM runs");
    change(sql);
    snprintf(want, sizeof want, "%s: run 1: %s",
             scratch_file(&dir, "store/runs.db"), said);
    CHECK_REFUSED(locant_store_runs(s, count_run, &n), LOCANT_ERR_FORMAT, want);
    if (alone)
        CHECK_REFUSED(locant_store_run(&run, s, 1), LOCANT_ERR_FORMAT, want);
    assert_int_equal(n, 0);
    change("DELETE FROM runs; INSERT INTO runs SELECT * FROM kept;"
           "DROP TABLE kept");
}

IN_SCRATCH(refuses_a_row_that_no_options_make)
{
    static const struct {
        const char *set, *said;
    } cases[] = {
        { "length = 0", "length is 0, expected 1 .. 1048576" },
        { "length = -1", "length is -1, expected 1 .. 1048576" },
        { "length = 'x'", "length is not an integer" },
        { "length = 1.5", "length is not an integer" },
        { "batch = 1 << 40", "batch is 1099511627776, expected 1 .. 1048576" },
        { "steps = 0", "steps is 0, expected 1 .. 1099511627776" },
        { "step = 10", "step of run 1 is not 0 .. steps" },
        { "parameters = -1", "parameters of run 1 is not at least 0" },
        { "encoding_parameters = 101",
          "encoding_parameters of run 1 is not 0 .. parameters" },
        { "seconds = 9e999",
          "seconds of run 1 is not a finite number of at least 0" },
        { "seconds = 'long'", "seconds is not a number or NULL" },
        { "parent = -1", "parent is -1, expected the number of a run, or 0" },
        { "seed = x'00'", "seed is not an integer" },
        { "encoding = CAST(x'1b5b324a' AS TEXT)",
          "encoding is not printable text that fits" },
        { "encoding = hex(zeroblob(200))",
          "encoding is not printable text that fits" },
        { "corpus_sha256 = '../..'", "corpus_sha256 of run 1 is not"
                                     " hexadecimal" },
        { "message = x'00'", "message is not text or NULL" },
        { "model = replace(model, 'heads=2', 'heads=0')",
          "heads is 0, expected 1 .. 65536" },
        { "model = replace(model, 'width=8', 'width=99999999999999999999')",
          "width is 9223372036854775807, expected 1 .. 1048576" },
        { "model = model || ',vocab=4097'",
          "vocab is 4097, expected 1 .. 4096" },
        { "model = 'layers=1'", "width is 0, expected 1 .. 1048576" },
        { "model = model || ' '",
          "the model of a run reads 'layers=1,width=8,"
          "heads=2,kv_heads=2,ff=8,norm=layer ', expected 'layers=1,width=8,"
          "heads=2,kv_heads=2,ff=8,norm=layer'" },
    };
    OWNED(locant_store) *s = open_store();
    char sql[256];

    add_run(s, "a");
    change("PRAGMA ignore_check_constraints = ON");
    for (size_t i = 0; i < LEN(cases); i++) {
        snprintf(sql, sizeof sql, "UPDATE runs SET %s", cases[i].set);
        check_refused(s, true, sql, cases[i].said);
    }
    check_refused(
        s, false,
        "PRAGMA ignore_check_constraints = ON;"
        "UPDATE runs SET status = 'dead'",
        "status of run 1 is not running, interrupted, done or failed");
    /* a run that cannot be read can be removed */
    change("UPDATE runs SET length = 0");
    CHECK_OK(locant_store_remove(s, 1));
}

IN_SCRATCH(lists_more_runs_than_one_query_reads)
{
    OWNED(locant_store) *s = open_store();
    int n = 0;

    add_run(s, "a");
    change("WITH RECURSIVE c(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM c"
           " WHERE i < 512) INSERT INTO runs (id, key, status, encoding, model,"
           " corpus_sha256, seed, step, steps, batch, length, parameters,"
           " encoding_parameters, bytes, seconds, batch_checksum, started)"
           " SELECT i, i, status, encoding, model, corpus_sha256, seed, step,"
           " steps, batch, length, parameters, encoding_parameters, bytes,"
           " seconds, batch_checksum, started FROM runs, c");
    CHECK_OK(locant_store_runs(s, count_run, &n));
    assert_int_equal(n, 512);
    change("UPDATE runs SET id = 9223372036854775807 WHERE id = 512");
    n = 0;
    CHECK_OK(locant_store_runs(s, count_run, &n));
    assert_int_equal(n, 512);
}

IN_SCRATCH(reads_an_impossible_loss_as_nan)
{
    static const char *const losses[] = { "NULL", "1e308", "-9e999", "1" };
    const struct lct_run_state at = { "running", 1, 1, 1, NULL };
    const struct lct_metric m = { 1, 3, 1, 1, NAN };
    OWNED(locant_store) *s = open_store();
    locant_run_info run;
    char sql[64];

    add_run(s, "a");
    CHECK_OK(lct_store_record(s, 1, &at, &m, 1));
    for (size_t i = 0; i < LEN(losses); i++) {
        CHECK_OK(locant_store_run(&run, s, 1));
        CHECK(i > 0 ? isnan(run.train_loss) : run.train_loss == 3);
        snprintf(sql, sizeof sql, "UPDATE metrics SET loss = %s", losses[i]);
        change(sql);
    }
}

IN_SCRATCH(refuses_losses_at_no_length)
{
    const struct lct_evaluation_key key = { .run = 1,
                                            .corpus_sha256 = "00ff",
                                            .want = 2 };
    const struct lct_evaluation_row row = { .blocks = 1 };
    int64_t lengths[2] = { 0, 32 };
    double losses[2] = { 1, 2 };
    const struct lct_curve curves[2] = {
        { "P1", 2, 1, lengths, losses, losses },
        { "P2", 2, 0, lengths, losses, NULL }
    };
    OWNED(locant_store) *s = open_store();
    char want[PATH_MAX + 64];
    struct lct_curve c;

    add_run(s, "a");
    CHECK_OK(lct_store_add_evaluation(s, &key, &row, curves, 2));
    CHECK_OK(lct_store_read_curve(&c, s, 1, "P2")); /* by position, from 0 */
    lct_curve_free(&c);
    snprintf(want, sizeof want, "%s: evaluation 1 has a length of 0 in P1",
             scratch_file(&dir, "store/runs.db"));
    CHECK_REFUSED(lct_store_read_curve(&c, s, 1, "P1"), LOCANT_ERR_FORMAT,
                  want);
    lct_curve_free(&c);
}

static int count_score(const locant_run_info *run, const char *setup,
                       const locant_task_score *score, void *context)
{
    (void)run;
    (void)setup;
    (void)score;
    ++*(int *)context;
    return 0;
}

IN_SCRATCH(refuses_scores_that_cannot_be)
{
    static const struct {
        const char *set, *said;
    } cases[] = {
        { "exact = 11", "exact beyond its items" },
        { "items = -1", "items out of range" },
        { "items = 1 << 21", "items out of range" },
        { "hits = 99", "hits beyond its tokens" },
        { "length = 0", "a length out of range" },
        { "place = -2", "a place below -1" },
        { "setting = printf('%064d', 1)", "a setting of 64 bytes or more" },
        { "length = 1", NULL },
    };
    const struct lct_task_score score = score_of_run(1);
    OWNED(locant_store) *s = open_store();
    char sql[128], want[PATH_MAX + 128];
    int n = 0;

    add_run(s, "a");
    change("UPDATE runs SET source = 'T1'");
    CHECK_OK(lct_store_add_scores(s, &score, 1));
    CHECK_OK(locant_task_recorded(s, count_score, &n));
    assert_int_equal(n, 1);
    change("UPDATE task_scores SET setting = printf('%063d', 1)");
    CHECK_OK(locant_task_recorded(s, count_score, &n));
    assert_int_equal(n, 2);
    for (size_t i = 0; i < LEN(cases); i++) {
        change("CREATE TABLE kept AS SELECT * FROM task_scores");
        snprintf(sql, sizeof sql, "UPDATE task_scores SET %s", cases[i].set);
        change(sql);
        snprintf(want, sizeof want, "%s: a score of run 1 %s%s",
                 scratch_file(&dir, "store/runs.db"),
                 cases[i].said ? "on T1 has "
                               : "has a length that T1 does not have",
                 cases[i].said ? cases[i].said : "");
        CHECK_REFUSED(locant_task_recorded(s, count_score, &n),
                      LOCANT_ERR_FORMAT, want);
        change("DELETE FROM task_scores; INSERT INTO task_scores SELECT * FROM"
               " kept; DROP TABLE kept");
    }
}
