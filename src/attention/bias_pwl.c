/* bias_pwl.c - biases that are piecewise linear, in the tiled engine */
#include "../core/pool.h"
#include "../encodings/piecewise.h"
#include "bias_pwl.h"
#include "param_gradients.h"
#include <math.h>
#include <string.h>

static const struct lct_piecewise *piecewise_of(const struct lct_call *score)
{
    return score->e->row->score.fast.piecewise;
}

/* --------------------------------------------------------- layout, filling */

void lct_bias_pwl_layout(struct lct_tables *tables, const struct lct_plan *p,
                         struct lct_arena *arena)
{
    int64_t most = piecewise_of(tables->score)->pieces(tables->score->e);
    int64_t T = p->position_rows * p->T;
    struct lct_bias_pwl x = { .most = most };

    tables->pwl = lct_arena_alloc(arena, 1, 1, sizeof(*tables->pwl));
    tables->bias = lct_arena_floats(arena, 2, p->bias_range + LCT_PAD);
    x.start = lct_arena_doubles(arena, most, 1);
    x.slope = lct_arena_doubles(arena, p->H, most);
    x.value = lct_arena_doubles(arena, p->H, most);
    x.start_f = lct_arena_floats(arena, most, 1);
    x.slope_f = lct_arena_floats(arena, p->H, most);
    x.value_f = lct_arena_floats(arena, p->H, most);
    x.inverse = lct_arena_floats(arena, T + LCT_PAD, 1);
    x.queries = lct_arena_doubles(arena, T, 3);
    if (lct_arena_is_real(arena))
        *tables->pwl = x;
}

static void fill_distances(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    const struct lct_call *score = p->tables->score;
    int64_t at = (int64_t)task * LCT_TILE, end = at + LCT_TILE;
    float *u = p->tables->bias, *du = u + p->bias_range + LCT_PAD;

    (void)slot;
    for (; at < end && at < p->bias_range; at++) {
        double n = fabs((double)(p->bias_first + at)), x[2];

        piecewise_of(score)->distance(x, score, n);
        u[at] = (float)x[0];
        du[at] = (float)x[1];
    }
}

static void fill_queries(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    const struct lct_call *score = p->tables->score;
    int64_t i = (int64_t)task * LCT_TILE, end = i + LCT_TILE;
    int64_t T = p->position_rows * p->T;

    (void)slot;
    for (; i < end && i < T; i++) {
        double *x = p->tables->pwl->queries + 3 * i;

        piecewise_of(score)->query(x, score, p->tables->q_pos[i]);
        p->tables->pwl->inverse[i] = (float)x[0];
    }
}

void lct_bias_pwl_fill(const struct lct_plan *p)
{
    const struct lct_call *score = p->tables->score;
    struct lct_bias_pwl *x = p->tables->pwl;
    int64_t T = p->position_rows * p->T;

    memset(p->tables->bias, 0,
           (size_t)(2 * (p->bias_range + LCT_PAD)) * sizeof(float));
    memset(x->inverse + T, 0, LCT_PAD * sizeof(float));
    lct_parallel_for((size_t)lct_sizes_tiles(p->bias_range), p->slots,
                     fill_distances, (void *)p);
    lct_parallel_for((size_t)lct_sizes_tiles(T), p->slots, fill_queries,
                     (void *)p);
    x->pieces =
        piecewise_of(score)->find(x->start, x->slope, x->value, x->most, score);
    for (int64_t r = 0; r < x->pieces; r++) {
        x->start_f[r] = (float)x->start[r];
        for (int64_t h = 0; h < p->H; h++) {
            x->slope_f[h * x->most + r] = (float)x->slope[h * x->most + r];
            x->value_f[h * x->most + r] = (float)x->value[h * x->most + r];
        }
    }
}

/* -------------------------------------------------------------------- tiles */

/* Arguments of the kernels, and copies of entries that are not consecutive. */
struct pwl_tile {
    struct lct_pwl_bias x;
    int64_t at[LCT_TILE];
    float u[LCT_TILE * LCT_TILE], du[LCT_TILE * LCT_TILE];
};

/* The last piece that begins below f, or piece 0. */
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

/*
 * The least and the largest of n values, in chains side by side that the
 * compiler makes vectors of.
 */
