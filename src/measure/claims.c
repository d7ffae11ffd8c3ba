/*
 * claims.c - the tests behind every claim of the page about losses: paired t
 * tests over seeds, of the mean over blocks of each run.
 *
 * Whatever the page claims is one family of tests: each change from the trained
 * length, each difference of two encodings at each length, each difference of
 * gains.  All are corrected together by Holm, so the probability that a page
 * has any false claim is at most LCT_ALPHA.  Corrected for each length alone,
 * a quarter of the pages had one (docs/RESULTS.md).  The difference from the
 * encoding of the lowest loss, and ranks, are such differences of two: which of
 * them are looked at may depend on the losses.
 *
 * Runs of two encodings are paired by their seeds, and a seed that only one of
 * them has is left out.  Where some encodings have enough seeds for a test, a
 * test of fewer has no p: it could claim nothing, and would cost the others
 * power by its share of the correction.
 */
#include "../core/size.h"
#include "claims.h"
#include "losses.h"
#include <math.h>

const int lct_claims_lengths[LCT_CLAIMS_LENGTHS] = { 0, 1,
                                                     LOCANT_EVAL_LENGTHS - 1 };
static const double level = .95;

/* What tests are of: changes at all lengths but the first, differences of
   losses at all lengths, differences of gains at the longest. */
enum { CHANGES = LOCANT_EVAL_LENGTHS - 1, LOSSES = LOCANT_EVAL_LENGTHS };
static const struct lct_term longest = { LCT_P1, LOCANT_EVAL_LENGTHS - 1 };
static const struct lct_term window = { LCT_P4, LOCANT_EVAL_LENGTHS - 1 };

bool lct_claims_enough_seeds(const struct lct_results *r)
{
    return lct_losses_seeds(r) >= LCT_TESTED_SEEDS;
}

/* Replace loss[seeds, blocks] by its means over blocks: loss[seeds]. */
static void mean_over_blocks(double *loss, size_t seeds, size_t blocks)
{
    for (size_t s = 0; s < seeds; s++) {
        double sum = blocks ? 0 : NAN;

        for (size_t b = 0; b < blocks; b++)
            sum += loss[s * blocks + b];
        loss[s] = sum / (double)blocks;
    }
}

/* Test differences d[seeds]. Corrected p are NAN: they depend on the other
   tests. */
static locant_status test(struct lct_test *out, const double *d, size_t seeds,
                          const struct lct_results *r)
{
    const bool few = seeds < LCT_TESTED_SEEDS && lct_claims_enough_seeds(r);
    size_t above = 0, below = 0;
    locant_difference paired;

    LCT_TRY(locant_paired(&paired, d, seeds, level));
    for (size_t s = 0; s < seeds; s++) {
        above += d[s] > 0;
        below += d[s] < 0;
    }
    *out = (struct lct_test){
        .mean = paired.mean,
        .half = paired.half,
        .p = few ? NAN : paired.t_p,
        .exact = few ? NAN : paired.p,
        .corrected = NAN,
        .exact_corrected = NAN,
        .sign = seeds == 0 ? 0 : (above == seeds) - (below == seeds),
        .seeds = seeds,
    };
    if (seeds > 1)
        out->deviation = paired.half / lct_t_quantile(seeds - 1, level) *
                         sqrt((double)seeds);
    else
        out->deviation = NAN;
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- tests */

static locant_status test_changes(struct lct_test *out,
                                  const struct lct_results *r, int k)
{
    const struct lct_term term = { LCT_P1, k }, trained = { LCT_P1, 0 };
    size_t seeds, blocks;
    double *loss;
    locant_status status = LOCANT_OK;

    LCT_TRY(lct_losses(&loss, &seeds, &blocks, r, term, &trained));
    for (size_t i = 0; i < r->n && status == LOCANT_OK; i++) {
        double *own = loss + i * seeds * blocks;
        const size_t runs = blocks ? r->groups[i].n : 0;

        mean_over_blocks(own, runs, blocks);
        status = test(&out[i], own, runs, r);
    }
    locant_release(loss);
    return status;
}

/* Losses of all groups, [groups, seeds, blocks], and space for those of one. */
struct all_losses {
    double *loss, *own;
    size_t seeds, blocks;
};

/* Test the losses of group i minus those of group j at the seeds that both
   have. */
static locant_status test_pair(struct lct_test *out, const struct all_losses *a,
                               const struct lct_results *r, size_t i, size_t j)
{
    const struct lct_group *g = &r->groups[i], *other = &r->groups[j];
    double *to = a->own;
    size_t n = 0;

    for (size_t s = 0; s < g->n && a->blocks > 0; s++) {
        const size_t t = lct_losses_find_seed(other, g->results[s].run.seed);
        const double *x = a->loss + (i * a->seeds + s) * a->blocks;
        const double *y = a->loss + (j * a->seeds + t) * a->blocks;

        if (t == other->n)
            continue;
        for (size_t b = 0; b < a->blocks; b++)
            *to++ = x[b] - y[b];
        n++;
    }
    mean_over_blocks(a->own, n, a->blocks);
    return test(out, a->own, n, r);
}

/* Test all pairs by the losses of a term minus those of another, unless that is
   NULL. */
static locant_status test_pairs(struct lct_test *out,
                                const struct lct_results *r,
                                struct lct_term term,
                                const struct lct_term *minus)
{
    struct all_losses a = { .own = NULL };
    size_t bytes;
    locant_status status = LOCANT_OK;

    LCT_TRY(lct_losses(&a.loss, &a.seeds, &a.blocks, r, term, minus));
    if (lct_mul(&bytes, a.seeds * a.blocks + 1, sizeof *a.own))
        a.own = locant_alloc(bytes);
    if (a.own == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "report: no memory to compare pairs of %zu "
                             "encodings",
                             r->n);
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = i + 1; j < r->n && status == LOCANT_OK; j++)
            status = test_pair(out++, &a, r, i, j);
    locant_release(a.own);
    locant_release(a.loss);
    return status;
}

