/* test_study_compare.c - what two studies show, of invented losses */
/* needs: lab */
#include "testing.h"
#include "measure/numbers.h"
#include "measure/study_compare.h"
#include "report/page_studies.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3 };

/* A run whose loss is the same at all lengths but the last, which is null. */
static json_t *run(const char *encoding, int seed, double loss)
{
    json_t *losses = json_array();

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        json_array_append_new(losses, k < LOCANT_EVAL_LENGTHS - 1
                                          ? json_real(loss)
                                          : json_null());
    return json_pack("{s:s, s:i, s:s, s:o}", "encoding", encoding, "seed", seed,
                     "batches", "00", "losses", losses);
}

/* A study's own test of its two encodings at a context of 128. */
static json_t *numbers(double mean, double p)
{
    return json_pack("{s:{s:i, s:i}, s:{s:{s:{s:[{s:s, s:s, s:f, s:f}]}}}}",
                     "protocol", "seeds", SEEDS, "blocks", 96, "pairs", "loss",
                     "128", "pairs", "first", "rope", "second", "alibi", "mean",
                     mean, "corrected", p);
}

/* Losses: rope as given, about it seed by seed; alibi 'above' it. */
static json_t *study(const char *sha, int first_seed, double loss, double above)
{
    json_t *runs = json_array();

    for (int s = 0; s < SEEDS; s++) {
        const double sway = .1 * (s + first_seed);

        json_array_append_new(runs, run("rope", first_seed + s, loss + sway));
        json_array_append_new(
            runs, run("alibi", first_seed + s, loss + above + sway));
    }
    return json_pack("{s:{s:s, s:i, s:[s, s]}, s:{s:s}, s:o, s:o}",
                     "configuration", "preset", "smoke", "seeds", SEEDS,
                     "encodings", "rope", "alibi", "corpus", "sha256", sha,
                     "runs", runs, "numbers", numbers(-above, .01));
}

/* Compare and release two studies. */
static json_t *compare(json_t *a, json_t *b)
{
    json_t *n;

    CHECK_OK(lct_study_compare(&n, a, b, "a.json", "b.json"));
    json_decref(a);
    json_decref(b);
    return n;
}

static double at(const json_t *n, const char *path)
{
    return lct_number_of(lct_numbers_at(n, path));
}

static void near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12))
        FAIL("got %.17g, want %.17g", got, want);
}

/* Losses sway by seed, and differences do not, so paired p are 0; 8 tests. */
TEST(runs_of_the_same_seeds_are_paired)
{
    json_t *n = compare(study("aa", 1, 2, .5), study("aa", 1, 1.5, .25));

    CHECK(json_is_true(lct_numbers_at(n, "rows.0.paired")));
    CHECK(at(n, "rows.0.pairs") == SEEDS && at(n, "comparisons") == 8);
    near(at(n, "rows.0.loss.128.a"), 2.2);
    near(at(n, "rows.0.loss.128.mean"), -.5);
    near(at(n, "rows.1.loss.128.mean"), -.75);
    CHECK(at(n, "rows.0.loss.128.half") < 1e-12);
    CHECK(at(n, "rows.0.loss.128.corrected") < 1e-6);
    CHECK(at(n, "rows.0.loss.128.sign") == -1);
    CHECK(isnan(at(n, "rows.0.loss.2048.mean")));
    CHECK(at(n, "identical") == 0 && at(n, "losses") == 24);
    json_decref(n);
}

/* Other seeds: the sway of .1 a seed is in the interval, and p is not small. */
TEST(other_seeds_are_tested_by_welch)
{
    json_t *n = compare(study("aa", 1, 2, .5), study("aa", 4, 1.6, .5));
    /* both variances are .01, of means .01 / 3; 4 degrees of freedom */
    const double error = sqrt(2 * .01 / 3);

    CHECK(json_is_false(lct_numbers_at(n, "rows.0.paired")));
    CHECK(at(n, "rows.0.pairs") == 0 && at(n, "losses") == 0);
    near(at(n, "rows.0.loss.128.mean"), -.1);
    near(at(n, "rows.0.loss.128.half"), lct_t_quantile(4, .95) * error);
    near(at(n, "rows.0.loss.128.p"), lct_t_p(.1 / error, 4));
    near(at(n, "rows.0.loss.128.corrected"), 1);
    json_decref(n);
}

