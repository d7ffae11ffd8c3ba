/* statistics_rank.c - ranks by loss, which differ only if seeds show it */
#include "../core/size.h"
#include "../core/error.h"
#include "statistics.h"
#include <math.h>

/* Do the seeds show that the loss of encoding a is higher than that of b? */
static bool is_above(const struct lct_ranking *r, size_t a, size_t b,
                     double level)
{
    const size_t own = a * r->seeds, other = b * r->seeds;
    double mean, half, least = INFINITY;
    size_t n = 0;

    for (size_t s = 0; s < r->seeds; s++) {
        if (!r->has[own + s] || !r->has[other + s])
            continue;
        r->difference[n] = r->mean[own + s] - r->mean[other + s];
        least = fmin(least, r->difference[n++]);
    }
    if (n < LCT_TESTED_SEEDS)
        return n > 0 && r->most < LCT_TESTED_SEEDS && least > 0;
    lct_t_interval(&mean, &half, r->difference, n, level);
    return mean > half;
}

/* Set rank[i] to 1 if encoding i has enough runs and all its losses are finite,
   else to 0; return the number of ones. */
static size_t find_defined(int *rank, const struct lct_ranking *r)
{
    const size_t needed =
        r->most < LCT_TESTED_SEEDS ? 1 : (size_t)LCT_TESTED_SEEDS;
    size_t defined = 0;

    for (size_t i = 0; i < r->n; i++) {
        size_t runs = 0;
        double all = 0;

        for (size_t s = i * r->seeds; s < (i + 1) * r->seeds; s++) {
            runs += r->has[s];
            all += r->has[s] ? r->mean[s] : 0;
        }
        rank[i] = runs >= needed && isfinite(all);
        defined += (size_t)rank[i];
    }
    return defined;
}

void lct_ranks(int *rank, struct lct_ranking *r)
{
    const size_t defined = find_defined(rank, r);
    double level = r->level;

    if (defined > 1)
        level = 1 - (1 - level) / lct_pair_count(defined);
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < r->n; j++)
            if (rank[i] > 0 && rank[j] > 0 && i != j)
                rank[i] += is_above(r, i, j, level);
}

locant_status lct_ranking_create(struct lct_ranking *r)
{
    size_t difference, mean;

    r->mean = r->difference = NULL;
    r->has = NULL;
    if (!lct_mul(&difference, r->seeds, sizeof *r->difference) ||
        !lct_mul(&mean, r->n, difference))
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_ranks: %zu encodings x %zu seeds", r->n,
                           r->seeds);
    r->mean = locant_alloc(mean + 1);
    r->has = locant_alloc(mean / sizeof *r->mean + 1);
    r->difference = locant_alloc(difference + 1);
    if (!r->mean || !r->has || !r->difference)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_ranks: no memory for %zu encodings", r->n);
    return LOCANT_OK;
}

void lct_ranking_free(struct lct_ranking *r)
{
    locant_release(r->mean);
    locant_release(r->has);
    locant_release(r->difference);
}

/* Set the means of loss[n, seeds, blocks]: every encoding has all seeds. */
static void set_means(struct lct_ranking *r, const double *loss, size_t blocks)
{
    for (size_t at = 0; at < r->n * r->seeds; at++) {
        double sum = 0;

        for (size_t b = 0; b < blocks; b++)
            sum += loss[at * blocks + b];
        r->mean[at] = sum / (double)blocks;
        r->has[at] = true;
    }
}

locant_status locant_ranks(int *rank, const double *loss, size_t n,
                           size_t seeds, size_t blocks, double level)
{
    struct lct_ranking r = {
        .n = n, .seeds = seeds, .most = seeds, .level = level
    };
    locant_status status;

    if (n > 0 && (rank == NULL || (loss == NULL && seeds > 0 && blocks > 0)))
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", __func__,
                           rank ? "loss" : "rank");
    LCT_TRY(lct_check_level(__func__, level));
    status = lct_ranking_create(&r);
    if (status == LOCANT_OK) {
        set_means(&r, loss, blocks);
        lct_ranks(rank, &r);
    }
    lct_ranking_free(&r);
    return status;
}

locant_status locant_mean_reciprocal_rank(double *out, const int *rank,
                                          size_t n, size_t trials)
{
    if (n > 0 && (out == NULL || (rank == NULL && trials > 0)))
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", __func__,
                           out ? "rank" : "out");
    for (size_t i = 0; i < n; i++) {
        double sum = 0;

        for (size_t t = 0; t < trials; t++)
            sum += rank[t * n + i] > 0 ? 1.0 / rank[t * n + i] : 0;
        out[i] = trials ? sum / (double)trials : NAN;
    }
    return LOCANT_OK;
}
