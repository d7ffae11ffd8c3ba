/*
 * tree.h - the sum of arrays in a fixed order, whoever adds them
 *
 * The sum of L leaves, a power of two of them, is the full binary tree
 *
 *     S(a, 1) = leaf a;   S(a, 2s) = S(a, s) + S(a + s, s)
 *
 * in float32, element by element.  Every node is one addition of two operands
 * that are nodes themselves, so its bits do not depend on which thread or
 * process adds, or when.
 *
 * Leaves are added in order to a struct lct_tree, which holds the largest
 * subtrees that its leaves fill, as a binary counter does.  lct_tree_combine()
 * adds the subtrees of several trees to the sum of all.
 */
#ifndef LCT_TREE_H
#define LCT_TREE_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    LCT_TREE_LEAVES = 256, /* most leaves */
    /* most subtrees held at a time: 7 that grow, then 7 that shrink, as of
       leaves 1 .. 254; and a leaf that is added */
    LCT_TREE_HELD = 15,
    LCT_TREE_PART = 256 /* elements that are combined at a time */
};

/* Gradient checks compile nn and model in double; see nn/real.h. */
#ifdef LCT_REAL_F64
typedef double lct_tree_real;
#else
typedef float lct_tree_real;
#endif

/* S(first, size), an array of n elements. */
struct lct_subtree {
    int64_t first, size;
    lct_tree_real *sum;
};

struct lct_tree {
    size_t n;     /* elements of a leaf */
    int64_t next; /* the leaf that is added next */
    int count;    /* subtrees that are held, by rising 'first' */
    struct lct_subtree held[LCT_TREE_HELD];
};

static inline int lct_tree_is_size(int64_t leaves)
{
    return leaves >= 1 && leaves <= LCT_TREE_LEAVES &&
           (leaves & (leaves - 1)) == 0;
}

/* Begin with leaf 'first' of n elements. */
static inline void lct_tree_begin(struct lct_tree *t, size_t n, int64_t first)
{
    *t = (struct lct_tree){ .n = n, .next = first };
}

/* Whether the last two subtrees are the halves of a larger one. */
static inline int lct_tree_has_halves(const struct lct_tree *t)
{
    const struct lct_subtree *right = &t->held[t->count - 1];

    return t->count > 1 && right[-1].size == right->size &&
           right[-1].first % (2 * right->size) == 0;
}

/* Add the next leaf.  Its array holds a subtree until it is added to the array
   of another one, to the left of it. */
static inline void lct_tree_add(struct lct_tree *t, lct_tree_real *leaf)
{
    t->held[t->count++] = (struct lct_subtree){ t->next++, 1, leaf };
    while (lct_tree_has_halves(t)) {
        const struct lct_subtree *right = &t->held[--t->count];
        lct_tree_real *left = t->held[t->count - 1].sum;

        for (size_t i = 0; i < t->n; i++)
            left[i] += right->sum[i];
        t->held[t->count - 1].size *= 2;
    }
}

/* The subtrees that leaves first .. last - 1 fill, without sums. */
static inline struct lct_tree lct_tree_of(int64_t first, int64_t last)
{
    struct lct_tree t;

    lct_tree_begin(&t, 0, first);
    while (t.next < last)
        lct_tree_add(&t, NULL);
    return t;
}

/* Their number. */
static inline int lct_tree_subtrees(int64_t first, int64_t last)
{
    return lct_tree_of(first, last).count;
}

/*
 * Arrays that leaves first .. last - 1 take if each is computed in the first
 * free one, number t->count of them: log2 L + 1 for all L.  They then end in
 * arrays 0 .. t->count - 1.
 */
static inline int lct_tree_room(int64_t first, int64_t last)
{
    struct lct_tree t;
    int most = 0;

    lct_tree_begin(&t, 0, first);
    while (t.next < last) {
        most = t.count + 1 > most ? t.count + 1 : most;
        lct_tree_add(&t, NULL);
    }
    return most;
}

/* out [count] = elements from 'at' on of S(first, size), which is one of the
   subtrees or is made of them. */
static inline void lct_tree_node(lct_tree_real *out, int64_t first,
                                 int64_t size,
                                 const struct lct_subtree *subtree, size_t at,
                                 size_t count)
{
    lct_tree_real right[LCT_TREE_PART];

    while (subtree->first + subtree->size <= first)
        subtree++;
    if (subtree->first == first && subtree->size == size) {
        memcpy(out, subtree->sum + at, count * sizeof(*out));
        return;
    }
    lct_tree_node(out, first, size / 2, subtree, at, count);
    lct_tree_node(right, first + size / 2, size / 2, subtree, at, count);
    for (size_t i = 0; i < count; i++)
        out[i] += right[i];
}

/*
 * root [n] = S(0, leaves) of subtrees that cover the leaves, by rising 'first':
 * what the trees of all ranges held.  'root' may be the sum of one of them.
 */
static inline void lct_tree_combine(lct_tree_real *root, int64_t leaves,
                                    const struct lct_subtree *subtree, size_t n)
{
    lct_tree_real part[LCT_TREE_PART];

    for (size_t at = 0; at < n; at += LCT_TREE_PART) {
        const size_t count = n - at < LCT_TREE_PART ? n - at : LCT_TREE_PART;

        lct_tree_node(part, 0, leaves, subtree, at, count);
        memcpy(root + at, part, count * sizeof(*part));
    }
}
#endif
