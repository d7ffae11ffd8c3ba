/*
 * bias_table.c - biases evaluated once for each difference: of positions, or
 * of what the encoding folds them to; and gradients back from there.
 */
#include "../core/pool.h"
#include "../encodings/piecewise.h"
#include "bias.h"
#include "positions.h"
#include <string.h>

/* ----------------------------------------------------------------- planning */

/* false: beyond int64. */
static bool differences(struct lct_span *d, struct lct_span q,
                        struct lct_span k)
{
    return !__builtin_sub_overflow(q.low, k.high, &d->low) &&
           !__builtin_sub_overflow(q.high, k.low, &d->high);
}

/* What the tokens of a row fold to; 'last' is where p->q_last may be. */
static struct lct_span folds(const struct lct_problem *p,
                             const struct lct_positions *t, enum lct_role role,
                             int64_t row, struct lct_span last)
{
    struct lct_positions_row r = lct_positions_row_of(t, row);
    struct lct_span x = { INT64_MAX, INT64_MIN };
    struct lct_call call = *p->score;

    for (int64_t i = 0; i < 2 * t->n; i++) {
        int64_t at;

        call.last = i % 2 == 0 ? last.low : last.high;
        at = call.e->row->score.fast.position_key(&call, role, lct_positions_row_at(&r, i / 2));
        x.low = at < x.low ? at : x.low;
        x.high = at > x.high ? at : x.high;
    }
    return x;
}

/* Differences of one row of tokens. */
static bool row_differences(struct lct_span *d, const struct lct_problem *p,
                            const locant_attention *a, int64_t row)
{
    struct lct_extent q = lct_positions_queries_extent(p, a, row);
    struct lct_extent k = lct_positions_keys_extent(p, a, row);

    if (p->folded) {
        struct lct_positions queries = lct_positions_of_queries(p, a),
            keys = lct_positions_of_keys(p, a);
        struct lct_span last = { p->documents ? k.low : k.high, k.high };

        return differences(d, folds(p, &queries, LCT_QUERY, row, last),
                           folds(p, &keys, LCT_KEY, row, last));
    }
    if (!differences(d, (struct lct_span){ q.low, q.high },
                     (struct lct_span){ k.low, k.high }))
        return false;
    /* Tiles of tokens one after another that are seen reach so far ahead. */
    if (p->causal && q.consecutive && k.consecutive && d->low < -2 * LCT_TILE)
        d->low = -2 * LCT_TILE;
    return true;
}

/* Of all rows; false: there is no form for a table, or they are too many. */
static bool all_differences(struct lct_span *all, const struct lct_problem *p,
                            const locant_attention *a)
{
    int64_t most = (p->folded ? 8 : 4) * (p->T + p->S) + 1024, range;

    *all = (struct lct_span){ INT64_MAX, INT64_MIN };
    for (int64_t row = 0; row < p->position_rows; row++) {
        struct lct_span one;

        if (!row_differences(&one, p, a, row))
            return false;
        all->low = one.low < all->low ? one.low : all->low;
        all->high = one.high > all->high ? one.high : all->high;
    }
    return !__builtin_sub_overflow(all->high, all->low, &range) && range < most;
}

/*
 * One query uses each entry once: its row of biases is formed as it is needed,
 * unless those of all heads come from one evaluation.
 */
static bool needs_no_table(const struct lct_problem *p)
{
    const struct lct_encoding *e = p->score->e->row;

    return p->few && p->T == 1 && e->score.fast.piecewise == NULL && e->score.heads == NULL;
}

/*
 * A table is worth it unless positions lie so far apart that it would outgrow
 * the tokens: then the bias is formed per tile instead.
 */
