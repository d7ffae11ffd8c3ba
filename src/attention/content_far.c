/*
 * content_far.c - scores in which a key is seen by one of two schedules.
 *
 * The engine turns rows by the schedule of near keys, as with rope.  For far
 * ones there is a second table of angles: a tile that is wholly far takes
 * queries and keys of that, a mixed one forms both products and chooses.
 */
#include "../encodings/near_far.h"
#include "../core/pool.h"
#include "content_window.h"
#include <math.h>
#include <string.h>

static const struct lct_near_far *form_of(const struct lct_problem *p)
{
    return p->content->e->row->content.near_far;
}

/* --------------------------------------------------------- tables of angles */

void lct_content_far_layout(struct lct_problem *p, struct lct_arena *arena)
{
    struct lct_content_plan *plan = &p->terms;
    int64_t T = p->position_rows * p->T, S = p->position_rows * p->S;

    plan->q_cos = lct_arena_alloc(arena, T, p->schedule->pairs, sizeof(float));
    plan->q_sin = lct_arena_alloc(arena, T, p->schedule->pairs, sizeof(float));
    plan->k_cos = lct_arena_alloc(arena, S, p->schedule->pairs, sizeof(float));
    plan->k_sin = lct_arena_alloc(arena, S, p->schedule->pairs, sizeof(float));
}

static void fill_block(void *context, size_t task, int slot)
{
    const struct lct_problem *p = context;
    const struct lct_content_plan *plan = &p->terms;
    int64_t T = p->position_rows * p->T, S = p->position_rows * p->S;
    int64_t from = (int64_t)task * LCT_TILE, pairs = p->schedule->pairs, n;

    (void)slot;
    n = T - from < LCT_TILE ? T - from : LCT_TILE;
    if (n > 0)
        lct_near_far_angles(plan->q_cos + from * pairs,
                            plan->q_sin + from * pairs, p->content->e,
                            p->schedule, LCT_QUERY, p->q_pos + from, n);
    n = S - from < LCT_TILE ? S - from : LCT_TILE;
    if (n > 0)
        lct_near_far_angles(plan->k_cos + from * pairs,
                            plan->k_sin + from * pairs, p->content->e,
                            p->schedule, LCT_KEY, p->k_pos + from, n);
}

void lct_content_far_fill(struct lct_problem *p)
{
    int64_t most = p->position_rows * (p->T > p->S ? p->T : p->S);

    lct_parallel_for((size_t)((most + LCT_TILE - 1) / LCT_TILE), p->slots,
                     fill_block, p);
}

/* ------------------------------------------------------------------- sight */

bool lct_content_classify(const struct lct_problem *p, struct lct_tile *t,
                          const struct lct_extent *q,
                          const struct lct_extent *k)
{
    if (!p->terms.terms.near_far)
        return true;
    t->sight = form_of(p)->classify_range(p->content->e,
                                (int64_t[2]){ q->low, q->high },
                                (int64_t[2]){ k->low, k->high });
    t->away = t->sight == LCT_MIXED && form_of(p)->masks;
    return t->sight != LCT_MASKED;
}

/* ----------------------------------------------------------------- forward */

/* Angles of token i of batch row b, and of those after it. */
static struct lct_load_angles angles(const struct lct_problem *p,
                                     enum lct_role role, int64_t b, int64_t i,
                                     bool far)
{
    const struct lct_content_plan *plan = &p->terms;
    const int64_t n = role == LCT_QUERY ? p->T : p->S;
    const int64_t at = lct_problem_row(p, b) * n + i;

    if (role == LCT_QUERY)
        return lct_load_angles_at(p, far ? plan->q_cos : p->q_cos,
                                  far ? plan->q_sin : p->q_sin, at);
    return lct_load_angles_at(p, far ? plan->k_cos : p->k_cos,
                              far ? plan->k_sin : p->k_sin, at);
}

void lct_content_far_open(const struct lct_problem *p, const struct lct_tile *t,
                          struct lct_scratch *s)
{
    struct lct_content_scratch *own = lct_content_of(p, s);
    size_t rows = (size_t)t->rows, lanes = t->lanes;

    lct_load_rotated(p, own->y[0], &p->q, (int64_t[3]){ t->b, t->h, t->i },
                    t->rows, angles(p, LCT_QUERY, t->b, t->i, true));
    for (int64_t i = 0; i < t->rows; i++) {
        float *y = own->y[0] + i * p->padded;
        float scale = lct_load_query_scale(p, t->b, t->i + i);

        for (int64_t d = 0; d < p->D; d++)
            y[d] *= scale;
    }
    p->kernels->transpose(own->y_cols[0], lanes, own->y[0], (size_t)p->padded,
                          rows, (size_t)p->D);
    for (int64_t d = 0; rows < lanes && d < p->D; d++)
        memset(own->y_cols[0] + (size_t)d * lanes + rows, 0,
               (lanes - rows) * sizeof(float));
    memset(own->dy[0], 0, (size_t)(t->rows * p->padded) * sizeof(float));
}

const float *lct_content_far_keys(const struct lct_problem *p,
                                  const struct lct_tile *t,
                                  struct lct_scratch *s)
{
    struct lct_content_scratch *own = lct_content_of(p, s);

    lct_load_rotated(p, own->rows, &p->k,
                    (int64_t[3]){ t->b, t->h / (p->H / p->Hkv), t->j },
                    t->keys, angles(p, LCT_KEY, t->b, t->j, true));
    return own->rows;
}

