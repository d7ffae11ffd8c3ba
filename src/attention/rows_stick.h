/* rows_stick.h - stick-breaking weights (doors.h) in double */
#ifndef LCT_ATTENTION_ROWS_STICK_H
#define LCT_ATTENTION_ROWS_STICK_H
#include "rows.h"

/* Sort the document's keys by position. */
void lct_rows_stick_sort(struct lct_rows_document *doc);

/*
 * Turn capped scores s [keys] into weights; returns the rest.  'sigma', unless
 * NULL, gets their sigmoids.
 */
double lct_rows_stick_weights(double *s, double *sigma,
                              const struct lct_rows_document *doc);

/* The key of the document that gets the rest of query i; -1: none does. */
int64_t lct_rows_stick_own(const struct lct_rows_task *w, int64_t i);

/* ds, the gradient of weights p minus that of the rest in 'own', becomes that
 * of the scores. */
void lct_rows_stick_backward(double *ds, const double *p, const double *sigma,
                             double own, const struct lct_rows_document *doc);
#endif