int64_t lct_bias_table_plan(struct lct_problem *p, const locant_attention *a)
{
    const struct lct_encoding *e;
    struct lct_span all;
    int64_t range, sums;

    if (p->by_rows || p->score == NULL || p->T == 0 || p->S == 0)
        return 0;
    e = p->score->e->row;
    p->folded = !(p->score->e->traits & LOCANT_TRAIT_RELATIVE) &&
                e->score.fast.piecewise == NULL;
    if (!p->folded && needs_no_table(p))
        return 0;
    if ((p->folded && e->score.fast.position_key == NULL) || !all_differences(&all, p, a)) {
        p->folded = false;
        return 0;
    }
    p->first = all.low;
    range = all.high - all.low + 1;
    sums = e->score.fast.piecewise != NULL ? 2 * e->score.fast.piecewise->pieces(p->score->e) + 2 : 0;
    return range > sums ? range : sums;
}

/* ------------------------------------------------------------------- layout */

void lct_bias_table_layout(struct lct_problem *p, struct lct_arena *arena)
{
    if (p->range == 0)
        return;
    p->q_at = p->q_pos;
    p->k_at = p->k_pos;
    if (p->folded) {
        p->q_at = lct_arena_alloc(arena, p->position_rows, p->T,
                                  sizeof(int64_t));
        p->k_at = lct_arena_alloc(arena, p->position_rows, p->S,
                                  sizeof(int64_t));
    }
    if (p->score->e->row->score.fast.piecewise != NULL) {
        lct_bias_pwl_layout(p, arena);
        return;
    }
    p->table = lct_arena_alloc(arena, p->H, p->range + LCT_PAD, sizeof(float));
    if (p->score->e->row->score.heads != NULL)
        p->heads = lct_arena_alloc(arena, p->slots, p->H, sizeof(double));
}

void lct_bias_table_layout_gradients(struct lct_problem *p,
                                     struct lct_arena *arena)
{
    p->dtable = lct_arena_alloc(arena, p->chunk * p->H, p->range,
                                sizeof(double));
    p->dtotal = p->dtable;
    if (p->chunk < p->B)
        p->dtotal = lct_arena_alloc(arena, p->H, p->range, sizeof(double));
}

/* ---------------------------------------------------------------- stretches */

enum { STRETCH = 32 };

/* Entries at .. at + n - 1 as keys of one query at those differences. */
struct stretch {
    struct lct_call call;
    int64_t n, q_pos, k_pos[STRETCH];
};

/* The longest from entry 'at' on, before 'end'; false: 'at' is unused. */
static bool stretch_at(struct stretch *x, const struct lct_problem *p,
                       int64_t at, int64_t end)
{
    x->call = lct_bias_call(p, 0, 0);
    x->n = 1;
    x->q_pos = p->first + at;
    if (p->folded)
        return x->call.e->row->score.fast.pair_of(&x->q_pos, x->k_pos, &x->call,
                                      p->first + at);
    x->n = end - at < STRETCH ? end - at : STRETCH;
    for (int64_t i = 0; i < x->n; i++)
        x->k_pos[i] = -i;
    return true;
}

static void fill_stretch(const struct lct_problem *p, const struct stretch *x,
                         int64_t at, double *heads)
{
    const struct lct_encoding *row = x->call.e->row;
    float *to = p->table + at;
    double value[STRETCH];

    for (int64_t i = 0; heads != NULL && i < x->n; i++) {
        row->score.heads(heads, &x->call, 0, p->H, x->q_pos, x->k_pos[i]);
        for (int64_t h = 0; h < p->H; h++)
            to[h * (p->range + LCT_PAD) + i] = (float)heads[h];
    }
    for (int64_t h = 0; heads == NULL && h < p->H; h++) {
        row->score.bias(value, &x->call, h, x->q_pos, x->k_pos, (size_t)x->n);
        for (int64_t i = 0; i < x->n; i++)
            to[h * (p->range + LCT_PAD) + i] = (float)value[i];
    }
}

static void fill_entries(void *context, size_t task, int slot)
{
    const struct lct_problem *p = context;
    int64_t at = (int64_t)task * STRETCH, end = at + STRETCH;
    double *heads = p->heads != NULL ? p->heads + slot * p->H : NULL;
    struct stretch x;

    end = end > p->range ? p->range : end;
    for (; at < end; at += x.n)
        if (stretch_at(&x, p, at, end))
            fill_stretch(p, &x, at, heads);
}

