/*
 * tiled.c - attention by tiles of queries against tiles of keys.
 *
 * Dao, Fu, Ermon, Rudra, Re: FlashAttention. 2022. arXiv:2205.14135; backward,
 * appendix B.2, recomputes weights from log-sum-exp.  A tile holds scores as
 * [keys, queries], one query a lane, so no maximum or sum crosses lanes.  An
 * output row depends only on its query and on key tiles and splits at fixed
 * indices, so neither threads nor batch nor (for finite values) chunks can
 * change a bit.  In backward (tiled_backward.c) one task owns all heads that
 * share one head of k and v, so every sum has one owner and one order.
 */
#include "tiled.h"
#include "../core/pool.h"
#include "content.h"
#include "content_maps.h"
#include "factors.h"
#include "load.h"
#include "mask.h"
#include "part.h"
#include "scores.h"
#include "softmax.h"
#include "tiled_work.h"
#include <string.h>

struct forward_job {
    struct lct_softmax_results to;
    int64_t tiles;  /* tiles of queries per task */
    int64_t groups; /* tasks per head */
};

/* Add one tile of keys to the output of tile n of queries. */
static void forward_keys(struct lct_tiled_work *w, int n,
                         const struct lct_loaded *l)
{
    const struct lct_plan *p = w->p;
    struct lct_tile *t = &w->t[n];
    struct lct_scratch *s = w->s[n];

    if (!w->sees[n])
        lct_softmax_begin_split(p, t, s);
    w->sees[n] = true;
    lct_scores_of_tile(p, t, s, l, NULL);
    lct_softmax_update(p, t, s);
    if (p->request->after != NULL)
        lct_factors_multiply(p, t, s, LCT_AFTER, s->s);
    p->arithmetic->values(p, t, s, l);
    if (p->request->content != NULL)
        lct_content_values(p, t, s);
}

/* Add the keys of the split that begins with tile k, of 'tiles'. */
static void forward_split(struct lct_tiled_work *w, int64_t k, int64_t tiles)
{
    const struct lct_plan *p = w->p;
    int64_t end = tiles - k < LCT_SPLIT_TILES ? tiles : k + LCT_SPLIT_TILES;

    memset(w->sees, 0, sizeof(w->sees));
    for (; k < end; k++) {
        struct lct_loaded l = { .keys = NULL };

        for (int n = 0; n < w->tiles; n++) {
            if (!lct_mask_classify(p, &w->t[n], k, w->s[n]))
                continue;
            if (l.keys == NULL)
                l = p->arithmetic->load_keys(p, &w->t[n], w->s[n]);
            forward_keys(w, n, &l);
        }
    }
    for (int n = 0; n < w->tiles; n++)
        if (w->sees[n])
            lct_softmax_merge(p, &w->t[n], w->s[n]);
}

/* With maps: all keys, from the newest to the oldest. */
static void forward_path(struct lct_tiled_work *w)
{
    const struct lct_plan *p = w->p;
    struct lct_tile *t = &w->t[0];
    struct lct_scratch *s = w->s[0];
    int64_t k = lct_content_maps_open(p, t, s), oldest = lct_tiled_oldest(w, k);

    while (k-- > oldest) {
        lct_content_maps_meet(p, t, s, k);
        if (lct_mask_classify(p, t, k, s)) {
            struct lct_loaded l = p->arithmetic->load_keys(p, t, s);

            forward_keys(w, 0, &l);
        }
        if (k > oldest)
            lct_content_maps_pass(p, t, s, k);
        if (w->sees[0] && (k == oldest || k % LCT_SPLIT_TILES == 0)) {
            lct_softmax_merge(p, t, s);
            w->sees[0] = false;
        }
    }
}

static void begin_tile(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s)
{
    if (p->request->part != NULL)
        lct_part_load_out(p, t, s);
    else
        lct_softmax_begin(s);
}

static void store_results(const struct lct_softmax_results *to,
                          const struct lct_tile *t, struct lct_scratch *s)
{
    if (to->p->request->part != NULL)
        lct_part_store_out(to->p, t, s);
    if (lct_plan_carries_on(to->p))
        return;
    for (int64_t i = 0; i < t->rows; i++)
        lct_softmax_finish(to, (int64_t[3]){ t->b, t->h, t->i + i },
                           s->total + i * to->p->padded_v, s->total_max[i],
                           s->total_sum[i]);
    lct_load_rotate_outputs(to->p, s->total, (int64_t[3]){ t->b, t->h, t->i },
                            t->rows, -1);
    lct_load_rows_back(to->p, to->out, s->total, to->p->padded_v,
                       (int64_t[3]){ t->b, t->h, t->i }, t->rows);
}

/* Some tiles of queries of one head, against all keys they may see. */
static void forward_task(void *context, size_t task, int slot)
{
    const struct forward_job *job = context;
    const struct lct_plan *p = job->to.p;
    int64_t head = (int64_t)task / job->groups;
    /* Start with the last tiles: with a causal mask they take longest. */
    int64_t group = job->groups - 1 - (int64_t)task % job->groups;
    struct lct_tiled_work w = lct_tiled_load(
        p, head / p->H, head % p->H, group * job->tiles, job->tiles, slot);
    int64_t tiles = w.tiles == 0 ? 0 : lct_plan_end_tile(p, head / p->H);

    for (int n = 0; n < w.tiles; n++)
        begin_tile(p, &w.t[n], w.s[n]);
    if (lct_content_maps_are_used(p))
        forward_path(&w);
    else
        for (int64_t k = lct_plan_first_tile(p); k < tiles;
             k += LCT_SPLIT_TILES)
            forward_split(&w, k, tiles);
    for (int n = 0; n < w.tiles; n++)
        store_results(&job->to, &w.t[n], w.s[n]);
}

/* A task takes several tiles unless there are too few tasks for the threads. */
void lct_tiled_forward(const struct lct_plan *p, const locant_tensor *out,
                       const locant_tensor *lse)
{
    struct forward_job job = { .to = { p, out, lse },
                               .tiles = p->tiles_per_task };
    double tiles = (double)p->B * (double)p->H * (double)p->q_tiles;

    while (job.tiles > 1 && tiles < 4.0 * p->slots * (double)job.tiles)
        job.tiles /= 2;
    job.groups = (p->q_tiles + job.tiles - 1) / job.tiles;
    lct_parallel_for((size_t)(p->B * p->H * job.groups), p->slots, forward_task,
                     &job);
}
