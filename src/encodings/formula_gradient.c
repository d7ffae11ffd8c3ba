/*
 * formula_gradient.c - gradients of a formula.
 *
 * A node that is equal for all queries, for all keys or for all pairs gets the
 * sum of what reaches it before it passes it on.
 */
#include "formula_gradient.h"
#include "formula_operations.h"
#include "formula_tables.h"
#include <string.h>

enum { PAIRS = LCT_FORMULA_PAIRS };

/* What gradients are wanted of: bits of 'reads'. */
static unsigned wanted(double *const *dparam, const struct lct_formula_run *run)
{
    return (dparam != NULL ? LCT_READS_PARAM : 0u) |
           (run->ds != NULL ? LCT_READS_S : 0u) |
           (run->dtokens != NULL ? LCT_READS_TOKENS : 0u) |
           (run->dreal != NULL ? LCT_READS_D | LCT_READS_I | LCT_READS_J : 0u);
}

/* d slope, but exactly 0 if one of them is; without a branch, for loops of
 * vectors */
static double times(double d, double slope)
{
    double product = d * slope;

    return ((d == 0) | (slope == 0)) ? 0 : product;
}

/* Add to what has reached argument k of a node. */
static void give(struct lct_formula_reached *r,
                 const struct lct_formula_run *run,
                 const struct lct_formula_node *x, int k, const double *d,
                 const double *slope, size_t n)
{
    int slot = run->f->node[x->arg[k]].slot;
    double sum = 0;

    if (slot >= 0) {
        for (size_t j = 0; j < n; j++)
            r->of.row[slot][j] += times(d[j], slope[j]);
        return;
    }
    for (size_t j = 0; j < n; j++)
        sum += times(d[j], slope[j]);
    r->number[x->arg[k]] += sum;
}

static void add_row(double *to, const double *d, size_t n)
{
    for (size_t j = 0; j < n; j++)
        to[j] += d[j];
}

/* The derivative of n by d = q - k. */
static double distance_slope(const struct lct_formula_run *run, double d)
{
    if (run->c->e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_ZERO)
        return d > 0;
    return lct_sign(d);
}

/* Positions as leaves: d, n, i or j. */
static void pass_position(const struct lct_formula_run *run,
                          enum lct_formula_op op, const double *d, size_t n)
{
    const struct lct_real_gradients *g = run->dreal;

    for (size_t j = 0; j < n; j++)
        if (op == LCT_FORMULA_I)
            *g->dq += d[j]; /* n is 1 */
        else if (op == LCT_FORMULA_J)
            g->dk[j] += d[j];
        else if (op == LCT_FORMULA_D)
            lct_real_add(g, j, d[j]);
        else
            lct_real_add(g, j,
                         times(d[j], distance_slope(run, lct_real_distance(
                                                             run->real, j))));
}

static void pass_leaf(const struct lct_formula_run *run,
                      const struct lct_formula_node *x, const double *d,
                      size_t n)
{
    int array = x->name >= 0 ? run->f->name[x->name].number : 0;

    if (x->reads & (LCT_READS_D | LCT_READS_I | LCT_READS_J))
        pass_position(run, x->op, d, n);
    else if (x->op == LCT_FORMULA_S)
        add_row(run->ds, d, n);
    else if (x->op == LCT_FORMULA_OF_KEY)
        add_row(run->dtokens->key[array], d, n);
    else if (x->op == LCT_FORMULA_OF_QUERY)
        add_row(&run->dtokens->query[array], d, n); /* n is 1 */
}

/* slope[k][j] = d x / d in[k] where something has reached x. */
static void put_slopes(double slope[3][PAIRS],
                       const struct lct_formula_run *run,
                       const struct lct_formula_node *x,
                       const double *const in[3], const double *y,
                       const double *d, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        double at[3] = { 0 }, own[3] = { 0 };

        for (int k = 0; k < lct_formula_graph_arguments(x->op); k++)
            at[k] = in[k][j];
        if (d[j] != 0)
            lct_formula_operations_slope(own, run->f, x, at, y[j]);
        for (int k = 0; k < lct_formula_graph_arguments(x->op); k++)
            slope[k][j] = own[k];
    }
}

static void put_constant(double *out, double value, size_t n)
{
    for (size_t j = 0; j < n; j++)
        out[j] = value;
}

/* The slopes of a node; most are those of the plainest operations. */
static void find_slopes(const double *by[3], double own[3][PAIRS],
                        const struct lct_formula_run *run,
                        const struct lct_formula_node *x,
                        const double *const in[3], const double *y,
                        const double *d, size_t n)
{
    for (int k = 0; k < 3; k++)
        by[k] = own[k];
    switch (x->op) {
    case LCT_FORMULA_MUL:
        by[0] = in[1];
        by[1] = in[0];
        return;
    case LCT_FORMULA_ADD:
    case LCT_FORMULA_SUB:
        put_constant(own[0], 1, n);
        put_constant(own[1], x->op == LCT_FORMULA_SUB ? -1 : 1, n);
        return;
    case LCT_FORMULA_NEG: put_constant(own[0], -1, n); return;
    case LCT_FORMULA_PICK:
    case LCT_FORMULA_LERP:
        for (size_t j = 0; j < n; j++)
            own[0][j] = lct_formula_tables_slope(run, x, in[0][j]);
        return;
    default: put_slopes(own, run, x, in, y, d, n);
    }
}

