/*
 * formula_pairs.c - formulas that read scores or tokens, in tiles: in double
 * and rounded once.
 *
 *     s' = gain s + bias
 */
#include "formula_pairs.h"
#include "formula_block_gradient.h"
#include <math.h>
#include <string.h>

/* out = op(a, b) of the block's pairs */
static void apply(double *out, const struct lct_formula_tile *x,
                  enum lct_double_op op, const double *a, const double *b)
{
    const double *in[3] = { a, b, NULL };

    x->t->kernels->double_row(out, op, in, x->n);
}

/* to += d times the derivative of a b by a, exactly 0 where d or b is */
static void apply_slope(double *to, const struct lct_formula_tile *x,
                        const double *d, const double *b)
{
    const double *in[3] = { b, b, NULL };

    x->t->kernels->double_slope(to, LCT_DOUBLE_MUL, 0, d, in, b, x->n);
}

/* Keys after the query, with future=hide. */
static void hide(double *out, const struct lct_formula_tile *x)
{
    const struct lct_pairs *t = x->t;
    size_t rows = (size_t)t->rows;

    if (t->call->e->value[LCT_FORMULA_FUTURE] != LCT_FUTURE_HIDE)
        return;
    for (size_t j = 0; j < x->keys; j++)
        for (size_t i = 0; i < rows; i++)
            if (t->k_pos[x->first + j] > t->q_pos[i])
                out[j * rows + i] = -INFINITY;
}

static void scores(float *s, const struct lct_pairs *t)
{
    struct lct_formula_tile x;

    lct_formula_block_open(&x, t, false);
    for (size_t j = 0; j < (size_t)t->keys; j += x.step) {
        const double *gain, *bias; /* at least one reads s or tokens */

        lct_formula_block_take(&x, s, j);
        gain = lct_formula_block_root(&x, LCT_FORMULA_GAIN);
        bias = lct_formula_block_root(&x, LCT_FORMULA_BIAS);
        if (gain != NULL)
            apply(x.out, &x, LCT_DOUBLE_MUL, gain, x.s);
        if (bias != NULL)
            apply(x.out, &x, LCT_DOUBLE_ADD, gain != NULL ? x.out : x.s, bias);
        hide(x.out, &x);
        t->kernels->double_narrow(s + j * t->lanes, t->lanes, x.out,
                                  (size_t)t->rows, x.keys);
    }
}

/* forward: s' = gain s + bias: dgain = d s, dbias = d, ds = d gain and what
 * passes through s in gain and bias */
static const double *pass(struct lct_formula_tile *x, const double *d,
                          double *const *dparam)
{
    const double *gain = lct_formula_block_root(x, LCT_FORMULA_GAIN);
    const double *through;
    double *dgain = lct_formula_block_reached(x, LCT_FORMULA_GAIN);
    double *dbias = lct_formula_block_reached(x, LCT_FORMULA_BIAS);

    if (dgain != NULL)
        apply_slope(dgain, x, d, x->s);
    if (dbias != NULL)
        apply(dbias, x, LCT_DOUBLE_ADD, dbias, d);
    lct_formula_block_pass(x, dparam);
    memset(x->s, 0, x->n * sizeof(*x->s));
    if (gain != NULL)
        apply_slope(x->s, x, d, gain);
    through = lct_formula_block_of_scores(x);
    if (through != NULL)
        apply(x->s, x, LCT_DOUBLE_ADD, gain != NULL ? x->s : d, through);
    return gain == NULL && through == NULL ? d : x->s;
}

static void backward(float *dx, const struct lct_pair_gradients *g,
                     const float *before, const struct lct_pairs *t)
{
    struct lct_formula_tile x;
    size_t rows = (size_t)t->rows;

    lct_formula_block_open(&x, t, true);
    lct_formula_block_begin(&x);
    for (size_t j = 0; j < (size_t)t->keys; j += x.step) {
        float *to = dx + j * t->lanes;

        lct_formula_block_take(&x, before, j);
        lct_formula_block_clear(&x);
        t->kernels->double_widen(x.out, to, t->lanes, rows, x.keys);
        for (size_t e = x.keys * rows; e < x.n; e++)
            x.out[e] = 0;
        t->kernels->double_narrow(to, t->lanes, pass(&x, x.out, g->dparam),
                                  rows, x.keys);
    }
    lct_formula_block_close(&x, g);
}

const struct lct_pair_scores lct_formula_pairs_hooks = {
    .memory = lct_formula_block_memory,
    .scores = scores,
    .backward = backward,
};
