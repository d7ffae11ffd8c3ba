/*
 * bf16.c - the products of a tile by dot products of bfloat16.
 *
 * A dot product multiplies two pairs of bfloat16 numbers exactly and sums in
 * float.  Scores take the rows as they are in memory; the scale multiplies
 * the float sums.  Factors that are not bfloat16 are rounded to bfloat16, with
 * an error of at most u = 2^-8 of their size:
 *
 *   weights p, after they are summed, so that lse keeps its accuracy: the error
 *   of out is at most u sum w |v|, w the weights divided by their sum;
 *   q and k, once, if they are rotated: the error of a score is at most
 *   e = (2u + u^2) scale sum_c |q_c k_c|, of out (exp(2e) - 1) sum w |v|;
 *   backward: weights in the product for dv; ds in those for dq and, times
 *   the scale of its query, for dk.  Gradients of biases take ds unrounded.
 *
 * These are bounds.  The root mean square of a rounding is 0.42 u and signs are
 * random: with unit scores the error of out is within u of its size, with its
 * last rounding (tests/test_attention_bf16.c prints what it measures).
 */
#include "bf16.h"
#include "../encodings/rotate.h"
#include "bf16_product.h"
#include "decode_bf16.h"
#include "load.h"
#include "steps.h"
#include <string.h>

/* Words of a row of D channels. */
static size_t words_of(int64_t D)
{
    return (size_t)(D + 1) / 2;
}

static void *words(struct lct_arena *arena, int64_t rows, int64_t columns)
{
    return lct_arena_alloc(arena, rows, columns, sizeof(uint32_t));
}

static void layout_queries(struct lct_scratch *s, const struct lct_plan *p,
                           struct lct_arena *arena)
{
    int64_t row = (int64_t)words_of(p->D), row_v = (int64_t)words_of(p->Dv);

    s->bf16.q = words(arena, LCT_TILE, row);
    s->bf16.q_pairs = words(arena, LCT_TILE / 2, p->padded);
    s->bf16.q_cols = words(arena, LCT_TILE, row);
    s->bf16.dout = words(arena, LCT_TILE, row_v);
    s->bf16.dout_pairs = words(arena, LCT_TILE / 2, p->padded_v);
    s->bf16.dout_cols = words(arena, LCT_TILE, row_v);
}

static void layout_keys(struct lct_scratch *s, const struct lct_plan *p,
                        struct lct_arena *arena)
{
    s->bf16.k = words(arena, LCT_TILE / 2, p->padded);
    s->bf16.v = words(arena, LCT_TILE / 2, p->padded_v);
    s->bf16.k_pairs = words(arena, LCT_TILE / 2, p->padded);
    s->bf16.v_pairs = words(arena, LCT_TILE / 2, p->padded_v);
    s->bf16.weights = words(arena, LCT_TILE, LCT_TILE / 2);
    s->bf16.guard =
        words(arena, 1, p->padded > p->padded_v ? p->padded : p->padded_v);
}

/* ----------------------------------------------------------------- products */

/*
 * Multiply a whole tile step by step: set scores, or add other products.  x.k
 * counts words.  Steps begin at a word; in the last word of a step, the second
 * weight is 0 if its key is masked.
 */
static void multiply_steps(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s, enum lct_steps_product of,
                           struct lct_bf16_product x)
{
    bool guard =
        of != LCT_STEPS_SCORES && t->guarded && !lct_bf16_product_is_finite(&x);
    struct lct_steps e = { 0 };

    x.add = of != LCT_STEPS_SCORES;
    while (lct_steps_next(t, &e)) {
        struct lct_steps_block b = lct_steps_block(t, &e, of, x.n, 2 * x.k);
        struct lct_bf16_product part = x;

        part.c += b.m0 * x.c_row + b.n0;
        part.a = (const char *)x.a + (ptrdiff_t)b.m0 * x.a_row +
                 (ptrdiff_t)(b.k0 / 2) * x.a_col;
        part.b += b.k0 / 2 * x.b_row + b.n0;
        part.m = b.m;
        part.n = b.n;
        part.k = (b.k + 1) / 2;
        if (x.factor != NULL)
            part.factor += b.n0;
        if (x.rescale != NULL)
            part.rescale += b.m0;
        lct_bf16_product_multiply(p->kernels, &part, guard, s->bf16.guard);
    }
}

