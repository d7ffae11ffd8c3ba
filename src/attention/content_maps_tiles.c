/*
 * content_maps_tiles.c - the matrices of each tile of keys (content_maps.h).
 *
 * Yang et al. 2025, arXiv:2505.16381, section 3.2: the product of the maps of a
 * tile is I - W^T M^T W.  I + N, N = tril(W W^T) B, is inverted by blocks: of
 * two blocks, the inverse of [[P, 0], [C, Q]] is
 * [[P^-1, 0], [-Q^-1 C P^-1, Q^-1]].
 */
#include "content_maps_tiles.h"
#include "load.h"
#include "product.h"
#include <string.h>

enum { N = LCT_TILE };

static struct lct_product_factor square(const float *at)
{
    return lct_product_rows_of(at, N);
}

static struct lct_product_factor square_transposed(const float *at)
{
    return lct_product_transposed(at, N);
}

/* c [N, n] = a [N, N] b [N, n], or added to c. */
static void multiply(const struct lct_plan *p, struct lct_product_rows c,
                     struct lct_product_factor a, struct lct_product_factor b,
                     size_t n, bool add)
{
    struct lct_product x = lct_product_of(c, a, b, N, n, N);

    x.add = add;
    p->kernels->matmul(&x);
}

/* c [N, N] = a [N, D] b [D, N], or added to c. */
static void multiply_rows(const struct lct_plan *p, float *c, const float *a,
                          size_t a_row, const float *columns, bool add)
{
    struct lct_product x = lct_product_of(
        (struct lct_product_rows){ c, N }, lct_product_rows_of(a, a_row),
        lct_product_columns_of(columns), N, N, p->D);

    x.add = add;
    p->kernels->matmul(&x);
}

static struct lct_product_rows rows_of(const struct lct_plan *p, float *at)
{
    return (struct lct_product_rows){ at, (size_t)p->padded };
}

static struct lct_product_rows square_to(float *at)
{
    return (struct lct_product_rows){ at, N };
}

/* x[s, t] = 0 for t > s - below. */
static void keep_lower(float *x, int64_t below)
{
    for (int64_t s = 0; s < N; s++) {
        int64_t from = s - below + 1;

        if (from < 0)
            from = 0;
        memset(x + s * N + from, 0, (size_t)(N - from) * sizeof(*x));
    }
}

/* ------------------------------------------------------------------ inverse */

enum { BLOCK = 16 };

/* One block of the diagonal: row s of the inverse is e_s - sum N_sr row r. */
static void invert_block(float *e, const float *n)
{
    for (int64_t s = 0; s < BLOCK; s++) {
        float *row = e + s * N;

        memset(row, 0, BLOCK * sizeof(*row));
        row[s] = 1;
        for (int64_t r = 0; r < s; r++)
            for (int64_t t = 0; t < BLOCK; t++)
                row[t] -= n[s * N + r] * e[r * N + t];
    }
}

/* The block below the diagonal of two blocks of 'size'. */
static void invert_below(const struct lct_plan *p, float *e, const float *n,
                         float *rest, int64_t size)
{
    const float *c = n + size * N;
    float *to = e + size * N, *last = e + size * N + size;
    struct lct_product x;

    x = lct_product_of(square_to(rest), square(c), square(e), size,
                       (size_t)size, size);
    p->kernels->matmul(&x);
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < size; j++)
            rest[i * N + j] = -rest[i * N + j];
    x = lct_product_of(square_to(to), square(last), square(rest), size,
                       (size_t)size, size);
    p->kernels->matmul(&x);
}

/* e = (I + n)^-1, n below the diagonal */
static void invert(const struct lct_plan *p, float *e, const float *n,
                   float *rest)
{
    memset(e, 0, N * N * sizeof(*e));
    for (int64_t at = 0; at < N; at += BLOCK)
        invert_block(e + at * N + at, n + at * N + at);
    for (int64_t size = BLOCK; size < N; size *= 2)
        for (int64_t at = 0; at < N; at += 2 * size)
            invert_below(p, e + at * N + at, n + at * N + at, rest, size);
}

/* ------------------------------------------------------------------ forward */

/* k_columns: the keys' transpose; keys that are not finite become 0, their
 * scores are not finite anyway. */
static void load_key_columns(const struct lct_plan *p, float *columns,
                             const float *keys, size_t row, int64_t n)
{
    p->kernels->transpose(columns, LCT_COLUMNS_ROW, keys, row, (size_t)n,
                          (size_t)p->D);
    for (int64_t d = 0; n < N && d < p->D; d++)
        memset(columns + d * LCT_COLUMNS_ROW + n, 0,
               (size_t)(N - n) * sizeof(*columns));
    if (p->kernels->all_finite(keys, row, (size_t)n, (size_t)p->padded))
        return;
    for (int64_t j = 0; j < n; j++)
        if (!p->kernels->all_finite(keys + (size_t)j * row, row, 1,
                                    (size_t)p->padded))
            for (int64_t d = 0; d < p->D; d++)
                columns[d * LCT_COLUMNS_ROW + j] = 0;
}

