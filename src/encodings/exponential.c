/* exponential.c - see exponential.h */
#include "exponential.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* out (+)= x y */
static void multiply(double *out, const double *x, const double *y, int n,
                     bool add)
{
    if (!add)
        memset(out, 0, sizeof(*out) * (size_t)(n * n));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                out[i * n + j] += x[i * n + k] * y[k * n + j];
}

/*
 * r = r (3 - r^T r) / 2, Newton's step: each square of r doubled the error of
 * its columns' lengths, and this squares what there is of it.
 */
static void orthogonalise(double *r, int n)
{
    lct_matrix product, next;

    memset(product, 0, sizeof(product));
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                product[i * n + j] -= 0.5 * r[k * n + i] * r[k * n + j];
    for (int i = 0; i < n; i++)
        product[i * n + i] += 1.5;
    multiply(next, r, product, n, false);
    memcpy(r, next, sizeof(*r) * (size_t)(n * n));
}

void lct_exponential(double *r, double *l, double *m, double *g, int n)
{
    lct_matrix term, slope, next;
    double norm = 0, shrink;
    int halves = 0;

    for (int i = 0; i < n; i++) {
        double sum = 0;

        for (int j = 0; j < n; j++)
            sum += fabs(m[i * n + j]);
        norm = fmax(norm, sum);
    }
    if (norm > 0.5 && norm < 1e300)
        halves = (int)ceil(log2(norm)) + 1;
    shrink = ldexp(1, -halves);
    memset(term, 0, sizeof(term));
    memset(slope, 0, sizeof(slope));
    for (int i = 0; i < n; i++)
        term[i * n + i] = 1;
    memcpy(r, term, sizeof(*r) * (size_t)(n * n));
    for (int i = 0; i < n * n; i++) {
        m[i] *= shrink;
        if (g != NULL) {
            g[i] *= shrink;
            l[i] = 0;
        }
    }
    for (int k = 1; k <= 18; k++) {
        if (g != NULL) { /* (term m)' = slope m + term g */
            multiply(next, slope, m, n, false);
            multiply(next, term, g, n, true);
            for (int i = 0; i < n * n; i++)
                l[i] += slope[i] = next[i] / k;
        }
        multiply(next, term, m, n, false);
        for (int i = 0; i < n * n; i++)
            r[i] += term[i] = next[i] / k;
    }
    for (; halves > 0; halves--) {
        if (g != NULL) { /* (r r)' = r l + l r */
            multiply(next, r, l, n, false);
            multiply(next, l, r, n, true);
            memcpy(l, next, sizeof(*l) * (size_t)(n * n));
        }
        multiply(next, r, r, n, false);
        memcpy(r, next, sizeof(*r) * (size_t)(n * n));
    }
    orthogonalise(r, n);
}
