/* tile.c - one tile of queries against one tile of keys */
#include "../encodings/rotate.h"
#include "tile.h"
#include <string.h>

float lct_query_scale(const struct lct_problem *p, const struct lct_tile *t,
                      int64_t i)
{
    int64_t row = lct_position_row(p, t->b);

    if (p->tau == NULL)
        return (float)p->scale;
    return (float)(p->scale * p->tau[row * p->T + t->i + i]);
}

/* Copy a row of D channels, rotated to position t of its table, and pad it. */
static void load_row(const struct lct_problem *p, float *to, const float *from,
                     const float *cosines, const float *sines, int64_t at)
{
    memcpy(to, from, (size_t)p->D * sizeof(*to));
    if (p->schedule != NULL)
        lct_rotate_row(to, p->schedule, p->kernels,
                       cosines + at * p->schedule->pairs,
                       sines + at * p->schedule->pairs, 1.0f);
    for (int64_t d = p->D; d < p->padded; d++)
        to[d] = 0;
}

/* The same through a general map. */
static void turn_query(const struct lct_problem *p, const struct lct_tile *t,
                       struct lct_scratch *s, float *to, int64_t i)
{
    int64_t at[3] = { t->b, t->h, t->i + i };
    double *x = s->wide, *y = x + p->D;

    lct_row_to_f64(x, lct_row(&p->q, t->b, t->h, t->i + i), LOCANT_F32,
                   (size_t)p->D);
    lct_turn_row(y, p, x, LCT_QUERY, at);
    lct_row_from_f64(to, LOCANT_F32, y, (size_t)p->Dq);
    memset(to + p->Dq, 0, (size_t)(p->padded_q - p->Dq) * sizeof(*to));
}

void lct_load_queries(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s)
{
    int64_t row = lct_position_row(p, t->b);

    for (int64_t i = 0; i < t->rows; i++) {
        float *q = s->q + i * p->padded_q, scale = lct_query_scale(p, t, i);

        if (p->turns)
            turn_query(p, t, s, q, i);
        else
            load_row(p, q, lct_row(&p->q, t->b, t->h, t->i + i), p->q_cos,
                     p->q_sin, row * p->T + t->i + i);
        for (int64_t d = 0; d < p->Dq; d++)
            q[d] *= scale;
        for (int64_t d = 0; d < p->Dq; d++)
            s->q_cols[d * (int64_t)t->lanes + i] = q[d];
    }
    for (int64_t i = t->rows; i < (int64_t)t->lanes; i++)
        for (int64_t d = 0; d < p->Dq; d++)
            s->q_cols[d * (int64_t)t->lanes + i] = 0;
}

const float *lct_load_keys(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s,
                           size_t *row)
{
    int64_t head = t->h / (p->H / p->Hkv);
    int64_t table = lct_position_row(p, t->b) * p->S;

    *row = (size_t)p->padded_q;
    if (p->turns)
        return p->k_turned +
               ((t->b * p->Hkv + head) * p->S + t->j) * p->padded_q;
    if (p->schedule == NULL && p->padded == p->D && p->k.stride[2] >= 0) {
        *row = (size_t)p->k.stride[2];
        return lct_row(&p->k, t->b, head, t->j);
    }
    for (int64_t j = 0; j < t->keys; j++)
        load_row(p, s->k + j * p->padded, lct_row(&p->k, t->b, head, t->j + j),
                 p->k_cos, p->k_sin, table + t->j + j);
    return s->k;
}

const float *lct_load_values(const struct lct_problem *p,
                             const struct lct_tile *t, struct lct_scratch *s,
                             size_t *row)
{
    int64_t head = t->h / (p->H / p->Hkv);

    if (p->padded == p->D && p->v.stride[2] >= 0) {
        *row = (size_t)p->v.stride[2];
        return lct_row(&p->v, t->b, head, t->j);
    }
    for (int64_t j = 0; j < t->keys; j++) {
        float *v = s->v + j * p->padded;

        memcpy(v, lct_row(&p->v, t->b, head, t->j + j),
               (size_t)p->D * sizeof(*v));
        for (int64_t d = p->D; d < p->padded; d++)
            v[d] = 0;
    }
    *row = (size_t)p->padded;
    return s->v;
}

