/*
 * formula_evaluate.c - values of a formula in double.
 *
 * Nodes that are equal for all pairs are evaluated once, the others for up to
 * LCT_FORMULA_PAIRS keys at a time, so that an operation is chosen once for all
 * of them.
 */
#include "formula_evaluate.h"
#include "formula_operations.h"
#include "formula_tables.h"
#include <math.h>
#include <string.h>

enum { PAIRS = LCT_FORMULA_PAIRS };

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
        return n->param < 0 ? n->a : lct_formula_tables_number(run, n);
    case LCT_FORMULA_PICK:
    case LCT_FORMULA_LERP:
        return lct_formula_tables_read(run, x, run->number[x->arg[0]]);
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

void lct_formula_evaluate_open_roots(struct lct_formula_run *run,
                                     const struct lct_formula *f,
                                     unsigned roots, const struct lct_call *c,
                                     int64_t head)
{
    run->f = f;
    run->c = c;
    run->head = head;
    run->count = 0;
    run->s = NULL;
    run->ds = NULL;
    run->tokens = NULL;
    run->dtokens = NULL;
    run->real = NULL;
    run->dreal = NULL;
    run->bits = 0;
    run->root = -1;
    for (int k = 0; k < LCT_FORMULA_ROOTS; k++) {
        if (!(roots >> k & 1) || f->root[k] < 0)
            continue;
        run->bits |= 1u << k;
        run->root = f->root[k] > run->root ? f->root[k] : run->root;
    }
    for (int i = 0; i <= run->root; i++)
        if ((f->node[i].roots & run->bits) && f->node[i].slot < 0)
            run->number[i] = number_of(run, &f->node[i]);
}

void lct_formula_evaluate_open(struct lct_formula_run *run,
                               const struct lct_formula *f, int root,
                               const struct lct_call *c, int64_t head)
{
    lct_formula_evaluate_open_roots(run, f, 1u << root, c, head);
}

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
        out[j] = run->real != NULL ? lct_real_distance(run->real, j)
                                   : (double)lct_distance(q_pos, k_pos[j]);
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
    case LCT_FORMULA_I:
        repeat(out, run->real != NULL ? run->real->q : (double)q_pos, n);
        break;
    case LCT_FORMULA_J:
        for (size_t j = 0; j < n; j++)
            out[j] = run->real != NULL ? run->real->k[j] : (double)k_pos[j];
        break;
    default: put_distances(out, run, x->op, q_pos, k_pos, n);
    }
}

const double *
lct_formula_evaluate_argument(double copies[PAIRS],
                              const struct lct_formula_run *run,
                              const struct lct_formula_rows *value,
                              const struct lct_formula_node *x, int k, size_t n)
{
    int slot = run->f->node[x->arg[k]].slot;

    if (slot >= 0)
        return value->row[slot];
    repeat(copies, run->number[x->arg[k]], n);
    return copies;
}

static void put_node(struct lct_formula_rows *value,
                     const struct lct_formula_run *run,
                     const struct lct_formula_node *x, int64_t q_pos,
                     const int64_t *k_pos, size_t n)
{
    int arguments = lct_formula_graph_arguments(x->op);
    bool same = lct_formula_evaluate_kind(x) == LCT_FORMULA_QUERIES;
    size_t count = same ? 1 : n;
    const double *in[3] = { 0 };
    double *out = value->row[x->slot];
    double copies[3][PAIRS];

    for (int k = 0; k < arguments; k++)
        in[k] =
            lct_formula_evaluate_argument(copies[k], run, value, x, k, count);
    if (arguments == 0)
        put_leaf(out, run, x, q_pos, k_pos, count);
    else if (x->op == LCT_FORMULA_PICK || x->op == LCT_FORMULA_LERP)
        for (size_t j = 0; j < count; j++)
            out[j] = lct_formula_tables_read(run, x, in[0][j]);
    else
        lct_formula_operations_row(out, run->f, x, in, count);
    repeat(out + count, out[0], n - count);
}

void lct_formula_evaluate_rows(struct lct_formula_rows *value,
                               const struct lct_formula_run *run, int64_t q_pos,
                               const int64_t *k_pos, size_t n)
{
    for (int i = 0; i <= run->root; i++) {
        const struct lct_formula_node *x = &run->f->node[i];

        if ((x->roots & run->bits) && x->slot >= 0)
            put_node(value, run, x, q_pos, k_pos, n);
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void lct_formula_evaluate(double *out, const struct lct_formula_run *run,
                          int64_t q_pos, const int64_t *k_pos, size_t n)
{
    const struct lct_formula_node *root = &run->f->node[run->root];
    bool same = root->slot >= 0 &&
                lct_formula_evaluate_kind(root) == LCT_FORMULA_QUERIES;
    size_t distinct = same ? least(n, 1) : n;
    struct lct_formula_rows value;

    for (size_t at = 0; at < distinct; at += PAIRS) {
        size_t count = least(distinct - at, PAIRS);

        if (root->slot < 0) {
            repeat(out + at, run->number[run->root], count);
            continue;
        }
        lct_formula_evaluate_rows(&value, run, q_pos, k_pos + at, count);
        memcpy(out + at, value.row[root->slot], count * sizeof(*out));
    }
    if (distinct < n)
        repeat(out + distinct, out[0], n - distinct);
}
