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
#include "bf16.h"
#include "rows.h"
#include "tile.h"
#include <math.h>
#include <string.h>

/* log(e^a + e^b) */
static double add_logs(double a, double b)
{
    double top = a > b ? a : b;

    return top + log1p(exp((a > b ? b : a) - top));
}

void lct_softmax_finish(const struct lct_results *r, const int64_t at[3],
                        float *from, float top, float sum)
{
    size_t D = (size_t)r->p->D;
    bool seen = sum != 0; /* NaN counts */
    double sink = lct_sinks_logit(r->p, at[1]);
    double lse = seen ? top + log(sum) : -INFINITY;

    if (sink != -INFINITY) {
        sum += expf((float)sink - top); /* infinite: o is 0 */
        lse = add_logs(lse, sink);
    }
    for (size_t d = 0; d < D; d++)
        from[d] = seen ? from[d] / sum : 0;
    *(float *)lct_at(r->lse, at, 3) = (float)lse;
}

struct forward_job {
    struct lct_results to;
    int64_t abreast; /* tiles of queries of a task */
    int64_t groups;  /* tasks of a head */
};

/* What one task works at: some tiles of queries against the same keys. */
struct forward_work {
    const struct lct_problem *p;
    int tiles;
    struct lct_tile t[LCT_TILES_PER_TASK];
    struct lct_scratch *s[LCT_TILES_PER_TASK];
    bool any[LCT_TILES_PER_TASK]; /* did a query see a key of the segment? */
    struct lct_loaded loaded;
    struct lct_bf16_loaded pairs; /* where p->by_pairs */
};

/* s->out = s->out * shrink + p v */
static void accumulate(struct forward_work *w, int n)
{
    const struct lct_problem *p = w->p;
    const struct lct_tile *t = &w->t[n];
    struct lct_scratch *s = w->s[n];
    struct lct_product x = { .c = s->out, .c_row = (size_t)p->padded,
                             .a = s->s, .a_row = 1, .a_col = t->lanes,
                             .m = (size_t)t->rows, .n = (size_t)p->wide,
                             .k = (size_t)t->keys, .add = true,
                             .b = w->loaded.values,
                             .b_row = w->loaded.value_row,
                             .shrink = s->rows + 2 * LCT_TILE };

    if (p->by_pairs) {
        lct_bf16_values(p, t, s);
        return;
    }
    lct_steps_queries(p, t, &x);
    if (p->by_terms)
        lct_content_values(p, t, s);
}

static void begin_segment(struct forward_work *w, int n)
{
    struct lct_scratch *s = w->s[n];

    memset(s->out, 0,
           (size_t)(w->t[n].rows * w->p->padded) * sizeof(*s->out));
    for (int i = 0; i < LCT_TILE; i++) {
        s->rows[i] = -INFINITY;
        s->rows[LCT_TILE + i] = 0;
    }
    w->any[n] = true;
}

/* Key tile k of those that tile n of the queries sees. */
static void forward_step(struct forward_work *w, int n)
{
    const struct lct_problem *p = w->p;
    struct lct_tile *t = &w->t[n];
    struct lct_scratch *s = w->s[n];

    if (!w->any[n])
        begin_segment(w, n);
    if (p->by_pairs) {
        if (w->pairs.keys.at == NULL)
            w->pairs = lct_bf16_load(p, t, s);
        lct_bf16_scores(p, t, s, &w->pairs, NULL);
    } else {
        if (w->loaded.keys == NULL)
            w->loaded = lct_load_tile(p, t, s);
        lct_scores_of_tile(p, t, s, w->loaded.keys, w->loaded.key_row, NULL);
    }
    lct_softmax_update(p, t, s);
    accumulate(w, n);
}

/* The keys of the segment that begins with tile k. */
static void forward_segment(struct forward_work *w, int64_t k)
{
    const struct lct_problem *p = w->p;
    int64_t end = p->k_tiles - k < LCT_SPLIT_TILES ? p->k_tiles : k +
        LCT_SPLIT_TILES;

    memset(w->any, 0, sizeof(w->any));
    for (; k < end; k++) {
        w->loaded.keys = NULL;
        w->pairs.keys.at = NULL;
        for (int n = 0; n < w->tiles; n++)
            if (lct_mask_classify(p, &w->t[n], k, w->s[n]))
                forward_step(w, n);
    }
}

