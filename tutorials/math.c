/* math.c - numbers, encodings and small networks for rows. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include <time.h>

#include "state.h"

/* ------------------------------------------------------------------ numbers */

locant_random seed_random(struct seed *s, uint64_t stream)
{
    s->random = 1;
    json_object_set_new(s->json, "random_seed", json_integer(42));
    return (locant_random){ .seed = 42, .stream = stream };
}

void seed_fill_normal(double *x, int64_t n, double deviation, locant_random *r)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = deviation * locant_random_normal(r);
}

void seed_order(int64_t *order, int64_t n, locant_random *r)
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

double seed_mean(const double *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

double seed_deviation(const double *x, int64_t n)
{
    double mean = seed_mean(x, n), sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sqrt(sum / (double)n);
}

double seed_min(const double *x, int64_t n)
{
    double least = INFINITY;

    for (int64_t i = 0; i < n; i++)
        least = fmin(least, x[i]);
    return least;
}

double seed_max(const double *x, int64_t n)
{
    double most = -INFINITY;

    for (int64_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    return most;
}

double seed_max_difference(const double *x, const double *y, int64_t n)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++) {
        double d = fabs(x[i] - y[i]);

        /* Not fmax(): a NAN must show. */
        most = d <= most ? most : d;
    }
    return most;
}

double seed_mean_difference(const double *x, const double *y, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += fabs(x[i] - y[i]);
    return sum / (double)n;
}

double seed_cosine(const double *x, const double *y, int64_t n)
{
    double xy = 0, xx = 0, yy = 0;

    for (int64_t i = 0; i < n; i++) {
        xy += x[i] * y[i];
        xx += x[i] * x[i];
        yy += y[i] * y[i];
    }
    return xy / sqrt(xx * yy);
}

double seed_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---------------------------------------------------------------- encodings */

static void free_encoding(void *e)
{
    locant_encoding_free(e);
}

const locant_encoding *seed_encoding(struct seed *s, const char *spec)
{
    locant_encoding *e = NULL;

    seed_try(s, locant_encoding_create(&e, spec));
    seed_defer(s, free_encoding, e);
    return e;
}

locant_tensor seed_positions(struct seed *s, int64_t first, int64_t n)
{
    locant_tensor t = SEED_I64(s, n);
    int64_t      *p = t.data;

    for (int64_t i = 0; i < n; i++)
        p[i] = first + i;
    return t;
}

static int get_param(locant_param_info *p, const locant_encoding *e, int i,
                     int64_t width, int64_t heads)
{
    locant_sizes sizes = { .width = width, .heads = heads };

    if (heads > 0)
        sizes.head_dim = width / heads;
    return locant_encoding_param(p, e, i, &sizes);
}

static int64_t param_count(const locant_param_info *p)
{
    int64_t n = 1;

    for (int i = 0; i < p->rank; i++)
        n *= p->shape[i];
    return n;
}

int64_t seed_parameters(const locant_encoding *e, int64_t width, int64_t heads)
{
    locant_param_info p;
    int64_t           n = 0;

    for (int i = 0; get_param(&p, e, i, width, heads); i++)
        n += param_count(&p);
    return n;
}

locant_tensor *seed_params(struct seed *s, const locant_encoding *e,
                           int64_t width, int64_t heads)
{
    locant_param_info p;
    locant_tensor    *params = NULL;
    int               n = 0;

    while (get_param(&p, e, n, width, heads))
        n++;
    if (n > 0)
        params = seed_new(s, n, sizeof *params);
    for (int i = 0; i < n; i++) {
        get_param(&p, e, i, width, heads);
        params[i] = seed_array(s, LOCANT_F64, p.rank, p.shape);
        seed_try(s, locant_encoding_param_init(&params[i], e, i, 42));
    }
    return params;
}

locant_tensor seed_table_rows(struct seed *s, const locant_encoding *e,
                              int64_t first, int64_t n, int64_t width,
                              const locant_tensor *params)
{
    locant_tensor rows = SEED_F64(s, n, width);
    locant_tensor positions = seed_positions(s, first, n);

    seed_try(s, locant_encoding_table(&rows, e, &positions, params));
    return rows;
}

locant_tensor seed_bias(struct seed *s, const locant_encoding *e, int64_t heads,
                        int64_t T, int64_t S, const locant_tensor *params)
{
    locant_tensor b = SEED_F64(s, heads, T, S);
    locant_tensor q = seed_positions(s, 0, T), k = seed_positions(s, 0, S);

    seed_try(s, locant_encoding_bias(&b, e, &q, &k, params));
    return b;
}

void seed_rotate(struct seed *s, locant_tensor *out, const locant_tensor *x,
                 const locant_encoding *e, int64_t first)
{
    locant_tensor positions = seed_positions(s, first, x->shape[x->rank - 2]);

    seed_try(s, locant_encoding_rotate(out, x, e, &positions, NULL, 0));
}
