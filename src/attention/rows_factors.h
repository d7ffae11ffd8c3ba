/* rows_factors.h - factors of scores, weights and queries (doors.h) in double */
#ifndef LCT_ATTENTION_ROWS_FACTORS_H
#define LCT_ATTENTION_ROWS_FACTORS_H
#include "factors.h"
#include "rows.h"

/* Fill r->gain and r->after of the query w->q, if the encoding has them. */
void lct_rows_factors_load(const struct lct_rows_task *w);

/*
 * Add gradients of the parameters of a factor to 'sums', a row of
 * p->gradients->params, unless it is NULL or there are none.  The gradient of
 * the factor itself is r->factored [heads, keys].
 */
void lct_rows_factors_backward(const struct lct_rows_task *w, enum lct_factor f,
                               double *sums);
/* The same of the gain; r->ds: the gradient of the scores. */
void lct_rows_factors_gain_backward(const struct lct_rows_task *w,
                                    double *sums);
/* Of the row factor; dq: the gradient of the rotated query 'at' = b, h, i times
 * temperature and factor.  Overwrites that query in r->q. */
void lct_rows_factors_row_backward(const struct lct_rows_task *w,
                                   const int64_t at[3], const double *dq,
                                   double *sums);
#endif