/* Where positions differ wildly: the bias of each query at these keys. */
static void add_bias_by_row(const struct lct_problem *p,
                            const struct lct_tile *t, struct lct_scratch *s,
                            const int64_t *q_pos, const int64_t *k_pos)
{
    int64_t row = lct_position_row(p, t->b);

    for (int64_t i = 0; i < t->rows; i++) {
        struct lct_call call = lct_score_call(p, row, t->i + i);

        call.e->row->bias(s->column, &call, t->h, q_pos[i], k_pos,
                          (size_t)t->keys);
        for (int64_t j = 0; j < t->keys; j++)
            s->s[j * (int64_t)t->lanes + i] += (float)s->column[j];
    }
}

static void add_bias(const struct lct_problem *p, const struct lct_tile *t,
                     struct lct_scratch *s, const int64_t *q_pos,
                     const int64_t *k_pos)
{
    int64_t row = lct_position_row(p, t->b);
    const float *table = p->table + (row * p->H + t->h) * p->range;
    bool consecutive =
        p->q_extent[row * p->q_tiles + t->i / LCT_TILE].consecutive;

    if (p->range == 0) {
        add_bias_by_row(p, t, s, q_pos, k_pos);
        return;
    }
    for (int64_t j = 0; j < t->keys; j++) {
        float *score = s->s + j * (int64_t)t->lanes;
        const float *bias = table + (q_pos[0] - k_pos[j] - p->first[row]);

        if (consecutive)
            for (int64_t i = 0; i < t->rows; i++)
                score[i] += bias[i];
        else
            for (int64_t i = 0; i < t->rows; i++)
                score[i] += bias[q_pos[i] - q_pos[0]];
    }
}

void lct_scores(const struct lct_problem *p, const struct lct_tile *t,
                struct lct_scratch *s, const float *keys, size_t key_row)
{
    int64_t row = lct_position_row(p, t->b);
    const int64_t *q_pos = p->q_pos + row * p->T + t->i;
    const int64_t *k_pos = p->k_pos + row * p->S + t->j;

    p->kernels->matmul(&(struct lct_product){
        .c = s->s, .c_row = t->lanes, .a = keys, .a_row = key_row, .a_col = 1,
        .b = s->q_cols, .b_row = t->lanes, .m = (size_t)t->keys,
        .n = t->lanes, .k = (size_t)p->Dq });
    if (p->score != NULL)
        add_bias(p, t, s, q_pos, k_pos);
    if (t->partial)
        lct_hide(p, t, s);
}

static bool all_finite(const float *b, size_t b_row, size_t k, size_t n)
{
    float sum = 0;

    /* x * 0 is 0 exactly for finite x, NaN otherwise. */
    for (size_t p = 0; p < k; p++)
        for (size_t j = 0; j < n; j++)
            sum += b[p * b_row + j] * 0.0f;
    return sum == 0;
}

void lct_multiply(const struct lct_kernels *kernels,
                  const struct lct_product *x, bool guard)
{
    if (!guard || all_finite(x->b, x->b_row, x->k, x->n)) {
        kernels->matmul(x);
        return;
    }
    for (size_t i = 0; i < x->m; i++) {
        struct lct_product one = *x;

        one.c += i * x->c_row;
        one.m = one.k = 1;
        one.add = true;
        if (!x->add)
            memset(one.c, 0, x->n * sizeof(*one.c));
        for (size_t p = 0; p < x->k; p++) {
            one.a = x->a + i * x->a_row + p * x->a_col;
            one.b = x->b + p * x->b_row;
            if (*one.a != 0) /* a NaN coefficient counts */
                kernels->matmul(&one);
        }
    }
}
