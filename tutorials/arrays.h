/* arrays.h - arrays of doubles, random numbers, and helpers for the rows. */
#ifndef LOCANT_TUTORIALS_ARRAYS_H
#define LOCANT_TUTORIALS_ARRAYS_H

#include "locant.h"

/* Zeroed memory that is released when the row ends. */
void *memory(int64_t n, size_t size);
double *reals(int64_t n);

/* ZEROS(B, T, W): a dense zeroed array of doubles. */
locant_tensor array(locant_dtype dtype, int rank, const int64_t *shape);
/* clang-format off */
#define SHAPE(...) (int)(sizeof (int64_t[]){ __VA_ARGS__ } / 8),               \
                   (const int64_t[]){ __VA_ARGS__ }
/* clang-format on */
#define ZEROS(...)     array(LOCANT_F64, SHAPE(__VA_ARGS__))
#define ZEROS_F32(...) array(LOCANT_F32, SHAPE(__VA_ARGS__))

/* COPY(x, 2, 4): a copy of the first 8 numbers of x as an array [2, 4]. */
locant_tensor copied(const double *x, int rank, const int64_t *shape);
#define COPY(x, ...) copied(x, SHAPE(__VA_ARGS__))

/* first, first + 1, .. as I64 [n]. */
locant_tensor positions(int64_t first, int64_t n);

static inline double *data(locant_tensor t)
{
    return t.data;
}

int64_t count(locant_tensor t); /* number of elements */

/* x + y, where y repeats along the outer axes of x. */
locant_tensor added(locant_tensor x, locant_tensor y);
/* Rows of the last axis but one reordered: out[i] = x[order[i]]. */
locant_tensor reordered(locant_tensor x, const int64_t *order);
/* w [n, n] with rows and columns reordered: w[order[i]][order[j]]. */
const double *permuted(const double *w, const int64_t *order, int64_t n);
/* x [rows, cols] as [cols, rows]. */
const double *transposed(const double *x, int64_t rows, int64_t cols);

/* Stream 'stream' of seed 42; the end of the row's output mentions the seed. */
locant_random draws(uint64_t stream);
/* NORMALS(&r, T, W): numbers from N(0, 1), [T, W]; SCALED_NORMALS() multiplies
   them by a factor. */
locant_tensor normals(locant_random *r, double factor, int rank,
                      const int64_t *shape);
#define NORMALS(r, ...)                normals(r, 1, SHAPE(__VA_ARGS__))
#define SCALED_NORMALS(r, factor, ...) normals(r, factor, SHAPE(__VA_ARGS__))
/* order[n] = a random permutation of 0 .. n - 1. */
void shuffle(int64_t *order, int64_t n, locant_random *r);
/* Dropout in place: each entry becomes 0 with probability p, else x / (1 - p).
   Returns how many became 0. */
int64_t dropout(double *x, int64_t n, double p, locant_random *r);

double mean(const double *x, int64_t n);
double deviation(const double *x, int64_t n); /* numpy's std */
double least(const double *x, int64_t n);
double largest(const double *x, int64_t n);
double dot(const double *x, const double *y, int64_t n);
double norm(const double *x, int64_t n);
double cosine(const double *x, const double *y, int64_t n);
double distance(const double *x, const double *y, int64_t n);
double max_difference(const double *x, const double *y, int64_t n);
double mean_difference(const double *x, const double *y, int64_t n);
double difference(locant_tensor x, locant_tensor y); /* the largest */
/* Largest | |y| / |x| - 1 | over rows of the last axis. */
double length_change(locant_tensor x, locant_tensor y);
/* Mean over rows of -sum p ln(p + floor); the entropy if floor is 0. */
double entropy(const double *p, int64_t rows, int64_t cols, double floor);
double seconds(void); /* of a monotonic clock */

#endif /* LOCANT_TUTORIALS_ARRAYS_H */
