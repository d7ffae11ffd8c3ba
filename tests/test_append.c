/*
 * test_append.c - new keys and values in a contiguous, a ring and a paged
 * cache: rotated and rounded as by the other functions, and no other row is
 * touched.
 */
#include "testing.h"

#include "locant.h"
#include <stdbool.h>
#include <string.h>

enum { B = 2, HEADS = 2, T = 5, D = 32, MOST = 40, BLOCKS = 24 };

enum layout { CONTIGUOUS, RING, PAGED, LAYOUTS };

struct cache {
    enum layout layout;
    locant_dtype from, to;
    locant_quant quant;
    int64_t group, P, M, bytes; /* rows of a block, blocks; bytes of a row */
    int64_t length[B], count[B], table[B * MOST];
    locant_tensor k, v, kept_k, kept_v; /* caches before */
    locant_tensor k_cache, v_cache;
    locant_append a;
};

static int64_t count_of(const locant_tensor *t)
{
    return t->shape[0] * t->shape[1] * t->shape[2] * t->shape[3];
}

static locant_tensor copy_of(const locant_tensor *t)
{
    locant_tensor c = test_tensor(t->dtype, 4, t->shape);

    memcpy(c.data, t->data, (size_t)count_of(t) * locant_dtype_size(t->dtype));
    return c;
}

static void make(struct cache *c)
{
    static const locant_dtype types[] = { LOCANT_F32, LOCANT_F16, LOCANT_BF16 };
    int64_t size, order[BLOCKS];

    memset(c, 0, sizeof(*c));
    c->layout = (enum layout)(test_rand() % LAYOUTS);
    c->from = types[test_rand() % LEN(types)];
    c->to = types[test_rand() % LEN(types)];
    c->quant = (locant_quant)test_range(0, LOCANT_QUANT_E5M2);
    c->group = c->quant == LOCANT_QUANT_INT8 && test_rand() % 2 ? 8 : 0;
    size = D;
    if (c->quant != LOCANT_QUANT_NONE) {
        c->to = LOCANT_U8;
        CHECK_OK(locant_quant_row_bytes(&size, c->quant, c->group, D));
    }
    c->bytes = size * (int64_t)locant_dtype_size(c->to);
    c->P = c->layout == PAGED ? test_range(1, 7) : MOST;
    c->M = c->layout == PAGED ? 10 : 1;
    for (int b = 0; b < B; b++) {
        c->count[b] = test_range(0, T);
        c->length[b] = test_range(0, c->P * c->M - T);
        if (c->layout == RING)
            c->length[b] = test_range(0, 1000);
    }
    for (int i = 0; i < BLOCKS; i++) {
        int64_t other = test_range(0, i);

        order[i] = order[other];
        order[other] = i;
    }
    for (int i = 0; i < B * c->M; i++)
        c->table[i] = order[i];
    c->k = test_tensor(c->from, 4, TEST_SHAPE(B, HEADS, T, D));
    c->v = test_tensor(c->from, 4, c->k.shape);
    test_fill(&c->k, (size_t)count_of(&c->k));
    test_fill(&c->v, (size_t)count_of(&c->v));
    c->k_cache = test_tensor(
        c->to, 4,
        TEST_SHAPE(c->layout == PAGED ? BLOCKS : B, HEADS, c->P, size));
    c->v_cache = copy_of(&c->k_cache);
    c->kept_k = copy_of(&c->k_cache);
    c->kept_v = copy_of(&c->v_cache);
}

static void drop(struct cache *c)
{
    test_tensor_free(&c->k);
    test_tensor_free(&c->v);
    test_tensor_free(&c->k_cache);
    test_tensor_free(&c->v_cache);
    test_tensor_free(&c->kept_k);
    test_tensor_free(&c->kept_v);
}

static void call(struct cache *c, const locant_encoding *e)
{
    locant_append a = LOCANT_APPEND_INIT;

    a.k_cache = &c->k_cache;
    a.v_cache = &c->v_cache;
    a.k = &c->k;
    a.v = &c->v;
    a.lengths = VIEW(I64, c->length, B);
    a.counts = VIEW(I64, c->count, B);
    a.block_table = c->layout == PAGED ? VIEW(I64, c->table, B, c->M) : NULL;
    a.ring = c->layout == RING;
    a.encoding = e;
    a.quant = c->quant;
    a.quant_group = c->group;
    CHECK_OK(locant_cache_append(&a));
}

/* Row n of sequence b in a cache. */
static char *row_of(const struct cache *c, const locant_tensor *cache, int b,
                    int h, int64_t n)
{
    int64_t block = b, row = c->layout == RING ? n % MOST : n;

    if (c->layout == PAGED) {
        block = c->table[b * c->M + n / c->P];
        row = n % c->P;
    }
    return (char *)cache->data + ((block * HEADS + h) * c->P + row) * c->bytes;
}

