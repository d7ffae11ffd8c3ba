/* factors.c - factors of pairs of positions, in tiles */
#include "factors.h"
#include "../core/pool.h"
#include "bias.h"
#include "bias_table.h"
#include "param_gradients.h"
#include "real.h"
#include <string.h>

/* ----------------------------------------------------------------- planning */

/* Does part f of the request, or NULL, have parameters? */
static bool learns(const struct lct_call *call, enum lct_factor f)
{
    return call != NULL && lct_factors_hooks(call, f)->backward != NULL;
}

/* Does it have parameters, or coordinates that may have gradients? */
static bool has_gradient(const struct lct_request *r,
                         const struct lct_call *call, enum lct_factor f)
{
    return call != NULL && (r->real || learns(call, f));
}

static bool is_relative(const struct lct_call *call)
{
    return call == NULL || (call->e->traits & LOCANT_TRAIT_RELATIVE) != 0;
}

void lct_factors_plan(struct lct_plan *p)
{
    const struct lct_request *r = p->request;
    struct lct_span all;

    if (p->engine == LCT_REFERENCE || p->T == 0 || p->S == 0 || r->real ||
        (r->gain == NULL && r->after == NULL) || !is_relative(r->gain) ||
        !is_relative(r->after) || !lct_bias_table_differences(&all, p))
        return;
    p->factor_first = all.low;
    p->factor_range = all.high - all.low + 1;
    p->table_width = p->factor_range *
                     (learns(r->gain, LCT_GAIN) + learns(r->after, LCT_AFTER));
}

/* Entries of a head in a table of factors. */
static int64_t width_of(const struct lct_plan *p)
{
    return p->factor_range + LCT_PAD;
}

/* Heads that a table of factors has. */
static int64_t heads_of(const struct lct_plan *p, const struct lct_call *call,
                        enum lct_factor f)
{
    return lct_factors_hooks(call, f)->alike ? 1 : p->H;
}

/* Where the entries of a head are. */
static float *head_of(const struct lct_plan *p, enum lct_factor f, int64_t h)
{
    bool alike = lct_factors_hooks(lct_factors_call(p, f), f)->alike;

    return p->tables->factor[f] + (alike ? 0 : h) * width_of(p);
}

void lct_factors_layout(struct lct_tables *tables, const struct lct_plan *p,
                        struct lct_arena *arena)
{
    const struct lct_request *r = p->request;

    if (p->factor_range == 0)
        return;
    if (r->gain != NULL)
        tables->factor[LCT_GAIN] = lct_arena_floats(
            arena, heads_of(p, r->gain, LCT_GAIN), width_of(p));
    if (r->after != NULL)
        tables->factor[LCT_AFTER] = lct_arena_floats(
            arena, heads_of(p, r->after, LCT_AFTER), width_of(p));
}

void lct_factors_layout_scratch(struct lct_scratch *s, const struct lct_plan *p,
                                struct lct_arena *arena)
{
    const struct lct_request *r = p->request;
    bool gain = has_gradient(r, r->gain, LCT_GAIN);
    bool after = has_gradient(r, r->after, LCT_AFTER);

    s->before_gain = lct_arena_floats(arena, gain ? LCT_TILE : 0, LCT_TILE);
    s->before_after =
        lct_arena_floats(arena, r->after != NULL ? LCT_TILE : 0, LCT_TILE);
    s->product =
        lct_arena_floats(arena, gain || after ? LCT_TILE : 0, LCT_TILE);
}

/* ------------------------------------------------------------------- tables */

enum { RUN = 32 };

/* A run of n entries from 'at' on: those of one query and n keys. */
struct run {
    int64_t n, q_pos, k_pos[RUN];
};

static struct run run_at(const struct lct_plan *p, int64_t at)
{
    struct run x = { .n = p->factor_range - at, .q_pos = p->factor_first + at };

    x.n = x.n < RUN ? x.n : RUN;
    for (int64_t i = 0; i < x.n; i++)
        x.k_pos[i] = -i;
    return x;
}

struct fill {
    const struct lct_plan *p;
    enum lct_factor f;
};

static void fill_run(void *context, size_t task, int slot)
{
    const struct fill *job = context;
    const struct lct_plan *p = job->p;
    const struct lct_call *call = lct_factors_call(p, job->f);
    int64_t at = (int64_t)task * RUN;
    struct run x = run_at(p, at);
    double value[RUN];

    (void)slot;
    for (int64_t h = 0; h < heads_of(p, call, job->f); h++) {
        float *to = head_of(p, job->f, h) + at;

        lct_factors_hooks(call, job->f)
            ->at(value, call, h, x.q_pos, x.k_pos, (size_t)x.n);
        for (int64_t i = 0; i < x.n; i++)
            to[i] = (float)value[i];
    }
}