TEST(losses_on_other_texts_are_not_compared)
{
    json_t *n = compare(study("aa", 1, 2, .5), study("bb", 1, 1, -.5));

    CHECK(json_is_false(lct_numbers_at(n, "same_text")));
    CHECK(lct_numbers_at(n, "rows.0.loss.128.mean") == NULL);
    CHECK(at(n, "comparisons") == 0);
    CHECK(at(n, "orders.0.tau") == -1 && at(n, "orders.0.swapped") == 1);
    /* both studies' own tests order the pair, each in its way */
    CHECK(at(n, "orders.0.agreed") == 0);
    assert_string_equal(
        json_string_value(lct_numbers_at(n, "orders.0.opposed.0.first")),
        "rope");
    /* at 256 neither study has a test */
    CHECK(at(n, "orders.1.tau") == -1);
    CHECK(lct_numbers_at(n, "orders.1.opposed.0") == NULL);
    json_decref(n);
}

TEST(other_tokens_are_not_paired)
{
    json_t *a = study("aa", 1, 2, .5), *b = study("aa", 1, 2, .5), *n;

    json_object_set_new(
        json_object_get(json_object_get(b, "numbers"), "protocol"),
        "vocabulary", json_integer(512));
    n = compare(a, b);
    CHECK(json_is_false(lct_numbers_at(n, "rows.0.paired")));
    CHECK(at(n, "rows.0.loss.128.p") == 1);
    json_decref(n);
}

/* Numbers of a file are not trusted: whatever they are, nothing breaks. */
TEST(strange_numbers_are_unknown)
{
    json_t *a = study("aa", 1, 2, .5), *b = study("aa", 1, 2, .5), *n;

    json_object_set_new(a, "numbers", json_pack("{s:[i]}", "protocol", 1));
    json_object_set_new(b, "numbers",
                        json_pack("{s:{s:s}, s:[{s:b, s:i}], s:i}", "machine",
                                  "cpu", "<b>&", "gates", "passed", 0, "name",
                                  1, "pairs", 3));
    n = compare(a, b);
    CHECK(json_is_false(lct_numbers_at(n, "claims"))); /* g1 of b */
    CHECK(at(n, "orders.0.agreed") == 0);
    json_decref(n);
}

TEST(studies_need_an_encoding_in_common)
{
    json_t *a = study("aa", 1, 2, .5), *b = study("aa", 1, 2, .5), *n;

    json_object_set_new(json_object_get(b, "configuration"), "encodings",
                        json_pack("[s]", "none"));
    CHECK(lct_study_compare(&n, a, b, "a", "b") == LOCANT_ERR_PARAM);
    assert_string_equal(locant_last_error(),
                        "the two studies have no encoding in common");
    json_decref(a);
    json_decref(b);
}

static char *read_page(const json_t *n)
{
    static const char path[] = "test_study_compare.html";
    char *text = calloc(1, 1 << 17);
    FILE *f;

    CHECK(text != NULL);
    CHECK_OK(lct_page_studies_write(path, n));
    f = fopen(path, "rb");
    CHECK(f != NULL && fread(text, 1, (1 << 17) - 1, f) > 0);
    fclose(f);
    remove(path);
    return text;
}

/* The page claims what the corrected test shows, escapes, and has no script. */
TEST(the_page_says_what_is_shown)
{
    json_t *a = study("aa", 1, 2, .5), *b = study("aa", 1, 1.5, .25), *n;
    char *text;

    json_object_set_new(json_object_get(a, "numbers"), "machine",
                        json_pack("{s:s}", "cpu", "<b>&"));
    n = compare(a, b);
    text = read_page(n);
    CHECK(strstr(text, "B has the lower loss for <code>rope</code>, "
                       "<code>alibi</code>"));
    CHECK(strstr(text, "B 的损失较低"));
    CHECK(strstr(text, "&lt;b&gt;&amp;") && !strstr(text, "<b>&"));
    CHECK(strstr(text, "8</span> tests") && !strstr(text, "undefined ") &&
          !strstr(text, "undefined</span> tests"));
    CHECK(!strstr(text, "<script") && strstr(text, "default-src 'none'"));
    free(text);
    json_decref(n);
}
