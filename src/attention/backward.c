/*
 * backward.c - gradients of tiled attention, recomputing p from log-sum-exp.
 *
 * Dao, Fu, Ermon, Rudra, Re: FlashAttention. 2022. arXiv:2205.14135, appendix
 * B.2.  One task owns all heads that share one head of k and v, so every sum
 * has one owner and one order.
 */
#include "../core/pool.h"
#include "../encodings/rotate.h"
#include "rows.h"
#include "tile.h"
#include <math.h>
#include <string.h>

struct backward_job {
    struct lct_problem *p;
    const locant_attention_gradients *g;
    const locant_tensor *dout, *out, *lse;
    bool learns;    /* gradients of parameters are wanted: of any part, */
    bool bias;      /* and of the score door */
    bool dq, dk;    /* gradients of q, k are needed */
    int64_t from;   /* first batch row of this chunk */
};

/* delta[b,h,i] = <dout, out>: the row sum of p * dp. */
static void row_deltas(void *context, size_t task, int slot)
{
    const struct backward_job *job = context;
    const struct lct_problem *p = job->p;
    int64_t b = (int64_t)task / p->H, h = (int64_t)task % p->H;

    (void)slot;
    for (int64_t i = 0; i < p->T; i++) {
        const float *o = lct_row(job->out, b, h, i);
        const float *d = lct_row(job->dout, b, h, i);
        double sum = 0;

        for (int64_t c = 0; c < p->D; c++)
            sum += (double)o[c] * (double)d[c];
        p->delta[(int64_t)task * p->T + i] = (float)sum;
    }
}

/* dout of the tile as rows and as columns; log-sum-exp and delta per lane. */
static void load_outputs(const struct backward_job *job,
                         const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    float *lse = s->rows + 3 * LCT_TILE, *delta = s->rows + 4 * LCT_TILE;
    int64_t lanes = (int64_t)t->lanes;

    memset(s->dout_cols, 0, (size_t)(p->D * lanes) * sizeof(float));
    for (int64_t i = 0; i < lanes; i++) {
        int64_t index[3] = { t->b, t->h, t->i + i };
        float *row = s->dout + i * p->padded;

        lse[i] = INFINITY; /* no query, or one that sees no key: p = 0 */
        delta[i] = 0;
        if (i >= t->rows)
            continue;
        memset(row, 0, (size_t)p->padded * sizeof(*row));
        memcpy(row, lct_row(job->dout, t->b, t->h, t->i + i),
               (size_t)p->D * sizeof(*row));
        for (int64_t d = 0; d < p->D; d++)
            s->dout_cols[d * lanes + i] = row[d];
        delta[i] = p->delta[(t->b * p->H + t->h) * p->T + t->i + i];
        lse[i] = *(const float *)lct_at(job->lse, index, 3);
        if (lse[i] == -INFINITY)
            lse[i] = INFINITY;
    }
}

/* Where the gradients of some keys go: rows of 'width' channels. */
struct key_rows {
    float *to;
    size_t row;
    int64_t width, padded;
};

static struct key_rows rows_of(const locant_tensor *d, const struct lct_tile *t,
                               const struct lct_problem *p)
{
    int64_t head = t->h / (p->H / p->Hkv);

    return (struct key_rows){ lct_row(d, t->b, head, t->j),
                              (size_t)d->stride[2], p->D, p->padded };
}

/* to[key tile] += coefficients^T rows, for dv (p, dout) and dk (ds, q). */
static void add_to_keys(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s, struct key_rows d,
                        const float *coefficients, const float *rows)
{
    struct lct_product x = { .c = d.to, .c_row = d.row,
                             .a = coefficients, .a_row = t->lanes, .a_col = 1,
                             .b = rows, .b_row = (size_t)d.padded,
                             .m = (size_t)t->keys, .n = (size_t)d.padded,
                             .k = (size_t)t->rows, .add = true };

    if (d.padded == d.width) {
        lct_multiply(p->kernels, &x, t->partial);
        return;
    }
    x.c = s->product;
    x.c_row = (size_t)d.padded;
    x.add = false;
    lct_multiply(p->kernels, &x, t->partial);
    for (int64_t j = 0; j < t->keys; j++) {
        float *to = d.to + j * (int64_t)d.row;

        for (int64_t c = 0; c < d.width; c++)
            to[c] += s->product[j * d.padded + c];
    }
}