void lct_factors_fill(const struct lct_plan *p)
{
    for (enum lct_factor f = LCT_GAIN; f < LCT_FACTORS; f++) {
        struct fill job = { p, f };

        if (p->tables->factor[f] == NULL)
            continue;
        memset(p->tables->factor[f], 0,
               (size_t)(heads_of(p, lct_factors_call(p, f), f) * width_of(p)) *
                   sizeof(float));
        lct_parallel_for((size_t)((p->factor_range + RUN - 1) / RUN), p->slots,
                         fill_run, &job);
    }
}

/* ----------------------------------------------------------------- products */

static struct lct_bias_entries entries_of(const struct lct_plan *p,
                                          const struct lct_tile *t)
{
    int64_t row = lct_plan_row(p, t->b);
    struct lct_bias_entries e;

    e.consecutive = e.diagonal = lct_bias_are_consecutive(p, t);
    lct_bias_find_entries(&e, t, p->tables->q_pos + row * p->T + t->i,
                          p->tables->k_pos + row * p->S + t->j,
                          p->factor_first);
    return e;
}

/* value[n] = the factor of query at[2] and key j + n, n < keys <= LCT_TILE. */
static void evaluate(double *value, const struct lct_plan *p, enum lct_factor f,
                     const int64_t at[3], int64_t j, int64_t keys)
{
    struct lct_call call = *lct_factors_call(p, f);
    int64_t row = lct_plan_row(p, at[0]);

    if (p->request->real) {
        lct_real_factor(
            value,
            &(struct lct_real_row){ p, at[0], at[1], at[2], j, keys, NULL }, f);
        return;
    }
    call.last = p->tables->last[row];
    lct_factors_hooks(&call, f)->at(
        value, &call, at[1], p->tables->q_pos[row * p->T + at[2]],
        p->tables->k_pos + row * p->S + j, (size_t)keys);
}

void lct_factors_multiply(const struct lct_plan *p, const struct lct_tile *t,
                          struct lct_scratch *s, enum lct_factor f, float *x)
{
    int64_t lanes = (int64_t)t->lanes;
    const float *table = p->tables->factor[f];
    struct lct_bias_entries e;

    if (table == NULL) {
        for (int64_t i = 0; i < t->rows; i++) {
            evaluate(s->column, p, f, (int64_t[3]){ t->b, t->h, t->i + i },
                     t->j, t->keys);
            for (int64_t j = 0; j < t->keys; j++)
                x[j * lanes + i] *= (float)s->column[j];
        }
        return;
    }
    table = head_of(p, f, t->h);
    e = entries_of(p, t);
    if (e.consecutive) {
        p->kernels->multiply_rows(x, (size_t)t->keys, t->lanes, table, e.at);
        return;
    }
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t i = 0; i < t->rows; i++)
            x[j * lanes + i] *= table[e.at[j] + e.shift[i]];
}

void lct_factors_multiply_row(const struct lct_plan *p, enum lct_factor f,
                              const int64_t at[3], int64_t j, int64_t keys,
                              float *x)
{
    int64_t row = lct_plan_row(p, at[0]);
    const int64_t *k_pos = p->tables->k_pos + row * p->S + j;
    int64_t first = p->tables->q_pos[row * p->T + at[2]] - p->factor_first;
    const float *table = p->tables->factor[f];
    double value[LCT_TILE];

    if (table == NULL) {
        evaluate(value, p, f, at, j, keys);
        for (int64_t n = 0; n < keys; n++)
            x[n] *= (float)value[n];
        return;
    }
    table = head_of(p, f, at[1]);
    for (int64_t n = 0; n < keys; n++)
        x[n] *= first >= k_pos[n] ? table[first - k_pos[n]] : 0; /* masked */
}

/* ----------------------------------------------------------------- backward */

/* forward: evaluate(); 'sums' is the row of parameter gradients of this task,
 * NULL only at real coordinates, which have gradients too. */
static void evaluate_backward(const struct lct_plan *p, enum lct_factor f,
                              const int64_t at[3], int64_t j, int64_t keys,
                              const double *dout, double *sums)
{
    struct lct_call call = *lct_factors_call(p, f);
    int64_t row = lct_plan_row(p, at[0]);
    double *dparam[LCT_MAX_PARAMS];

    if (p->request->real) {
        lct_real_factor_backward(
            &(struct lct_real_row){ p, at[0], at[1], at[2], j, keys, NULL }, f,
            dout, sums);
        return;
    }
    lct_param_gradients_of(dparam, p, &call, sums);
    call.last = p->tables->last[row];
    lct_factors_hooks(&call, f)->backward(
        dparam, &call, at[1], p->tables->q_pos[row * p->T + at[2]],
        p->tables->k_pos + row * p->S + j, dout, (size_t)keys);
}

