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
 * subtrees that its leaves fill.  lct_tree_combine() adds the subtrees of
 * several trees to the sum of all.
 */
#ifndef LCT_TREE_H
#define LCT_TREE_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    LCT_TREE_LEAVES = 256, /* most leaves */
    /* most subtrees held at a time: 7 that grow, then 7 that shrink, as of
       leaves 1 .. 254 */
    LCT_TREE_HELD = 14,
    LCT_TREE_PART = 256 /* elements that are added at a time */
};

/* S(first, size), an array of n floats. */
struct lct_subtree {
    int64_t first, size;
    float *sum;
};

struct lct_tree {
    size_t n;     /* floats of a leaf */
    float *sums;  /* [lct_tree_room()][n] of the caller */
    int64_t next; /* the leaf that is added next */
    int count;    /* subtrees that are held, by rising 'first' */
    struct lct_subtree held[LCT_TREE_HELD];
};

static inline int lct_tree_is_size(int64_t leaves)
{
    return leaves >= 1 && leaves <= LCT_TREE_LEAVES &&
           (leaves & (leaves - 1)) == 0;
}

/* Begin with leaf 'first'.  'sums' may be NULL to count subtrees only. */
static inline void lct_tree_begin(struct lct_tree *t, float *sums, size_t n,
                                  int64_t first)
{
    *t = (struct lct_tree){ .n = n, .sums = sums, .next = first };
}

/* Count the next leaf: the number of subtrees that it completes a larger one
   with, which are the last ones held. */
static inline int lct_tree_count(struct lct_tree *t)
{
    struct lct_subtree s = { t->next++, 1, NULL };
    int merged = 0;

    while (t->count > 0 && t->held[t->count - 1].size == s.size &&
           t->held[t->count - 1].first % (2 * s.size) == 0) {
        t->count--;
        s.first = t->held[t->count].first;
        s.size *= 2;
        merged++;
    }
    s.sum = t->sums == NULL ? NULL : t->sums + (size_t)t->count * t->n;
    t->held[t->count++] = s;
    return merged;
}

/*
 * Add elements 'from' .. 'from' + 'count' - 1 of a leaf for which
 * lct_tree_count() returned 'merged', and set them to 0 in the leaf.  Parts of
 * one leaf may be added in parallel.
 */
static inline void lct_tree_add_part(const struct lct_tree *t, int merged,
                                     float *leaf, size_t from, size_t count)
{
    float *to = t->held[t->count - 1].sum + from, part[LCT_TREE_PART];

    leaf += from;
    for (size_t at = 0; at < count; at += LCT_TREE_PART) {
        const size_t n =
            count - at < LCT_TREE_PART ? count - at : LCT_TREE_PART;

        memcpy(part, leaf + at, n * sizeof(*part));
        memset(leaf + at, 0, n * sizeof(*part));
        for (int k = merged; k-- > 0;) {
            const float *left = to + (size_t)k * t->n + at;

            for (size_t i = 0; i < n; i++)
                part[i] = left[i] + part[i];
        }
        memcpy(to + at, part, n * sizeof(*part));
    }
}

/* Add the next leaf and set it to 0. */
static inline void lct_tree_add(struct lct_tree *t, float *leaf)
{
    const int merged = lct_tree_count(t);

    lct_tree_add_part(t, merged, leaf, 0, t->n);
}

/* Arrays of n floats that leaves 'first' .. 'last' - 1 need: log2 L for all L
   of them, but 1 for L = 1. */
static inline int lct_tree_room(int64_t first, int64_t last)
{
    struct lct_tree t;
    int most = 0;

    lct_tree_begin(&t, NULL, 0, first);
    while (t.next < last) {
        lct_tree_count(&t);
        most = t.count > most ? t.count : most;
    }
    return most;
}

/* out [count] = elements from 'at' on of S(first, size), which is one of the
   subtrees or is made of them. */
static inline void lct_tree_node(float *out, int64_t first, int64_t size,
                                 const struct lct_subtree *subtree, size_t at,
                                 size_t count)
{
    float right[LCT_TREE_PART];

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
static inline void lct_tree_combine(float *root, int64_t leaves,
                                    const struct lct_subtree *subtree, size_t n)
{
    float part[LCT_TREE_PART];

    for (size_t at = 0; at < n; at += LCT_TREE_PART) {
        const size_t count = n - at < LCT_TREE_PART ? n - at : LCT_TREE_PART;

        lct_tree_node(part, 0, leaves, subtree, at, count);
        memcpy(root + at, part, count * sizeof(*part));
    }
}
#endif