/* Mapped keys gather theirs in the scratch first. */
static struct key_rows dk_rows(const struct backward_job *job,
                               const struct lct_tile *t, struct lct_scratch *s)
{
    int64_t wide = job->p->padded_q;

    if (job->p->turns)
        return (struct key_rows){ s->dk + t->j * wide, (size_t)wide, wide,
                                  wide };
    return rows_of(job->g->dk, t, job->p);
}

/* One tile of keys: forward was s = scale q k + b, p = softmax(s), o = p v. */
static void backward_keys(const struct backward_job *job,
                          const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    struct lct_product dq = { .c = s->out, .c_row = (size_t)p->padded_q,
                              .a = s->ds, .a_row = 1, .a_col = t->lanes,
                              .m = (size_t)t->rows, .n = (size_t)p->padded_q,
                              .k = (size_t)t->keys, .add = true };
    const float *values;
    size_t value_row;

    dq.b = lct_load_keys(p, t, s, &dq.b_row);
    lct_scores(p, t, s, dq.b, dq.b_row);
    p->kernels->softmax_again(s->s, (size_t)t->keys, t->lanes,
                              s->rows + 3 * LCT_TILE);
    if (job->g->dv != NULL)
        add_to_keys(p, t, s, rows_of(job->g->dv, t, p), s->s, s->dout);
    /* dp = v dout^T;  ds = p (dp - delta) */
    values = lct_load_values(p, t, s, &value_row);
    p->kernels->matmul(&(struct lct_product){
        .c = s->ds, .c_row = t->lanes, .a = values, .a_row = value_row,
        .a_col = 1, .b = s->dout_cols, .b_row = t->lanes,
        .m = (size_t)t->keys, .n = t->lanes, .k = (size_t)p->D });
    p->kernels->softmax_gradient(s->ds, s->s, (size_t)t->keys, t->lanes,
                                 s->rows + 4 * LCT_TILE);
    if (job->bias)
        lct_bias_gradient(p, t, s, t->b - job->from);
    /* dq = scale ds k (scale at the end);  dk = ds^T (scale q) */
    if (job->dq)
        lct_multiply(p->kernels, &dq, t->partial);
    if (job->dk)
        add_to_keys(p, t, s, dk_rows(job, t, s), s->ds, s->q);
}

/* Back through a general map: dx of token i from the gradient of its row. */
static void turn_row_back(const struct backward_job *job,
                          struct lct_scratch *s, float *to, const float *from,
                          enum lct_role role, const int64_t at[3])
{
    const struct lct_problem *p = job->p;
    int64_t head = role == LCT_KEY ? at[1] : at[1] / (p->H / p->Hkv);
    double *x = s->wide, *dy = x + p->D, *dx = dy + p->Dq;

    lct_row_to_f64(x, lct_row(role == LCT_KEY ? &p->k : &p->q, at[0], at[1],
                              at[2]), LOCANT_F32, (size_t)p->D);
    lct_row_to_f64(dy, from, LOCANT_F32, (size_t)p->Dq);
    lct_turn_row_back(dx, lct_task_dparam(p, at[0] - job->from, head), p, dy,
                      x, role, at);
    if (to != NULL)
        lct_row_from_f64(to, LOCANT_F32, dx, (size_t)p->D);
}

/* Scale, turn back and store dq of one tile. */
static void store_dq(const struct backward_job *job, const struct lct_tile *t,
                     struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    int64_t table = lct_position_row(p, t->b) * p->T;

    for (int64_t i = 0; i < t->rows; i++) {
        float *row = s->out + i * p->padded_q, scale = lct_query_scale(p, t, i);
        int64_t at[3] = { t->b, t->h, t->i + i };
        float *to = job->g->dq ? lct_row(job->g->dq, at[0], at[1], at[2])
                               : NULL;

        for (int64_t d = 0; d < p->Dq; d++)
            row[d] *= scale;
        if (p->turns) {
            turn_row_back(job, s, to, row, LCT_QUERY, at);
            continue;
        }
        if (p->schedule != NULL)
            lct_rotate_row(row, p->schedule, p->kernels,
                           p->q_cos + (table + at[2]) * p->schedule->pairs,
                           p->q_sin + (table + at[2]) * p->schedule->pairs,
                           -1.0f);
        memcpy(to, row, (size_t)p->D * sizeof(*row));
    }
}