/* ------------------------------------------------------------------ loading */

/*
 * Load n rows of x as rows of words, rotated unless angles.cosines is NULL; the
 * channel after an odd D is 0.
 */
static void load_rows(const struct lct_plan *p, uint16_t *to,
                      const locant_tensor *x, const int64_t at[3], int64_t n,
                      struct lct_table angles)
{
    size_t D = (size_t)x->shape[3], row = 2 * words_of(x->shape[3]);
    const char *data = lct_at(x, at, 3);
    struct lct_rope rope = { .out_row = (ptrdiff_t)(row * sizeof(*to)),
                             .x_row = lct_bf16_step(x),
                             .rows = (size_t)n,
                             .heads = 1,
                             .kind = LCT_STORED_BF16,
                             .sign = 1 };
    bool all_rotate =
        angles.cosines != NULL && 2 * p->schedule->pairs == x->shape[3];

    if (!all_rotate)
        for (int64_t i = 0; i < n; i++) {
            uint16_t *out = to + (size_t)i * row;

            memcpy(out, data + i * rope.x_row, D * sizeof(*to));
            if (D % 2 != 0)
                out[D] = 0;
        }
    if (angles.cosines == NULL)
        return;
    rope.pairs = rope.table_row = (size_t)p->schedule->pairs;
    rope.cosines = angles.cosines;
    rope.sines = angles.sines;
    rope.interleaved = p->schedule->pairing == LCT_INTERLEAVED;
    rope.out = to + p->schedule->first;
    rope.x = data + (size_t)p->schedule->first * sizeof(*to);
    lct_rotate_bands(&rope, p->schedule, p->kernels);
}

/* Transpose t->rows rows of D channels; lanes without a query become 0. */
static void to_columns(const struct lct_plan *p, const struct lct_tile *t,
                       uint32_t *columns, const uint16_t *from, int64_t D)
{
    size_t rows = (size_t)t->rows, lanes = t->lanes, n = words_of(D);

    /* The kernel only moves bits, so it may take words as floats. */
    p->kernels->transpose((float *)columns, lanes, (const float *)from, n, rows,
                          n);
    if (rows == lanes)
        return;
    for (size_t w = 0; w < n; w++)
        memset(columns + w * lanes + rows, 0,
               (lanes - rows) * sizeof(*columns));
}

/* Copy n rows of D channels, 'row' bytes apart, to pairs of padded rows. */
static void to_pairs(const struct lct_plan *p, uint32_t *to, const void *from,
                     ptrdiff_t row, int64_t n, int64_t D)
{
    p->kernels->bf16_pair_rows(to, (size_t)lct_sizes_round_up(D, LCT_PAD), from,
                               row, LCT_STORED_BF16, (size_t)n, (size_t)D);
}

static const struct lct_table no_angles = { NULL, NULL, false };

/* Angles from 'at' = b, h, i on; no_angles if rows are not rotated. */
static struct lct_table angles_of(const struct lct_plan *p, enum lct_role role,
                                  const int64_t at[3])
{
    if (role == LCT_QUERY ? p->schedule == NULL : !p->rotates_keys)
        return no_angles;
    return lct_tables_angles(p, p->tables->angles, role, at[0], at[1], at[2]);
}

static struct lct_table key_angles_of(const struct lct_plan *p,
                                      const struct lct_tile *t)
{
    return angles_of(p, LCT_KEY,
                     (int64_t[3]){ t->b, lct_plan_kv_head(p, t->h), t->j });
}

void lct_bf16_load_query(const struct lct_plan *p, uint32_t *to,
                         const int64_t at[3])
{
    load_rows(p, (uint16_t *)to, &p->request->q, at, 1,
              angles_of(p, LCT_QUERY, at));
}

static void load_queries(const struct lct_plan *p, const struct lct_tile *t,
                         struct lct_scratch *s)
{
    const int64_t at[3] = { t->b, t->h, t->i };

    load_rows(p, s->bf16.q, &p->request->q, at, t->rows,
              angles_of(p, LCT_QUERY, at));
    to_columns(p, t, s->bf16.q_cols, s->bf16.q, p->D);
    for (int64_t i = 0; i < (int64_t)t->lanes; i++)
        s->scale[i] =
            i < t->rows ? lct_load_query_scale(p, t->b, t->h, t->i + i) : 0;
    if (p->pass == LCT_PASS_BACKWARD)
        to_pairs(p, s->bf16.q_pairs, s->bf16.q,
                 (ptrdiff_t)(words_of(p->D) * sizeof(uint32_t)), t->rows, p->D);
}

