/*
 * bf16.c - forward on bfloat16 by dot products of pairs.
 *
 * The products are those of bfloat16 numbers, two steps of a sum at a time,
 * exact, and summed in float.  Scores take the rows as they are in memory; the
 * scale is put on the float sums.  What enters a product without being such a
 * number is rounded to one, by at most u = 2^-8 of its size:
 *
 *   weights p, after their sum was taken, so that lse keeps its accuracy: an
 *   error of out of at most u sum w |v|, w the weights over their sum;
 *   q and k, once, where they are turned: a score errs by at most
 *   e = (2u + u^2) scale sum_c |q_c k_c|, and out by (exp(2e) - 1) sum w |v|.
 *
 * These are bounds.  A rounding is 0.42 u in the mean square, signs are random,
 * and with unit scores out comes within u of its own size, its last rounding
 * counted (tests/test_attention_bf16.c prints what it meets).
 *
 * The scratch of forward.c, whose rows of floats have room enough, holds: q the
 * rows of queries and k those of keys, in bfloat16; q_cols words, each of two
 * channels, [(D + 1) / 2, lanes]; v words of two keys, [TILE / 2, Dp]; ds the
 * weights as such words, [TILE / 2, lanes]; the sixth of the rows scales.
 */
#include "bf16.h"
#include <string.h>

enum lct_bf16_use lct_bf16_use = LCT_BF16_FAST;

bool lct_bf16_apply(const struct lct_problem *p)
{
    if (p->q.dtype != LOCANT_BF16 || p->by_rows || p->by_terms || p->turns)
        return false;
    return lct_bf16_use == LCT_BF16_FAST ? p->kernels->dots
                                           : lct_bf16_use == LCT_BF16_ALWAYS;
}

/* Words of a row of D channels; bytes from row to row of a tensor. */
static size_t words_of(const struct lct_problem *p)
{
    return (size_t)(p->D + 1) / 2;
}

static ptrdiff_t step_of(const locant_tensor *x)
{
    return (ptrdiff_t)x->stride[2] * (ptrdiff_t)sizeof(uint16_t);
}

/* Angles of the rows to be loaded; cosines NULL: they are not turned. */
struct angles {
    const float *cosines, *sines;
    int64_t first; /* row of the table */
};

/* n rows from x on as rows of words, turned; the channel after D is 0. */
static void load_rows(const struct lct_problem *p, uint16_t *to,
                      const locant_tensor *x, const int64_t at[3], int64_t n,
                      struct angles table)
{
    size_t D = (size_t)p->D, row = 2 * words_of(p), from;
    const char *data = lct_at(x, at, 3);
    struct lct_rope rope = { .out_row = (ptrdiff_t)(row * sizeof(*to)),
                             .x_row = step_of(x), .rows = (size_t)n,
                             .heads = 1,
                             .kind = LCT_STORED_BF16, .sign = 1 };
    bool whole = table.cosines != NULL && 2 * p->schedule->pairs == p->D;

    for (int64_t i = 0; !whole && i < n; i++) {
        uint16_t *out = to + (size_t)i * row;

        memcpy(out, data + i * rope.x_row, D * sizeof(*to));
        if (D % 2 != 0)
            out[D] = 0;
    }
    if (table.cosines == NULL)
        return;
    rope.pairs = rope.table_row = (size_t)p->schedule->pairs;
    from = (size_t)table.first * rope.table_row;
    rope.cosines = table.cosines + from;
    rope.sines = table.sines + from;
    rope.interleaved = p->schedule->pairing == LCT_INTERLEAVED;
    rope.out = to + p->schedule->first;
    rope.x = data + (size_t)p->schedule->first * sizeof(*to);
    p->kernels->rope(&rope);
}

/* Columns of t->rows rows of words at 'from', with zeros for other lanes. */
static void to_columns(const struct lct_problem *p, const struct lct_tile *t,
                       float *columns, const float *from)
{
    size_t rows = (size_t)t->rows, lanes = t->lanes, words = words_of(p);

    /* Words move as floats do. */
    p->kernels->transpose(columns, lanes, from, words, rows, words);
    for (size_t w = 0; rows < lanes && w < words; w++)
        memset(columns + w * lanes + rows, 0, (lanes - rows) * sizeof(float));
}

