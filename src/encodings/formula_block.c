/* formula_block.c - values of a formula in a tile of pairs */
#include "formula_block.h"
#include "formula_operations.h"
#include "formula_tables.h"
#include <string.h>

enum { BLOCK = LCT_FORMULA_BLOCK };

/* ------------------------------------------------------------------- layout */

static const unsigned roots = LCT_FORMULA_SCORE_ROOTS;

static double *take_row(double *memory, size_t *used)
{
    double *row = memory == NULL ? NULL : memory + *used;

    *used += BLOCK;
    return row;
}

/* Which nodes are read for each pair, or as numbers in rows. */
static void find_repeated(bool repeated[LCT_FORMULA_NODES],
                          const struct lct_formula *f)
{
    memset(repeated, 0, LCT_FORMULA_NODES * sizeof(*repeated));
    for (int k = 0; k < LCT_FORMULA_ROOTS; k++)
        if (roots >> k & 1 && f->root[k] >= 0)
            repeated[f->root[k]] = true;
    for (int i = 0; i < f->nodes; i++) {
        const struct lct_formula_node *x = &f->node[i];
        bool pairs = lct_formula_evaluate_kind(x) == LCT_FORMULA_OTHERS;

        if (!(x->roots & roots) || x->slot < 0)
            continue;
        for (int k = 0; k < lct_formula_graph_arguments(x->op); k++)
            if (pairs || f->node[x->arg[k]].slot < 0)
                repeated[x->arg[k]] = true;
    }
}

/* Give nodes their rows; returns how many doubles they are.  With memory NULL
 * only count. */
static size_t lay_out(struct lct_formula_tile *x, double *memory,
                      const struct lct_formula *f, bool backward)
{
    bool repeated[LCT_FORMULA_NODES];
    size_t used = 0;

    find_repeated(repeated, f);
    x->q_pos = take_row(memory, &used);
    x->k_pos = take_row(memory, &used);
    x->s = take_row(memory, &used);
    x->out = take_row(memory, &used);
    for (int i = 0; i < f->nodes; i++) {
        const struct lct_formula_node *node = &f->node[i];
        struct lct_formula_row r = { NULL, NULL, NULL, NULL };
        bool pairs = node->slot >= 0 &&
                     lct_formula_evaluate_kind(node) == LCT_FORMULA_OTHERS;

        if (!(node->roots & roots))
            continue;
        if (node->slot >= 0) {
            r.own = node->op == LCT_FORMULA_S ? x->s : take_row(memory, &used);
            r.down = backward ? take_row(memory, &used) : NULL;
        }
        if (pairs) {
            r.pairs = r.own;
            r.down_pairs = r.down;
        } else if (repeated[i]) {
            r.pairs = take_row(memory, &used);
            r.down_pairs = backward ? take_row(memory, &used) : NULL;
        }
        x->row[i] = r;
    }
    return used;
}

size_t lct_formula_block_memory(const locant_encoding *e)
{
    struct lct_formula_tile x;

    return lay_out(&x, NULL, e->state, true);
}

/* ---------------------------------------------------------------- arguments */

void lct_formula_block_arguments(const double *in[3],
                                 const struct lct_formula_tile *x,
                                 const struct lct_formula_node *node)
{
    bool pairs = lct_formula_evaluate_kind(node) == LCT_FORMULA_OTHERS;

    for (int k = 0; k < lct_formula_graph_arguments(node->op); k++) {
        const struct lct_formula_row *r = &x->row[node->arg[k]];

        in[k] = pairs || r->own == NULL ? r->pairs : r->own;
    }
}

