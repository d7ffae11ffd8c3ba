/*
 * study_compare.c - compares the losses of two studies, encoding by encoding.
 *
 * All tests of the table (study_row.h) are corrected together, by Holm.
 */
#include "study_compare.h"
#include "numbers.h"
#include "study_row.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTHS = LOCANT_EVAL_LENGTHS };

/* The two studies, and what holds for both. */
struct pair {
    const json_t *study[2];
    bool same_text, same_tokens;
    int64_t identical, losses; /* losses of seeds in both: same bits; all */
};

/* ------------------------------------------------------------------ reading */

static const char *text_of(const json_t *study, const char *path)
{
    const char *text = json_string_value(lct_numbers_at(study, path));

    return text ? text : "";
}

/* The number of tokens; 0: bytes. */
static double vocabulary_of(const json_t *study)
{
    const json_t *tokens = lct_numbers_at(study, "numbers.protocol.vocabulary");

    return json_is_number(tokens) ? json_number_value(tokens) : 0;
}

static bool has(const json_t *study, const char *encoding)
{
    const json_t *list = lct_numbers_at(study, "configuration.encodings"), *one;
    size_t i;

    json_array_foreach(list, i, one)
        if (strcmp(json_string_value(one), encoding) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------ numbers */

static double mean_of(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return n > 0 ? sum / (double)n : NAN;
}

/* Put a row; 'corrected' of its tests is set later. */
static void put_row(struct lct_numbers *n, const struct lct_study_row *row,
                    const struct pair *p, const char *encoding)
{
    json_t *to = lct_add_object(n, n->rows), *loss;

    lct_put_text(n, to, "encoding", encoding);
    lct_put_count(n, to, "seeds_a", (int64_t)row->runs[0].n);
    lct_put_count(n, to, "seeds_b", (int64_t)row->runs[1].n);
    lct_put_count(n, to, "pairs", (int64_t)row->common);
    lct_put(n, to, "paired", json_boolean(row->paired));
    loss = lct_put_object(n, to, "loss");
    for (size_t k = 0; k < LENGTHS; k++) {
        json_t *one = lct_put_at(n, loss, INT64_C(128) << k);

        for (int s = 0; s < 2; s++)
            lct_put_real(
                n, one, s ? "b" : "a",
                mean_of(row->runs[s].loss + k * row->most, row->runs[s].n));
        if (!p->same_text)
            continue;
        lct_put_real(n, one, "mean", row->test[k].mean);
        lct_put_real(n, one, "half", row->test[k].half);
        lct_put_real(n, one, "p", row->test[k].p);
        lct_put(n, one, "sign",
                row->paired ? json_integer(row->test[k].sign) : json_null());
    }
}

/* Correct p of all rows and lengths together. */
static void correct(struct lct_numbers *n)
{
    const size_t rows = json_array_size(n->rows), all = rows * LENGTHS;
    double *p = locant_alloc((2 * all + 1) * sizeof *p);
    int64_t tests = 0;

    if (p == NULL) {
        lct_numbers_check(n,
                          locant_fail(LOCANT_ERR_NOMEM,
                                      "study: no memory for %zu tests", all));
        return;
    }
    for (size_t i = 0; i < all; i++) {
        char path[64];

        snprintf(path, sizeof path, "%zu.loss.%d.p", i / LENGTHS,
                 128 << i % LENGTHS);
        p[i] = lct_number_of(lct_numbers_at(n->rows, path));
        tests += !isnan(p[i]);
    }
    if (lct_numbers_check(n, locant_holm(p + all, p, all)))
        for (size_t i = 0; i < all; i++)
            lct_put_real(
                n,
                lct_put_at(n,
                           json_object_get(json_array_get(n->rows, i / LENGTHS),
                                           "loss"),
                           INT64_C(128) << i % LENGTHS),
                "corrected", p[all + i]);
    lct_put_count(n, n->all, "comparisons", tests);
    locant_release(p);
}

/* Count the losses of runs in both studies, and those that are the same
   bits. */
static void count_identical(struct pair *p, const struct lct_study_row *row)
{
    for (size_t k = 0; k < LENGTHS; k++) {
        const size_t found = lct_study_row_subtract(row->scratch, row, k);

        for (size_t i = 0; i < found; i++) {
            p->losses += !isnan(row->scratch[i]);
            p->identical += row->scratch[i] == 0;
        }
    }
}

/* Compare the encodings that both studies have. */
static void put_rows(struct lct_numbers *n, struct pair *p,
                     struct lct_study_row *row)
{
    const json_t *list = lct_numbers_at(p->study[0], "configuration.encodings");
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one) {
        const char *encoding = json_string_value(one);

        if (!has(p->study[1], encoding))
            continue;
        lct_study_row_read(row, p->study, encoding);
        if (!lct_numbers_check(n, lct_study_row_test(row, p->same_tokens)))
            return;
        put_row(n, row, p, encoding);
        count_identical(p, row);
    }
}

static void put_only(struct lct_numbers *n, const char *key,
                     const json_t *study, const json_t *other)
{
    const json_t *list = lct_numbers_at(study, "configuration.encodings");
    json_t *to = lct_put_array(n, n->all, key);
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one)
        if (!has(other, json_string_value(one)))
            json_array_append(to, (json_t *)one);
}

