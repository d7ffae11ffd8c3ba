/* load.c - rows of the caller's tensors as tiles: float32, turned, padded */
#include "../encodings/near_far.h"
#include "../kernel/row.h"
#include "tile.h"
#include <string.h>

float lct_load_query_scale(const struct lct_problem *p, int64_t b, int64_t i)
{
    if (p->tau == NULL)
        return (float)p->scale;
    return (float)(p->scale * p->tau[lct_problem_row(p, b) * p->T + i]);
}

void lct_load_rows(const struct lct_problem *p, float *to,
                   const locant_tensor *x, const int64_t at[3], int64_t rows)
{
    p->kernels->load_rows(&(struct lct_rows){
        .x = lct_at(x, at, 3),
        .x_row = x->stride[2] * (ptrdiff_t)locant_dtype_size(x->dtype),
        .kind = (enum lct_stored)x->dtype, .tile = to,
        .width = (size_t)p->padded, .rows = (size_t)rows, .n = (size_t)p->D });
}

void lct_store_rows(const struct lct_problem *p, const locant_tensor *x,
                    float *from, const int64_t at[3], int64_t rows)
{
    p->kernels->store_rows(&(struct lct_rows){
        .x = lct_at(x, at, 3),
        .x_row = x->stride[2] * (ptrdiff_t)locant_dtype_size(x->dtype),
        .kind = (enum lct_stored)x->dtype, .tile = from,
        .width = (size_t)p->padded, .rows = (size_t)rows, .n = (size_t)p->D });
}

void lct_load_rotated(const struct lct_problem *p, float *to,
                      const locant_tensor *x, const int64_t at[3], int64_t rows,
                      struct lct_load_angles angles)
{
    struct lct_rotated_rows r = {
        .out = to, .x = to, .out_row = p->padded, .x_row = p->padded,
        .rows = rows, .cosines = angles.cosines, .sines = angles.sines,
        .sign = 1 };

    if (x->dtype != LOCANT_F32 || 2 * p->schedule->pairs != p->D) {
        lct_load_rows(p, to, x, at, rows);
    } else { /* all channels turn: straight from where they lie */
        r.x = lct_at(x, at, 3);
        r.x_row = x->stride[2];
        if (p->padded > p->D)
            memset(to, 0, (size_t)(rows * p->padded) * sizeof(*to));
    }
    lct_rotate_tile(&r, p->schedule, p->kernels);
}

/* A row through a general map. */
static void load_mapped(const struct lct_problem *p, float *to, double *wide,
                        const locant_tensor *x, enum lct_role role,
                        const int64_t at[3])
{
    double *y = wide + p->D;

    lct_row_to_f64(wide, lct_at(x, at, 3), x->dtype, (size_t)p->D);
    lct_rotation_row(y, p, wide, role, at);
    lct_row_from_f64(to, LOCANT_F32, y, (size_t)p->Dq);
    memset(to + p->Dq, 0, (size_t)(p->padded_q - p->Dq) * sizeof(*to));
}

static void load_mapped_queries(const struct lct_problem *p,
                                struct lct_scratch *s, float *to,
                                const int64_t at[3], int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        load_mapped(p, to + i * p->padded_q, s->wide, &p->q, LCT_QUERY,
                    (int64_t[3]){ at[0], at[1], at[2] + i });
}

void lct_load_query_rows(const struct lct_problem *p, struct lct_scratch *s,
                         float *to, const int64_t at[3], int64_t rows)
{
    if (p->turns)
        load_mapped_queries(p, s, to, at, rows);
    else if (p->schedule != NULL)
        lct_load_rotated(p, to, &p->q, at, rows,
                         lct_load_angles_at(p, p->q_cos, p->q_sin,
                                            lct_problem_row(p, at[0]) * p->T +
                                            at[2]));
    else
        lct_load_rows(p, to, &p->q, at, rows);
    for (int64_t i = 0; i < rows; i++, to += p->padded_q) {
        float scale = lct_load_query_scale(p, at[0], at[2] + i);

        for (int64_t d = 0; d < p->padded_q; d++)
            to[d] *= scale;
    }
}

void lct_load_queries(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s)
{
    size_t rows = (size_t)t->rows, lanes = t->lanes;

    lct_load_query_rows(p, s, s->q, (int64_t[3]){ t->b, t->h, t->i }, t->rows);
    p->kernels->transpose(s->q_cols, lanes, s->q, (size_t)p->padded_q, rows,
                          (size_t)p->Dq);
    for (int64_t d = 0; rows < lanes && d < p->Dq; d++)
        memset(s->q_cols + (size_t)d * lanes + rows, 0,
               (lanes - rows) * sizeof(float));
    if (p->by_terms)
        lct_content_open(p, t, s);
}

/* Can products read the caller's rows where they lie? */
static bool readable_in_place(const struct lct_problem *p,
                              const locant_tensor *x)
{
    return x->dtype == LOCANT_F32 && p->read == p->D && x->stride[2] >= 0;
}

const float *lct_load_keys(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s,
                           size_t *row)
{
    int64_t at[3] = { t->b, t->h / (p->H / p->Hkv), t->j };
    int64_t angle = lct_problem_row(p, t->b) * p->S;

    *row = (size_t)p->padded_q;
    if (t->sight == LCT_FAR)
        return lct_content_far_keys(p, t, s);
    if (p->k_turned != NULL)
        return p->k_turned +
               ((t->b * p->Hkv + at[1]) * p->S + t->j) * p->padded_q;
    if (!p->turns_keys && readable_in_place(p, &p->k)) {
        *row = (size_t)p->k.stride[2];
        return lct_at(&p->k, at, 3);
    }
    if (p->turns_keys)
        lct_load_rotated(p, s->k, &p->k, at, t->keys,
                         lct_load_angles_at(p, p->k_cos, p->k_sin,
                                            angle + t->j));
    else
        lct_load_rows(p, s->k, &p->k, at, t->keys);
    return s->k;
}

const float *lct_load_values(const struct lct_problem *p,
                             const struct lct_tile *t, struct lct_scratch *s,
                             size_t *row)
{
    int64_t at[3] = { t->b, t->h / (p->H / p->Hkv), t->j };

    if (readable_in_place(p, &p->v)) {
        *row = (size_t)p->v.stride[2];
        return lct_at(&p->v, at, 3);
    }
    lct_load_rows(p, s->v, &p->v, at, t->keys);
    *row = (size_t)p->padded;
    return s->v;
}

struct lct_loaded lct_load_tile(const struct lct_problem *p,
                                const struct lct_tile *t,
                                struct lct_scratch *s)
{
    struct lct_loaded l;

    l.keys = lct_load_keys(p, t, s, &l.key_row);
    l.values = lct_load_values(p, t, s, &l.value_row);
    return l;
}
