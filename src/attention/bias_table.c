/* bias_table.c - a table of biases by difference, and its gradients */
#include "bias_table.h"
#include "../core/pool.h"
#include "../encodings/piecewise.h"
#include "bias.h"
#include "bias_pwl.h"
#include "param_gradients.h"
#include <string.h>

/* ----------------------------------------------------------------- planning */

/* d = the extent of q - k; false: it exceeds int64. */
static bool differences(struct lct_span *d, struct lct_span q,
                        struct lct_span k)
{
    return !__builtin_sub_overflow(q.low, k.high, &d->low) &&
           !__builtin_sub_overflow(q.high, k.low, &d->high);
}

/*
 * Extent of a row's position keys.  A position key depends on the last position
 * of the document, which is in 'last': each position is tried with both ends.
 */
static struct lct_span position_keys(const struct lct_plan *p,
                                     const struct lct_positions *t,
                                     enum lct_role role, int64_t row,
                                     struct lct_span last)
{
    struct lct_positions_row r = lct_positions_row_of(t, row);
    struct lct_span x = { INT64_MAX, INT64_MIN };
    struct lct_call call = *p->request->score;

    for (int64_t i = 0; i < 2 * t->n; i++) {
        int64_t at;

        call.last = i % 2 == 0 ? last.low : last.high;
        at = call.e->row->score.fast.position_key(
            &call, role, lct_positions_row_at(&r, i / 2));
        x.low = at < x.low ? at : x.low;
        x.high = at > x.high ? at : x.high;
    }
    return x;
}

/* Of queries or, as in lct_positions_query_extent(), of queries and keys. */
static struct lct_span query_keys(const struct lct_plan *p, int64_t row,
                                  struct lct_span last)
{
    const struct lct_positions queries =
        lct_positions_of(p->request, LCT_QUERY);
    const struct lct_positions keys = lct_positions_of(p->request, LCT_KEY);
    struct lct_span q = position_keys(p, &queries, LCT_QUERY, row, last), k;

    if (p->request->leaves == 0)
        return q;
    k = position_keys(p, &keys, LCT_QUERY, row, last);
    q.low = k.low < q.low ? k.low : q.low;
    q.high = k.high > q.high ? k.high : q.high;
    return q;
}

/* Extent of the differences of one row of positions. */
static bool row_differences(struct lct_span *d, const struct lct_plan *p,
                            int64_t row)
{
    const struct lct_positions keys = lct_positions_of(p->request, LCT_KEY);
    struct lct_extent q = lct_positions_query_extent(p->request, row);
    struct lct_extent k = lct_positions_extent(&keys, row);

    if (p->bias_keys) {
        struct lct_span last = { p->documents ? k.low : k.high, k.high };

        return differences(d, query_keys(p, row, last),
                           position_keys(p, &keys, LCT_KEY, row, last));
    }
    if (!differences(d, (struct lct_span){ q.low, q.high },
                     (struct lct_span){ k.low, k.high }))
        return false;
    /* Pairs with lower differences are in tiles that are skipped. */
    if (p->request->causal && q.consecutive && k.consecutive &&
        d->low < -2 * LCT_TILE)
        d->low = -2 * LCT_TILE;
    return true;
}

bool lct_bias_table_differences(struct lct_span *all, const struct lct_plan *p)
{
    int64_t most = (p->bias_keys ? 8 : 4) * lct_plan_tokens(p) + 1024, range;

    *all = (struct lct_span){ INT64_MAX, INT64_MIN };
    for (int64_t row = 0; row < p->position_rows; row++) {
        struct lct_span one;

        if (!row_differences(&one, p, row))
            return false;
        all->low = one.low < all->low ? one.low : all->low;
        all->high = one.high > all->high ? one.high : all->high;
    }
    return !__builtin_sub_overflow(all->high, all->low, &range) && range < most;
}

/*
 * A single query uses each entry once, so its biases are computed when they are
 * needed, unless one evaluation gives the biases of all heads.
 */