/* Pass on what has reached a node with a row. */
static void pass_row(struct lct_formula_reached *r, double *const *dparam,
                     const struct lct_formula_run *run,
                     const struct lct_formula_rows *value,
                     const struct lct_formula_node *x, size_t n)
{
    int arguments = lct_formula_graph_arguments(x->op);
    const double *d = r->of.row[x->slot], *in[3] = { 0 }, *by[3];
    double copies[3][PAIRS], own[3][PAIRS];

    if (arguments == 0) {
        pass_leaf(run, x, d, n);
        return;
    }
    for (int k = 0; k < arguments; k++)
        in[k] = lct_formula_evaluate_argument(copies[k], run, value, x, k, n);
    if (x->name >= 0 && run->f->name[x->name].param >= 0 && dparam != NULL)
        for (size_t j = 0; j < n; j++)
            if (d[j] != 0)
                lct_formula_tables_add(dparam, run, x, in[0][j], d[j]);
    find_slopes(by, own, run, x, in, value->row[x->slot], d, n);
    for (int k = 0; k < arguments; k++)
        if (run->f->node[x->arg[k]].reads & wanted(dparam, run))
            give(r, run, x, k, d, by[k], n);
}

/* Pass on what has reached the nodes of this kind. */
static void pass_kind(struct lct_formula_reached *r, double *const *dparam,
                      const struct lct_formula_run *run,
                      const struct lct_formula_rows *value,
                      enum lct_formula_kind_of_node kind, size_t n)
{
    for (int i = run->root; i >= 0; i--) {
        const struct lct_formula_node *x = &run->f->node[i];

        if (!(x->roots & run->bits) || x->slot < 0 ||
            !(x->reads & wanted(dparam, run)) ||
            lct_formula_evaluate_kind(x) != kind)
            continue;
        if (kind == LCT_FORMULA_QUERIES)
            for (size_t j = 1; j < n; j++)
                r->of.row[x->slot][0] += r->of.row[x->slot][j];
        pass_row(r, dparam, run, value, x, kind == LCT_FORMULA_QUERIES ? 1 : n);
    }
}

/* ------------------------------------------------------------------- steps */

void lct_formula_gradient_clear(struct lct_formula_reached *r,
                                const struct lct_formula_run *run)
{
    memset(r->number, 0, sizeof(r->number));
    memset(r->of.row, 0, (size_t)run->f->varying * sizeof(r->of.row[0]));
}

void lct_formula_gradient_add(struct lct_formula_reached *r,
                              const struct lct_formula_run *run, int node,
                              const double *d, size_t n)
{
    int slot = run->f->node[node].slot;

    if (slot >= 0)
        add_row(r->of.row[slot], d, n);
    else
        for (size_t j = 0; j < n; j++)
            r->number[node] += d[j];
}

void lct_formula_gradient_rows(struct lct_formula_reached *r,
                               double *const *dparam,
                               const struct lct_formula_run *run,
                               const struct lct_formula_rows *value, size_t n)
{
    pass_kind(r, dparam, run, value, LCT_FORMULA_OTHERS, n);
    pass_kind(r, dparam, run, value, LCT_FORMULA_QUERIES, n);
    pass_kind(r, dparam, run, value, LCT_FORMULA_KEYS, n);
}

void lct_formula_gradient_numbers(struct lct_formula_reached *r,
                                  double *const *dparam,
                                  const struct lct_formula_run *run)
{
    for (int i = run->root; i >= 0; i--) {
        const struct lct_formula_node *x = &run->f->node[i];
        double in[3] = { 0 }, slope[3] = { 0 }, d = r->number[i];

        if (!(x->roots & run->bits) || x->slot >= 0 || d == 0 ||
            !(x->reads & wanted(dparam, run)))
            continue;
        for (int k = 0; k < lct_formula_graph_arguments(x->op); k++)
            in[k] = run->number[x->arg[k]];
        if (x->op == LCT_FORMULA_SCALAR) {
            lct_formula_tables_add_number(dparam, run, &run->f->name[x->name],
                                          d);
        } else if (x->op == LCT_FORMULA_PICK || x->op == LCT_FORMULA_LERP) {
            if (run->f->name[x->name].param >= 0)
                lct_formula_tables_add(dparam, run, x, in[0], d);
            slope[0] = lct_formula_tables_slope(run, x, in[0]);
        } else {
            lct_formula_operations_slope(slope, run->f, x, in, run->number[i]);
        }
        for (int k = 0; k < lct_formula_graph_arguments(x->op); k++)
            r->number[x->arg[k]] += times(d, slope[k]);
    }
}

void lct_formula_gradient(double *const *dparam,
                          const struct lct_formula_run *run, int64_t q_pos,
                          const int64_t *k_pos, const double *dout, size_t n)
{
    struct lct_formula_reached r;
    struct lct_formula_rows value;

    if (!(run->f->node[run->root].reads & wanted(dparam, run)))
        return;
    memset(r.number, 0, sizeof(r.number));
    for (size_t at = 0; at < n; at += PAIRS) {
        size_t count = n - at < PAIRS ? n - at : PAIRS;

        memset(r.of.row, 0, (size_t)run->f->varying * sizeof(r.of.row[0]));
        lct_formula_gradient_add(&r, run, run->root, dout + at, count);
        if (run->f->node[run->root].slot < 0)
            continue;
        lct_formula_evaluate_rows(&value, run, q_pos, k_pos + at, count);
        lct_formula_gradient_rows(&r, dparam, run, &value, count);
    }
    lct_formula_gradient_numbers(&r, dparam, run);
}
