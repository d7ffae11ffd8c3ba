/* quantize.c - the public functions on quantised rows */
#include "../core/size.h"
#include "quant.h"
#include "locant/rotate.h"
#include <inttypes.h>
#include <string.h>

locant_status locant_quant_row_bytes(int64_t *bytes, locant_quant quant,
                                     int64_t quant_group, int64_t D)
{
    static const char fn[] = "locant_quant_row_bytes";

    if (bytes == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: bytes is NULL", fn);
    return lct_quant_check(bytes, fn, (struct lct_quant){ quant, quant_group },
                           D);
}

/* Check 'rows' against 'x', whose rows they are. */
static locant_status check(const char *fn, const locant_tensor *rows,
                           const char *name, const locant_tensor *x,
                           struct lct_quant quant)
{
    int64_t dims[LOCANT_MAX_RANK] = { -1, -1, -1, -1, -1, -1 };
    int64_t bytes;

    if (x == NULL || rows == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           x == NULL ? name : "rows");
    if (x->rank < 1 || x->rank > LOCANT_MAX_RANK)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %s has rank %d, expected 1 to %d", fn, name,
                           (int)x->rank, LOCANT_MAX_RANK);
    LCT_TRY(lct_check(fn, name, x, LCT_IN_F32 | LCT_IN_F16 | LCT_IN_BF16,
                      x->rank, dims));
    LCT_TRY(lct_quant_check(&bytes, fn, quant, x->shape[x->rank - 1]));
    memcpy(dims, x->shape, sizeof(dims));
    dims[x->rank - 1] = bytes;
    LCT_TRY(lct_check(fn, "rows", rows, LCT_IN_U8, x->rank, dims));
    return lct_check_apart(fn, rows, x);
}

/* Row n of t, counted over all dimensions but the last. */
static void *row_at(const locant_tensor *t, size_t n)
{
    int64_t at[LOCANT_MAX_RANK] = { 0 };

    for (int i = t->rank - 2; i >= 0; i--) {
        at[i] = (int64_t)(n % (size_t)t->shape[i]);
        n /= (size_t)t->shape[i];
    }
    return lct_at(t, at, t->rank - 1);
}

static size_t rows_of(const locant_tensor *t)
{
    return lct_empty(t) ? 0 : lct_elements(t) / (size_t)t->shape[t->rank - 1];
}

/* Floats that are converted at a time, unless a row has more. */
enum { CHUNK = 1024 };

/* Memory for a row of D floats: 'small' [CHUNK], or allocated; or NULL. */
static float *row_memory(float *small, int64_t D)
{
    return D <= CHUNK ? small : locant_alloc((size_t)D * sizeof(float));
}

locant_status locant_quantize(locant_tensor *rows, const locant_tensor *x,
                              locant_quant kind, int64_t quant_group)
{
    static const char fn[] = "locant_quantize";
    const struct lct_quant quant = { kind, quant_group };
    float small[CHUNK], *row;
    int64_t D;

    LCT_TRY(check(fn, rows, "x", x, quant));
    LCT_TRY(lct_check_output(fn, "rows", rows));
    D = x->shape[x->rank - 1];
    row = row_memory(small, D);
    if (row == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for a row", fn);
    for (size_t n = 0; n < rows_of(x); n++) {
        if (x->dtype == LOCANT_F32)
            memcpy(row, row_at(x, n), (size_t)D * sizeof(*row));
        else
            lct_kernels()->widen(row, row_at(x, n), (enum lct_stored)x->dtype,
                                 (size_t)D);
        lct_quant_encode(row_at(rows, n), row, quant, D);
    }
    if (row != small)
        locant_release(row);
    return LOCANT_OK;
}

locant_status locant_dequantize(locant_tensor *out, const locant_tensor *rows,
                                locant_quant kind, int64_t quant_group)
{
    static const char fn[] = "locant_dequantize";
    const struct lct_quant quant = { kind, quant_group };
    float small[CHUNK], *row;
    int64_t D;

    LCT_TRY(check(fn, rows, "out", out, quant));
    LCT_TRY(lct_check_output(fn, "out", out));
    D = out->shape[out->rank - 1];
    row = row_memory(small, D);
    if (row == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for a row", fn);
    for (size_t n = 0; n < rows_of(out); n++) {
        lct_quant_decode(row, D, row_at(rows, n), 0, quant, 1, D);
        if (out->dtype == LOCANT_F32)
            memcpy(row_at(out, n), row, (size_t)D * sizeof(*row));
        else
            lct_kernels()->narrow(row_at(out, n), (enum lct_stored)out->dtype,
                                  row, (size_t)D);
    }
    if (row != small)
        locant_release(row);
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- rotation */

/* One group of rows [T, D] of all in 'rows', in float32. */
static locant_status move_tokens(locant_tensor *x, const locant_encoding *from,
                                 const locant_tensor *from_positions,
                                 const locant_encoding *to,
                                 const locant_tensor *to_positions)
{
    return locant_encoding_rerotate(x, x, from, from_positions, to,
                                    to_positions);
}

locant_status locant_quant_rerotate(locant_tensor *rows, locant_quant kind,
                                    int64_t quant_group, int64_t D,
                                    const locant_encoding *from,
                                    const locant_tensor *from_positions,
                                    const locant_encoding *to,
                                    const locant_tensor *to_positions)
{
    static const char fn[] = "locant_quant_rerotate";
    const struct lct_quant quant = { kind, quant_group };
    int64_t dims[LOCANT_MAX_RANK] = { -1, -1, -1, -1, -1, -1 }, bytes, T;
    locant_status status = LOCANT_OK;
    locant_tensor x;
    size_t size;

    if (rows == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: rows is NULL", fn);
    if (rows->rank < 2 || rows->rank > LOCANT_MAX_RANK)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: rows has rank %d, expected 2 to %d", fn,
                           (int)rows->rank, LOCANT_MAX_RANK);
    LCT_TRY(lct_quant_check(&bytes, fn, quant, D));
    dims[rows->rank - 1] = bytes;
    LCT_TRY(lct_check(fn, "rows", rows, LCT_IN_U8, rows->rank, dims));
    LCT_TRY(lct_check_output(fn, "rows", rows));
    T = rows->shape[rows->rank - 2];
    x = locant_dense(NULL, LOCANT_F32, 2, (int64_t[]){ T, D });
    if (lct_array_bytes(&size, x.shape, 2, sizeof(float)))
        x.data = locant_alloc(size + 1);
    if (x.data == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %" PRId64 " rows", fn, T);
    /* Rotated once in any case, so that wrong arguments are refused. */
    if (lct_empty(rows))
        status = move_tokens(&x, from, from_positions, to, to_positions);
    for (size_t n = 0; n < rows_of(rows) && status == LOCANT_OK;
         n += (size_t)T) {
        for (int64_t t = 0; t < T; t++)
            lct_quant_decode((float *)x.data + t * D, D,
                             row_at(rows, n + (size_t)t), 0, quant, 1, D);
        status = move_tokens(&x, from, from_positions, to, to_positions);
        for (int64_t t = 0; t < T && status == LOCANT_OK; t++)
            lct_quant_encode(row_at(rows, n + (size_t)t),
                             (const float *)x.data + t * D, quant, D);
    }
    locant_release(x.data);
    return status;
}