static void extremes(float *least, float *most, const float *x, int64_t n)
{
    enum { CHAINS = 8 };
    float low[CHAINS], high[CHAINS];
    int64_t i = 0;

    for (int c = 0; c < CHAINS; c++)
        low[c] = high[c] = x[0];
    for (; i + CHAINS <= n; i += CHAINS)
        for (int c = 0; c < CHAINS; c++) {
            low[c] = x[i + c] < low[c] ? x[i + c] : low[c];
            high[c] = x[i + c] > high[c] ? x[i + c] : high[c];
        }
    for (; i < n; i++) {
        low[0] = x[i] < low[0] ? x[i] : low[0];
        high[0] = x[i] > high[0] ? x[i] : high[0];
    }
    *least = low[0];
    *most = high[0];
    for (int c = 1; c < CHAINS; c++) {
        *least = low[c] < *least ? low[c] : *least;
        *most = high[c] > *most ? high[c] : *most;
    }
}

/* The first of the pieces that entries low .. high use, and their number. */
static int64_t pieces_of(int64_t *count, const struct lct_plan *p,
                         const float *inverse, int64_t rows, int64_t low,
                         int64_t high)
{
    const struct lct_bias_pwl *x = p->tables->pwl;
    int64_t least_d = p->bias_first + low, most_d = p->bias_first + high;
    float least, most, from = 0, to;
    int64_t first;

    extremes(&least, &most, inverse, rows);
    /* u grows with the distance; 2^-20 is a margin for its rounding. */
    if ((least_d > 0) == (most_d > 0) && least_d != 0 && most_d != 0)
        from =
            p->tables->bias[least_d > 0 ? low : high] * least * (1 - 0x1p-20f);
    to =
        p->tables->bias[most_d > -least_d ? high : low] * most * (1 + 0x1p-20f);
    first = piece_at(x, from);
    *count = piece_at(x, to) - first + 1;
    return first;
}

static void copy_entries(struct pwl_tile *b, const struct lct_plan *p,
                         const struct lct_tile *t,
                         const struct lct_bias_entries *e)
{
    const float *u = p->tables->bias, *du = u + p->bias_range + LCT_PAD;
    int64_t lanes = (int64_t)t->lanes;

    for (int64_t j = 0; j < t->keys; j++) {
        b->at[j] = j * lanes;
        for (int64_t i = 0; i < lanes; i++) {
            int64_t from = e->at[j] + (i < t->rows ? e->shift[i] : 0);

            b->u[j * lanes + i] = u[from];
            b->du[j * lanes + i] = du[from];
        }
    }
    b->x.u = b->u;
    b->x.du = b->du;
    b->x.at = b->at;
}

/* Set b to the tile's arguments; returns the first of its pieces. */
static int64_t fill_tile(struct pwl_tile *b, const struct lct_plan *p,
                         const struct lct_tile *t,
                         const struct lct_bias_entries *e)
{
    const struct lct_bias_pwl *x = p->tables->pwl;
    const float *u = p->tables->bias, *du = u + p->bias_range + LCT_PAD;
    int64_t query = lct_plan_row(p, t->b) * p->T + t->i, first, count;
    int64_t low = e->at[t->keys - 1], high = e->at[0];
    int64_t least = 0, most = t->rows - 1;

    if (!e->diagonal)
        for (int64_t j = 0; j < t->keys; j++) {
            low = e->at[j] < low ? e->at[j] : low;
            high = e->at[j] > high ? e->at[j] : high;
        }
    b->x = (struct lct_pwl_bias){
        .u = u, .du = du, .at = e->at, .inverse = x->inverse + query
    };
    if (!e->consecutive) {
        copy_entries(b, p, t, e);
        least = most = e->shift[0];
        for (int64_t i = 1; i < t->rows; i++) {
            least = e->shift[i] < least ? e->shift[i] : least;
            most = e->shift[i] > most ? e->shift[i] : most;
        }
    }
    first =
        pieces_of(&count, p, b->x.inverse, t->rows, low + least, high + most);
    b->x.start = x->start_f + first;
    b->x.slope = x->slope_f + t->h * x->most + first;
    b->x.value = x->value_f + t->h * x->most + first;
    b->x.pieces = (size_t)count;
    return first;
}

