/*
 * formula_evaluate.c - values of a formula in double, and gradients.
 *
 * Nodes that are equal for all pairs are evaluated once, the others for up to
 * LCT_FORMULA_PAIRS keys at a time, so that an operation is chosen once for all
 * of them.
 */
#include "formula_evaluate.h"
#include "formula_laws.h"
#include "formula_operations.h"
#include <math.h>
#include <string.h>

enum { PAIRS = LCT_FORMULA_PAIRS };

/* --------------------------------------------------------------- parameters */

/* The stored entries of a parameter that this head reads. */
static const double *entries_of(const struct lct_formula_run *run,
                                const struct lct_formula_name *n)
{
    int64_t size = n->entries > 0 ? n->entries : 1;

    return run->c->param[n->param] + (n->heads ? run->head * size : 0);
}

static double *gradients_of(double *const *dparam,
                            const struct lct_formula_run *run,
                            const struct lct_formula_name *n)
{
    int64_t size = n->entries > 0 ? n->entries : 1;

    return dparam[n->param] + (n->heads ? run->head * size : 0);
}

/* Where a table is read: entry 'low', and the weight of the entry after it. */
struct place {
    int64_t low;
    double weight;
};

static struct place place_of(const struct lct_formula_name *n,
                             enum lct_formula_op op, double x)
{
    struct place p = { 0, 0 };
    double last = (double)(n->entries - 1);

    if (!(x > 0)) /* or NaN */
        return p;
    p.low = x >= last ? n->entries - 1 : (int64_t)x;
    if (op == LCT_FORMULA_LERP && x < last)
        p.weight = x - (double)p.low;
    return p;
}

static double read_table(const struct lct_formula_run *run,
                         const struct lct_formula_node *x, double at)
{
    const struct lct_formula_name *n = &run->f->name[x->name];
    const double *table = entries_of(run, n);
    struct place p = place_of(n, x->op, at);
    double low = lct_formula_laws_value(n->law, table[p.low]);

    if (p.weight == 0)
        return low;
    return (1 - p.weight) * low +
           p.weight * lct_formula_laws_value(n->law, table[p.low + 1]);
}

/* ------------------------------------------------------------------- values */

/* A node that is equal for all pairs. */
static double number_of(const struct lct_formula_run *run,
                        const struct lct_formula_node *x)
{
    const struct lct_formula_name *n =
        &run->f->name[x->name >= 0 ? x->name : 0];

    switch (x->op) {
    case LCT_FORMULA_NUMBER: return x->number;
    case LCT_FORMULA_PI: return 3.14159265358979323846;
    case LCT_FORMULA_E: return 2.71828182845904523536;
    case LCT_FORMULA_INF: return INFINITY;
    case LCT_FORMULA_H: return (double)run->head;
    case LCT_FORMULA_HEADS: return (double)run->c->heads;
    case LCT_FORMULA_T0: return run->c->e->value[LCT_FORMULA_LENGTH];
    case LCT_FORMULA_SCALAR:
        return n->param < 0
                   ? n->a
                   : lct_formula_laws_value(n->law, *entries_of(run, n));
    case LCT_FORMULA_PICK:
    case LCT_FORMULA_LERP: return read_table(run, x, run->number[x->arg[0]]);
    default: {
        const double *in[3] = { 0 };
        double out;

        for (int k = 0; k < lct_formula_graph_arguments(x->op); k++)
            in[k] = &run->number[x->arg[k]];
        lct_formula_operations_row(&out, run->f, x, in, 1);
        return out;
    }
    }
}

void lct_formula_evaluate_open(struct lct_formula_run *run,
                               const struct lct_formula *f, int root,
                               const struct lct_call *c, int64_t head)
{
    run->f = f;
    run->c = c;
    run->head = head;
    run->count = 0;
    run->s = NULL;
    run->ds = NULL;
    run->tokens = NULL;
    run->dtokens = NULL;
    run->bit = 1u << root;
    run->root = f->root[root];
    for (int i = 0; i <= run->root; i++)
        if ((f->node[i].roots & run->bit) && f->node[i].slot < 0)
            run->number[i] = number_of(run, &f->node[i]);
}

/* Rows of PAIRS numbers, one for each node with a slot. */
typedef double rows[LCT_FORMULA_VARYING][PAIRS];

static void repeat(double *out, double value, size_t n)
{
    for (size_t j = 0; j < n; j++)
        out[j] = value;
}

/* d, or n */
static void put_distances(double *out, const struct lct_formula_run *run,
                          enum lct_formula_op op, int64_t q_pos,
                          const int64_t *k_pos, size_t n)
{
    bool zero = run->c->e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_ZERO;

    for (size_t j = 0; j < n; j++)
        out[j] = (double)lct_distance(q_pos, k_pos[j]);
    if (op == LCT_FORMULA_N && zero)
        for (size_t j = 0; j < n; j++)
            out[j] = out[j] < 0 ? 0 : out[j];
    else if (op == LCT_FORMULA_N)
        for (size_t j = 0; j < n; j++)
            out[j] = fabs(out[j]);
}

