/* dense_bias.c - a bias with an element for each query and key */
#include "dense_bias.h"
#include "../kernel/row.h"
#include "rectangle.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

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

/* Fetch the rows of the next tile of keys while this one is computed. */
static void prefetch_next(const struct lct_plan *p, const struct lct_tile *t,
                          const struct lct_rectangle *r)
{
    enum { LINE = 64 };

    if (t->j + 2 * LCT_TILE > p->S)
        return;
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t n = 1; n <= LCT_TILE * r->across / LINE; n++)
            __builtin_prefetch(r->at + i * r->down + t->keys * r->across +
                                   (n - 1) * LINE,
                               0, 2);
}

/* s->bias = the rectangle of the tile, whose rows are along the keys. */
static void load_transposed(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s,
                            const struct lct_rectangle *r)
{
    const size_t size = locant_dtype_size(p->request->bias->dtype);
    const float *rows = s->bias_rows;
    size_t row = LCT_TILE;

    if (r->across == (int64_t)size)
        prefetch_next(p, t, r);
    if (r->across == sizeof(float) && size == sizeof(float) && r->down > 0) {
        rows = (const float *)r->at;
        row = (size_t)r->down / sizeof(float);
    } else {
        for (int64_t i = 0; i < t->rows; i++)
            load_row(p, s->bias_rows + i * LCT_TILE, r->at + i * r->down,
                     r->across, t->keys);
    }
    p->kernels->transpose(s->bias, t->lanes, rows, row, (size_t)t->rows,
                          (size_t)t->keys);
}

/* s->bias [keys, lanes] = bias of the tile, 0 in lanes without a query. */
static void load_tile(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s, const struct lct_rectangle *r)
{
    const int64_t lanes = (int64_t)t->lanes;

    if (r->down == 0) { /* all queries have the same biases */
        load_row(p, s->bias_rows, r->at, r->across, t->keys);
        for (int64_t j = 0; j < t->keys; j++)
            for (int64_t i = 0; i < lanes; i++)
                s->bias[j * lanes + i] = s->bias_rows[j];
        return;
    }
    if (r->down < r->across) /* rows along the queries */
        for (int64_t j = 0; j < t->keys; j++)
            load_row(p, s->bias + j * lanes, r->at + j * r->across, r->down,
                     t->rows);
    else
        load_transposed(p, t, s, r);
    for (int64_t j = 0; t->rows < lanes && j < t->keys; j++)
        memset(s->bias + j * lanes + t->rows, 0,
               (size_t)(lanes - t->rows) * sizeof(*s->bias));
}

void lct_dense_bias_add(const struct lct_plan *p, const struct lct_tile *t,
                        struct lct_scratch *s)
{
    const struct lct_rectangle r = lct_rectangle_of(
        p->request->bias, (int64_t[4]){ t->b, t->h, t->i, t->j });
    size_t row = t->lanes;

    if (r.across == 0) { /* all keys have the same biases */
        memset(s->bias, 0, LCT_TILE * sizeof(*s->bias));
        load_row(p, s->bias, r.at, r.down, t->rows);
        row = 0;
    } else {
        load_tile(p, t, s, &r);
    }
    p->kernels->add_dense_bias(s->s, s->bias, row, (size_t)t->keys, t->lanes);
}

/* ---------------------------------------------------------------- one query */

void lct_dense_bias_add_row(const struct lct_plan *p, const int64_t at[4],
                            int64_t keys, float *row)
{
    const struct lct_rectangle r = lct_rectangle_of(p->request->bias, at);
    float bias[LCT_TILE] = { 0 };

    load_row(p, bias, r.at, r.across, keys);
    p->kernels->add_dense_bias(row, bias, 0, 1,
                               (size_t)lct_sizes_round_up(keys, LCT_PAD));
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
        row[n] = x == -INFINITY || row[n] == -INFINITY ? -INFINITY : row[n] + x;
    }
}
