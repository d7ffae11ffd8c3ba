/* similarity.c - cosine similarity of positions, for input and rotate doors */
#include "../core/pool.h"
#include "../core/size.h"
#include "../core/tensor.h"
#include "locant/rotate.h"
#include <math.h>

static const char fn[] = "locant_encoding_similarity";

/* A locant_alloc() array of doubles [n, m]. */
static locant_status make(locant_tensor *out, int64_t n, int64_t m)
{
    const int64_t shape[2] = { n, m };
    void *data = NULL;
    size_t bytes;

    if (lct_array_bytes(&bytes, shape, 2, sizeof(double)))
        data = locant_alloc(bytes);
    if (data == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for rows", fn);
    *out = locant_dense(data, LOCANT_F64, 2, shape);
    return LOCANT_OK;
}

/* Vectors of ones, rotated by each position. */
static locant_status rotate_ones(locant_tensor *rows, const locant_encoding *e,
                                 const locant_tensor *positions,
                                 const locant_tensor *params, int64_t dim)
{
    int64_t n = positions->shape[0];
    locant_tensor ones;
    locant_status s;

    LCT_TRY(make(&ones, n, dim));
    for (int64_t i = 0; i < n * dim; i++)
        ((double *)ones.data)[i] = 1;
    s = make(rows, n, locant_encoding_rotated_width(e, dim));
    if (s == LOCANT_OK)
        s = locant_encoding_rotate(rows, &ones, e, positions, params, 0);
    locant_release(ones.data);
    return s;
}

static locant_status make_rows(locant_tensor *rows, const locant_encoding *e,
                               const locant_tensor *positions,
                               const locant_tensor *params, int64_t dim)
{
    if (!(locant_encoding_doors(e) & LOCANT_DOOR_INPUT))
        return rotate_ones(rows, e, positions, params, dim);
    LCT_TRY(make(rows, positions->shape[0], dim));
    return locant_encoding_table(rows, e, positions, params);
}

struct gram {
    locant_tensor *out;
    const double *rows;
    int64_t n, width;
};

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/*
 * Row i of the result; a vector of zeros has similarity 0 to all, even itself.
 */
static void gram_row(void *context, size_t task, int slot)
{
    const struct gram *g = context;
    int64_t i = (int64_t)task;
    const double *x = g->rows + i * g->width;
    double xx = dot(x, x, g->width);
    float *row = lct_at(g->out, &i, 1);

    (void)slot;
    for (int64_t j = 0; j < g->n; j++) {
        const double *y = g->rows + j * g->width;
        double scale = sqrt(xx * dot(y, y, g->width));

        row[j] = scale > 0 ? (float)(dot(x, y, g->width) / scale) : 0;
    }
}

locant_status locant_encoding_similarity(locant_tensor *out,
                                         const locant_encoding *e,
                                         const locant_tensor *positions,
                                         int64_t dim,
                                         const locant_tensor *params)
{
    int64_t shape[2] = { -1, -1 };
    locant_tensor rows = { 0 };
    locant_status s;

    if (e == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: e is NULL", fn);
    if (dim < 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: dim is %lld, expected at least 1", fn,
                           (long long)dim);
    LCT_TRY(lct_check(fn, "positions", positions, LCT_IN_I64 | LCT_IN_F64,
                      positions && positions->rank == 2 ? 2 : 1, shape));
    shape[0] = shape[1] = positions->shape[0];
    LCT_TRY(lct_check(fn, "out", out, LCT_IN_F32, 2, shape));
    LCT_TRY(lct_check_output(fn, "out", out));
    LCT_TRY(lct_check_apart(fn, out, positions));
    s = make_rows(&rows, e, positions, params, dim);
    if (s == LOCANT_OK) {
        struct gram g = { out, rows.data, shape[0], rows.shape[1] };

        locant_parallel_for((size_t)shape[0], gram_row, &g);
    }
    locant_release(rows.data);
    return s;
}