void lct_content_far_scores(const struct lct_problem *p,
                            const struct lct_tile *t, struct lct_scratch *s,
                            const float *keys)
{
    struct lct_content_scratch *own = lct_content_of(p, s);
    float *to = t->sight == LCT_FAR ? s->s : own->keys;
    int64_t row = lct_problem_row(p, t->b);
    const int64_t *q_pos = p->q_pos + row * p->T + t->i;
    const int64_t *k_pos = p->k_pos + row * p->S + t->j;

    p->kernels->matmul(&(struct lct_product){
        .c = to, .c_row = t->lanes,
        .a = t->sight == LCT_FAR ? keys : lct_content_far_keys(p, t, s),
        .a_row = (size_t)p->padded, .a_col = 1, .b = own->y_cols[0],
        .b_row = t->lanes, .m = (size_t)t->keys, .n = t->lanes,
        .k = (size_t)p->D });
    for (int64_t j = 0; t->sight == LCT_MIXED && j < t->keys; j++) {
        float *near = s->s + j * (int64_t)t->lanes;
        const float *far = to + j * (int64_t)t->lanes;
        char sight[LCT_TILE];

        form_of(p)->classify(sight, p->content->e, q_pos, (size_t)t->rows,
                           k_pos[j]);
        for (int64_t i = 0; i < t->rows; i++)
            near[i] = sight[i] == LCT_NEAR  ? near[i]
                      : sight[i] == LCT_FAR ? far[i]
                                            : -INFINITY;
    }
}

/* ---------------------------------------------------------------- backward */

/* own->keys = gradients of far pairs, which leave s->ds. */
static void split(const struct lct_problem *p, const struct lct_tile *t,
                  struct lct_scratch *s, float *far)
{
    int64_t row = lct_problem_row(p, t->b);
    const int64_t *q_pos = p->q_pos + row * p->T + t->i;
    const int64_t *k_pos = p->k_pos + row * p->S + t->j;

    for (int64_t j = 0; j < t->keys; j++, far += t->lanes) {
        float *ds = s->ds + j * (int64_t)t->lanes;
        char sight[LCT_TILE];

        form_of(p)->classify(sight, p->content->e, q_pos, (size_t)t->rows,
                           k_pos[j]);
        memset(far, 0, t->lanes * sizeof(*far));
        for (int64_t i = 0; i < t->rows; i++) {
            far[i] = sight[i] == LCT_FAR ? ds[i] : 0;
            ds[i] = sight[i] == LCT_FAR ? 0 : ds[i];
        }
    }
}

/* dq and dk of far pairs, both as they were turned. */
void lct_content_far_backward(const struct lct_problem *p,
                              const struct lct_tile *t, struct lct_scratch *s,
                              const float *keys)
{
    struct lct_content_scratch *own = lct_content_of(p, s);
    const float *ds = t->sight == LCT_FAR ? s->ds : own->keys;
    size_t wide = (size_t)p->padded;

    if (t->sight == LCT_MIXED)
        split(p, t, s, own->keys);
    lct_multiply(p->kernels, &(struct lct_product){
        .c = own->dy[0], .c_row = wide, .a = ds, .a_row = 1,
        .a_col = t->lanes,
        .b = t->sight == LCT_FAR ? keys : lct_content_far_keys(p, t, s),
        .b_row = wide,
        .m = (size_t)t->rows, .n = wide, .k = (size_t)t->keys, .add = true },
        t->partial);
    lct_multiply(p->kernels, &(struct lct_product){
        .c = own->dk + t->j * p->padded, .c_row = wide, .a = ds,
        .a_row = t->lanes, .a_col = 1, .b = own->y[0], .b_row = wide,
        .m = (size_t)t->keys, .n = wide, .k = (size_t)t->rows, .add = true },
        t->partial);
}

static void turn(const struct lct_problem *p, float *row,
                 struct lct_load_angles a, float sign)
{
    lct_rotate_tile(&(struct lct_rotated_rows){
        .out = row, .x = row, .rows = 1, .cosines = a.cosines,
        .sines = a.sines, .sign = sign }, p->schedule, p->kernels);
}

/* to += x, which was turned far, as what is turned near. */
static void add_turned(const struct lct_problem *p, float *to, float *x,
                       enum lct_role role, int64_t b, int64_t i)
{
    turn(p, x, angles(p, role, b, i, true), -1);
    turn(p, x, angles(p, role, b, i, false), 1);
    for (int64_t d = 0; d < p->D; d++)
        to[d] += x[d];
}

void lct_content_far_close(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s)
{
    struct lct_content_scratch *own = lct_content_of(p, s);

    for (int64_t i = 0; i < t->rows; i++)
        add_turned(p, s->out + i * p->padded, own->dy[0] + i * p->padded,
                   LCT_QUERY, t->b, t->i + i);
}

void lct_content_begin_keys(const struct lct_problem *p, struct lct_scratch *s)
{
    if (p->terms.terms.near_far)
        memset(lct_content_of(p, s)->dk, 0,
               (size_t)(p->S * p->padded) * sizeof(float));
}

void lct_content_end_keys(const struct lct_problem *p, int64_t b, int64_t head,
                          struct lct_scratch *s, const locant_tensor *dk)
{
    struct lct_content_scratch *own = lct_content_of(p, s);

    for (int64_t j = 0; p->terms.terms.near_far && j < p->S; j++)
        add_turned(p, p->gathers_dk ? s->dk + j * p->padded_q
                                    : lct_row(dk, b, head, j),
                   own->dk + j * p->padded, LCT_KEY, b, j);
}
