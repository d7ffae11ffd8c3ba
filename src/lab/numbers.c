/*
 * numbers.c - every number of the page as one JSON document.
 *
 * Losses against the context are in bits per byte, as the curves are; changes,
 * and what seeds alone tell, in nats per byte.
 */
#include "numbers.h"
#include "../core/size.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BOOTSTRAP_SEED = 1, LENGTHS = LOCANT_EVAL_LENGTHS };
static const double level = .95;

void lct_put(struct lct_numbers *n, json_t *to, const char *key, json_t *value)
{
    n->failed |= json_object_set_new(to, key, value) != 0;
}

void lct_put_real(struct lct_numbers *n, json_t *to, const char *key,
                  double value)
{
    lct_put(n, to, key, isfinite(value) ? json_real(value) : json_null());
}

void lct_put_count(struct lct_numbers *n, json_t *to, const char *key,
                   int64_t value)
{
    lct_put(n, to, key, json_integer((json_int_t)value));
}

/* What is not UTF-8 cannot be JSON: null. */
void lct_put_text(struct lct_numbers *n, json_t *to, const char *key,
                  const char *value)
{
    json_t *text = value ? json_string(value) : NULL;

    lct_put(n, to, key, text ? text : json_null());
}

json_t *lct_put_object(struct lct_numbers *n, json_t *to, const char *key)
{
    json_t *object = json_object();

    lct_put(n, to, key, object); /* owned by 'to' */
    return n->failed ? NULL : object;
}

json_t *lct_put_array(struct lct_numbers *n, json_t *to, const char *key)
{
    json_t *array = json_array();

    lct_put(n, to, key, array);
    return n->failed ? NULL : array;
}

void lct_add_real(struct lct_numbers *n, json_t *to, double value)
{
    n->failed |= json_array_append_new(to, isfinite(value) ? json_real(value)
                                                           : json_null()) != 0;
}

void lct_add_count(struct lct_numbers *n, json_t *to, int64_t value)
{
    n->failed |= json_array_append_new(to, json_integer((json_int_t)value)) !=
                 0;
}

json_t *lct_add_object(struct lct_numbers *n, json_t *to)
{
    json_t *object = json_object();

    n->failed |= json_array_append_new(to, object) != 0;
    return n->failed ? NULL : object;
}

/* -------------------------------------------------------------------- rows */

static json_t *row(const struct lct_numbers *n, size_t i)
{
    return json_array_get(n->rows, i);
}

/* The object "key" of row i, made when first asked for. */
static json_t *part_of_row(struct lct_numbers *n, size_t i, const char *key)
{
    json_t *part = json_object_get(row(n, i), key);

    return part ? part : lct_put_object(n, row(n, i), key);
}

void lct_put_interval(struct lct_numbers *n, json_t *to,
                      const locant_interval *e, double scale)
{
    lct_put_real(n, to, "mean", e->mean * scale);
    lct_put_real(n, to, "low", e->low * scale);
    lct_put_real(n, to, "high", e->high * scale);
    lct_put_real(n, to, "seed_error", e->seed_error * scale);
    lct_put_real(n, to, "data_error", e->data_error * scale);
}

locant_status lct_put_losses(struct lct_numbers *n, const char *part,
                             struct lct_term term, const struct lct_term *less)
{
    size_t seeds, blocks;
    double *loss, scale = less ? 1 : LCT_BITS;
    char key[24];
    locant_status status;

    snprintf(key, sizeof key, "%" PRId64, lct_length(n->r, term.k));
    LCT_TRY(lct_measured(&loss, &seeds, &blocks, n->r, term, less));
    status = LOCANT_OK;
    for (size_t i = 0; i < n->r->n && status == LOCANT_OK; i++) {
        const size_t own = n->r->groups[i].n; /* of 'seeds', the first */
        locant_interval e;

        status = locant_bootstrap(&e, loss + i * seeds * blocks, own, blocks,
                                  level, BOOTSTRAP_SEED);
        if (status == LOCANT_OK)
            lct_put_interval(n, lct_put_object(n, part_of_row(n, i, part), key),
                             &e, scale);
    }
    locant_release(loss);
    return status;
}

/* Seeds' means over blocks of one encoding: loss[seeds, blocks] to d[seeds]. */
static void mean_over_blocks(double *d, const double *loss, size_t seeds,
                             size_t blocks)
{
    for (size_t s = 0; s < seeds; s++) {
        double sum = blocks ? 0 : NAN;

        for (size_t b = 0; b < blocks; b++)
            sum += loss[s * blocks + b];
        d[s] = sum / (double)blocks;
    }
}

/* The t interval over seeds of the change at length index k, of every encoding;
   p: it is the declared comparison, with its p. */
static locant_status put_changes(struct lct_numbers *n, int k, double *p)
{
    size_t seeds, blocks;
    double *loss;
    char key[24];
    locant_status status;

    snprintf(key, sizeof key, "%" PRId64, lct_length(n->r, k));
    LCT_TRY(lct_losses(&loss, &seeds, &blocks, n->r, k, 0));
    status = LOCANT_OK;
    for (size_t i = 0; i < n->r->n && status == LOCANT_OK; i++) {
        double *own = loss + i * seeds * blocks;
        json_t *to = part_of_row(n, i, p ? "declared" : "change");
        locant_difference d;

        /* in place: seed s is written after its blocks were read */
        mean_over_blocks(own, own, blocks ? seeds : 0, blocks);
        status = locant_paired(&d, own, blocks ? seeds : 0, level);
        lct_put_real(n, p ? to : json_object_get(to, key), "half", d.half);
        if (p) {
            p[i] = d.p;
            lct_put_real(n, to, "mean", d.mean);
            lct_put_real(n, to, "p", d.p);
        }
    }
    locant_release(loss);
    return status;
}