/* Add x [keys, lanes], gradients of the factors, to those of parameters, if
 * 'learned', and of real coordinates. */
static void add_gradients(const struct lct_plan *p, const struct lct_tile *t,
                          struct lct_scratch *s, enum lct_factor f, float *x,
                          int64_t chunk_row, bool learned)
{
    double *sums = NULL;

    if (p->factor_range > 0) {
        struct lct_bias_entries e = entries_of(p, t);
        int64_t first = p->bias_range;

        if (f == LCT_AFTER && learns(p->tables->gain, LCT_GAIN))
            first += p->factor_range;
        lct_bias_add_entries(
            lct_param_gradients_table(p, chunk_row, t->h) + first, p, t, x, &e);
        return;
    }
    if (learned)
        sums = lct_param_gradients_of_task(p, chunk_row,
                                           lct_plan_kv_head(p, t->h));
    for (int64_t i = 0; i < t->rows; i++) {
        for (int64_t j = 0; j < t->keys; j++)
            s->column[j] = x[j * (int64_t)t->lanes + i];
        evaluate_backward(p, f, (int64_t[3]){ t->b, t->h, t->i + i }, t->j,
                          t->keys, s->column, sums);
    }
}

/* s->product = x y, 0 where x is: y may be unset there. */
static void multiply(struct lct_scratch *s, const struct lct_tile *t,
                     const float *x, const float *y)
{
    int64_t n = t->keys * (int64_t)t->lanes;

    for (int64_t at = 0; at < n; at++)
        s->product[at] = x[at] != 0 ? x[at] * y[at] : 0;
}

/* Add the gradients of factor f, those of x times y; 'learned': of parameters
 * too. */
static void factor_backward(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, enum lct_factor f,
                            int64_t chunk_row, bool learned, const float *x,
                            const float *y)
{
    learned &= learns(lct_factors_call(p, f), f);
    if (!learned && !lct_real_is_wanted(p))
        return;
    multiply(s, t, x, y);
    add_gradients(p, t, s, f, s->product, chunk_row, learned);
}

static size_t bytes_of(const struct lct_tile *t)
{
    return (size_t)t->keys * t->lanes * sizeof(float);
}

void lct_factors_gain(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s)
{
    if (p->pass == LCT_PASS_BACKWARD &&
        has_gradient(p->request, p->tables->gain, LCT_GAIN))
        memcpy(s->before_gain, s->s, bytes_of(t));
    lct_factors_multiply(p, t, s, LCT_GAIN, s->s);
}

void lct_factors_gain_backward(const struct lct_plan *p,
                               const struct lct_tile *t, struct lct_scratch *s,
                               int64_t chunk_row, bool wanted)
{
    factor_backward(p, t, s, LCT_GAIN, chunk_row, wanted, s->ds,
                    s->before_gain);
    lct_factors_multiply(p, t, s, LCT_GAIN, s->ds);
}

void lct_factors_after(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s)
{
    memcpy(s->before_after, s->s, bytes_of(t));
    lct_factors_multiply(p, t, s, LCT_AFTER, s->s);
}

void lct_factors_after_backward(const struct lct_plan *p,
                                const struct lct_tile *t, struct lct_scratch *s,
                                int64_t chunk_row, bool wanted)
{
    memcpy(s->s, s->before_after, bytes_of(t));
    factor_backward(p, t, s, LCT_AFTER, chunk_row, wanted, s->s, s->ds);
    lct_factors_multiply(p, t, s, LCT_AFTER, s->ds);
}

static void accumulate(const struct lct_plan *p, enum lct_factor f,
                       int64_t first)
{
    const struct lct_call *call = lct_factors_call(p, f);
    double *dparam[LCT_MAX_PARAMS];

    lct_param_gradients_of(dparam, p, call, p->gradients->params);
    for (int64_t h = 0; h < p->H; h++)
        for (int64_t at = 0; at < p->factor_range; at += RUN) {
            struct run x = run_at(p, at);

            lct_factors_hooks(call, f)->backward(
                dparam, call, h, x.q_pos, x.k_pos,
                p->gradients->bias_total + h * p->table_width + first + at,
                (size_t)x.n);
        }
}

void lct_factors_accumulate(const struct lct_plan *p)
{
    int64_t first = p->bias_range;

    for (enum lct_factor f = LCT_GAIN; f < LCT_FACTORS; f++)
        if (p->factor_range > 0 && learns(lct_factors_call(p, f), f)) {
            accumulate(p, f, first);
            first += p->factor_range;
        }
}
