/*
 * test_nn_gradient.h - gradients against central differences, in double.
 *
 * Two central differences of steps h and 2h are combined (Richardson), so the
 * error is O(h^4) of the function plus rounding.  With h = 1e-5 the first is
 * below 1e-15 for derivatives up to 1e5, and rounding is about 2^-52 |f| k / h,
 * 2e-11 |f| k with k the rounding errors that reach f: a few.  Hence atol 1e-9;
 * rtol 1e-7 leaves room for gradients of a thousand.
 */
#ifndef TEST_NN_GRADIENT_H
#define TEST_NN_GRADIENT_H
#include "testing.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define GRADIENT_RTOL 1e-7
#define GRADIENT_ATOL 1e-9

enum {
    GRADIENT_ROUNDS = TEST_SANITIZED ? 1 : 3,
    GRADIENT_STEP = TEST_SANITIZED ? 7 : 1 /* elements from one to the next */
};

typedef double (*gradient_fn)(void *data);

/* f at x + step * v, leaving x as it was. */
static inline double value_at(gradient_fn f, void *data, double *x,
                              const double *v, size_t n, double step)
{
    double *old = malloc(n * sizeof(*old)), result;

    CHECK(old != NULL);
    memcpy(old, x, n * sizeof(*old));
    for (size_t i = 0; i < n; i++)
        x[i] += step * v[i];
    result = f(data);
    memcpy(x, old, n * sizeof(*old));
    free(old);
    return result;
}

/* Derivative of f along v. */
static inline double slope_of(gradient_fn f, void *data, double *x,
                              const double *v, size_t n)
{
    const double h = 1e-5;
    double near =
        value_at(f, data, x, v, n, h) - value_at(f, data, x, v, n, -h);
    double far =
        value_at(f, data, x, v, n, 2 * h) - value_at(f, data, x, v, n, -2 * h);

    return (8.0 * near - far) / (12.0 * h);
}

/* size: sum of the magnitudes that make up 'gradient' */
static inline bool gradient_agrees(double gradient, double numeric, double size)
{
    return fabs(gradient - numeric) <= GRADIENT_RTOL * size + GRADIENT_ATOL;
}

/* Along random directions; each element too when there are at most 200. */
static inline void check_gradient(const char *what, gradient_fn f, void *data,
                                  double *x, const double *grad, size_t n)
{
    double *v = calloc(n, sizeof(*v));

    CHECK(v != NULL);
    for (int round = 0; round < GRADIENT_ROUNDS; round++) {
        double slope = 0.0, size = 0.0, numeric;

        for (size_t i = 0; i < n; i++) {
            v[i] = test_uniform();
            slope += grad[i] * v[i];
            size += fabs(grad[i] * v[i]);
        }
        numeric = slope_of(f, data, x, v, n);
        if (!gradient_agrees(slope, numeric, size))
            FAIL("%s [%zu]: along a direction, gradient says %.12g, "
                 "differences say %.12g",
                 what, n, slope, numeric);
    }
    memset(v, 0, n * sizeof(*v));
    for (size_t i = 0; i < n && n <= 200; i += GRADIENT_STEP) {
        double numeric;

        v[i] = 1.0;
        numeric = slope_of(f, data, x, v, n);
        v[i] = 0.0;
        if (!gradient_agrees(grad[i], numeric, fabs(grad[i])))
            FAIL("%s [%zu], element %zu: gradient says %.12g, differences "
                 "say %.12g",
                 what, n, i, grad[i], numeric);
    }
    free(v);
}
#endif
