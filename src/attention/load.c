/* load.c - rows of the caller's tensors as tiles: float32, turned, padded */
#include "../encodings/near_far.h"
#include "../encodings/rotate.h"
#include "tile.h"
#include <string.h>

float lct_query_scale(const struct lct_problem *p, int64_t b, int64_t i)
{
    if (p->tau == NULL)
        return (float)p->scale;
    return (float)(p->scale * p->tau[lct_position_row(p, b) * p->T + i]);
}

/* Rows of a table of angles; NULL: there is nothing to turn. */
struct angles {
    const float *cosines, *sines;
};

/* D channels as they are, then zeros. */
static void load_row(const struct lct_problem *p, float *to,
                     const locant_tensor *x, const int64_t at[3])
{
    lct_row_to_f32(to, lct_at(x, at, 3), x->dtype, (size_t)p->D);
    memset(to + p->D, 0, (size_t)(p->padded - p->D) * sizeof(*to));
}

/* The same, turned by row 'angle' of a table. */
static void load_plain(const struct lct_problem *p, float *to,
                       const locant_tensor *x, const int64_t at[3],
                       struct angles table, int64_t angle)
{
    size_t from = (size_t)angle * (size_t)p->schedule->pairs;

    load_row(p, to, x, at);
    lct_rotate_row(to, p->schedule, p->kernels, table.cosines + from,
                   table.sines + from, 1.0f);
}

/* The same through a general map. */
static void load_mapped(const struct lct_problem *p, float *to, double *wide,
                        const locant_tensor *x, enum lct_role role,
                        const int64_t at[3])
{
    double *y = wide + p->D;

    lct_row_to_f64(wide, lct_at(x, at, 3), x->dtype, (size_t)p->D);
    lct_turn_row(y, p, wide, role, at);
    lct_row_from_f64(to, LOCANT_F32, y, (size_t)p->Dq);
    memset(to + p->Dq, 0, (size_t)(p->padded_q - p->Dq) * sizeof(*to));
}

void lct_load_query(const struct lct_problem *p, struct lct_scratch *s,
                    float *to, const int64_t at[3])
{
    struct angles table = { p->q_cos, p->q_sin };
    float scale = lct_query_scale(p, at[0], at[2]);

    if (p->turns)
        load_mapped(p, to, s->wide, &p->q, LCT_QUERY, at);
    else if (p->schedule != NULL)
        load_plain(p, to, &p->q, at, table,
                   lct_position_row(p, at[0]) * p->T + at[2]);
    else
        load_row(p, to, &p->q, at);
    for (int64_t d = 0; d < p->Dq; d++)
        to[d] *= scale;
}

void lct_load_queries(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s)
{
    size_t rows = (size_t)t->rows, lanes = t->lanes;

    for (int64_t i = 0; i < t->rows; i++)
        lct_load_query(p, s, s->q + i * p->padded_q,
                       (int64_t[3]){ t->b, t->h, t->i + i });
    p->kernels->transpose(s->q_cols, lanes, s->q, (size_t)p->padded_q, rows,
                          (size_t)p->Dq);
    for (int64_t d = 0; rows < lanes && d < p->Dq; d++)
        memset(s->q_cols + (size_t)d * lanes + rows, 0,
               (lanes - rows) * sizeof(float));
    if (p->by_terms)
        lct_terms_open(p, t, s);
}

/* Can products read the caller's rows where they lie? */
static bool lies_well(const struct lct_problem *p, const locant_tensor *x)
{
    return x->dtype == LOCANT_F32 && p->padded == p->D && x->stride[2] >= 0;
}

const float *lct_load_keys(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s,
                           size_t *row)
{
    struct angles table = { p->k_cos, p->k_sin };
    int64_t at[3] = { t->b, t->h / (p->H / p->Hkv), t->j };
    int64_t angle = lct_position_row(p, t->b) * p->S;

    *row = (size_t)p->padded_q;
    if (t->sight == LCT_FAR)
        return lct_far_keys(p, t, s);
    if (p->k_turned != NULL)
        return p->k_turned +
               ((t->b * p->Hkv + at[1]) * p->S + t->j) * p->padded_q;
    if (!p->turns_keys && lies_well(p, &p->k)) {
        *row = (size_t)p->k.stride[2];
        return lct_at(&p->k, at, 3);
    }
    for (int64_t j = 0; j < t->keys; j++, at[2]++) {
        float *to = s->k + j * p->padded;

        if (p->turns_keys)
            load_plain(p, to, &p->k, at, table, angle + at[2]);
        else
            load_row(p, to, &p->k, at);
    }
    return s->k;
}

const float *lct_load_values(const struct lct_problem *p,
                             const struct lct_tile *t, struct lct_scratch *s,
                             size_t *row)
{
    int64_t at[3] = { t->b, t->h / (p->H / p->Hkv), t->j };

    if (lies_well(p, &p->v)) {
        *row = (size_t)p->v.stride[2];
        return lct_at(&p->v, at, 3);
    }
    for (int64_t j = 0; j < t->keys; j++, at[2]++)
        load_row(p, s->v + j * p->padded, &p->v, at);
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
