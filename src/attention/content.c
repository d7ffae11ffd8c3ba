/* content.c - one tile: what the content door adds to scores and outputs */
#include "content_window.h"
#include <string.h>

/* -------------------------------------------------------------------- picks */

/* Entry of a difference, held to those there are. */
static int64_t entry_of(const struct lct_content_table *term,
                        int64_t difference)
{
    int64_t last = term->first + (term->range - 1);

    difference = difference < term->first ? term->first : difference;
    return (difference > last ? last : difference) - term->first;
}

static void place_pairs(int32_t *at, const struct lct_problem *p,
                        const struct lct_tile *t,
                        const struct lct_content_table *term,
                        const int64_t *q_pos, const int64_t *k_pos)
{
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t i = 0; i < t->rows; i++)
            at[j * LCT_TILE + i] =
                term->v.pairs > 0
                    ? (int32_t)term->v.row(p->content->e, q_pos[i], k_pos[j])
                    : term->row_of[entry_of(term, lct_distance(q_pos[i],
                                                               k_pos[j]))];
}

struct lct_content_picks
lct_content_window_picks(const struct lct_problem *p, const struct lct_tile *t,
                         const struct lct_content_table *term, int32_t *at)
{
    int64_t row = lct_problem_row(p, t->b);
    const struct lct_extent *q = &p->q_extent[row * p->q_tiles +
                                              t->i / LCT_TILE];
    const struct lct_extent *k = &p->k_extent[row * p->k_tiles +
                                              t->j / LCT_TILE];
    struct lct_content_picks x = { .high = term->rows - 1, .at = at };

    /* Differences beyond int64 are held to it, and do not count up. */
    x.diagonal = term->v.pairs == 0 && q->consecutive && k->consecutive &&
                 lct_distance(q->low, k->high) > -INT64_MAX &&
                 lct_distance(q->high, k->low) < INT64_MAX;
    if (term->v.pairs == 0) {
        int64_t a = term->row_of[entry_of(term, lct_distance(q->low, k->high))];
        int64_t b = term->row_of[entry_of(term, lct_distance(q->high, k->low))];

        x.low = a < b ? a : b;
        x.high = a < b ? b : a;
    }
    if (!x.diagonal) {
        place_pairs(at, p, t, term, p->q_pos + row * p->T + t->i,
                    p->k_pos + row * p->S + t->j);
        return x;
    }
    for (int64_t m = 0; m < t->rows + t->keys - 1; m++)
        at[m] = term->row_of[entry_of(term, q->low - k->high + m)];
    return x;
}

/* ----------------------------------------------------------------- windows */

static void add_products(const struct lct_problem *p, const struct lct_tile *t,
                         const struct lct_content_table *term,
                         const struct lct_content_window *w, const float *cols,
                         int64_t from, int64_t to)
{
    if (from >= to)
        return;
    p->kernels->matmul(&(struct lct_product){
        .c = w->held + (from - w->low) * (int64_t)t->lanes, .c_row = t->lanes,
        .a = lct_content_window_table(p, term, t->h) + from * p->padded,
        .a_row = (size_t)p->padded, .a_col = 1, .b = cols, .b_row = t->lanes,
        .m = (size_t)(to - from), .n = t->lanes, .k = (size_t)p->D });
}

void lct_content_window_hold(const struct lct_problem *p,
                             const struct lct_tile *t,
                             const struct lct_content_table *term,
                             struct lct_content_window *w, const float *cols,
                             int64_t low, int64_t high)
{
    int64_t from = low > w->low ? low : w->low;
    int64_t to = high < w->high ? high : w->high;

    if (low >= w->low && high <= w->high)
        return;
    if (from < to) /* keep these */
        memmove(w->held + (from - low) * (int64_t)t->lanes,
                w->held + (from - w->low) * (int64_t)t->lanes,
                (size_t)(to - from) * t->lanes * sizeof(*w->held));
    else
        from = to = low;
    w->low = low;
    w->high = high;
    add_products(p, t, term, w, cols, low, from);
    add_products(p, t, term, w, cols, to, high);
}

/* All pairs of a tile pick one row. */
static bool is_one_row(const struct lct_content_picks *x)
{
    return x->low == x->high;
}

static bool holds(const struct lct_content_window *w,
                  const struct lct_content_picks *x)
{
    return x->low >= w->low && x->high < w->high;
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
        else if (holds(w, x))
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
        else if (holds(w, x))
            for (int64_t i = 0; i < t->rows; i++)
                w->held[(at[i] - low) * lanes + i] += from[i];
        else
            for (int64_t i = 0; i < t->rows; i++)
                if (at[i] >= low && at[i] < w->high)
                    w->held[(at[i] - low) * lanes + i] += from[i];
    }
}

/* ----------------------------------------------------------------- queries */

/* y = q + scale a, as rows and columns. */
static void add_vector(const struct lct_problem *p, const struct lct_tile *t,
                       float *y, float *y_cols, const float *q, int param)
{
    const double *a = p->content->param[param] + t->h * p->D;
    size_t rows = (size_t)t->rows, lanes = t->lanes;

    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t d = 0; d < p->padded; d++)
            y[i * p->padded + d] =
                q[i * p->padded + d] +
                (d < p->D ? (float)(p->scale * a[d]) : 0);
    p->kernels->transpose(y_cols, lanes, y, (size_t)p->padded, rows,
                          (size_t)p->D);
    for (int64_t d = 0; rows < lanes && d < p->D; d++)
        memset(y_cols + (size_t)d * lanes + rows, 0,
               (lanes - rows) * sizeof(*y_cols));
}