/* --------------------------------------------------------------- correction */

/* Correct the exact p at each length by Holm for all groups. 'p' is scratch
   [2 groups]. */
static locant_status correct_exact(struct lct_claims *c, double *p)
{
    const size_t n = c->r->n;

    for (size_t k = 0; k < CHANGES; k++) {
        struct lct_test *change = c->test + k * n;

        for (size_t i = 0; i < n; i++)
            p[i] = change[i].exact;
        LCT_TRY(locant_holm(p + n, p, n));
        for (size_t i = 0; i < n; i++)
            change[i].exact_corrected = p[n + i];
    }
    return LOCANT_OK;
}

/* Correct the p of all t tests by Holm. */
static locant_status correct(struct lct_claims *c)
{
    const size_t n = c->count;
    size_t bytes;
    double *p =
        lct_mul(&bytes, n + 1, 2 * sizeof *p) ? locant_alloc(bytes) : NULL;
    locant_status status;

    if (p == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for %zu tests",
                           n);
    for (size_t i = 0; i < n; i++) {
        p[i] = c->test[i].p;
        c->tested += !isnan(p[i]);
    }
    status = locant_holm(p + n, p, n);
    for (size_t i = 0; i < n && status == LOCANT_OK; i++)
        c->test[i].corrected = p[n + i];
    if (status == LOCANT_OK)
        status = correct_exact(c, p);
    locant_release(p);
    return status;
}

static locant_status test_all(struct lct_claims *c)
{
    const struct lct_results *r = c->r;
    struct lct_test *next = c->test;

    for (int k = 1; k <= CHANGES; k++, next += r->n)
        LCT_TRY(test_changes(next, r, k));
    for (int k = 0; k < LOSSES; k++, next += lct_claims_pairs_count(r))
        LCT_TRY(test_pairs(next, r, (struct lct_term){ LCT_P1, k }, NULL));
    if (c->has_gains)
        LCT_TRY(test_pairs(next, r, window, &longest));
    return correct(c);
}

locant_status lct_claims_create(struct lct_claims *c,
                                const struct lct_results *r)
{
    const size_t pairs = lct_claims_pairs_count(r);
    size_t bytes;
    locant_status status;

    *c = (struct lct_claims){ .r = r, .has_gains = lct_losses_has(r, LCT_P4) };
    c->count = CHANGES * r->n + LOSSES * pairs + (c->has_gains ? pairs : 0);
    if (lct_mul(&bytes, c->count + 1, sizeof *c->test))
        c->test = locant_alloc(bytes);
    if (c->test == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory to compare pairs of %zu "
                           "encodings",
                           r->n);
    status = test_all(c);
    if (status != LOCANT_OK)
        lct_claims_free(c);
    return status;
}

void lct_claims_free(struct lct_claims *c)
{
    locant_release(c->test);
    *c = (struct lct_claims){ .r = NULL };
}

