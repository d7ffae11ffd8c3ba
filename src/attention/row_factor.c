/* row_factor.c - the factor of each query by the number of keys it sees */
#include "row_factor.h"
#include "../core/pool.h"
#include "load.h"
#include "mask.h"
#include "order.h"
#include "param_gradients.h"
#include "relations.h"

/* Mask hooks may differ between heads, everything else does not. */
static int64_t heads_of_counts(const struct lct_plan *p)
{
    return p->request->mask_hooks > 0 ? p->H : 1;
}

void lct_row_factor_layout(struct lct_tables *tables, const struct lct_plan *p,
                           struct lct_arena *arena)
{
    int64_t rows = p->position_rows;

    if (p->request->row == NULL)
        return;
    tables->row_factor = lct_arena_doubles(arena, rows * p->H, p->T);
    tables->row_count = lct_arena_ints(arena, rows * heads_of_counts(p), p->T);
    tables->row_order = lct_arena_ints(arena, rows, p->S);
}

/* ---------------------------------------------------------------- counting */

/* Keys of one row of positions. */
struct keys {
    const int64_t *pos, *doc; /* doc: NULL if there are no documents */
};

static bool comes_before(const void *context, int64_t a, int64_t b)
{
    const struct keys *k = context;

    if (k->doc != NULL && k->doc[a] != k->doc[b])
        return k->doc[a] < k->doc[b];
    return k->pos[a] != k->pos[b] ? k->pos[a] < k->pos[b] : a < b;
}

/* The number of keys of documents before 'doc', or of it and below 'pos'. */
static int64_t keys_below(const struct keys *k, const int64_t *order, int64_t n,
                          int64_t doc, int64_t pos)
{
    int64_t low = 0;

    while (low < n) {
        int64_t middle = low + (n - low) / 2, key = order[middle];
        bool below = k->doc != NULL && k->doc[key] != doc ? k->doc[key] < doc
                                                          : k->pos[key] < pos;

        if (below)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

/* a + b, at most INT64_MAX. */
static int64_t add_up(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Count by binary search in the sorted keys. */
static void count_sorted(const struct lct_plan *p, int64_t row)
{
    const struct lct_tables *tables = p->tables;
    int64_t window = p->request->window,
            *order = tables->row_order + row * p->S;
    struct keys k = { .pos = tables->k_pos + row * p->S };

    if (p->documents)
        k.doc = tables->k_docs + row * p->S;
    lct_order_sort(order, p->S, comes_before, &k);
    for (int64_t i = 0; i < p->T; i++) {
        int64_t pos = tables->q_pos[row * p->T + i];
        int64_t doc = p->documents ? tables->q_docs[row * p->T + i] : 0;
        int64_t low = INT64_MIN, end = INT64_MAX;

        if (window > 0) {
            low = pos < INT64_MIN + window ? INT64_MIN : pos - window + 1;
            end = add_up(pos, window);
        }
        if (p->request->causal)
            end = add_up(pos, 1);
        tables->row_count[row * p->T + i] =
            doc < 0 ? 0
                    : keys_below(&k, order, p->S, doc, end) -
                          keys_below(&k, order, p->S, doc, low);
    }
}

/* Count by asking the mask hooks of one head about each pair. */
static void count_pairs(const struct lct_plan *p, int64_t row, int64_t head)
{
    int64_t *count = p->tables->row_count + (row * p->H + head) * p->T;

    for (int64_t i = 0; i < p->T; i++) {
        count[i] = 0;
        for (int64_t j = 0; j < p->S; j++)
            count[i] += lct_mask_visible(p, row, head, i, j);
    }
}

static void fill_head(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    const struct lct_tables *tables = p->tables;
    int64_t heads = heads_of_counts(p), row = (int64_t)task / heads;
    int64_t head = (int64_t)task % heads, end = heads == 1 ? p->H : head + 1;

    (void)slot;
    if (p->request->mask_hooks > 0)
        count_pairs(p, row, head);
    else
        count_sorted(p, row);
    for (int64_t h = head; h < end; h++)
        for (int64_t i = 0; i < p->T; i++) {
            int64_t count = tables->row_count[(int64_t)task * p->T + i];

            tables->row_factor[(row * p->H + h) * p->T + i] =
                count == 0
                    ? 0
                    : tables->row->e->row->factors.row(tables->row, h, count);
        }
}

void lct_row_factor_fill(const struct lct_plan *p)
{
    if (p->request->row != NULL)
        lct_parallel_for((size_t)(p->position_rows * heads_of_counts(p)),
                         p->slots, fill_head, (void *)p);
}

/* ---------------------------------------------------------------- gradients */

void lct_row_factor_backward(const struct lct_plan *p, const int64_t at[3],
                             double dout, double *sums)
{
    const struct lct_call *call = p->tables->row;
    int64_t row = lct_plan_row(p, at[0]), heads = heads_of_counts(p);
    int64_t head = heads == 1 ? 0 : at[1];
    int64_t count = p->tables->row_count[(row * heads + head) * p->T + at[2]];
    double *dparam[LCT_MAX_PARAMS];

    if (count == 0)
        return;
    lct_param_gradients_of(dparam, p, call, sums);
    call->e->row->factors.row_backward(dparam, call, at[1], count, dout);
}

static double product(const float *x, const float *y, int64_t n)
{
    double sum = 0;

    for (int64_t d = 0; d < n; d++)
        sum += (double)x[d] * (double)y[d];
    return sum;
}

/*
 * forward: q = scale tau factor R(q), so d factor = scale tau <R(q), sum of ds
 * k>.  R(q) is computed again: the factor, which s->q has, may be 0.
 */
void lct_row_factor_backward_tile(const struct lct_backward *job,
                                  const struct lct_tile *t,
                                  struct lct_scratch *s)
{
    const struct lct_plan *p = job->p;
    double *sums = lct_param_gradients_of_task(p, t->b - job->from,
                                               lct_plan_kv_head(p, t->h));

    for (int64_t i = 0; i < t->rows; i++) {
        int64_t at[3] = { t->b, t->h, t->i + i };
        double sum;

        lct_load_rotated_queries(p, s, s->query, at, 1);
        sum = product(s->query, s->dq + i * p->padded_q, p->padded_q);
        for (int r = 1; r < lct_tables_relations(p); r++) {
            if (!(s->relations >> r & 1))
                continue;
            lct_relations_rotated(p, s->query, at, 1, r);
            sum += product(s->query,
                           lct_relations_queries(s, r).dq + i * p->padded_q,
                           p->padded_q);
        }
        if (p->tables->tau != NULL)
            sum *= p->tables->tau[lct_plan_row(p, t->b) * p->T + at[2]];
        lct_row_factor_backward(p, at, p->scale * sum, sums);
    }
}
