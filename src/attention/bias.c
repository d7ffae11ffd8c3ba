/* bias.c - the bias of one tile, and its gradient */
#include "bias.h"
#include "bias_pwl.h"
#include "param_gradients.h"
#include "real.h"

/* --------------------------------------------------------- without a table */

/* out[n] = the bias of query 'at' = b, h, i and key j + n, n < keys. */
static void evaluate(double *out, const struct lct_plan *p, const int64_t at[3],
                     int64_t j, int64_t keys)
{
    int64_t row = lct_plan_row(p, at[0]);
    struct lct_call call;

    if (p->request->real) {
        lct_real_bias(out, &(struct lct_real_row){ p, at[0], at[1], at[2], j,
                                                   keys, NULL });
        return;
    }
    call = lct_bias_call(p, row, at[2]);
    call.e->row->score.bias(out, &call, at[1],
                            p->tables->q_pos[row * p->T + at[2]],
                            p->tables->k_pos + row * p->S + j, (size_t)keys);
}

static void add_by_row(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s)
{
    for (int64_t i = 0; i < t->rows; i++) {
        evaluate(s->column, p, (int64_t[3]){ t->b, t->h, t->i + i }, t->j,
                 t->keys);
        for (int64_t j = 0; j < t->keys; j++)
            s->s[j * (int64_t)t->lanes + i] += (float)s->column[j];
    }
}

/* forward: evaluate(); 'sums' is the row of parameter gradients of this task,
 * NULL only at real coordinates, which have gradients too. */
static void evaluate_backward(const struct lct_plan *p, const int64_t at[3],
                              int64_t j, int64_t keys, const double *dout,
                              double *sums)
{
    int64_t row = lct_plan_row(p, at[0]);
    double *dparam[LCT_MAX_PARAMS];
    struct lct_call call;

    if (p->request->real) {
        lct_real_bias_backward(
            &(struct lct_real_row){ p, at[0], at[1], at[2], j, keys, NULL },
            dout, sums);
        return;
    }
    call = lct_bias_call(p, row, at[2]);
    lct_param_gradients_of(dparam, p, &call, sums);
    call.e->row->score.backward(
        dparam, &call, at[1], p->tables->q_pos[row * p->T + at[2]],
        p->tables->k_pos + row * p->S + j, dout, (size_t)keys);
}

static void gradient_by_row(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, double *sums)
{
    for (int64_t i = 0; i < t->rows; i++) {
        for (int64_t j = 0; j < t->keys; j++)
            s->column[j] = s->ds[j * (int64_t)t->lanes + i];
        evaluate_backward(p, (int64_t[3]){ t->b, t->h, t->i + i }, t->j,
                          t->keys, s->column, sums);
    }
}

/* ------------------------------------------------------------ with a table */

void lct_bias_find_entries(struct lct_bias_entries *e, const struct lct_tile *t,
                           const int64_t *q, const int64_t *k, int64_t first)
{
    int64_t wrong = 0;

    for (int64_t j = 0; j < t->keys; j++)
        e->at[j] = q[0] - k[j] - first;
    if (e->diagonal)
        return;
    for (int64_t i = 0; i < t->rows; i++) {
        e->shift[i] = q[i] - q[0];
        wrong |= e->shift[i] - i;
    }
    e->consecutive = wrong == 0;
    for (int64_t j = 0; j < t->keys; j++)
        wrong |= e->at[j] + j - e->at[0];
    e->diagonal = wrong == 0;
}

bool lct_bias_are_consecutive(const struct lct_plan *p,
                              const struct lct_tile *t)
{
    int64_t row = lct_plan_row(p, t->b);

    return p->tables->q_extent[row * p->q_tiles + t->i / LCT_TILE]
               .consecutive &&
           p->tables->k_extent[row * p->k_tiles + t->j / LCT_TILE].consecutive;
}

static void find_entries(struct lct_bias_entries *e, const struct lct_plan *p,
                         const struct lct_tile *t)
{
    int64_t row = lct_plan_row(p, t->b);

    e->consecutive = e->diagonal =
        !p->bias_keys && lct_bias_are_consecutive(p, t);
    lct_bias_find_entries(e, t, p->tables->q_key + row * p->T + t->i,
                          p->tables->k_key + row * p->S + t->j, p->bias_first);
}

