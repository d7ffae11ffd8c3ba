/*
 * formula_block_gradient.c - gradients of a formula in a tile of pairs.
 *
 * What reaches a node of the keys, of the queries or a number from the pairs of
 * a block is added pair by pair, and summed once for the block or the tile.
 */
#include "formula_block_gradient.h"
#include "formula_gradient.h"
#include "formula_operations.h"
#include "formula_tables.h"
#include <string.h>

enum { BLOCK = LCT_FORMULA_BLOCK };

static bool is_of(const struct lct_formula_node *node,
                  enum lct_formula_kind_of_node kind)
{
    return node->slot >= 0 && lct_formula_evaluate_kind(node) == kind;
}

/* What gradients are wanted of: bits of 'reads'. */
static unsigned wanted(const struct lct_formula_tile *x, double *const *dparam)
{
    return (dparam != NULL ? LCT_READS_PARAM : 0u) | LCT_READS_S |
           (x->run.f->tokens > 0 ? LCT_READS_TOKENS : 0u);
}

static void clear(double *row)
{
    if (row != NULL)
        memset(row, 0, BLOCK * sizeof(*row));
}

void lct_formula_block_begin(struct lct_formula_tile *x)
{
    for (int i = 0; i <= x->run.root; i++) {
        clear(x->row[i].down);
        clear(x->row[i].down_pairs);
    }
}

void lct_formula_block_clear(struct lct_formula_tile *x)
{
    for (int i = 0; i <= x->run.root; i++)
        if (is_of(&x->run.f->node[i], LCT_FORMULA_OTHERS) ||
            is_of(&x->run.f->node[i], LCT_FORMULA_KEYS))
            clear(x->row[i].down_pairs);
}

double *lct_formula_block_reached(const struct lct_formula_tile *x, int root)
{
    int node = x->run.f->root[root];

    return node < 0 ? NULL : x->row[node].down_pairs;
}

const double *lct_formula_block_of_scores(const struct lct_formula_tile *x)
{
    for (int i = 0; i <= x->run.root; i++)
        if (x->run.f->node[i].op == LCT_FORMULA_S)
            return x->row[i].down;
    return NULL;
}

/* ------------------------------------------------------------------- passes */

/* Tables, and what kernels do not know. */
static void give_each(double *const to[3], const struct lct_formula_tile *x,
                      const struct lct_formula_node *node,
                      const double *const in[3], const double *y,
                      const double *d, size_t n)
{
    bool table = node->op == LCT_FORMULA_PICK || node->op == LCT_FORMULA_LERP;
    int arguments = lct_formula_graph_arguments(node->op);

    for (size_t e = 0; e < n; e++) {
        double at[3] = { 0 }, slope[3] = { 0 };

        if (d[e] == 0)
            continue;
        for (int k = 0; k < arguments; k++)
            at[k] = in[k][e];
        if (table)
            slope[0] = lct_formula_tables_slope(&x->run, node, at[0]);
        else
            lct_formula_operations_slope(slope, x->run.f, node, at, y[e]);
        for (int k = 0; k < arguments; k++)
            if (to[k] != NULL && slope[k] != 0)
                to[k][e] += d[e] * slope[k];
    }
}

/* The gradients of entries of a table. */
static void give_table(double *const *dparam, const struct lct_formula_tile *x,
                       const struct lct_formula_node *node, const double *at,
                       const double *d, size_t n)
{
    if (node->name < 0 || x->run.f->name[node->name].param < 0 ||
        dparam == NULL)
        return;
    for (size_t e = 0; e < n; e++)
        if (d[e] != 0)
            lct_formula_tables_add(dparam, &x->run, node, at[e], d[e]);
}

