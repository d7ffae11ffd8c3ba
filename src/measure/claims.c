/*
 * claims.c - the tests behind every claim of the page about losses: paired t
 * tests over seeds, of the mean over blocks of each run.
 *
 * Changes from the trained length are corrected by Holm for the number of
 * encodings. The encoding that all others are compared with is chosen by its
 * loss, so differences from it are corrected for all pairs, as ranks are: the
 * chance of any wrong order stays below the level.  The table of all pairs is
 * corrected by Holm for as many.
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

/* Correct the p of both tests by Holm. */
static locant_status correct(struct lct_test *out, size_t n)
{
    size_t bytes;
    double *p =
        lct_mul(&bytes, n + 1, 4 * sizeof *p) ? locant_alloc(bytes) : NULL;
    double *exact, *adjusted;
    locant_status status;

    if (p == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for %zu tests",
                           n);
    exact = p + n;
    adjusted = exact + n;
    for (size_t i = 0; i < n; i++) {
        p[i] = out[i].p;
        exact[i] = out[i].exact;
    }
    status = locant_holm(adjusted, p, n);
    if (status == LOCANT_OK)
        status = locant_holm(adjusted + n, exact, n);
    for (size_t i = 0; i < n && status == LOCANT_OK; i++) {
        out[i].corrected = adjusted[i];
        out[i].exact_corrected = adjusted[n + i];
    }
    locant_release(p);
    return status;
}

locant_status lct_claims_changes(struct lct_test *out,
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
    return status == LOCANT_OK ? correct(out, r->n) : status;
}

/* Mean of the losses [seeds, blocks] of a group over its runs; NAN if one is
   not defined, or if the group has too few runs while others have enough. */
static double mean_of_group(const struct lct_results *r, size_t i,
                            const double *loss, size_t blocks)
{
    const size_t runs = r->groups[i].n, each = runs * blocks;
    double sum = 0;

    if (each == 0 || (runs < LCT_TESTED_SEEDS && lct_claims_enough_seeds(r)))
        return NAN;
    for (size_t k = 0; k < each; k++)
        sum += loss[k];
    return sum / (double)runs;
}

/* Return the encoding with the lowest of loss[groups, seeds, blocks], r->n if
   no loss is defined. *defined is the number of encodings with a defined
   loss. */
static size_t find_lowest(size_t *defined, const struct lct_results *r,
                          const double *loss, size_t seeds, size_t blocks)
{
    size_t first = r->n;
    double least = INFINITY;

    *defined = 0;
    for (size_t i = 0; i < r->n; i++) {
        const double mean =
            mean_of_group(r, i, loss + i * seeds * blocks, blocks);

        *defined += isfinite(mean);
        if (mean < least) {
            least = mean;
            first = i;
        }
    }
    return first;
}

/* Losses of all groups at one length, [groups, seeds, blocks], and space for
   those of one. */
struct all_losses {
    double *loss, *own;
    size_t seeds, blocks;
};

static locant_status all_losses_create(struct all_losses *a,
                                       const struct lct_results *r,
                                       struct lct_term term,
                                       const struct lct_term *minus)
{
    size_t bytes;

    *a = (struct all_losses){ 0 };
    LCT_TRY(lct_losses(&a->loss, &a->seeds, &a->blocks, r, term, minus));
    if (lct_mul(&bytes, a->seeds * a->blocks + 1, sizeof *a->own))
        a->own = locant_alloc(bytes);
    return a->own ? LOCANT_OK
                  : locant_fail(LOCANT_ERR_NOMEM,
                                "report: no memory to compare pairs of %zu "
                                "encodings",
                                r->n);
}

static void all_losses_free(struct all_losses *a)
{
    locant_release(a->own);
    locant_release(a->loss);
}

/* Test the losses of group i minus those of group j at the seeds that both
   have. */
static locant_status test_pair(struct lct_test *out, struct all_losses *a,
                               const struct lct_results *r, size_t i, size_t j)
{
    const struct lct_group *g = &r->groups[i];
    const size_t blocks = a->blocks;
    size_t n = 0;

    for (size_t s = 0; s < g->n && blocks > 0; s++) {
        const size_t t =
            lct_losses_find_seed(&r->groups[j], g->results[s].run.seed);
        const size_t x = (i * a->seeds + s) * blocks;
        const size_t y = (j * a->seeds + t) * blocks;

        if (t == r->groups[j].n)
            continue;
        for (size_t b = 0; b < blocks; b++)
            a->own[n * blocks + b] = a->loss[x + b] - a->loss[y + b];
        n++;
    }
    mean_over_blocks(a->own, n, blocks);
    return test(out, a->own, n, r);
}

/* Test every group against the lowest one, order->first. */
static locant_status test_lowest(struct lct_test *out, struct lct_order *order,
                                 struct all_losses *a,
                                 const struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++) {
        out[i] = (struct lct_test){ NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0 };
        if (i == order->first || order->first == r->n)
            continue;
        LCT_TRY(test_pair(&out[i], a, r, i, order->first));
        out[i].corrected =
            isnan(out[i].p) ? NAN : fmin(1, (double)order->pairs * out[i].p);
        if (!isnan(out[i].mean) &&
            (order->next == r->n || out[i].mean < out[order->next].mean))
            order->next = i;
    }
    return LOCANT_OK;
}

locant_status lct_claims_order(struct lct_test *out, struct lct_order *order,
                               const struct lct_results *r, int k)
{
    struct all_losses a;
    size_t defined;
    locant_status status =
        all_losses_create(&a, r, (struct lct_term){ LCT_P1, k }, NULL);

    *order = (struct lct_order){ .next = r->n };
    if (status == LOCANT_OK) {
        order->first = find_lowest(&defined, r, a.loss, a.seeds, a.blocks);
        order->pairs = defined > 1 ? (size_t)lct_pair_count(defined) : 0;
        status = test_lowest(out, order, &a, r);
    }
    all_losses_free(&a);
    return status;
}

/* -------------------------------------------------------------------- pairs */

size_t lct_claims_pairs_count(const struct lct_results *r)
{
    return r->n > 0 ? r->n * (r->n - 1) / 2 : 0;
}

size_t lct_claims_pair(const struct lct_results *r, size_t i, size_t j)
{
    return i * (2 * r->n - i - 1) / 2 + j - i - 1;
}

locant_status lct_claims_pairs(struct lct_test *out,
                               const struct lct_results *r,
                               struct lct_term term,
                               const struct lct_term *minus)
{
    struct all_losses a;
    struct lct_test *to = out;
    locant_status status = all_losses_create(&a, r, term, minus);

    for (size_t i = 0; i < r->n; i++)
        for (size_t j = i + 1; j < r->n && status == LOCANT_OK; j++)
            status = test_pair(to++, &a, r, i, j);
    all_losses_free(&a);
    return status == LOCANT_OK ? correct(out, lct_claims_pairs_count(r))
                               : status;
}