/* One row by the public functions: float32, rotated, in the cache's type. */
static void expected(void *out, const struct cache *c, const locant_tensor *x,
                     int b, int h, int64_t i, int64_t position,
                     const locant_encoding *e)
{
    const char *row =
        (const char *)x->data +
        (size_t)(((b * HEADS + h) * T + i) * D) * locant_dtype_size(c->from);
    float wide[D];

    if (c->from == LOCANT_F32)
        memcpy(wide, row, sizeof(wide));
    else
        for (int d = 0; d < D; d++) {
            uint16_t half;
            uint32_t bits;

            memcpy(&half, row + 2 * d, sizeof(half));
            bits = (uint32_t)half << 16;
            if (c->from == LOCANT_F16) /* test_fill() has normal numbers */
                bits = (uint32_t)(half & 0x8000) << 16 |
                       (((uint32_t)(half & 0x7fff) << 13) + (112u << 23));
            memcpy(&wide[d], &bits, sizeof(bits));
        }
    if (e != NULL)
        CHECK_OK(locant_encoding_rotate(
            VIEW(F32, wide, 1, D), VIEW(F32, wide, 1, D), e,
            VIEW(I64, &position, 1), NULL, LOCANT_ROTATE_KEY));
    if (c->quant != LOCANT_QUANT_NONE)
        CHECK_OK(locant_quantize(VIEW(U8, out, 1, c->bytes),
                                 VIEW(F32, wide, 1, D), c->quant, c->group));
    else
        memcpy(out, wide, sizeof(wide));
}

/* The bits of a 16-bit cache row, widened; others as they are. */
static bool same(const char *row, const void *want, const struct cache *c)
{
    float x[D];

    if (c->to == LOCANT_F32 || c->to == LOCANT_U8)
        return memcmp(row, want, (size_t)c->bytes) == 0;
    memcpy(x, want, sizeof(x));
    for (int d = 0; d < D; d++) {
        /* rounded once: at most half a unit of 8 or 11 bits */
        double unit = c->to == LOCANT_F16 ? 0x1p-11 : 0x1p-8, y;
        uint16_t half;
        uint32_t bits;
        float wide;

        memcpy(&half, row + 2 * d, sizeof(half));
        bits = (uint32_t)half << 16;
        if (c->to == LOCANT_F16)
            bits = (uint32_t)(half & 0x8000) << 16 |
                   (((uint32_t)(half & 0x7fff) << 13) + (112u << 23));
        memcpy(&wide, &bits, sizeof(wide));
        y = (double)wide - (double)x[d];
        /* 2^-14: below it, binary16 is denormal, which is not widened here */
        if (!(y * y <= unit * unit * (double)x[d] * (double)x[d] + 0x1p-28))
            return false;
    }
    return true;
}

TEST(rows_are_those_of_the_other_functions)
{
    OWNED(locant_encoding) *rope = test_create("rope(pairing=interleaved)");

    for (int n = 0; n < test_cases(300); n++) {
        const locant_encoding *e = n % 2 ? rope : NULL;
        struct cache c;

        make(&c);
        call(&c, e);
        for (int b = 0; b < B; b++)
            for (int h = 0; h < HEADS; h++)
                for (int64_t i = T - c.count[b]; i < T; i++) {
                    int64_t at = c.length[b] + i - T + c.count[b];
                    char want[D * 8];

                    expected(want, &c, &c.k, b, h, i, at, e);
                    CHECK(same(row_of(&c, &c.k_cache, b, h, at), want, &c));
                    expected(want, &c, &c.v, b, h, i, at, NULL);
                    CHECK(same(row_of(&c, &c.v_cache, b, h, at), want, &c));
                    /* so that what is left is what was there before */
                    memcpy(row_of(&c, &c.k_cache, b, h, at),
                           row_of(&c, &c.kept_k, b, h, at), (size_t)c.bytes);
                    memcpy(row_of(&c, &c.v_cache, b, h, at),
                           row_of(&c, &c.kept_v, b, h, at), (size_t)c.bytes);
                }
        CHECK(memcmp(c.k_cache.data, c.kept_k.data,
                     (size_t)count_of(&c.k_cache) * locant_dtype_size(c.to)) ==
              0);
        CHECK(memcmp(c.v_cache.data, c.kept_v.data,
                     (size_t)count_of(&c.v_cache) * locant_dtype_size(c.to)) ==
              0);
        drop(&c);
    }
}

/* ----------------------------------------------------------------- refusals */

