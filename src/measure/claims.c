/*
 * claims.c - the tests behind every claim of the page about losses: paired t
 * tests over seeds, of the mean over blocks of each run.
 *
 * Changes from the trained length are corrected by Holm for the number of
 * encodings. The encoding that all others are compared with is chosen by its
 * loss, so differences from it are corrected for all pairs, as ranks are: the
 * chance of any wrong order stays below the level.  The table of all pairs is
 * corrected by Holm for as many.
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
static locant_status test(struct lct_test *out, const double *d, size_t seeds)
{
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
        .p = paired.t_p,
        .exact = paired.p,
        .corrected = NAN,
        .exact_corrected = NAN,
        .sign = seeds == 0 ? 0 : (above == seeds) - (below == seeds),
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

        mean_over_blocks(own, blocks ? seeds : 0, blocks);
        status = test(&out[i], own, blocks ? seeds : 0);
    }
    locant_release(loss);
    return status == LOCANT_OK ? correct(out, r->n) : status;
}

/* Return the encoding with the lowest of loss[groups, each], r->n if no loss is
   defined. *defined is the number of encodings with a defined loss. */
static size_t find_lowest(size_t *defined, const struct lct_results *r,
                          const double *loss, size_t each)
{
    size_t first = r->n;
    double least = INFINITY;

    *defined = 0;
    for (size_t i = 0; i < r->n && each > 0; i++) {
        double sum = 0;

        for (size_t k = 0; k < each; k++)
            sum += loss[i * each + k];
        *defined += isfinite(sum);
        if (sum < least) {
            least = sum;
            first = i;
        }
    }
    return first;
}

/* Test the differences own - other of losses [seeds, blocks]. Overwrites
   'own'. */
static locant_status test_pair(struct lct_test *out, double *own,
                               const double *other, size_t seeds, size_t blocks)
{
    for (size_t k = 0; k < seeds * blocks; k++)
        own[k] -= other[k];
    mean_over_blocks(own, seeds, blocks);
    return test(out, own, seeds);
}

locant_status lct_claims_order(struct lct_test *out, struct lct_order *order,
                               const struct lct_results *r, int k)
{
    const struct lct_term term = { LCT_P1, k };
    size_t seeds, blocks, defined;
    double *loss;
    locant_status status = LOCANT_OK;

    LCT_TRY(lct_losses(&loss, &seeds, &blocks, r, term, NULL));
    *order = (struct lct_order){ .next = r->n };
    order->first = find_lowest(&defined, r, loss, seeds * blocks);
    order->pairs = defined > 1 ? (size_t)lct_pair_count(defined) : 0;
    for (size_t i = 0; i < r->n && status == LOCANT_OK; i++) {
        const size_t each = seeds * blocks, first = order->first;

        out[i] = (struct lct_test){ NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0 };
        if (i == first || first == r->n)
            continue;
        status = test_pair(&out[i], loss + i * each, loss + first * each, seeds,
                           blocks);
        out[i].corrected =
            isnan(out[i].p) ? NAN : fmin(1, (double)order->pairs * out[i].p);
        if (!isnan(out[i].mean) &&
            (order->next == r->n || out[i].mean < out[order->next].mean))
            order->next = i;
    }
    locant_release(loss);
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

/* Test all pairs of losses [groups, seeds, blocks]; 'own' has space for the
   losses of one group. */
static locant_status test_pairs(struct lct_test *out,
                                const struct lct_results *r, double *own,
                                const double *loss, size_t seeds, size_t blocks)
{
    const size_t each = seeds * blocks;

    for (size_t i = 0; i < r->n; i++)
        for (size_t j = i + 1; j < r->n; j++) {
            for (size_t k = 0; k < each; k++)
                own[k] = loss[i * each + k];
            LCT_TRY(test_pair(out++, own, loss + j * each, blocks ? seeds : 0,
                              blocks));
        }
    return LOCANT_OK;
}

locant_status lct_claims_pairs(struct lct_test *out,
                               const struct lct_results *r,
                               struct lct_term term,
                               const struct lct_term *minus)
{
    size_t seeds, blocks, bytes;
    double *loss, *own = NULL;
    locant_status status;

    LCT_TRY(lct_losses(&loss, &seeds, &blocks, r, term, minus));
    if (lct_mul(&bytes, seeds * blocks + 1, sizeof *own))
        own = locant_alloc(bytes);
    if (own == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "report: no memory to compare pairs of %zu "
                             "encodings",
                             r->n);
    else
        status = test_pairs(out, r, own, loss, seeds, blocks);
    locant_release(own);
    locant_release(loss);
    return status == LOCANT_OK ? correct(out, lct_claims_pairs_count(r))
                               : status;
}
