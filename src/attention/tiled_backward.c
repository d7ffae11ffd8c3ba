/* tiled_backward.c - gradients of attention by tiles: see tiled.c */
#include "tiled.h"
#include "../core/pool.h"
#include "backward.h"
#include "bias.h"
#include "bias_table.h"
#include "content.h"
#include "content_far.h"
#include "content_gates.h"
#include "content_maps_backward.h"
#include "content_tables.h"
#include "dense_gradient.h"
#include "dense_heads.h"
#include "factors.h"
#include "mask.h"
#include "outputs.h"
#include "pair_gates.h"
#include "pairs.h"
#include "param_gradients.h"
#include "part.h"
#include "real.h"
#include "rotation.h"
#include "row_factor.h"
#include "scores.h"
#include "sinks.h"
#include "softmax.h"
#include "stick.h"
#include "token_angles.h"
#include "tiled_work.h"

/* forward: the scores were capped, with derivatives 'slope' */
static void cap_backward(const struct lct_plan *p, const struct lct_tile *t,
                         struct lct_scratch *s)
{
    int64_t n = t->keys * (int64_t)t->lanes;

    if (p->request->softcap == 0)
        return;
    for (int64_t i = 0; i < n; i++)
        s->ds[i] *= s->slope[i];
}

/* Where content adds its gradients. */
static struct lct_content_gradients
content_gradients(const struct lct_backward *job, const struct lct_tile *t,
                  struct lct_scratch *s, const struct lct_loaded *l)
{
    return (struct lct_content_gradients){ .learns = job->learns,
                                           .chunk_row = t->b - job->from,
                                           .keys = l->keys,
                                           .key_row = l->key_row,
                                           .dk = lct_backward_dk(job, t, s) };
}

/* Add s->ds, gradients of capped scores, to those of all they depend on. */
static void scores_backward(const struct lct_backward *job,
                            const struct lct_tile *t, struct lct_scratch *s,
                            const struct lct_loaded *l)
{
    const struct lct_plan *p = job->p;
    struct lct_product_rows dk = lct_backward_dk(job, t, s);

    cap_backward(p, t, s);
    if (p->request->content != NULL) {
        struct lct_content_gradients c = content_gradients(job, t, s, l);

        lct_content_scores_backward(p, t, s, &c);
    }
    if (job->needs_dbias ||
        (p->request->score != NULL && lct_real_is_wanted(p)))
        lct_bias_backward(p, t, s, t->b - job->from, job->needs_dbias);
    if (lct_pairs_are_used(p))
        lct_pairs_scores_backward(p, t, s, t->b - job->from, job->learns);
    if (p->request->gain != NULL)
        lct_factors_gain_backward(p, t, s, t->b - job->from, job->learns);
    if (lct_content_maps_are_used(p)) {
        lct_content_maps_backward_scores(p, t, s, l, dk);
        return;
    }
    if (t->nearness != LCT_NEAR)
        lct_content_far_backward(p, t, s, l->keys);
    if (t->nearness != LCT_FAR)
        p->arithmetic->scores_backward(p, t, s, l, job->needs_dq, dk);
}

/* forward: s = cap(scale q k + bias) + B, p = softmax(s), out = p v */
static void backward_keys(const struct lct_backward *job, struct lct_tile *t,
                          struct lct_scratch *s, const struct lct_loaded *l)
{
    const struct lct_plan *p = job->p;
    int64_t chunk_row = t->b - job->from;

    lct_scores_of_tile(p, t, s, l, s->slope);
    lct_softmax_recompute_probs(p, t, s);
    if (p->request->after != NULL)
        lct_factors_after(p, t, s);
    p->arithmetic->values_backward(p, t, s, l, lct_backward_dv(job, t, s));
    if (p->request->content != NULL) {
        struct lct_content_gradients c = content_gradients(job, t, s, l);

        lct_content_values_backward(p, t, s, &c);
    }
    if (p->request->after != NULL)
        lct_factors_after_backward(p, t, s, chunk_row, job->learns);
    lct_softmax_backward(p, t, s);
    if (job->g->dbias != NULL)
        lct_dense_gradient_add(job, t, s);
    scores_backward(job, t, s, l);
}

