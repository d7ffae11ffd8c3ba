/* paged.c - keys and values in blocks of a pool, which a table lists */
#include "paged.h"
#include "../kernel/row.h"
#include "sizes.h"
#include <inttypes.h>
#include <string.h>

enum { CACHE_LINE = 64 }; /* bytes */

/* ------------------------------------------------------------------- checks */

static locant_status check_length(const struct lct_paged *paged, const char *fn,
                                  int64_t b)
{
    int64_t length = lct_paged_length(paged, b);

    if (length >= 0 && length <= paged->capacity)
        return LOCANT_OK;
    return locant_fail(
        LOCANT_ERR_PARAM,
        "%s: the length of sequence %" PRId64 " is %" PRId64
        ", expected 0 to %" PRId64 ": %" PRId64 " blocks of %" PRId64 " rows",
        fn, b, length, paged->capacity, paged->blocks, paged->rows);
}

/* Entries after the blocks that a sequence needs are not read. */
static locant_status check_blocks(const struct lct_paged *paged, const char *fn,
                                  int64_t b, int64_t pool)
{
    int64_t length = lct_paged_length(paged, b);

    for (int64_t i = 0; i * paged->rows < length; i++) {
        int64_t block = lct_paged_integer(paged->table, b, i);

        if (block < 0 || block >= pool)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: block %" PRId64 " of sequence %" PRId64
                               " is %" PRId64 ", expected 0 to %" PRId64,
                               fn, i, b, block, pool - 1);
    }
    return LOCANT_OK;
}

static locant_status check_both(const char *fn, const locant_attention *a)
{
    if ((a->block_table == NULL) == (a->lengths == NULL))
        return LOCANT_OK;
    return locant_fail(
        LOCANT_ERR_NULL,
        "%s: %s is NULL while %s is given, expected both or neither", fn,
        a->lengths == NULL ? "lengths" : "block_table",
        a->lengths == NULL ? "block_table" : "lengths");
}

locant_status lct_paged_check(struct lct_paged *paged, const char *fn,
                              const locant_attention *a, int64_t B)
{
    const unsigned integers = LCT_IN_I64 | LCT_IN_I32;

    *paged = (struct lct_paged){ .quant = { a->quant, a->quant_group },
                                 .D = a->q->shape[3] };
    LCT_TRY(check_both(fn, a));
    if (a->block_table == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_check(fn, "block_table", a->block_table, integers, 2,
                      (int64_t[]){ B, -1 }));
    LCT_TRY(lct_check(fn, "lengths", a->lengths, integers, 1, &B));
    paged->table = a->block_table;
    paged->lengths = a->lengths;
    paged->rows = a->k->shape[2];
    paged->blocks = a->block_table->shape[1];
    if (__builtin_mul_overflow(paged->rows, paged->blocks, &paged->capacity))
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %" PRId64 " blocks of %" PRId64
                           " rows do not fit in memory",
                           fn, paged->blocks, paged->rows);
    for (int64_t b = 0; b < B; b++) {
        int64_t length;

        LCT_TRY(check_length(paged, fn, b));
        LCT_TRY(check_blocks(paged, fn, b, a->k->shape[0]));
        length = lct_paged_length(paged, b);
        paged->longest = length > paged->longest ? length : paged->longest;
    }
    return LOCANT_OK;
}

/* --------------------------------------------------------------------- rows */

int64_t lct_paged_run(const struct lct_paged *paged, const locant_tensor *x,
                      int64_t b, int64_t j, int64_t n)
{
    int64_t block, at, run;

    if (paged->table == NULL)
        return n;
    at = j / paged->rows;
    block = lct_paged_integer(paged->table, b, at);
    run = paged->rows - j % paged->rows;
    if (x->stride[0] == paged->rows * x->stride[2])
        for (; run < n; run += paged->rows)
            if (lct_paged_integer(paged->table, b, ++at) != ++block)
                break;
    return run < n ? run : n;
}

/* Copy n rows, at most a tile of them. */
static void gather(const struct lct_paged *paged, const locant_tensor *x,
                   const int64_t at[3], int64_t n, char *to)
{
    const ptrdiff_t size = (ptrdiff_t)locant_dtype_size(x->dtype);
    const ptrdiff_t step = (ptrdiff_t)x->stride[2] * size;
    const size_t row = (size_t)(x->shape[3] * size);
    int64_t entry = at[2] / paged->rows, first = at[2] % paged->rows;
    const char *rows[LCT_TILE];

    /* Fetch all rows at the same time: each may wait for its own page. */
    for (int64_t j = 0; j < n; entry++, first = 0) {
        int64_t block = lct_paged_integer(paged->table, at[0], entry);
        const char *from = lct_at(x, (int64_t[3]){ block, at[1], first }, 3);

        for (; first < paged->rows && j < n; first++, j++, from += step) {
            rows[j] = from;
            for (size_t line = 0; line < row; line += CACHE_LINE)
                __builtin_prefetch(from + line);
        }
    }
    for (int64_t j = 0; j < n; j++, to += row)
        memcpy(to, rows[j], row);
}

static void dequantize(const struct lct_paged *paged, const locant_tensor *x,
                       const int64_t at[3], int64_t n, float *to)
{
    for (int64_t j = 0, run; j < n; j += run, to += run * paged->D) {
        int64_t first[3] = { at[0], at[1], at[2] + j };

        run = lct_paged_run(paged, x, at[0], first[2], n - j);
        lct_quant_decode(to, paged->D, lct_paged_at(paged, x, first),
                         (ptrdiff_t)x->stride[2], paged->quant, run, paged->D);
    }
}

void lct_paged_row_to_f64(double *out, const struct lct_paged *paged,
                          const locant_tensor *x, const int64_t at[3])
{
    if (paged->quant.kind == LOCANT_QUANT_NONE) {
        lct_row_to_f64(out, lct_paged_at(paged, x, at), x->dtype,
                       (size_t)x->shape[3]);
        return;
    }
    dequantize(paged, x, at, 1, (float *)out);
    for (int64_t d = paged->D; d-- > 0;) { /* widen in place, from the end */
        float y;

        memcpy(&y, (char *)out + d * (int64_t)sizeof(y), sizeof(y));
        out[d] = (double)y;
    }
}

struct lct_paged_rows lct_paged_rows_of(const struct lct_paged *paged,
                                        const locant_tensor *x,
                                        const int64_t at[3], int64_t n,
                                        void *to)
{
    struct lct_paged_rows rows = { *x, { at[0], at[1], at[2] } };

    if (paged->quant.kind != LOCANT_QUANT_NONE) {
        dequantize(paged, x, at, n, to);
        rows.x =
            locant_dense(to, LOCANT_F32, 4, (int64_t[]){ 1, 1, n, paged->D });
        rows.at[0] = rows.at[1] = rows.at[2] = 0;
        return rows;
    }
    if (paged->table == NULL || n == 0)
        return rows;
    rows.at[0] = rows.at[1] = rows.at[2] = 0;
    if (lct_paged_run(paged, x, at[0], at[2], n) == n) {
        rows.x.data = lct_paged_at(paged, x, at);
        return rows;
    }
    gather(paged, x, at, n, to);
    rows.x.data = to;
    rows.x.stride[2] = x->shape[3];
    return rows;
}
