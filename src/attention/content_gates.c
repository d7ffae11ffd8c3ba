/* content_gates.c - forget gates (FoX): biases from gates of tokens */
#include "content_gates.h"
#include "../core/pool.h"
#include "../encodings/content.h"
#include "../kernel/row.h"
#include "key_order.h"
#include "param_gradients.h"
#include <math.h>
#include <string.h>

struct gate_job {
    const struct lct_plan *p;
    const locant_tensor *dx;
    int64_t from, rows; /* batch rows, in backward */
};

void lct_content_gates_layout(struct lct_content_products *c,
                              const struct lct_plan *p, struct lct_arena *arena)
{
    int64_t heads = p->B * p->H;

    c->order = lct_arena_ints(arena, p->position_rows, p->S);
    c->last = lct_arena_ints(arena, p->position_rows, p->T);
    c->gate = lct_arena_doubles(arena, heads, p->S);
    c->k_sum = lct_arena_doubles(arena, heads, p->S);
    c->q_sum = lct_arena_doubles(arena, heads, p->T);
    c->dk_sum = lct_arena_doubles(arena, heads, p->S);
    c->dq_sum = lct_arena_doubles(arena, heads, p->T);
}

/* -------------------------------------------------------------------- sums */

/* ln f of a block of keys, for all heads. */
static void fill_gates(void *context, size_t task, int slot)
{
    const struct gate_job *job = context;
    const struct lct_plan *p = job->p;
    const struct lct_content_products *c = p->content;
    const double *weight = p->tables->content->param[c->products.gate_weight];
    const double *bias = p->tables->content->param[c->products.gate_bias];
    double *x = c->scratch[slot].row;
    int64_t b = (int64_t)task / p->k_tiles;
    int64_t from = (int64_t)task % p->k_tiles * LCT_TILE;
    int64_t end = from + lct_sizes_in_tile(p->S, from);

    for (int64_t j = from; j < end; j++) {
        lct_row_to_f64(x, lct_at(p->request->a->x, (int64_t[2]){ b, j }, 2),
                       p->request->a->x->dtype, (size_t)p->W);
        for (int64_t h = 0; h < p->H; h++)
            c->gate[(b * p->H + h) * p->S + j] =
                lct_log_sigmoid(lct_dot(weight + h * p->W, x, p->W) + bias[h]);
    }
}

/* C of one head's keys, and C_last(i) of its queries (content_gates.h). */
static void sum_gates(void *context, size_t task, int slot)
{
    const struct lct_plan *p = ((const struct gate_job *)context)->p;
    const struct lct_content_products *c = p->content;
    int64_t row = lct_plan_row(p, (int64_t)task / p->H), doc = 0;
    const int64_t *order = c->order + row * p->S;
    const double *gate = c->gate + (int64_t)task * p->S;
    double *k_sum = c->k_sum + (int64_t)task * p->S, sum = 0;
    double *q_sum = c->q_sum + (int64_t)task * p->T;

    (void)slot;
    for (int64_t n = 0; n < p->S; n++) {
        int64_t j = order[n], before = doc;

        doc = lct_key_order_doc(p, row, j);
        sum = doc == before ? sum + gate[j] : gate[j];
        k_sum[j] = sum;
    }
    for (int64_t i = 0; i < p->T; i++) {
        int64_t last = c->last[row * p->T + i];

        q_sum[i] = last < 0 ? 0 : k_sum[last];
    }
}

void lct_content_gates_fill(const struct lct_plan *p)
{
    struct lct_content_products *c = p->content;
    struct gate_job job = { .p = p };

    lct_key_order_fill(c->order, c->last, p);
    memset(c->dk_sum, 0, (size_t)(p->B * p->H * p->S) * sizeof(double));
    memset(c->dq_sum, 0, (size_t)(p->B * p->H * p->T) * sizeof(double));
    lct_parallel_for((size_t)(p->B * p->k_tiles), p->slots, fill_gates, &job);
    lct_parallel_for((size_t)(p->B * p->H), p->slots, sum_gates, &job);
}

/* ---------------------------------------------------------------- one tile */

void lct_content_gates_scores(const struct lct_plan *p,
                              const struct lct_tile *t, struct lct_scratch *s)
{
    int64_t head = t->b * p->H + t->h;
    const double *q = p->content->q_sum + head * p->T + t->i;
    const double *k = p->content->k_sum + head * p->S + t->j;

    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t i = 0; i < t->rows; i++)
            s->s[j * (int64_t)t->lanes + i] += (float)(q[i] - k[j]);
}

