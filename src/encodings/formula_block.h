/*
 * formula_block.h - a formula in a tile of pairs, some keys at a time.
 *
 * Nodes of the keys alone and of the queries alone have a value for each key
 * and each query of the tile; the others have one for each pair of a block,
 * [keys of the block, queries].  A block fills a row of LCT_FORMULA_BLOCK
 * doubles, so an operation is chosen once for so many pairs, which it computes
 * in vectors.
 */
#ifndef LCT_FORMULA_BLOCK_H
#define LCT_FORMULA_BLOCK_H
#include "../kernel/kernels.h"
#include "formula_evaluate.h"

enum { LCT_FORMULA_BLOCK = 256 };

/* The rows of a node.  A number, and a node of the keys or of the queries, is
 * repeated for the pairs of a block in 'pairs' if they read it. */
struct lct_formula_row {
    double *own;   /* of keys, queries or pairs; NULL: a number */
    double *pairs; /* NULL: no pair reads it; else 'own' of a node of pairs */
    double *down, *down_pairs; /* gradients, as the two above */
};

struct lct_formula_tile {
    const struct lct_pairs *t;
    struct lct_formula_run run;
    struct lct_formula_row row[LCT_FORMULA_NODES];
    double *q_pos, *k_pos; /* positions of the pairs of a block */
    double *s, *out;       /* scores of a block; what becomes of them */
    bool distances;        /* are positions read? */
    bool exact;            /* are they all numbers of 53 bits? */
    size_t step;           /* keys of a block, but for the last one */
    size_t first, keys, n; /* of the present block: pairs, rounded up */
};

/* How many doubles of memory a tile needs, in backward the most. */
size_t lct_formula_block_memory(const locant_encoding *e);

/* Lay out t->memory and evaluate what is equal for all blocks. */
void lct_formula_block_open(struct lct_formula_tile *x,
                            const struct lct_pairs *t, bool backward);

/* Evaluate the keys from 'first' on, as many as fit, of scores s [t->keys,
 * t->lanes]. */
void lct_formula_block_take(struct lct_formula_tile *x, const float *s,
                            size_t first);

/* The values of a root for the block's pairs; NULL: it is left out. */
const double *lct_formula_block_root(const struct lct_formula_tile *x,
                                     int root);

/* The arguments of a node as rows of its own kind. */
void lct_formula_block_arguments(const double *in[3],
                                 const struct lct_formula_tile *x,
                                 const struct lct_formula_node *node);

/* The operation of kernels that a node is; LCT_DOUBLE_OPS: none.  A square is a
 * product: in[1] becomes in[0]. */
enum lct_double_op lct_formula_block_operation(const struct lct_formula *f,
                                               const struct lct_formula_node *x,
                                               const double *in[3]);

static inline bool lct_formula_block_uses(const struct lct_formula_tile *x,
                                          const struct lct_formula_node *node)
{
    return (node->roots & x->run.bits) != 0;
}

static inline size_t lct_formula_block_round(size_t n)
{
    return (n + LCT_DOUBLE_STEP - 1) / LCT_DOUBLE_STEP * LCT_DOUBLE_STEP;
}
#endif
