/* token_angles.c - rotations by angles that the inputs of tokens choose */
#include "token_angles.h"
#include "../core/pool.h"
#include "../kernel/row.h"
#include "content_state.h"
#include "key_order.h"
#include "pairs.h"
#include "param_gradients.h"
#include <math.h>
#include <string.h>

/* NULL: there are none, or tiles compute them (content_maps_tokens.h). */
static const struct lct_token_angles *hooks_of(const struct lct_plan *p)
{
    return p->engine == LCT_REFERENCE || p->request->token_angles != NULL ||
                   lct_pairs_are_used(p)
               ? p->request->token_numbers
               : NULL;
}

/* ------------------------------------------------------------------- layout */

static int64_t memory_of(const struct lct_plan *p, const struct lct_call *c)
{
    return hooks_of(p)->memory != NULL ? hooks_of(p)->memory(c) : 0;
}

int64_t lct_token_angles_count(const struct lct_plan *p)
{
    if (hooks_of(p)->count != NULL)
        return hooks_of(p)->count(p->request->content);
    return hooks_of(p)->one ? 1 : p->D / 2;
}

void lct_token_angles_layout(struct lct_tables *tables,
                             const struct lct_plan *p, struct lct_arena *arena)
{
    struct lct_token_tables *t = &tables->token;
    int64_t heads = p->B * p->H;

    if (hooks_of(p) == NULL)
        return;
    t->numbers = lct_token_angles_count(p);
    t->order = lct_arena_ints(arena, p->position_rows, p->S);
    t->own = lct_arena_ints(arena, p->position_rows, p->T);
    t->frequency = lct_arena_doubles(arena, p->D / 2, 1);
    t->rows = p->S;
    if (p->request->a->state != NULL && lct_content_state_keeps_numbers(p)) {
        struct lct_content_state *state = lct_content_state_of(p->request);
        struct lct_arena kept = lct_content_state_arena(state);

        t->rows = tables->mapped_rows = state->capacity;
        lct_content_state_numbers(&t->z, &tables->k_mapped, p, &kept, t->rows);
    } else {
        t->z = lct_arena_doubles(arena, heads * p->S, t->numbers);
    }
    t->x = lct_arena_doubles(arena, p->slots * hooks_of(p)->reach, p->W);
    t->row = lct_arena_doubles(arena, p->slots * p->H, t->numbers);
    t->memory =
        lct_arena_doubles(arena, p->slots, memory_of(p, tables->content));
    t->dz[LCT_QUERY] = lct_arena_doubles(arena, heads * p->T, t->numbers);
    t->dz[LCT_KEY] = lct_arena_doubles(arena, heads * p->S, t->numbers);
    t->dx = lct_arena_doubles(arena, p->S, p->W);
}

/* ------------------------------------------------------------------ numbers */

enum { MOST_REACH = 8 };

/* A token with its inputs. */
struct loaded {
    struct lct_inputs token;
    const double *x[MOST_REACH];
    double *dx[MOST_REACH];
};

/* Load the n-th token of batch row b, in order, and those before it. */
static void load_token(struct loaded *l, const struct lct_plan *p, int64_t b,
                       int64_t n, int slot)
{
    const struct lct_token_tables *t = &p->tables->token;
    const locant_tensor *x = p->request->a->x;
    int64_t row = lct_plan_row(p, b), reach = hooks_of(p)->reach;
    const int64_t *order = t->order + row * p->S;
    int64_t doc = lct_key_order_doc(p, row, order[n]);
    int count = 0;

    for (; count < reach && n >= count; count++) {
        double *to = t->x + (slot * reach + count) * p->W;
        int64_t j = order[n - count];

        if (lct_key_order_doc(p, row, j) != doc)
            break;
        lct_row_to_f64(to, lct_at(x, (int64_t[2]){ b, j }, 2), x->dtype,
                       (size_t)p->W);
        l->x[count] = to;
        l->dx[count] = t->dx + j * p->W;
    }
    l->token = (struct lct_inputs){
        .count = count,
        .x = l->x,
        .dx = l->dx,
        .memory = t->memory + slot * memory_of(p, p->tables->content)
    };
}

/* Tokens whose z a state has. */
static int64_t known_of(const struct lct_plan *p)
{
    return lct_content_state_keeps_numbers(p) ? lct_content_state_known(p) : 0;
}