/* Join what the segment gave to what those before it gave. */
static void end_segment(const struct lct_problem *p, const struct lct_tile *t,
                        const struct lct_scratch *s)
{
    for (int64_t i = 0; i < t->rows; i++)
        p->kernels->softmax_merge(
            s->total + i * p->padded, s->totals + i, s->totals + LCT_TILE + i,
            s->out + i * p->padded, s->rows[i], s->rows[LCT_TILE + i],
            (size_t)p->padded);
}

/* Tile n of the task's queries. */
static void open_tile(struct forward_work *w, int n)
{
    const struct lct_problem *p = w->p;
    struct lct_tile *t = &w->t[n];
    struct lct_scratch *s = w->s[n];

    if (p->by_pairs)
        lct_bf16_queries(p, t, s);
    else
        lct_load_queries(p, t, s);
    memset(s->totals, 0, 2 * LCT_TILE * sizeof(*s->totals));
}

static void close_tile(const struct lct_results *to,
                       const struct forward_work *w, int n)
{
    const struct lct_tile *t = &w->t[n];
    const struct lct_scratch *s = w->s[n];

    for (int64_t i = 0; i < t->rows; i++)
        lct_softmax_finish(to, (int64_t[3]){ t->b, t->h, t->i + i },
                       s->total + i * w->p->padded, s->totals[i],
                       s->totals[LCT_TILE + i]);
    lct_store_rows(w->p, to->out, s->total, (int64_t[3]){ t->b, t->h, t->i },
                   t->rows);
}

/* Some tiles of queries of one head, against all keys they may see. */
static void forward_tiles(void *context, size_t task, int slot)
{
    const struct forward_job *job = context;
    const struct lct_problem *p = job->to.p;
    int64_t head = (int64_t)task / job->groups;
    /* The last tiles first: under a causal mask they have most to do. */
    int64_t first = job->abreast *
                    (job->groups - 1 - (int64_t)task % job->groups);
    struct forward_work w = { .p = p };

    for (; w.tiles < job->abreast && first + w.tiles < p->q_tiles; w.tiles++) {
        w.t[w.tiles] = lct_query_tile(p, head / p->H, head % p->H,
                                      first + w.tiles);
        w.s[w.tiles] = lct_scratch_of(p, slot, w.tiles);
        open_tile(&w, w.tiles);
    }
    for (int64_t k = 0; k < p->k_tiles; k += LCT_SPLIT_TILES) {
        forward_segment(&w, k);
        for (int n = 0; n < w.tiles; n++)
            if (w.any[n])
                end_segment(p, &w.t[n], w.s[n]);
    }
    for (int n = 0; n < w.tiles; n++)
        close_tile(&job->to, &w, n);
}

/* Tiles abreast, unless too few tasks would be left for the threads. */
static void run_tiled(struct lct_problem *p, locant_tensor *out,
                      locant_tensor *lse)
{
    struct forward_job job = { .to = { p, out, lse }, .abreast = p->abreast };
    double tiles = (double)p->B * (double)p->H * (double)p->q_tiles;

    while (job.abreast > 1 && tiles < 4.0 * p->slots * (double)job.abreast)
        job.abreast /= 2;
    job.groups = (p->q_tiles + job.abreast - 1) / job.abreast;
    lct_parallel_for((size_t)(p->B * p->H * job.groups), p->slots,
                     forward_tiles, &job);
}

static void run(struct lct_problem *p, locant_tensor *out, locant_tensor *lse,
                const locant_attention *a, void *workspace)
{
    p->turns_late = p->few && p->turns_keys && !p->by_rows;
    lct_problem_fill(p, a, workspace);
    lct_watch();
    if (p->by_rows)
        lct_rows_forward(p, a, out, lse);
    else if (p->few)
        lct_decode_forward(p, out, lse);
    else
        run_tiled(p, out, lse);
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
    status = lct_outputs_check(&p, a, out, lse, 1u << p.q.dtype);
    if (status == LOCANT_OK)
        run(&p, out, lse, a, workspace);
    lct_problem_done(&p);
    if (lct_watched())
        return locant_fail(LOCANT_ERR_INTERRUPTED, "%s: stopped by the poll; "
                           "out and lse are not complete", fn);
    return status;
}