void lct_bias_pwl_add(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s, const struct lct_bias_entries *e)
{
    struct pwl_tile b;

    fill_tile(&b, p, t, e);
    p->kernels->add_pwl_bias(s->s, (size_t)t->keys, t->lanes, &b.x);
}

void lct_bias_pwl_add_row(const struct lct_plan *p, int64_t row, int64_t h,
                          int64_t i, int64_t j, int64_t keys, float *s)
{
    const struct lct_bias_pwl *x = p->tables->pwl;
    const int64_t *k_key = p->tables->k_key + row * p->S + j;
    float inverse = x->inverse[row * p->T + i], u[LCT_TILE] = { 0 };
    float lanes[LCT_TILE], sum[LCT_TILE] = { 0 };
    int64_t none = 0;

    for (int n = 0; n < LCT_TILE; n++)
        lanes[n] = inverse;
    for (int64_t from = 0; from < keys; from += LCT_TILE) {
        int64_t count = lct_sizes_in_tile(keys, from);
        struct lct_pwl_bias b = { .u = u,
                                  .at = &none,
                                  .inverse = lanes,
                                  .start = x->start_f,
                                  .slope = x->slope_f + h * x->most,
                                  .value = x->value_f + h * x->most,
                                  .pieces = (size_t)x->pieces };

        for (int64_t n = 0; n < count; n++) {
            int64_t at = p->tables->q_key[row * p->T + i] - k_key[from + n] -
                         p->bias_first;

            /* Later keys may have no entry; they are masked. */
            u[n] = at >= 0 ? p->tables->bias[at] : 0;
        }
        memcpy(sum, s + from, (size_t)count * sizeof(*sum));
        p->kernels->add_pwl_bias(sum, 1, LCT_TILE, &b);
        memcpy(s + from, sum, (size_t)count * sizeof(*sum));
    }
}

/* ---------------------------------------------------------------- gradients */

/*
 * Add the sums of sum_pwl_gradient() over the tile's queries to the gradients
 * of piece 'at' of the task's row, in registers and in the order of queries.
 */
static void add_sums(double *to, const struct lct_bias_pwl *x, int64_t at,
                     double slope, const float *sum, const struct lct_tile *t,
                     const double *of_query)
{
    double *dparam = to + 2 * x->most; /* of both parameters */
    double all = to[at], all_f = to[x->most + at];
    double first = dparam[0], second = dparam[1];

    for (int64_t i = 0; i < t->rows; i++, of_query += 3) {
        double of_f = (double)sum[(int64_t)t->lanes + i];
        double of_du = (double)sum[2 * (int64_t)t->lanes + i];

        all += (double)sum[i];
        all_f += of_f;
        first += slope * (of_du * of_query[0] + of_f * of_query[1]);
        second += slope * of_f * of_query[2];
    }
    to[at] = all;
    to[x->most + at] = all_f;
    dparam[0] = first;
    dparam[1] = second;
}

void lct_bias_pwl_backward(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s,
                           const struct lct_bias_entries *e, double *to)
{
    const struct lct_bias_pwl *x = p->tables->pwl;
    int64_t query = lct_plan_row(p, t->b) * p->T + t->i;
    float sum[3 * LCT_TILE];
    struct pwl_tile b;
    int64_t first = fill_tile(&b, p, t, e);

    for (int64_t r = 0; r < (int64_t)b.x.pieces; r++) {
        float end = r + 1 < (int64_t)b.x.pieces ? b.x.start[r + 1] : INFINITY;

        p->kernels->sum_pwl_gradient(sum, s->ds, (size_t)t->keys, t->lanes,
                                     &b.x, r > 0 ? b.x.start[r] : -INFINITY,
                                     end);
        add_sums(to, x, first + r, x->slope[t->h * x->most + first + r], sum, t,
                 x->queries + 3 * query);
    }
}

void lct_bias_pwl_accumulate(const struct lct_plan *p)
{
    const struct lct_call *score = p->tables->score;
    const struct lct_bias_pwl *x = p->tables->pwl;
    double *dparam[LCT_MAX_PARAMS];

    lct_param_gradients_of(dparam, p, score, p->gradients->params);
    for (int64_t h = 0; h < p->H; h++) {
        const double *sum = p->gradients->bias_total + h * p->table_width;

        piecewise_of(score)->backward(dparam, score, h, x->start, x->pieces,
                                      sum, sum + x->most, sum + 2 * x->most);
    }
}