struct lct_bf16_rows lct_bf16_columns(const struct lct_problem *p,
                                      const struct lct_tile *t,
                                      const locant_tensor *x, float *to,
                                      float *columns)
{
    load_rows(p, (uint16_t *)to, x, (int64_t[3]){ t->b, t->h, t->i }, t->rows,
              (struct angles){ .first = 0 });
    to_columns(p, t, columns, to);
    return (struct lct_bf16_rows){ to, (ptrdiff_t)(words_of(p) *
                                                    sizeof(uint32_t)) };
}

void lct_bf16_queries(const struct lct_problem *p, const struct lct_tile *t,
                      struct lct_scratch *s)
{
    int64_t row = lct_problem_row(p, t->b) * p->T + t->i;
    size_t rows = (size_t)t->rows, lanes = t->lanes;
    float *scales = s->rows + LCT_PAIRS_SCALES;

    load_rows(p, (uint16_t *)s->q, &p->q, (int64_t[3]){ t->b, t->h, t->i },
              t->rows, (struct angles){ p->q_cos, p->q_sin, row });
    to_columns(p, t, s->q_cols, s->q);
    for (size_t i = 0; i < lanes; i++)
        scales[i] = i < rows ? lct_load_query_scale(p, t->b, t->i + (int64_t)i)
            : 0;
}

struct lct_bf16_rows lct_bf16_tile(const struct lct_problem *p,
                                   const struct lct_tile *t,
                                   const locant_tensor *x, float *to)
{
    int64_t at[3] = { t->b, t->h / (p->H / p->Hkv), t->j };
    struct angles table = { .first = lct_problem_row(p, t->b) * p->S + t->j };
    bool turned = x == &p->k && p->turns_keys;

    if (!turned && p->D % 2 == 0)
        return (struct lct_bf16_rows){ lct_at(x, at, 3), step_of(x) };
    if (turned) {
        table.cosines = p->k_cos;
        table.sines = p->k_sin;
    }
    load_rows(p, (uint16_t *)to, x, at, t->keys, table);
    return (struct lct_bf16_rows){ to, (ptrdiff_t)(words_of(p) *
                                                    sizeof(uint32_t)) };
}

struct lct_bf16_loaded lct_bf16_load(const struct lct_problem *p,
                                     const struct lct_tile *t,
                                     struct lct_scratch *s)
{
    int64_t at[3] = { t->b, t->h / (p->H / p->Hkv), t->j };

    p->kernels->pair_rows((uint32_t *)s->v, (size_t)p->padded,
                          lct_at(&p->v, at, 3), step_of(&p->v),
                          LCT_STORED_BF16, (size_t)t->keys, (size_t)p->D);
    return (struct lct_bf16_loaded){
        .keys = lct_bf16_tile(p, t, &p->k, s->k) };
}

void lct_bf16_query(const struct lct_problem *p, uint32_t *to,
                    const int64_t at[3])
{
    int64_t row = lct_problem_row(p, at[0]) * p->T + at[2];

    memset(to, 0, (size_t)p->padded_q / 2 * sizeof(*to));
    load_rows(p, (uint16_t *)to, &p->q, at, 1,
              (struct angles){ p->q_cos, p->q_sin, row });
}

void lct_bf16_keys(const struct lct_problem *p, const struct lct_tile *t,
                   struct lct_scratch *s)
{
    uint16_t *to = (uint16_t *)s->k;
    int64_t at[3] = { t->b, t->h / (p->H / p->Hkv), t->j };

    memset(to, 0, (size_t)(t->keys * p->padded_q) * sizeof(*to));
    for (int64_t j = 0; j < t->keys; j++, at[2]++, to += p->padded_q)
        memcpy(to, lct_at(&p->k, at, 3), (size_t)p->D * sizeof(*to));
}