void lct_content_open(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s)
{
    const struct lct_content_plan *plan = &p->terms;
    struct lct_content_scratch *own = lct_content_of(p, s);

    for (int n = 0; n < plan->terms.count; n++) {
        int added = plan->term[n].v.added;

        own->product[n].low = own->product[n].high = 0;
        own->gradient[n].low = own->gradient[n].high = 0;
        memset(own->dy[n], 0,
               (size_t)(t->rows * p->padded) * sizeof(*own->dy[n]));
        if (added >= 0)
            add_vector(p, t, own->y[n], own->y_cols[n], s->q, added);
    }
    if (plan->terms.near_far)
        lct_content_far_open(p, t, s);
    if (plan->terms.u >= 0)
        add_vector(p, t, s->q, s->q_cols, s->q, plan->terms.u);
}

/* ------------------------------------------------------------------ scores */

static void add_query_rows(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s,
                           int n)
{
    const struct lct_content_table *term = &p->terms.term[n];
    struct lct_content_scratch *own = lct_content_of(p, s);
    struct lct_content_picks x = lct_content_window_picks(p, t, term, own->at);
    const float *cols = term->v.added >= 0 ? own->y_cols[n] : s->q_cols;

    if (term->rows <= LCT_CONTENT_WINDOW)
        lct_content_window_hold(p, t, term, &own->product[n], cols, 0,
                                term->rows);
    for (int64_t at = x.low, end; at <= x.high; at = end) {
        end = lct_content_window_end(&x, at);
        lct_content_window_hold(p, t, term, &own->product[n], cols, at, end);
        lct_content_window_gather(s->s, t, &x, &own->product[n]);
        if (holds(&own->product[n], &x))
            return;
    }
}

/* s->s += k K[m]: the keys with a window of rows. */
static void add_key_rows(const struct lct_problem *p, const struct lct_tile *t,
                         struct lct_scratch *s,
                         const struct lct_content_table *term,
                         const float *keys, size_t key_row)
{
    struct lct_content_scratch *own = lct_content_of(p, s);
    struct lct_content_picks x = lct_content_window_picks(p, t, term, own->at);
    const float *columns = term->columns +
                           (term->heads == 1 ? 0 : t->h) * p->D * term->wide;
    bool whole = x.high - x.low < LCT_CONTENT_WINDOW;

    for (int64_t from = x.low, end; from <= x.high; from = end) {
        size_t n;

        end = lct_content_window_end(&x, from);
        n = (size_t)(end - from + LCT_PAD - 1) / LCT_PAD * LCT_PAD;
        p->kernels->matmul(&(struct lct_product){
            .c = own->keys, .c_row = LCT_CONTENT_WINDOW, .a = keys,
            .a_row = key_row, .a_col = 1, .b = columns + from,
            .b_row = (size_t)term->wide,
            .m = (size_t)t->keys, .n = n, .k = (size_t)p->D });
        for (int64_t j = 0; j < t->keys; j++) {
            const int32_t *at = lct_content_window_picks_of(&x, t, j);
            const float *row = own->keys + j * LCT_CONTENT_WINDOW;
            float *to = s->s + j * (int64_t)t->lanes;

            for (int64_t i = 0; whole && i < t->rows; i++)
                to[i] += row[at[i] - from];
            for (int64_t i = 0; !whole && i < t->rows; i++)
                if (at[i] >= from && at[i] < end)
                    to[i] += row[at[i] - from];
        }
    }
}

void lct_content_scores(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s, const float *keys,
                        size_t key_row)
{
    const struct lct_content_plan *plan = &p->terms;
    float factor = (float)plan->terms.factor;

    for (int n = 0; n < plan->terms.count; n++) {
        if (plan->term[n].v.meets == LCT_MEETS_QUERY)
            add_query_rows(p, t, s, n);
        else if (plan->term[n].v.meets == LCT_MEETS_KEY)
            add_key_rows(p, t, s, &plan->term[n], keys, key_row);
    }
    if (plan->terms.gate_weight >= 0)
        lct_content_gates_scores(p, t, s);
    for (int64_t n = 0; factor != 1 && n < t->keys * (int64_t)t->lanes; n++)
        s->s[n] *= factor;
}

/* ------------------------------------------------------------------ values */

/*
 * Weights are gathered by rows, then rows are added in ascending order; a row
 * that a query does not meet has weight 0, which changes nothing, so the sum of
 * a query does not depend on the others of its tile.
 */
static void add_value_rows(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s,
                           const struct lct_content_table *term)
{
    struct lct_content_scratch *own = lct_content_of(p, s);
    struct lct_content_picks x = lct_content_window_picks(p, t, term, own->at);
    struct lct_content_window w = { .held = own->keys };

    for (w.low = x.low; w.low <= x.high; w.low = w.high) {
        struct lct_product o = { .c = s->out, .c_row = (size_t)p->padded,
                                 .a = w.held, .a_row = 1, .a_col = t->lanes,
                                 .b_row = (size_t)p->padded,
                                 .m = (size_t)t->rows, .n = (size_t)p->padded,
                                 .add = true };

        w.high = lct_content_window_end(&x, w.low);
        memset(w.held, 0, (size_t)(w.high - w.low) * t->lanes *
                              sizeof(*w.held));
        lct_content_window_scatter(s->s, t, &x, &w);
        o.b = lct_content_window_table(p, term, t->h) + w.low * p->padded;
        o.k = (size_t)(w.high - w.low);
        lct_multiply(p->kernels, &o, !term->finite);
    }
}

void lct_content_values(const struct lct_problem *p, const struct lct_tile *t,
                        struct lct_scratch *s)
{
    for (int n = 0; n < p->terms.terms.count; n++)
        if (p->terms.term[n].v.meets == LCT_MEETS_WEIGHT)
            add_value_rows(p, t, s, &p->terms.term[n]);
}
