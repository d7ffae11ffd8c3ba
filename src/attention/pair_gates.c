/* pair_gates.c - gates that the scores of pairs read */
#include "pair_gates.h"
#include "../core/pool.h"
#include "load.h"
#include "pairs.h"
#include "param_gradients.h"
#include <math.h>
#include <string.h>

/* NULL: there are none. */
static const struct lct_pair_scores *hooks_of(const struct lct_plan *p)
{
    const struct lct_pair_scores *hooks;

    if (!lct_pairs_are_used(p))
        return NULL;
    hooks = p->request->content->e->row->content.pairs;
    return hooks->gate != NULL ? hooks : NULL;
}

bool lct_pair_gates_have_tiles(const struct lct_plan *p)
{
    return p->request->content->e->row->content.pairs->gate == NULL ||
           fabs(p->scale) >= 0x1p-40;
}

void lct_pair_gates_layout(struct lct_tables *tables, const struct lct_plan *p,
                           struct lct_arena *arena)
{
    const int64_t heads = p->B * p->H, each[2] = { p->T, p->S };

    if (hooks_of(p) == NULL)
        return;
    for (int role = 0; role < 2; role++) {
        tables->gate[role] = lct_arena_doubles(arena, heads, each[role]);
        tables->dgate[role] = lct_arena_doubles(arena, heads, each[role]);
    }
}

/* ------------------------------------------------------------------- values */

/* x times the factor of a query, in double. */
static void widen(double *out, const struct lct_plan *p, const float *x,
                  double factor)
{
    for (int64_t d = 0; d < p->D; d++)
        out[d] = factor * (double)x[d];
}

/* One tile of queries. */
static void fill_queries(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    struct lct_scratch *s = lct_scratch_of(p, slot, 0);
    int64_t head = (int64_t)task / p->q_tiles;
    struct lct_tile t =
        lct_tile_of(p, head / p->H, head % p->H, (int64_t)task % p->q_tiles);
    double *gate = p->tables->gate[LCT_QUERY] + head * p->T + t.i;

    lct_load_rotated_queries(p, s, s->q, (int64_t[3]){ t.b, t.h, t.i }, t.rows);
    for (int64_t i = 0; i < t.rows; i++) {
        widen(s->gate_rows, p, s->q + i * p->padded_q,
              lct_tables_factor(p, t.b, t.h, t.i + i));
        gate[i] =
            hooks_of(p)->gate(p->tables->content, LCT_QUERY, t.h, s->gate_rows);
    }
}

/* One tile of the keys that k holds, for all heads that read them. */
static void fill_keys(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    struct lct_scratch *s = lct_scratch_of(p, slot, 0);
    int64_t head = (int64_t)task / p->k_tiles, group = p->H / p->Hkv;
    int64_t first = head % p->Hkv * group;
    int64_t n = (int64_t)task % p->k_tiles;
    struct lct_tile t = lct_tile_of_keys(p, head / p->Hkv, first, n);
    size_t row;
    const float *keys;

    if (n < lct_plan_first_tile(p) || n >= lct_plan_end_tile(p, t.b))
        return;
    keys = lct_load_keys(p, &t, s, &row);
    for (int64_t j = 0; j < t.keys; j++) {
        widen(s->gate_rows, p, keys + (size_t)j * row, 1);
        for (int64_t h = first; h < first + group; h++)
            p->tables->gate[LCT_KEY][(t.b * p->H + h) * p->S + t.j + j] =
                hooks_of(p)->gate(p->tables->content, LCT_KEY, h, s->gate_rows);
    }
}

void lct_pair_gates_fill(const struct lct_plan *p)
{
    if (hooks_of(p) == NULL)
        return;
    lct_parallel_for((size_t)(p->B * p->H * p->q_tiles), p->slots, fill_queries,
                     (void *)p);
    lct_parallel_for((size_t)(p->B * p->Hkv * p->k_tiles), p->slots, fill_keys,
                     (void *)p);
}

/* ----------------------------------------------------------------- backward */

