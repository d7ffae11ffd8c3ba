/*
 * append.c - write the keys and values of new tokens to a cache.
 *
 * A piece is as many tokens of a sequence as lie evenly apart in the cache and
 * fit the scratch: all its heads are widened to float32, rotated and rounded.
 */
#include "locant/cache.h"
#include "../core/size.h"
#include "order.h"
#include "paged.h"
#include "quant.h"
#include "locant/rotate.h"
#include <inttypes.h>
#include <string.h>

static const char fn[] = "locant_cache_append";

enum { PIECE = 64 }; /* tokens, at most */

struct append {
    const locant_append *a;
    struct lct_quant quant;
    int64_t B, heads, T, D;
    int64_t rows, capacity; /* rows of a block or of a sequence; in all */
    bool rotates;
};

static int64_t length_of(const struct append *x, int64_t b)
{
    return lct_paged_integer(x->a->lengths, 0, b);
}

static int64_t count_of(const struct append *x, int64_t b)
{
    return x->a->counts == NULL ? x->T : lct_paged_integer(x->a->counts, 0, b);
}

/* Where token n of sequence b is: block or batch row, and row in it. */
struct place {
    int64_t block, row;
};

static struct place place_of(const struct append *x, int64_t b, int64_t n)
{
    if (x->a->ring != 0)
        n %= x->capacity;
    if (x->a->block_table == NULL)
        return (struct place){ b, n };
    return (struct place){ lct_paged_integer(x->a->block_table, b, n / x->rows),
                           n % x->rows };
}

/* ------------------------------------------------------------------- checks */

static locant_status check_tokens(struct append *x)
{
    const locant_append *a = x->a;
    const unsigned floats = LCT_IN_F32 | LCT_IN_F16 | LCT_IN_BF16;

    LCT_TRY(lct_check(fn, "k", a->k, floats, 4, (int64_t[]){ -1, -1, -1, -1 }));
    LCT_TRY(lct_check(fn, "v", a->v, floats, 4, a->k->shape));
    x->B = a->k->shape[0];
    x->heads = a->k->shape[1];
    x->T = a->k->shape[2];
    x->D = a->k->shape[3];
    x->quant = (struct lct_quant){ a->quant, a->quant_group };
    LCT_TRY(lct_check(fn, "lengths", a->lengths, LCT_IN_I64 | LCT_IN_I32, 1,
                      &x->B));
    if (a->counts != NULL)
        LCT_TRY(lct_check(fn, "counts", a->counts, LCT_IN_I64 | LCT_IN_I32, 1,
                          &x->B));
    return LOCANT_OK;
}

static locant_status check_caches(struct append *x)
{
    const locant_append *a = x->a;
    unsigned types = LCT_IN_F32 | LCT_IN_F16 | LCT_IN_BF16;
    int64_t dims[4] = { a->block_table == NULL ? x->B : -1, x->heads, -1,
                        x->D };

    if (a->quant != LOCANT_QUANT_NONE) {
        types = LCT_IN_U8;
        LCT_TRY(lct_quant_check(&dims[3], fn, x->quant, x->D));
    }
    LCT_TRY(lct_check(fn, "k_cache", a->k_cache, types, 4, dims));
    LCT_TRY(lct_check(fn, "v_cache", a->v_cache, types, 4, a->k_cache->shape));
    LCT_TRY(lct_check_output(fn, "k_cache", a->k_cache));
    LCT_TRY(lct_check_output(fn, "v_cache", a->v_cache));
    x->rows = x->capacity = a->k_cache->shape[2];
    if (a->block_table == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_check(fn, "block_table", a->block_table,
                      LCT_IN_I64 | LCT_IN_I32, 2, (int64_t[]){ x->B, -1 }));
    if (__builtin_mul_overflow(x->rows, a->block_table->shape[1], &x->capacity))
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %" PRId64 " blocks of %" PRId64
                           " rows do not fit in memory",
                           fn, a->block_table->shape[1], x->rows);
    return LOCANT_OK;
}

static locant_status check_apart(const struct append *x)
{
    const locant_append *a = x->a;
    const locant_tensor *caches[] = { a->k_cache, a->v_cache };
    const locant_tensor *read[] = { a->k,      a->v,           a->lengths,
                                    a->counts, a->block_table, a->positions };

    LCT_TRY(lct_check_apart(fn, a->k_cache, a->v_cache));
    for (int c = 0; c < 2; c++)
        for (size_t i = 0; i < sizeof(read) / sizeof(*read); i++)
            if (read[i] != NULL)
                LCT_TRY(lct_check_apart(fn, caches[c], read[i]));
    return LOCANT_OK;
}