/* forward: s += q_sum - k_sum */
void lct_content_gates_scores_backward(const struct lct_plan *p,
                                       const struct lct_tile *t,
                                       const struct lct_scratch *s)
{
    int64_t head = t->b * p->H + t->h;
    double *dq = p->content->dq_sum + head * p->T + t->i;
    double *dk = p->content->dk_sum + head * p->S + t->j;

    for (int64_t j = 0; j < t->keys; j++) {
        const float *ds = s->ds + j * (int64_t)t->lanes;
        double sum = 0;

        for (int64_t i = 0; i < t->rows; i++) {
            dq[i] += (double)ds[i];
            sum += (double)ds[i];
        }
        dk[j] -= sum;
    }
}

/* ---------------------------------------------------------------- gradient */

/*
 * forward: C_t = sum of ln f up to t (content_gates.h), so dln f_t = sum of dC
 * from t to the end of its document.  ln f = ln sigmoid(z), so
 * dz = (1 - f) dln f; dz overwrites dk_sum.
 */
static void sums_backward(void *context, size_t task, int slot)
{
    const struct gate_job *job = context;
    const struct lct_plan *p = job->p;
    const struct lct_content_products *c = p->content;
    int64_t head = job->from * p->H + (int64_t)task, doc = 0;
    int64_t row = lct_plan_row(p, head / p->H);
    const int64_t *order = c->order + row * p->S;
    const double *gate = c->gate + head * p->S;
    double *dk = c->dk_sum + head * p->S, sum = 0;

    (void)slot;
    for (int64_t i = 0; i < p->T; i++)
        if (c->last[row * p->T + i] >= 0)
            dk[c->last[row * p->T + i]] += c->dq_sum[head * p->T + i];
    for (int64_t n = p->S; n-- > 0;) {
        int64_t j = order[n], after = doc;

        doc = lct_key_order_doc(p, row, j);
        sum = doc == after ? sum + dk[j] : dk[j];
        dk[j] = sum == 0 ? 0 : -expm1(gate[j]) * sum;
    }
}

/*
 * forward: z = weight x + bias: dweight = dz x, dbias = dz.  One head, batch
 * rows in order.
 */
static void weights_backward(void *context, size_t task, int slot)
{
    const struct gate_job *job = context;
    const struct lct_plan *p = job->p;
    const struct lct_products *products = &p->content->products;
    double *x = p->content->scratch[slot].row, *dparam[LCT_MAX_PARAMS];
    int64_t h = (int64_t)task;

    lct_param_gradients_of(dparam, p, p->tables->content, p->gradients->params);
    for (int64_t n = 0; n < job->rows * p->S; n++) {
        int64_t at[2] = { job->from + n / p->S, n % p->S };
        double dz = p->content->dk_sum[(at[0] * p->H + h) * p->S + at[1]];

        if (dz == 0) /* padding, whose x may be NaN */
            continue;
        lct_row_to_f64(x, lct_at(p->request->a->x, at, 2),
                       p->request->a->x->dtype, (size_t)p->W);
        lct_accumulate(dparam[products->gate_weight] + h * p->W, dz, x, p->W);
        dparam[products->gate_bias][h] += dz;
    }
}

/* dx += dz weight, summed over the heads of one token */
static void input_backward(void *context, size_t task, int slot)
{
    const struct gate_job *job = context;
    const struct lct_plan *p = job->p;
    const double *weight =
        p->tables->content->param[p->content->products.gate_weight];
    double *dx = p->content->scratch[slot].row;
    int64_t b = job->from + (int64_t)task / p->S, j = (int64_t)task % p->S;
    bool any = false;

    memset(dx, 0, (size_t)p->W * sizeof(*dx));
    for (int64_t h = 0; h < p->H; h++) {
        double dz = p->content->dk_sum[(b * p->H + h) * p->S + j];

        any |= dz != 0;
        if (dz != 0)
            lct_accumulate(dx, dz, weight + h * p->W, p->W);
    }
    if (any)
        lct_row_from_f64(lct_at(job->dx, (int64_t[2]){ b, j }, 2),
                         job->dx->dtype, dx, (size_t)p->W);
}

void lct_content_gates_sum_chunk(const struct lct_plan *p,
                                 const locant_tensor *dx, bool learns,
                                 int64_t b, int64_t rows)
{
    struct gate_job job = { .p = p, .dx = dx, .from = b, .rows = rows };

    lct_parallel_for((size_t)(rows * p->H), p->slots, sums_backward, &job);
    if (learns)
        lct_parallel_for((size_t)p->H, p->slots, weights_backward, &job);
    if (dx != NULL)
        lct_parallel_for((size_t)(rows * p->S), p->slots, input_backward, &job);
}
