/*
 * leaves.c - gradients of parameters as trees over the leaves of a batch.
 *
 * What belongs to a row has the same bits in every pass: activations and their
 * gradients.  What is summed over rows is summed over those of each leaf from
 * zero, as in a pass of its own, and the leaves' sums are added by the tree,
 * piece by piece while they are in cache: a tile of a matrix, the vector of a
 * norm, the row of a token.  The gradients of the encoding's parameters, which
 * all layers add to, are kept for each leaf until the end.
 */
#include "parts.h"
#include "../core/size.h"
#include <inttypes.h>
#include <string.h>

locant_status lct_leaves_check(const struct lct_leaves *l, int64_t batch)
{
    if (l->all == 0 ||
        (lct_tree_is_size(l->all) && l->first >= 0 && l->first < l->last &&
         l->last <= l->all && batch % (l->last - l->first) == 0))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "lct_model_create: leaves %" PRId64 " .. %" PRId64
                       " of %" PRId64 " are the %" PRId64
                       " rows of a batch, expected some of a power of two up"
                       " to %d that divide the rows",
                       l->first, l->last - 1, l->all, batch, LCT_TREE_LEAVES);
}

locant_status lct_leaves_create(struct lct_model *m)
{
    const struct lct_leaves *all = &m->config.leaves;
    size_t bytes;

    if (!lct_has_leaves(m))
        return LOCANT_OK;
    m->slots = locant_threads();
    m->leaf_floats = LCT_LINEAR_TILE * LCT_LINEAR_TILE;
    if ((size_t)m->config.width > m->leaf_floats)
        m->leaf_floats = (size_t)m->config.width;
    m->leaf_floats *= (size_t)lct_tree_room(all->first, all->last);
    if (lct_mul(&bytes, m->leaf_floats, (size_t)m->slots * sizeof(real)))
        m->leaf_room = locant_alloc(bytes);
    return m->leaf_room
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_NOMEM,
                             "lct_model_create: no memory for %d times %zu"
                             " sums of leaves",
                             m->slots, m->leaf_floats);
}

static struct lct_tree begin(const struct lct_model *m, size_t n)
{
    struct lct_tree tree;

    lct_tree_begin(&tree, n, m->config.leaves.first);
    return tree;
}

/* The array of the next leaf. */
static real *next_leaf(const struct lct_tree *tree, real *room)
{
    return room + (size_t)tree->count * tree->n;
}

static real *next_leaf_of_0(const struct lct_tree *tree, real *room)
{
    return memset(next_leaf(tree, room), 0, tree->n * sizeof(*room));
}

/* Add 'rows' rows of the subtrees to those of the gradients, which begin at
   'offset' and are 'row' apart. */
static void add_to_gradients(const struct lct_model *m,
                             const struct lct_tree *tree, size_t offset,
                             size_t rows, size_t row)
{
    const size_t cols = tree->n / rows;

    for (int k = 0; k < tree->count; k++) {
        real *to = m->grads + (size_t)k * m->size + offset;

        for (size_t i = 0; i < rows; i++)
            lct_nn()->add(to + i * row, tree->held[k].sum + i * cols, 1, cols);
    }
}

void lct_leaves_add_tile(struct lct_model *m,
                         const struct lct_weight_gradient *g, int64_t number,
                         real *room)
{
    const struct lct_linear s = { g->rows / m->leaves, g->w->shape[0],
                                  g->w->shape[1] };
    const struct lct_linear_tile t = lct_linear_tile(s.in, s.out, number);
    struct lct_tree tree = begin(m, (size_t)(t.rows * t.cols));

    for (int64_t l = 0; l < m->leaves; l++) {
        real *leaf = next_leaf(&tree, room);

        lct_linear_backward_tile(leaf, g->dy + l * s.rows * s.out,
                                 g->x + l * s.rows * s.in, &s, &t);
        lct_tree_add(&tree, leaf);
    }
    add_to_gradients(m, &tree, g->w->offset + (size_t)(t.i * s.out + t.j),
                     (size_t)t.rows, (size_t)s.out);
}

void lct_leaves_add_norm(struct lct_model *m, const struct lct_model_tensor *w,
                         int64_t rows)
{
    const int64_t width = m->config.width;
    const int64_t blocks = lct_blocks(rows / m->leaves);
    struct lct_tree tree = begin(m, (size_t)width);

    for (int64_t l = 0; l < m->leaves; l++) {
        real *leaf = next_leaf_of_0(&tree, m->leaf_room);

        lct_norm_backward_weight(leaf, m->sums + l * blocks * width, blocks,
                                 width);
        lct_tree_add(&tree, leaf);
    }
    add_to_gradients(m, &tree, w->offset, 1, (size_t)width);
}

/* forward: x[i] = table[tokens[i]], for the rows i with token v */
static void add_token(struct lct_model *m, int64_t v)
{
    const int64_t width = m->config.width, rows = m->B / m->leaves * m->T;
    struct lct_tree tree = begin(m, (size_t)width);
    int32_t i = m->lists.first[v];

    for (int64_t l = 0; l < m->leaves; l++) {
        real *leaf = next_leaf_of_0(&tree, m->leaf_room);

        i = lct_embedding_add(leaf, m->d.x, i, (l + 1) * rows, width,
                              &m->lists);
        lct_tree_add(&tree, leaf);
    }
    add_to_gradients(m, &tree, (size_t)(v * width), 1, (size_t)width);
}

void lct_leaves_add_embedding(struct lct_model *m)
{
    lct_embedding_list(&m->lists, m->tokens, m->B * m->T, m->config.vocab);
    for (int64_t v = 0; v < m->config.vocab; v++)
        if (m->lists.first[v] >= 0)
            add_token(m, v);
}

void lct_leaves_begin_encoding(struct lct_model *m)
{
    if (m->encoding_size > 0)
        memset(m->leaf_grads, 0,
               (size_t)m->leaves * m->encoding_size * sizeof(real));
}

void lct_leaves_add_encoding(struct lct_model *m)
{
    struct lct_tree tree = begin(m, m->encoding_size);

    if (m->encoding_size == 0)
        return;
    for (size_t l = 0; l < (size_t)m->leaves; l++)
        lct_tree_add(&tree, m->leaf_grads + l * m->encoding_size);
    add_to_gradients(m, &tree, m->size - m->encoding_size, 1, m->encoding_size);
}
