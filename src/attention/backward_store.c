/*
 * backward_store.c - gradients of rows as they leave the tiled engine: scaled,
 * turned back, rounded.
 */
#include "../encodings/rotate.h"
#include "backward.h"
#include <string.h>

/*
 * Back through a general map: dx of token i, unless that is NULL, from the
 * gradient of its row.
 */
static void turn_row_back(const struct lct_backward_job *job,
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

void lct_store_dq(const struct lct_backward_job *job, const struct lct_tile *t,
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

void lct_clear_keys(const struct lct_backward_job *job, int64_t b,
                    int64_t head, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;

    if (job->dk)
        clear_rows(p, job->g->dk, p->gathers_dk ? s->dk : NULL, p->padded_q,
                   b, head);
    if (job->g->dv != NULL)
        clear_rows(p, job->g->dv, p->gathers_dv ? s->dv : NULL, p->padded, b,
                   head);
}

/* From the scratch, if that is where they are, turned back. */
static void store_dk(const struct lct_backward_job *job, int64_t b,
                     int64_t head, struct lct_scratch *s)
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

static void store_dv(const struct lct_backward_job *job, int64_t b,
                     int64_t head, const struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    const locant_tensor *dv = job->g->dv;

    for (int64_t j = 0; p->gathers_dv && j < p->S; j++) {
        int64_t at[3] = { b, head, j };

        lct_row_from_f32(lct_at(dv, at, 3), dv->dtype, s->dv + j * p->padded,
                         (size_t)p->D);
    }
}

void lct_store_keys(const struct lct_backward_job *job, int64_t b,
                    int64_t head, struct lct_scratch *s)
{
    if (job->dk)
        store_dk(job, b, head, s);
    if (job->g->dv != NULL)
        store_dv(job, b, head, s);
}
