/*
 * bias_pwl.h - biases that are piecewise linear (FIRE), in the tiled engine.
 *
 * With f = u / v as in piecewise.h, tables->bias [2, bias_range + LCT_PAD]
 * holds u and its derivative for each difference.  A row of gradients->bias
 * holds, with 'most' entries each, the sums of ds and of ds f over each piece;
 * then the gradients of the two parameters.
 */
#ifndef LCT_ATTENTION_BIAS_PWL_H
#define LCT_ATTENTION_BIAS_PWL_H
#include "scratch.h"
#include "tables.h"
#include "tile.h"

struct lct_bias_pwl {
    int64_t pieces, most;  /* number of pieces; upper bound of it */
    double *start;         /* [most] */
    double *slope, *value; /* [H, most] */
    float *start_f;        /* 'start' in float */
    float *slope_f, *value_f;
    float *inverse;  /* 1 / v [position_rows, T], then LCT_PAD zeros */
    double *queries; /* [position_rows, T, 3]: piecewise.h, query() */
};

/* Pair (query i, key j) of a tile has entry at[j] + shift[i] of the table. */
struct lct_bias_entries {
    int64_t at[LCT_TILE], shift[LCT_TILE];
    bool consecutive; /* shift[i] = i */
    bool diagonal;    /* also at[j] = at[0] - j; 'shift' may be unset */
};

void lct_bias_pwl_layout(struct lct_tables *tables, const struct lct_plan *p,
                         struct lct_arena *arena);
void lct_bias_pwl_fill(const struct lct_plan *p);

/* As in bias.h, for these biases. */
void lct_bias_pwl_add(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s, const struct lct_bias_entries *e);
void lct_bias_pwl_add_row(const struct lct_plan *p, int64_t row, int64_t h,
                          int64_t i, int64_t j, int64_t keys, float *s);
void lct_bias_pwl_backward(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s,
                           const struct lct_bias_entries *e, double *to);

/* Add the gradients in bias_total to row 0 of p->gradients->params. */
void lct_bias_pwl_accumulate(const struct lct_plan *p);
#endif
