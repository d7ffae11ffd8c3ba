/*
 * context_use.c - which encodings use their context.
 *
 * A model of little training may predict from the last few bytes alone; how its
 * encoding treats longer texts then tells nothing about content.  So the page
 * speaks of longer contexts only for encodings whose models lose by having all
 * but the last 8 bytes replaced by text of another file: the 95 % interval of
 * the loss, over blocks and seeds, must be above LCT_CONTEXT_COST.
 */
#include "context_use.h"
#include "../core/size.h"
#include "losses.h"
#include <math.h>

enum lct_use lct_context_judge(const locant_interval *replaced)
{
    if (!isfinite(replaced->low))
        return LCT_USE_UNKNOWN;
    return replaced->low > LCT_CONTEXT_COST ? LCT_USE_SHOWN : LCT_USE_NOT_SHOWN;
}

/* The cost of one change, all groups. 'runs' and 'cost' are scratch
   [groups]. */
static locant_status set_cost(struct lct_context_use *use, int how,
                              size_t *runs, locant_interval *cost,
                              const struct lct_results *r)
{
    const struct lct_term changed = { LCT_SHUFFLED + how, 0 };
    const struct lct_term whole = { LCT_P1, 0 };
    size_t seeds, blocks;
    double *loss;

    LCT_TRY(lct_losses(&loss, &seeds, &blocks, r, changed, &whole));
    for (size_t i = 0; i < r->n; i++)
        runs[i] = r->groups[i].n;
    lct_crossed_intervals(cost, loss, runs, r->n, seeds, blocks, .95);
    for (size_t i = 0; i < r->n; i++)
        use[i].cost[how] = cost[i];
    locant_release(loss);
    return LOCANT_OK;
}

static locant_status measure(struct lct_context_use *use,
                             const struct lct_results *r)
{
    size_t bytes, *runs = NULL;
    locant_interval *cost = NULL;
    locant_status status = LOCANT_OK;

    if (lct_mul(&bytes, r->n + 1, sizeof *cost + sizeof *runs))
        cost = locant_alloc(bytes);
    if (cost == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory for intervals of %zu encodings",
                           r->n);
    runs = (size_t *)(cost + r->n);
    for (int how = 0; how < LCT_CHANGED && status == LOCANT_OK; how++)
        status = set_cost(use, how, runs, cost, r);
    for (size_t i = 0; i < r->n && status == LOCANT_OK; i++)
        use[i].use = lct_context_judge(&use[i].cost[LCT_CONTEXT_REPLACED]);
    locant_release(cost);
    return status;
}

locant_status lct_context_use_create(struct lct_context_use **use,
                                     const struct lct_results *r)
{
    size_t bytes;
    locant_status status;

    *use = NULL;
    if (lct_mul(&bytes, r->n + 1, sizeof **use))
        *use = locant_alloc(bytes);
    if (*use == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory for costs of %zu encodings",
                           r->n);
    status = measure(*use, r);
    if (status != LOCANT_OK) {
        locant_release(*use);
        *use = NULL;
    }
    return status;
}

double lct_context_ngram_gain(const struct lct_results *r)
{
    for (int i = 0; i < 2; i++)
        if (r->cache_order > 0 && r->ngram_order[i] == r->cache_order &&
            r->cache[0] > 0)
            return r->ngram[i] - r->cache[0];
    return NAN;
}

struct lct_context_count lct_context_count(const struct lct_context_use *use,
                                           const struct lct_results *r)
{
    struct lct_context_count c = { .most_expensive = r->n };
    double most = -INFINITY;

    for (size_t i = 0; i < r->n; i++) {
        const double cost = use[i].cost[LCT_CONTEXT_REPLACED].mean;

        c.intervals |= use[i].use != LCT_USE_UNKNOWN;
        if (r->groups[i].doors == 0)
            continue;
        c.judged++;
        c.use += use[i].use == LCT_USE_SHOWN;
        if (cost > most) {
            most = cost;
            c.most_expensive = i;
        }
    }
    c.needed = c.judged > 1 ? (c.judged + 1) / 2 : 1;
    return c;
}
