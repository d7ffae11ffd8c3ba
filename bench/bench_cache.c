/*
 * bench_cache.c - caches of keys and values: new tokens appended, rotated and
 * converted; quantised keys moved in place.
 */
#include "bench.h"
#include <math.h>

struct cache_state {
    struct bench_case c;
    struct bench_encoding encoding;
    locant_tensor k, v, k_cache, v_cache; /* new tokens, and where they go */
    locant_tensor length, blocks, here, there;
    int calls;
    locant_status status; /* of the last call */
};

static void teardown(void *state)
{
    struct cache_state *s = state;

    if (s == NULL)
        return;
    bench_release(&s->k, 8); /* the tensors follow each other */
    bench_encoding_close(&s->encoding);
    locant_release(s);
}

/* [1, H, T, D] or, in blocks, [T / P, H, P, D]; quantised, rows of bytes. */
static bool make_cache(locant_tensor *out, const struct bench_case *c)
{
    const bool paged = c->block > 0, bytes = c->quant != LOCANT_QUANT_NONE;
    int64_t shape[] = { paged ? c->tokens / c->block : 1, c->heads,
                        paged ? c->block : c->tokens, c->dim };

    if (bytes &&
        locant_quant_row_bytes(&shape[3], c->quant, 0, c->dim) != LOCANT_OK)
        return false;
    return bench_tensor(out, bytes ? LOCANT_U8 : c->dtype, 4, shape);
}

static bool fill(locant_tensor *t, const struct bench_case *c, uint64_t seed)
{
    if (!bench_tensor(t, c->dtype, 4,
                      (int64_t[]){ 1, c->heads, c->tokens, c->dim }))
        return false;
    bench_fill(t->data, c->dtype, NULL, (size_t)bench_elements(t), seed);
    return true;
}

static bool make(struct cache_state *s)
{
    const struct bench_case *c = &s->c;
    const locant_sizes sizes = { .width = c->heads * c->dim,
                                 .heads = c->heads,
                                 .kv_heads = c->heads,
                                 .head_dim = c->dim };

    return bench_encoding_open(&s->encoding, c->spec, c->tokens, &sizes) ==
               LOCANT_OK &&
           fill(&s->k, c, 1) && fill(&s->v, c, 2) &&
           make_cache(&s->k_cache, c) && make_cache(&s->v_cache, c) &&
           bench_count(&s->length, 0, 1) &&
           (c->block == 0 ||
            bench_count(&s->blocks, 0, c->tokens / c->block)) &&
           bench_count(&s->here, 0, c->tokens) &&
           bench_count(&s->there, 1000, c->tokens);
}

static void *setup(const struct bench_case *c)
{
    struct cache_state *s = bench_alloc(sizeof(*s));

    if (s == NULL)
        return NULL;
    s->c = *c;
    if (make(s))
        return s;
    teardown(s);
    return NULL;
}

/* Empty before each call. */
static void append(void *state)
{
    struct cache_state *s = state;
    locant_tensor table = s->blocks;
    locant_append a = LOCANT_APPEND_INIT;

    table.rank = 2;
    table.shape[1] = table.shape[0];
    table.shape[0] = table.stride[1] = 1;
    a.k_cache = &s->k_cache;
    a.v_cache = &s->v_cache;
    a.k = &s->k;
    a.v = &s->v;
    a.lengths = &s->length;
    a.block_table = s->c.block > 0 ? &table : NULL;
    a.encoding = s->encoding.e;
    a.params = s->encoding.params;
    a.quant = s->c.quant;
    s->status = locant_cache_append(&a);
}

/* There, back, there, .. */
static void rerotate(void *state)
{
    struct cache_state *s = state;
    const bool back = s->calls++ % 2 != 0;

    s->status =
        locant_quant_rerotate(&s->k_cache, s->c.quant, 0, s->c.dim,
                              s->encoding.e, back ? &s->there : &s->here,
                              s->encoding.e, back ? &s->here : &s->there);
}