/* The leaves that differ from pair to pair. */
static void put_leaf(double *out, const struct lct_formula_run *run,
                     const struct lct_formula_node *x, int64_t q_pos,
                     const int64_t *k_pos, size_t n)
{
    int array = x->name >= 0 ? run->f->name[x->name].number : 0;

    switch (x->op) {
    case LCT_FORMULA_S: memcpy(out, run->s, n * sizeof(*out)); break;
    case LCT_FORMULA_OF_KEY:
        memcpy(out, run->tokens->key[array], n * sizeof(*out));
        break;
    case LCT_FORMULA_OF_QUERY: repeat(out, run->tokens->query[array], n); break;
    case LCT_FORMULA_CNT: repeat(out, (double)run->count, n); break;
    case LCT_FORMULA_I: repeat(out, (double)q_pos, n); break;
    case LCT_FORMULA_J:
        for (size_t j = 0; j < n; j++)
            out[j] = (double)k_pos[j];
        break;
    default: put_distances(out, run, x->op, q_pos, k_pos, n);
    }
}

/* Argument k of a node for n pairs; a number is repeated in 'copies'. */
static const double *argument(double copies[PAIRS],
                              const struct lct_formula_run *run,
                              const rows value,
                              const struct lct_formula_node *x, int k, size_t n)
{
    int slot = run->f->node[x->arg[k]].slot;

    if (slot >= 0)
        return value[slot];
    repeat(copies, run->number[x->arg[k]], n);
    return copies;
}

static void put_node(rows value, const struct lct_formula_run *run,
                     const struct lct_formula_node *x, int64_t q_pos,
                     const int64_t *k_pos, size_t n)
{
    int arguments = lct_formula_graph_arguments(x->op);
    const double *in[3] = { 0 };
    double copies[3][PAIRS];

    for (int k = 0; k < arguments; k++)
        in[k] =
            argument(copies[k], run, (const double(*)[PAIRS])value, x, k, n);
    if (arguments == 0)
        put_leaf(value[x->slot], run, x, q_pos, k_pos, n);
    else if (x->op == LCT_FORMULA_PICK || x->op == LCT_FORMULA_LERP)
        for (size_t j = 0; j < n; j++)
            value[x->slot][j] = read_table(run, x, in[0][j]);
    else
        lct_formula_operations_row(value[x->slot], run->f, x, in, n);
}

