/* numbers.c - every number of the page as one JSON document; losses are in nats
   per byte */
#include "numbers.h"
#include "claims.h"
#include "../core/size.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTHS = LOCANT_EVAL_LENGTHS };

/* Memory for 'each' bytes per row; NULL: the failure is recorded. */
static void *of_rows(const struct lct_numbers *n, size_t each)
{
    size_t bytes;
    void *room =
        lct_mul(&bytes, n->r->n + 1, each) ? locant_alloc(bytes) : NULL;

    if (room == NULL)
        (void)locant_fail(LOCANT_ERR_NOMEM,
                          "report: no memory to compare %zu encodings",
                          n->r->n);
    return room;
}

static void put_test(struct lct_numbers *n, json_t *to,
                     const struct lct_test *t)
{
    lct_put_real(n, to, "half", t->half);
    lct_put_real(n, to, "p", t->p);
    lct_put_real(n, to, "corrected", t->corrected);
    lct_put_count(n, to, "sign", t->sign);
}

/* Put the change of every encoding at length index k. */
static locant_status put_changes(struct lct_numbers *n, int k)
{
    struct lct_test *test = of_rows(n, sizeof *test);
    locant_status status = LOCANT_ERR_NOMEM;

    if (test)
        status = lct_test_changes(test, n->r, k);
    for (size_t i = 0; i < n->r->n && status == LOCANT_OK; i++)
        put_test(
            n,
            lct_put_at(n, lct_part_of_row(n, i, "change"), lct_length(n->r, k)),
            &test[i]);
    locant_release(test);
    return status;
}

/* Put the power of a t test at level alpha, and the seeds it needs; null if
   unknown. */
static void put_power(struct lct_numbers *n, json_t *to,
                      const struct lct_test *t, double alpha, size_t least)
{
    const size_t seeds = locant_power_seeds(t->mean, t->deviation, alpha,
                                            LCT_POWER, LCT_MOST_SEEDS);
    double power = locant_power(t->mean, t->deviation, n->seeds, alpha);

    if (n->seeds < least && !isnan(power))
        power = 0;
    lct_put_real(n, to, "power", power);
    lct_put_real(n, to, "seeds",
                 seeds == 0 ? NAN : fmax((double)seeds, (double)least));
}

/* Put exact p, corrected p, and how many seeds would be needed. */
static locant_status put_exact(struct lct_numbers *n,
                               const struct lct_test *test, double *p)
{
    double *adjusted = p + n->r->n, least = NAN;
    size_t tested = 0, needed;

    for (size_t i = 0; i < n->r->n; i++) {
        p[i] = test[i].exact;
        tested += !isnan(p[i]);
    }
    LCT_TRY(locant_holm(adjusted, p, n->r->n));
    needed = locant_flip_seeds(tested, LCT_ALPHA);
    for (size_t i = 0; i < n->r->n; i++) {
        json_t *to = lct_part_of_row(n, i, "declared");

        lct_put_real(n, to, "mean", test[i].mean);
        lct_put_real(n, to, "half", test[i].half);
        lct_put_real(n, to, "p", p[i]);
        lct_put_real(n, to, "holm", adjusted[i]);
        put_power(n, to, &test[i], LCT_ALPHA / (double)tested, needed);
    }
    if (tested > 0 && n->seeds >= 1 && n->seeds <= LOCANT_FLIP_MAX)
        least = ldexp(1, 1 - (int)n->seeds);
    lct_put_count(n, n->declared, "comparisons", (int64_t)tested);
    lct_put_real(n, n->declared, "least_p", least);
    lct_put_real(n, n->declared, "least_holm", fmin(1, least * (double)tested));
    lct_put_real(n, n->declared, "seeds", needed ? (double)needed : NAN);
    return LOCANT_OK;
}

static locant_status put_declared(struct lct_numbers *n)
{
    struct lct_test *test = of_rows(n, sizeof *test);
    double *p = of_rows(n, 2 * sizeof *p);
    locant_status status = LOCANT_ERR_NOMEM;

    lct_put_count(n, n->declared, "length",
                  lct_length(n->r, lct_declared(n->r)));
    if (test && p)
        status = lct_test_changes(test, n->r, lct_declared(n->r));
    if (status == LOCANT_OK)
        status = put_exact(n, test, p);
    locant_release(test);
    locant_release(p);
    return status;
}

static void put_rank(struct lct_numbers *n, json_t *to, const char *key,
                     int rank)
{
    lct_put(n, to, key, rank ? json_integer(rank) : json_null());
}

/* Put ranks[LENGTHS][groups] by length, the rank at the judged length, and mean
   reciprocal ranks over the lengths beyond the trained one up to the judged
   one. */
static locant_status put_ranks(struct lct_numbers *n, int *ranks, double *mrr)
{
    const size_t all = n->r->n;
    const int judged = lct_judged(n->r);
    char key[24];

    for (int k = 0; k < LENGTHS; k++) {
        LCT_TRY(lct_rank(ranks + (size_t)k * all, n->r, k));
        snprintf(key, sizeof key, "%" PRId64, lct_length(n->r, k));
        for (size_t i = 0; i < all; i++)
            put_rank(n, lct_part_of_row(n, i, "ranks"), key,
                     ranks[(size_t)k * all + i]);
    }
    LCT_TRY(locant_mean_reciprocal_rank(mrr, ranks + all, all, (size_t)judged));
    for (size_t i = 0; i < all; i++) {
        json_t *row = json_array_get(n->rows, i);

        put_rank(n, row, "rank", ranks[(size_t)judged * all + i]);
        lct_put_real(n, row, "mean_reciprocal_rank", mrr[i]);
    }
    return LOCANT_OK;
}