void lct_bias_table_fill(struct lct_problem *p)
{
    int64_t T = p->position_rows * p->T, S = p->position_rows * p->S;

    if (p->range == 0)
        return;
    for (int64_t i = 0; p->folded && i < T; i++) {
        struct lct_call call = lct_bias_call(p, i / p->T, i % p->T);

        p->q_at[i] = call.e->row->score.fast.position_key(&call, LCT_QUERY, p->q_pos[i]);
    }
    for (int64_t j = 0; p->folded && j < S; j++)
        p->k_at[j] = p->score->e->row->score.fast.position_key(p->score, LCT_KEY, p->k_pos[j]);
    if (p->bending != NULL) {
        lct_bias_pwl_fill(p);
        return;
    }
    memset(p->table, 0, (size_t)(p->H * (p->range + LCT_PAD)) * sizeof(float));
    lct_parallel_for((size_t)((p->range + STRETCH - 1) / STRETCH), p->slots,
                     fill_entries, p);
}

/* ---------------------------------------------------------------- gradients */

static void deliver_stretch(const struct lct_problem *p,
                            const struct stretch *x, int64_t at,
                            double *const *dparam, double *heads)
{
    const struct lct_encoding *row = x->call.e->row;
    const double *from = p->dtotal + at;

    for (int64_t i = 0; heads != NULL && i < x->n; i++) {
        bool any = false;

        for (int64_t h = 0; h < p->H; h++) {
            heads[h] = from[h * p->range + i];
            any |= heads[h] != 0;
        }
        if (any)
            row->score.heads_backward(dparam, &x->call, 0, p->H, x->q_pos,
                                     x->k_pos[i], heads);
    }
    for (int64_t h = 0; heads == NULL && h < p->H; h++)
        row->score.backward(dparam, &x->call, h, x->q_pos, x->k_pos,
                           from + h * p->range, (size_t)x->n);
}

/* One part of the table, to a row of gradients. */
static void deliver_part(void *context, size_t task, int slot)
{
    const struct lct_problem *p = context;
    int64_t part = (p->range + LCT_PARAM_GRADIENTS_PARTS - 1) /
        LCT_PARAM_GRADIENTS_PARTS;
    int64_t at = (int64_t)task * part, end = at + part;
    double *heads = p->heads != NULL ? p->heads + slot * p->H : NULL;
    double *dparam[LCT_MAX_PARAMS], *to = p->dparam + (task + 1) * p->params;
    struct stretch x;

    memset(to, 0, p->params * sizeof(*to));
    lct_param_gradients_of(dparam, p, p->score, to);
    end = end > p->range ? p->range : end;
    for (; at < end; at += x.n)
        if (stretch_at(&x, p, at, end))
            deliver_stretch(p, &x, at, dparam, heads);
}

/* Batch rows in order: the sums do not depend on threads. */
void lct_bias_fold(struct lct_problem *p, int64_t rows)
{
    int64_t each = p->H * p->range;
    bool table = p->range > 0 && lct_bias_learns(p);

    for (int64_t r = 0; r < rows && table; r++) {
        const double *from = p->dtable + r * each;

        for (int64_t n = 0; from != p->dtotal && n < each; n++)
            p->dtotal[n] += from[n];
    }
    for (int64_t task = 1; task <= rows * p->Hkv; task++)
        for (size_t n = 0; n < p->task_params; n++)
            p->dparam[n] += p->dparam[(size_t)task * p->params + n];
}

void lct_bias_deliver(struct lct_problem *p, locant_tensor *dparams,
                      const locant_attention *a)
{
    if (p->bending != NULL) {
        lct_bias_pwl_accumulate(p);
    } else if (p->range > 0 && lct_bias_learns(p)) {
        lct_parallel_for(LCT_PARAM_GRADIENTS_PARTS, p->slots, deliver_part, p);
        for (size_t part = 1; part <= LCT_PARAM_GRADIENTS_PARTS; part++)
            for (size_t n = 0; n < p->params; n++)
                p->dparam[n] += p->dparam[part * p->params + n];
    }
    lct_param_gradients_accumulate(p, dparams, a);
}
