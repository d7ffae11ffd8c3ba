/*
 * content_maps_inputs.c - gradients of directions and strengths: of parameters
 * and inputs.  Sums over tokens are in float32 within a block, then in double.
 */
#include "content_maps_inputs.h"
#include "../core/pool.h"
#include "../kernel/row.h"
#include "param_gradients.h"
#include "product.h"
#include <math.h>
#include <string.h>

struct job {
    const struct lct_plan *p;
    const locant_tensor *dx;
    int64_t from, rows; /* batch rows, in backward */
    bool learns;
};

/* Rows of dw and db of the chunk: token i of the block. */
static int64_t gradient_row(const struct lct_content_maps_block *t, int64_t h,
                            int64_t n)
{
    return (t->chunk_row * t->p->H + h) * t->m->rows +
           lct_content_maps_tokens_key(t, n);
}

/*
 * forward: w = v / |v|, v = a s, s = sigmoid(a): dv = (dw - w <w, dw>) / |v|,
 * da = dv s (1 + a (1 - s)).  dw becomes da.
 */
static void directions_backward(void *context, size_t task, int slot)
{
    const struct job *job = context;
    const struct lct_plan *p = job->p;
    int64_t head = (int64_t)task / p->k_tiles, h = head % p->H;
    struct lct_content_maps_block t = lct_content_maps_tokens_block(
        p, job->from + head / p->H, (int64_t)task % p->k_tiles * LCT_TILE,
        slot);

    t.chunk_row = head / p->H;
    lct_content_maps_tokens_gates(&t, h);
    for (int64_t i = 0; i < t.count; i++) {
        const float *a = t.own->a + i * p->padded;
        const float *s = t.own->gate + i * p->padded;
        const float *w =
            t.m->w + lct_content_maps_tokens_row(&t, h, i) * p->padded;
        float *dw = t.m->dw + gradient_row(&t, h, t.n + i) * p->padded;
        float *v = t.own->values, along, inverse;

        if (!lct_content_maps_tokens_is_passed(&t, t.n + i))
            continue; /* stays 0 */
        for (int64_t d = 0; d < p->padded; d++)
            v[d] = a[d] * s[d];
        inverse =
            1 / sqrtf(lct_content_maps_tokens_dot(v, v, p->padded) + 1e-6F);
        along = lct_content_maps_tokens_dot(w, dw, p->padded);
        for (int64_t d = 0; d < p->padded; d++)
            dw[d] = (dw[d] - along * w[d]) * inverse * s[d] *
                    (1 + a[d] * (1 - s[d]));
    }
}

/* du of the block, in own->gate: forward, a_t = sum of taps[m] u_{t-m} */
static void taps_backward(const struct lct_content_maps_block *t, int64_t h)
{
    const struct lct_plan *p = t->p;
    const float *taps = t->m->taps + h * t->params->kernel * p->padded;
    float *du = t->own->gate;

    memset(du, 0, (size_t)(t->count * p->padded) * sizeof(*du));
    for (int64_t i = 0; i < t->count; i++)
        for (int64_t m = 0; m < t->params->kernel; m++) {
            int64_t n = t->n + i + m;
            const float *da;

            if (n >= p->S || lct_content_maps_tokens_reach(t, n) <= m)
                break;
            da = t->m->dw + gradient_row(t, h, n) * p->padded;
            for (int64_t d = 0; d < p->padded; d++)
                du[i * p->padded + d] += taps[m * p->padded + d] * da[d];
        }
}

/* dconv: sums of da_t u_{t-m} over the block */
static void conv_backward(double *dconv, const struct lct_content_maps_block *t,
                          int64_t h)
{
    const struct lct_plan *p = t->p;
    int64_t kernel = t->params->kernel;
    const float *values = lct_content_maps_tokens_values(t, h);

    for (int64_t m = 0; m < kernel; m++) {
        float *sum = t->own->zeros;

        memset(sum, 0, (size_t)p->padded * sizeof(*sum));
        for (int64_t i = 0; i < t->count; i++) {
            const float *da =
                t->m->dw + gradient_row(t, h, t->n + i) * p->padded;

            if (lct_content_maps_tokens_reach(t, t->n + i) > m)
                for (int64_t d = 0; d < p->padded; d++)
                    sum[d] += da[d] * values[(i - m) * p->padded + d];
        }
        for (int64_t d = 0; d < p->D; d++)
            dconv[(h * p->D + d + 1) * kernel - 1 - m] += (double)sum[d];
    }
}