/* ------------------------------------------------------------------ answers */

size_t lct_claims_pairs_count(const struct lct_results *r)
{
    return r->n > 0 ? r->n * (r->n - 1) / 2 : 0;
}

size_t lct_claims_pair(const struct lct_results *r, size_t i, size_t j)
{
    return i * (2 * r->n - i - 1) / 2 + j - i - 1;
}

const struct lct_test *lct_claims_changes(const struct lct_claims *c, int k)
{
    return c->test + (size_t)(k - 1) * c->r->n;
}

const struct lct_test *lct_claims_losses(const struct lct_claims *c, int k)
{
    return c->test + CHANGES * c->r->n +
           (size_t)k * lct_claims_pairs_count(c->r);
}

const struct lct_test *lct_claims_gains(const struct lct_claims *c)
{
    return c->has_gains ? lct_claims_losses(c, LOSSES) : NULL;
}

struct lct_test lct_claims_difference(const struct lct_claims *c, int k,
                                      size_t i, size_t j)
{
    const size_t pair =
        i < j ? lct_claims_pair(c->r, i, j) : lct_claims_pair(c->r, j, i);
    struct lct_test t = lct_claims_losses(c, k)[pair];

    if (i > j) {
        t.mean = 0 - t.mean;
        t.sign = -t.sign;
    }
    return t;
}

/* mean[groups]: of the losses at length index k over the runs of each; not
   finite if a loss is undefined, or if a group has too few runs while others
   have enough. */
static locant_status mean_losses(double *mean, const struct lct_results *r,
                                 int k)
{
    const size_t needed = lct_claims_enough_seeds(r) ? LCT_TESTED_SEEDS : 1;
    size_t seeds, blocks;
    double *loss;

    LCT_TRY(lct_losses(&loss, &seeds, &blocks, r,
                       (struct lct_term){ LCT_P1, k }, NULL));
    for (size_t i = 0; i < r->n; i++) {
        const size_t runs = r->groups[i].n, each = runs * blocks;

        mean[i] = runs < needed || blocks == 0 ? NAN : 0;
        for (size_t b = 0; b < each; b++)
            mean[i] += loss[i * seeds * blocks + b] / (double)each;
    }
    locant_release(loss);
    return LOCANT_OK;
}

/* Memory for one double of each group. */
static locant_status allocate(double **out, const struct lct_results *r)
{
    size_t bytes;

    *out = lct_mul(&bytes, r->n + 1, sizeof **out) ? locant_alloc(bytes) : NULL;
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory to order %zu encodings", r->n);
    return LOCANT_OK;
}

locant_status lct_claims_order(struct lct_test *out, struct lct_order *order,
                               const struct lct_claims *c, int k)
{
    const struct lct_results *r = c->r;
    double *mean, least = INFINITY;
    locant_status status;

    LCT_TRY(allocate(&mean, r));
    status = mean_losses(mean, r, k);
    *order = (struct lct_order){ .first = r->n, .next = r->n };
    for (size_t i = 0; i < r->n && status == LOCANT_OK; i++)
        if (mean[i] < least) {
            least = mean[i];
            order->first = i;
        }
    locant_release(mean);
    for (size_t i = 0; i < r->n; i++) {
        out[i] = (struct lct_test){ NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0 };
        if (order->first == r->n || i == order->first)
            continue;
        out[i] = lct_claims_difference(c, k, i, order->first);
        if (!isnan(out[i].mean) &&
            (order->next == r->n || out[i].mean < out[order->next].mean))
            order->next = i;
    }
    return status;
}

locant_status lct_claims_rank(int *rank, const struct lct_claims *c, int k)
{
    const struct lct_results *r = c->r;
    const bool tested = lct_claims_enough_seeds(r);
    double *mean;
    locant_status status;

    LCT_TRY(allocate(&mean, r));
    status = mean_losses(mean, r, k);
    for (size_t i = 0; i < r->n && status == LOCANT_OK; i++) {
        rank[i] = isfinite(mean[i]);
        for (size_t j = 0; j < r->n && rank[i] > 0; j++) {
            struct lct_test t;

            if (i == j)
                continue;
            t = lct_claims_difference(c, k, i, j);
            rank[i] +=
                tested ? t.corrected < LCT_ALPHA && t.mean > 0 : t.sign > 0;
        }
    }
    locant_release(mean);
    return status;
}
