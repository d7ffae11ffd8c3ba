/*
 * forward.c - tiled attention: a running softmax over tiles of keys.
 *
 * Milakov, Gimelshein: Online normalizer calculation for softmax. 2018.
 * arXiv:1805.02867, algorithm 3, applied to tiles.  A tile holds scores as
 * [keys, queries], one query a lane, so that maxima and sums run down the lanes
 * and never across.  Each output row depends on its own query and on key tiles
 * and segments at fixed indices alone: threads, batch and (for finite values)
 * chunks cannot change a bit.
 */
#include "../core/pool.h"
#include "pairs.h"
#include "rows.h"
#include "tile.h"
#include <math.h>
#include <string.h>

void lct_store_result(const struct lct_results *r, const int64_t at[3],
                      float *from, float top, float sum)
{
    size_t D = (size_t)r->p->D;
    bool seen = sum != 0; /* NaN counts */

    for (size_t d = 0; d < D; d++)
        from[d] = seen ? from[d] / sum : 0;
    lct_row_from_f32(lct_at(r->out, at, 3), r->out->dtype, from, D);
    *(float *)lct_at(r->lse, at, 3) = seen ? (float)(top + log(sum))
                                           : -INFINITY;
}

/* s->out = s->out * shrink + p v */
static void accumulate(const struct lct_problem *p, const struct lct_tile *t,
                       struct lct_scratch *s)
{
    struct lct_product x = { .c = s->out, .c_row = (size_t)p->padded,
                             .a = s->s, .a_row = 1, .a_col = t->lanes,
                             .m = (size_t)t->rows, .n = (size_t)p->padded,
                             .k = (size_t)t->keys, .add = true,
                             .shrink = s->rows + 2 * LCT_TILE };

    if (p->by_pairs) {
        for (int64_t i = 0; i < t->rows; i++)
            for (int64_t d = 0; d < p->padded; d++)
                s->out[i * p->padded + d] *= x.shrink[i];
        lct_pairs_values(p, t, s);
        return;
    }
    x.b = lct_load_values(p, t, s, &x.b_row);
    lct_multiply(p->kernels, &x, t->partial);
    if (p->by_terms)
        lct_terms_values(p, t, s);
}

static void begin_segment(const struct lct_problem *p, const struct lct_tile *t,
                          struct lct_scratch *s)
{
    memset(s->out, 0, (size_t)(t->rows * p->padded) * sizeof(*s->out));
    for (int i = 0; i < LCT_TILE; i++) {
        s->rows[i] = -INFINITY;
        s->rows[LCT_TILE + i] = 0;
    }
}

/* Keys of the segment that begins with tile n; false: none of them is seen. */
static bool forward_segment(const struct lct_problem *p, struct lct_tile *t,
                            int64_t n, struct lct_scratch *s)
{
    int64_t end = p->k_tiles - n < LCT_SEGMENT ? p->k_tiles : n + LCT_SEGMENT;
    bool any = false;

    for (; n < end; n++) {
        const float *keys;
        size_t row;

        if (!lct_next_keys(p, t, n, s))
            continue;
        if (!any)
            begin_segment(p, t, s);
        any = true;
        lct_ask_for_tile(p, t, n + 1);
        if (p->by_pairs) {
            lct_pairs_scores(p, t, s);
        } else {
            keys = lct_load_keys(p, t, s, &row);
            lct_scores(p, t, s, keys, row);
        }
        p->kernels->softmax_step(s->s, (size_t)t->keys, t->lanes, s->rows,
                                 s->rows + LCT_TILE, s->rows + 2 * LCT_TILE);
        accumulate(p, t, s);
    }
    return any;
}

/* Join what the segment gave to what those before it gave. */
static void end_segment(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s)
{
    for (int64_t i = 0; i < t->rows; i++)
        p->kernels->softmax_merge(
            s->total + i * p->padded, s->totals + i, s->totals + LCT_TILE + i,
            s->out + i * p->padded, s->rows[i], s->rows[LCT_TILE + i],
            (size_t)p->padded);
}

/* One tile of queries of one head, against all keys it may see. */
static void forward_tile(void *context, size_t task, int slot)
{
    const struct lct_results *job = context;
    const struct lct_problem *p = job->p;
    struct lct_scratch *s = &p->scratch[slot];
    size_t tiles = (size_t)p->q_tiles;
    /* The last tiles first: under a causal mask they have most to do. */
    struct lct_tile t = { .i = (int64_t)(tiles - 1 - task % tiles) * LCT_TILE };

    t.h = (int64_t)(task / tiles) % p->H;
    t.b = (int64_t)(task / tiles) / p->H;
    t.rows = p->T - t.i < LCT_TILE ? p->T - t.i : LCT_TILE;
    t.lanes = ((size_t)t.rows + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
    if (p->by_pairs)
        lct_pairs_queries(p, &t, s);
    else
        lct_load_queries(p, &t, s);
    memset(s->totals, 0, 2 * LCT_TILE * sizeof(*s->totals));
    for (int64_t n = 0; n < p->k_tiles; n += LCT_SEGMENT)
        if (forward_segment(p, &t, n, s))
            end_segment(p, &t, s);
    for (int64_t i = 0; i < t.rows; i++)
        lct_store_result(job, (int64_t[3]){ t.b, t.h, t.i + i },
                         s->total + i * p->padded, s->totals[i],
                         s->totals[LCT_TILE + i]);
}

static void run(struct lct_problem *p, locant_tensor *out, locant_tensor *lse,
                const locant_attention *a, void *workspace)
{
    struct lct_results job = { p, out, lse };

    lct_problem_fill(p, a, workspace);
    if (p->by_rows)
        lct_rows_forward(p, a, out, lse);
    else if (p->few)
        lct_few_forward(p, out, lse);
    else
        lct_parallel_for((size_t)(p->B * p->H * p->q_tiles), p->slots,
                         forward_tile, &job);
}

locant_status locant_attention_forward(locant_tensor *out, locant_tensor *lse,
                                       const locant_attention *a,
                                       void *workspace, size_t bytes)
{
    static const char fn[] = "locant_attention_forward";
    struct lct_problem p;
    locant_status status;

    if (workspace == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: workspace is NULL", fn);
    LCT_TRY(lct_problem_plan(&p, fn, a, false, workspace, bytes));
    status = lct_check_results(&p, a, out, lse, 1u << p.q.dtype);
    if (status == LOCANT_OK)
        run(&p, out, lse, a, workspace);
    lct_problem_done(&p);
    return status;
}
