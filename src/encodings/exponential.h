/* exponential.h - the exponential of a matrix, and its derivative */
#ifndef LCT_EXPONENTIAL_H
#define LCT_EXPONENTIAL_H

enum { LCT_EXP_MOST = 64 }; /* rows and columns, at most */

typedef double lct_matrix[LCT_EXP_MOST * LCT_EXP_MOST];

/*
 * r [n, n] = exp(m), m skew; unless g is NULL, l = its derivative along g; both
 * m and g are changed.  m is halved until its norm is below 1/2, where
 * 18 terms of the series leave 2^-72, and r squared as often.
 */
void lct_exponential(double *r, double *l, double *m, double *g, int n);
#endif
