/* bias_pwl.c - biases that bend, in the tiled engine */
#include "../core/pool.h"
#include "../encodings/piecewise.h"
#include "bias.h"
#include <math.h>
#include <string.h>

/* --------------------------------------------------------- layout, filling */

void lct_bias_pwl_layout(struct lct_problem *p, struct lct_arena *arena)
{
    int64_t most = p->score->e->row->score.fast.piecewise->pieces(p->score->e);
    int64_t T = p->position_rows * p->T;
    struct lct_bias_pwl x = { .most = most };

    p->bending = lct_arena_alloc(arena, 1, 1, sizeof(*p->bending));
    p->table = lct_arena_alloc(arena, 2, p->range + LCT_PAD, sizeof(float));
    x.start = lct_arena_alloc(arena, most, 1, sizeof(double));
    x.slope = lct_arena_alloc(arena, p->H, most, sizeof(double));
    x.value = lct_arena_alloc(arena, p->H, most, sizeof(double));
    x.start_f = lct_arena_alloc(arena, most, 1, sizeof(float));
    x.slope_f = lct_arena_alloc(arena, p->H, most, sizeof(float));
    x.value_f = lct_arena_alloc(arena, p->H, most, sizeof(float));
    x.inverse = lct_arena_alloc(arena, T + LCT_PAD, 1, sizeof(float));
    x.bends = lct_arena_alloc(arena, T, 3, sizeof(double));
    if (arena->base != NULL && !arena->overflow)
        *p->bending = x;
}

static void fill_distances(void *context, size_t task, int slot)
{
    const struct lct_problem *p = context;
    int64_t at = (int64_t)task * LCT_TILE, end = at + LCT_TILE;
    float *u = p->table, *du = u + p->range + LCT_PAD;

    (void)slot;
    for (; at < end && at < p->range; at++) {
        double n = fabs((double)(p->first + at)), x[2];

        p->score->e->row->score.fast.piecewise->distance(x, p->score, n);
        u[at] = (float)x[0];
        du[at] = (float)x[1];
    }
}

static void fill_queries(void *context, size_t task, int slot)
{
    const struct lct_problem *p = context;
    int64_t i = (int64_t)task * LCT_TILE, end = i + LCT_TILE;
    int64_t T = p->position_rows * p->T;

    (void)slot;
    for (; i < end && i < T; i++) {
        double *x = p->bending->bends + 3 * i;

        p->score->e->row->score.fast.piecewise->query(x, p->score, p->q_pos[i]);
        p->bending->inverse[i] = (float)x[0];
    }
}

void lct_bias_pwl_fill(struct lct_problem *p)
{
    struct lct_bias_pwl *x = p->bending;
    int64_t T = p->position_rows * p->T;

    memset(p->table, 0, (size_t)(2 * (p->range + LCT_PAD)) * sizeof(float));
    memset(x->inverse + T, 0, LCT_PAD * sizeof(float));
    lct_parallel_for((size_t)((p->range + LCT_TILE - 1) / LCT_TILE), p->slots,
                     fill_distances, p);
    lct_parallel_for((size_t)((T + LCT_TILE - 1) / LCT_TILE), p->slots,
                     fill_queries, p);
    x->pieces = p->score->e->row->score.fast.piecewise->find(
        x->start, x->slope, x->value, x->most, p->score);
    for (int64_t r = 0; r < x->pieces; r++) {
        x->start_f[r] = (float)x->start[r];
        for (int64_t h = 0; h < p->H; h++) {
            x->slope_f[h * x->most + r] = (float)x->slope[h * x->most + r];
            x->value_f[h * x->most + r] = (float)x->value[h * x->most + r];
        }
    }
}

/* -------------------------------------------------------------------- tiles */

/* What a tile of the table is for, and its copy where lanes are apart. */
struct bent_tile {
    struct lct_bent x;
    int64_t at[LCT_TILE];
    float u[LCT_TILE * LCT_TILE], du[LCT_TILE * LCT_TILE];
};