/* One more than the operation of kernels; 0: they do not know it. */
/* clang-format off */
static const unsigned char operations[LCT_FORMULA_OPS] = {
    [LCT_FORMULA_NEG] = 1 + LCT_DOUBLE_NEG,
    [LCT_FORMULA_ADD] = 1 + LCT_DOUBLE_ADD,
    [LCT_FORMULA_SUB] = 1 + LCT_DOUBLE_SUB,
    [LCT_FORMULA_MUL] = 1 + LCT_DOUBLE_MUL,
    [LCT_FORMULA_DIV] = 1 + LCT_DOUBLE_DIV,
    [LCT_FORMULA_LT] = 1 + LCT_DOUBLE_LT,
    [LCT_FORMULA_LE] = 1 + LCT_DOUBLE_LE,
    [LCT_FORMULA_GT] = 1 + LCT_DOUBLE_GT,
    [LCT_FORMULA_GE] = 1 + LCT_DOUBLE_GE,
    [LCT_FORMULA_EQ] = 1 + LCT_DOUBLE_EQ,
    [LCT_FORMULA_MIN] = 1 + LCT_DOUBLE_MIN,
    [LCT_FORMULA_MAX] = 1 + LCT_DOUBLE_MAX,
    [LCT_FORMULA_CLAMP] = 1 + LCT_DOUBLE_CLAMP,
    [LCT_FORMULA_IF] = 1 + LCT_DOUBLE_IF,
    [LCT_FORMULA_ABS] = 1 + LCT_DOUBLE_ABS,
    [LCT_FORMULA_SIGN] = 1 + LCT_DOUBLE_SIGN,
    [LCT_FORMULA_RELU] = 1 + LCT_DOUBLE_RELU,
    [LCT_FORMULA_STEP] = 1 + LCT_DOUBLE_STEP_AT_0,
    [LCT_FORMULA_EXP] = 1 + LCT_DOUBLE_EXP,
    [LCT_FORMULA_EXPM1] = 1 + LCT_DOUBLE_EXPM1,
    [LCT_FORMULA_LOG] = 1 + LCT_DOUBLE_LOG,
    [LCT_FORMULA_LOG1P] = 1 + LCT_DOUBLE_LOG1P,
    [LCT_FORMULA_TANH] = 1 + LCT_DOUBLE_TANH,
    [LCT_FORMULA_SIGMOID] = 1 + LCT_DOUBLE_SIGMOID,
    [LCT_FORMULA_SOFTPLUS] = 1 + LCT_DOUBLE_SOFTPLUS,
    [LCT_FORMULA_LOGSIGMOID] = 1 + LCT_DOUBLE_LOGSIGMOID,
};
/* clang-format on */

enum lct_double_op lct_formula_block_operation(const struct lct_formula *f,
                                               const struct lct_formula_node *x,
                                               const double *in[3])
{
    const struct lct_formula_node *by = &f->node[x->arg[1]];

    if (x->op == LCT_FORMULA_POW && by->op == LCT_FORMULA_NUMBER &&
        by->number == 2) {
        in[1] = in[0];
        return LCT_DOUBLE_MUL;
    }
    return operations[x->op] == 0 ? LCT_DOUBLE_OPS
                                  : (enum lct_double_op)(operations[x->op] - 1);
}

/* ------------------------------------------------------------------- values */

static void fill(double *out, double value, size_t n)
{
    for (size_t e = 0; e < n; e++)
        out[e] = value;
}

/* d of the block's pairs. */
static void put_differences(double *out, const struct lct_formula_tile *x)
{
    size_t rows = (size_t)x->t->rows;

    if (x->exact) {
        const double *in[3] = { x->q_pos, x->k_pos };

        x->t->kernels->double_row(out, LCT_DOUBLE_SUB, in, x->n);
        return;
    }
    for (size_t e = 0; e < x->keys * rows; e++)
        out[e] = (double)lct_distance(x->t->q_pos[e % rows],
                                      x->t->k_pos[x->first + e / rows]);
}

static void put_leaf_of_pairs(double *out, const struct lct_formula_tile *x,
                              enum lct_formula_op op)
{
    const double *in[3] = { out };
    bool zero = x->run.c->e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_ZERO;

    if (op == LCT_FORMULA_S)
        return; /* the row of scores itself */
    put_differences(out, x);
    if (op == LCT_FORMULA_N)
        x->t->kernels->double_row(out, zero ? LCT_DOUBLE_RELU : LCT_DOUBLE_ABS,
                                  in, x->n);
}

/* Of n keys or n queries. */
static void put_leaf(double *out, const struct lct_formula_tile *x,
                     const struct lct_formula_node *node, size_t n)
{
    const struct lct_pairs *t = x->t;
    int array = node->name >= 0 ? x->run.f->name[node->name].number : 0;

    for (size_t e = 0; e < n; e++)
        switch (node->op) {
        case LCT_FORMULA_I: out[e] = (double)t->q_pos[e]; break;
        case LCT_FORMULA_J: out[e] = (double)t->k_pos[e]; break;
        case LCT_FORMULA_OF_KEY:
            out[e] = t->numbers[(t->first + (int64_t)e) * t->count + array];
            break;
        default: /* OF_QUERY; padding has none */
            out[e] =
                t->own[e] >= 0 ? t->numbers[t->own[e] * t->count + array] : 0;
        }
}

static void put_node(struct lct_formula_tile *x, int i, size_t n)
{
    const struct lct_formula *f = x->run.f;
    const struct lct_formula_node *node = &f->node[i];
    size_t padded = lct_formula_block_round(n);
    double *out = x->row[i].own;
    const double *in[3] = { NULL, NULL, NULL };
    enum lct_double_op op;

    if (lct_formula_graph_arguments(node->op) == 0) {
        if (x->row[i].pairs == out)
            put_leaf_of_pairs(out, x, node->op);
        else
            put_leaf(out, x, node, n);
        return;
    }
    lct_formula_block_arguments(in, x, node);
    op = lct_formula_block_operation(f, node, in);
    if (op != LCT_DOUBLE_OPS)
        x->t->kernels->double_row(out, op, in, padded);
    else if (node->op == LCT_FORMULA_PICK || node->op == LCT_FORMULA_LERP)
        for (size_t e = 0; e < n; e++)
            out[e] = lct_formula_tables_read(&x->run, node, in[0][e]);
    else
        lct_formula_operations_row(out, f, node, in, n);
}

