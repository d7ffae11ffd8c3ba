/*
 * statistics.h - statistics by counting every case, or straight from the
 * definition; nothing here is quick.
 */
#ifndef ORACLE_STATISTICS_H
#define ORACLE_STATISTICS_H
#include <stddef.h>

/* P(|T| < t), T of Student's distribution: its density, integrated. */
double oracle_t_probability(double t, size_t df);

/* Share of the 2^n choices of signs with |sum +-d| >= |sum d|, d integers. */
double oracle_flips(const long *d, size_t n);

/* Holm, step by step as published: adjusted[n] of p[n]. */
void oracle_holm(double *adjusted, const double *p, size_t n);

/* P(hits' >= hits) of n draws with chance x: the binomial tail. */
double oracle_binomial(size_t hits, size_t n, double x);

/* The law of a bootstrap mean: value[i] in rising order, each as likely. */
struct oracle_law {
    double *value;
    size_t n;
};

/*
 * Every choice of seeds and of blocks, seeds^seeds x blocks^blocks of them:
 * 4 x 4 at most.  free() value.
 */
struct oracle_law oracle_bootstrap(const double *loss, size_t seeds,
                                   size_t blocks);
#endif