static locant_status check_sequence(const struct append *x, int64_t b)
{
    int64_t length = length_of(x, b), count = count_of(x, b);
    int64_t pool = x->a->k_cache->shape[0];

    if (count < 0 || count > x->T)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the count of sequence %" PRId64 " is %" PRId64
                           ", expected 0 to %" PRId64,
                           fn, b, count, x->T);
    if (length < 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the length of sequence %" PRId64 " is %" PRId64
                           ", expected at least 0",
                           fn, b, length);
    if (count > x->capacity ||
        (x->a->ring == 0 && length > x->capacity - count) ||
        length > INT64_MAX - count)
        return locant_fail(
            LOCANT_ERR_PARAM,
            "%s: sequence %" PRId64 " has %" PRId64 " tokens and %" PRId64
            " new ones, expected room for them in %" PRId64 " rows",
            fn, b, length, count, x->capacity);
    for (int64_t n = length; n < length + count && x->a->block_table != NULL;
         n++) {
        struct place at = place_of(x, b, n);

        if (at.block < 0 || at.block >= pool)
            return locant_fail(
                LOCANT_ERR_PARAM,
                "%s: block %" PRId64 " of sequence %" PRId64 " is %" PRId64
                ", expected 0 to %" PRId64,
                fn, (x->a->ring != 0 ? n % x->capacity : n) / x->rows, b,
                at.block, pool - 1);
    }
    return LOCANT_OK;
}

/* ------------------------------------------------- two tokens for one row */

static bool is_before(const void *context, int64_t a, int64_t b)
{
    const struct place *at = context;

    if (at[a].block != at[b].block)
        return at[a].block < at[b].block;
    return at[a].row != at[b].row ? at[a].row < at[b].row : a < b;
}

static locant_status refuse_same(const struct place *at, const int64_t *order,
                                 int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const struct place *p = &at[order[i - 1]], *q = &at[order[i]];

        if (p->block == q->block && p->row == q->row)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: two new tokens go to row %" PRId64
                               " of block %" PRId64 ", expected a row for each",
                               fn, q->row, q->block);
    }
    return LOCANT_OK;
}

/* Only a block table can list a block twice. */
static locant_status check_rows(const struct append *x)
{
    int64_t tokens = 0, n = 0, *order;
    locant_status status;
    struct place *at;
    size_t bytes;

    for (int64_t b = 0; b < x->B; b++)
        tokens += count_of(x, b);
    if (x->a->block_table == NULL || tokens < 2)
        return LOCANT_OK;
    if (!lct_mul(&bytes, (size_t)tokens, sizeof(*at) + sizeof(*order)) ||
        (at = locant_alloc(bytes)) == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for the rows of %" PRId64 " tokens",
                           fn, tokens);
    order = (int64_t *)(at + tokens);
    for (int64_t b = 0; b < x->B; b++)
        for (int64_t i = 0; i < count_of(x, b); i++)
            at[n++] = place_of(x, b, length_of(x, b) + i);
    lct_order_sort(order, n, is_before, at);
    status = refuse_same(at, order, n);
    locant_release(at);
    return status;
}

/* ----------------------------------------------------------------- rotation */

/* Tokens from..from + n - 1 of the T of sequence b. */
struct piece {
    int64_t b, from, n;
    struct place at;
};

/* Rotate x [heads, n, D] by the positions of a piece. */
static locant_status rotate(const struct append *x, locant_tensor *keys,
                            const struct piece *e)
{
    const locant_tensor *given = x->a->positions;
    int64_t pos[PIECE],
        first = length_of(x, e->b) + e->from - x->T + count_of(x, e->b);
    locant_tensor positions = locant_dense(pos, LOCANT_I64, 1, &e->n);

    for (int64_t i = 0; i < e->n; i++)
        pos[i] = first + i;
    if (given != NULL) {
        int dim = given->rank - 1 - (given->dtype == LOCANT_F64);
        int64_t at[2] = { e->b, e->from };

        positions = *given;
        positions.data = lct_at(given, dim > 0 ? at : at + 1, dim + 1);
        positions.rank = given->rank - dim;
        for (int i = 0; i < positions.rank; i++) {
            positions.shape[i] = given->shape[dim + i];
            positions.stride[i] = given->stride[dim + i];
        }
        positions.shape[0] = e->n;
    }
    return locant_encoding_rotate(keys, keys, x->a->encoding, &positions,
                                  x->a->params, LOCANT_ROTATE_KEY);
}

