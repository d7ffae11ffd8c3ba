/* dense_bias.c - a bias with an element for each query and key */
#include "dense_bias.h"
#include "../kernel/row.h"
#include "rectangle.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CACHE_LINE = 64 }; /* bytes */

/* ------------------------------------------------------------------- values */

static locant_status check_row(const struct lct_request *r, int64_t at[4])
{
    for (at[3] = 0; at[3] < r->bias->shape[3]; at[3]++) {
        double x;

        lct_row_to_f64(&x, lct_at(r->bias, at, 4), r->bias->dtype, 1);
        if (isnan(x) || x == INFINITY)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: bias is %g at [%" PRId64 ", %" PRId64
                               ", %" PRId64 ", %" PRId64
                               "], expected a number or -infinity",
                               r->fn, x, at[0], at[1], at[2], at[3]);
    }
    return LOCANT_OK;
}

locant_status lct_dense_bias_check_values(const struct lct_request *r)
{
    const locant_tensor *bias = r->bias;
    int64_t at[4];

    if (bias == NULL || lct_empty(bias))
        return LOCANT_OK;
    for (at[0] = 0; at[0] < bias->shape[0]; at[0]++)
        for (at[1] = 0; at[1] < bias->shape[1]; at[1]++)
            for (at[2] = 0; at[2] < bias->shape[2]; at[2]++)
                LCT_TRY(check_row(r, at));
    return LOCANT_OK;
}

/* --------------------------------------------------------------- one tile */

void lct_dense_bias_ask(const struct lct_plan *p, const struct lct_tile *t,
                        int64_t first, int64_t end)
{
    const struct lct_rectangle r = lct_rectangle_of(
        p->request->bias, (int64_t[4]){ t->b, t->h, t->i, t->j });
    const int64_t bytes = t->keys * r.across;
    const int64_t step = r.across > CACHE_LINE ? r.across : CACHE_LINE;

    if (r.down == 0 || r.across > r.down)
        return; /* one row for all queries, or rows along the queries */
    for (int64_t i = first; i < end; i++)
        for (int64_t at = 0; at < bytes; at += step)
            __builtin_prefetch(r.at + i * r.down + at, 0, 2);
}

/* to[n] = the element 'step' n bytes after x, n < count <= LCT_TILE. */
static void load_row(const struct lct_plan *p, float *to, const char *x,
                     int64_t step, int64_t count)
{
    const locant_dtype dtype = p->request->bias->dtype;
    const int64_t size = (int64_t)locant_dtype_size(dtype);
    float gathered[LCT_TILE];

    if (step != size) {
        for (int64_t n = 0; n < count; n++)
            memcpy((char *)gathered + n * size, x + n * step, (size_t)size);
        x = (const char *)gathered;
    }
    if (dtype == LOCANT_F32)
        memcpy(to, x, (size_t)count * sizeof(*to));
    else
        p->kernels->widen(to, x, (enum lct_stored)dtype, (size_t)count);
}

/*
 * Add biases whose rows are along the keys.  The rows are copied first: rows of
 * the caller that are a power of two apart evict each other from the cache.
 */
static bool add_rows(const struct lct_plan *p, const struct lct_tile *t,
                     struct lct_scratch *s, const struct lct_rectangle *r)
{
    const locant_dtype dtype = p->request->bias->dtype;
    const int64_t lanes = (int64_t)t->lanes;
    const struct lct_rows dense = { .x = r->at,
                                    .x_row = r->down,
                                    .kind = (enum lct_stored)dtype,
                                    .tile = s->bias_rows,
                                    .width = LCT_TILE,
                                    .rows = (size_t)t->rows,
                                    .n = (size_t)t->keys };

    if (r->across == (int64_t)locant_dtype_size(dtype))
        p->kernels->load_rows(&dense);
    else
        for (int64_t i = 0; i < t->rows; i++)
            load_row(p, s->bias_rows + i * LCT_TILE, r->at + i * r->down,
                     r->across, t->keys);
    memset(s->bias_rows + t->rows * LCT_TILE, 0,
           (size_t)((lanes - t->rows) * LCT_TILE) * sizeof(*s->bias_rows));
    return p->kernels->add_dense_rows(s->s, s->bias_rows, LCT_TILE,
                                      (size_t)t->keys, t->lanes);
}

/* Add biases whose rows are along the queries. */
static bool add_columns(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s, const struct lct_rectangle *r)
{
    const int64_t lanes = (int64_t)t->lanes;
    /* Without a step along the keys one row serves all of them. */
    int64_t rows = r->across == 0 ? 1 : t->keys;

    for (int64_t j = 0; j < rows; j++) {
        float *to = s->bias + j * lanes;

        load_row(p, to, r->at + j * r->across, r->down, t->rows);
        memset(to + t->rows, 0, (size_t)(lanes - t->rows) * sizeof(*to));
    }
    return p->kernels->add_dense_columns(
        s->s, s->bias, rows == 1 ? 0 : t->lanes, (size_t)t->keys, t->lanes);
}

bool lct_dense_bias_add(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s)
{
    const struct lct_rectangle r = lct_rectangle_of(
        p->request->bias, (int64_t[4]){ t->b, t->h, t->i, t->j });

    if (r.down == 0) { /* all queries have the same biases */
        load_row(p, s->bias_rows, r.at, r.across, t->keys);
        return p->kernels->add_dense_keys(s->s, s->bias_rows, (size_t)t->keys,
                                          t->lanes);
    }
    return r.across == 0 || r.down < r.across ? add_columns(p, t, s, &r)
                                              : add_rows(p, t, s, &r);
}

/* ---------------------------------------------------------------- one query */

bool lct_dense_bias_add_row(const struct lct_plan *p, const int64_t at[4],
                            int64_t keys, float *row)
{
    const struct lct_rectangle r = lct_rectangle_of(p->request->bias, at);
    float bias[LCT_TILE] = { 0 };

    load_row(p, bias, r.at, r.across, keys);
    return p->kernels->add_dense_columns(
        row, bias, 0, 1, (size_t)lct_sizes_round_up(keys, LCT_PAD));
}

void lct_dense_bias_add_keys(const struct lct_plan *p, const int64_t at[3],
                             const int64_t *index, int64_t keys, double *row)
{
    const locant_tensor *bias = p->request->bias;
    const struct lct_rectangle r =
        lct_rectangle_of(bias, (int64_t[4]){ at[0], at[1], at[2], 0 });

    for (int64_t n = 0; n < keys; n++) {
        double x;

        lct_row_to_f64(&x, r.at + index[n] * r.across, bias->dtype, 1);
        row[n] = x == -INFINITY ? -INFINITY : row[n] + x;
    }
}
