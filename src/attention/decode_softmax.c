/* decode_softmax.c - decode: turn scores into weights */
#include "decode_softmax.h"
#include "bias.h"
#include "dense_bias.h"
#include "factors.h"
#include "mask.h"
#include "scores.h"
#include <math.h>
#include <string.h>

void lct_decode_softmax_plan(const struct lct_plan *p,
                             struct lct_decode_task *f)
{
    const struct lct_call *score = p->tables->score;
    struct lct_call call;

    f->linear = score != NULL && p->T == 1 && p->bias_range == 0 &&
                !p->request->real && score->e->row->score.fast.slope != NULL;
    if (!f->linear)
        return;
    call = lct_bias_call(p, lct_plan_row(p, f->b), 0);
    for (int64_t g = 0; f->linear && g < f->heads; g++)
        f->linear =
            call.e->row->score.fast.slope(&f->slope[g], &call, f->head + g);
}

/* Relative positions of the tile's keys, for linear biases. */
static void find_relative(const struct lct_plan *p, struct lct_decode_task *f,
                          const struct lct_tile *t)
{
    int64_t row = lct_plan_row(p, t->b);
    struct lct_call call = lct_bias_call(p, row, 0);

    call.e->row->score.fast.relative_positions(
        f->relative, &call, p->tables->q_pos[row],
        p->tables->k_pos + row * p->S + t->j, (size_t)t->keys);
    for (int64_t j = t->keys; j < LCT_TILE; j++)
        f->relative[j] = 0;
}

/* Set the scores of query i that are masked to -infinity. */
static void mask_row(const struct lct_plan *p, const struct lct_decode_task *f,
                     const struct lct_tile *t, int64_t i, float *row)
{
    int64_t at = lct_plan_row(p, t->b);
    int64_t q_pos = p->tables->q_pos[at * p->T + i];
    const int64_t *k_pos = p->tables->k_pos + at * p->S + t->j;

    for (int64_t j = 0; j < t->keys; j++)
        if (t->by_map ? f->s->masked[j * (int64_t)t->lanes + i]
                      : k_pos[j] > q_pos)
            row[j] = -INFINITY;
}

/* Add the bias to one head's rows, mask and cap them. */
static void finish_scores(const struct lct_plan *p,
                          const struct lct_decode_task *f, struct lct_tile *t,
                          float *row)
{
    for (int64_t i = 0; i < p->T; i++, row += LCT_DECODE_ROW) {
        if (p->request->gain != NULL)
            lct_factors_multiply_row(p, LCT_GAIN, (int64_t[3]){ t->b, t->h, i },
                                     t->j, t->keys, row);
        if (f->linear)
            p->kernels->add_linear_bias(row, f->relative,
                                        f->slope[t->h - f->head], LCT_TILE);
        else if (p->tables->score != NULL)
            lct_bias_add_row(p, t->b, t->h, i, t->j, t->keys, row);
        if (t->masked)
            mask_row(p, f, t, i, row);
        lct_scores_cap(p, row, NULL, (size_t)t->keys);
        if (p->request->bias != NULL)
            t->guarded |= lct_dense_bias_add_row(
                p, (int64_t[4]){ t->b, t->h, i, t->j }, t->keys, row);
    }
}

void lct_decode_softmax(const struct lct_plan *p, struct lct_decode_task *f,
                        struct lct_tile *t, int64_t i, float *scores)
{
    struct lct_decode_scratch *d = f->d;
    float *rescale = d->rescale + i * f->heads * p->T;

    if (f->linear)
        find_relative(p, f, t);
    for (int64_t g = 0; g < f->heads; g++) {
        t->h = f->head + g;
        /* If masks differ between heads, classify again to fill them. */
        if (f->sees[g] &&
            (!lct_mask_by_head(p) || lct_mask_classify(p, t, f->tile[i], f->s)))
            finish_scores(p, f, t, scores + g * p->T * LCT_DECODE_ROW);
        f->guard[i] |= t->guarded;
        for (int64_t r = g * p->T; r < (g + 1) * p->T; r++) {
            float *row = scores + r * LCT_DECODE_ROW;

            rescale[r] = 1;
            if (f->sees[g])
                p->kernels->softmax_row(row, (size_t)t->keys, d->row_max + r,
                                        d->row_sum + r, rescale + r);
            else
                memset(row, 0, LCT_TILE * sizeof(*row));
            if (f->sees[g] && p->request->after != NULL)
                lct_factors_multiply_row(
                    p, LCT_AFTER, (int64_t[3]){ t->b, t->h, r - g * p->T },
                    t->j, t->keys, row);
        }
    }
}
