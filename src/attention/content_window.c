/*
 * content_window.c - products of a tile with the rows that its pairs pick.
 *
 * A window holds the products of all queries with consecutive rows of a table.
 * Forward gathers from it the product that each pair of query and key picks;
 * backward scatters the gradients of pairs to it.
 */
#include "content_window.h"
#include "product.h"
#include <string.h>

/* -------------------------------------------------------------------- picks */

/* The entry of a difference, clamped to the entries of the table. */
static int64_t entry_of(const struct lct_content_table *table,
                        int64_t difference)
{
    int64_t last = table->first + (table->range - 1);

    difference = difference < table->first ? table->first : difference;
    return (difference > last ? last : difference) - table->first;
}

/* at [TILE keys, TILE] = the row of each pair. */
static void place_pairs(int32_t *at, const struct lct_plan *p,
                        const struct lct_tile *t,
                        const struct lct_content_table *table,
                        const int64_t *q_pos, const int64_t *k_pos)
{
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t i = 0; i < t->rows; i++)
            at[j * LCT_TILE + i] =
                table->v.pairs > 0
                    ? (int32_t)table->v.row(p->tables->content->e, q_pos[i],
                                            k_pos[j])
                    : table->row_of[entry_of(table,
                                             lct_distance(q_pos[i], k_pos[j]))];
}

struct lct_content_picks
lct_content_window_picks(const struct lct_plan *p, const struct lct_tile *t,
                         const struct lct_content_table *table, int32_t *at)
{
    int64_t row = lct_plan_row(p, t->b);
    const struct lct_extent *q =
        &p->tables->q_extent[row * p->q_tiles + t->i / LCT_TILE];
    const struct lct_extent *k =
        &p->tables->k_extent[row * p->k_tiles + t->j / LCT_TILE];
    struct lct_content_picks x = { .high = table->rows - 1, .at = at };

    /* If differences are clamped to int64, they do not follow diagonals. */
    x.diagonal = table->v.pairs == 0 && q->consecutive && k->consecutive &&
                 lct_distance(q->low, k->high) > -INT64_MAX &&
                 lct_distance(q->high, k->low) < INT64_MAX;
    if (table->v.pairs == 0) {
        int64_t a =
            table->row_of[entry_of(table, lct_distance(q->low, k->high))];
        int64_t b =
            table->row_of[entry_of(table, lct_distance(q->high, k->low))];

        x.low = a < b ? a : b;
        x.high = a < b ? b : a;
    }
    if (!x.diagonal) {
        place_pairs(at, p, t, table, p->tables->q_pos + row * p->T + t->i,
                    p->tables->k_pos + row * p->S + t->j);
        return x;
    }
    for (int64_t m = 0; m < t->rows + t->keys - 1; m++)
        at[m] = table->row_of[entry_of(table, q->low - k->high + m)];
    return x;
}

/* ------------------------------------------------------------------ forward */

/* Compute the products of rows from .. to - 1 of the window. */
static void fill_products(const struct lct_plan *p, const struct lct_tile *t,
                          const struct lct_content_table *table,
                          const struct lct_content_window *w, const float *cols,
                          int64_t from, int64_t to)
{
    struct lct_product x;

    if (from >= to)
        return;
    x = lct_product_of(
        (struct lct_product_rows){
            w->held + (from - w->low) * (int64_t)t->lanes, t->lanes },
        lct_content_window_vectors(p, table, t->h, from),
        lct_product_columns_of(cols), to - from, t->lanes, p->D);
    p->kernels->matmul(&x);
}

void lct_content_window_hold(const struct lct_plan *p, const struct lct_tile *t,
                             const struct lct_content_table *table,
                             struct lct_content_window *w, const float *cols,
                             int64_t low, int64_t high)
{
    int64_t from = low > w->low ? low : w->low;
    int64_t to = high < w->high ? high : w->high;

    if (low >= w->low && high <= w->high)
        return;
    if (from < to) /* rows in both windows stay */
        memmove(w->held + (from - low) * (int64_t)t->lanes,
                w->held + (from - w->low) * (int64_t)t->lanes,
                (size_t)(to - from) * t->lanes * sizeof(*w->held));
    else
        from = to = low;
    w->low = low;
    w->high = high;
    fill_products(p, t, table, w, cols, low, from);
    fill_products(p, t, table, w, cols, to, high);
}

static bool is_one_row(const struct lct_content_picks *x)
{
    return x->low == x->high;
}

void lct_content_window_gather(float *to, const struct lct_tile *t,
                               const struct lct_content_picks *x,
                               const struct lct_content_window *w)
{
    int64_t lanes = (int64_t)t->lanes, low = w->low;

    for (int64_t j = 0; j < t->keys; j++, to += lanes) {
        const int32_t *at = lct_content_window_picks_of(x, t, j);

        if (is_one_row(x))
            for (int64_t i = 0; i < lanes; i++)
                to[i] += w->held[(x->low - low) * lanes + i];
        else if (lct_content_window_holds(w, x))
            for (int64_t i = 0; i < t->rows; i++)
                to[i] += w->held[(at[i] - low) * lanes + i];
        else
            for (int64_t i = 0; i < t->rows; i++)
                if (at[i] >= low && at[i] < w->high)
                    to[i] += w->held[(at[i] - low) * lanes + i];
    }
}