/* Numbers of a block of tokens. */
static void fill_numbers(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    const struct lct_token_tables *t = &p->tables->token;
    int64_t tiles = lct_sizes_tiles(p->S), b = (int64_t)task / tiles;
    int64_t from = (int64_t)task % tiles * LCT_TILE;
    int64_t end = from + lct_sizes_in_tile(p->S, from);
    int64_t known = known_of(p);
    double *row = t->row + slot * p->H * t->numbers;

    for (int64_t n = from > known ? from : known; n < end; n++) {
        int64_t j = t->order[lct_plan_row(p, b) * p->S + n];
        struct loaded l;

        load_token(&l, p, b, n, slot);
        hooks_of(p)->numbers(row, p->tables->content, &l.token);
        for (int64_t h = 0; h < p->H; h++)
            memcpy(t->z + ((b * p->H + h) * t->rows + j) * t->numbers,
                   row + h * t->numbers, (size_t)t->numbers * sizeof(*row));
    }
}

/* The first number that is summed; t->numbers: none is. */
static int64_t first_sum(const struct lct_plan *p)
{
    if (!hooks_of(p)->sums)
        return p->tables->token.numbers;
    return hooks_of(p)->first_sum != NULL
               ? hooks_of(p)->first_sum(p->tables->content)
               : 0;
}

/* z of each token of a head += that of the token before it. */
static void sum_numbers(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    const struct lct_token_tables *t = &p->tables->token;
    int64_t row = lct_plan_row(p, (int64_t)task / p->H);
    const int64_t *order = t->order + row * p->S;
    double *z = t->z + (int64_t)task * t->rows * t->numbers;
    const int64_t first = first_sum(p), known = known_of(p);

    (void)slot;
    for (int64_t n = known > 1 ? known : 1; n < p->S; n++)
        if (lct_key_order_doc(p, row, order[n]) ==
            lct_key_order_doc(p, row, order[n - 1]))
            for (int64_t c = first; c < t->numbers; c++)
                z[order[n] * t->numbers + c] +=
                    z[order[n - 1] * t->numbers + c];
}

void lct_token_angles_fill(const struct lct_plan *p)
{
    const struct lct_token_tables *t = &p->tables->token;
    const locant_encoding *e;
    int64_t tiles = lct_sizes_tiles(p->S);

    if (hooks_of(p) == NULL)
        return;
    e = p->tables->content->e;
    lct_key_order_fill(t->order, t->own, p);
    for (int64_t c = 0; p->request->token_angles != NULL && c < p->D / 2; c++)
        t->frequency[c] = hooks_of(p)->frequency(e, c, p->D / 2);
    lct_parallel_for((size_t)(p->B * tiles), p->slots, fill_numbers, (void *)p);
    if (first_sum(p) < t->numbers)
        lct_parallel_for((size_t)(p->B * p->H), p->slots, sum_numbers,
                         (void *)p);
}

/* ----------------------------------------------------------------- rotation */

/* The key whose angles a row is rotated by; -1: the row is padding. */
static int64_t key_of(const struct lct_plan *p, enum lct_role role,
                      const int64_t at[3])
{
    if (role == LCT_KEY)
        return at[2];
    return p->tables->token.own[lct_plan_row(p, at[0]) * p->T + at[2]];
}

static double angle(const struct lct_token_tables *t, const double *z,
                    int64_t c)
{
    return t->frequency[c] * z[t->numbers == 1 ? 0 : c];
}

void lct_token_angles_rotate(double *out, const struct lct_plan *p,
                             const double *x, enum lct_role role,
                             const int64_t at[3])
{
    const struct lct_token_tables *t = &p->tables->token;
    int64_t j = key_of(p, role, at), pairs = p->D / 2;
    const double *z =
        t->z + ((at[0] * p->H + at[1]) * t->rows + j) * t->numbers;

    memcpy(out, x, (size_t)p->D * sizeof(*out));
    for (int64_t c = 0; j >= 0 && c < pairs; c++) {
        double cosine = cos(angle(t, z, c)), sine = sin(angle(t, z, c));

        out[c] = x[c] * cosine - x[c + pairs] * sine;
        out[c + pairs] = x[c] * sine + x[c + pairs] * cosine;
    }
}

/*
 * forward: y = x rotated by f z: dx = dy rotated by -f z, dz = f times the sum
 * of dy_b y_a - dy_a y_b, which the rotation does not change: = dx_b x_a - dx_a
 * x_b.  Rows that no query sees may hold NaN and are not read.
 */
void lct_token_angles_rotate_backward(double *dx, const struct lct_plan *p,
                                      const double *dout, const double *x,
                                      enum lct_role role, const int64_t at[3])
{
    const struct lct_token_tables *t = &p->tables->token;
    int64_t j = key_of(p, role, at), pairs = p->D / 2;
    int64_t head = at[0] * p->H + at[1];
    const double *z = t->z + (head * t->rows + j) * t->numbers;
    double *dz = t->dz[role] +
                 (head * (role == LCT_KEY ? p->S : p->T) + at[2]) * t->numbers;