static locant_status check_rotation(struct append *x)
{
    const locant_append *a = x->a;
    const locant_tensor *t = a->positions;
    bool real = t != NULL && t->dtype == LOCANT_F64;
    int rank = real ? 2 : 1;

    x->rotates = a->encoding != NULL &&
                 (locant_encoding_doors(a->encoding) & LOCANT_DOOR_ROTATE);
    if (t != NULL && t->rank == rank + 1)
        LCT_TRY(lct_check(fn, "positions", t, LCT_IN_I64 | LCT_IN_F64, rank + 1,
                          (int64_t[]){ x->B, x->T, -1 }));
    else if (t != NULL)
        LCT_TRY(lct_check(fn, "positions", t, LCT_IN_I64 | LCT_IN_F64, rank,
                          (int64_t[]){ x->T, -1 }));
    if (x->rotates && locant_encoding_rotated_width(a->encoding, x->D) != x->D)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: the encoding widens keys of %" PRId64
                           " channels, expected keys to be stored unrotated: "
                           "encoding NULL",
                           fn, x->D);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ writing */

/* Tokens from 'from' on that are evenly apart in the cache. */
static struct piece piece_of(const struct append *x, int64_t b, int64_t from)
{
    int64_t first = length_of(x, b) + from - x->T + count_of(x, b);
    struct piece e = { b, from, x->T - from, place_of(x, b, first) };
    int64_t left = x->rows - e.at.row;

    e.n = e.n < left ? e.n : left;
    e.n = e.n < PIECE ? e.n : PIECE;
    return e;
}

static void load(float *to, const struct append *x, const locant_tensor *from,
                 const struct piece *e)
{
    for (int64_t h = 0; h < x->heads; h++)
        for (int64_t i = 0; i < e->n; i++, to += x->D) {
            int64_t at[3] = { e->b, h, e->from + i };
            const void *row = lct_at(from, at, 3);

            if (from->dtype == LOCANT_F32)
                memcpy(to, row, (size_t)x->D * sizeof(*to));
            else
                lct_kernels()->widen(to, row, (enum lct_stored)from->dtype,
                                     (size_t)x->D);
        }
}

static void store(const struct append *x, const locant_tensor *cache,
                  const float *from, const struct piece *e)
{
    for (int64_t h = 0; h < x->heads; h++)
        for (int64_t i = 0; i < e->n; i++, from += x->D) {
            int64_t at[3] = { e->at.block, h, e->at.row + i };
            void *row = lct_at(cache, at, 3);

            if (x->quant.kind != LOCANT_QUANT_NONE)
                lct_quant_encode(row, from, x->quant, x->D);
            else if (cache->dtype == LOCANT_F32)
                memcpy(row, from, (size_t)x->D * sizeof(*from));
            else
                lct_kernels()->narrow(row, (enum lct_stored)cache->dtype, from,
                                      (size_t)x->D);
        }
}

/* Rotate, or only try to: 'write' false checks that nothing is refused. */
static locant_status append(const struct append *x, float *memory, bool write)
{
    for (int64_t b = 0; b < x->B; b++) {
        struct piece e = { .n = 0 };

        for (int64_t i = x->T - count_of(x, b); i < x->T; i += e.n) {
            locant_tensor keys;

            e = piece_of(x, b, i);
            keys = locant_dense(memory, LOCANT_F32, 3,
                                (int64_t[]){ x->heads, e.n, x->D });
            if (write)
                load(memory, x, x->a->k, &e);
            if (x->rotates)
                LCT_TRY(rotate(x, &keys, &e));
            if (!write)
                continue;
            store(x, x->a->k_cache, memory, &e);
            load(memory, x, x->a->v, &e);
            store(x, x->a->v_cache, memory, &e);
        }
    }
    return LOCANT_OK;
}

static locant_status check(struct append *x)
{
    const locant_append *a = x->a;

    if (a == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: the arguments are NULL", fn);
    if (a->struct_size != sizeof(*a))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected %zu; start from "
                           "LOCANT_APPEND_INIT",
                           fn, a->struct_size, sizeof(*a));
    LCT_TRY(check_tokens(x));
    LCT_TRY(check_caches(x));
    LCT_TRY(check_apart(x));
    LCT_TRY(check_rotation(x));
    for (int64_t b = 0; b < x->B; b++)
        LCT_TRY(check_sequence(x, b));
    return check_rows(x);
}

locant_status locant_cache_append(const locant_append *a)
{
    struct append x = { .a = a };
    locant_status status = LOCANT_OK;
    size_t bytes;
    float *memory;

    LCT_TRY(check(&x));
    if (x.B == 0 || x.heads == 0 || x.T == 0 || x.D == 0)
        return LOCANT_OK;
    if (!lct_array_bytes(&bytes,
                         (int64_t[]){ x.heads, x.T < PIECE ? x.T : PIECE, x.D },
                         3, sizeof(float)) ||
        (memory = locant_alloc(bytes)) == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %d rows of keys", fn, PIECE);
    /* A single piece is rotated before anything is written. */
    if (x.rotates && (x.B > 1 || x.T > 1))
        status = append(&x, memory, false);
    if (status == LOCANT_OK)
        status = append(&x, memory, true);
    locant_release(memory);
    return status;
}
