/*
 * test_rotate_blocks.c - whole tensors against one row at a time: any strides,
 * dtype, pairing, part, number of threads, in place or not, queries and keys in
 * one call; and rows added to embeddings.
 */
#include "core/tensor.h"
#include "encodings/rotate.h"
#include "kernel/row.h"
#include "testing.h"
#include <stdlib.h>
#include <string.h>

static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F16, LOCANT_BF16,
                                       LOCANT_F64 };
static const char *const specs[] = {
    "rope(pairing=half)", "rope(pairing=interleaved)",
    "rope(dim=6,side=trailing)", "rope(pairing=interleaved,dim=6)",
    "rope(scaling=yarn(factor=4,original=64))"
};

/* [B, H, T, D] in some order of memory, all of 'bytes' behind it random. */
struct block {
    locant_tensor t;
    size_t bytes;
};

static struct block block_of(locant_dtype dtype, const int64_t *shape)
{
    static const int orders[][3] = {
        { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 2, 1, 0 }
    };
    const int *order = orders[test_range(0, 3)];
    struct block b = { .t = { .dtype = dtype, .rank = 4 } };
    int64_t stride = shape[3] + test_range(0, 3);

    memcpy(b.t.shape, shape, 4 * sizeof(*shape));
    b.t.stride[3] = 1;
    for (int i = 2; i >= 0; i--) {
        b.t.stride[order[i]] = stride;
        stride *= shape[order[i]];
    }
    b.bytes = (size_t)stride * locant_dtype_size(dtype);
    b.t.data = test_guarded(b.bytes);
    for (int64_t i = 0; i < stride; i++) {
        double x = test_uniform();

        lct_row_from_f64((char *)b.t.data +
                             (size_t)i * locant_dtype_size(dtype),
                         dtype, &x, 1);
    }
    return b;
}

static void *row_of(const struct block *b, int64_t i, int64_t h, int64_t t)
{
    return lct_at(&b->t, (const int64_t[]){ i, h, t }, 3);
}

/* What is under test. */
typedef locant_status call_fn(locant_tensor *out, const locant_tensor *x,
                              const locant_encoding *e,
                              const locant_tensor *positions, int flags);

/* One row by itself, as [1, D]. */
static void one_row(void *out, const void *x, const struct block *b,
                    const locant_encoding *e, int64_t pos, int flags,
                    call_fn *call)
{
    const int64_t shape[2] = { 1, b->t.shape[3] };
    locant_tensor from =
        locant_dense((void *)(uintptr_t)x, b->t.dtype, 2, shape);
    locant_tensor to = locant_dense(out, b->t.dtype, 2, shape);
    locant_tensor at = locant_dense(&pos, LOCANT_I64, 1, shape);

    CHECK_OK(call(&to, &from, e, &at, flags));
}

static locant_status rotate(locant_tensor *out, const locant_tensor *x,
                            const locant_encoding *e, const locant_tensor *pos,
                            int flags)
{
    return locant_encoding_rotate(out, x, e, pos, NULL, flags);
}

static locant_status add(locant_tensor *out, const locant_tensor *x,
                         const locant_encoding *e, const locant_tensor *pos,
                         int flags)
{
    (void)flags;
    return locant_encoding_add(out, x, e, pos, NULL);
}

/* Every row of 'got' is that of 'x' taken by itself. */
static void check_rows(const struct block *got, const struct block *x,
                       const locant_encoding *e, const int64_t *pos, int flags,
                       call_fn *call)
{
    const int64_t *n = x->t.shape;
    size_t bytes = (size_t)n[3] * locant_dtype_size(x->t.dtype);
    FREED_BY(free_memory) void *want = malloc(bytes);

    assert_non_null(want);
    for (int64_t i = 0; i < n[0]; i++)
        for (int64_t h = 0; h < n[1]; h++)
            for (int64_t t = 0; t < n[2]; t++) {
                one_row(want, row_of(x, i, h, t), x, e, pos[t], flags, call);
                if (memcmp(want, row_of(got, i, h, t), bytes) != 0)
                    FAIL("[%d,%d,%d,%d] at %d,%d,%d: %s, %s, flags %d",
                         (int)n[0], (int)n[1], (int)n[2], (int)n[3], (int)i,
                         (int)h, (int)t, locant_encoding_spec(e),
                         locant_dtype_name(x->t.dtype), flags);
            }
}

static struct block copy_of(const struct block *b)
{
    struct block c = *b;

    c.t.data = test_guarded(b->bytes);
    memcpy(c.t.data, b->t.data, b->bytes);
    return c;
}

/* Consecutive, then scattered, then around zero. */
static int64_t *positions_of(int64_t n)
{
    int64_t *pos = malloc(((size_t)n + 1) * sizeof(*pos));
    int64_t kind = test_range(0, 2), start = test_range(0, 1 << 20);

    assert_non_null(pos);
    for (int64_t t = 0; t < n; t++)
        pos[t] = kind == 0   ? start + t
                 : kind == 1 ? test_range(-1000, 100000)
                             : t - n / 2;
    return pos;
}