/* Add runs of queries with consecutive entries, unless runs are short. */
static void add_by_run(const struct lct_tile *t, struct lct_scratch *s,
                       const struct lct_bias_entries *e, const float *table)
{
    int64_t from[LCT_TILE + 1], runs = 0;

    for (int64_t i = 0; i < t->rows; i++)
        if (i == 0 || e->shift[i] != e->shift[i - 1] + 1)
            from[runs++] = i;
    from[runs] = t->rows;
    for (int64_t j = 0; j < t->keys; j++) {
        float *score = s->s + j * (int64_t)t->lanes;
        const float *bias = table + e->at[j];

        if (4 * runs > t->rows) {
            for (int64_t i = 0; i < t->rows; i++)
                score[i] += bias[e->shift[i]];
            continue;
        }
        for (int64_t r = 0; r < runs; r++) {
            int64_t i = from[r], shift = e->shift[i] - i;

            for (; i < from[r + 1]; i++)
                score[i] += bias[shift + i];
        }
    }
}

void lct_bias_add(const struct lct_plan *p, const struct lct_tile *t,
                  struct lct_scratch *s)
{
    const float *table;
    struct lct_bias_entries e;

    if (p->bias_range == 0) {
        add_by_row(p, t, s);
        return;
    }
    table = p->tables->bias + t->h * (p->bias_range + LCT_PAD);
    find_entries(&e, p, t);
    if (p->tables->pwl != NULL) {
        lct_bias_pwl_add(p, t, s, &e);
        return;
    }
    if (e.consecutive) {
        p->kernels->add_bias_rows(s->s, (size_t)t->keys, t->lanes, table, e.at);
        return;
    }
    add_by_run(t, s, &e, table);
}

void lct_bias_add_row(const struct lct_plan *p, int64_t b, int64_t h, int64_t i,
                      int64_t j, int64_t keys, float *s)
{
    int64_t row = lct_plan_row(p, b);
    double value[LCT_TILE];

    if (p->tables->pwl != NULL) {
        lct_bias_pwl_add_row(p, row, h, i, j, keys, s);
        return;
    }
    if (p->bias_range > 0) {
        const float *table = p->tables->bias + h * (p->bias_range + LCT_PAD);
        const int64_t *k_key = p->tables->k_key + row * p->S + j;
        int64_t q_key = p->tables->q_key[row * p->T + i];

        for (int64_t n = 0; n < keys; n++) {
            int64_t at = q_key - k_key[n] - p->bias_first;

            /* Later keys may have no entry; they are masked. */
            s[n] += at >= 0 ? table[at] : 0;
        }
        return;
    }
    for (int64_t at = 0; at < keys; at += LCT_TILE) {
        int64_t count = lct_sizes_in_tile(keys, at);

        evaluate(value, p, (int64_t[3]){ b, h, i }, j + at, count);
        for (int64_t n = 0; n < count; n++)
            s[at + n] += (float)value[n];
    }
}

static void add_diagonals(double *to, const struct lct_plan *p,
                          const struct lct_tile *t, float *x)
{
    float sum[2 * LCT_TILE];

    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t i = t->rows; i < (int64_t)t->lanes; i++)
            x[j * (int64_t)t->lanes + i] = 0; /* no query is there */
    p->kernels->sum_diagonals(sum, x, (size_t)t->keys, t->lanes);
    for (int64_t d = 0; d < t->keys + t->rows - 1; d++)
        to[d] += (double)sum[d];
}

void lct_bias_add_entries(double *table, const struct lct_plan *p,
                          const struct lct_tile *t, float *x,
                          const struct lct_bias_entries *e)
{
    if (e->diagonal) {
        add_diagonals(table + e->at[t->keys - 1], p, t, x);
        return;
    }
    for (int64_t j = 0; j < t->keys; j++) {
        const float *row = x + j * (int64_t)t->lanes;

        for (int64_t i = 0; i < t->rows; i++)
            table[e->at[j] + e->shift[i]] += (double)row[i];
    }
}

void lct_bias_backward(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s, int64_t chunk_row, bool learns)
{
    double *table;
    struct lct_bias_entries e;

    if (p->bias_range == 0) {
        gradient_by_row(p, t, s,
                        learns ? lct_param_gradients_of_task(
                                     p, chunk_row, lct_plan_kv_head(p, t->h))
                               : NULL);
        return;
    }
    table = lct_param_gradients_table(p, chunk_row, t->h);
    find_entries(&e, p, t);
    if (p->tables->pwl != NULL) {
        lct_bias_pwl_backward(p, t, s, &e, table);
        return;
    }
    lct_bias_add_entries(table, p, t, s->ds, &e);
}