static void load_dout(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s, const locant_tensor *dout)
{
    load_rows(p, s->bf16.dout, dout, (int64_t[3]){ t->b, t->h, t->i }, t->rows,
              p->rotates_outputs
                  ? angles_of(p, LCT_QUERY, (int64_t[3]){ t->b, t->h, t->i })
                  : no_angles);
    to_columns(p, t, s->bf16.dout_cols, s->bf16.dout, p->Dv);
    to_pairs(p, s->bf16.dout_pairs, s->bf16.dout,
             (ptrdiff_t)(words_of(p->Dv) * sizeof(uint32_t)), t->rows, p->Dv);
}

/* The tile's rows x (of k or v), in place or copied to 'to'. */
static const void *tile_rows(size_t *row, const struct lct_plan *p,
                             const struct lct_tile *t,
                             const struct lct_paged_rows *x, uint16_t *to,
                             struct lct_table angles)
{
    *row = (size_t)lct_bf16_step(&x->x);
    if (angles.cosines == NULL && x->x.shape[3] % 2 == 0)
        return lct_at(&x->x, x->at, 3);
    load_rows(p, to, &x->x, x->at, t->keys, angles);
    *row = words_of(x->x.shape[3]) * sizeof(uint32_t);
    return to;
}

void lct_bf16_pair_rotated_values(const struct lct_plan *p,
                                  const struct lct_tile *t,
                                  struct lct_scratch *s)
{
    struct lct_paged_rows v = lct_load_value_rows(p, t, s);
    size_t row;
    const void *rows =
        tile_rows(&row, p, t, &v, s->bf16.v, key_angles_of(p, t));

    to_pairs(p, s->bf16.v_pairs, rows, (ptrdiff_t)row, t->keys, p->Dv);
}

/* Products that sum over keys read pairs of rows: v, and k in backward. */
static struct lct_loaded load_keys(const struct lct_plan *p,
                                   const struct lct_tile *t,
                                   struct lct_scratch *s)
{
    struct lct_paged_rows k = lct_load_key_rows(p, t, 0, t->keys, s);
    struct lct_paged_rows v = lct_load_value_rows(p, t, s);
    struct lct_loaded l = { .values = s->bf16.v_pairs };

    l.keys = tile_rows(&l.key_row, p, t, &k, s->bf16.k, key_angles_of(p, t));
    if (p->pass != LCT_PASS_BACKWARD && p->rotates_values) {
        lct_bf16_pair_rotated_values(p, t, s);
        return l;
    }
    if (p->pass != LCT_PASS_BACKWARD) {
        to_pairs(p, s->bf16.v_pairs, lct_at(&v.x, v.at, 3), lct_bf16_step(&v.x),
                 t->keys, p->Dv);
        return l;
    }
    l.values = tile_rows(&l.value_row, p, t, &v, s->bf16.v,
                         p->rotates_values ? key_angles_of(p, t) : no_angles);
    to_pairs(p, s->bf16.k_pairs, l.keys, (ptrdiff_t)l.key_row, t->keys, p->D);
    return l;
}

/* ------------------------------------------------------------------- scores */

enum { WORD = sizeof(uint32_t) /* bytes */ };

/* A left factor of words: entry (i, j) is at byte i * row + j * column. */
struct words_factor {
    const void *at;
    ptrdiff_t row, column;
};

/* c [m, n] = a [m, k] b [k, n] with dense rows of b; k counts words. */
static struct lct_bf16_product product_of(struct lct_product_rows c,
                                          struct words_factor a,
                                          const uint32_t *b, size_t m, size_t n,
                                          size_t k)
{
    return (struct lct_bf16_product){ .c = c.at,
                                      .c_row = c.row,
                                      .a = a.at,
                                      .a_row = a.row,
                                      .a_col = a.column,
                                      .b = b,
                                      .b_row = n,
                                      .m = m,
                                      .n = n,
                                      .k = k };
}