void lct_bf16_scores(const struct lct_problem *p, const struct lct_tile *t,
                     struct lct_scratch *s,
                     const struct lct_bf16_loaded *loaded, float *slope)
{
    lct_bf16_pair_steps(p, t, &(struct lct_pair_product){
        .c = s->s, .c_row = t->lanes, .a = loaded->keys.at,
        .a_row = loaded->keys.row, .a_col = sizeof(uint32_t),
        .b = (const uint32_t *)s->q_cols, .b_row = t->lanes,
        .m = (size_t)t->keys, .n = t->lanes, .k = words_of(p),
        .factor = s->rows + LCT_PAIRS_SCALES });
    lct_scores_finish(p, t, s, NULL, 0, slope);
}

/* ------------------------------------------------------------------ values */

enum { LOW_HALF = 0xffff };

/*
 * Is no half of n words NaN or infinite?  An exponent of ones carries into the
 * sign, which was cleared.
 */
static bool all_finite(const uint32_t *x, size_t n)
{
    uint32_t carried = 0;

    for (size_t i = 0; i < n; i++)
        carried |= (x[i] & 0x7f807f80) + 0x00800080;
    return (carried & 0x80008000) == 0;
}

/* The halves of a word that are neither 0 nor -0, as a mask. */
static uint32_t halves_of(uint32_t word)
{
    return ((word & 0x7fff) != 0 ? LOW_HALF : 0) |
           ((word & 0x7fff0000) != 0 ? ~(uint32_t)LOW_HALF : 0);
}

/* x where weights of 0 contribute nothing, whatever their values are. */
static void multiply_guarded(const struct lct_problem *p,
                             const struct lct_pair_product *x, uint32_t *row)
{
    for (size_t i = 0; i < x->m; i++) {
        struct lct_pair_product one = *x;

        one.c += i * x->c_row;
        one.m = one.k = 1;
        one.b = row;
        one.shrink = NULL;
        for (size_t d = 0; x->shrink != NULL && d < x->n; d++)
            one.c[d] *= x->shrink[i];
        for (size_t k = 0; k < x->k; k++) {
            const uint32_t *b = x->b + k * x->b_row;
            uint32_t word, kept;

            one.a = (const char *)x->a + (ptrdiff_t)i * x->a_row +
                    (ptrdiff_t)k * x->a_col;
            memcpy(&word, one.a, sizeof(word));
            kept = halves_of(word); /* NaN counts */
            for (size_t d = 0; d < x->n; d++)
                row[d] = b[d] & kept;
            if (kept != 0)
                p->kernels->matmul_pairs(&one);
        }
    }
}

bool lct_bf16_finite(const struct lct_pair_product *x)
{
    bool finite = true;

    for (size_t k = 0; finite && k < x->k; k++)
        finite = all_finite(x->b + k * x->b_row, x->n);
    return finite;
}

void lct_bf16_multiply(const struct lct_problem *p,
                       const struct lct_pair_product *x, bool guard,
                       uint32_t *row)
{
    if (guard)
        multiply_guarded(p, x, row);
    else
        p->kernels->matmul_pairs(x);
}

/* s->out = s->out * shrink + p v */
void lct_bf16_values(const struct lct_problem *p, const struct lct_tile *t,
                     struct lct_scratch *s)
{
    uint32_t *weights = (uint32_t *)s->ds, *values = (uint32_t *)s->v;
    size_t keys = (size_t)t->keys, padded = (size_t)p->padded;
    struct lct_pair_product x = {
        .c = s->out, .c_row = padded, .a = weights, .a_row = sizeof(uint32_t),
        .a_col = (ptrdiff_t)(t->lanes * sizeof(uint32_t)), .b = values,
        .b_row = padded, .m = (size_t)t->rows, .n = padded, .k = (keys + 1) / 2,
        .add = true, .shrink = s->rows + 2 * LCT_TILE };

    p->kernels->pair_rows(weights, t->lanes, s->s,
                          (ptrdiff_t)(t->lanes * sizeof(float)),
                          LCT_STORED_F32, keys, t->lanes);
    lct_bf16_query_steps(p, t, s, &x);
}