static bool needs_no_table(const struct lct_plan *p,
                           const struct lct_encoding *e)
{
    return p->engine == LCT_DECODE && p->T == 1 &&
           e->score.fast.piecewise == NULL && e->score.heads == NULL;
}

void lct_bias_table_plan(struct lct_plan *p)
{
    const struct lct_call *score = p->request->score;
    const struct lct_score_door *door;
    struct lct_span all;
    int64_t sums = 0;

    if (p->engine == LCT_REFERENCE || score == NULL || p->T == 0 || p->S == 0 ||
        p->request->real)
        return;
    door = &score->e->row->score;
    p->bias_keys = !(score->e->traits & LOCANT_TRAIT_RELATIVE) &&
                   door->fast.piecewise == NULL;
    if ((p->bias_keys ? door->fast.position_key == NULL
                      : needs_no_table(p, score->e->row)) ||
        !lct_bias_table_differences(&all, p)) {
        p->bias_keys = false;
        return;
    }
    p->bias_first = all.low;
    p->bias_range = all.high - all.low + 1;
    if (door->fast.piecewise != NULL) /* gradients need room (bias_pwl.h) */
        sums = 2 * door->fast.piecewise->pieces(score->e) + 2;
    p->bias_range = p->bias_range > sums ? p->bias_range : sums;
}

/* ------------------------------------------------------------------- layout */

void lct_bias_table_layout(struct lct_tables *tables, const struct lct_plan *p,
                           struct lct_arena *arena)
{
    if (p->bias_range == 0)
        return;
    tables->q_key = tables->q_pos;
    tables->k_key = tables->k_pos;
    if (p->bias_keys) {
        tables->q_key = lct_arena_ints(arena, p->position_rows, p->T);
        tables->k_key = lct_arena_ints(arena, p->position_rows, p->S);
    }
    if (tables->score->e->row->score.fast.piecewise != NULL) {
        lct_bias_pwl_layout(tables, p, arena);
        return;
    }
    tables->bias = lct_arena_floats(arena, p->H, p->bias_range + LCT_PAD);
    if (tables->score->e->row->score.heads != NULL)
        tables->bias_heads = lct_arena_doubles(arena, p->slots, p->H);
}

/* ---------------------------------------------------------------- runs */

enum { RUN = 32 };

/* A run of n entries: those of one query and n keys. */
struct run {
    struct lct_call call;
    int64_t n, q_pos, k_pos[RUN];
};

/*
 * Set x to the longest run of entries from 'at' on that ends by 'end'.  false:
 * no pair has entry 'at', and x->n is 1.
 */
static bool run_at(struct run *x, const struct lct_plan *p, int64_t at,
                   int64_t end)
{
    x->call = lct_bias_call(p, 0, 0);
    x->n = 1;
    x->q_pos = p->bias_first + at;
    if (p->bias_keys)
        return x->call.e->row->score.fast.pair_of(&x->q_pos, x->k_pos, &x->call,
                                                  p->bias_first + at);
    x->n = end - at < RUN ? end - at : RUN;
    for (int64_t i = 0; i < x->n; i++)
        x->k_pos[i] = -i;
    return true;
}

/* Evaluate all heads at once if 'heads' [H] is not NULL, else head by head. */
static void fill_run(const struct lct_plan *p, const struct run *x, int64_t at,
                     double *heads)
{
    const struct lct_encoding *row = x->call.e->row;
    int64_t width = p->bias_range + LCT_PAD;
    float *to = p->tables->bias + at;
    double value[RUN];

    if (heads != NULL) {
        for (int64_t i = 0; i < x->n; i++) {
            row->score.heads(heads, &x->call, 0, p->H, x->q_pos, x->k_pos[i]);
            for (int64_t h = 0; h < p->H; h++)
                to[h * width + i] = (float)heads[h];
        }
        return;
    }
    for (int64_t h = 0; h < p->H; h++) {
        row->score.bias(value, &x->call, h, x->q_pos, x->k_pos, (size_t)x->n);
        for (int64_t i = 0; i < x->n; i++)
            to[h * width + i] = (float)value[i];
    }
}