static void scores(const struct lct_plan *p, const struct lct_tile *t,
                   struct lct_scratch *s, const struct lct_loaded *l)
{
    struct lct_bf16_product x = product_of(
        (struct lct_product_rows){ s->s, t->lanes },
        (struct words_factor){ l->keys, (ptrdiff_t)l->key_row, WORD },
        s->bf16.q_cols, (size_t)t->keys, t->lanes, words_of(p->D));

    x.factor = s->scale;
    multiply_steps(p, t, s, LCT_STEPS_SCORES, x);
}

static void scores_backward(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, const struct lct_loaded *l,
                            bool needs_dq, struct lct_product_rows dk)
{
    size_t keys = (size_t)t->keys, lanes = t->lanes, padded = (size_t)p->padded;
    ptrdiff_t row = (ptrdiff_t)(lanes * sizeof(uint32_t));

    (void)l; /* the scratch has its pairs */
    if (needs_dq) {
        p->kernels->bf16_pair_rows(s->bf16.weights, lanes, s->ds, row,
                                   LCT_STORED_F32, keys, lanes);
        multiply_steps(
            p, t, s, LCT_STEPS_QUERIES,
            product_of((struct lct_product_rows){ s->dq, padded },
                       (struct words_factor){ s->bf16.weights, WORD, row },
                       s->bf16.k_pairs, (size_t)t->rows, padded,
                       (keys + 1) / 2));
    }
    if (dk.at != NULL) {
        p->kernels->bf16_round_rows(s->bf16.weights, lanes / 2, s->ds, lanes,
                                    s->scale, keys, lanes);
        multiply_steps(
            p, t, s, LCT_STEPS_KEYS,
            product_of((struct lct_product_rows){ dk.at, padded },
                       (struct words_factor){ s->bf16.weights, row / 2, WORD },
                       s->bf16.q_pairs, keys, padded,
                       (size_t)(t->rows + 1) / 2));
    }
}

/* ------------------------------------------------------------------- values */

static void values(const struct lct_plan *p, const struct lct_tile *t,
                   struct lct_scratch *s, const struct lct_loaded *l)
{
    size_t keys = (size_t)t->keys, padded = (size_t)p->padded_v;
    ptrdiff_t row = (ptrdiff_t)(t->lanes * sizeof(uint32_t));
    struct lct_bf16_product x;

    p->kernels->bf16_pair_rows(s->bf16.weights, t->lanes, s->s, row,
                               LCT_STORED_F32, keys, t->lanes);
    x = product_of((struct lct_product_rows){ s->out, padded },
                   (struct words_factor){ s->bf16.weights, WORD, row },
                   l->values, (size_t)t->rows, padded, (keys + 1) / 2);
    x.rescale = s->rescale;
    multiply_steps(p, t, s, LCT_STEPS_QUERIES, x);
}

static void values_backward(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s, const struct lct_loaded *l,
                            struct lct_product_rows dv)
{
    size_t keys = (size_t)t->keys, lanes = t->lanes,
           padded = (size_t)p->padded_v;

    if (t->rows % 2 != 0) /* the last query is paired with an unused lane */
        for (size_t j = 0; j < keys; j++)
            s->s[j * lanes + (size_t)t->rows] = 0; /* it may hold NaN */
    if (dv.at != NULL) {
        p->kernels->bf16_round_rows(s->bf16.weights, lanes / 2, s->s, lanes,
                                    NULL, keys, lanes);
        multiply_steps(
            p, t, s, LCT_STEPS_KEYS,
            product_of((struct lct_product_rows){ dv.at, padded },
                       (struct words_factor){ s->bf16.weights,
                                              (ptrdiff_t)(2 * lanes), WORD },
                       s->bf16.dout_pairs, keys, padded,
                       (size_t)(t->rows + 1) / 2));
    }
    multiply_steps(p, t, s, LCT_STEPS_SCORES,
                   product_of((struct lct_product_rows){ s->ds, lanes },
                              (struct words_factor){
                                  l->values, (ptrdiff_t)l->value_row, WORD },
                              s->bf16.dout_cols, keys, lanes, words_of(p->Dv)));
}

const struct lct_arithmetic lct_bf16 = {
    .layout_queries = layout_queries,
    .layout_keys = layout_keys,
    .load_queries = load_queries,
    .load_dout = load_dout,
    .load_keys = load_keys,
    .scores = scores,
    .scores_backward = scores_backward,
    .values = values,
    .values_backward = values_backward,
    .decode = &lct_decode_bf16,
};
