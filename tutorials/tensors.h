/* tensors.h - makes tensors of doubles, picks rows of them, measures them. */
#ifndef LOCANT_TUTORIALS_TENSORS_H
#define LOCANT_TUTORIALS_TENSORS_H

#include "locant.h"

/*
 * Tensors are dense and of doubles unless a comment says otherwise, and live
 * until the tutorial's row ends.  A "row" of a tensor is its last axis: a
 * tensor [B, T, W] has B T rows of W numbers.
 */

/* ------------------------------------------------------------------ making */

/* clang-format off */
#define SHAPE(...) (int)(sizeof (int64_t[]){ __VA_ARGS__ } / 8),               \
                   (const int64_t[]){ __VA_ARGS__ }
/* clang-format on */

/* ZEROS(B, T, W): a tensor of that shape, filled with 0. */
#define ZEROS(...)     zeros(LOCANT_F64, SHAPE(__VA_ARGS__))
#define ZEROS_F32(...) zeros(LOCANT_F32, SHAPE(__VA_ARGS__))
locant_tensor zeros(locant_dtype dtype, int rank, const int64_t *shape);
locant_tensor zeros_like(locant_tensor x); /* of doubles */

/* VECTOR(1, 0.5): a tensor [2] of these numbers. */
#define VECTOR(...)                                                            \
    vector(sizeof(double[]){ __VA_ARGS__ } / 8, (double[]){ __VA_ARGS__ })
locant_tensor vector(int64_t n, const double *x);

/* INTEGERS(7, 8, 7): the same as I64, for positions and orders. */
#define INTEGERS(...) integers(SHAPE(__VA_ARGS__))
locant_tensor integers(int n, const int64_t *x);
/* first, first + 1, .. as I64 [n]. */
locant_tensor positions(int64_t first, int64_t n);
/* 0 .. T - 1 for each of B sequences, [B, T]. */
locant_tensor batch_positions(int64_t B, int64_t T);

/* RESHAPED(x, 2, 4): the first 8 numbers of x as [2, 4]; a view, not a copy. */
#define RESHAPED(x, ...) reshaped(x, SHAPE(__VA_ARGS__))
locant_tensor reshaped(locant_tensor x, int rank, const int64_t *shape);

/* A copy of x (F32, F64 or I64) in double, and in float32. */
locant_tensor as_double(locant_tensor x);
locant_tensor as_float(locant_tensor x);

/* Stream 'stream' of seed 42; the end of the row's output mentions the seed. */
locant_random random_stream(uint64_t stream);
/* NORMALS(&r, T, W): numbers from N(0, 1), [T, W]; SCALED_NORMALS() multiplies
   them by a factor. */
#define NORMALS(r, ...)                normals(r, 1, SHAPE(__VA_ARGS__))
#define SCALED_NORMALS(r, factor, ...) normals(r, factor, SHAPE(__VA_ARGS__))
locant_tensor normals(locant_random *r, double factor, int rank,
                      const int64_t *shape);

/* ----------------------------------------------------------------- reading */

static inline double *data(locant_tensor t)
{
    return t.data;
}

static inline int64_t *integer_data(locant_tensor t)
{
    return t.data;
}

int64_t count(locant_tensor t);    /* number of elements */
int64_t width_of(locant_tensor t); /* length of a row */
/* Views, not copies: row i; rows first .. first + n - 1 as [n, W]; numbers
   first .. first + n - 1. */
locant_tensor row(locant_tensor x, int64_t i);
locant_tensor rows(locant_tensor x, int64_t first, int64_t n);
locant_tensor slice(locant_tensor x, int64_t first, int64_t n);
/* Number 'column' of row i. */
double entry(locant_tensor x, int64_t i, int64_t column);

/* --------------------------------------------------------------- computing */

/* x + y and x - y, where y repeats along the outer axes of x. */
locant_tensor plus(locant_tensor x, locant_tensor y);
locant_tensor minus(locant_tensor x, locant_tensor y);
/* x [.., T, W] -> out [.., n, W], out[i] = x[order[i]] for an order [n]. */
locant_tensor picked(locant_tensor x, locant_tensor order);
/* P A P^T: rows and columns of A [n, n] in that order. */
locant_tensor permuted(locant_tensor A, locant_tensor order);
locant_tensor transposed(locant_tensor x); /* [rows, W] as [W, rows] */
/* Orders: n - 1 .. 0, a random one, and the inverse of a given one. */
locant_tensor reversed(int64_t n);
locant_tensor shuffled(int64_t n, locant_random *r);
locant_tensor inverse(locant_tensor order);
/* Dropout in place: each number becomes 0 with probability p, else x / (1 - p).
   Returns the share of those that became 0. */
double dropout(locant_tensor x, double p, locant_random *r);

double mean(locant_tensor x);
double deviation(locant_tensor x); /* of the population, as numpy's std() */
double least(locant_tensor x);
double largest(locant_tensor x);
double dot(locant_tensor x, locant_tensor y);
double norm(locant_tensor x); /* sqrt(x . x) */
double cosine(locant_tensor x, locant_tensor y);
double distance(locant_tensor x, locant_tensor y); /* |x - y| */
/* Largest and mean |x_i - y_i|. */
double difference(locant_tensor x, locant_tensor y);
double mean_difference(locant_tensor x, locant_tensor y);
/* Largest | |y| / |x| - 1 | over the rows. */
double length_change(locant_tensor x, locant_tensor y);
/* Mean over the rows of -sum p ln(p + floor); the entropy if floor is 0. */
double entropy(locant_tensor p, double floor);

double seconds(void); /* of a monotonic clock */

#endif /* LOCANT_TUTORIALS_TENSORS_H */