/* Keys of the cache as F32 [1, H, T, D]. */
static bool read_keys(locant_tensor *out, const struct cache_state *s)
{
    const struct bench_case *c = &s->c;
    const int64_t P = c->block > 0 ? c->block : c->tokens;
    locant_tensor flat = { 0 };
    bool read = true;

    if (!bench_tensor(out, LOCANT_F32, 4,
                      (int64_t[]){ 1, c->heads, c->tokens, c->dim }) ||
        !bench_tensor(&flat, LOCANT_F32, 4,
                      (int64_t[]){ c->tokens / P, c->heads, P, c->dim }))
        return false;
    if (c->quant == LOCANT_QUANT_NONE)
        bench_widen(flat.data, s->k_cache.data, c->dtype,
                    (size_t)bench_elements(&flat));
    else
        read = locant_dequantize(&flat, &s->k_cache, c->quant, 0) == LOCANT_OK;
    for (int64_t i = 0; read && i < bench_elements(&flat); i++) {
        const int64_t d = i % c->dim, t = i / c->dim % P;
        const int64_t h = i / c->dim / P % c->heads;
        const int64_t block = i / c->dim / P / c->heads;

        ((float *)out->data)[(h * c->tokens + block * P + t) * c->dim + d] =
            ((const float *)flat.data)[i];
    }
    locant_release(flat.data);
    return read;
}

/*
 * Normal numbers, rotated, stay below 8.  The errors of cache.h for that
 * magnitude; a wrong rotation differs by several units.
 */
static double bound(locant_quant quant)
{
    switch (quant) {
    case LOCANT_QUANT_NONE: return 8 * 0x1p-8; /* bf16 */
    case LOCANT_QUANT_INT8:
    case LOCANT_QUANT_Q8_0: return 8 * (1.0 / 254 + 0x1p-11);
    case LOCANT_QUANT_E4M3: return 8 * 0x1p-4;
    default: return 8 * 0x1p-3;
    }
}

/* Rotates 'want', in double, from one place to another (NULL: none), and
   compares the keys of the cache with it. */
static const char *compare(struct cache_state *s, locant_tensor *want,
                           const locant_tensor *from, const locant_tensor *to)
{
    locant_tensor got = { 0 };
    const char *wrong = NULL;
    locant_status status = s->status;

    if (status == LOCANT_OK && from != NULL)
        status = locant_encoding_rotate(
            want, want, s->encoding.e, from, s->encoding.params,
            LOCANT_ROTATE_INVERSE | LOCANT_ROTATE_KEY);
    if (status == LOCANT_OK)
        status = locant_encoding_rotate(want, want, s->encoding.e, to,
                                        s->encoding.params, LOCANT_ROTATE_KEY);
    if (status != LOCANT_OK || !read_keys(&got, s))
        wrong = locant_last_error();
    else if (!(bench_distance(&got, want) < bound(s->c.quant)))
        wrong = "a key differs from its rotation in double";
    locant_release(got.data);
    return wrong;
}

static const char *check_append(void *state)
{
    struct cache_state *s = state;
    locant_tensor want = { 0 };
    const char *wrong;

    if (!bench_as_double(&want, &s->k))
        return locant_last_error();
    append(s);
    wrong = compare(s, &want, NULL, &s->here);
    locant_release(want.data);
    return wrong;
}

static const char *check_rerotate(void *state)
{
    struct cache_state *s = state;
    locant_tensor before = { 0 }, want = { 0 };
    const char *wrong;

    append(s);
    if (s->status != LOCANT_OK || !read_keys(&before, s) ||
        !bench_as_double(&want, &before)) {
        locant_release(before.data);
        return locant_last_error();
    }
    rerotate(s);
    wrong = compare(s, &want, &s->here, &s->there);
    locant_release(before.data);
    locant_release(want.data);
    return wrong;
}

static double row_bytes(const struct bench_case *c)
{
    int64_t bytes = c->dim * (int64_t)locant_dtype_size(c->dtype);

    if (c->quant != LOCANT_QUANT_NONE &&
        locant_quant_row_bytes(&bytes, c->quant, 0, c->dim) != LOCANT_OK)
        return 0;
    return (double)bytes;
}

/* Keys and values read and written. */
static double bytes_appended(const struct bench_case *c)
{
    return 2.0 * (double)(c->heads * c->tokens) *
           (row_bytes(c) +
            (double)c->dim * (double)locant_dtype_size(c->dtype));
}

static double bytes_moved(const struct bench_case *c)
{
    return 2.0 * (double)(c->heads * c->tokens) * row_bytes(c);
}

/* clang-format off */
const struct bench_work work_append = {
    .unit = "GB/s", .peak = PEAK_STREAM, .setup = setup, .check = check_append,
    .run = append, .teardown = teardown, .amount = bytes_appended,
};
const struct bench_work work_quant_rerotate = {
    .unit = "GB/s", .peak = PEAK_STREAM, .setup = setup,
    .check = check_rerotate, .run = rerotate, .teardown = teardown,
    .amount = bytes_moved,
};
/* clang-format on */
