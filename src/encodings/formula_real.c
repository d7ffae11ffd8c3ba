/* formula_real.c - formulas at real positions, with derivatives by them */
#include "formula_real.h"
#include "formula_gradient.h"
#include <string.h>

enum {
    PAIRS = LCT_FORMULA_PAIRS,
    POSITIONS = LCT_READS_D | LCT_READS_I | LCT_READS_J
};

/* Where whole positions are expected that run->real replaces. */
static const int64_t no_positions[PAIRS];

/* Set moves[i]: does node i change between whole positions? */
static void find_moves(bool *moves, const struct lct_formula *f, int last)
{
    for (int i = 0; i <= last; i++) {
        const struct lct_formula_node *x = &f->node[i];
        int arguments = lct_formula_graph_arguments(x->op);

        moves[i] = arguments == 0 && (x->reads & POSITIONS) != 0;
        switch (x->op) {
        case LCT_FORMULA_LT:
        case LCT_FORMULA_LE:
        case LCT_FORMULA_GT:
        case LCT_FORMULA_GE:
        case LCT_FORMULA_EQ:
        case LCT_FORMULA_SIGN:
        case LCT_FORMULA_FLOOR:
        case LCT_FORMULA_STEP:
        case LCT_FORMULA_PICK: continue;
        default: break;
        }
        for (int k = x->op == LCT_FORMULA_IF; k < arguments; k++)
            moves[i] |= moves[x->arg[k]];
    }
}

bool lct_formula_real_has(const locant_encoding *e)
{
    const struct lct_formula *f = e->state;
    bool moves[LCT_FORMULA_NODES];

    if (lct_formula_graph_reads_content(f) ||
        e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_HIDE)
        return false;
    for (int k = 0; k < LCT_FORMULA_ROOTS; k++) {
        if (!(lct_formula_graph_reads_of(f, k) & POSITIONS))
            continue;
        find_moves(moves, f, f->root[k]);
        if (!moves[f->root[k]])
            return false;
    }
    return true;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void value_at(double *out, const struct lct_call *c, int root,
                     int64_t head, double q, const double *k, size_t n)
{
    struct lct_formula_run run;

    lct_formula_evaluate_open(&run, c->e->state, root, c, head);
    for (size_t at = 0; at < n; at += PAIRS) {
        const struct lct_formula_real real = { q, k + at };

        run.real = &real;
        lct_formula_evaluate(out + at, &run, 0, no_positions,
                             least(n - at, PAIRS));
    }
}

/* forward: value_at() */
static void value_backward(const struct lct_real_gradients *g,
                           const struct lct_call *c, int root, int64_t head,
                           double q, const double *k, const double *dout,
                           size_t n)
{
    struct lct_formula_run run;

    lct_formula_evaluate_open(&run, c->e->state, root, c, head);
    for (size_t at = 0; at < n; at += PAIRS) {
        const struct lct_formula_real real = { q, k + at };
        const struct lct_real_gradients part = { g->dparam, g->dq, g->dk + at };

        run.real = &real;
        run.dreal = &part;
        lct_formula_gradient(g->dparam, &run, 0, no_positions, dout + at,
                             least(n - at, PAIRS));
    }
}

void lct_formula_real_bias(double *out, const struct lct_call *c, int64_t head,
                           double q, const double *k, size_t n)
{
    const struct lct_formula *f = c->e->state;

    if (f->root[LCT_FORMULA_BIAS] < 0) {
        memset(out, 0, n * sizeof(*out));
        return;
    }
    value_at(out, c, LCT_FORMULA_BIAS, head, q, k, n);
    for (size_t j = 0; j < n; j++)
        out[j] += 0.0; /* never -0 */
}

void lct_formula_real_bias_backward(const struct lct_real_gradients *g,
                                    const struct lct_call *c, int64_t head,
                                    double q, const double *k,
                                    const double *dout, size_t n)
{
    const struct lct_formula *f = c->e->state;

    if (f->root[LCT_FORMULA_BIAS] >= 0)
        value_backward(g, c, LCT_FORMULA_BIAS, head, q, k, dout, n);
}

void lct_formula_real_gain(double *out, const struct lct_call *c, int64_t head,
                           double q, const double *k, size_t n)
{
    value_at(out, c, LCT_FORMULA_GAIN, head, q, k, n);
}

void lct_formula_real_gain_backward(const struct lct_real_gradients *g,
                                    const struct lct_call *c, int64_t head,
                                    double q, const double *k,
                                    const double *dout, size_t n)
{
    value_backward(g, c, LCT_FORMULA_GAIN, head, q, k, dout, n);
}

void lct_formula_real_after(double *out, const struct lct_call *c, int64_t head,
                            double q, const double *k, size_t n)
{
    value_at(out, c, LCT_FORMULA_AFTER, head, q, k, n);
}

void lct_formula_real_after_backward(const struct lct_real_gradients *g,
                                     const struct lct_call *c, int64_t head,
                                     double q, const double *k,
                                     const double *dout, size_t n)
{
    value_backward(g, c, LCT_FORMULA_AFTER, head, q, k, dout, n);
}
