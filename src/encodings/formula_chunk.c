/* formula_chunk.c - formulas that read scores or tokens, some keys at a time */
#include "formula_chunk.h"
#include <math.h>
#include <string.h>

enum { PAIRS = LCT_FORMULA_PAIRS };

void lct_formula_chunk_run(struct lct_formula_run *run,
                           const struct lct_call *c, int64_t head)
{
    lct_formula_evaluate_open_roots(
        run, c->e->state, 1u << LCT_FORMULA_GAIN | 1u << LCT_FORMULA_BIAS, c,
        head);
}

/* Let the run read and write the chunk's numbers. */
static void take(struct lct_formula_run *run, struct lct_formula_chunk *c,
                 double *ds)
{
    run->s = c->s;
    run->ds = ds;
    run->tokens = &c->tokens;
    run->dtokens = run->f->tokens > 0 ? &c->dtokens : NULL;
}

void lct_formula_chunk_open(struct lct_formula_chunk *c,
                            struct lct_formula_run *run)
{
    take(run, c, NULL);
    lct_formula_evaluate_keys(&c->value, run, c->k_pos, c->n);
}

/* The values of a root, in 'copies' if they are all equal. */
static const double *values_of(double copies[PAIRS],
                               const struct lct_formula_chunk *c,
                               const struct lct_formula_run *run, int root,
                               double left_out)
{
    int node = run->f->root[root];

    if (node >= 0 && run->f->node[node].slot >= 0)
        return c->value.row[run->f->node[node].slot];
    for (size_t j = 0; j < c->n; j++)
        copies[j] = node >= 0 ? run->number[node] : left_out;
    return copies;
}

void lct_formula_chunk_scores(double out[PAIRS], struct lct_formula_chunk *c,
                              struct lct_formula_run *run, int64_t q_pos)
{
    double copies[2][PAIRS];
    const double *gain, *bias;

    take(run, c, NULL);
    lct_formula_evaluate_rest(&c->value, run, q_pos, c->k_pos, c->n);
    gain = values_of(copies[0], c, run, LCT_FORMULA_GAIN, 1);
    bias = values_of(copies[1], c, run, LCT_FORMULA_BIAS, 0);
    for (size_t j = 0; j < c->n; j++)
        out[j] = gain[j] * c->s[j] + bias[j];
    if (run->c->e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_HIDE)
        for (size_t j = 0; j < c->n; j++)
            out[j] = c->k_pos[j] > q_pos ? -INFINITY : out[j];
}

void lct_formula_chunk_begin_backward(struct lct_formula_chunk *c,
                                      const struct lct_formula_run *run)
{
    lct_formula_gradient_clear(&c->reached, run);
    memset(c->dtokens.key, 0, sizeof(c->dtokens.key));
}

static void add_root(struct lct_formula_chunk *c,
                     const struct lct_formula_run *run, int root,
                     const double *d)
{
    if (run->f->root[root] >= 0)
        lct_formula_gradient_add(&c->reached, run, run->f->root[root], d, c->n);
}

/* forward: s' = gain s + bias: dgain = d s, dbias = d, ds = d gain and what
 * passes through s in gain and bias */
void lct_formula_chunk_backward(double d[PAIRS], double *const *dparam,
                                struct lct_formula_chunk *c,
                                struct lct_formula_run *run, int64_t q_pos)
{
    double dgain[PAIRS], ds[PAIRS] = { 0 }, copies[PAIRS];
    const double *gain;

    take(run, c, ds);
    lct_formula_evaluate_rest(&c->value, run, q_pos, c->k_pos, c->n);
    for (size_t j = 0; j < c->n; j++)
        dgain[j] = d[j] == 0 ? 0 : d[j] * c->s[j];
    memset(c->dtokens.query, 0, sizeof(c->dtokens.query));
    lct_formula_gradient_clear_rest(&c->reached, run);
    add_root(c, run, LCT_FORMULA_GAIN, dgain);
    add_root(c, run, LCT_FORMULA_BIAS, d);
    lct_formula_gradient_rest(&c->reached, dparam, run, &c->value, c->n);
    gain = values_of(copies, c, run, LCT_FORMULA_GAIN, 1);
    for (size_t j = 0; j < c->n; j++)
        d[j] = d[j] == 0 ? 0 : d[j] * gain[j] + ds[j];
}

void lct_formula_chunk_end_backward(double *const *dparam,
                                    struct lct_formula_chunk *c,
                                    struct lct_formula_run *run)
{
    take(run, c, NULL);
    lct_formula_gradient_keys(&c->reached, dparam, run, &c->value, c->n);
    lct_formula_gradient_numbers(&c->reached, dparam, run);
}