static void put_values(rows value, const struct lct_formula_run *run,
                       int64_t q_pos, const int64_t *k_pos, size_t n)
{
    for (int i = 0; i <= run->root; i++)
        if ((run->f->node[i].roots & run->bit) && run->f->node[i].slot >= 0)
            put_node(value, run, &run->f->node[i], q_pos, k_pos, n);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void lct_formula_evaluate(double *out, const struct lct_formula_run *run,
                          int64_t q_pos, const int64_t *k_pos, size_t n)
{
    int slot = run->f->node[run->root].slot;
    rows value;

    for (size_t at = 0; at < n; at += PAIRS) {
        size_t count = least(n - at, PAIRS);

        if (slot < 0) {
            repeat(out + at, run->number[run->root], count);
            continue;
        }
        put_values(value, run, q_pos, k_pos + at, count);
        memcpy(out + at, value[slot], count * sizeof(*out));
    }
}

/* ---------------------------------------------------------------- gradients */

/* What gradients are wanted of: bits of 'reads'. */
static unsigned wanted(const struct lct_formula_run *run)
{
    return LCT_READS_PARAM | (run->ds != NULL ? LCT_READS_S : 0u) |
           (run->dtokens != NULL ? LCT_READS_TOKENS : 0u);
}

/* Derivatives that have reached the nodes. */
struct reached {
    rows row;
    double number[LCT_FORMULA_NODES];
};

static void add_table(double *const *dparam, const struct lct_formula_run *run,
                      const struct lct_formula_node *x, double at, double d)
{
    const struct lct_formula_name *n = &run->f->name[x->name];
    const double *table = entries_of(run, n);
    double *dtable = gradients_of(dparam, run, n);
    struct place p = place_of(n, x->op, at);

    dtable[p.low] +=
        d * (1 - p.weight) * lct_formula_laws_slope(n->law, table[p.low]);
    if (p.weight != 0)
        dtable[p.low + 1] +=
            d * p.weight * lct_formula_laws_slope(n->law, table[p.low + 1]);
}

/* d table(at) / d at */
static double slope_of_table(const struct lct_formula_run *run,
                             const struct lct_formula_node *x, double at)
{
    const struct lct_formula_name *n = &run->f->name[x->name];
    const double *table = entries_of(run, n);
    struct place p = place_of(n, x->op, at);

    if (x->op == LCT_FORMULA_PICK || !(at >= 0) || p.low + 1 >= n->entries)
        return 0;
    return lct_formula_laws_value(n->law, table[p.low + 1]) -
           lct_formula_laws_value(n->law, table[p.low]);
}

/* Pass the derivative d of node x, whose value is y, on to what x reads. */
static void pass(struct reached *r, double *const *dparam,
                 const struct lct_formula_run *run,
                 const struct lct_formula_node *x, const double in[3], double y,
                 double d, size_t j)
{
    const struct lct_formula_name *n =
        &run->f->name[x->name >= 0 ? x->name : 0];
    double slope[3] = { 0 };

    if (d == 0)
        return;
    if (x->op == LCT_FORMULA_S) {
        run->ds[j] += d;
        return;
    }
    if (x->op == LCT_FORMULA_OF_QUERY) {
        run->dtokens->query[n->number] += d;
        return;
    }
    if (x->op == LCT_FORMULA_OF_KEY) {
        run->dtokens->key[n->number][j] += d;
        return;
    }
    if (x->op == LCT_FORMULA_SCALAR) {
        *gradients_of(dparam, run, n) +=
            d * lct_formula_laws_slope(n->law, *entries_of(run, n));
        return;
    }
    if (x->op == LCT_FORMULA_PICK || x->op == LCT_FORMULA_LERP) {
        if (n->param >= 0)
            add_table(dparam, run, x, in[0], d);
        slope[0] = slope_of_table(run, x, in[0]);
    } else {
        lct_formula_operations_slope(slope, run->f, x, in, y);
    }
    for (int k = 0; k < lct_formula_graph_arguments(x->op); k++) {
        const struct lct_formula_node *to = &run->f->node[x->arg[k]];

        if (!(to->reads & wanted(run)) || slope[k] == 0)
            continue;
        if (to->slot >= 0)
            r->row[to->slot][j] += d * slope[k];
        else
            r->number[x->arg[k]] += d * slope[k];
    }
}

/* Pass derivatives on from the nodes that differ from pair to pair. */
static void pass_rows(struct reached *r, double *const *dparam,
                      const struct lct_formula_run *run, const rows value,
                      size_t n)
{
    for (int i = run->root; i >= 0; i--) {
        const struct lct_formula_node *x = &run->f->node[i];
        const double *from[3] = { 0 };
        double copies[3][PAIRS];

        if (!(x->roots & run->bit) || x->slot < 0 || !(x->reads & wanted(run)))
            continue;
        for (int k = 0; k < lct_formula_graph_arguments(x->op); k++)
            from[k] = argument(copies[k], run, value, x, k, n);
        for (size_t j = 0; j < n; j++) {
            double in[3] = { 0 };

            for (int k = 0; k < lct_formula_graph_arguments(x->op); k++)
                in[k] = from[k][j];
            pass(r, dparam, run, x, in, value[x->slot][j], r->row[x->slot][j],
                 j);
        }
    }
}

/* Then from those that all pairs share. */
static void pass_numbers(struct reached *r, double *const *dparam,
                         const struct lct_formula_run *run)
{
    for (int i = run->root; i >= 0; i--) {
        const struct lct_formula_node *x = &run->f->node[i];
        double in[3] = { 0 };

        if (!(x->roots & run->bit) || x->slot >= 0 || !(x->reads & wanted(run)))
            continue;
        for (int k = 0; k < lct_formula_graph_arguments(x->op); k++)
            in[k] = run->number[x->arg[k]];
        pass(r, dparam, run, x, in, run->number[i], r->number[i], 0);
    }
}

void lct_formula_evaluate_backward(double *const *dparam,
                                   const struct lct_formula_run *run,
                                   int64_t q_pos, const int64_t *k_pos,
                                   const double *dout, size_t n)
{
    const struct lct_formula_node *root = &run->f->node[run->root];
    struct reached r;
    rows value;

    if (!(root->reads & wanted(run)))
        return;
    memset(r.number, 0, sizeof(r.number));
    for (size_t at = 0; at < n; at += PAIRS) {
        size_t count = least(n - at, PAIRS);

        if (root->slot < 0) {
            for (size_t j = 0; j < count; j++)
                r.number[run->root] += dout[at + j];
            continue;
        }
        memset(r.row, 0, (size_t)run->f->varying * sizeof(r.row[0]));
        memcpy(r.row[root->slot], dout + at, count * sizeof(*dout));
        put_values(value, run, q_pos, k_pos + at, count);
        pass_rows(&r, dparam, run, (const double(*)[PAIRS])value, count);
    }
    pass_numbers(&r, dparam, run);
}
