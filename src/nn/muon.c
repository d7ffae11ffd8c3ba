/*
 * muon.c - a step of Muon on one matrix.
 *
 * X [s, n] is the matrix, or its transpose, such that s <= n: the products with
 * X X^T [s, s] are then the smallest.  A step runs on its caller's thread and
 * each element of a product is one sum in a fixed order, so bits do not depend
 * on the number of threads.
 */
#include "muon.h"
#include "nn.h"
#include <math.h>
#include <string.h>

/* Jordan et al. 2024: the slope at 0 is as large as it may be for singular
   values to end near 1, at 0.7 .. 1.2, rather than at 1. */
static const double slope = 3.4445, third = -4.7750, fifth = 2.0315;

enum { ITERATIONS = 5, BLOCK = 16 /* columns transposed at a time */ };

struct scratch {
    real *x, *y;               /* [s, n] before and after an iteration */
    real *panels, *transposed; /* [s, n] X and X^T, packed */
    /* [s, s] A = X X^T; a I + b A + c A^2; A in panels */
    real *gram, *sum, *gram_panels;
    int64_t s, n;
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

size_t lct_muon_scratch(int64_t in, int64_t out)
{
    const size_t s = (size_t)smaller(in, out);

    return 4 * (size_t)(in * out) + 3 * s * s;
}

static struct scratch divide(real *all, const struct lct_muon_matrix *w)
{
    const size_t size = (size_t)(w->in * w->out);
    const int64_t s = smaller(w->in, w->out);
    const size_t square = (size_t)(s * s);

    return (struct scratch){ .x = all,
                             .y = all + size,
                             .panels = all + 2 * size,
                             .transposed = all + 3 * size,
                             .gram = all + 4 * size,
                             .sum = all + 4 * size + square,
                             .gram_panels = all + 4 * size + 2 * square,
                             .s = s,
                             .n = s == w->in ? w->out : w->in };
}

/* y [columns, rows] = x^T, in blocks that stay in the first-level cache */
static void transpose(real *y, const real *x, int64_t rows, int64_t columns)
{
    for (int64_t j0 = 0; j0 < columns; j0 += BLOCK) {
        const int64_t end = smaller(j0 + BLOCK, columns);

        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = j0; j < end; j++)
                y[j * rows + i] = x[i * columns + j];
    }
}

/* x = (a I + b A + c A^2) x, A = x x^T */
static void iterate(struct scratch *r)
{
    const struct lct_nn_kernels *nn = lct_nn();
    const struct lct_linear size = { r->s, r->s, r->n };
    const size_t square = (size_t)(r->s * r->s);
    real *y = r->y;

    lct_linear_pack(r->panels, r->transposed, r->x, r->s, r->n);
    lct_linear_symmetric(r->gram, r->x, r->transposed, r->s, r->n);
    lct_linear_pack(r->gram_panels, NULL, r->gram, r->s, r->s);
    lct_linear_symmetric(r->sum, r->gram, r->gram_panels, r->s, r->s);
    nn->scale(r->sum, (real)fifth, square);
    nn->add(r->sum, r->gram, (real)third, square);
    for (size_t i = 0; i < square; i += (size_t)r->s + 1)
        r->sum[i] += (real)slope;
    lct_linear_forward(y, r->sum, r->panels, &size);
    r->y = r->x;
    r->x = y;
}

/* The orthogonalisation of r->x [in, out], which is overwritten: r->x or
   r->y */
static const real *orthogonalise(struct scratch *r,
                                 const struct lct_muon_matrix *w)
{
    const struct lct_nn_kernels *nn = lct_nn();
    const size_t size = (size_t)(r->s * r->n);
    const double norm = sqrt(nn->sum_squares(r->x, size));
    const bool tall = w->in > w->out;

    nn->scale(r->x, (real)(1.0 / (norm + 1e-7)), size);
    if (tall) {
        memcpy(r->y, r->x, size * sizeof(*r->x));
        transpose(r->x, r->y, w->in, w->out);
    }
    for (int i = 0; i < ITERATIONS; i++)
        iterate(r);
    if (!tall)
        return r->x;
    transpose(r->y, r->x, w->out, w->in);
    return r->y;
}

void lct_muon_step(const struct lct_muon_matrix *w, const struct lct_muon *o,
                   real *scratch)
{
    const struct lct_nn_kernels *nn = lct_nn();
    const double ratio = (double)w->out / (double)w->in;
    const double shape = sqrt(ratio > 1.0 ? ratio : 1.0);
    const size_t size = (size_t)(w->in * w->out);
    struct scratch r = divide(scratch, w);

    nn->scale(w->m, (real)o->momentum, size);
    nn->add(w->m, w->grad, 1, size);
    memcpy(r.x, w->grad, size * sizeof(*r.x));
    nn->add(r.x, w->m, (real)o->momentum, size);
    nn->scale(w->p, (real)(1.0 - o->rate * o->decay), size);
    nn->add(w->p, orthogonalise(&r, w), (real)(-o->rate * shape), size);
}
