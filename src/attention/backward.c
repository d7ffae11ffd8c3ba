/*
 * backward.c - gradients of tiled attention, recomputing p from log-sum-exp.
 *
 * Dao, Fu, Ermon, Rudra, Re: FlashAttention. 2022. arXiv:2205.14135, appendix
 * B.2.  One task owns all heads that share one head of k and v, so every sum
 * has one owner and one order.
 */
#include "../core/pool.h"
#include "../encodings/near_far.h"
#include "../encodings/rotate.h"
#include "rows.h"
#include "tile.h"
#include <math.h>
#include <string.h>

struct backward_job {
    struct lct_problem *p;
    const locant_attention *a;
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
    int64_t at[3] = { (int64_t)task / p->H, (int64_t)task % p->H, 0 };
    float *o = p->scratch[slot].product, *d = p->scratch[slot].dout;

    for (; at[2] < p->T; at[2]++) {
        double sum = 0;

        lct_row_to_f32(o, lct_at(job->out, at, 3), job->out->dtype,
                       (size_t)p->D);
        lct_row_to_f32(d, lct_at(job->dout, at, 3), job->dout->dtype,
                       (size_t)p->D);
        for (int64_t c = 0; c < p->D; c++)
            sum += (double)o[c] * (double)d[c];
        p->delta[(int64_t)task * p->T + at[2]] = (float)sum;
    }
}

/* dout of the tile as rows and as columns; log-sum-exp and delta per lane. */
static void load_outputs(const struct backward_job *job,
                         const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    float *lse = s->rows + 3 * LCT_TILE, *delta = s->rows + 4 * LCT_TILE;
    int64_t lanes = (int64_t)t->lanes;

    if (t->rows < lanes)
        memset(s->dout_cols, 0, (size_t)(p->D * lanes) * sizeof(float));
    for (int64_t i = 0; i < lanes; i++) {
        int64_t at[3] = { t->b, t->h, t->i + i };
        float *row = s->dout + i * p->padded;

        lse[i] = INFINITY; /* no query, or one that sees no key: p = 0 */
        delta[i] = 0;
        if (i >= t->rows)
            continue;
        lct_row_to_f32(row, lct_at(job->dout, at, 3), job->dout->dtype,
                       (size_t)p->D);
        memset(row + p->D, 0, (size_t)(p->padded - p->D) * sizeof(*row));
        delta[i] = p->delta[(t->b * p->H + t->h) * p->T + t->i + i];
        lse[i] = *(const float *)lct_at(job->lse, at, 3);
        if (lse[i] == -INFINITY)
            lse[i] = INFINITY;
    }
    p->kernels->transpose(s->dout_cols, t->lanes, s->dout, (size_t)p->padded,
                          (size_t)t->rows, (size_t)p->D);
}

/* Where the gradients of a tile of keys are summed: rows of 'width'. */
struct key_rows {
    float *to;
    size_t row;
    int64_t width;
};

/* In the scratch, if they are stored at the end; else in the caller's rows. */
static struct key_rows rows_of(const locant_tensor *d, float *gather,
                               int64_t width, const struct lct_tile *t,
                               const struct lct_problem *p)
{
    int64_t head = t->h / (p->H / p->Hkv);

    if (gather != NULL)
        return (struct key_rows){ gather + t->j * width, (size_t)width, width };
    return (struct key_rows){ lct_row(d, t->b, head, t->j),
                              (size_t)d->stride[2], width };
}

static struct key_rows dk_rows(const struct backward_job *job,
                               const struct lct_tile *t, struct lct_scratch *s)
{
    return rows_of(job->g->dk, job->p->gathers_dk ? s->dk : NULL,
                   job->p->padded_q, t, job->p);
}

static struct key_rows dv_rows(const struct backward_job *job,
                               const struct lct_tile *t, struct lct_scratch *s)
{
    return rows_of(job->g->dv, job->p->gathers_dv ? s->dv : NULL,
                   job->p->padded, t, job->p);
}

/* to[key tile] += coefficients^T rows, for dv (p, dout) and dk (ds, q). */
static void add_to_keys(const struct lct_problem *p, const struct lct_tile *t,
                        struct key_rows d, const float *coefficients,
                        const float *rows)
{
    lct_multiply(p->kernels,
                 &(struct lct_product){
                     .c = d.to, .c_row = d.row, .a = coefficients,
                     .a_row = t->lanes, .a_col = 1, .b = rows,
                     .b_row = (size_t)d.width, .m = (size_t)t->keys,
                     .n = (size_t)d.width, .k = (size_t)t->rows, .add = true },
                 t->partial);
}

