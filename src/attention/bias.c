/* bias.c - gradient of the bias: from tiles to differences to parameters */
#include "tile.h"
#include <string.h>

/* No table: straight into the parameters of this task. */
static void gradient_by_row(const struct lct_problem *p,
                            const struct lct_tile *t, struct lct_scratch *s,
                            int64_t chunk_row)
{
    int64_t row = lct_position_row(p, t->b);
    const int64_t *k_pos = p->k_pos + row * p->S + t->j;
    double *dparam[LCT_MAX_PARAMS];

    lct_split(dparam, p, p->score,
              lct_task_dparam(p, chunk_row, t->h / (p->H / p->Hkv)));
    for (int64_t i = 0; i < t->rows; i++) {
        struct lct_call call = lct_score_call(p, row, t->i + i);

        for (int64_t j = 0; j < t->keys; j++)
            s->column[j] = s->ds[j * (int64_t)t->lanes + i];
        call.e->row->bias_backward(dparam, &call, t->h,
                                   p->q_pos[row * p->T + t->i + i], k_pos,
                                   s->column, (size_t)t->keys);
    }
}

void lct_bias_gradient(const struct lct_problem *p, const struct lct_tile *t,
                       struct lct_scratch *s, int64_t chunk_row)
{
    int64_t row = lct_position_row(p, t->b);
    const int64_t *q_pos = p->q_pos + row * p->T + t->i;
    const int64_t *k_pos = p->k_pos + row * p->S + t->j;
    double *table = p->dtable + (chunk_row * p->H + t->h) * p->range;

    if (p->range == 0) {
        gradient_by_row(p, t, s, chunk_row);
        return;
    }
    for (int64_t j = 0; j < t->keys; j++) {
        const float *ds = s->ds + j * (int64_t)t->lanes;
        double *at = table + (q_pos[0] - k_pos[j] - p->first[row]);

        for (int64_t i = 0; i < t->rows; i++)
            at[q_pos[i] - q_pos[0]] += (double)ds[i];
    }
}

/* dparam row 0 += gradient of one head given that of each difference. */
static void deliver_head(struct lct_problem *p, int64_t row, int64_t head,
                         const double *dtable)
{
    double *dparam[LCT_MAX_PARAMS];

    lct_split(dparam, p, p->score, p->dparam);
    for (int64_t n = 0; n < p->range; n++)
        p->difference[n] = -n; /* difference first + n */
    p->score->e->row->bias_backward(dparam, p->score, head, p->first[row],
                                    p->difference, dtable, (size_t)p->range);
}

/* Batch rows in order: the sums do not depend on threads. */
void lct_bias_fold(struct lct_problem *p, int64_t b, int64_t rows)
{
    int64_t each = p->H * p->range;
    bool table = p->range > 0 && lct_score_learns(p);

    for (int64_t r = 0; r < rows && table; r++) {
        const double *from = p->dtable + r * each;

        if (p->position_rows == 1)
            for (int64_t n = 0; n < each; n++)
                p->dtotal[n] += from[n];
        else
            for (int64_t h = 0; h < p->H; h++)
                deliver_head(p, b + r, h, from + h * p->range);
    }
    for (int64_t task = 1; task <= rows * p->Hkv; task++)
        for (size_t n = 0; n < p->params; n++)
            p->dparam[n] += p->dparam[(size_t)task * p->params + n];
}

void lct_bias_deliver(struct lct_problem *p, locant_tensor *dparams,
                      const locant_attention *a)
{
    if (p->range > 0 && lct_score_learns(p) && p->position_rows == 1)
        for (int64_t h = 0; h < p->H; h++)
            deliver_head(p, 0, h, p->dtotal + h * p->range);
    lct_deliver(p, dparams, a);
}
