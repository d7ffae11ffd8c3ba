/* losses.c - the losses of all encodings in one array */
#include "../core/size.h"
#include "losses.h"
#include <math.h>

/* The least number of blocks of an evaluated run; 0 if none is evaluated. */
static size_t common_blocks(const struct lct_results *r)
{
    size_t blocks = 0;

    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++) {
            const struct lct_result *x = &r->groups[i].results[s];
            size_t own = (size_t)x->eval.blocks;

            if (x->block_loss && x->eval.blocks > 0 &&
                (blocks == 0 || own < blocks))
                blocks = own;
        }
    return blocks;
}

size_t lct_losses_seeds(const struct lct_results *r)
{
    size_t seeds = 0;

    for (size_t i = 0; i < r->n; i++)
        seeds = r->groups[i].n > seeds ? r->groups[i].n : seeds;
    return seeds;
}

size_t lct_losses_find_seed(const struct lct_group *g, uint64_t seed)
{
    size_t s = 0;

    while (s < g->n && g->results[s].run.seed != seed)
        s++;
    return s;
}

static const double *losses_of(const struct lct_result *x,
                               enum lct_measure measure)
{
    return measure == LCT_P1 ? x->block_loss : x->more[measure];
}

bool lct_losses_has(const struct lct_results *r, enum lct_measure measure)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++)
            if (losses_of(&r->groups[i].results[s], measure))
                return true;
    return false;
}

/* Loss of block b; NAN if the run or the measure is missing. */
static double block_loss(const struct lct_group *g, size_t s,
                         struct lct_term term, size_t b)
{
    const struct lct_result *x = s < g->n ? &g->results[s] : NULL;
    const double *loss = x ? losses_of(x, term.measure) : NULL;
    const bool one_length =
        term.measure >= LCT_P4 && term.measure <= LCT_TRUNCATED;
    const size_t k = one_length ? 0 : (size_t)term.k;

    return loss ? loss[k * (size_t)x->eval.blocks + b] : NAN;
}

locant_status lct_losses(double **out, size_t *seeds, size_t *blocks,
                         const struct lct_results *r, struct lct_term term,
                         const struct lct_term *minus)
{
    size_t bytes;
    double *to;

    *out = NULL;
    *seeds = lct_losses_seeds(r);
    *blocks = common_blocks(r);
    if (lct_mul(&bytes, r->n + 1, *seeds + 1) &&
        lct_mul(&bytes, bytes, *blocks + 1) &&
        lct_mul(&bytes, bytes, sizeof **out))
        *out = locant_alloc(bytes);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory for losses of %zu encodings",
                           r->n);
    to = *out;
    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < *seeds; s++)
            for (size_t b = 0; b < *blocks; b++) {
                *to = block_loss(&r->groups[i], s, term, b);
                if (minus)
                    *to -= block_loss(&r->groups[i], s, *minus, b);
                to++;
            }
    return LOCANT_OK;
}

int lct_losses_ranked_index(const struct lct_results *r)
{
    return r->judged ? r->judged : LOCANT_EVAL_LENGTHS - 1;
}

int lct_losses_declared_index(const struct lct_results *r)
{
    enum { DECLARED = 3 }; /* length 1024 */
    const int ranked = lct_losses_ranked_index(r);

    return ranked < DECLARED ? ranked : DECLARED;
}

const struct lct_group *lct_first_group(const struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].n)
            return &r->groups[i];
    return NULL;
}

int64_t lct_length(const struct lct_results *r, int k)
{
    const struct lct_group *g = lct_first_group(r);

    return g ? g->results[0].eval.length[k] : INT64_C(128) << k;
}
