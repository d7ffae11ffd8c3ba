/* tensors.c - makes tensors of doubles, picks rows of them, measures them. */
#define _GNU_SOURCE
#include "tensors.h"

#include <string.h>
#include <time.h>

#include "tutorial.h"

locant_tensor zeros(locant_dtype dtype, int rank, const int64_t *shape)
{
    locant_tensor t = locant_dense(NULL, dtype, rank, shape);

    t.data = memory(count(t), locant_dtype_size(dtype));
    return t;
}

locant_tensor zeros_like(locant_tensor x)
{
    return zeros(LOCANT_F64, x.rank, x.shape);
}

locant_tensor vector(int64_t n, const double *x)
{
    locant_tensor t = ZEROS(n);

    memcpy(t.data, x, (size_t)n * sizeof *x);
    return t;
}

locant_tensor integers(int n, const int64_t *x)
{
    locant_tensor t = zeros(LOCANT_I64, SHAPE(n));

    memcpy(t.data, x, (size_t)n * sizeof *x);
    return t;
}

locant_tensor positions(int64_t first, int64_t n)
{
    locant_tensor t = zeros(LOCANT_I64, SHAPE(n));

    for (int64_t i = 0; i < n; i++)
        integer_data(t)[i] = first + i;
    return t;
}

locant_tensor batch_positions(int64_t B, int64_t T)
{
    locant_tensor t = positions(0, B * T);

    for (int64_t i = 0; i < B * T; i++)
        integer_data(t)[i] %= T;
    return RESHAPED(t, B, T);
}

locant_tensor reshaped(locant_tensor x, int rank, const int64_t *shape)
{
    return locant_dense(x.data, x.dtype, rank, shape);
}

static double element(locant_tensor x, int64_t i)
{
    return x.dtype == LOCANT_F32   ? ((float *)x.data)[i]
           : x.dtype == LOCANT_I64 ? integer_data(x)[i]
                                   : data(x)[i];
}

locant_tensor as_double(locant_tensor x)
{
    locant_tensor out = zeros_like(x);

    for (int64_t i = 0; i < count(x); i++)
        data(out)[i] = element(x, i);
    return out;
}

locant_tensor as_float(locant_tensor x)
{
    locant_tensor out = zeros(LOCANT_F32, x.rank, x.shape);

    for (int64_t i = 0; i < count(x); i++)
        ((float *)out.data)[i] = (float)element(x, i);
    return out;
}

locant_random random_stream(uint64_t stream)
{
    running->random = 1;
    json_object_set_new(running->json, "random_seed", json_integer(42));
    return (locant_random){ .seed = 42, .stream = stream };
}

locant_tensor normals(locant_random *r, double factor, int rank,
                      const int64_t *shape)
{
    locant_tensor t = zeros(LOCANT_F64, rank, shape);

    for (int64_t i = 0; i < count(t); i++)
        data(t)[i] = factor * locant_random_normal(r);
    return t;
}

int64_t count(locant_tensor t)
{
    int64_t n = 1;

    for (int i = 0; i < t.rank; i++)
        n *= t.shape[i];
    return n;
}

int64_t width_of(locant_tensor t)
{
    return t.shape[t.rank - 1];
}

locant_tensor slice(locant_tensor x, int64_t first, int64_t n)
{
    return locant_dense(data(x) + first, LOCANT_F64, SHAPE(n));
}

locant_tensor row(locant_tensor x, int64_t i)
{
    return slice(x, i * width_of(x), width_of(x));
}

locant_tensor rows(locant_tensor x, int64_t first, int64_t n)
{
    return RESHAPED(slice(x, first * width_of(x), n * width_of(x)), n,
                    width_of(x));
}

double entry(locant_tensor x, int64_t i, int64_t column)
{
    return data(x)[i * width_of(x) + column];
}

/* x + factor y, where y repeats along the outer axes of x. */
static locant_tensor plus_times(locant_tensor x, double factor, locant_tensor y)
{
    locant_tensor out = zeros_like(x);
    int64_t n = count(y);

    for (int64_t i = 0; i < count(x); i++)
        data(out)[i] = data(x)[i] + factor * data(y)[i % n];
    return out;
}

locant_tensor plus(locant_tensor x, locant_tensor y)
{
    return plus_times(x, 1, y);
}

locant_tensor minus(locant_tensor x, locant_tensor y)
{
    return plus_times(x, -1, y);
}