/* dup: sums of du_t (down x_t)^T over the block */
static void up_backward(double *dup, const struct lct_content_maps_block *t,
                        int64_t h)
{
    const struct lct_plan *p = t->p;
    int64_t rank = t->params->rank;
    float *sum = t->own->up_sums;
    struct lct_product x = lct_product_of(
        (struct lct_product_rows){ sum, (size_t)t->m->rank8 },
        lct_product_transposed(t->own->gate, (size_t)p->padded),
        lct_product_rows_of(t->m->low + (t->b * p->S + t->n) * t->m->inner,
                            (size_t)t->m->inner),
        p->D, (size_t)t->m->rank8, t->count);

    p->kernels->matmul(&x);
    for (int64_t d = 0; d < p->D; d++)
        for (int64_t r = 0; r < rank; r++)
            dup[(h * p->D + d) * rank + r] += (double)sum[d * t->m->rank8 + r];
}

/* One head, batch rows and tokens in order.  da becomes du. */
static void head_backward(void *context, size_t task, int slot)
{
    const struct job *job = context;
    const struct lct_plan *p = job->p;
    double *dparam[LCT_MAX_PARAMS];
    int64_t h = (int64_t)task;

    lct_param_gradients_of(dparam, p, p->tables->content, p->gradients->params);
    for (int64_t at = 0; at < job->rows * p->k_tiles; at++) {
        struct lct_content_maps_block t = lct_content_maps_tokens_block(
            p, job->from + at / p->k_tiles, at % p->k_tiles * LCT_TILE, slot);

        t.chunk_row = at / p->k_tiles;
        if (job->learns)
            conv_backward(dparam[t.params->conv], &t, h);
        taps_backward(&t, h);
        if (job->learns)
            up_backward(dparam[t.params->up], &t, h);
        for (int64_t i = 0; i < t.count; i++)
            memcpy(t.m->dw + gradient_row(&t, h, t.n + i) * p->padded,
                   t.own->gate + i * p->padded,
                   (size_t)p->padded * sizeof(float));
    }
}

/* dx += the gradient through the gates that forget (content_gates.h). */
static void add_gates(const struct lct_content_maps_block *t)
{
    const struct lct_plan *p = t->p;
    const struct lct_products *products = &p->content->products;
    const double *weight;

    if (products->gate_weight < 0)
        return;
    weight = p->tables->content->param[products->gate_weight];
    for (int64_t i = 0; i < t->count; i++)
        for (int64_t h = 0; h < p->H; h++) {
            int64_t at = (t->b * p->H + h) * p->S +
                         lct_content_maps_tokens_key(t, t->n + i);
            double dz = p->content->gates[0].dk_sum[at];

            for (int64_t c = 0; dz != 0 && c < p->W; c++)
                t->own->x[i * t->m->wide + c] +=
                    (float)(dz * weight[h * p->W + c]);
        }
}

/* forward: fill_low(): dx = dlow down + dbeta beta */
static void inputs_backward(const struct lct_content_maps_block *t,
                            const locant_tensor *dx, const float *dlow)
{
    const struct lct_plan *p = t->p;
    struct lct_product x = lct_product_of(
        (struct lct_product_rows){ t->own->x, (size_t)t->m->wide },
        lct_product_rows_of(dlow, (size_t)t->m->inner),
        lct_product_rows_of(t->m->first_rows, (size_t)t->m->wide), t->count,
        (size_t)t->m->wide, t->params->rank + p->H);

    p->kernels->matmul(&x);
    add_gates(t);
    for (int64_t i = 0; i < t->count; i++)
        if (lct_content_maps_tokens_is_passed(t, t->n + i))
            lct_row_from_f32(
                lct_at(dx,
                       (int64_t[2]){ t->b,
                                     lct_content_maps_tokens_key(t, t->n + i) },
                       2),
                dx->dtype, t->own->x + i * t->m->wide, (size_t)p->W);
}

