/* statistics_rank.c - an order that only says what the seeds can tell */
#include "../core/size.h"
#include "statistics.h"
#include <math.h>

/* What locant_ranks() is asked, and room to work in. */
struct ranking {
    const double *loss;
    size_t n, seeds, blocks;
    double level;
    double *mean;       /* [n] */
    double *difference; /* [seeds, blocks] */
    size_t *order;      /* [n] by mean, the undefined last */
};

/* Can the difference between encodings a and b not be told from 0? */
static locant_status is_tie(bool *tie, const struct ranking *r, size_t a,
                            size_t b)
{
    const size_t each = r->seeds * r->blocks;
    double *d = r->difference;
    locant_interval e;

    for (size_t i = 0; i < each; i++)
        d[i] = r->loss[a * each + i] - r->loss[b * each + i];
    if (r->seeds >= 3) {
        double mean, half;

        for (size_t s = 0; s < r->seeds; s++) {
            double sum = 0;

            for (size_t i = 0; i < r->blocks; i++)
                sum += d[s * r->blocks + i];
            d[s] = sum / (double)r->blocks;
        }
        lct_t_interval(&mean, &half, d, r->seeds, r->level);
        *tie = fabs(mean) <= half;
        return LOCANT_OK;
    }
    LCT_TRY(locant_bootstrap(&e, d, r->seeds, r->blocks, r->level, 1));
    *tie = e.low <= 0 && e.high >= 0;
    return LOCANT_OK;
}

static void sort_by_mean(const struct ranking *r)
{
    const size_t each = r->seeds * r->blocks;

    for (size_t i = 0; i < r->n; i++) {
        double sum = each ? 0 : NAN;
        size_t at = i;

        for (size_t k = 0; k < each; k++)
            sum += r->loss[i * each + k];
        r->mean[i] = isfinite(sum) ? sum : INFINITY;
        for (; at > 0 && r->mean[r->order[at - 1]] > r->mean[i]; at--)
            r->order[at] = r->order[at - 1];
        r->order[at] = i;
    }
}

static locant_status assign(int *rank, const struct ranking *r)
{
    size_t leader = 0;

    for (size_t i = 0; i < r->n; i++) {
        const size_t own = r->order[i], best = r->order[leader];
        bool tie = i == 0;

        if (isinf(r->mean[own])) {
            rank[own] = 0;
            continue;
        }
        if (!tie)
            LCT_TRY(is_tie(&tie, r, own, best));
        if (!tie)
            leader = i;
        rank[own] = (int)leader + 1;
    }
    return LOCANT_OK;
}

static locant_status rank_all(int *rank, struct ranking *r)
{
    size_t order, mean, difference;

    if (!lct_mul(&order, r->n, sizeof *r->order) ||
        !lct_mul(&mean, r->n, sizeof *r->mean) ||
        !lct_mul(&difference, r->seeds, r->blocks) ||
        !lct_mul(&difference, difference, sizeof *r->difference))
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_ranks: %zu encodings x %zu seeds x %zu"
                           " blocks", r->n, r->seeds, r->blocks);
    r->order = locant_alloc(order + 1);
    r->mean = locant_alloc(mean + 1);
    r->difference = locant_alloc(difference + 1);
    if (!r->order || !r->mean || !r->difference)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_ranks: no memory for %zu encodings", r->n);
    sort_by_mean(r);
    return assign(rank, r);
}

locant_status locant_ranks(int *rank, const double *loss, size_t n,
                           size_t seeds, size_t blocks, double level)
{
    struct ranking r = {.loss = loss, .n = n, .seeds = seeds, .blocks = blocks,
                        .level = level};
    locant_status status;

    if (n > 0 && (rank == NULL || (loss == NULL && seeds > 0 && blocks > 0)))
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", __func__,
                           rank ? "loss" : "rank");
    LCT_TRY(lct_check_level(__func__, level));
    status = rank_all(rank, &r);
    locant_release(r.order);
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
