/*
 * forward.c - tiled attention: a running softmax over tiles of keys.
 *
 * Milakov, Gimelshein: Online normalizer calculation for softmax. 2018.
 * arXiv:1805.02867, algorithm 3, applied to tiles.  A tile holds scores as
 * [keys, queries], one query a lane, so that maxima and sums run down the lanes
 * and never across.  Each output row depends on its own query and on key tiles
 * at fixed indices alone: threads, batch and (for finite values) chunks cannot
 * change a bit.
 */
#include "../core/pool.h"
#include "rows.h"
#include "tile.h"
#include <math.h>
#include <string.h>

struct forward_job {
    const struct lct_problem *p;
    const locant_tensor *out, *lse;
};

static void finish(const struct forward_job *job, const struct lct_tile *t,
                   const struct lct_scratch *s)
{
    const float *top = s->rows, *sum = s->rows + LCT_TILE;
    int64_t D = job->p->D;

    for (int64_t i = 0; i < t->rows; i++) {
        int64_t index[3] = { t->b, t->h, t->i + i };
        float *out = lct_row(job->out, t->b, t->h, t->i + i);
        const float *from = s->out + i * job->p->padded;
        bool seen = sum[i] != 0; /* NaN counts */

        for (int64_t d = 0; d < D; d++)
            out[d] = seen ? from[d] / sum[i] : 0;
        *(float *)lct_at(job->lse, index, 3) =
            seen ? (float)(top[i] + log(sum[i])) : -INFINITY;
    }
}

/* s->out = s->out * shrink + p v */
static void accumulate(const struct lct_problem *p, const struct lct_tile *t,
                       struct lct_scratch *s)
{
    const float *shrink = s->rows + 2 * LCT_TILE;
    struct lct_product x = { .c = s->out, .c_row = (size_t)p->padded,
                             .a = s->s, .a_row = 1, .a_col = t->lanes,
                             .m = (size_t)t->rows, .n = (size_t)p->padded,
                             .k = (size_t)t->keys, .add = true };

    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t d = 0; shrink[i] != 1 && d < p->padded; d++)
            s->out[i * p->padded + d] *= shrink[i];
    x.b = lct_load_values(p, t, s, &x.b_row);
    lct_multiply(p->kernels, &x, t->partial);
}

/* One tile of queries of one head, against all keys it may see. */
static void forward_tile(void *context, size_t task, int slot)
{
    const struct forward_job *job = context;
    const struct lct_problem *p = job->p;
    struct lct_scratch *s = &p->scratch[slot];
    struct lct_tile t = { .i = (int64_t)task % p->q_tiles * LCT_TILE };

    task /= (size_t)p->q_tiles;
    t.h = (int64_t)task % p->H;
    t.b = (int64_t)task / p->H;
    t.rows = p->T - t.i < LCT_TILE ? p->T - t.i : LCT_TILE;
    t.lanes = ((size_t)t.rows + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
    lct_load_queries(p, &t, s);
    memset(s->out, 0, (size_t)(t.rows * p->padded) * sizeof(*s->out));
    for (int i = 0; i < LCT_TILE; i++) {
        s->rows[i] = -INFINITY;
        s->rows[LCT_TILE + i] = 0;
    }
    for (int64_t n = 0; n < p->k_tiles; n++) {
        const float *keys;
        size_t row;

        if (!lct_next_keys(p, &t, n, s))
            continue;
        keys = lct_load_keys(p, &t, s, &row);
        lct_scores(p, &t, s, keys, row);
        p->kernels->softmax_step(s->s, (size_t)t.keys, t.lanes, s->rows,
                                 s->rows + LCT_TILE, s->rows + 2 * LCT_TILE);
        accumulate(p, &t, s);
    }
    finish(job, &t, s);
}

static void run(struct lct_problem *p, locant_tensor *out, locant_tensor *lse,
                const locant_attention *a, void *workspace)
{
    struct forward_job job = { p, out, lse };

    lct_problem_fill(p, a, workspace);
    if (p->by_rows)
        lct_rows_forward(p, a, out, lse);
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
