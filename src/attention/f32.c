/* f32.c - the products of a tile in float32 */
#include "f32.h"
#include "content_far.h"
#include "decode_f32.h"
#include "dense_bias.h"
#include "load.h"
#include "product.h"
#include "relations.h"
#include "steps.h"

static void layout_queries(struct lct_scratch *s, const struct lct_plan *p,
                           struct lct_arena *arena)
{
    s->q = lct_arena_floats(arena, LCT_TILE, p->padded_q);
    s->q_cols = lct_arena_floats(arena, LCT_COLUMNS_ROW, p->Dq);
    s->dout_cols = lct_arena_floats(arena, LCT_COLUMNS_ROW, p->Dv);
}

static void layout_keys(struct lct_scratch *s, const struct lct_plan *p,
                        struct lct_arena *arena)
{
    s->k = lct_arena_floats(arena, LCT_TILE, p->padded_q);
    s->v = lct_arena_floats(arena, LCT_TILE, p->padded_v);
}

/* Multiply a whole tile step by step: set scores, or add other products. */
static void multiply_steps(const struct lct_plan *p, const struct lct_tile *t,
                           enum lct_steps_product of, struct lct_product x)
{
    bool guard = of != LCT_STEPS_SCORES && t->guarded &&
                 !p->kernels->all_finite(x.b, x.b_row, x.k, x.n);
    struct lct_steps e = { 0 };

    x.add = of != LCT_STEPS_SCORES;
    while (lct_steps_next(t, &e)) {
        struct lct_steps_block b = lct_steps_block(t, &e, of, x.n, x.k);
        struct lct_product part = x;

        part.c += b.m0 * x.c_row + b.n0;
        part.a += b.m0 * x.a_row + b.k0 * x.a_col;
        part.b += b.k0 * x.b_row + b.n0;
        part.m = b.m;
        part.n = b.n;
        part.k = b.k;
        if (x.rescale != NULL)
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
    lct_relations_load(p, t, s);
}

static void load_dout(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s, const locant_tensor *dout)
{
    (void)dout; /* s->dout is loaded already */
    lct_product_columns(p, t, s->dout_cols, s->dout, p->padded_v, p->Dv);
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

/*
 * Scores in pieces of a few keys; meanwhile ask for the dense biases that are
 * added next.  To ask for all at once takes as long as to wait for them: of
 * pieces of 4, 6 and 12 keys, which ask for 16 lines and more, those of 4 are
 * fastest on Zen 5.
 */
static void multiply_asking(const struct lct_plan *p, const struct lct_tile *t,
                            const struct lct_product *x)
{
    const size_t piece = 4;
    struct lct_product part = *x;
    int64_t asked = 0, end;

    for (size_t i = 0; i < x->m; i += part.m) {
        part.c = x->c + i * x->c_row;
        part.a = x->a + i * x->a_row;
        part.m = x->m - i < piece ? x->m - i : piece;
        end = t->rows * (int64_t)(i + part.m) / (int64_t)x->m;
        lct_dense_bias_ask(p, t, asked, end);
        asked = end;
        p->kernels->matmul(&part);
    }
}

/* to = scale q k^T of queries in one relation */
static void multiply_queries(const struct lct_plan *p, const struct lct_tile *t,
                             float *to, const struct lct_loaded *l,
                             const float *q_cols)
{
    struct lct_product x = lct_product_of(
        (struct lct_product_rows){ to, t->lanes },
        lct_product_rows_of(l->keys, l->key_row),
        lct_product_columns_of(q_cols), t->keys, t->lanes, p->Dq);

    if (p->request->bias != NULL && lct_steps_are_one(t))
        multiply_asking(p, t, &x);
    else
        multiply_steps(p, t, LCT_STEPS_SCORES, x);
}

static void scores(const struct lct_plan *p, const struct lct_tile *t,
                   struct lct_scratch *s, const struct lct_loaded *l)
{
    bool first = true;

    for (int r = 0; r < lct_tables_relations(p); r++) {
        if (!lct_relations_has(t, r))
            continue;
        multiply_queries(p, t, first ? s->s : s->pairs, l,
                         lct_relations_queries(s, r).q_cols);
        if (!first)
            lct_relations_select(p, t, s->s, s->pairs, r, false);
        first = false;
    }
}

/* dq += ds k, dk += ds^T q of queries in one relation */
static void multiply_gradients(const struct lct_plan *p,
                               const struct lct_tile *t, const float *ds,
                               const struct lct_loaded *l,
                               const struct lct_relation_queries *queries,
                               bool needs_dq, struct lct_product_rows dk)
{
    const size_t row = (size_t)p->padded_q, columns = (size_t)p->columns_q;

    if (needs_dq)
        multiply_steps(
            p, t, LCT_STEPS_QUERIES,
            lct_product_of((struct lct_product_rows){ queries->dq, row },
                           lct_product_transposed(ds, t->lanes),
                           lct_product_rows_of(l->keys, l->key_row), t->rows,
                           columns, t->keys));
    if (dk.at != NULL)
        multiply_steps(p, t, LCT_STEPS_KEYS,
                       lct_product_of(dk, lct_product_rows_of(ds, t->lanes),
                                      lct_product_rows_of(queries->q, row),
                                      t->keys, columns, t->rows));
}

static void scores_backward(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, const struct lct_loaded *l,
                            bool needs_dq, struct lct_product_rows dk)
{
    const float *ds = lct_relations_are_one(t) ? s->ds : s->pairs;

    for (int r = 0; r < lct_tables_relations(p); r++) {
        struct lct_relation_queries queries = lct_relations_queries(s, r);

        if (!lct_relations_has(t, r))
            continue;
        if (ds != s->ds)
            lct_relations_select(p, t, s->pairs, s->ds, r, true);
        multiply_gradients(p, t, ds, l, &queries, needs_dq, dk);
    }
}

/* ------------------------------------------------------------------- values */

static void values(const struct lct_plan *p, const struct lct_tile *t,
                   struct lct_scratch *s, const struct lct_loaded *l)
{
    struct lct_product x =
        lct_product_of((struct lct_product_rows){ s->out, (size_t)p->padded_v },
                       lct_product_transposed(s->s, t->lanes),
                       lct_product_rows_of(l->values, l->value_row), t->rows,
                       (size_t)p->columns_v, t->keys);

    x.rescale = s->rescale;
    multiply_steps(p, t, LCT_STEPS_QUERIES, x);
}

static void values_backward(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, const struct lct_loaded *l,
                            struct lct_product_rows dv)
{
    if (dv.at != NULL)
        multiply_steps(
            p, t, LCT_STEPS_KEYS,
            lct_product_of(dv, lct_product_rows_of(s->s, t->lanes),
                           lct_product_rows_of(s->dout, (size_t)p->padded_v),
                           t->keys, (size_t)p->columns_v, t->rows));
    multiply_steps(p, t, LCT_STEPS_SCORES,
                   lct_product_of((struct lct_product_rows){ s->ds, t->lanes },
                                  lct_product_rows_of(l->values, l->value_row),
                                  lct_product_columns_of(s->dout_cols), t->keys,
                                  t->lanes, p->Dv));
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
