/* muon.c - the optimiser Muon, one element at a time */
#include "muon.h"
#include <math.h>

/* y [rows, rows] = x x^T, x [rows, columns] */
static void gram(double *y, const double *x, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < rows; j++) {
            double sum = 0;

            for (int64_t k = 0; k < columns; k++)
                sum += x[i * columns + k] * x[j * columns + k];
            y[i * rows + j] = sum;
        }
}

/* X = a X + (b A + c A A) X,  A = X X^T */
static void iterate(double *x, double *next, double *A, double *B, int64_t rows,
                    int64_t columns)
{
    const double a = 3.4445, b = -4.7750, c = 2.0315;

    gram(A, x, rows, columns);
    gram(B, A, rows, rows); /* A A^T is A A */
    for (int64_t i = 0; i < rows * rows; i++)
        B[i] = b * A[i] + c * B[i];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            double sum = a * x[i * columns + j];

            for (int64_t k = 0; k < rows; k++)
                sum += B[i * rows + k] * x[k * columns + j];
            next[i * columns + j] = sum;
        }
    for (int64_t i = 0; i < rows * columns; i++)
        x[i] = next[i];
}

void oracle_muon_step(double *w, double *m, const double *grad, int64_t in,
                      int64_t out, const struct oracle_muon *o, double *room)
{
    /* the smaller side has the rows */
    const int64_t rows = in < out ? in : out, columns = in < out ? out : in;
    double *x = room, *next = x + in * out, *u = next + in * out;
    double *A = u + in * out, *B = A + rows * rows, square = 0;

    for (int64_t i = 0; i < in * out; i++) {
        m[i] = o->momentum * m[i] + grad[i];
        u[i] = grad[i] + o->momentum * m[i]; /* Nesterov */
        square += u[i] * u[i];
    }
    for (int64_t i = 0; i < in; i++)
        for (int64_t j = 0; j < out; j++)
            x[in < out ? i * out + j : j * in + i] =
                u[i * out + j] / (sqrt(square) + 1e-7);
    for (int k = 0; k < 5; k++)
        iterate(x, next, A, B, rows, columns);
    for (int64_t i = 0; i < in; i++)
        for (int64_t j = 0; j < out; j++) {
            const double step = x[in < out ? i * out + j : j * in + i];
            const double shape = sqrt(fmax(1, (double)out / (double)in));

            w[i * out + j] -=
                o->rate * (shape * step + o->decay * w[i * out + j]);
        }
}