void lct_content_window_scatter(const float *from, const struct lct_tile *t,
                                const struct lct_content_picks *x,
                                struct lct_content_window *w)
{
    int64_t lanes = (int64_t)t->lanes, low = w->low;

    for (int64_t j = 0; j < t->keys; j++, from += lanes) {
        const int32_t *at = lct_content_window_picks_of(x, t, j);

        if (is_one_row(x))
            for (int64_t i = 0; i < lanes; i++)
                w->held[(x->low - low) * lanes + i] += from[i];
        else if (lct_content_window_holds(w, x))
            for (int64_t i = 0; i < t->rows; i++)
                w->held[(at[i] - low) * lanes + i] += from[i];
        else
            for (int64_t i = 0; i < t->rows; i++)
                if (at[i] >= low && at[i] < w->high)
                    w->held[(at[i] - low) * lanes + i] += from[i];
    }
}

/* ----------------------------------------------------------------- backward */

void lct_content_window_add_rows(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 const struct lct_content_table *table,
                                 const float *rows,
                                 const struct lct_content_gradients *job,
                                 int64_t from, int64_t n)
{
    int64_t owner = table->heads == 1 ? lct_plan_kv_head(p, t->h) : t->h;
    double *to =
        table->dtable +
        ((job->chunk_row * table->owners + owner) * table->rows + from) * p->D;

    for (int64_t r = 0; r < n; r++, rows += p->padded, to += p->D)
        for (int64_t d = 0; d < p->D; d++)
            to[d] += (double)rows[d];
}

/*
 * Multiply rows from .. to - 1, which leave the window, into the gradients.
 * forward: s += y A^T, so dy += ds A (not for values) and dA += ds^T y.
 */
static void flush_rows(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s, int n, int64_t from, int64_t to,
                       const struct lct_content_gradients *job)
{
    const struct lct_content_table *table = &p->content->table[n];
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);
    const struct lct_content_window *w = &own->gradient[n];
    const float *ds = w->held + (from - w->low) * (int64_t)t->lanes;
    size_t padded = (size_t)p->padded;
    struct lct_product x;

    if (from >= to)
        return;
    if (table->v.times == LCT_TIMES_QUERY) {
        x = lct_product_of((struct lct_product_rows){ own->dy[n], padded },
                           lct_product_transposed(ds, t->lanes),
                           lct_content_window_vectors(p, table, t->h, from),
                           t->rows, padded, to - from);
        x.add = true;
        lct_product_multiply(p->kernels, &x, !table->finite);
    }
    if (!job->learns)
        return;
    x = lct_product_of((struct lct_product_rows){ own->rows, padded },
                       lct_product_rows_of(ds, t->lanes),
                       lct_product_rows_of(table->v.times == LCT_TIMES_WEIGHT
                                               ? s->dout
                                           : table->v.added >= 0 ? own->y[n]
                                                                 : s->q,
                                           padded),
                       to - from, padded, t->rows);
    lct_product_multiply(p->kernels, &x, true);
    lct_content_window_add_rows(p, t, table, own->rows, job, from, to - from);
}

/* Move the window of gradients to rows low .. high - 1. */
static void move_gradients(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s, int n, int64_t low,
                           int64_t high,
                           const struct lct_content_gradients *job)
{
    struct lct_content_window *w = &lct_content_scratch_of(p, s)->gradient[n];
    int64_t from = low > w->low ? low : w->low;
    int64_t to = high < w->high ? high : w->high;
    size_t row = t->lanes * sizeof(*w->held);

    if (low >= w->low && high <= w->high)
        return;
    if (from >= to)
        from = to = w->high;
    flush_rows(p, t, s, n, w->low, from, job);
    flush_rows(p, t, s, n, to, w->high, job);
    if (from < to)
        memmove(w->held + (from - low) * (int64_t)t->lanes,
                w->held + (from - w->low) * (int64_t)t->lanes,
                (size_t)(to - from) * row);
    else
        from = to = low;
    memset(w->held, 0, (size_t)(from - low) * row);
    memset(w->held + (to - low) * (int64_t)t->lanes, 0,
           (size_t)(high - to) * row);
    w->low = low;
    w->high = high;
}

void lct_content_window_scatter_rows(const struct lct_plan *p,
                                     const struct lct_tile *t,
                                     struct lct_scratch *s, int n,
                                     const struct lct_content_picks *x,
                                     const float *from,
                                     const struct lct_content_gradients *job)
{
    const struct lct_content_table *table = &p->content->table[n];
    struct lct_content_window *w = &lct_content_scratch_of(p, s)->gradient[n];

    if (table->rows <= LCT_CONTENT_WINDOW)
        move_gradients(p, t, s, n, 0, table->rows, job);
    for (int64_t at = x->low, end; at <= x->high; at = end) {
        end = lct_content_window_end(x, at);
        move_gradients(p, t, s, n, at, end, job);
        lct_content_window_scatter(from, t, x, w);
        if (lct_content_window_holds(w, x))
            return;
    }
}

void lct_content_window_release(const struct lct_plan *p,
                                const struct lct_tile *t, struct lct_scratch *s,
                                int n, const struct lct_content_gradients *job)
{
    struct lct_content_window *w = &lct_content_scratch_of(p, s)->gradient[n];

    flush_rows(p, t, s, n, w->low, w->high, job);
    w->low = w->high = 0;
}