static locant_status put_declared(struct lct_numbers *n, double *p,
                                  double *adjusted)
{
    size_t tested = 0;
    double least = NAN;

    LCT_TRY(put_changes(n, lct_declared(n->r), p));
    LCT_TRY(locant_holm(adjusted, p, n->r->n));
    for (size_t i = 0; i < n->r->n; i++) {
        tested += !isnan(p[i]);
        lct_put_real(n, part_of_row(n, i, "declared"), "holm", adjusted[i]);
    }
    if (tested > 0 && n->seeds >= 1 && n->seeds <= LOCANT_FLIP_MAX)
        least = ldexp(1, 1 - (int)n->seeds);
    lct_put_count(n, n->declared, "length",
                  lct_length(n->r, lct_declared(n->r)));
    lct_put_count(n, n->declared, "comparisons", (int64_t)tested);
    lct_put_real(n, n->declared, "least_p", least);
    lct_put_real(n, n->declared, "least_holm",
                 fmin(1, least * (double)tested));
    return LOCANT_OK;
}

static void put_rank(struct lct_numbers *n, json_t *to, const char *key,
                     int rank)
{
    lct_put(n, to, key, rank ? json_integer(rank) : json_null());
}

/* ranks[LENGTHS][groups], by length; that at the judged length by itself;
   reciprocal ranks over those beyond the trained one to it. */
static locant_status put_ranks(struct lct_numbers *n, int *ranks, double *mrr)
{
    const size_t all = n->r->n;
    const int judged = lct_judged(n->r);
    char key[24];

    for (int k = 0; k < LENGTHS; k++) {
        LCT_TRY(lct_rank(ranks + (size_t)k * all, n->r, k));
        snprintf(key, sizeof key, "%" PRId64, lct_length(n->r, k));
        for (size_t i = 0; i < all; i++)
            put_rank(n, part_of_row(n, i, "ranks"), key,
                     ranks[(size_t)k * all + i]);
    }
    LCT_TRY(locant_mean_reciprocal_rank(mrr, ranks + all, all,
                                        (size_t)judged));
    for (size_t i = 0; i < all; i++) {
        put_rank(n, row(n, i), "rank", ranks[(size_t)judged * all + i]);
        lct_put_real(n, row(n, i), "mean_reciprocal_rank", mrr[i]);
    }
    return LOCANT_OK;
}

/* The row of the lowest loss where all is defined; r->n if there is none. */
static size_t find_first(const struct lct_results *r, const double *loss,
                         size_t each)
{
    size_t first = r->n;
    double least = INFINITY;

    for (size_t i = 0; i < r->n && each > 0; i++) {
        double sum = 0;

        for (size_t k = 0; k < each; k++)
            sum += loss[i * each + k];
        if (sum < least) {
            least = sum;
            first = i;
        }
    }
    return first;
}

/* How far behind the first at the judged length, by seeds in pairs. */
static locant_status put_behind(struct lct_numbers *n)
{
    size_t seeds, blocks, each, first;
    double *loss;
    locant_status status;

    LCT_TRY(lct_losses(&loss, &seeds, &blocks, n->r, lct_judged(n->r), -1));
    status = LOCANT_OK;
    each = seeds * blocks;
    first = find_first(n->r, loss, each);
    for (size_t i = 0; i < n->r->n && status == LOCANT_OK; i++) {
        json_t *to = part_of_row(n, i, "behind");
        double *own = loss + i * each;
        locant_difference d = {NAN, NAN, NAN};

        if (i != first && first < n->r->n) {
            for (size_t k = 0; k < each; k++)
                own[k] -= loss[first * each + k];
            mean_over_blocks(own, own, seeds, blocks);
            status = locant_paired(&d, own, seeds, level);
        }
        lct_put_real(n, to, "mean", d.mean);
        lct_put_real(n, to, "half", d.half);
    }
    locant_release(loss);
    return status;
}

/* Comparisons between rows; the memory is theirs. */
static locant_status compare_rows(struct lct_numbers *n)
{
    double *numbers = NULL;
    int *ranks = NULL;
    size_t bytes;
    locant_status status;

    if (lct_mul(&bytes, n->r->n + 1, 2 * sizeof *numbers))
        numbers = locant_alloc(bytes);
    if (lct_mul(&bytes, n->r->n + 1, LENGTHS * sizeof *ranks))
        ranks = locant_alloc(bytes);
    if (numbers == NULL || ranks == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "report: no memory to compare %zu encodings",
                             n->r->n);
    else
        status = put_declared(n, numbers, numbers + n->r->n);
    if (status == LOCANT_OK)
        status = put_ranks(n, ranks, numbers);
    if (status == LOCANT_OK)
        status = put_behind(n);
    locant_release(numbers);
    locant_release(ranks);
    return status;
}

static locant_status put_rows(struct lct_numbers *n)
{
    for (size_t i = 0; i < n->r->n; i++)
        lct_put_row(n, &n->r->groups[i]);
    for (int k = 0; k < LENGTHS; k++)
        LCT_TRY(lct_put_losses(n, "loss", (struct lct_term){ LCT_P1, k },
                               NULL));
    for (int k = 1; k < LENGTHS; k++) {
        LCT_TRY(lct_put_losses(n, "change", (struct lct_term){ LCT_P1, k },
                               &(struct lct_term){ LCT_P1, 0 }));
        LCT_TRY(put_changes(n, k, NULL));
    }
    LCT_TRY(lct_put_measures(n));
    return compare_rows(n);
}

locant_status lct_numbers_create(json_t **out, const struct lct_results *r)
{
    struct lct_numbers n = {.r = r, .all = json_object()};
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
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "report: no memory for the numbers");
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
