/* bench_statistics.c - median, spread and exponent of a few times */
#include "bench.h"
#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A quantile of n sorted values, interpolated linearly. */
static double quantile(const double *x, int n, double part)
{
    double at = part * (n - 1);
    int i = (int)at;

    return i + 1 < n ? x[i] + (at - i) * (x[i + 1] - x[i]) : x[i];
}

struct bench_summary bench_summarise(double *x, int n)
{
    struct bench_summary s = { 0 };

    if (n < 1)
        return s;
    qsort(x, (size_t)n, sizeof(*x), ascending);
    s.min = x[0];
    s.median = quantile(x, n, 0.5);
    if (s.median > 0)
        s.spread = (quantile(x, n, 0.75) - quantile(x, n, 0.25)) / s.median;
    return s;
}

double bench_exponent(const double *x, const double *y, int n)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;

    for (int i = 0; i < n; i++) {
        mean_x += log(x[i]) / n;
        mean_y += log(y[i]) / n;
    }
    for (int i = 0; i < n; i++) {
        double dx = log(x[i]) - mean_x;

        xx += dx * dx;
        xy += dx * (log(y[i]) - mean_y);
    }
    return xy / xx;
}