locant_tensor picked(locant_tensor x, locant_tensor order)
{
    int64_t T = x.shape[x.rank - 2], W = width_of(x), n = count(order);
    locant_tensor shape = x, out;

    shape.shape[x.rank - 2] = n;
    out = zeros_like(shape);
    for (int64_t i = 0; i < count(out) / W; i++)
        memcpy(data(out) + i * W,
               data(x) + (i / n * T + integer_data(order)[i % n]) * W,
               (size_t)W * sizeof(double));
    return out;
}

locant_tensor permuted(locant_tensor A, locant_tensor order)
{
    return transposed(picked(transposed(picked(A, order)), order));
}

locant_tensor transposed(locant_tensor x)
{
    int64_t n = x.shape[0], W = x.shape[1];
    locant_tensor out = ZEROS(W, n);

    for (int64_t i = 0; i < n * W; i++)
        data(out)[i % W * n + i / W] = data(x)[i];
    return out;
}

locant_tensor reversed(int64_t n)
{
    locant_tensor order = positions(0, n);

    for (int64_t i = 0; i < n; i++)
        integer_data(order)[i] = n - 1 - i;
    return order;
}

locant_tensor shuffled(int64_t n, locant_random *r)
{
    locant_tensor order = positions(0, n);
    int64_t *at = integer_data(order);

    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)locant_random_below(r, (uint64_t)i + 1);
        int64_t keep = at[i];

        at[i] = at[j];
        at[j] = keep;
    }
    return order;
}

locant_tensor inverse(locant_tensor order)
{
    locant_tensor out = positions(0, count(order));

    for (int64_t i = 0; i < count(order); i++)
        integer_data(out)[integer_data(order)[i]] = i;
    return out;
}

double dropout(locant_tensor x, double p, locant_random *r)
{
    double dropped = 0;

    for (int64_t i = 0; i < count(x); i++) {
        int keep = locant_random_uniform(r) >= p;

        data(x)[i] = keep ? data(x)[i] / (1 - p) : 0;
        dropped += !keep;
    }
    return dropped / count(x);
}

double mean(locant_tensor x)
{
    double sum = 0;

    for (int64_t i = 0; i < count(x); i++)
        sum += data(x)[i];
    return sum / count(x);
}

double deviation(locant_tensor x)
{
    double center = mean(x), sum = 0;

    for (int64_t i = 0; i < count(x); i++)
        sum += (data(x)[i] - center) * (data(x)[i] - center);
    return sqrt(sum / count(x));
}

double least(locant_tensor x)
{
    double result = INFINITY;

    for (int64_t i = 0; i < count(x); i++)
        result = fmin(result, data(x)[i]);
    return result;
}

double largest(locant_tensor x)
{
    double result = -INFINITY;

    for (int64_t i = 0; i < count(x); i++)
        result = fmax(result, data(x)[i]);
    return result;
}

double dot(locant_tensor x, locant_tensor y)
{
    double sum = 0;

    for (int64_t i = 0; i < count(x); i++)
        sum += data(x)[i] * data(y)[i];
    return sum;
}

double norm(locant_tensor x)
{
    return sqrt(dot(x, x));
}

double cosine(locant_tensor x, locant_tensor y)
{
    return dot(x, y) / sqrt(dot(x, x) * dot(y, y));
}

double distance(locant_tensor x, locant_tensor y)
{
    double sum = 0;

    for (int64_t i = 0; i < count(x); i++)
        sum += (data(x)[i] - data(y)[i]) * (data(x)[i] - data(y)[i]);
    return sqrt(sum);
}

double difference(locant_tensor x, locant_tensor y)
{
    double result = 0;

    for (int64_t i = 0; i < count(x); i++) {
        double d = fabs(data(x)[i] - data(y)[i]);

        result = d <= result ? result : d; /* fmax() would ignore a NAN */
    }
    return result;
}

double mean_difference(locant_tensor x, locant_tensor y)
{
    double sum = 0;

    for (int64_t i = 0; i < count(x); i++)
        sum += fabs(data(x)[i] - data(y)[i]);
    return sum / count(x);
}

double length_change(locant_tensor x, locant_tensor y)
{
    double result = 0;

    for (int64_t i = 0; i < count(x) / width_of(x); i++) {
        double xx = dot(row(x, i), row(x, i)), yy = dot(row(y, i), row(y, i));

        result = fmax(result, fabs(sqrt(yy / xx) - 1));
    }
    return result;
}

double entropy(locant_tensor p, double floor)
{
    double sum = 0;

    for (int64_t i = 0; i < count(p); i++)
        if (data(p)[i] > 0)
            sum -= data(p)[i] * log(data(p)[i] + floor);
    return sum / (count(p) / width_of(p));
}

double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