static void use_threads(void)
{
    static const int threads[] = { 1, 2, 3, 7 };

    CHECK_OK(locant_set_threads(threads[test_range(0, 3)]));
}

static int rounds(void)
{
    return TEST_SANITIZED ? 8 : 100;
}

/* Sizes across the blocks: many tokens of few heads and the other way round. */
static void sizes(int64_t *shape)
{
    bool large = test_range(0, 9) == 0;

    shape[0] = test_range(1, 3);
    shape[1] = test_range(1, large ? 3 : 9);
    shape[2] = test_range(1, large ? 600 : 70);
    shape[3] = 2 * test_range(4, large ? 64 : 50);
}

TEST(a_tensor_turns_as_its_rows_do)
{
    for (int round = 0; round < rounds(); round++) {
        locant_dtype dtype = dtypes[test_range(0, 3)];
        int flags = (int)test_range(0, 1) * LOCANT_ROTATE_INVERSE;
        struct block x, out, place;
        locant_encoding *e;
        locant_tensor at;
        int64_t shape[4], *pos;

        sizes(shape);
        e = test_create(specs[test_range(0, (int64_t)LEN(specs) - 1)]);
        pos = positions_of(shape[2]);
        at = locant_dense(pos, LOCANT_I64, 1, shape + 2);
        x = block_of(dtype, shape);
        out = block_of(dtype, shape);
        place = copy_of(&x);
        use_threads();
        CHECK_OK(rotate(&out.t, &x.t, e, &at, flags));
        CHECK_OK(rotate(&place.t, &place.t, e, &at, flags));
        check_rows(&out, &x, e, pos, flags, rotate);
        check_rows(&place, &x, e, pos, flags, rotate);
        test_guarded_free(x.t.data, x.bytes);
        test_guarded_free(out.t.data, out.bytes);
        test_guarded_free(place.t.data, place.bytes);
        locant_encoding_free(e);
        free(pos);
    }
    CHECK_OK(locant_set_threads(0));
}

TEST(queries_and_keys_turn_in_one_call)
{
    static const char *const both[] = { "rope(pairing=interleaved)",
                                        "rope(angles=hf)", "xpos" };

    for (int round = 0; round < rounds() / 2; round++) {
        int flags = (int)test_range(0, 1) * LOCANT_ROTATE_INVERSE;
        struct block q, k, q_out;
        locant_encoding *e;
        locant_tensor at, same;
        int64_t shape[4], *pos;
        struct block before;

        sizes(shape);
        e = test_create(both[test_range(0, 2)]);
        pos = positions_of(shape[2]);
        for (int64_t t = 0; t < shape[2]; t++)
            pos[t] %= 3000; /* further off the factors of xpos overflow */
        at = locant_dense(pos, LOCANT_I64, 1, shape + 2);
        q = block_of(dtypes[test_range(0, 3)], shape);
        q_out = block_of(q.t.dtype, shape);
        shape[1] = test_range(1, shape[1]);
        k = block_of(dtypes[test_range(0, 3)], shape);
        before = copy_of(&k);
        same = k.t;
        use_threads();
        CHECK_OK(locant_encoding_rotate_qk(&q_out.t, &k.t, &q.t, &same, e, &at,
                                           NULL, flags));
        check_rows(&q_out, &q, e, pos, flags, rotate);
        check_rows(&k, &before, e, pos, flags | LOCANT_ROTATE_KEY, rotate);
        test_guarded_free(q.t.data, q.bytes);
        test_guarded_free(q_out.t.data, q_out.bytes);
        test_guarded_free(k.t.data, k.bytes);
        test_guarded_free(before.t.data, before.bytes);
        locant_encoding_free(e);
        free(pos);
    }
    CHECK_OK(locant_set_threads(0));
}

TEST(rows_are_added_as_one_by_one)
{
    static const char *const tables[] = {
        "sinusoidal", "sinusoidal(form=split)",
        "sinusoidal(form=split,spacing=inclusive,start=2)", "sincos2d(width=9)"
    };

    for (int round = 0; round < rounds(); round++) {
        locant_dtype dtype = dtypes[test_range(0, 3)];
        struct block x, place;
        locant_encoding *e;
        locant_tensor at;
        int64_t shape[4], *pos;

        sizes(shape);
        shape[3] = 4 * test_range(1, 20);
        e = test_create(tables[test_range(0, 3)]);
        pos = positions_of(shape[2]);
        for (int64_t t = 0; t < shape[2]; t++)
            pos[t] = pos[t] < 0 ? -pos[t] % 81 : pos[t] % 81;
        at = locant_dense(pos, LOCANT_I64, 1, shape + 2);
        x = block_of(dtype, shape);
        place = copy_of(&x);
        use_threads();
        CHECK_OK(add(&place.t, &place.t, e, &at, 0));
        check_rows(&place, &x, e, pos, 0, add);
        test_guarded_free(x.t.data, x.bytes);
        test_guarded_free(place.t.data, place.bytes);
        locant_encoding_free(e);
        free(pos);
    }
    CHECK_OK(locant_set_threads(0));
}

