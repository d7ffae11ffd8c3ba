/*
 * near.h - numbers printed in a paper or a specification: right to half a unit
 * of the last printed digit, plus what the computation itself may lose.
 */
#ifndef NEAR_H
#define NEAR_H
#include "draw.h"

/* got[i] within 'tolerance' of want[i]. */
void near_all(const double *got, const double *want, size_t n,
              double tolerance);

/* One row of the input door in double, without parameters. */
void near_row(double *out, const char *spec, int64_t pos, int64_t D);

/* R(pos) x in double, D channels. */
void near_rotate(double *out, const double *x, const char *spec, int64_t pos,
                 int64_t D, int inverse);

/* b(h, q, k) in double of a model of 'heads'; params in double. */
double near_bias(const char *spec, int64_t heads, int64_t h, int64_t q,
                 int64_t k, const locant_tensor *params);

double near_dot(const double *a, const double *b, size_t n);
#endif