/* Put the power, and the seeds needed, to distinguish the two lowest losses at
   the judged length. */
static void put_order(struct lct_numbers *n, const struct lct_test *test,
                      const struct lct_order *order)
{
    json_t *to = lct_put_object(n, n->all, "order");
    const bool any = order->next < n->r->n;

    lct_put_count(n, to, "length", lct_length(n->r, lct_judged(n->r)));
    lct_put_count(n, to, "comparisons", (int64_t)order->pairs);
    lct_put_text(n, to, "first", any ? n->r->groups[order->first].spec : NULL);
    lct_put_text(n, to, "next", any ? n->r->groups[order->next].spec : NULL);
    if (any)
        put_power(n, to, &test[order->next], LCT_ALPHA / (double)order->pairs,
                  0);
}

/* Put the paired difference from the lowest loss at length index k. */
static locant_status put_behind(struct lct_numbers *n, int k)
{
    struct lct_order order;
    struct lct_test *test = of_rows(n, sizeof *test);
    locant_status status = LOCANT_ERR_NOMEM;

    if (test)
        status = lct_test_order(test, &order, n->r, k);
    for (size_t i = 0; i < n->r->n && status == LOCANT_OK; i++) {
        json_t *to =
            lct_put_at(n, lct_part_of_row(n, i, "behind"), lct_length(n->r, k));

        lct_put_real(n, to, "mean", test[i].mean);
        put_test(n, to, &test[i]);
    }
    if (status == LOCANT_OK && k == lct_judged(n->r))
        put_order(n, test, &order);
    locant_release(test);
    return status;
}

/* Compare rows with each other. */
static locant_status compare_rows(struct lct_numbers *n)
{
    double *mrr = of_rows(n, sizeof *mrr);
    int *ranks = of_rows(n, LENGTHS * sizeof *ranks);
    locant_status status = LOCANT_ERR_NOMEM;

    if (mrr && ranks)
        status = put_ranks(n, ranks, mrr);
    if (status == LOCANT_OK)
        status = put_declared(n);
    for (int k = 0; k < LENGTHS && status == LOCANT_OK; k++)
        status = put_behind(n, k);
    locant_release(mrr);
    locant_release(ranks);
    return status;
}

static locant_status put_rows(struct lct_numbers *n)
{
    for (size_t i = 0; i < n->r->n; i++)
        lct_put_row(n, &n->r->groups[i]);
    for (int k = 0; k < LENGTHS; k++)
        LCT_TRY(
            lct_put_losses(n, "loss", (struct lct_term){ LCT_P1, k }, NULL));
    for (int k = 1; k < LENGTHS; k++) {
        LCT_TRY(lct_put_losses(n, "change", (struct lct_term){ LCT_P1, k },
                               &(struct lct_term){ LCT_P1, 0 }));
        LCT_TRY(put_changes(n, k));
    }
    LCT_TRY(lct_put_measures(n));
    return compare_rows(n);
}

locant_status lct_numbers_create(json_t **out, const struct lct_results *r)
{
    struct lct_numbers n = { .r = r, .all = json_object() };
    locant_status status;

    *out = NULL;
    for (size_t i = 0; i < r->n; i++)
        n.seeds = r->groups[i].n > n.seeds ? r->groups[i].n : n.seeds;
    lct_put_facts(&n);
    n.declared = lct_put_object(&n, n.all, "declared");
    n.rows = lct_put_array(&n, n.all, "rows");
    status = put_rows(&n);
    if (status == LOCANT_OK)
        status = lct_put_extension(&n);
    if (status == LOCANT_OK)
        status = lct_put_surface(&n);
    if (status == LOCANT_OK)
        status = lct_put_tasks(&n);
    if (status == LOCANT_OK)
        status = lct_put_probes(&n);
    if (status == LOCANT_OK && n.failed)
        status =
            locant_fail(LOCANT_ERR_NOMEM, "report: no memory for the numbers");
    if (status == LOCANT_OK)
        *out = n.all;
    else
        json_decref(n.all);
    return status;
}

const json_t *lct_numbers_at(const json_t *numbers, const char *path)
{
    char word[64];

    while (numbers && *path) {
        size_t bytes = strcspn(path, ".");

        if (bytes == 0 || bytes >= sizeof word)
            return NULL;
        memcpy(word, path, bytes);
        word[bytes] = '\0';
        if (json_is_array(numbers)) {
            size_t i = 0;

            for (size_t k = 0; k < bytes; k++) {
                if (word[k] < '0' || word[k] > '9' || i > 1000000)
                    return NULL;
                i = 10 * i + (size_t)(word[k] - '0');
            }
            numbers = json_array_get(numbers, i);
        } else {
            numbers = json_object_get(numbers, word);
        }
        path += bytes + (path[bytes] == '.');
    }
    return numbers;
}
