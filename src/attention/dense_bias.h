/* dense_bias.h - a bias with an element for each query and key */
#ifndef LCT_ATTENTION_DENSE_BIAS_H
#define LCT_ATTENTION_DENSE_BIAS_H
#include "scratch.h"
#include "tile.h"

/* Refuse NaN and infinity; -infinity hides a key. */
locant_status lct_dense_bias_check_values(const struct lct_request *r);

/* Prefetch the biases of queries first .. end - 1 of the tile. */
void lct_dense_bias_ask(const struct lct_plan *p, const struct lct_tile *t,
                        int64_t first, int64_t end);

/* s->s += bias.  true: the bias hides some keys. */
bool lct_dense_bias_add(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s);

/*
 * The same for one query: row[n] += bias of 'at' = b, h, i, j + n, n < keys <=
 * LCT_TILE; 'row' has room for keys rounded up to LCT_PAD.
 */
bool lct_dense_bias_add_row(const struct lct_plan *p, const int64_t at[4],
                            int64_t keys, float *row);

/* The same in double: row[n] += bias of b, h, i and key index[n], n < keys. */
void lct_dense_bias_add_keys(const struct lct_plan *p, const int64_t at[3],
                             const int64_t *index, int64_t keys, double *row);
#endif
