/*
 * vectors.h - learned vectors, one for each distance, that queries are
 * multiplied with: what Shaw's encoding and its relatives share.
 */
#ifndef LCT_VECTORS_H
#define LCT_VECTORS_H
#include "content.h"
#include "terms.h"

/* Row of the table that a pair of positions uses; -1: none. */
typedef int64_t (*lct_row_of)(const locant_encoding *e, int64_t q_pos,
                              int64_t k_pos);

/* s[h,j] += scale <q_h, table[row]>, table [rows, head_dim]. */
void lct_vectors_content(double *s, const struct lct_content *c,
                         const struct lct_query *q, const double *table,
                         lct_row_of row);
void lct_vectors_content_backward(const double *ds,
                                  const struct lct_content_gradient *g,
                                  int param, const double *s,
                                  const struct lct_content *c,
                                  const struct lct_query *q, lct_row_of row);

/* -k .. k, and the table has 2k + 1 rows: clip(n, -k, k) + k. */
static inline int64_t lct_row_clipped(int64_t n, int64_t k)
{
    return (n < -k ? -k : n > k ? k : n) + k;
}
#endif