/* x + P with P of locant_encoding_table(), rounded in the order promised. */
TEST(what_is_added_is_the_table)
{
    enum { T = 37, D = 26, LONG = 1100 };
    static const int64_t shape[2] = { T, D }, wide[2] = { 2, LONG };
    static float table[2 * LONG], x[2 * LONG], want[2 * LONG];
    static const struct {
        const char *spec;
        const int64_t *shape;
    } cases[] = { { "sinusoidal", shape },
                  { "learned(length=64)", shape },
                  { "sincos2d(width=9)", wide } };
    static float given[64 * D];
    locant_tensor params = DENSE(F32, given, 64, D);
    int64_t pos[T];

    for (size_t i = 0; i < LEN(given); i++)
        given[i] = (float)test_uniform();
    for (int t = 0; t < T; t++)
        pos[t] = (t * 7) % 41;
    for (size_t k = 0; k < LEN(cases); k++) {
        locant_tensor rows = locant_dense(table, LOCANT_F32, 2, cases[k].shape);
        locant_tensor to = locant_dense(x, LOCANT_F32, 2, cases[k].shape);
        locant_tensor at = locant_dense(pos, LOCANT_I64, 1, cases[k].shape);
        size_t n = lct_elements(&to);
        OWNED(locant_encoding) *e = test_create(cases[k].spec);

        CHECK_OK(locant_encoding_table(&rows, e, &at, &params));
        for (size_t i = 0; i < n; i++) {
            x[i] = (float)test_uniform();
            want[i] = x[i] + table[i];
        }
        CHECK_OK(locant_encoding_add(&to, &to, e, &at, &params));
        assert_memory_equal(x, want, n * sizeof(*x));
    }
}

/* 32 MiB of float32, 16 of the others: stored past the caches. */
TEST(large_results_have_the_bits_of_rotation_in_place)
{
    const int64_t shape[4] = { 1, 8, 16384, 64 };
    size_t n = 8 * 16384 * 64;
    FREED_BY(free_memory) int64_t *pos = malloc(16384 * sizeof(*pos));
    FREED_BY(free_memory) float *x = aligned_alloc(64, n * sizeof(*x));
    FREED_BY(free_memory) float *out = aligned_alloc(64, n * sizeof(*out));
    locant_tensor at = locant_dense(pos, LOCANT_I64, 1, &shape[2]);

    for (int64_t t = 0; t < shape[2]; t++)
        pos[t] = t;
    for (int i = 0; i < 6; i++) {
        locant_tensor from = locant_dense(x, dtypes[i % 3], 4, shape);
        locant_tensor to = locant_dense(out, dtypes[i % 3], 4, shape);
        OWNED(locant_encoding) *e = test_create(specs[i / 3]);

        for (size_t k = 0; k < n; k++)
            out[k] = (float)test_uniform();
        for (size_t k = 0; k < n; k++)
            lct_row_from_f32((char *)x + k * locant_dtype_size(from.dtype),
                             from.dtype, &out[k], 1);
        CHECK_OK(locant_encoding_rotate(&to, &from, e, &at, NULL, 0));
        CHECK_OK(locant_encoding_rotate(&from, &from, e, &at, NULL, 0));
        assert_memory_equal(out, x, n * locant_dtype_size(from.dtype));
    }
}

TEST(refuses_what_does_not_fit)
{
    static float q[4 * 8], k[4 * 8];
    int64_t pos[4] = { 0, 1, 2, 3 };
    locant_tensor Q = DENSE(F32, q, 4, 8);
    locant_tensor K = DENSE(F32, k, 4, 6);
    locant_tensor at = DENSE(I64, pos, 4);
    locant_encoding *e, *none;

    CHECK_OK(locant_encoding_create(&e, "rope"));
    none = test_create("alibi");
    REFUSES(SHAPE, locant_encoding_rotate_qk(&Q, &K, &Q, &K, e, &at, NULL, 0),
            "k is [.., 4, 6], expected the tokens and channels of q, [.., 4, "
            "8]");
    K.shape[1] = K.stride[0] = 8;
    REFUSES(PARAM,
            locant_encoding_rotate_qk(&Q, &K, &Q, &K, e, &at, NULL,
                                      LOCANT_ROTATE_KEY),
            "flags are 0x2, expected LOCANT_ROTATE_INVERSE or 0");
    CHECK(locant_encoding_rotate_qk(&Q, &Q, &Q, &Q, e, &at, NULL, 0) ==
          LOCANT_ERR_ALIAS);
    CHECK(locant_encoding_rotate_qk(&K, &Q, &Q, &K, e, &at, NULL, 0) ==
          LOCANT_ERR_ALIAS);
    REFUSES(UNSUPPORTED, locant_encoding_add(&Q, &Q, none, &at, NULL),
            "alibi adds nothing to embeddings; it has no input door");
    at.shape[0] = 3;
    CHECK(locant_encoding_add(&Q, &Q, e, &at, NULL) != LOCANT_OK);
    locant_encoding_free(e);
    locant_encoding_free(none);
}
