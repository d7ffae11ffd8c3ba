/* formula_real.c - formulas at real positions, with derivatives by them */
#include "formula_real.h"
#include "formula_gradient.h"

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

/* Keys of x from 'at' on, as many as are evaluated at a time. */
static struct lct_real_keys part_of(const struct lct_real_keys *x, size_t at)
{
    struct lct_real_keys part = *x;

    part.k += at;
    part.n = x->n - at < PAIRS ? x->n - at : PAIRS;
    return part;
}

void lct_formula_real_at(double *out, const struct lct_call *c, int root,
                         const struct lct_real_keys *x)
{
    struct lct_formula_run run;

    lct_formula_evaluate_open(&run, c->e->state, root, c, x->head);
    for (size_t at = 0; at < x->n; at += PAIRS) {
        const struct lct_real_keys part = part_of(x, at);

        run.real = &part;
        lct_formula_evaluate(out + at, &run, 0, no_positions, part.n);
    }
}

/* forward: lct_formula_real_at() */
void lct_formula_real_backward(const struct lct_real_gradients *g,
                               const struct lct_call *c, int root,
                               const struct lct_real_keys *x,
                               const double *dout)
{
    struct lct_formula_run run;

    lct_formula_evaluate_open(&run, c->e->state, root, c, x->head);
    for (size_t at = 0; at < x->n; at += PAIRS) {
        const struct lct_real_keys part = part_of(x, at);
        const struct lct_real_gradients of = { g->dparam, g->dq, g->dk + at };

        run.real = &part;
        run.dreal = &of;
        lct_formula_gradient(g->dparam, &run, 0, no_positions, dout + at,
                             part.n);
    }
}