/* Fill the scratch up to y: inner = tril(W W^T), unit = (I + inner B)^-1,
 * negative = -B unit, y = tril(W K^T). */
static void prepare(const struct lct_plan *p,
                    struct lct_content_maps_scratch *own,
                    const struct lct_content_maps_tile *tile, const float *keys,
                    size_t key_row, int64_t n)
{
    p->kernels->transpose(own->w_columns, LCT_COLUMNS_ROW, tile->w,
                          (size_t)p->padded, N, (size_t)p->D);
    load_key_columns(p, own->k_columns, keys, key_row, n);
    multiply_rows(p, own->inner, tile->w, (size_t)p->padded, own->w_columns,
                  false);
    keep_lower(own->inner, 1);
    for (int64_t s = 0; s < N; s++)
        for (int64_t t = 0; t < N; t++)
            own->sum[s * N + t] = own->inner[s * N + t] * tile->b[t];
    invert(p, own->unit, own->sum, own->rest);
    for (int64_t s = 0; s < N; s++)
        for (int64_t t = 0; t < N; t++)
            own->negative[s * N + t] = -tile->b[s] * own->unit[s * N + t];
    multiply_rows(p, own->y, tile->w, (size_t)p->padded, own->k_columns, false);
    keep_lower(own->y, 1);
}

/* taken = K + X^T W, of n keys */
static void take_to_end(const struct lct_plan *p,
                        const struct lct_content_maps_tile *tile, float *taken,
                        const float *keys, size_t key_row, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        memcpy(taken + j * p->padded, keys + (size_t)j * key_row,
               (size_t)p->padded * sizeof(*taken));
    memset(taken + n * p->padded, 0,
           (size_t)((N - n) * p->padded) * sizeof(*taken));
    multiply(p, rows_of(p, taken), square_transposed(tile->inside),
             lct_product_rows_of(tile->w, (size_t)p->padded), (size_t)p->padded,
             true);
}

void lct_content_maps_tiles_fill(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s, float *taken)
{
    struct lct_content_maps_tile tile =
        lct_content_maps_tile_of(p, t->b, t->h, t->j / N);
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    size_t key_row = 0;
    const float *keys =
        t->keys > 0 ? lct_load_keys(p, t, s, &key_row) : own->zeros;

    prepare(p, own, &tile, keys, key_row, t->keys);
    multiply(p, square_to(tile.inside), square(own->negative), square(own->y),
             N, false);
    multiply(p, rows_of(p, tile.pass), square(own->negative),
             lct_product_rows_of(tile.w, (size_t)p->padded), (size_t)p->padded,
             false);
    if (taken != NULL)
        take_to_end(p, &tile, taken, keys, key_row, t->keys);
}

void lct_content_maps_tiles_take(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s, float *taken)
{
    struct lct_content_maps_tile tile =
        lct_content_maps_tile_of(p, t->b, t->h, t->j / N);
    size_t key_row, row = (size_t)p->padded;
    const float *keys = lct_load_keys(p, t, s, &key_row);

    take_to_end(p, &tile, taken, keys, key_row, t->keys);
    for (int64_t j = 0; j < t->keys; j++, taken += row)
        if (!p->kernels->all_finite(taken, row, 1, row))
            memset(taken, 0, row * sizeof(*taken));
}

/* ----------------------------------------------------------------- backward */

/* forward: taken = K + X^T W: dX += tril(W dtaken^T), dW += X dtaken, dk +=
 * dtaken */
static void take_to_end_backward(const struct lct_plan *p,
                                 struct lct_content_maps_scratch *own,
                                 const struct lct_content_maps_tile *tile,
                                 const float *dtaken, float *dinside, float *dw)
{
    p->kernels->transpose(own->k_columns, LCT_COLUMNS_ROW, dtaken,
                          (size_t)p->padded, N, (size_t)p->D);
    multiply_rows(p, dinside, tile->w, (size_t)p->padded, own->k_columns, true);
    keep_lower(dinside, 1);
    multiply(p, rows_of(p, dw), square(tile->inside),
             lct_product_rows_of(dtaken, (size_t)p->padded), (size_t)p->padded,
             true);
}

/*
 * forward: X = negative Y, Y = tril(W K^T): d negative = dX Y^T, dY =
 * tril(negative^T dX), dW += dY K, dk += dY^T W
 */
