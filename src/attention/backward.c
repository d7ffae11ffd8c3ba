/*
 * backward.c - gradients of tiled attention, recomputing p from log-sum-exp.
 *
 * Dao, Fu, Ermon, Rudra, Re: FlashAttention. 2022. arXiv:2205.14135, appendix
 * B.2.  One task owns all heads that share one head of k and v, so every sum
 * has one owner and one order.
 */
#include "../core/pool.h"
#include "../encodings/near_far.h"
#include "gradient_rows.h"
#include "bf16.h"
#include "rows.h"
#include <math.h>
#include <string.h>

/* dout of the tile as rows and as columns. */
static void load_dout(const struct lct_backward_job *job,
                      const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;

    if (t->rows < (int64_t)t->lanes)
        memset(s->dout_cols, 0, (size_t)p->D * t->lanes * sizeof(float));
    lct_load_rows(p, s->dout, job->dout, (int64_t[3]){ t->b, t->h, t->i },
                  t->rows);
    p->kernels->transpose(s->dout_cols, t->lanes, s->dout, (size_t)p->padded,
                          (size_t)t->rows, (size_t)p->D);
}

/* <x, y> of n channels, a multiple of LCT_PAD. */
static float dot(const float *x, const float *y, int64_t n)
{
    enum { CHAINS = 8 };
    double sum[CHAINS] = { 0 };

    for (int64_t i = 0; i < n; i += CHAINS)
        for (int l = 0; l < CHAINS; l++)
            sum[l] += (double)x[i + l] * (double)y[i + l];
    for (int half = CHAINS / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            sum[l] += sum[l + half];
    return (float)sum[0];
}

/*
 * Log-sum-exp of the tile and delta, <dout, out> of a query: the sum of p * dp.
 * A lane each.
 */
static void load_sums(const struct lct_backward_job *job,
                      const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    const int64_t at[3] = { t->b, t->h, t->i };
    const float *dout = s->dout;
    float *lse = s->rows + 3 * LCT_TILE, *delta = s->rows + 4 * LCT_TILE;
    const char *from = lct_at(job->lse, at, 3);
    const int64_t step = job->lse->stride[2] * (int64_t)sizeof(float);

    lct_load_rows(p, s->out, job->out, at, t->rows);
    if (p->by_pairs) {
        lct_load_rows(p, s->product, job->dout, at, t->rows);
        dout = s->product;
    }
    for (int64_t i = 0; i < (int64_t)t->lanes; i++, from += step) {
        lse[i] = INFINITY; /* no query, or one that sees no key: p = 0 */
        delta[i] = 0;
        if (i >= t->rows)
            continue;
        delta[i] = dot(s->out + i * p->padded, dout + i * p->padded,
                       p->padded);
        lse[i] = *(const float *)from;
        if (lse[i] == -INFINITY)
            lse[i] = INFINITY;
    }
}

/*
 * Where the gradients of a tile of keys are summed, and what is added there:
 * 'wide' columns of rows of scratch 'width' apart.
 */
struct key_rows {
    float *to;
    size_t row;
    int64_t width, wide;
};

/* In the scratch, if they are stored at the end; else in the caller's rows. */
static struct key_rows rows_at(struct key_rows x, const locant_tensor *d,
                               float *gather, const struct lct_tile *t,
                               const struct lct_problem *p)
{
    if (gather != NULL) {
        x.to = gather + t->j * x.width;
        x.row = (size_t)x.width;
    } else {
        x.to = lct_row(d, t->b, t->h / (p->H / p->Hkv), t->j);
        x.row = (size_t)d->stride[2];
    }
    return x;
}

static struct key_rows dk_rows(const struct lct_backward_job *job,
                               const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;

    return rows_at((struct key_rows){ .width = p->padded_q, .wide = p->wide_q },
                   job->g->dk, p->gathers_dk ? s->dk : NULL, t, p);
}

static struct key_rows dv_rows(const struct lct_backward_job *job,
                               const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;

    return rows_at((struct key_rows){ .width = p->padded, .wide = p->wide },
                   job->g->dv, p->gathers_dv ? s->dv : NULL, t, p);
}

/* to[key tile] += coefficients^T rows, for dv (p, dout) and dk (ds, q). */
static void add_to_keys(const struct lct_problem *p, const struct lct_tile *t,
                        struct key_rows d, const float *coefficients,
                        const float *rows)
{
    lct_steps_keys(p, t, &(struct lct_product){
        .c = d.to, .c_row = d.row, .a = coefficients, .a_row = t->lanes,
        .a_col = 1, .b = rows, .b_row = (size_t)d.width, .m = (size_t)t->keys,
        .n = (size_t)d.wide, .k = (size_t)t->rows, .add = true });
}

static struct lct_content_gradients
terms_job(const struct lct_backward_job *job, const struct lct_tile *t,
          struct lct_scratch *s, const float *keys, size_t key_row)
{
    struct lct_content_gradients terms = { .learns = job->learns, .keys = keys,
                                   .chunk_row = t->b - job->from,
                                   .key_row = key_row };
    struct key_rows dk = { .to = NULL };

    if (job->dk && keys != NULL)
        dk = dk_rows(job, t, s);
    terms.dk = dk.to;
    terms.dk_row = dk.row;
    return terms;
}

/* ds = ds * slope of the cap */
static void multiply_slope(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s)
{
    if (p->softcap != 0)
        for (int64_t n = 0; n < t->keys * (int64_t)t->lanes; n++)
            s->ds[n] *= s->slope[n];
}

/*
 * One tile of keys: forward was s = cap(scale q k + b), p = softmax(s),
 * o = p v.
 */
static void backward_keys(const struct lct_backward_job *job,
                          const struct lct_tile *t, struct lct_scratch *s,
                          const struct lct_loaded *loaded)
{
    const struct lct_problem *p = job->p;
    struct lct_product dq = { .c = s->out, .c_row = (size_t)p->padded_q,
                              .a = s->ds, .a_row = 1, .a_col = t->lanes,
                              .b = loaded->keys, .b_row = loaded->key_row,
                              .m = (size_t)t->rows, .n = (size_t)p->wide_q,
                              .k = (size_t)t->keys, .add = true };
    struct lct_content_gradients terms = terms_job(job, t, s, dq.b, dq.b_row);

    lct_scores_of_tile(p, t, s, dq.b, dq.b_row, s->slope);
    lct_softmax_recompute_probs(p, t, s);
    if (job->g->dv != NULL)
        add_to_keys(p, t, dv_rows(job, t, s), s->s, s->dout);
    /* dp = v dout^T;  ds = p (dp - delta) */
    lct_steps_scores(p, t, &(struct lct_product){
        .c = s->ds, .c_row = t->lanes, .a = loaded->values,
        .a_row = loaded->value_row, .a_col = 1, .b = s->dout_cols,
        .b_row = t->lanes, .m = (size_t)t->keys, .n = t->lanes,
        .k = (size_t)p->D });
    if (p->by_terms)
        lct_content_values_backward(p, t, s, &terms);
    lct_softmax_backward(p, t, s);
    multiply_slope(p, t, s);
    if (p->by_terms)
        lct_content_scores_backward(p, t, s, &terms);
    if (job->bias)
        lct_bias_backward(p, t, s, t->b - job->from);
    if (t->sight != LCT_NEAR)
        lct_content_far_backward(p, t, s, dq.b);
    if (t->sight == LCT_FAR)
        return;
    /* dq = scale ds k (scale at the end);  dk = ds^T (scale q) */
    if (job->dq)
        lct_steps_queries(p, t, &dq);
    if (job->dk)
        add_to_keys(p, t, dk_rows(job, t, s), s->ds, s->q);
}

/* The same by dot products of bfloat16. */
static void backward_pairs(const struct lct_backward_job *job,
                           const struct lct_tile *t, struct lct_scratch *s,
                           const struct lct_bf16_loaded *loaded)
{
    const struct lct_problem *p = job->p;

    lct_bf16_weights(p, t, s, loaded, job->g->dv != NULL ? dv_rows(job, t, s).to
                     : NULL);
    multiply_slope(p, t, s);
    if (job->bias)
        lct_bias_backward(p, t, s, t->b - job->from);
    if (job->dq)
        lct_bf16_dq(p, t, s);
    if (job->dk)
        lct_bf16_dk(p, t, s, dk_rows(job, t, s).to);
}

static void open_tile(const struct lct_backward_job *job,
                      const struct lct_tile *t, struct lct_scratch *s)
{
    if (job->p->by_pairs) {
        lct_bf16_open(job->p, t, s, job->dout);
    } else {
        lct_load_queries(job->p, t, s);
        load_dout(job, t, s);
    }
    load_sums(job, t, s);
    memset(s->out, 0,
           (size_t)(t->rows * job->p->padded_q) * sizeof(*s->out));
}

static void close_tile(const struct lct_backward_job *job,
                       const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;

    if (p->by_terms) {
        struct lct_content_gradients terms = terms_job(job, t, s, NULL, 0);

        lct_content_close(p, t, s, &terms);
    }
    if (job->dq && (job->g->dq != NULL || p->turns))
        lct_store_dq(job, t, s);
}

/* The tiles of queries from 'first' on that are taken abreast. */
static void backward_tiles(const struct lct_backward_job *job, int64_t b,
                           int64_t h, int64_t first, int slot)
{
    const struct lct_problem *p = job->p;
    struct lct_tile t[LCT_TILES_PER_TASK];
    int tiles = 0;

    for (; tiles < p->abreast && first + tiles < p->q_tiles; tiles++) {
        t[tiles] = lct_query_tile(p, b, h, first + tiles);
        open_tile(job, &t[tiles], lct_scratch_of(p, slot, tiles));
    }
    for (int64_t k = 0; k < p->k_tiles; k++) {
        struct lct_loaded loaded = { .keys = NULL };
        struct lct_bf16_loaded pairs = { .keys.at = NULL };

        for (int n = 0; n < tiles; n++) {
            struct lct_scratch *s = lct_scratch_of(p, slot, n);

            if (!lct_mask_classify(p, &t[n], k, s))
                continue;
            if (p->by_pairs) {
                if (pairs.keys.at == NULL)
                    pairs = lct_bf16_load_both(p, &t[n], s);
                backward_pairs(job, &t[n], s, &pairs);
                continue;
            }
            if (loaded.keys == NULL)
                loaded = lct_load_tile(p, &t[n], s);
            backward_keys(job, &t[n], s, &loaded);
        }
    }
    for (int n = 0; n < tiles; n++)
        close_tile(job, &t[n], lct_scratch_of(p, slot, n));
}

static void backward_group(void *context, size_t task, int slot)
{
    const struct lct_backward_job *job = context;
    const struct lct_problem *p = job->p;
    int64_t b = job->from + (int64_t)task / p->Hkv;
    int64_t head = (int64_t)task % p->Hkv, group = p->H / p->Hkv;
    struct lct_scratch *s = lct_scratch_of(p, slot, 0);

    lct_clear_keys(job, b, head, s);
    if (p->by_terms)
        lct_content_begin_keys(p, s);
    for (int64_t h = head * group; h < (head + 1) * group; h++)
        for (int64_t first = 0; first < p->q_tiles && !lct_stopping();
             first += p->abreast)
            backward_tiles(job, b, h, first, slot);
    if (p->by_terms && job->dk)
        lct_content_end_keys(p, b, head, s, job->g->dk);
    lct_store_keys(job, b, head, s);
}

static void run(struct lct_backward_job *job)
{
    struct lct_problem *p = job->p;
    size_t each = (size_t)(p->H * p->range);

    if (job->learns) {
        memset(p->dtotal, 0, each * sizeof(double));
        memset(p->dparam, 0, p->params * sizeof(double));
    }
    for (job->from = 0; job->from < p->B; job->from += p->chunk) {
        int64_t left = p->B - job->from;
        int64_t rows = left < p->chunk ? left : p->chunk;

        if (job->learns) {
            memset(p->dtable, 0, (size_t)rows * each * sizeof(double));
            memset(p->dparam + p->params, 0,
                   (size_t)(rows * p->Hkv) * p->task_params * sizeof(double));
        }
        if (p->by_terms && job->learns)
            lct_content_clear(p, job->from, rows);
        lct_parallel_for((size_t)(rows * p->Hkv), p->slots, backward_group,
                         job);
        if (p->by_terms)
            lct_content_fold(p, job->a, job->g->dx, job->learns, job->from,
                             rows);
        if (job->learns)
            lct_bias_fold(p, rows);
    }
}

static void run_tiled(struct lct_problem *p, const locant_attention *a,
                      const locant_attention_gradients *g,
                      const locant_tensor *dout, const locant_tensor *out,
                      const locant_tensor *lse)
{
    struct lct_backward_job job = { .p = p, .a = a, .g = g, .dout = dout,
                                .out = out, .lse = lse };

    job.learns = p->params > 0 && g->dparams != NULL;
    job.bias = job.learns && lct_bias_learns(p);
    job.dq = g->dq != NULL ||
             (job.learns && (lct_rotation_learns(p) || p->by_terms));
    job.dk = g->dk != NULL ||
             (job.learns && lct_rotation_learns(p) && !p->keys_turned);
    lct_clear_dx(g->dx);
    run(&job);
    lct_sinks_backward(p, g, dout, out, lse);
    if (job.learns && p->by_terms)
        lct_content_deliver(p);
    if (job.learns)
        lct_bias_deliver(p, g->dparams, a);
}

locant_status
locant_attention_backward(const locant_attention_gradients *gradients,
                          const locant_tensor *dout, const locant_tensor *out,
                          const locant_tensor *lse, const locant_attention *a,
                          void *workspace, size_t bytes)
{
    static const char fn[] = "locant_attention_backward";
    struct lct_problem p;
    locant_status status;

    if (workspace == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: workspace is NULL", fn);
    LCT_TRY(lct_problem_plan(&p, fn, a, false, workspace, bytes));
    status = lct_outputs_check_gradients(&p, a, gradients, dout, out, lse,
                                         1u << p.q.dtype);
    if (status == LOCANT_OK) {
        lct_problem_fill(&p, a, workspace);
        lct_watch();
    }
    if (status == LOCANT_OK && p.by_rows)
        lct_rows_backward(&p, a, gradients, dout, out, lse);
    else if (status == LOCANT_OK)
        run_tiled(&p, a, gradients, dout, out, lse);
    lct_problem_done(&p);
    if (lct_watched())
        return locant_fail(LOCANT_ERR_INTERRUPTED, "%s: stopped by the poll; "
                           "gradients are not complete", fn);
    return status;
}