/* dlow: forward, values = up low and b = 2 sigmoid of the rest of low */
static void low_backward(void *context, size_t task, int slot)
{
    const struct job *job = context;
    const struct lct_plan *p = job->p;
    struct lct_content_maps_block t = lct_content_maps_tokens_block(
        p, job->from + (int64_t)task / p->k_tiles,
        (int64_t)task % p->k_tiles * LCT_TILE, slot);
    size_t inner = (size_t)t.m->inner, rank8 = (size_t)t.m->rank8;
    float *dlow;

    t.chunk_row = (int64_t)task / p->k_tiles;
    dlow = t.m->dlow + (t.chunk_row * p->S + t.n) * t.m->inner;
    memset(dlow, 0, (size_t)t.count * inner * sizeof(*dlow));
    for (int64_t h = 0; h < p->H; h++) {
        const float *up = t.m->up_rows + h * p->D * t.m->rank8;
        struct lct_product x = lct_product_of(
            (struct lct_product_rows){ dlow, inner },
            lct_product_rows_of(t.own->gate, (size_t)p->padded),
            lct_product_rows_of(up, rank8), t.count, rank8, p->D);

        for (int64_t i = 0; i < t.count; i++)
            memcpy(t.own->gate + i * p->padded,
                   t.m->dw + gradient_row(&t, h, t.n + i) * p->padded,
                   (size_t)p->padded * sizeof(float));
        x.add = true;
        p->kernels->matmul(&x);
    }
    for (int64_t i = 0; i < t.count; i++)
        for (int64_t h = 0; h < p->H; h++) {
            float b = lct_content_maps_tokens_strength(&t, h, i);

            dlow[i * t.m->inner + t.params->rank + h] =
                t.m->db[gradient_row(&t, h, t.n + i)] * b * (1 - b / 2);
        }
    if (job->dx != NULL)
        inputs_backward(&t, job->dx, dlow);
}

enum { COLUMNS = LCT_TILE }; /* of the inputs, per task */

/* forward: fill_low(): ddown and dbeta, for some columns of the inputs */
static void first_backward(void *context, size_t task, int slot)
{
    const struct job *job = context;
    const struct lct_plan *p = job->p;
    const struct lct_map_params *params = lct_content_maps_tokens_params(p);
    int64_t from = (int64_t)task * COLUMNS;
    int64_t columns = p->W - from < COLUMNS ? p->W - from : COLUMNS;
    double *dparam[LCT_MAX_PARAMS];

    lct_param_gradients_of(dparam, p, p->tables->content, p->gradients->params);
    for (int64_t at = 0; at < job->rows * p->k_tiles; at++) {
        struct lct_content_maps_block t = lct_content_maps_tokens_block(
            p, job->from + at / p->k_tiles, at % p->k_tiles * LCT_TILE, slot);
        const float *dlow =
            t.m->dlow + (at / p->k_tiles * p->S + t.n) * t.m->inner;
        float *sum = t.own->first_sums;
        struct lct_product x =
            lct_product_of((struct lct_product_rows){ sum, COLUMNS },
                           lct_product_transposed(dlow, (size_t)t.m->inner),
                           lct_product_rows_of(t.own->columns, COLUMNS),
                           t.m->inner, COLUMNS, t.count);

        lct_content_maps_tokens_load(&t, t.own->columns, COLUMNS, from,
                                     columns);
        p->kernels->matmul(&x);
        for (int64_t r = 0; r < params->rank + p->H; r++) {
            double *to = r < params->rank
                             ? dparam[params->down] + r * p->W
                             : dparam[params->beta] + (r - params->rank) * p->W;

            for (int64_t c = 0; c < columns; c++)
                to[from + c] += (double)sum[r * COLUMNS + c];
        }
    }
}

/* forward: fill_low() added the bias */
static void bias_backward(const struct job *job)
{
    const struct lct_plan *p = job->p;
    const struct lct_content_maps *m = &p->content->maps;
    double *dparam[LCT_MAX_PARAMS];

    lct_param_gradients_of(dparam, p, p->tables->content, p->gradients->params);
    for (int64_t n = 0; n < job->rows * p->S; n++)
        for (int64_t h = 0; h < p->H; h++)
            dparam[lct_content_maps_tokens_params(p)->beta_bias][h] +=
                (double)m->dlow[n * m->inner +
                                lct_content_maps_tokens_params(p)->rank + h];
}

void lct_content_maps_inputs_sum_chunk(const struct lct_plan *p,
                                       const locant_tensor *dx, bool learns,
                                       int64_t b, int64_t rows)
{
    struct job job = {
        .p = p, .dx = dx, .from = b, .rows = rows, .learns = learns
    };
    size_t tiles = (size_t)(rows * p->k_tiles);

    if (!learns && dx == NULL)
        return;
    lct_parallel_for(tiles * (size_t)p->H, p->slots, directions_backward, &job);
    lct_parallel_for((size_t)p->H, p->slots, head_backward, &job);
    lct_parallel_for(tiles, p->slots, low_backward, &job);
    if (!learns)
        return;
    lct_parallel_for((size_t)((p->W + COLUMNS - 1) / COLUMNS), p->slots,
                     first_backward, &job);
    bias_backward(&job);
}
