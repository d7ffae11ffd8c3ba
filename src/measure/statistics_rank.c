/* statistics_rank.c - ranks by loss, which differ only if seeds show it */
#include "../core/size.h"
#include "../core/error.h"
#include "statistics.h"
#include <math.h>

/* The arguments of locant_ranks(), and its scratch. */
struct ranking {
    const double *loss;
    size_t n, seeds, blocks;
    double level;       /* of the interval of one pair */
    double *mean;       /* [n, seeds] over blocks */
    double *difference; /* [seeds] */
};

/* Do the seeds show that the loss of encoding a is higher than that of b? */
static bool is_above(const struct ranking *r, size_t a, size_t b)
{
    double mean, half, least = INFINITY;

    for (size_t s = 0; s < r->seeds; s++) {
        r->difference[s] =
            r->mean[a * r->seeds + s] - r->mean[b * r->seeds + s];
        least = fmin(least, r->difference[s]);
    }
    if (r->seeds < LCT_TESTED_SEEDS)
        return least > 0;
    lct_t_interval(&mean, &half, r->difference, r->seeds, r->level);
    return mean > half;
}

/* Set the means, and rank[i] to 1 if all losses of encoding i are finite, else
   to 0; return the number of ones. */
static size_t find_defined(int *rank, const struct ranking *r)
{
    size_t defined = 0;

    for (size_t i = 0; i < r->n; i++) {
        double all = r->seeds > 0 && r->blocks > 0 ? 0 : NAN;

        for (size_t s = i * r->seeds; s < (i + 1) * r->seeds; s++) {
            double sum = 0;

            for (size_t b = 0; b < r->blocks; b++)
                sum += r->loss[s * r->blocks + b];
            r->mean[s] = sum / (double)r->blocks;
            all += r->mean[s];
        }
        rank[i] = isfinite(all);
        defined += isfinite(all);
    }
    return defined;
}

static void assign(int *rank, struct ranking *r)
{
    const size_t defined = find_defined(rank, r);

    if (defined > 1)
        r->level = 1 - (1 - r->level) / lct_pair_count(defined);
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < r->n; j++)
            if (rank[i] > 0 && rank[j] > 0 && i != j)
                rank[i] += is_above(r, i, j);
}

static locant_status rank_all(int *rank, struct ranking *r)
{
    size_t mean, difference;

    if (!lct_mul(&difference, r->seeds, sizeof *r->difference) ||
        !lct_mul(&mean, r->n, difference))
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_ranks: %zu encodings x %zu seeds", r->n,
                           r->seeds);
    r->mean = locant_alloc(mean + 1);
    r->difference = locant_alloc(difference + 1);
    if (!r->mean || !r->difference)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_ranks: no memory for %zu encodings", r->n);
    assign(rank, r);
    return LOCANT_OK;
}

locant_status locant_ranks(int *rank, const double *loss, size_t n,
                           size_t seeds, size_t blocks, double level)
{
    struct ranking r = {
        .loss = loss, .n = n, .seeds = seeds, .blocks = blocks, .level = level
    };
    locant_status status;

    if (n > 0 && (rank == NULL || (loss == NULL && seeds > 0 && blocks > 0)))
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", __func__,
                           rank ? "loss" : "rank");
    LCT_TRY(lct_check_level(__func__, level));
    status = rank_all(rank, &r);
    locant_release(r.mean);
    locant_release(r.difference);
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