static struct lct_terms_job terms_job(const struct backward_job *job,
                                      const struct lct_tile *t,
                                      struct lct_scratch *s, const float *keys,
                                      size_t key_row)
{
    struct lct_terms_job terms = { .learns = job->learns, .keys = keys,
                                   .chunk_row = t->b - job->from,
                                   .key_row = key_row };
    struct key_rows dk = { NULL, 0, 0 };

    if (job->dk && keys != NULL)
        dk = dk_rows(job, t, s);
    terms.dk = dk.to;
    terms.dk_row = dk.row;
    return terms;
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
    struct lct_terms_job terms;
    const float *values;
    size_t value_row;

    dq.b = lct_load_keys(p, t, s, &dq.b_row);
    terms = terms_job(job, t, s, dq.b, dq.b_row);
    lct_scores(p, t, s, dq.b, dq.b_row);
    p->kernels->softmax_again(s->s, (size_t)t->keys, t->lanes,
                              s->rows + 3 * LCT_TILE);
    if (job->g->dv != NULL)
        add_to_keys(p, t, dv_rows(job, t, s), s->s, s->dout);
    /* dp = v dout^T;  ds = p (dp - delta) */
    values = lct_load_values(p, t, s, &value_row);
    p->kernels->matmul(&(struct lct_product){
        .c = s->ds, .c_row = t->lanes, .a = values, .a_row = value_row,
        .a_col = 1, .b = s->dout_cols, .b_row = t->lanes,
        .m = (size_t)t->keys, .n = t->lanes, .k = (size_t)p->D });
    if (p->by_terms)
        lct_terms_values_backward(p, t, s, &terms);
    p->kernels->softmax_gradient(s->ds, s->s, (size_t)t->keys, t->lanes,
                                 s->rows + 4 * LCT_TILE);
    if (p->by_terms)
        lct_terms_scores_backward(p, t, s, &terms);
    if (job->bias)
        lct_bias_gradient(p, t, s, t->b - job->from);
    if (t->sight != LCT_NEAR)
        lct_far_backward(p, t, s, dq.b);
    if (t->sight == LCT_FAR)
        return;
    /* dq = scale ds k (scale at the end);  dk = ds^T (scale q) */
    if (job->dq)
        lct_multiply(p->kernels, &dq, t->partial);
    if (job->dk)
        add_to_keys(p, t, dk_rows(job, t, s), s->ds, s->q);
}

/*
 * Back through a general map: dx of token i, unless that is NULL, from the
 * gradient of its row.
 */
static void turn_row_back(const struct backward_job *job,
                          struct lct_scratch *s, const locant_tensor *dx,
                          const float *from, enum lct_role role,
                          const int64_t at[3])
{
    const struct lct_problem *p = job->p;
    const locant_tensor *raw = role == LCT_KEY ? &p->k : &p->q;
    int64_t head = role == LCT_KEY ? at[1] : at[1] / (p->H / p->Hkv);
    double *x = s->wide, *dy = x + p->D, *back = dy + p->Dq;

    lct_row_to_f64(x, lct_at(raw, at, 3), raw->dtype, (size_t)p->D);
    lct_row_to_f64(dy, from, LOCANT_F32, (size_t)p->Dq);
    lct_turn_row_back(back, lct_task_dparam(p, at[0] - job->from, head), p, dy,
                      x, role, at);
    if (dx != NULL)
        lct_row_from_f64(lct_at(dx, at, 3), dx->dtype, back, (size_t)p->D);
}

/* Scale, turn back and store dq of one tile. */
static void store_dq(const struct backward_job *job, const struct lct_tile *t,
                     struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    int64_t table = lct_position_row(p, t->b) * p->T;

    for (int64_t i = 0; i < t->rows; i++) {
        int64_t at[3] = { t->b, t->h, t->i + i };
        float *row = s->out + i * p->padded_q;
        float scale = lct_query_scale(p, t->b, at[2]);

        for (int64_t d = 0; d < p->Dq; d++)
            row[d] *= scale;
        if (p->turns) {
            turn_row_back(job, s, job->g->dq, row, LCT_QUERY, at);
            continue;
        }
        if (p->schedule != NULL)
            lct_rotate_row(row, p->schedule, p->kernels,
                           p->q_cos + (table + at[2]) * p->schedule->pairs,
                           p->q_sin + (table + at[2]) * p->schedule->pairs,
                           -1.0f);
        lct_row_from_f32(lct_at(job->g->dq, at, 3), job->g->dq->dtype, row,
                         (size_t)p->D);
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
            if (lct_next_keys(p, &t, n, s)) {
                lct_ask_for_tile(p, &t, n + 1);
                backward_keys(job, &t, s);
            }
        if (p->by_terms) {
            struct lct_terms_job terms = terms_job(job, &t, s, NULL, 0);

            lct_terms_close(p, &t, s, &terms);
        }
        if (job->dq && (job->g->dq != NULL || p->turns))
            store_dq(job, &t, s);
    }
}