/* Last piece that begins below f, or 0. */
static int64_t piece_at(const struct lct_bias_pwl *x, float f)
{
    int64_t low = 0, high = x->pieces;

    while (high - low > 1) {
        int64_t middle = (low + high) / 2;

        if (x->start_f[middle] < f)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Pieces of a tile whose entries are low .. high: the first, and how many. */
static int64_t pieces_of(int64_t *count, const struct lct_problem *p,
                         const float *inverse, int64_t rows, int64_t low,
                         int64_t high)
{
    const struct lct_bias_pwl *x = p->bending;
    int64_t near = p->first + low, far = p->first + high, first;
    float least = inverse[0], most = inverse[0], from = 0, to;

    for (int64_t i = 1; i < rows; i++) {
        least = inverse[i] < least ? inverse[i] : least;
        most = inverse[i] > most ? inverse[i] : most;
    }
    /* u grows with the distance; a margin for how it is rounded */
    if ((near > 0) == (far > 0) && near != 0 && far != 0)
        from = p->table[near > 0 ? low : high] * least * (1 - 0x1p-20f);
    to = p->table[far > -near ? high : low] * most * (1 + 0x1p-20f);
    first = piece_at(x, from);
    *count = piece_at(x, to) - first + 1;
    return first;
}

/* Fill b; returns the first of its pieces. */
static int64_t bend_tile(struct bent_tile *b, const struct lct_problem *p,
                         const struct lct_tile *t,
                         const struct lct_bias_entries *e)
{
    const struct lct_bias_pwl *x = p->bending;
    const float *u = p->table, *du = u + p->range + LCT_PAD;
    int64_t query = lct_problem_row(p, t->b) * p->T + t->i, first, count;
    int64_t low = e->at[0], high = e->at[0], least = 0, most = t->rows - 1;
    int64_t lanes = (int64_t)t->lanes;

    for (int64_t j = 1; j < t->keys; j++) {
        low = e->at[j] < low ? e->at[j] : low;
        high = e->at[j] > high ? e->at[j] : high;
    }
    b->x = (struct lct_bent){ u, du, e->at, x->inverse + query, NULL, NULL,
                              NULL, 0 };
    for (int64_t i = 0; !e->rows && i < t->rows; i++) {
        least = i == 0 || e->shift[i] < least ? e->shift[i] : least;
        most = i == 0 || e->shift[i] > most ? e->shift[i] : most;
    }
    for (int64_t j = 0; !e->rows && j < t->keys; j++) {
        b->at[j] = j * lanes;
        for (int64_t i = 0; i < lanes; i++) {
            int64_t from = e->at[j] + (i < t->rows ? e->shift[i] : 0);

            b->u[j * lanes + i] = u[from];
            b->du[j * lanes + i] = du[from];
        }
    }
    if (!e->rows) {
        b->x.u = b->u;
        b->x.du = b->du;
        b->x.at = b->at;
    }
    first = pieces_of(&count, p, b->x.inverse, t->rows, low + least,
                      high + most);
    b->x.start = x->start_f + first;
    b->x.slope = x->slope_f + t->h * x->most + first;
    b->x.value = x->value_f + t->h * x->most + first;
    b->x.pieces = (size_t)count;
    return first;
}

void lct_bias_pwl_add(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s, const struct lct_bias_entries *e)
{
    struct bent_tile b;

    bend_tile(&b, p, t, e);
    p->kernels->add_bends(s->s, (size_t)t->keys, t->lanes, &b.x);
}

void lct_bias_pwl_add_row(const struct lct_problem *p, int64_t row, int64_t h,
                          int64_t i, int64_t j, int64_t keys, float *s)
{
    const struct lct_bias_pwl *x = p->bending;
    const int64_t *k_at = p->k_at + row * p->S + j;
    float inverse = x->inverse[row * p->T + i], u[LCT_TILE] = { 0 };
    float lanes[LCT_TILE], sum[LCT_TILE] = { 0 };
    int64_t none = 0;

    for (int n = 0; n < LCT_TILE; n++)
        lanes[n] = inverse;
    for (int64_t from = 0; from < keys; from += LCT_TILE) {
        int64_t some = keys - from < LCT_TILE ? keys - from : LCT_TILE;
        struct lct_bent b = { u, NULL, &none, lanes, x->start_f,
                              x->slope_f + h * x->most,
                              x->value_f + h * x->most, (size_t)x->pieces };

        for (int64_t n = 0; n < some; n++) {
            int64_t at = p->q_at[row * p->T + i] - k_at[from + n] - p->first;

            u[n] = at >= 0 ? p->table[at] : 0; /* else ahead, and hidden */
        }
        memcpy(sum, s + from, (size_t)some * sizeof(*sum));
        p->kernels->add_bends(sum, 1, LCT_TILE, &b);
        memcpy(s + from, sum, (size_t)some * sizeof(*sum));
    }
}

/* ---------------------------------------------------------------- gradients */

void lct_bias_pwl_backward(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s,
                           const struct lct_bias_entries *e, double *to)
{
    const struct lct_bias_pwl *x = p->bending;
    int64_t query = lct_problem_row(p, t->b) * p->T + t->i;
    double *bends = to + 2 * x->most;
    float sum[3 * LCT_TILE];
    struct bent_tile b;
    int64_t first = bend_tile(&b, p, t, e), lanes = (int64_t)t->lanes;

    for (int64_t r = 0; r < (int64_t)b.x.pieces; r++) {
        double slope = x->slope[t->h * x->most + first + r];
        float end = r + 1 < (int64_t)b.x.pieces ? b.x.start[r + 1] : INFINITY;

        p->kernels->sum_bend(sum, s->ds, (size_t)t->keys, t->lanes, &b.x,
                             r > 0 ? b.x.start[r] : -INFINITY, end);
        for (int64_t i = 0; i < t->rows; i++) {
            const double *query_bends = x->bends + 3 * (query + i);
            double of_f = (double)sum[lanes + i];
            double of_du = (double)sum[2 * lanes + i];

            to[first + r] += (double)sum[i];
            to[x->most + first + r] += of_f;
            bends[0] += slope * (of_du * query_bends[0] +
                                 of_f * query_bends[1]);
            bends[1] += slope * of_f * query_bends[2];
        }
    }
}

void lct_bias_pwl_accumulate(const struct lct_problem *p)
{
    const struct lct_bias_pwl *x = p->bending;
    double *dparam[LCT_MAX_PARAMS];

    lct_param_gradients_of(dparam, p, p->score, p->dparam);
    for (int64_t h = 0; h < p->H; h++) {
        const double *sum = p->dtotal + h * p->range;

        p->score->e->row->score.fast.piecewise->backward(
            dparam, p->score, h, x->start, x->pieces, sum, sum + x->most,
            sum + 2 * x->most);
    }
}
