/* statistics.h - what the files of statistics share */
#ifndef LCT_STATISTICS_H
#define LCT_STATISTICS_H
#include "../core/error.h"
#include "locant/statistics.h"
#include <stdbool.h>

enum { LCT_TESTED_SEEDS = 3 }; /* tests need at least so many seeds */

/* The number of pairs of n > 0 items. */
static inline double lct_pair_count(size_t n)
{
    return (double)n * (double)(n - 1) / 2;
}

/* Mean and half width of the t interval; half is NAN for n = 1. */
void lct_t_interval(double *mean, double *half, const double *x, size_t n,
                    double level);

/* t with P(|T| < t) = level for Student's T with 'df' degrees of freedom. */
double lct_t_quantile(size_t df, double level);

/* P(|T| > |t|) for Student's T with 'df' > 0 degrees of freedom. */
double lct_t_p(double t, size_t df);

/*
 * Welch's test of the difference mean x[n] - mean y[m], with its interval and
 * p in t_p; out->p is NAN. All are NAN where undefined, as for one value.
 * Source: Welch, Biometrika 34 (1947); degrees of freedom by Satterthwaite.
 */
void lct_welch(locant_difference *out, const double *x, size_t n,
               const double *y, size_t m, double level);

/* Kendall's tau of two orders: (pairs in the same order - pairs in the opposite
   order) / all pairs; NAN for n < 2. *swapped: pairs in the opposite order. */
double lct_kendall(size_t *swapped, const double *x, const double *y, size_t n);

/*
 * out[groups]: means of x[group, seeds, blocks] over the first runs[group]
 * seeds, with intervals; see statistics_crossed.c. The bounds are NAN for fewer
 * than two seeds or blocks, all members if a value is not finite.
 */
void lct_crossed_intervals(locant_interval *out, const double *x,
                           const size_t *runs, size_t groups, size_t seeds,
                           size_t blocks, double level);

/* PARAM unless 0 < level < 1; 'fn' is for the message. */
locant_status lct_check_level(const char *fn, double level);
#endif