static double *heads_of(const struct lct_plan *p, int slot)
{
    double *heads = p->tables->bias_heads;

    return heads == NULL ? NULL : heads + slot * p->H;
}

static void fill_entries(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    int64_t at = (int64_t)task * RUN, end = at + RUN;
    struct run x;

    end = end > p->bias_range ? p->bias_range : end;
    for (; at < end; at += x.n)
        if (run_at(&x, p, at, end))
            fill_run(p, &x, at, heads_of(p, slot));
}

static void fill_position_keys(const struct lct_plan *p)
{
    const struct lct_tables *tables = p->tables;
    int64_t T = p->position_rows * p->T, S = p->position_rows * p->S;

    for (int64_t i = 0; i < T; i++) {
        struct lct_call call = lct_bias_call(p, i / p->T, i % p->T);

        tables->q_key[i] = call.e->row->score.fast.position_key(
            &call, LCT_QUERY, tables->q_pos[i]);
    }
    for (int64_t j = 0; j < S; j++)
        tables->k_key[j] = tables->score->e->row->score.fast.position_key(
            tables->score, LCT_KEY, tables->k_pos[j]);
}

void lct_bias_table_fill(const struct lct_plan *p)
{
    if (p->bias_range == 0)
        return;
    if (p->bias_keys)
        fill_position_keys(p);
    if (p->tables->pwl != NULL) {
        lct_bias_pwl_fill(p);
        return;
    }
    memset(p->tables->bias, 0,
           (size_t)(p->H * (p->bias_range + LCT_PAD)) * sizeof(float));
    lct_parallel_for((size_t)((p->bias_range + RUN - 1) / RUN), p->slots,
                     fill_entries, (void *)p);
}

/* ---------------------------------------------------------------- gradients */

/* forward: fill_run() */
static void accumulate_run(const struct lct_plan *p, const struct run *x,
                           int64_t at, double *const *dparam, double *heads)
{
    const struct lct_encoding *row = x->call.e->row;
    const double *from = p->gradients->bias_total + at;

    if (heads == NULL) {
        for (int64_t h = 0; h < p->H; h++)
            row->score.backward(dparam, &x->call, h, x->q_pos, x->k_pos,
                                from + h * p->table_width, (size_t)x->n);
        return;
    }
    for (int64_t i = 0; i < x->n; i++) {
        bool any = false;

        for (int64_t h = 0; h < p->H; h++) {
            heads[h] = from[h * p->table_width + i];
            any |= heads[h] != 0;
        }
        if (any)
            row->score.heads_backward(dparam, &x->call, 0, p->H, x->q_pos,
                                      x->k_pos[i], heads);
    }
}

/* Add a part of the table's gradients to a row of params. */
static void accumulate_part(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    int64_t part = (p->bias_range + LCT_PARAM_GRADIENTS_PARTS - 1) /
                   LCT_PARAM_GRADIENTS_PARTS;
    int64_t at = (int64_t)task * part, end = at + part;
    double *dparam[LCT_MAX_PARAMS];
    double *to = p->gradients->params + (task + 1) * p->params;
    struct run x;

    memset(to, 0, p->params * sizeof(*to));
    lct_param_gradients_of(dparam, p, p->tables->score, to);
    end = end > p->bias_range ? p->bias_range : end;
    for (; at < end; at += x.n)
        if (run_at(&x, p, at, end))
            accumulate_run(p, &x, at, dparam, heads_of(p, slot));
}

void lct_bias_table_accumulate(const struct lct_plan *p)
{
    double *sum = p->gradients->params;

    if (p->tables->pwl != NULL) {
        lct_bias_pwl_accumulate(p);
        return;
    }
    if (p->bias_range == 0 || !lct_bias_learns(p))
        return;
    lct_parallel_for(LCT_PARAM_GRADIENTS_PARTS, p->slots, accumulate_part,
                     (void *)p);
    for (size_t part = 1; part <= LCT_PARAM_GRADIENTS_PARTS; part++)
        for (size_t n = 0; n < p->params; n++)
            sum[n] += sum[part * p->params + n];
}
