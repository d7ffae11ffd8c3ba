/*
 * study_compare.c - compares the losses of two studies, encoding by encoding.
 *
 * If both read the same text in the same tokens, runs of one seed read it in
 * the same order and are paired; differences of pairs vary less than those of
 * means. Otherwise, or if fewer seeds match than a test needs, the test is
 * Welch's. All tests of the table are corrected together, by Holm.
 */
#include "study_compare.h"
#include "../core/size.h"
#include "claims.h"
#include "numbers.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTHS = LOCANT_EVAL_LENGTHS };

/* The two studies, and what holds for both. */
struct pair {
    const json_t *study[2];
    bool same_text, same_tokens;
    size_t most;               /* most runs of an encoding in a study */
    int64_t identical, losses; /* losses of seeds in both: same bits; all */
};

/* The runs of one encoding in one study. */
struct runs {
    size_t n;
    json_int_t *seed; /* [n] */
    double *loss;     /* [LENGTHS, n] */
};

/* A row of the table. */
struct row {
    struct runs runs[2];
    bool paired;
    size_t common; /* seeds in both */
    double *scratch;
    struct lct_test test[LENGTHS];
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

static size_t runs_of(const json_t *study, const char *encoding)
{
    const json_t *list = json_object_get(study, "runs"), *one;
    size_t n = 0, i;

    json_array_foreach(list, i, one)
        n += strcmp(text_of(one, "encoding"), encoding) == 0;
    return n;
}

/* Read the runs of an encoding into arrays with room for all. A loss that is
   not known is NAN. */
static void read_runs(struct runs *out, const json_t *study,
                      const char *encoding, size_t most)
{
    const json_t *list = json_object_get(study, "runs"), *one;
    size_t i;

    out->n = 0;
    json_array_foreach(list, i, one) {
        const json_t *losses = json_object_get(one, "losses");

        if (strcmp(text_of(one, "encoding"), encoding) != 0)
            continue;
        out->seed[out->n] = json_integer_value(json_object_get(one, "seed"));
        for (size_t k = 0; k < LENGTHS; k++)
            out->loss[k * most + out->n] =
                lct_number_of(json_array_get(losses, k));
        out->n++;
    }
}

/* -------------------------------------------------------------------- tests */

/* Fill 'd' with the differences at length index k of the seeds that both have,
   and return how many there are. */
static size_t subtract(double *d, const struct row *row, size_t most, size_t k)
{
    const struct runs *a = &row->runs[0], *b = &row->runs[1];
    size_t n = 0;

    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++)
            if (a->seed[i] == b->seed[j])
                d[n++] = b->loss[k * most + j] - a->loss[k * most + i];
    return n;
}

static int sign_of(const double *d, size_t n)
{
    size_t above = 0, below = 0;

    for (size_t i = 0; i < n; i++) {
        above += d[i] > 0;
        below += d[i] < 0;
    }
    return n == 0 ? 0 : (above == n) - (below == n);
}

static locant_status test_length(struct row *row, size_t most, size_t k)
{
    const struct runs *a = &row->runs[0], *b = &row->runs[1];
    struct lct_test *test = &row->test[k];
    bool enough = row->common >= LCT_TESTED_SEEDS;
    locant_difference d;

    if (row->paired) {
        const size_t n = subtract(row->scratch, row, most, k);

        LCT_TRY(locant_paired(&d, row->scratch, n, LCT_LEVEL));
        test->sign = sign_of(row->scratch, n);
    } else {
        lct_welch(&d, b->loss + k * most, b->n, a->loss + k * most, a->n,
                  LCT_LEVEL);
        enough = a->n >= LCT_TESTED_SEEDS && b->n >= LCT_TESTED_SEEDS;
    }
    test->mean = d.mean;
    test->half = d.half;
    test->p = enough ? d.t_p : NAN;
    test->corrected = NAN;
    return LOCANT_OK;
}

/* Decide how a row is tested, and test it at each length. */
static locant_status test_row(struct row *row, const struct pair *p)
{
    const size_t a = row->runs[0].n, b = row->runs[1].n;

    row->common = subtract(row->scratch, row, p->most, 0);
    row->paired = p->same_tokens && (row->common >= LCT_TESTED_SEEDS ||
                                     (row->common == a && row->common == b));
    for (size_t k = 0; k < LENGTHS; k++) {
        row->test[k] = (struct lct_test){ .sign = 0 };
        LCT_TRY(test_length(row, p->most, k));
    }
    return LOCANT_OK;
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
static void put_row(struct lct_numbers *n, const struct row *row,
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
                mean_of(row->runs[s].loss + k * p->most, row->runs[s].n));
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
static void count_identical(struct pair *p, const struct row *row)
{
    for (size_t k = 0; k < LENGTHS; k++) {
        const size_t found = subtract(row->scratch, row, p->most, k);

        for (size_t i = 0; i < found; i++) {
            p->losses += !isnan(row->scratch[i]);
            p->identical += row->scratch[i] == 0;
        }
    }
}

/* Compare the encodings that both studies have. */
static void put_rows(struct lct_numbers *n, struct pair *p, struct row *row)
{
    const json_t *list = lct_numbers_at(p->study[0], "configuration.encodings");
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one) {
        const char *encoding = json_string_value(one);

        if (!has(p->study[1], encoding))
            continue;
        for (int s = 0; s < 2; s++)
            read_runs(&row->runs[s], p->study[s], encoding, p->most);
        if (!lct_numbers_check(n, test_row(row, p)))
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

static void free_row(struct row *row)
{
    for (int s = 0; s < 2; s++) {
        locant_release(row->runs[s].seed);
        locant_release(row->runs[s].loss);
    }
    locant_release(row->scratch);
}

/* Memory for the runs of an encoding; seeds of the two studies may repeat, so
   the scratch has room for all pairs. */
static locant_status allocate(struct row *row, size_t most)
{
    size_t pairs, losses;
    bool good = lct_mul(&pairs, most * most + 1, sizeof *row->scratch) &&
                lct_mul(&losses, most + 1, LENGTHS * sizeof *row->scratch);

    if (good)
        row->scratch = locant_alloc(pairs);
    for (int s = 0; s < 2 && good; s++) {
        row->runs[s].seed = locant_alloc(losses);
        row->runs[s].loss = locant_alloc(losses);
        good = row->runs[s].seed != NULL && row->runs[s].loss != NULL;
    }
    if (!good || row->scratch == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "study: no memory for %zu runs",
                           most);
    return LOCANT_OK;
}

static locant_status fill(struct lct_numbers *n, struct pair *p)
{
    struct row row = { .scratch = NULL };
    locant_status status = allocate(&row, p->most);

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
    free_row(&row);
    if (status == LOCANT_OK && json_array_size(n->rows) == 0)
        status = locant_fail(LOCANT_ERR_PARAM,
                             "the two studies have no encoding in common");
    return status;
}

/* The most runs that an encoding of either study has. */
static size_t most_runs(const struct pair *p)
{
    const json_t *one;
    size_t most = 0, i;

    for (int s = 0; s < 2; s++) {
        const json_t *list =
            lct_numbers_at(p->study[s], "configuration.encodings");

        json_array_foreach(list, i, one) {
            const size_t n = runs_of(p->study[s], json_string_value(one));

            most = n > most ? n : most;
        }
    }
    return most;
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
    p.most = most_runs(&p);
    lct_put_text(&n, names, "a", name_a);
    lct_put_text(&n, names, "b", name_b);
    status = fill(&n, &p);
    *out = status == LOCANT_OK ? n.all : NULL;
    if (status != LOCANT_OK)
        json_decref(n.all);
    return status;
}