    memcpy(dx, dout, (size_t)p->D * sizeof(*dx));
    for (int64_t c = 0; j >= 0 && c < pairs; c++) {
        double a = dout[c], b = dout[c + pairs], cosine, sine;

        if (a == 0 && b == 0)
            continue;
        cosine = cos(angle(t, z, c));
        sine = sin(angle(t, z, c));
        dx[c] = a * cosine + b * sine;
        dx[c + pairs] = b * cosine - a * sine;
        dz[t->numbers == 1 ? 0 : c] +=
            t->frequency[c] * (dx[c + pairs] * x[c] - dx[c] * x[c + pairs]);
    }
}

/* ----------------------------------------------------------------- gradient */

void lct_token_angles_begin_backward(const struct lct_plan *p)
{
    const struct lct_token_tables *t = &p->tables->token;
    int64_t row = p->B * p->H * t->numbers;

    if (hooks_of(p) == NULL)
        return;
    memset(t->dz[LCT_QUERY], 0, (size_t)(row * p->T) * sizeof(double));
    memset(t->dz[LCT_KEY], 0, (size_t)(row * p->S) * sizeof(double));
}

/*
 * forward: queries are rotated by z of their key, and z_t sums the numbers of
 * the document's tokens up to t: the gradient of number t is the sum of dz from
 * t on.
 */
static void numbers_backward(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    const struct lct_token_tables *t = &p->tables->token;
    int64_t row = lct_plan_row(p, (int64_t)task / p->H), each = t->numbers;
    const int64_t *order = t->order + row * p->S;
    const int64_t *own = t->own + row * p->T;
    const double *dq = t->dz[LCT_QUERY] + (int64_t)task * p->T * each;
    double *dk = t->dz[LCT_KEY] + (int64_t)task * p->S * each;
    const int64_t first = first_sum(p);

    (void)slot;
    for (int64_t i = 0; i < p->T; i++)
        for (int64_t c = 0; own[i] >= 0 && c < each; c++)
            dk[own[i] * each + c] += dq[i * each + c];
    if (first == each)
        return;
    for (int64_t n = p->S - 1; n > 0; n--)
        if (lct_key_order_doc(p, row, order[n]) ==
            lct_key_order_doc(p, row, order[n - 1]))
            for (int64_t c = first; c < each; c++)
                dk[order[n - 1] * each + c] += dk[order[n] * each + c];
}

/* row [H, numbers] = the gradient at key j; false: all of it is 0. */
static bool gather_gradient(double *row, const struct lct_plan *p, int64_t b,
                            int64_t j)
{
    const struct lct_token_tables *t = &p->tables->token;
    bool any = false;

    for (int64_t i = 0; i < p->H * t->numbers; i++) {
        int64_t head = b * p->H + i / t->numbers;

        row[i] =
            t->dz[LCT_KEY][(head * p->S + j) * t->numbers + i % t->numbers];
        any |= row[i] != 0;
    }
    return any;
}

/* Tokens of one batch row in order; inputs of tokens without a gradient, which
 * may be NaN, are not read. */
static void inputs_backward(const struct lct_plan *p, double *const *dparam,
                            const locant_tensor *dx, int64_t b)
{
    const struct lct_token_tables *t = &p->tables->token;
    int64_t row = lct_plan_row(p, b);

    memset(t->dx, 0, (size_t)(p->S * p->W) * sizeof(*t->dx));
    for (int64_t n = 0; n < p->S; n++) {
        struct loaded l;

        if (!gather_gradient(t->row, p, b, t->order[row * p->S + n]))
            continue;
        load_token(&l, p, b, n, 0);
        hooks_of(p)->backward(dparam, t->row, p->tables->content, &l.token);
    }
    for (int64_t j = 0; dx != NULL && j < p->S; j++)
        if (lct_key_order_doc(p, row, j) >= 0)
            lct_row_from_f64(lct_at(dx, (int64_t[2]){ b, j }, 2), dx->dtype,
                             t->dx + j * p->W, (size_t)p->W);
}

void lct_token_angles_end_backward(const struct lct_plan *p,
                                   const locant_tensor *dx)
{
    double *dparam[LCT_MAX_PARAMS];

    if (hooks_of(p) == NULL)
        return;
    lct_param_gradients_of(dparam, p, p->tables->content, p->gradients->params);
    lct_parallel_for((size_t)(p->B * p->H), p->slots, numbers_backward,
                     (void *)p);
    for (int64_t b = 0; b < p->B; b++)
        inputs_backward(p, dparam, dx, b);
}
