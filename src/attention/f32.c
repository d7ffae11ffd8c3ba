/* f32.c - the products of a tile in float32 */
#include "f32.h"
#include "content_far.h"
#include "decode_f32.h"
#include "load.h"
#include "product.h"
#include "steps.h"

static void layout_queries(struct lct_scratch *s, const struct lct_plan *p,
                           struct lct_arena *arena)
{
    s->q = lct_arena_floats(arena, LCT_TILE, p->padded_q);
    s->q_cols = lct_arena_floats(arena, LCT_TILE, p->Dq);
    s->dout_cols = lct_arena_floats(arena, LCT_TILE, p->D);
}

static void layout_keys(struct lct_scratch *s, const struct lct_plan *p,
                        struct lct_arena *arena)
{
    s->k = lct_arena_floats(arena, LCT_TILE, p->padded_q);
    s->v = lct_arena_floats(arena, LCT_TILE, p->padded);
}

/* The product x of a whole tile, step by step. */
static void multiply_steps(const struct lct_plan *p, const struct lct_tile *t,
                           enum lct_steps_product of,
                           const struct lct_product *x)
{
    bool guard = of != LCT_STEPS_SCORES && t->masked &&
                 !p->kernels->all_finite(x->b, x->b_row, x->k, x->n);
    struct lct_steps e = { 0 };

    while (lct_steps_next(t, &e)) {
        struct lct_steps_block b = lct_steps_block(t, &e, of, x->n, x->k);
        struct lct_product part = *x;

        part.c += b.m0 * x->c_row + b.n0;
        part.a += b.m0 * x->a_row + b.k0 * x->a_col;
        part.b += b.k0 * x->b_row + b.n0;
        part.m = b.m;
        part.n = b.n;
        part.k = b.k;
        if (x->rescale != NULL)
            part.rescale += b.m0;
        if (guard)
            lct_product_multiply_guarded(p->kernels, &part);
        else
            p->kernels->matmul(&part);
    }
}

/* ------------------------------------------------------------------ loading */

static void load_queries(const struct lct_plan *p, const struct lct_tile *t,
                         struct lct_scratch *s)
{
    lct_load_queries(p, s, s->q, (int64_t[3]){ t->b, t->h, t->i }, t->rows);
    lct_product_columns(p, t, s->q_cols, s->q, p->padded_q, p->Dq);
}

static void load_dout(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s, const locant_tensor *dout)
{
    (void)dout; /* s->dout is loaded already */
    lct_product_columns(p, t, s->dout_cols, s->dout, p->padded, p->D);
}

static struct lct_loaded load_keys(const struct lct_plan *p,
                                   const struct lct_tile *t,
                                   struct lct_scratch *s)
{
    struct lct_loaded l = { .key_row = (size_t)p->padded_q };

    if (t->nearness == LCT_FAR)
        l.keys = lct_content_far_keys(p, t, s);
    else
        l.keys = lct_load_keys(p, t, s, &l.key_row);
    l.values = lct_load_values(p, t, s, &l.value_row);
    return l;
}

/* ------------------------------------------------------------------- scores */

static void scores(const struct lct_plan *p, const struct lct_tile *t,
                   struct lct_scratch *s, const struct lct_loaded *l)
{
    multiply_steps(p, t, LCT_STEPS_SCORES,
                   &(struct lct_product){ .c = s->s,
                                          .c_row = t->lanes,
                                          .a = l->keys,
                                          .a_row = l->key_row,
                                          .a_col = 1,
                                          .b = s->q_cols,
                                          .b_row = t->lanes,
                                          .m = (size_t)t->keys,
                                          .n = t->lanes,
                                          .k = (size_t)p->Dq });
}

static void scores_backward(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, const struct lct_loaded *l,
                            bool dq, struct lct_arithmetic_rows dk)
{
    if (dq)
        multiply_steps(p, t, LCT_STEPS_QUERIES,
                       &(struct lct_product){ .c = s->dq,
                                              .c_row = (size_t)p->padded_q,
                                              .a = s->ds,
                                              .a_row = 1,
                                              .a_col = t->lanes,
                                              .b = l->keys,
                                              .b_row = l->key_row,
                                              .m = (size_t)t->rows,
                                              .n = (size_t)p->columns_q,
                                              .k = (size_t)t->keys,
                                              .add = true });
    if (dk.at != NULL)
        multiply_steps(p, t, LCT_STEPS_KEYS,
                       &(struct lct_product){ .c = dk.at,
                                              .c_row = dk.row,
                                              .a = s->ds,
                                              .a_row = t->lanes,
                                              .a_col = 1,
                                              .b = s->q,
                                              .b_row = (size_t)p->padded_q,
                                              .m = (size_t)t->keys,
                                              .n = (size_t)p->columns_q,
                                              .k = (size_t)t->rows,
                                              .add = true });
}

/* ------------------------------------------------------------------- values */

static void values(const struct lct_plan *p, const struct lct_tile *t,
                   struct lct_scratch *s, const struct lct_loaded *l)
{
    multiply_steps(p, t, LCT_STEPS_QUERIES,
                   &(struct lct_product){ .c = s->out,
                                          .c_row = (size_t)p->padded,
                                          .a = s->s,
                                          .a_row = 1,
                                          .a_col = t->lanes,
                                          .b = l->values,
                                          .b_row = l->value_row,
                                          .m = (size_t)t->rows,
                                          .n = (size_t)p->columns,
                                          .k = (size_t)t->keys,
                                          .add = true,
                                          .rescale = s->rescale });
}

static void values_backward(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, const struct lct_loaded *l,
                            struct lct_arithmetic_rows dv)
{
    if (dv.at != NULL)
        multiply_steps(p, t, LCT_STEPS_KEYS,
                       &(struct lct_product){ .c = dv.at,
                                              .c_row = dv.row,
                                              .a = s->s,
                                              .a_row = t->lanes,
                                              .a_col = 1,
                                              .b = s->dout,
                                              .b_row = (size_t)p->padded,
                                              .m = (size_t)t->keys,
                                              .n = (size_t)p->columns,
                                              .k = (size_t)t->rows,
                                              .add = true });
    multiply_steps(p, t, LCT_STEPS_SCORES,
                   &(struct lct_product){ .c = s->ds,
                                          .c_row = t->lanes,
                                          .a = l->values,
                                          .a_row = l->value_row,
                                          .a_col = 1,
                                          .b = s->dout_cols,
                                          .b_row = t->lanes,
                                          .m = (size_t)t->keys,
                                          .n = t->lanes,
                                          .k = (size_t)p->D });
}

const struct lct_arithmetic lct_f32 = {
    .layout_queries = layout_queries,
    .layout_keys = layout_keys,
    .load_queries = load_queries,
    .load_dout = load_dout,
    .load_keys = load_keys,
    .scores = scores,
    .scores_backward = scores_backward,
    .values = values,
    .values_backward = values_backward,
    .decode = &lct_decode_f32,
};
