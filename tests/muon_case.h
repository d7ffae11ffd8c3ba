/*
 * muon_case.h - steps of Muon, of the library and of the oracle; and how far
 * apart they may be.
 *
 * Singular values of X [s, n] stay below 1.2025: the greatest value of
 * p(x) = a x + b x^3 + c x^5 on 0 .. 1.21 is 1.2024, so |X|_F <= 1.21 sqrt(s).
 * With roundings of u, one iteration is then off in the Frobenius norm by at
 * most
 *
 *     (|b| + 2 |c| 1.47) 1.21 * 1.47 n s u   A, a sum of n products
 *   + |c| 1.21 * 2.2 s^2 u                   A^2, a sum of s products
 *   + 1.21 * 15 s^2 u                        the product with X, another one
 *   + 60 sqrt(s) u                           sums of the three terms
 *
 * which is below 110 n s u.  |p'| < 4 on 0 .. 1.2025, so no iteration makes an
 * error more than four times as large: 1 + 4 + .. + 4^4 = 341 times, and 4^5
 * times the few u of the division by the norm.  So 40000 n s u bounds it.
 */
#ifndef MUON_CASE_H
#define MUON_CASE_H
#include "testing.h"
#include "nn/muon.h"
#include "oracle/muon.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MUON_STEPS = 4 };

struct muon_case {
    int64_t in, out;
    size_t n, scratch_bytes;
    real *p, *m, *grad, *scratch;    /* of the library */
    double *w, *momentum, *g, *room; /* of the oracle */
};

static inline void muon_make(struct muon_case *c, int64_t in, int64_t out)
{
    const size_t n = (size_t)(in * out);

    c->in = in;
    c->out = out;
    c->n = n;
    c->scratch_bytes = lct_muon_scratch(in, out) * sizeof(real);
    c->p = test_guarded(n * sizeof(real));
    c->m = test_guarded(n * sizeof(real));
    c->grad = test_guarded(n * sizeof(real));
    c->scratch = test_guarded(c->scratch_bytes);
    c->w = calloc(8 * n, sizeof(double)); /* 6 n and 2 s^2 elements */
    CHECK(c->w != NULL);
    c->momentum = c->w + n;
    c->g = c->momentum + n;
    c->room = c->g + n;
    for (size_t i = 0; i < n; i++) {
        c->p[i] = (real)test_normal();
        c->w[i] = (double)c->p[i];
        c->m[i] = 0;
    }
}

static inline void muon_drop(struct muon_case *c)
{
    test_guarded_free(c->p, c->n * sizeof(real));
    test_guarded_free(c->m, c->n * sizeof(real));
    test_guarded_free(c->grad, c->n * sizeof(real));
    test_guarded_free(c->scratch, c->scratch_bytes);
    free(c->w);
}

/* The same gradient for both, of that size. */
static inline void muon_draw(struct muon_case *c, double size)
{
    for (size_t i = 0; i < c->n; i++) {
        c->grad[i] = (real)(size * test_normal());
        c->g[i] = (double)c->grad[i];
    }
}

static inline void muon_step(struct muon_case *c, const struct lct_muon *o)
{
    const struct lct_muon_matrix w = { c->p, c->m, c->grad, c->in, c->out };
    const struct oracle_muon same = { o->rate, o->momentum, o->decay };

    lct_muon_step(&w, o, c->scratch);
    oracle_muon_step(c->w, c->momentum, c->g, c->in, c->out, &same, c->room);
}

/* Frobenius norm of the difference of the parameters */
static inline double muon_difference(const struct muon_case *c)
{
    double sum = 0;

    for (size_t i = 0; i < c->n; i++)
        sum += ((double)c->p[i] - c->w[i]) * ((double)c->p[i] - c->w[i]);
    return sqrt(sum);
}
#endif