static void inside_backward(const struct lct_plan *p,
                            struct lct_content_maps_scratch *own,
                            const struct lct_content_maps_tile *tile,
                            const float *dinside, float *dw, const float *keys,
                            size_t key_row, int64_t n)
{
    struct lct_product x;

    p->kernels->transpose(own->rest, N, own->y, N, N, N);
    multiply(p, square_to(own->sum), square(dinside), square(own->rest), N,
             false);
    multiply(p, square_to(own->y), square_transposed(own->negative),
             square(dinside), N, false);
    keep_lower(own->y, 1);
    x = lct_product_of(rows_of(p, dw), square(own->y),
                       lct_product_rows_of(keys, key_row), N, (size_t)p->padded,
                       n);
    x.add = true;
    lct_product_multiply(p->kernels, &x, true);
    multiply(p, rows_of(p, own->dk), square_transposed(own->y),
             lct_product_rows_of(tile->w, (size_t)p->padded), (size_t)p->padded,
             true);
}

/* forward: Z = negative W: d negative += dZ W^T, dW += negative^T dZ */
static void pass_backward(const struct lct_plan *p,
                          struct lct_content_maps_scratch *own,
                          const float *dpass, float *dw)
{
    multiply_rows(p, own->sum, dpass, (size_t)p->padded, own->w_columns, true);
    multiply(p, rows_of(p, dw), square_transposed(own->negative),
             lct_product_rows_of(dpass, (size_t)p->padded), (size_t)p->padded,
             true);
}

/*
 * forward: negative = -B unit, unit = (I + inner B)^-1: dunit = -B d negative,
 * d(inner B) = -unit^T dunit unit^T, which 'sum' and 'y' take; db.
 */
static void inverse_backward(const struct lct_plan *p,
                             struct lct_content_maps_scratch *own,
                             const struct lct_content_maps_tile *tile,
                             float *db)
{
    float *dunit = own->sum, *dinner = own->y;

    keep_lower(dunit, 0);
    for (int64_t s = 0; s < N; s++) {
        float sum = 0;

        for (int64_t t = 0; t <= s; t++) {
            sum -= dunit[s * N + t] * own->unit[s * N + t];
            dunit[s * N + t] *= -tile->b[s];
        }
        db[s] += sum;
    }
    p->kernels->transpose(own->rest, N, own->unit, N, N, N);
    multiply(p, square_to(own->negative), square(dunit), square(own->rest), N,
             false);
    multiply(p, square_to(dinner), square_transposed(own->unit),
             square(own->negative), N, false);
    for (int64_t s = 0; s < N; s++)
        for (int64_t t = 0; t < s; t++) {
            db[t] -= dinner[s * N + t] * own->inner[s * N + t];
            dinner[s * N + t] *= -tile->b[t];
        }
    keep_lower(dinner, 1);
}

/* forward: inner = tril(W W^T): dW += (d + d^T) W */
static void inner_backward(const struct lct_plan *p,
                           struct lct_content_maps_scratch *own,
                           const struct lct_content_maps_tile *tile, float *dw)
{
    float *d = own->y;

    for (int64_t s = 0; s < N; s++)
        for (int64_t t = 0; t < s; t++)
            d[t * N + s] = d[s * N + t];
    multiply(p, rows_of(p, dw), square(d),
             lct_product_rows_of(tile->w, (size_t)p->padded), (size_t)p->padded,
             true);
}

void lct_content_maps_tiles_backward(const struct lct_plan *p,
                                     const struct lct_tile *t,
                                     struct lct_scratch *s, const float *dtaken,
                                     float *dw, float *db,
                                     struct lct_product_rows dk)
{
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    struct lct_content_maps_tile tile =
        lct_content_maps_tile_of(p, t->b, t->h, t->j / N);
    float *dinside = own->dinside + t->j * N;
    size_t key_row;
    const float *keys = lct_load_keys(p, t, s, &key_row);

    prepare(p, own, &tile, keys, key_row, t->keys);
    memcpy(own->dk, dtaken, (size_t)(N * p->padded) * sizeof(float));
    take_to_end_backward(p, own, &tile, dtaken, dinside, dw);
    inside_backward(p, own, &tile, dinside, dw, keys, key_row, t->keys);
    pass_backward(p, own, own->dpass + t->j * p->padded, dw);
    inverse_backward(p, own, &tile, db);
    inner_backward(p, own, &tile, dw);
    if (dk.at == NULL)
        return;
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t d = 0; d < p->D; d++)
            dk.at[j * (int64_t)dk.row + d] += own->dk[j * p->padded + d];
}
