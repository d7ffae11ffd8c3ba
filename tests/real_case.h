/*
 * real_case.h - biases and factors at real positions, one pair at a time from
 * the formulas of their papers.
 */
#ifndef REAL_CASE_H
#define REAL_CASE_H
#include "testing.h"
#include <math.h>
#include <stdbool.h>

enum { H = 4 }; /* heads of queries */

/* A query at q and a key at k, and parameters [.., H] in order. */
struct pair {
    double q, k, d, n;
    int h;
    double *const *x;
};

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

static double alibi(const struct pair *p)
{
    return -pow(2, -8.0 * (p->h + 1) / H) * p->d;
}

static double symmetric(const struct pair *p)
{
    return -pow(2, -8.0 * (p->h + 1) / H) * p->n;
}

static double bloom(const struct pair *p)
{
    return pow(2, -8.0 * (p->h + 1) / H) * p->k;
}

static double slopes(const struct pair *p)
{
    return -exp(p->x[0][p->h]) * p->d;
}

static double kerple(const struct pair *p)
{
    return -p->x[0][p->h] * log(1 + p->x[1][p->h] * p->n);
}

static double power(const struct pair *p)
{
    return -p->x[1][p->h] * pow(p->n, p->x[0][p->h]);
}

/* hidden=4, length=6: c, l, w1, b1, w2 [4, H], b2 */
static double fire(const struct pair *p)
{
    double c = fabs(p->x[0][0]), sum = p->x[5][p->h];
    double f = log(1 + c * p->n) /
               (log(1 + c * fmax(fabs(6 * p->x[1][0]), p->q)) + 1e-6);

    for (int i = 0; i < 4; i++)
        sum += p->x[4][i * H + p->h] * fmax(0, p->x[2][i] * f + p->x[3][i]);
    return sum;
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}

/* hidden=5: w1, b1, w2 [in, out], b2, w3 [5, H], b3 */
static double network(const struct pair *p, double r)
{
    double sum = p->x[5][p->h];

    for (int o = 0; o < 5; o++) {
        double a = p->x[3][o];

        for (int i = 0; i < 5; i++)
            a += silu(p->x[0][i] * r + p->x[1][i]) * p->x[2][i * 5 + o];
        sum += silu(a) * p->x[4][o * H + p->h];
    }
    return sum;
}

static double dpb(const struct pair *p)
{
    return network(p, p->d);
}

static double dpb_log(const struct pair *p)
{
    return network(p, sign(p->d) * log(1 + p->n));
}

/* dim=8 */
static double sandwich(const struct pair *p)
{
    double sum = 0;

    for (int c = 0; c < 4; c++)
        sum += cos(p->d * pow(10000, -c / 4.0)) - 1;
    return sum * H / (8 * (p->h + 1));
}

/* tau=3 */
static double invariant(const struct pair *p)
{
    return -2 * log(1 + p->n / 3);
}

static double invariant_gain(const struct pair *p)
{
    return sqrt(1 + 2 * log(1 + p->n / 3));
}

static double everything(const struct pair *p)
{
    return -p->x[0][p->h] * sqrt(1 + p->n) + sin(p->k) * p->q / 9 +
           (p->d > 2 ? p->d * p->d / 20 : 0.3);
}

static double everything_gain(const struct pair *p)
{
    return 1 + p->x[1][p->h] * log(1 + p->n);
}

static double everything_after(const struct pair *p)
{
    return exp(-p->x[2][p->h] * p->n);
}

/* A table of 5 entries, read between them. */
static double table(const struct pair *p)
{
    double at = fmin(fmax(p->d, 0), 4);
    int low = at >= 4 ? 3 : (int)at;
    const double *t = p->x[0] + 5 * p->h;

    return t[low] + (at - low) * (t[low + 1] - t[low]);
}

static double both(const struct pair *p)
{
    return kerple(p) + alibi(p);
}

static const struct rule {
    const char *spec;
    double (*bias)(const struct pair *p), (*gain)(const struct pair *p),
        (*after)(const struct pair *p);
    bool absolute; /* reads more than q - k */
} rules[] = {
    { "alibi", alibi, NULL, NULL, false },
    { "alibi(symmetric=yes)", symmetric, NULL, NULL, false },
    { "alibi(dialect=bloom)", bloom, NULL, NULL, true },
    { "alibi(learned=yes)", slopes, NULL, NULL, false },
    { "kerple", kerple, NULL, NULL, false },
    { "kerple(kind=power)", power, NULL, NULL, false },
    { "fire(hidden=4,length=6)", fire, NULL, NULL, true },
    { "dpb(hidden=5)", dpb, NULL, NULL, false },
    { "dpb(hidden=5,log=yes)", dpb_log, NULL, NULL, false },
    { "sandwich(dim=8)", sandwich, NULL, NULL, false },
    { "scale-invariant(tau=3)", invariant, invariant_gain, NULL, false },
    { "formula(bias=-m*sqrt(1+n)+sin(j)*i/9+if(d>2,d^2/20,0.3),"
      "gain=1+a*log1p(n),after=exp(-c*n),m=param(heads),a=param(heads),"
      "c=param(heads))",
      everything, everything_gain, everything_after, true },
    { "formula(bias=lerp(t,n),t=param(heads,5),future=zero)", table, NULL, NULL,
      false },
    { "kerple+alibi", both, NULL, NULL, false },
};
#endif
