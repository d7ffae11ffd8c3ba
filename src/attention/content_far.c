/* content_far.c - near/far scores, rotated by one of two tables of angles */
#include "content_far.h"
#include "../core/pool.h"
#include "load.h"
#include "product.h"
#include <math.h>
#include <string.h>

static const struct lct_near_far *near_far_of(const struct lct_plan *p)
{
    return p->tables->content->e->row->content.near_far;
}

/* --------------------------------------------------------- tables of angles */

void lct_content_far_layout(struct lct_content_products *c,
                            const struct lct_plan *p, struct lct_arena *arena)
{
    int64_t T = p->position_rows * p->T, S = p->position_rows * p->held_keys;
    int64_t pairs = p->schedule->pairs;

    c->far_angles[LCT_QUERY].cosines = lct_arena_floats(arena, T, pairs);
    c->far_angles[LCT_QUERY].sines = lct_arena_floats(arena, T, pairs);
    c->far_angles[LCT_KEY].cosines = lct_arena_floats(arena, S, pairs);
    c->far_angles[LCT_KEY].sines = lct_arena_floats(arena, S, pairs);
}

/* Of a tile of queries or keys, from token i of a row of positions on. */
static void fill_angles(const struct lct_plan *p, enum lct_role role,
                        int64_t row, int64_t i)
{
    bool query = role == LCT_QUERY;
    const int64_t *pos =
        query ? p->tables->q_pos + row * p->T : p->tables->k_pos + row * p->S;
    int64_t end = query ? p->T : p->first_key + p->held_keys;
    struct lct_table to;

    if (i >= end)
        return;
    to = lct_tables_angles(p, p->content->far_angles, role, row, 0, i);
    lct_near_far_angles(to.cosines, to.sines, p->tables->content->e,
                        p->schedule, role, pos + i, lct_sizes_in_tile(end, i));
}

/* The most tiles of queries or keys in a row of positions. */
static int64_t tiles_of(const struct lct_plan *p)
{
    return lct_sizes_tiles(p->T > p->held_keys ? p->T : p->held_keys);
}

static void fill_block(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    int64_t row = (int64_t)task / tiles_of(p);
    int64_t i = (int64_t)task % tiles_of(p) * LCT_TILE;

    (void)slot;
    fill_angles(p, LCT_QUERY, row, i);
    fill_angles(p, LCT_KEY, row, p->first_key + i);
}

void lct_content_far_fill(const struct lct_plan *p)
{
    lct_parallel_for((size_t)(p->position_rows * tiles_of(p)), p->slots,
                     fill_block, (void *)p);
}

/* ----------------------------------------------------------------- classes */

bool lct_content_far_classify(const struct lct_plan *p, struct lct_tile *t,
                              const struct lct_extent *q,
                              const struct lct_extent *k)
{
    if (!p->content->products.near_far)
        return true;
    t->nearness = near_far_of(p)->classify_range(
        p->tables->content->e, (int64_t[2]){ q->low, q->high },
        (int64_t[2]){ k->low, k->high });
    t->far_masks = t->nearness == LCT_MIXED && near_far_of(p)->masks;
    return t->nearness != LCT_MASKED;
}

/* ----------------------------------------------------------------- forward */

/* Far angles of token i of batch row b and of the tokens after it. */
static struct lct_table far_angles(const struct lct_plan *p, enum lct_role role,
                                   int64_t b, int64_t i)
{
    return lct_tables_angles(p, p->content->far_angles, role, b, 0, i);
}

void lct_content_far_open(const struct lct_plan *p, const struct lct_tile *t,
                          struct lct_scratch *s)
{
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);

    lct_load_rotated(p, own->y[0], p->padded, &p->request->q,
                     (int64_t[3]){ t->b, t->h, t->i }, t->rows,
                     far_angles(p, LCT_QUERY, t->b, t->i));
    for (int64_t i = 0; i < t->rows; i++) {
        float *y = own->y[0] + i * p->padded;
        float scale = lct_load_query_scale(p, t->b, t->h, t->i + i);

        for (int64_t d = 0; d < p->D; d++)
            y[d] *= scale;
    }
    lct_product_columns(p, t, own->y_cols[0], own->y[0], p->padded, p->D);
    memset(own->dy[0], 0, (size_t)(t->rows * p->padded) * sizeof(float));
}

const float *lct_content_far_keys(const struct lct_plan *p,
                                  const struct lct_tile *t,
                                  struct lct_scratch *s)
{
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);
    struct lct_paged_rows k = lct_load_key_rows(p, t, 0, t->keys, s);

    lct_load_rotated(p, own->far_keys, p->padded, &k.x, k.at, t->keys,
                     far_angles(p, LCT_KEY, t->b, t->j));
    return own->far_keys;
}