/* Finish a tile of queries after its last keys. */
static void backward_end(const struct lct_backward *job,
                         const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;

    if (p->request->part != NULL)
        lct_part_store_dq(p, t, s);
    if (lct_plan_carries_on(p))
        return;
    if (p->request->content != NULL)
        lct_content_close(
            p, t, s,
            &(struct lct_content_gradients){ .learns = job->learns,
                                             .chunk_row = t->b - job->from });
    lct_pair_gates_end_queries(job, t, s);
    if (p->request->row != NULL && job->learns)
        lct_row_factor_backward_tile(job, t, s);
    if (job->needs_dq && (job->g->dq != NULL || p->request->general_map))
        lct_backward_store_queries(job, t, s);
}

/* Tiles of queries against all tiles of keys. */
static void backward_all_keys(const struct lct_backward *job,
                              struct lct_tiled_work *w)
{
    const struct lct_plan *p = job->p;

    for (int64_t k = lct_plan_first_tile(p); k < lct_plan_end_tile(p, 0); k++) {
        struct lct_loaded l = { .keys = NULL };

        for (int n = 0; n < w->tiles; n++) {
            if (!lct_mask_classify(p, &w->t[n], k, w->s[n])) {
                lct_dense_gradient_skip(job, &w->t[n], k, w->s[n]);
                continue;
            }
            if (l.keys == NULL)
                l = p->arithmetic->load_keys(p, &w->t[n], w->s[n]);
            backward_keys(job, &w->t[n], w->s[n], &l);
        }
    }
}

/* With maps: walk from the newest keys to the oldest, and back. */
static void backward_path(const struct lct_backward *job,
                          struct lct_tiled_work *w)
{
    const struct lct_plan *p = job->p;
    struct lct_tile *t = &w->t[0];
    struct lct_scratch *s = w->s[0];
    int64_t tiles = lct_content_maps_open(p, t, s);
    int64_t oldest = lct_tiled_oldest(w, tiles);

    lct_content_maps_backward_walk(p, t, s, oldest, tiles);
    for (int64_t k = 0; k < p->k_tiles; k++) {
        bool met = k >= oldest && k < tiles;

        if (met)
            lct_content_maps_backward_return(p, t, s, k, k == oldest);
        if (met && lct_mask_classify(p, t, k, s)) {
            struct lct_loaded l = p->arithmetic->load_keys(p, t, s);

            backward_keys(job, t, s, &l);
        } else {
            lct_dense_gradient_skip(job, t, k, s);
        }
        if (met)
            lct_content_maps_backward_leave(job, t, s, k);
    }
}

/* Up to tiles_per_task tiles of queries of head b, h, from tile 'first' on. */
static void backward_tiles(const struct lct_backward *job, int64_t b, int64_t h,
                           int64_t first, int slot)
{
    const struct lct_plan *p = job->p;
    const int64_t left = job->end_tile - first;
    const int64_t most = left < p->tiles_per_task ? left : p->tiles_per_task;
    struct lct_tiled_work w = lct_tiled_load(p, b, h, first, most, slot);

    for (int n = 0; n < w.tiles; n++)
        lct_backward_load_queries(job, &w.t[n], w.s[n]);
    if (p->request->stick != NULL)
        for (int n = 0; n < w.tiles; n++)
            lct_stick_backward(job, &w.t[n], w.s[n], scores_backward);
    else if (lct_content_maps_are_used(p))
        backward_path(job, &w);
    else
        backward_all_keys(job, &w);
    for (int n = 0; n < w.tiles; n++)
        backward_end(job, &w.t[n], w.s[n]);
}