/* Pass on what has reached node i, n numbers. */
static void pass_node(struct lct_formula_tile *x, double *const *dparam, int i,
                      size_t n)
{
    const struct lct_formula *f = x->run.f;
    const struct lct_formula_node *node = &f->node[i];
    bool pairs = is_of(node, LCT_FORMULA_OTHERS);
    int arguments = lct_formula_graph_arguments(node->op);
    const double *in[3] = { NULL, NULL, NULL }, *y = x->row[i].own;
    const double *d = x->row[i].down;
    double *to[3] = { NULL, NULL, NULL };
    enum lct_double_op op;

    if (arguments == 0)
        return;
    lct_formula_block_arguments(in, x, node);
    for (int k = 0; k < arguments; k++) {
        const struct lct_formula_row *r = &x->row[node->arg[k]];

        if (f->node[node->arg[k]].reads & wanted(x, dparam))
            to[k] = pairs || r->own == NULL ? r->down_pairs : r->down;
    }
    give_table(dparam, x, node, in[0], d, n);
    op = lct_formula_block_operation(f, node, in);
    if (op == LCT_DOUBLE_OPS) {
        give_each(to, x, node, in, y, d, n);
        return;
    }
    if (node->op == LCT_FORMULA_POW)
        to[1] = to[0]; /* a square: a product with itself */
    else if (node->op == LCT_FORMULA_IF)
        to[0] = NULL;
    for (int k = 0; k < 3; k++)
        if (to[k] != NULL)
            x->t->kernels->double_slope(to[k], op, k, d, in, y,
                                        lct_formula_block_round(n));
}

static void pass_kind(struct lct_formula_tile *x, double *const *dparam,
                      enum lct_formula_kind_of_node kind, size_t n)
{
    for (int i = x->run.root; i >= 0; i--) {
        const struct lct_formula_node *node = &x->run.f->node[i];

        if (lct_formula_block_uses(x, node) && is_of(node, kind) &&
            (node->reads & wanted(x, dparam)))
            pass_node(x, dparam, i, n);
    }
}

void lct_formula_block_pass(struct lct_formula_tile *x, double *const *dparam)
{
    size_t rows = (size_t)x->t->rows;

    pass_kind(x, dparam, LCT_FORMULA_OTHERS, x->keys * rows);
    for (int i = 0; i <= x->run.root; i++)
        if (is_of(&x->run.f->node[i], LCT_FORMULA_KEYS) &&
            x->row[i].down_pairs != NULL)
            x->t->kernels->double_sum_rows(x->row[i].down + x->first,
                                           x->row[i].down_pairs, rows, x->keys);
}

/* -------------------------------------------------------------------- close */

/* Sum what has reached queries from the pairs of all blocks. */
static void sum_queries(struct lct_formula_tile *x)
{
    size_t rows = (size_t)x->t->rows;

    for (int i = 0; i <= x->run.root; i++) {
        const struct lct_formula_row *r = &x->row[i];

        if (is_of(&x->run.f->node[i], LCT_FORMULA_QUERIES) &&
            r->down_pairs != NULL)
            for (size_t j = 0; j < x->step; j++)
                for (size_t e = 0; e < rows; e++)
                    r->down[e] += r->down_pairs[j * rows + e];
    }
}

static void close_numbers(struct lct_formula_tile *x, double *const *dparam)
{
    struct lct_formula_reached r;

    memset(r.number, 0, sizeof(r.number));
    for (int i = 0; i <= x->run.root; i++)
        if (x->row[i].own == NULL && x->row[i].down_pairs != NULL)
            x->t->kernels->double_sum_rows(&r.number[i], x->row[i].down_pairs,
                                           BLOCK, 1);
    lct_formula_gradient_numbers(&r, dparam, &x->run);
}

static void close_tokens(const struct lct_formula_tile *x,
                         const struct lct_pair_gradients *g)
{
    const struct lct_pairs *t = x->t;

    for (int i = 0; i <= x->run.root; i++) {
        const struct lct_formula_node *node = &x->run.f->node[i];
        bool key = node->op == LCT_FORMULA_OF_KEY;
        double *to = key ? g->dk_numbers : g->dq_numbers;
        int64_t n = key ? t->keys : t->rows;

        if (!lct_formula_block_uses(x, node) ||
            (!key && node->op != LCT_FORMULA_OF_QUERY))
            continue;
        to += x->run.f->name[node->name].number;
        for (int64_t e = 0; e < n; e++)
            to[e * t->count] += x->row[i].down[e];
    }
}

void lct_formula_block_close(struct lct_formula_tile *x,
                             const struct lct_pair_gradients *g)
{
    sum_queries(x);
    pass_kind(x, g->dparam, LCT_FORMULA_QUERIES, (size_t)x->t->rows);
    pass_kind(x, g->dparam, LCT_FORMULA_KEYS, (size_t)x->t->keys);
    close_numbers(x, g->dparam);
    close_tokens(x, g);
}
