/* dense_heads.c - the gradient of a dense bias that several heads share */
#include "dense_heads.h"
#include "../core/pool.h"
#include "content.h"
#include "dense_gradient.h"
#include "mask.h"
#include "scores.h"
#include "softmax.h"
#include <string.h>

enum { TILE_SIZE = LCT_TILE * LCT_TILE };

/* s->ds = gradient of the scores after the cap, as in lct_tiled_backward(). */
static void compute_ds(const struct lct_plan *p, struct lct_tile *t,
                       struct lct_scratch *s)
{
    const struct lct_content_gradients none = { .learns = false };
    const struct lct_loaded l = p->arithmetic->load_keys(p, t, s);

    lct_scores_of_tile(p, t, s, &l, NULL);
    lct_softmax_recompute_probs(p, t, s);
    p->arithmetic->values_backward(p, t, s, &l,
                                   (struct lct_product_rows){ NULL, 0 });
    if (p->request->content != NULL)
        lct_content_values_backward(p, t, s, &none);
    lct_softmax_backward(p, t, s);
}

/* sums [k_tiles, TILE keys, TILE queries] += ds of a tile of queries. */
static void add_head(const struct lct_backward *job, struct lct_tile *t,
                     struct lct_scratch *s, double *sums)
{
    const struct lct_plan *p = job->p;

    p->arithmetic->load_queries(p, t, s);
    if (p->request->content != NULL)
        lct_content_open(p, t, s);
    lct_backward_load_queries(job, t, s);
    for (int64_t k = 0; k < p->k_tiles; k++, sums += TILE_SIZE) {
        if (!lct_mask_classify(p, t, k, s))
            continue;
        compute_ds(p, t, s);
        for (int64_t j = 0; j < t->keys; j++)
            for (int64_t i = 0; i < t->rows; i++)
                sums[j * LCT_TILE + i] +=
                    (double)s->ds[j * (int64_t)t->lanes + i];
    }
}

/* dbias of a tile of queries = sums, rounded. */
static void store_sums(const struct lct_backward *job, struct lct_tile *t,
                       struct lct_scratch *s, const double *sums)
{
    const struct lct_plan *p = job->p;

    for (int64_t k = 0; k < p->k_tiles; k++, sums += TILE_SIZE) {
        t->j = k * LCT_TILE;
        t->keys = lct_sizes_in_tile(p->S, t->j);
        for (int64_t j = 0; j < t->keys; j++)
            for (int64_t i = 0; i < t->rows; i++)
                s->bias[j * (int64_t)t->lanes + i] =
                    (float)sums[j * LCT_TILE + i];
        lct_dense_gradient_store(p, job->g->dbias, t, s, s->bias);
    }
}

/* A tile of queries, for the heads that share an element of the bias. */
static void heads_task(void *context, size_t task, int slot)
{
    const struct lct_backward *job = context;
    const struct lct_plan *p = job->p;
    const locant_tensor *dbias = job->g->dbias;
    const int64_t tiles = job->end_tile - job->first_tile;
    int64_t group = (int64_t)task / tiles;
    int64_t n = job->first_tile + (int64_t)task % tiles;
    int64_t b = group / dbias->shape[1], h = group % dbias->shape[1];
    int64_t b_end = dbias->shape[0] == 1 ? p->B : b + 1;
    int64_t h_first = h, h_end = dbias->shape[1] == 1 ? p->H : h + 1;
    struct lct_scratch *s = lct_scratch_of(p, slot, 0);
    double *sums = p->dense->heads + slot * p->k_tiles * TILE_SIZE;
    struct lct_tile t;

    memset(sums, 0, (size_t)(p->k_tiles * TILE_SIZE) * sizeof(*sums));
    for (; b < b_end; b++)
        for (h = h_first; h < h_end && !lct_pool_cancelled(); h++) {
            t = lct_tile_of(p, b, h, n);
            add_head(job, &t, s, sums);
        }
    t = lct_tile_of(p, group / dbias->shape[1], h_first, n);
    store_sums(job, &t, s, sums);
}

void lct_dense_heads_backward(const struct lct_backward *job)
{
    const struct lct_plan *p = job->p;
    const locant_tensor *dbias = job->g->dbias;

    if (dbias != NULL && p->dense->way == LCT_DENSE_HEADS)
        lct_parallel_for((size_t)(dbias->shape[0] * dbias->shape[1] *
                                  (job->end_tile - job->first_tile)),
                         p->slots, heads_task, (void *)job);
}