static void put_kind(struct lct_formula_tile *x,
                     enum lct_formula_kind_of_node kind, size_t n)
{
    for (int i = 0; i <= x->run.root; i++) {
        const struct lct_formula_node *node = &x->run.f->node[i];

        if (lct_formula_block_uses(x, node) && node->slot >= 0 &&
            lct_formula_evaluate_kind(node) == kind)
            put_node(x, i, n);
    }
}

/* Repeat the queries' numbers for each key of a block. */
static void repeat_queries(double *out, const double *own, size_t rows,
                           size_t keys)
{
    for (size_t j = out == own; j < keys; j++)
        memcpy(out + j * rows, own, rows * sizeof(*out));
}

static void repeat_keys(double *out, const double *own, size_t rows,
                        size_t keys)
{
    for (size_t j = 0; j < keys; j++)
        fill(out + j * rows, own[j], rows);
}

/* Numbers first, which nodes of keys and queries read. */
static void open_numbers(struct lct_formula_tile *x)
{
    for (int i = 0; i < x->run.f->nodes; i++)
        if (x->row[i].own == NULL && x->row[i].pairs != NULL)
            fill(x->row[i].pairs, x->run.number[i], BLOCK);
}

static void open_positions(struct lct_formula_tile *x)
{
    const struct lct_pairs *t = x->t;

    x->distances = false;
    for (int i = 0; i <= x->run.root; i++)
        x->distances =
            x->distances ||
            (x->row[i].own != NULL && (x->run.f->node[i].op == LCT_FORMULA_D ||
                                       x->run.f->node[i].op == LCT_FORMULA_N));
    if (!x->distances)
        return;
    x->exact = true;
    for (int64_t j = 0; j < t->keys; j++)
        x->exact = x->exact && lct_is_exact(t->k_pos[j]);
    for (int64_t i = 0; i < t->rows; i++)
        x->exact = x->exact && lct_is_exact(t->q_pos[i]);
    for (int64_t i = 0; i < t->rows; i++)
        x->q_pos[i] = (double)t->q_pos[i];
    repeat_queries(x->q_pos, x->q_pos, (size_t)t->rows, x->step);
}

void lct_formula_block_open(struct lct_formula_tile *x,
                            const struct lct_pairs *t, bool backward)
{
    size_t rows = (size_t)t->rows;

    x->t = t;
    lct_formula_evaluate_open_roots(&x->run, t->call->e->state, roots, t->call,
                                    t->head);
    memset(x->row, 0, (size_t)x->run.f->nodes * sizeof(*x->row));
    lay_out(x, t->memory, x->run.f, backward);
    x->step = BLOCK / rows;
    open_positions(x);
    open_numbers(x);
    put_kind(x, LCT_FORMULA_KEYS, (size_t)t->keys);
    put_kind(x, LCT_FORMULA_QUERIES, rows);
    for (int i = 0; i <= x->run.root; i++) {
        const struct lct_formula_row *r = &x->row[i];

        if (r->own != NULL && r->pairs != NULL &&
            lct_formula_evaluate_kind(&x->run.f->node[i]) ==
                LCT_FORMULA_QUERIES)
            repeat_queries(r->pairs, r->own, rows, x->step);
    }
}

/* Numbers after the last pair of a row are some numbers. */
void lct_formula_block_take(struct lct_formula_tile *x, const float *s,
                            size_t first)
{
    const struct lct_pairs *t = x->t;
    size_t rows = (size_t)t->rows, left = (size_t)t->keys - first, pairs;

    x->first = first;
    x->keys = left < x->step ? left : x->step;
    pairs = x->keys * rows;
    x->n = lct_formula_block_round(pairs);
    if (x->distances)
        for (size_t j = 0; j < x->keys; j++)
            fill(x->k_pos + j * rows, (double)t->k_pos[first + j], rows);
    t->kernels->double_widen(x->s, s + first * t->lanes, t->lanes, rows,
                             x->keys);
    fill(x->s + pairs, 0, x->n - pairs);
    for (int i = 0; i <= x->run.root; i++) {
        const struct lct_formula_row *r = &x->row[i];

        if (r->own != NULL && r->pairs != NULL &&
            lct_formula_evaluate_kind(&x->run.f->node[i]) == LCT_FORMULA_KEYS)
            repeat_keys(r->pairs, r->own + first, rows, x->keys);
    }
    put_kind(x, LCT_FORMULA_OTHERS, pairs);
}

const double *lct_formula_block_root(const struct lct_formula_tile *x, int root)
{
    int node = x->run.f->root[root];

    return node < 0 ? NULL : x->row[node].pairs;
}
