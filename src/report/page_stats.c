/* page_stats.c - estimates with intervals, and ranks with ties */
#include "../core/size.h"
#include "page.h"
#include <math.h>

enum { BOOTSTRAP_SEED = 1 };

locant_status lct_page_numbers(double **out, size_t n)
{
    size_t bytes;

    *out = NULL;
    if (lct_mul(&bytes, n ? n : 1, sizeof **out))
        *out = locant_alloc(bytes);
    if (!*out)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory for %zu numbers", n);
    return LOCANT_OK;
}

static size_t common_blocks(const struct lct_group *g)
{
    size_t blocks = SIZE_MAX;

    for (size_t s = 0; s < g->n; s++) {
        int64_t own = g->results[s].eval.blocks;
        if (!g->results[s].block_loss || own <= 0)
            return 0;
        if ((size_t)own < blocks)
            blocks = (size_t)own;
    }
    return g->n ? blocks : 0;
}

static const double *blocks_of(const struct lct_result *result, int k)
{
    return result->block_loss + (size_t)k * (size_t)result->eval.blocks;
}

/* Mean and bootstrap interval of [seeds, blocks]; undefined if any is. */
static locant_status estimate(struct lct_estimate *out, const double *loss,
                              size_t seeds, size_t blocks)
{
    locant_interval e;

    LCT_TRY(locant_bootstrap(&e, loss, seeds, blocks, .95, BOOTSTRAP_SEED));
    *out = (struct lct_estimate){ e.mean, e.low, e.high };
    return LOCANT_OK;
}

locant_status lct_page_loss(struct lct_estimate *out, const struct lct_group *g,
                            int k, int base)
{
    size_t blocks = common_blocks(g);
    double *loss;
    locant_status status;

    LCT_TRY(lct_page_numbers(&loss, g->n * blocks));
    for (size_t s = 0; s < g->n && blocks > 0; s++) {
        const double *at = blocks_of(&g->results[s], k);
        const double *own = base >= 0 ? blocks_of(&g->results[s], base) : NULL;
        for (size_t b = 0; b < blocks; b++)
            loss[s * blocks + b] = at[b] - (own ? own[b] : 0);
    }
    status = estimate(out, loss, g->n, blocks);
    locant_release(loss);
    return status;
}

/* a minus b at the longest length, seed by seed and block by block. */
static locant_status paired(struct lct_estimate *out, const struct lct_group *a,
                            const struct lct_group *b)
{
    size_t blocks_a = common_blocks(a), blocks_b = common_blocks(b);
    size_t blocks = blocks_a < blocks_b ? blocks_a : blocks_b;
    size_t seeds = a->n < b->n ? a->n : b->n;
    double *loss;
    locant_status status;

    LCT_TRY(lct_page_numbers(&loss, seeds * blocks));
    for (size_t s = 0; s < seeds; s++)
        for (size_t i = 0; i < blocks; i++)
            loss[s * blocks + i] =
                blocks_of(&a->results[s], LOCANT_EVAL_LENGTHS - 1)[i] -
                blocks_of(&b->results[s], LOCANT_EVAL_LENGTHS - 1)[i];
    status = estimate(out, loss, seeds, blocks);
    locant_release(loss);
    return status;
}

/* Groups by rising mean, undefined ones last, else in their order. */
static void sort(size_t *order, const double *mean, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        while (at > 0 && !isnan(mean[i]) &&
               (isnan(mean[order[at - 1]]) || mean[order[at - 1]] > mean[i])) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

locant_status lct_page_rank(int *rank, size_t *order,
                            const struct lct_results *r)
{
    double *mean;
    size_t leader = 0;
    locant_status status = LOCANT_OK;

    LCT_TRY(lct_page_numbers(&mean, r->n));
    for (size_t i = 0; i < r->n && status == LOCANT_OK; i++) {
        struct lct_estimate e = { NAN, NAN, NAN };
        status = lct_page_loss(&e, &r->groups[i], LOCANT_EVAL_LENGTHS - 1, -1);
        mean[i] = e.mean;
    }
    if (status == LOCANT_OK)
        sort(order, mean, r->n);
    for (size_t i = 0; i < r->n && status == LOCANT_OK; i++) {
        struct lct_estimate d = { NAN, NAN, NAN };
        rank[order[i]] = 0;
        if (isnan(mean[order[i]]))
            continue;
        if (i > 0)
            status = paired(&d, &r->groups[order[i]],
                            &r->groups[order[leader]]);
        if (d.low <= 0 && d.high >= 0) {
            rank[order[i]] = rank[order[leader]];
        } else {
            rank[order[i]] = (int)i + 1;
            leader = i;
        }
    }
    locant_release(mean);
    return status;
}

double lct_page_own_window(const struct lct_group *g)
{
    double sum = 0;

    for (size_t s = 0; s < g->n; s++)
        sum += g->results[s].eval.own_window;
    return g->n ? sum / (double)g->n : NAN;
}
