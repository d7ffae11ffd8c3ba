/*
 * key_order.h - the order of tokens in a row of positions.
 *
 * Keys are sorted by document, then by position; of equal positions the later
 * one in memory comes later.
 */
#ifndef LCT_ATTENTION_KEY_ORDER_H
#define LCT_ATTENTION_KEY_ORDER_H
#include "tables.h"

/* The document of key j in this row of positions; 0 if there are none. */
static inline int64_t lct_key_order_doc(const struct lct_plan *p, int64_t row,
                                        int64_t j)
{
    return p->documents ? p->tables->k_docs[row * p->S + j] : 0;
}

/*
 * order [R, S]: indices of keys.  last [R, T]: the last key, in that order, at
 * or before each query in its document; -1: none.
 */
void lct_key_order_fill(int64_t *order, int64_t *last,
                        const struct lct_plan *p);
#endif
