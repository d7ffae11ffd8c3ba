/*
 * factors.h - factors of pairs of positions, in tiles (doors.h):
 *
 *     s = gain * scale q.k + bias,    out = (p * after) v
 *
 * A table holds the factors of each head by difference of positions.  Without a
 * table, because positions are sparse or the factor is not relative, factors
 * are computed per tile.
 */
#ifndef LCT_ATTENTION_FACTORS_H
#define LCT_ATTENTION_FACTORS_H
#include "scratch.h"
#include "tables.h"
#include "tile.h"

enum lct_factor { LCT_GAIN, LCT_AFTER, LCT_FACTORS };

/* Set p->factor_range, factor_first and table_width, before the biases. */
void lct_factors_plan(struct lct_plan *p);
void lct_factors_layout(struct lct_tables *tables, const struct lct_plan *p,
                        struct lct_arena *arena);
void lct_factors_fill(const struct lct_plan *p);

/* The scratch of backward. */
void lct_factors_layout_scratch(struct lct_scratch *s, const struct lct_plan *p,
                                struct lct_arena *arena);

/* x [keys, lanes] *= the factors of the tile. */
void lct_factors_multiply(const struct lct_plan *p, const struct lct_tile *t,
                          struct lct_scratch *s, enum lct_factor f, float *x);
/* x[n] *= the factor of query i of head h and key j + n, n < keys. */
void lct_factors_multiply_row(const struct lct_plan *p, enum lct_factor f,
                              const int64_t at[3], int64_t j, int64_t keys,
                              float *x);

/* s->s *= gain, in scores; backward: keeps s->s as it was. */
void lct_factors_gain(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s);
/* forward: lct_factors_gain(); s->ds becomes the gradient of its argument. */
void lct_factors_gain_backward(const struct lct_plan *p,
                               const struct lct_tile *t, struct lct_scratch *s,
                               int64_t chunk_row, bool learns);

/* Backward: s->s *= after; keeps s->s as it was. */
void lct_factors_after(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s);
/* Restores s->s and turns s->ds, the gradient of its product, into its own. */
void lct_factors_after_backward(const struct lct_plan *p,
                                const struct lct_tile *t, struct lct_scratch *s,
                                int64_t chunk_row, bool learns);

/* Add the tables of gradients to row 0 of p->gradients->params. */
void lct_factors_accumulate(const struct lct_plan *p);

/* The part that has a factor; NULL: none. */
static inline const struct lct_call *
lct_factors_call(const struct lct_plan *p, enum lct_factor f)
{
    return f == LCT_GAIN ? p->tables->gain : p->tables->after;
}

static inline const struct lct_pair_factor *
lct_factors_hooks(const struct lct_call *call, enum lct_factor f)
{
    return f == LCT_GAIN ? &call->e->row->factors.gain
                         : &call->e->row->factors.after;
}
#endif
