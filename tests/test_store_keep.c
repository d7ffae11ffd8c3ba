/* test_store_keep.c - keeps evaluations, task scores, probes, plans, recipes */
/* needs: lab */
#define _GNU_SOURCE
#include "store_case.h"
#include <math.h>

IN_SCRATCH(an_evaluation_is_found_by_its_whole_key)
{
    int64_t length[2] = { 128, 4096 }, id[5];
    double mean[2] = { 1.5, NAN }, loss[6] = { 1, 2, 3, 4, NAN, 6 };
    const struct lct_curve curves[] = { { "P1", 2, 3, length, mean, loss },
                                        { "P4", 1, 0, length, mean, NULL } };
    OWNED(locant_store) *s = open_store();
    const int64_t run = add_run(s, "a");
    const struct lct_evaluation_key keys[] = {
        { run, "c", 4, NULL, NULL, NULL },
        { run, "c", 4, "alibi", NULL, NULL },
        { run, "c", 4, "alibi", "clamp", "" },
        { run, "c", 4, "", "", "128,4096" },
        { run, "d", 4, "", "", "" }
    };
    struct lct_evaluation_row got;
    struct lct_curve c;
    bool found;

    for (size_t i = 0; i < LEN(keys); i++) {
        struct lct_evaluation_row row = { .blocks = 3, .valid = (double)i };

        CHECK_OK(lct_store_find_evaluation(&got, &found, s, &keys[i]));
        CHECK(!found);
        CHECK_OK(lct_store_add_evaluation(s, &keys[i], &row, curves, 2));
        row.valid = 99; /* the first row stays */
        CHECK_OK(lct_store_add_evaluation(s, &keys[i], &row, curves, 2));
    }
    for (size_t i = 0; i < LEN(keys); i++) {
        CHECK_OK(lct_store_find_evaluation(&got, &found, s, &keys[i]));
        CHECK(found && got.valid == (double)i && got.blocks == 3);
        id[i] = got.id;
        CHECK(i == 0 || id[i] != id[i - 1]);
    }
    CHECK_OK(lct_store_read_curve(&c, s, id[3], "P1"));
    CHECK(c.n == 2 && c.blocks == 3 && strcmp(c.protocol, "P1") == 0);
    CHECK(c.length[1] == 4096 && c.mean[0] == 1.5 && isnan(c.mean[1]));
    for (int i = 0; i < 6; i++)
        CHECK(i == 4 ? isnan(c.loss[i]) : c.loss[i] == loss[i]);
    lct_curve_free(&c);
    CHECK_OK(lct_store_read_curve(&c, s, id[0], "P4"));
    CHECK(c.n == 1 && c.blocks == 0 && c.loss == NULL);
    lct_curve_free(&c);
    CHECK_OK(lct_store_read_curve(&c, s, id[0], "P3"));
    assert_int_equal(c.n, 0);
}

IN_SCRATCH(refuses_a_curve_with_a_hole)
{
    int64_t length[2] = { 128, 256 };
    double mean[2] = { 1, 2 }, loss[4] = { 1, 2, 3, 4 };
    const struct lct_curve curve = { "P1", 2, 2, length, mean, loss };
    const struct lct_evaluation_row row = { .blocks = 2 };
    OWNED(locant_store) *s = open_store();
    const struct lct_evaluation_key key = { .run = add_run(s, "a"),
                                            .corpus_sha256 = "c",
                                            .want = 2 };
    locant_evaluation e;
    struct lct_curve c;
    bool found;

    CHECK_OK(lct_store_add_evaluation(s, &key, &row, &curve, 1));
    assert_int_equal(
        lct_store_load_evaluation(&e, NULL, &found, s, key.run, "c", 2),
        LOCANT_ERR_FORMAT); /* two lengths instead of five */
    CHECK_OK(lct_store_exec(s,
                            "DELETE FROM losses WHERE length = 256"
                            " AND block = 1",
                            ""));
    assert_int_equal(lct_store_read_curve(&c, s, 1, "P1"), LOCANT_ERR_FORMAT);
    CHECK(strstr(locant_last_error(), "runs.db: evaluation 1 has 2 lengths and"
                                      " 3 losses of P1") != NULL);
    lct_curve_free(&c);
}

/* Append the digit 'exact' to a sum. */
static int add_exact(const struct lct_task_score *score, void *context)
{
    int64_t *sum = context;

    CHECK(score->score.length == 32 &&
          isnan(score->score.loss) == (score->score.place == 3));
    *sum = 10 * *sum + score->score.exact;
    return 0;
}

