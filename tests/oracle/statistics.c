/* statistics.c - every case counted */
#include "statistics.h"
#include <math.h>
#include <stdlib.h>

/* ----------------------------------------------------------------- Student */

/*
 * Integral of the density over -t .. t.  With x = sqrt(df) tan(a) it is
 * cos(a)^(df - 1), smooth on a bounded range: Simpson's rule on 20000 panels,
 * whose error (range^5 / 180 / panels^4 times a fourth derivative of about
 * 3 df^2) is below 1e-11 for df <= 1000.
 */
double oracle_t_probability(double t, size_t df)
{
    enum { PANELS = 20000 };
    double end = atan(t / sqrt((double)df)), h = end / PANELS, sum = 0;

    for (int i = 0; i <= PANELS; i++) {
        double weight = i == 0 || i == PANELS ? 1 : i % 2 ? 4 : 2;

        sum += weight * pow(cos(i * h), (double)df - 1);
    }
    return 2 * sum * h / 3 / sqrt(acos(-1.0)) *
           exp(lgamma(((double)df + 1) / 2) - lgamma((double)df / 2));
}

/* ------------------------------------------------------------------- signs */

static void flip(size_t *hits, const long *d, size_t n, long sum, long least)
{
    if (n == 0) {
        *hits += labs(sum) >= least;
        return;
    }
    flip(hits, d + 1, n - 1, sum + d[0], least);
    flip(hits, d + 1, n - 1, sum - d[0], least);
}

double oracle_flips(const long *d, size_t n)
{
    size_t hits = 0;
    long sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += d[i];
    flip(&hits, d, n, 0, labs(sum));
    return (double)hits / pow(2, (double)n);
}

/* -------------------------------------------------------------------- Holm */

/* Take the smallest p that is left, again and again. */
void oracle_holm(double *adjusted, const double *p, size_t n)
{
    double before = 0;

    for (size_t i = 0; i < n; i++)
        adjusted[i] = -1; /* not yet taken */
    for (size_t left = n; left > 0; left--) {
        size_t least = n;

        for (size_t i = 0; i < n; i++)
            if (adjusted[i] < 0 && (least == n || p[i] < p[least]))
                least = i;
        if ((double)left * p[least] > before)
            before = (double)left * p[least];
        adjusted[least] = before > 1 ? 1 : before;
    }
}

/* ---------------------------------------------------------------- binomial */

double oracle_binomial(size_t hits, size_t n, double x)
{
    double sum = 0;

    for (size_t k = hits; k <= n; k++) {
        double term = 1;

        for (size_t i = 0; i < k; i++)
            term *= (double)(n - i) / (double)(k - i) * x;
        sum += term * pow(1 - x, (double)(n - k));
    }
    return sum;
}

/* --------------------------------------------------------------- bootstrap */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static size_t power(size_t base)
{
    size_t all = 1;

    for (size_t i = 0; i < base; i++)
        all *= base;
    return all;
}

/* 'choice' written with digits below 'base' names the indices drawn. */
static double mean_of(const double *loss, size_t seeds, size_t blocks,
                      size_t of_seeds, size_t of_blocks)
{
    double sum = 0;

    for (size_t s = 0; s < seeds; s++, of_seeds /= seeds) {
        size_t left = of_blocks;

        for (size_t b = 0; b < blocks; b++, left /= blocks)
            sum += loss[of_seeds % seeds * blocks + left % blocks];
    }
    return sum / (double)(seeds * blocks);
}

struct oracle_law oracle_bootstrap(const double *loss, size_t seeds,
                                   size_t blocks)
{
    const size_t all_seeds = power(seeds), all_blocks = power(blocks);
    struct oracle_law law = { .n = all_seeds * all_blocks };

    law.value = malloc(law.n * sizeof *law.value);
    for (size_t s = 0; s < all_seeds; s++)
        for (size_t b = 0; b < all_blocks; b++)
            law.value[s * all_blocks + b] = mean_of(loss, seeds, blocks, s, b);
    qsort(law.value, law.n, sizeof *law.value, ascending);
    return law;
}