static void backward_head(const struct backward_job *job, int64_t b, int64_t h,
                          struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    struct lct_tile t = { .b = b, .h = h };

    for (; t.i < p->T; t.i += LCT_TILE) {
        t.rows = p->T - t.i < LCT_TILE ? p->T - t.i : LCT_TILE;
        t.lanes = ((size_t)t.rows + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
        lct_load_queries(p, &t, s);
        load_outputs(job, &t, s);
        memset(s->out, 0, (size_t)(t.rows * p->padded_q) * sizeof(*s->out));
        for (int64_t n = 0; n < p->k_tiles; n++)
            if (lct_next_keys(p, &t, n, s))
                backward_keys(job, &t, s);
        if (job->dq)
            store_dq(job, &t, s);
    }
}

/* Rows of d (dk or dv) of one head: set to 0, or turned back. */
static void clear_rows(const struct lct_problem *p, const locant_tensor *d,
                       int64_t b, int64_t head)
{
    for (int64_t j = 0; d != NULL && j < p->S; j++)
        memset(lct_row(d, b, head, j), 0, (size_t)p->D * sizeof(float));
}

static void turn_keys_back(const struct backward_job *job, int64_t b,
                           int64_t head, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    const locant_tensor *dk = job->g->dk;
    int64_t table = lct_position_row(p, b) * p->S;

    for (int64_t j = 0; j < p->S; j++) {
        float *row = dk != NULL ? lct_row(dk, b, head, j) : NULL;
        int64_t at[3] = { b, head, j };

        if (p->turns)
            turn_row_back(job, s, row, s->dk + j * p->padded_q, LCT_KEY, at);
        else
            lct_rotate_row(row, p->schedule, p->kernels,
                           p->k_cos + (table + j) * p->schedule->pairs,
                           p->k_sin + (table + j) * p->schedule->pairs, -1.0f);
    }
}

static void backward_group(void *context, size_t task, int slot)
{
    const struct backward_job *job = context;
    const struct lct_problem *p = job->p;
    int64_t b = job->from + (int64_t)task / p->Hkv;
    int64_t head = (int64_t)task % p->Hkv, group = p->H / p->Hkv;
    struct lct_scratch *s = &p->scratch[slot];

    clear_rows(p, job->g->dk, b, head);
    clear_rows(p, job->g->dv, b, head);
    if (p->turns && job->dk)
        memset(s->dk, 0, (size_t)(p->S * p->padded_q) * sizeof(*s->dk));
    for (int64_t h = head * group; h < (head + 1) * group; h++)
        backward_head(job, b, h, s);
    if (job->dk && (p->turns || p->schedule != NULL))
        turn_keys_back(job, b, head, s);
}

static void run(struct backward_job *job)
{
    struct lct_problem *p = job->p;
    size_t each = (size_t)(p->H * p->range);

    locant_parallel_for((size_t)(p->B * p->H), row_deltas, job);
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
                   (size_t)(rows * p->Hkv) * p->params * sizeof(double));
        }
        lct_parallel_for((size_t)(rows * p->Hkv), p->slots, backward_group,
                         job);
        if (job->learns)
            lct_bias_fold(p, job->from, rows);
    }
}

static void run_tiled(struct lct_problem *p, const locant_attention *a,
                      const locant_attention_gradients *g,
                      const locant_tensor *dout, const locant_tensor *out,
                      const locant_tensor *lse)
{
    struct backward_job job = { .p = p, .g = g, .dout = dout, .out = out,
                                .lse = lse };

    job.learns = p->params > 0 && g->dparams != NULL;
    job.bias = job.learns && lct_score_learns(p);
    job.dq = g->dq != NULL || (job.learns && lct_turn_learns(p));
    job.dk = g->dk != NULL || (job.learns && lct_turn_learns(p));
    lct_clear_dx(g->dx);
    run(&job);
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
    status = lct_check_gradients(&p, a, gradients, dout, out, lse,
                                 1u << p.q.dtype);
    if (status == LOCANT_OK)
        lct_problem_fill(&p, a, workspace);
    if (status == LOCANT_OK && p.by_rows)
        lct_rows_backward(&p, a, gradients, dout, out, lse);
    else if (status == LOCANT_OK)
        run_tiled(&p, a, gradients, dout, out, lse);
    lct_problem_done(&p);
    return status;
}
