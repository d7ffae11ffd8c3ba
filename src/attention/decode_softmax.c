/*
 * decode_softmax.c - scores of few queries to weights: bias, mask, softmax.
 *
 * Each bias serves one query, so what heads have in common is formed once for
 * those that share keys: the distances of ALiBi, for instance.
 */
#include "decode.h"
#include <math.h>
#include <string.h>

void lct_decode_softmax_plan(const struct lct_problem *p,
                             struct lct_decode_task *f)
{
    struct lct_call call;

    f->levers = p->score != NULL && p->T == 1 && p->range == 0 &&
                p->score->e->row->score.fast.slope != NULL;
    if (!f->levers)
        return;
    call = lct_bias_call(p, lct_problem_row(p, f->b), 0);
    for (int64_t g = 0; f->levers && g < f->heads; g++)
        f->levers = call.e->row->score.fast.slope(&f->slope[g], &call,
                                                  f->head + g);
}

/* The levers of the tile's keys. */
static void pull(const struct lct_problem *p, struct lct_decode_task *f,
                 const struct lct_tile *t)
{
    int64_t row = lct_problem_row(p, t->b);
    struct lct_call call = lct_bias_call(p, row, 0);

    call.e->row->score.fast.relative_positions(f->lever, &call, p->q_pos[row],
                        p->k_pos + row * p->S + t->j, (size_t)t->keys);
    for (int64_t j = t->keys; j < LCT_TILE; j++)
        f->lever[j] = 0;
}

/* Bias, mask and cap of one head's rows. */
static void finish_scores(const struct lct_problem *p,
                          const struct lct_decode_task *f, struct lct_tile *t,
                          struct lct_scratch *s, float *rows)
{
    int64_t row = lct_problem_row(p, t->b);
    const int64_t *q_pos = p->q_pos + row * p->T;
    const int64_t *k_pos = p->k_pos + row * p->S + t->j;

    for (int64_t i = 0; i < p->T; i++, rows += LCT_DECODE_ROW) {
        if (f->levers)
            p->kernels->add_levers(rows, f->lever, f->slope[t->h - f->head],
                                   LCT_TILE);
        else if (p->score != NULL)
            lct_bias_add_row(p, t->b, t->h, i, t->j, t->keys, rows);
        for (int64_t j = 0; t->partial && j < t->keys; j++)
            if (t->mapped ? s->hidden[j * (int64_t)t->lanes + i]
                          : k_pos[j] > q_pos[i])
                rows[j] = -INFINITY;
        lct_scores_cap(p, rows, NULL, (size_t)t->keys);
    }
}

void lct_decode_softmax(const struct lct_problem *p, struct lct_decode_task *f,
                        struct lct_tile *t, int64_t n, struct lct_scratch *s,
                        float *scores, float *shrink)
{
    if (f->levers)
        pull(p, f, t);
    for (int64_t g = 0; g < f->heads; g++) {
        t->h = f->head + g;
        if (f->seen[g] && (p->hidings == 0 || lct_mask_classify(p, t, n, s)))
            finish_scores(p, f, t, s, scores + g * p->T * LCT_DECODE_ROW);
        for (int64_t r = g * p->T; r < (g + 1) * p->T; r++) {
            shrink[r] = 1;
            if (f->seen[g])
                p->kernels->softmax_row(scores + r * LCT_DECODE_ROW,
                                        (size_t)t->keys, s->rows + r,
                                        s->rows + LCT_TILE + r, shrink + r);
            else
                memset(scores + r * LCT_DECODE_ROW, 0,
                       LCT_TILE * sizeof(float));
        }
    }
}
