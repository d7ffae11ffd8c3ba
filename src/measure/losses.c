/* losses.c - the losses of all encodings in one array, and their ranks */
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

/* List the seeds of all groups, each once, and return their number. */
static size_t list_seeds(uint64_t *seed, const struct lct_results *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++) {
            const uint64_t own = r->groups[i].results[s].run.seed;
            size_t at = 0;

            while (at < n && seed[at] != own)
                at++;
            seed[at] = own;
            n += at == n;
        }
    return n;
}

/* Means over blocks of loss[groups, seeds, blocks], and whether there is a run,
   at [groups, all] of the seeds listed in 'seed'. */
static void set_means(struct lct_ranking *to, const struct lct_results *r,
                      const double *loss, size_t seeds, size_t blocks,
                      const uint64_t *seed)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t a = 0; a < to->seeds; a++) {
            const size_t at = i * to->seeds + a;
            const size_t s = lct_losses_find_seed(&r->groups[i], seed[a]);
            double sum = 0;

            to->has[at] = s < r->groups[i].n;
            for (size_t b = 0; b < blocks && to->has[at]; b++)
                sum += loss[(i * seeds + s) * blocks + b];
            to->mean[at] = blocks ? sum / (double)blocks : NAN;
        }
}

/* Rank loss[groups, seeds, blocks]. */
static locant_status rank_losses(int *rank, const struct lct_results *r,
                                 const double *loss, size_t seeds,
                                 size_t blocks)
{
    struct lct_ranking ranking = { .n = r->n, .most = seeds, .level = .95 };
    size_t runs = 0, bytes;
    uint64_t *seed = NULL;
    locant_status status;

    for (size_t i = 0; i < r->n; i++)
        runs += r->groups[i].n;
    if (lct_mul(&bytes, runs + 1, sizeof *seed))
        seed = locant_alloc(bytes);
    if (seed == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory to rank %zu encodings", r->n);
    ranking.seeds = list_seeds(seed, r);
    status = lct_ranking_create(&ranking);
    if (status == LOCANT_OK) {
        set_means(&ranking, r, loss, seeds, blocks, seed);
        lct_ranks(rank, &ranking);
    }
    lct_ranking_free(&ranking);
    locant_release(seed);
    return status;
}

locant_status lct_losses_rank(int *rank, const struct lct_results *r, int k)
{
    size_t seeds, blocks;
    double *loss;
    locant_status status;

    LCT_TRY(lct_losses(&loss, &seeds, &blocks, r,
                       (struct lct_term){ LCT_P1, k }, NULL));
    status = rank_losses(rank, r, loss, seeds, blocks);
    locant_release(loss);
    return status;
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