struct small {
    float k[B * T * 4], cache[2][6 * 2 * 4];
    int64_t length[B], count[B], table[B * 3], pos[T];
    locant_tensor tk, tc[2], tl, tn, tt;
    locant_append a;
};

static void small_make(struct small *p)
{
    memset(p, 0, sizeof(*p));
    p->tk = DENSE(F32, p->k, B, 1, T, 4);
    for (int i = 0; i < 2; i++)
        p->tc[i] = DENSE(F32, p->cache[i], 6, 1, 2, 4);
    p->tl = DENSE(I64, p->length, B);
    p->tn = DENSE(I64, p->count, B);
    p->tt = DENSE(I64, p->table, B, 3);
    memcpy(p->table, (int64_t[B * 3]){ 3, 0, 5, 1, 4, 2 }, sizeof(p->table));
    p->a = (locant_append)LOCANT_APPEND_INIT;
    p->a.k = p->a.v = &p->tk;
    p->a.k_cache = &p->tc[0];
    p->a.v_cache = &p->tc[1];
    p->a.lengths = &p->tl;
    p->a.counts = &p->tn;
    p->a.block_table = &p->tt;
    p->count[0] = p->count[1] = 2;
    for (int i = 0; i < B * T * 4; i++)
        p->k[i] = 1;
}

/* The call fails, writes nothing, and *p is as it was at first. */
static void refuses(struct small *p, locant_status status, const char *message)
{
    CHECK_REFUSED(locant_cache_append(&p->a), status, message);
    for (size_t i = 0; i < LEN(p->cache[0]); i++)
        CHECK(p->cache[0][i] == 0 && p->cache[1][i] == 0);
    small_make(p);
}

TEST(hostile_tables_are_refused)
{
    struct small p;

    small_make(&p);
    p.table[3] = 6;
    refuses(&p, LOCANT_ERR_PARAM,
            "locant_cache_append: block 0 of sequence 1 is 6, expected 0 to 5");
    p.table[0] = INT64_MIN;
    refuses(&p, LOCANT_ERR_PARAM,
            "locant_cache_append: block 0 of sequence 0 is "
            "-9223372036854775808, expected 0 to 5");
    p.length[0] = -1;
    refuses(&p, LOCANT_ERR_PARAM,
            "locant_cache_append: the length of sequence 0 is -1, expected at "
            "least 0");
    p.length[1] = 5;
    refuses(&p, LOCANT_ERR_PARAM,
            "locant_cache_append: sequence 1 has 5 tokens and 2 new ones, "
            "expected room for them in 6 rows");
    p.length[1] = INT64_MAX;
    refuses(&p, LOCANT_ERR_PARAM,
            "locant_cache_append: sequence 1 has 9223372036854775807 tokens "
            "and 2 new ones, expected room for them in 6 rows");
    p.count[1] = -1;
    refuses(&p, LOCANT_ERR_PARAM,
            "locant_cache_append: the count of sequence 1 is -1, expected 0 to "
            "5");
    p.table[3] = 3; /* both sequences begin in block 3 */
    refuses(&p, LOCANT_ERR_PARAM,
            "locant_cache_append: two new tokens go to row 0 of block 3, "
            "expected a row for each");
    p.a.v_cache = &p.tc[0];
    refuses(&p, LOCANT_ERR_ALIAS,
            "locant_cache_append: an output overlaps an input");
    p.a.ring = 1;
    p.length[0] = INT64_MAX - 1;
    refuses(&p, LOCANT_ERR_PARAM,
            "locant_cache_append: sequence 0 has 9223372036854775806 tokens "
            "and 2 new ones, expected room for them in 6 rows");
    CHECK_OK(locant_cache_append(&p.a));
    CHECK(p.cache[0][3 * 8] == 1 && p.cache[0][1 * 8] == 1);
}

/* The rotation of the last token is refused before the first is written. */
TEST(positions_are_checked_before_writing)
{
    OWNED(locant_encoding) *e = test_create("pose(length=64,chunks=2)+rope");
    struct small p;

    small_make(&p);
    p.a.encoding = e;
    p.a.counts = NULL;
    memcpy(p.pos, (int64_t[T]){ 0, 1, 2, 3, INT64_MIN }, sizeof(p.pos));
    p.a.positions = VIEW(I64, p.pos, T);
    if (locant_cache_append(&p.a) != LOCANT_OK)
        for (size_t i = 0; i < LEN(p.cache[0]); i++)
            CHECK(p.cache[0][i] == 0 && p.cache[1][i] == 0);
    small_make(&p);
    p.a.positions = VIEW(I64, p.pos, T - 1);
    refuses(
        &p, LOCANT_ERR_SHAPE,
        "locant_cache_append: positions has size 4 in dimension 0, expected "
        "5");
}