/* All queries that use one head of keys. */
static void backward_task(void *context, size_t task, int slot)
{
    const struct lct_backward *job = context;
    const struct lct_plan *p = job->p;
    int64_t b = job->from + (int64_t)task / p->Hkv;
    int64_t head = (int64_t)task % p->Hkv, group = p->H / p->Hkv;
    struct lct_scratch *s = lct_scratch_of(p, slot, 0);

    lct_backward_clear_keys(job, b, head, s);
    lct_content_far_clear_keys(p, s);
    if (lct_content_maps_are_used(p)) /* as many heads of keys as of queries */
        lct_content_maps_backward_begin_head(job, b, head, s);
    for (int64_t h = head * group; h < (head + 1) * group; h++)
        for (int64_t first = job->first_tile;
             first < job->end_tile && !lct_pool_cancelled();
             first += p->tiles_per_task)
            backward_tiles(job, b, h, first, slot);
    lct_pair_gates_end_keys(job, b, head, s);
    if (lct_content_maps_are_used(p))
        lct_content_maps_backward_end_head(job, b, head, s);
    if (job->needs_dk)
        lct_content_far_add_keys(p, b, head, s, job->g->dk);
    lct_backward_store_keys(job, b, head, s);
}

/* Backward of 'rows' batch rows from job->from on. */
static void backward_chunk(struct lct_backward *job, int64_t rows)
{
    const struct lct_plan *p = job->p;
    bool content = p->request->content != NULL;

    if (job->learns)
        lct_param_gradients_clear_chunk(p, rows);
    if (job->learns && content)
        lct_content_tables_clear_chunk(p, job->from, rows);
    lct_parallel_for((size_t)(rows * p->Hkv), p->slots, backward_task, job);
    if (content)
        lct_content_tables_sum_chunk(p, job->g->dx, job->learns, job->from,
                                     rows);
    if (job->learns)
        lct_param_gradients_sum_chunk(p, rows);
}

/* Gradients of rotated queries are needed for those of what they depend on,
 * and always carried over parts of the keys. */
static bool needs_dq(const struct lct_backward *job)
{
    const struct lct_request *r = job->p->request;

    if (r->part != NULL || job->g->dq != NULL || job->needs_angles)
        return true;
    return job->learns && (lct_rotation_learns(job->p) || r->content != NULL ||
                           r->row != NULL);
}

/* Which gradients are wanted, or needed for those that are. */
static void find_needs(struct lct_backward *job)
{
    const struct lct_plan *p = job->p;
    const struct lct_request *r = p->request;
    const locant_attention_gradients *g = job->g;

    job->learns = p->params > 0 && g->dparams != NULL;
    job->needs_angles =
        r->token_angles != NULL && (job->learns || g->dx != NULL);
    job->needs_dbias = job->learns && lct_bias_learns(p);
    job->needs_dq = needs_dq(job);
    job->needs_dk = g->dk != NULL || job->needs_angles ||
                    (job->learns && lct_rotation_learns(p) && !r->rotated_keys);
    job->needs_dv = r->values_of_keys ? job->needs_dk : g->dv != NULL;
}

void lct_tiled_backward(const struct lct_plan *p,
                        const struct lct_gradient_pass *pass)
{
    const locant_attention_gradients *g = pass->g;
    struct lct_backward job = { .p = p,
                                .g = g,
                                .dout = pass->dout,
                                .out = pass->out,
                                .lse = pass->lse,
                                .first_tile = pass->first / LCT_TILE,
                                .end_tile = lct_sizes_tiles(pass->last) };
    bool content = p->request->content != NULL;

    find_needs(&job);
    lct_outputs_clear_dx(g->dx);
    if (job.learns)
        lct_param_gradients_clear(p);
    if (content)
        lct_content_gates_begin_backward(p);
    lct_token_angles_begin_backward(p);
    lct_pair_gates_begin_backward(p);
    for (; job.from < p->B; job.from += p->chunk) {
        int64_t left = p->B - job.from;

        backward_chunk(&job, left < p->chunk ? left : p->chunk);
    }
    lct_dense_heads_backward(&job);
    if (p->request->token_numbers != NULL && (job.learns || g->dx != NULL))
        lct_token_angles_end_backward(p, g->dx);
    if (!lct_plan_carries_on(p))
        lct_sinks_backward(p, pass);
    if (!job.learns)
        return;
    if (content)
        lct_content_tables_accumulate(p);
    lct_bias_table_accumulate(p);
    lct_factors_accumulate(p);
}
