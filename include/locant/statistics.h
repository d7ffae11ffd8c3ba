/*
 * statistics.h - tests and intervals for a small number of seeds.
 *
 * The unit is the seed.  Runs of one seed read the same batches and are tested
 * on the same blocks of text, so encodings are compared by the differences of
 * runs that share a seed.  Losses within a run are dependent: resample blocks,
 * never tokens.
 *
 *   paired difference    t interval and t test; p of the sign-flip test, exact
 *                        for any distribution that is symmetric around 0
 *   many comparisons     Holm, on comparisons declared beforehand
 *   number of seeds      the power of the t test, the least p of the sign-flip
 *                        test
 *   curves               bootstrap over seeds, then blocks
 *   accuracies           Wilson's interval for one seed; all seeds shown; the
 *                        share of seeds that solve the task.  Where a seed
 *                        either finds a solution or does not, the mean is not
 *                        useful.
 *
 * With n seeds no p of the sign-flip test is below 2^(1 - n): .25 for 3, .0625
 * for 5, .031 for 6.  NAN stands for undefined values and propagates.
 */
#ifndef LOCANT_STATISTICS_H
#define LOCANT_STATISTICS_H

#include "core.h"

LOCANT_BEGIN_DECLS

/* ------------------------------------------------------------------ paired */

enum { LOCANT_FLIP_MAX = 20 }; /* most seeds of the sign-flip test */

typedef struct locant_difference {
    double mean; /* of d */
    double half; /* mean +- half is the t interval; NAN for n = 1 */
    double p;    /* two-sided; NAN for n = 0 and n > LOCANT_FLIP_MAX */
    double t_p;  /* two-sided, of Student's t test; NAN for n < 2 */
} locant_difference;

/*
 * Differences d[n] of paired runs, d[s] = loss of A - loss of B at seed s.
 *
 *     half = t(n - 1; level) sqrt(sum (d - mean)^2 / (n - 1) / n)
 *     p    = share of the 2^n choices of signs with |sum +-d| >= |sum d|
 *     t_p  = P(|T| >= |mean| / error), T of n - 1 degrees of freedom,
 *            error = sqrt(sum (d - mean)^2 / (n - 1) / n)
 *
 * Sums that differ by less than the rounding error count as equal, which makes
 * p larger.  'level' of the interval is in (0, 1).
 * Sources: Student, Biometrika 6 (1908); Fisher, The Design of Experiments
 * (1935), section 21.
 * Errors: NULL, PARAM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_paired(locant_difference *out, const double *d, size_t n, double level);

/*
 * Holm's correction of p[n] for n comparisons: with p in increasing order,
 *
 *     adjusted_i = max over j <= i of min(1, (n - j + 1) p_j),   j from 1
 *
 * Rejecting adjusted <= a keeps the probability of any false rejection at most
 * a, whatever the dependence of the comparisons.  A NAN stays NAN and does not
 * count in n.  O(n^2).
 * Source: Holm, Scand. J. Statist. 6 (1979).
 * Errors: NULL, PARAM (p outside 0 .. 1).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_holm(double *adjusted, const double *p, size_t n);

/* ------------------------------------------------------------- seeds needed */

/*
 * The least n with comparisons x 2^(1 - n) < alpha: with fewer seeds no p of
 * the sign-flip test, corrected by Holm for that many comparisons, is below
 * 'alpha'.  9 for 7 comparisons and .05.  0 if that is more than
 * LOCANT_FLIP_MAX, and unless 0 < alpha <= 1.
 */
LOCANT_API size_t locant_flip_seeds(size_t comparisons, double alpha);

/*
 * Power: the probability that the two-sided t test of n paired differences has
 * t_p <= alpha if they are normal with that mean and standard deviation; by the
 * noncentral t distribution, to three digits.  NAN for n < 2, a deviation that
 * is not above 0, and unless 0 < alpha < 1.
 * Source: Cohen, Statistical Power Analysis for the Behavioral Sciences (1988),
 * section 2.3.
 */
LOCANT_API double locant_power(double mean, double deviation, size_t n,
                               double alpha);

/* The least n of 2 .. most with that power or more; 0 if there is none. */
LOCANT_API size_t locant_power_seeds(double mean, double deviation,
                                     double alpha, double power, size_t most);

/* --------------------------------------------------------------- bootstrap */

typedef struct locant_interval {
    double mean;
    double low, high;  /* percentiles of the resampled means */
    double seed_error; /* standard error of the mean over seeds: standard
                          deviation of the seeds' means / sqrt(seeds); NAN for
                          one seed */
    double data_error; /* the same over blocks, of the blocks' means */
} locant_interval;

/*
 * Mean of loss[seeds, blocks] with a hierarchical bootstrap: 2000 times, draw
 * seeds with replacement, then blocks, and take the mean.  All seeds are tested
 * on the same blocks, so one draw of blocks serves all of them.  The draws are
 * a function of 'seed' (Philox).
 *
 * With few seeds the interval is too short, as for every bootstrap: its
 * variance between seeds is (seeds - 1) / seeds of the true one, and 0 for one
 * seed.  seed_error is not biased in this way.
 *
 * All NAN where a loss is not finite, and for no seeds or no blocks.
 * Source: Davison and Hinkley, Bootstrap Methods and their Application (1997),
 * section 3.8.
 * Errors: NULL, PARAM (level outside (0, 1)).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_bootstrap(locant_interval *out, const double *loss, size_t seeds,
                 size_t blocks, double level, uint64_t seed);

/* -------------------------------------------------------------- accuracies */

/*
 * Wilson's score interval for 'hits' of n, the roots of
 *
 *     (hits / n - x)^2 = z^2 x (1 - x) / n
 *
 * 0 .. 1 for n = 0.
 * Source: Wilson, J. Am. Stat. Assoc. 22 (1927).
 * Errors: NULL, PARAM (hits > n, level outside (0, 1)).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_wilson(double *low, double *high, size_t hits, size_t n, double level);

/*
 * The share of the n values that are 'least' or more: for instance, of seeds
 * with an accuracy of .9 or more.  NAN counts as less.  NAN for n = 0, NULL x.
 */
LOCANT_API double locant_share(const double *x, size_t n, double least);

/* ------------------------------------------------------------------- ranks */

/*
 * rank[n] of n encodings with losses loss[n, seeds, blocks]: 1 + the number of
 * encodings with a significantly lower loss, as in 1 1 3 4 4; 0 if a loss is
 * not finite.
 *
 * With three or more seeds, "significantly" is by the t test over seeds of the
 * paired difference of means over blocks, with Bonferroni's correction for all
 * pairs of encodings with finite losses: the probability that any pair is
 * ordered by chance is at most 1 - level.  With one or two seeds ranks only
 * describe the runs: a loss is lower if it is lower in every run.
 *
 * A shared rank does not mean equal losses: these runs cannot separate them.
 * Errors: NULL, PARAM (level outside (0, 1)), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_ranks(int *rank, const double *loss, size_t n, size_t seeds,
             size_t blocks, double level);

/*
 * out[n] = mean of 1 / rank over the trials (tasks, lengths) of
 * rank[trials, n]; a rank of 0 adds 0.  NAN for no trials.  The mean does not
 * show that no encoding solves a task: show the values beside it.
 * Source: Kazemnejad et al., arXiv:2305.19466, figure 1.
 * Errors: NULL.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_mean_reciprocal_rank(double *out, const int *rank, size_t n,
                            size_t trials);

LOCANT_END_DECLS
#endif /* LOCANT_STATISTICS_H */
