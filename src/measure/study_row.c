/*
 * study_row.c - the losses of one encoding in two studies, and their tests.
 *
 * If both read the same text in the same tokens, runs of one seed read it in
 * the same order and are paired; differences of pairs vary less than those of
 * means. Otherwise, or if fewer seeds match than a test needs, the test is
 * Welch's.
 */
#include "study_row.h"
#include "../core/size.h"
#include "numbers.h"
#include <math.h>
#include <string.h>

enum { LENGTHS = LOCANT_EVAL_LENGTHS };

/* ------------------------------------------------------------------ reading */

static bool is_of(const json_t *run, const char *encoding)
{
    const char *name = json_string_value(json_object_get(run, "encoding"));

    return name != NULL && strcmp(name, encoding) == 0;
}

static size_t runs_of(const json_t *study, const char *encoding)
{
    const json_t *list = json_object_get(study, "runs"), *one;
    size_t n = 0, i;

    json_array_foreach(list, i, one)
        n += is_of(one, encoding);
    return n;
}

/* The most runs that an encoding of either study has. */
static size_t most_runs(const json_t *const study[2])
{
    const json_t *one;
    size_t most = 0, i;

    for (int s = 0; s < 2; s++) {
        const json_t *list =
            lct_numbers_at(study[s], "configuration.encodings");

        json_array_foreach(list, i, one) {
            const size_t n = runs_of(study[s], json_string_value(one));

            most = n > most ? n : most;
        }
    }
    return most;
}

locant_status lct_study_row_open(struct lct_study_row *row,
                                 const json_t *const study[2])
{
    const size_t most = most_runs(study);
    size_t pairs, losses;
    bool good;

    *row = (struct lct_study_row){ .most = most };
    good = lct_mul(&pairs, most * most + 1, sizeof *row->scratch) &&
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

void lct_study_row_close(struct lct_study_row *row)
{
    for (int s = 0; s < 2; s++) {
        locant_release(row->runs[s].seed);
        locant_release(row->runs[s].loss);
    }
    locant_release(row->scratch);
}

static void read_runs(struct lct_study_runs *out, const json_t *study,
                      const char *encoding, size_t most)
{
    const json_t *list = json_object_get(study, "runs"), *one;
    size_t i;

    out->n = 0;
    json_array_foreach(list, i, one) {
        const json_t *losses = json_object_get(one, "losses");

        if (!is_of(one, encoding))
            continue;
        out->seed[out->n] = json_integer_value(json_object_get(one, "seed"));
        for (size_t k = 0; k < LENGTHS; k++)
            out->loss[k * most + out->n] =
                lct_number_of(json_array_get(losses, k));
        out->n++;
    }
}

void lct_study_row_read(struct lct_study_row *row, const json_t *const study[2],
                        const char *encoding)
{
    for (int s = 0; s < 2; s++)
        read_runs(&row->runs[s], study[s], encoding, row->most);
}

/* -------------------------------------------------------------------- tests */

size_t lct_study_row_subtract(double *d, const struct lct_study_row *row,
                              size_t k)
{
    const struct lct_study_runs *a = &row->runs[0], *b = &row->runs[1];
    size_t n = 0;

    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++)
            if (a->seed[i] == b->seed[j])
                d[n++] =
                    b->loss[k * row->most + j] - a->loss[k * row->most + i];
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

static locant_status test_length(struct lct_study_row *row, size_t k)
{
    const struct lct_study_runs *a = &row->runs[0], *b = &row->runs[1];
    struct lct_test *test = &row->test[k];
    bool enough = row->common >= LCT_TESTED_SEEDS;
    locant_difference d;

    *test = (struct lct_test){ .sign = 0 };
    if (row->paired) {
        const size_t n = lct_study_row_subtract(row->scratch, row, k);

        LCT_TRY(locant_paired(&d, row->scratch, n, LCT_LEVEL));
        test->sign = sign_of(row->scratch, n);
    } else {
        lct_welch(&d, b->loss + k * row->most, b->n, a->loss + k * row->most,
                  a->n, LCT_LEVEL);
        enough = a->n >= LCT_TESTED_SEEDS && b->n >= LCT_TESTED_SEEDS;
    }
    test->mean = d.mean;
    test->half = d.half;
    test->p = enough ? d.t_p : NAN;
    test->corrected = NAN;
    return LOCANT_OK;
}

locant_status lct_study_row_test(struct lct_study_row *row, bool same_tokens)
{
    const size_t a = row->runs[0].n, b = row->runs[1].n;

    row->common = lct_study_row_subtract(row->scratch, row, 0);
    row->paired = same_tokens && (row->common >= LCT_TESTED_SEEDS ||
                                  (row->common == a && row->common == b));
    for (size_t k = 0; k < LENGTHS; k++)
        LCT_TRY(test_length(row, k));
    return LOCANT_OK;
}