void lct_pair_gates_begin_backward(const struct lct_plan *p)
{
    const int64_t heads = p->B * p->H, each[2] = { p->T, p->S };

    if (hooks_of(p) == NULL)
        return;
    for (int role = 0; role < 2; role++)
        memset(p->tables->dgate[role], 0,
               (size_t)(heads * each[role]) * sizeof(double));
}

/* The gradients of parameters of a head; returns 'out', or NULL if they are not
 * wanted. */
static double **params_of(double *out[LCT_MAX_PARAMS],
                          const struct lct_backward *job, int64_t b,
                          int64_t kv_head)
{
    if (!job->learns)
        return NULL;
    lct_param_gradients_of(
        out, job->p, job->p->tables->content,
        lct_param_gradients_of_task(job->p, b - job->from, kv_head));
    return out;
}

/* dx [D] += factor times the gradient of the row in s->gate_rows; dx = NULL:
 * not wanted. */
static void row_backward(float *dx, double factor, const struct lct_plan *p,
                         double *const *dparam, double dgate,
                         enum lct_role role, int64_t h, struct lct_scratch *s)
{
    double *drow = s->gate_rows + p->D;

    memset(drow, 0, (size_t)p->D * sizeof(*drow));
    hooks_of(p)->gate_backward(drow, dparam, dgate, p->tables->content, role, h,
                               s->gate_rows);
    if (dx == NULL)
        return;
    for (int64_t d = 0; d < p->D; d++)
        dx[d] = (float)((double)dx[d] + factor * drow[d]);
}

/* forward: gate of factor R(q); s->dq is the gradient of scale factor R(q) */
void lct_pair_gates_end_queries(const struct lct_backward *job,
                                const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;
    double *memory[LCT_MAX_PARAMS], **dparam;
    const double *dgate;

    if (hooks_of(p) == NULL || !job->needs_dq)
        return;
    dparam = params_of(memory, job, t->b, lct_plan_kv_head(p, t->h));
    dgate = p->tables->dgate[LCT_QUERY] + (t->b * p->H + t->h) * p->T + t->i;
    lct_load_rotated_queries(p, s, s->q, (int64_t[3]){ t->b, t->h, t->i },
                             t->rows);
    for (int64_t i = 0; i < t->rows; i++) {
        if (dgate[i] == 0) /* it may see no key, and be NaN */
            continue;
        widen(s->gate_rows, p, s->q + i * p->padded_q,
              lct_tables_factor(p, t->b, t->h, t->i + i));
        row_backward(s->dq + i * p->padded_q, 1 / p->scale, p, dparam, dgate[i],
                     LCT_QUERY, t->h, s);
    }
}

static void keys_backward(const struct lct_backward *job,
                          const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;
    const double *dgate =
        p->tables->dgate[LCT_KEY] + (t->b * p->H + t->h) * p->S + t->j;
    struct lct_product_rows dk = lct_backward_dk(job, t, s);
    double *memory[LCT_MAX_PARAMS];
    double **dparam = params_of(memory, job, t->b, lct_plan_kv_head(p, t->h));
    size_t row;
    const float *keys = lct_load_keys(p, t, s, &row);

    for (int64_t j = 0; j < t->keys; j++) {
        if (dgate[j] == 0) /* no query may see it, and it may be NaN */
            continue;
        widen(s->gate_rows, p, keys + (size_t)j * row, 1);
        row_backward(dk.at == NULL ? NULL : dk.at + (size_t)j * dk.row, 1, p,
                     dparam, dgate[j], LCT_KEY, t->h, s);
    }
}

void lct_pair_gates_end_keys(const struct lct_backward *job, int64_t b,
                             int64_t kv_head, struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;
    int64_t group = p->H / p->Hkv;

    if (hooks_of(p) == NULL || (!job->needs_dk && !job->learns))
        return;
    for (int64_t h = kv_head * group; h < (kv_head + 1) * group; h++)
        for (int64_t k = lct_plan_first_tile(p); k < lct_plan_end_tile(p, b);
             k++) {
            struct lct_tile t = lct_tile_of_keys(p, b, h, k);

            keys_backward(job, &t, s);
        }
}
