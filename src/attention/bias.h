/* bias.h - biases of one tile, by difference or by row, and their gradients */
#ifndef LCT_ATTENTION_BIAS_H
#define LCT_ATTENTION_BIAS_H
#include "bias_pwl.h"
#include "scratch.h"
#include "tables.h"
#include "tile.h"

/* s->s += bias of the tile. */
void lct_bias_add(const struct lct_plan *p, const struct lct_tile *t,
                  struct lct_scratch *s);

/*
 * s[n] += bias of query i of head h at key j + n, n < keys.  It has the same
 * bits as in lct_bias_add().
 */
void lct_bias_add_row(const struct lct_plan *p, int64_t b, int64_t h, int64_t i,
                      int64_t j, int64_t keys, float *s);

/* Add the tile's ds to the gradients of the bias: of parameters if 'learns',
 * and of real coordinates. */
void lct_bias_backward(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s, int64_t chunk_row, bool learns);

/* Where the entries of a tile are in a table by difference that begins at
 * 'first'; q, k: the tile's positions.  Set e->consecutive and e->diagonal
 * before, true if all of these are known to be consecutive. */
void lct_bias_find_entries(struct lct_bias_entries *e, const struct lct_tile *t,
                           const int64_t *q, const int64_t *k, int64_t first);
bool lct_bias_are_consecutive(const struct lct_plan *p,
                              const struct lct_tile *t);

/* table[entry of i, j] += x[j, i], whose lanes without a query become 0. */
void lct_bias_add_entries(double *table, const struct lct_plan *p,
                          const struct lct_tile *t, float *x,
                          const struct lct_bias_entries *e);

/* Arguments of the score door for query i of a row of positions. */
static inline struct lct_call lct_bias_call(const struct lct_plan *p,
                                            int64_t row, int64_t i)
{
    const struct lct_tables *tables = p->tables;
    struct lct_call c = *tables->score;

    c.last = tables->q_last != NULL ? tables->q_last[row * p->T + i]
                                    : tables->last[row];
    return c;
}

/* Does the score door have parameters?  Call it after tables are filled. */
static inline bool lct_bias_learns(const struct lct_plan *p)
{
    return p->tables->score != NULL && p->tables->score->param[0] != NULL;
}
#endif