void lct_content_far_scores(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, const float *keys)
{
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);
    float *to = t->nearness == LCT_FAR ? s->s : own->far_s;
    int64_t row = lct_plan_row(p, t->b);
    const int64_t *q_pos = p->tables->q_pos + row * p->T + t->i;
    const int64_t *k_pos = p->tables->k_pos + row * p->S + t->j;
    struct lct_product x;

    x = lct_product_of(
        (struct lct_product_rows){ to, t->lanes },
        lct_product_rows_of(
            t->nearness == LCT_FAR ? keys : lct_content_far_keys(p, t, s),
            (size_t)p->padded),
        lct_product_columns_of(own->y_cols[0]), t->keys, t->lanes, p->D);
    p->kernels->matmul(&x);
    if (t->nearness != LCT_MIXED)
        return;
    for (int64_t j = 0; j < t->keys; j++) {
        float *near = s->s + j * (int64_t)t->lanes;
        const float *far = to + j * (int64_t)t->lanes;
        char class[LCT_TILE];

        near_far_of(p)->classify(class, p->tables->content->e, q_pos,
                                 (size_t)t->rows, k_pos[j]);
        for (int64_t i = 0; i < t->rows; i++)
            near[i] = class[i] == LCT_NEAR  ? near[i]
                      : class[i] == LCT_FAR ? far[i]
                                            : -INFINITY;
    }
}

/* ---------------------------------------------------------------- backward */

/* Move the gradients of far pairs from s->ds to far [keys, lanes]. */
static void move_far(const struct lct_plan *p, const struct lct_tile *t,
                     struct lct_scratch *s, float *far)
{
    int64_t row = lct_plan_row(p, t->b);
    const int64_t *q_pos = p->tables->q_pos + row * p->T + t->i;
    const int64_t *k_pos = p->tables->k_pos + row * p->S + t->j;

    for (int64_t j = 0; j < t->keys; j++, far += t->lanes) {
        float *ds = s->ds + j * (int64_t)t->lanes;
        char class[LCT_TILE];

        near_far_of(p)->classify(class, p->tables->content->e, q_pos,
                                 (size_t)t->rows, k_pos[j]);
        memset(far, 0, t->lanes * sizeof(*far));
        for (int64_t i = 0; i < t->rows; i++) {
            far[i] = class[i] == LCT_FAR ? ds[i] : 0;
            ds[i] = class[i] == LCT_FAR ? 0 : ds[i];
        }
    }
}

/* dq and dk of far pairs, with respect to the rotated rows. */
void lct_content_far_backward(const struct lct_plan *p,
                              const struct lct_tile *t, struct lct_scratch *s,
                              const float *keys)
{
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);
    const float *ds = t->nearness == LCT_FAR ? s->ds : own->far_s;
    size_t padded = (size_t)p->padded;
    struct lct_product x;

    if (t->nearness == LCT_MIXED)
        move_far(p, t, s, own->far_s);
    x = lct_product_of((struct lct_product_rows){ own->dy[0], padded },
                       lct_product_transposed(ds, t->lanes),
                       lct_product_rows_of(t->nearness == LCT_FAR
                                               ? keys
                                               : lct_content_far_keys(p, t, s),
                                           padded),
                       t->rows, padded, t->keys);
    x.add = true;
    lct_product_multiply(p->kernels, &x, t->masked);
    x = lct_product_of(
        (struct lct_product_rows){ own->far_dk + t->j * p->padded, padded },
        lct_product_rows_of(ds, t->lanes),
        lct_product_rows_of(own->y[0], padded), t->keys, padded, t->rows);
    x.add = true;
    lct_product_multiply(p->kernels, &x, t->masked);
}

static void rotate(const struct lct_plan *p, float *row, struct lct_table a,
                   float sign)
{
    lct_rotate_tile(&(struct lct_rotated_rows){ .out = row,
                                                .x = row,
                                                .rows = 1,
                                                .cosines = a.cosines,
                                                .sines = a.sines,
                                                .sign = sign },
                    p->schedule, p->kernels);
}

/* to += x, whose far rotation is undone and replaced by the near one. */
static void add_rotated(const struct lct_plan *p, float *to, float *x,
                        enum lct_role role, int64_t b, int64_t i)
{
    rotate(p, x, far_angles(p, role, b, i), -1);
    rotate(p, x, lct_tables_angles(p, p->tables->angles, role, b, 0, i), 1);
    for (int64_t d = 0; d < p->D; d++)
        to[d] += x[d];
}

void lct_content_far_close(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s)
{
    struct lct_content_scratch *own = lct_content_scratch_of(p, s);

    for (int64_t i = 0; i < t->rows; i++)
        add_rotated(p, s->dq + i * p->padded, own->dy[0] + i * p->padded,
                    LCT_QUERY, t->b, t->i + i);
}

void lct_content_far_clear_keys(const struct lct_plan *p, struct lct_scratch *s)
{
    if (p->content->products.near_far)
        memset(lct_content_scratch_of(p, s)->far_dk, 0,
               (size_t)(p->S * p->padded) * sizeof(float));
}

void lct_content_far_add_keys(const struct lct_plan *p, int64_t b, int64_t head,
                              struct lct_scratch *s, const locant_tensor *dk)
{
    float *far;

    if (!p->content->products.near_far)
        return;
    far = lct_content_scratch_of(p, s)->far_dk;
    for (int64_t j = 0; j < p->S; j++) {
        int64_t at[3] = { b, head, j };

        add_rotated(p,
                    p->gathers_dk ? s->dk + j * p->padded_q : lct_at(dk, at, 3),
                    far + j * p->padded, LCT_KEY, b, j);
    }
}
