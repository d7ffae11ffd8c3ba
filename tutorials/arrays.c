/* arrays.c - arrays of doubles, random numbers, and helpers for the rows. */
#define _GNU_SOURCE
#include "arrays.h"

#include <string.h>
#include <time.h>

#include "tutorial.h"

int64_t count(locant_tensor t)
{
    int64_t n = 1;

    for (int i = 0; i < t.rank; i++)
        n *= t.shape[i];
    return n;
}

double *reals(int64_t n)
{
    return memory(n, sizeof(double));
}

locant_tensor array(locant_dtype dtype, int rank, const int64_t *shape)
{
    locant_tensor t = locant_dense(NULL, dtype, rank, shape);

    t.data = memory(count(t), locant_dtype_size(dtype));
    return t;
}

locant_tensor copied(const double *x, int rank, const int64_t *shape)
{
    locant_tensor t = array(LOCANT_F64, rank, shape);

    memcpy(t.data, x, count(t) * sizeof *x);
    return t;
}

locant_tensor positions(int64_t first, int64_t n)
{
    locant_tensor t = array(LOCANT_I64, SHAPE(n));

    for (int64_t i = 0; i < n; i++)
        ((int64_t *)t.data)[i] = first + i;
    return t;
}

locant_tensor added(locant_tensor x, locant_tensor y)
{
    locant_tensor sum = array(LOCANT_F64, x.rank, x.shape);
    int64_t n = count(y);

    for (int64_t i = 0; i < count(x); i++)
        data(sum)[i] = data(x)[i] + data(y)[i % n];
    return sum;
}

locant_tensor reordered(locant_tensor x, const int64_t *order)
{
    int64_t rows = x.shape[x.rank - 2], width = x.shape[x.rank - 1];
    locant_tensor out = array(LOCANT_F64, x.rank, x.shape);

    for (int64_t i = 0; i < count(x) / width; i++)
        memcpy(data(out) + i * width,
               data(x) + (i / rows * rows + order[i % rows]) * width,
               width * sizeof(double));
    return out;
}

const double *permuted(const double *w, const int64_t *order, int64_t n)
{
    double *out = reals(n * n);

    for (int64_t i = 0; i < n * n; i++)
        out[i] = w[order[i / n] * n + order[i % n]];
    return out;
}

const double *transposed(const double *x, int64_t rows, int64_t cols)
{
    double *out = reals(rows * cols);

    for (int64_t i = 0; i < rows * cols; i++)
        out[i % cols * rows + i / cols] = x[i];
    return out;
}

locant_random draws(uint64_t stream)
{
    running->random = 1;
    json_object_set_new(running->json, "random_seed", json_integer(42));
    return (locant_random){ .seed = 42, .stream = stream };
}

locant_tensor normals(locant_random *r, double factor, int rank,
                      const int64_t *shape)
{
    locant_tensor t = array(LOCANT_F64, rank, shape);

    for (int64_t i = 0; i < count(t); i++)
        data(t)[i] = factor * locant_random_normal(r);
    return t;
}

void shuffle(int64_t *order, int64_t n, locant_random *r)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)locant_random_below(r, (uint64_t)i + 1);
        int64_t keep = order[i];

        order[i] = order[j];
        order[j] = keep;
    }
}

int64_t dropout(double *x, int64_t n, double p, locant_random *r)
{
    int64_t dropped = 0;

    for (int64_t i = 0; i < n; i++) {
        int keep = locant_random_uniform(r) >= p;

        x[i] = keep ? x[i] / (1 - p) : 0;
        dropped += !keep;
    }
    return dropped;
}

double mean(const double *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

double deviation(const double *x, int64_t n)
{
    double center = mean(x, n), sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (x[i] - center) * (x[i] - center);
    return sqrt(sum / n);
}

double least(const double *x, int64_t n)
{
    double result = INFINITY;

    for (int64_t i = 0; i < n; i++)
        result = fmin(result, x[i]);
    return result;
}

double largest(const double *x, int64_t n)
{
    double result = -INFINITY;

    for (int64_t i = 0; i < n; i++)
        result = fmax(result, x[i]);
    return result;
}

double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

double norm(const double *x, int64_t n)
{
    return sqrt(dot(x, x, n));
}

double cosine(const double *x, const double *y, int64_t n)
{
    return dot(x, y, n) / sqrt(dot(x, x, n) * dot(y, y, n));
}

double distance(const double *x, const double *y, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

double max_difference(const double *x, const double *y, int64_t n)
{
    double result = 0;

    for (int64_t i = 0; i < n; i++) {
        double d = fabs(x[i] - y[i]);

        result = d <= result ? result : d; /* fmax() would ignore a NAN */
    }
    return result;
}

double mean_difference(const double *x, const double *y, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += fabs(x[i] - y[i]);
    return sum / n;
}

double difference(locant_tensor x, locant_tensor y)
{
    return max_difference(data(x), data(y), count(x));
}

double length_change(locant_tensor x, locant_tensor y)
{
    int64_t n = x.shape[x.rank - 1];
    double result = 0;

    for (int64_t i = 0; i < count(x); i += n) {
        double xx = dot(data(x) + i, data(x) + i, n);
        double yy = dot(data(y) + i, data(y) + i, n);

        result = fmax(result, fabs(sqrt(yy / xx) - 1));
    }
    return result;
}

double entropy(const double *p, int64_t rows, int64_t cols, double floor)
{
    double sum = 0;

    for (int64_t i = 0; i < rows * cols; i++)
        sum -= p[i] > 0 ? p[i] * log(p[i] + floor) : 0;
    return sum / rows;
}

double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
