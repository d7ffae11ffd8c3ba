/*
 * gradient_rows.c - gradients of rows as they leave the tiled engine: scaled,
 * turned back, rounded.
 */
#include "../kernel/row.h"
#include "gradient_rows.h"
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
    lct_rotation_row_backward(back, lct_param_gradients_of_task(p,
                                                                at[0] -
                                                                job->from,
                                                                head), p, dy, x,
                              role, at);
    if (dx != NULL)
        lct_row_from_f64(lct_at(dx, at, 3), dx->dtype, back, (size_t)p->D);
}

/* Rows that the schedule turned, back. */
static void rotate_back(const struct lct_problem *p, float *x, int64_t width,
                        int64_t rows, const float *cosines, const float *sines,
                        int64_t angle)
{
    const int64_t from = angle * p->schedule->pairs;

    lct_rotate_tile(&(struct lct_rotated_rows){
        .out = x, .x = x, .out_row = width, .x_row = width, .rows = rows,
        .cosines = cosines + from, .sines = sines + from, .sign = -1 },
        p->schedule, p->kernels);
}

void lct_store_dq(const struct lct_backward_job *job, const struct lct_tile *t,
                  struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    const int64_t at[3] = { t->b, t->h, t->i };

    for (int64_t i = 0; i < t->rows; i++) {
        float *row = s->out + i * p->padded_q;
        float scale = lct_load_query_scale(p, t->b, t->i + i);

        for (int64_t d = 0; d < p->padded_q; d++)
            row[d] *= scale;
        if (p->turns)
            turn_row_back(job, s, job->g->dq, row, LCT_QUERY,
                          (int64_t[3]){ t->b, t->h, t->i + i });
    }
    if (p->turns)
        return;
    if (p->schedule != NULL)
        rotate_back(p, s->out, p->padded_q, t->rows, p->q_cos, p->q_sin,
                    lct_problem_row(p, t->b) * p->T + t->i);
    lct_store_rows(p, job->g->dq, s->out, at, t->rows);
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

/* All rows of a head of keys back through a general map. */
static void turn_keys_back(const struct lct_backward_job *job, int64_t b,
                           int64_t head, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;

    for (int64_t j = 0; j < p->S; j++)
        turn_row_back(job, s, job->g->dk, s->dk + j * p->padded_q, LCT_KEY,
                      (int64_t[3]){ b, head, j });
}

/* From the scratch, if that is where they are, turned back. */
static void store_dk(const struct lct_backward_job *job, int64_t b,
                     int64_t head, struct lct_scratch *s)
{
    const struct lct_problem *p = job->p;
    const locant_tensor *dk = job->g->dk;
    const int64_t at[3] = { b, head, 0 };

    if (p->turns && !p->keys_turned) {
        turn_keys_back(job, b, head, s);
        return;
    }
    if (p->turns_keys)
        rotate_back(p, p->gathers_dk ? s->dk : lct_row(dk, b, head, 0),
                    p->gathers_dk ? p->padded_q : dk->stride[2], p->S, p->k_cos,
                    p->k_sin, lct_problem_row(p, b) * p->S);
    if (p->gathers_dk)
        lct_store_rows(p, dk, s->dk, at, p->S);
}

void lct_store_keys(const struct lct_backward_job *job, int64_t b,
                    int64_t head, struct lct_scratch *s)
{
    if (job->dk)
        store_dk(job, b, head, s);
    if (job->g->dv != NULL && job->p->gathers_dv)
        lct_store_rows(job->p, job->g->dv, s->dv, (int64_t[3]){ b, head, 0 },
                       job->p->S);
}