IN_SCRATCH(keeps_scores_of_tasks)
{
    OWNED(locant_store) *s = open_store();
    const int64_t run = add_run(s, "a");
    struct lct_task_score t[] = {
        { run, "", 7, { "T1", "", 32, 3, 10, 2, 10, 2, NAN, 0 } },
        { run, "", 7, { "T1", "", 32, -1, 20, 1, 20, 4, 1.5, 0 } },
        { run, "", 7, { "T1", "k=4", 32, -1, 20, 3, 20, 4, 1.5, 0 } },
        { run, "", 7, { "T2", "", 32, -1, 20, 9, 20, 4, 1.5, 0 } }
    };
    int64_t sum = 0;

    CHECK_OK(lct_store_add_scores(s, t, LEN(t)));
    t[0].score.exact = 8; /* the first row stays */
    CHECK_OK(lct_store_add_scores(s, t, LEN(t)));
    CHECK_OK(lct_store_visit_scores(s, run, "T1", add_exact, &sum));
    assert_int_equal(sum, 123);
    t[0].run = 77;
    CHECK(lct_store_add_scores(s, t, 1) == LOCANT_ERR_IO); /* no such run */
    CHECK_OK(locant_store_remove(s, run));
    assert_int_equal(ask(&dir, "SELECT count(*) FROM task_scores"), 0);
}

IN_SCRATCH(keeps_probes_and_plans)
{
    OWNED(locant_store) *s = open_store();
    const int64_t run = add_run(s, "a");
    char *text;

    CHECK_OK(lct_store_read_probe(&text, s, run, "entropy", "step=1"));
    assert_null(text);
    CHECK_OK(lct_store_keep_probe(s, run, "entropy", "step=1", "[1]"));
    CHECK_OK(lct_store_keep_probe(s, run, "entropy", "step=2", "[2]"));
    CHECK_OK(lct_store_keep_probe(s, run, "entropy", "step=1", "[3]"));
    CHECK_OK(lct_store_read_probe(&text, s, run, "entropy", "step=1"));
    assert_string_equal(text, "[3]");
    locant_release(text);
    CHECK_OK(lct_store_keep_plan(&text, s, "quick", "{\"seeds\":2}"));
    assert_string_equal(text, "{\"seeds\":2}");
    locant_release(text);
    CHECK_OK(lct_store_keep_plan(&text, s, "quick", "{\"seeds\":1}"));
    assert_string_equal(text, "{\"seeds\":2}"); /* the first plan stays */
    locant_release(text);
}

IN_SCRATCH(keeps_the_last_recipe_of_a_text)
{
    const struct lct_recipe first = { "00ff", "files", "[\"/a\"]", 1, 100 },
                            last = { "00ff", "files", "[\"/b\"]", UINT64_MAX,
                                     100 };
    OWNED(locant_store) *s = open_store();
    locant_corpus *c = (void *)&dir;
    const int64_t run = add_run(s, "a"); /* of the text 00ff */

    REFUSES(UNSUPPORTED, locant_store_corpus(&c, s, run),
            "where the text of run 1 came from was not recorded; the command "
            "that began it continues it");
    CHECK(c == NULL);
    CHECK_OK(lct_store_keep_corpus(s, &first));
    CHECK_OK(lct_store_keep_corpus(s, &last));
    assert_int_equal(sqlite3_total_changes(s->db), 3);
    CHECK_OK(lct_store_keep_corpus(s, &last));
    assert_int_equal(sqlite3_total_changes(s->db), 3); /* nothing to write */
    assert_int_equal(ask(&dir, "SELECT seed = -1 AND paths = '[\"/b\"]' FROM"
                               " corpora"),
                     1);
    CHECK(locant_store_corpus(&c, s, run) == LOCANT_ERR_FORMAT); /* 100 bytes */
    CHECK(locant_store_corpus(&c, s, 7) == LOCANT_ERR_PARAM);
}

IN_SCRATCH(knows_the_parent_of_a_run)
{
    OWNED(locant_store) *s = open_store();
    const int64_t parent = add_run(s, "a");
    const struct lct_run_new new = { .key = "b",
                                     .encoding = "none",
                                     .model = "m",
                                     .corpus_sha256 = "0",
                                     .source = "T1",
                                     .options = "{}",
                                     .parent = parent };
    int64_t child;
    char *text;

    CHECK_OK(lct_store_find_or_add_run(&child, s, &new));
    CHECK_OK(lct_store_read_run_options(&text, s, child));
    assert_string_equal(text, "{}");
    locant_release(text);
    assert_int_equal(ask(&dir, "SELECT parent FROM runs WHERE source = 'T1'"),
                     parent);
    CHECK_OK(locant_store_remove(s, parent));
    assert_int_equal(ask(&dir, "SELECT count(*) FROM runs WHERE parent IS"
                               " NULL"),
                     1);
}