/* May the page claim anything? Not if a check failed without which numbers may
   be wrong. */
static bool may_claim(const json_t *study)
{
    static const int vital[] = { 0, 3, 4, 5 }; /* g1, g4, g5, g6 */

    for (size_t i = 0; i < sizeof vital / sizeof vital[0]; i++) {
        char path[48];

        snprintf(path, sizeof path, "numbers.gates.%d.passed", vital[i]);
        if (json_is_false(lct_numbers_at(study, path)))
            return false;
    }
    return true;
}

static bool same_number(const struct pair *p, const char *path)
{
    return json_equal(lct_numbers_at(p->study[0], path),
                      lct_numbers_at(p->study[1], path));
}

static void put_facts(struct lct_numbers *n, const struct pair *p)
{
    json_t *lengths = lct_put_array(n, n->all, "lengths");

    for (int k = 0; k < LENGTHS; k++)
        lct_add_count(n, lengths, INT64_C(128) << k);
    lct_put(n, n->all, "same_text", json_boolean(p->same_text));
    lct_put(n, n->all, "same_tokens", json_boolean(p->same_tokens));
    lct_put(n, n->all, "same_protocol",
            json_boolean(p->same_tokens &&
                         same_number(p, "numbers.protocol.blocks")));
    lct_put(n, n->all, "claims",
            json_boolean(may_claim(p->study[0]) && may_claim(p->study[1])));
    lct_put_count(n, n->all, "tested_seeds", LCT_TESTED_SEEDS);
}

static locant_status fill(struct lct_numbers *n, struct pair *p)
{
    struct lct_study_row row;
    locant_status status = lct_study_row_open(&row, p->study);

    if (status == LOCANT_OK) {
        put_facts(n, p);
        lct_study_put_settings(n, p->study[0], p->study[1]);
        n->rows = lct_put_array(n, n->all, "rows");
        put_rows(n, p, &row);
        correct(n);
        lct_put_count(n, n->all, "identical", p->identical);
        lct_put_count(n, n->all, "losses", p->losses);
        put_only(n, "only_a", p->study[0], p->study[1]);
        put_only(n, "only_b", p->study[1], p->study[0]);
        lct_study_put_orders(n, p->study[0], p->study[1]);
        status = n->status;
    }
    lct_study_row_close(&row);
    if (status == LOCANT_OK && json_array_size(n->rows) == 0)
        status = locant_fail(LOCANT_ERR_PARAM,
                             "the two studies have no encoding in common");
    return status;
}

locant_status lct_study_compare(json_t **out, const json_t *a, const json_t *b,
                                const char *name_a, const char *name_b)
{
    struct lct_numbers n = { .all = json_object() };
    struct pair p = { .study = { a, b } };
    json_t *names = lct_put_object(&n, n.all, "names");
    locant_status status;

    p.same_text =
        strcmp(text_of(a, "corpus.sha256"), text_of(b, "corpus.sha256")) == 0;
    p.same_tokens = p.same_text && vocabulary_of(a) == vocabulary_of(b);
    lct_put_text(&n, names, "a", name_a);
    lct_put_text(&n, names, "b", name_b);
    status = fill(&n, &p);
    *out = status == LOCANT_OK ? n.all : NULL;
    if (status != LOCANT_OK)
        json_decref(n.all);
    return status;
}