/* Gradients of one head of keys or values: 0 where they are summed. */
static void clear_rows(const struct lct_problem *p, const locant_tensor *d,
                       float *gather, int64_t width, int64_t b, int64_t head)
{
    if (gather != NULL) {
        memset(gather, 0, (size_t)(p->S * width) * sizeof(*gather));
        return;
    }
    for (int64_t j = 0; d != NULL && j < p->S; j++)
        memset(lct_row(d, b, head, j), 0, (size_t)p->D * sizeof(float));
}

/* From the scratch, if that is where they are, turned back. */
static void store_dk(const struct backward_job *job, int64_t b, int64_t head,
                     struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    const locant_tensor *dk = job->g->dk;
    int64_t table = lct_position_row(p, b) * p->S;

    if (!p->gathers_dk && !p->turns_keys)
        return;
    for (int64_t j = 0; j < p->S; j++) {
        int64_t at[3] = { b, head, j };
        float *row = p->gathers_dk ? s->dk + j * p->padded_q
                                   : lct_row(dk, b, head, j);

        if (p->turns && !p->keys_turned) {
            turn_row_back(job, s, dk, row, LCT_KEY, at);
            continue;
        }
        if (p->turns_keys)
            lct_rotate_row(row, p->schedule, p->kernels,
                           p->k_cos + (table + j) * p->schedule->pairs,
                           p->k_sin + (table + j) * p->schedule->pairs, -1.0f);
        if (p->gathers_dk)
            lct_row_from_f32(lct_at(dk, at, 3), dk->dtype, row, (size_t)p->D);
    }
}

static void store_dv(const struct backward_job *job, int64_t b, int64_t head,
                     const struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    const locant_tensor *dv = job->g->dv;

    for (int64_t j = 0; p->gathers_dv && j < p->S; j++) {
        int64_t at[3] = { b, head, j };

        lct_row_from_f32(lct_at(dv, at, 3), dv->dtype, s->dv + j * p->padded,
                         (size_t)p->D);
    }
}

static void backward_group(void *context, size_t task, int slot)
{
    const struct backward_job *job = context;
    const struct lct_problem *p = job->p;
    int64_t b = job->from + (int64_t)task / p->Hkv;
    int64_t head = (int64_t)task % p->Hkv, group = p->H / p->Hkv;
    struct lct_scratch *s = &p->scratch[slot];

    if (job->dk)
        clear_rows(p, job->g->dk, p->gathers_dk ? s->dk : NULL, p->padded_q,
                   b, head);
    if (job->g->dv != NULL)
        clear_rows(p, job->g->dv, p->gathers_dv ? s->dv : NULL, p->padded, b,
                   head);
    if (p->by_terms)
        lct_terms_begin_keys(p, s);
    for (int64_t h = head * group; h < (head + 1) * group; h++)
        backward_head(job, b, h, s);
    if (p->by_terms && job->dk)
        lct_terms_end_keys(p, b, head, s, job->g->dk);
    if (job->dk)
        store_dk(job, b, head, s);
    if (job->g->dv != NULL)
        store_dv(job, b, head, s);
}

static void run(struct backward_job *job)
{
    struct lct_problem *p = job->p;
    size_t each = (size_t)(p->H * p->range);

    lct_parallel_for((size_t)(p->B * p->H), p->slots, row_deltas, job);
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
            lct_terms_clear(p, job->from, rows);
        lct_parallel_for((size_t)(rows * p->Hkv), p->slots, backward_group,
                         job);
        if (p->by_terms)
            lct_terms_fold(p, job->a, job->g->dx, job->learns, job->from,
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
    struct backward_job job = { .p = p, .a = a, .g = g, .dout = dout,
                                .out = out, .lse = lse };

    job.learns = p->params > 0 && g->dparams != NULL;
    job.bias = job.learns && lct_score_learns(p);
    job.dq = g->dq != NULL ||
             (job.learns && (lct_turn_learns(p) || p->by_terms));
    job.dk = g->dk != NULL ||
             (job.learns && lct_turn_learns(p) && !p->keys_turned);
    lct_clear_dx(g->dx);
    run(&job);
    if (job.learns && p->by_terms)
        lct_terms_deliver(p);
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
