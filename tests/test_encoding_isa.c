/*
 * test_encoding_isa.c - tables, rotations and biases have the same bits on
 * every instruction set, of every row of the registry; LOCANT_CASES=n changes
 * the number of random cases.
 * It prints a hash of them all, to be compared with another machine's.
 */
#include "oracle/draw.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

/* Run fn on random specs of every encoding with this door. */
static void each(unsigned door, int usual, void (*fn)(struct drawn *d))
{
    int cases = test_cases(usual), met = 0;

    for (int i = 0; oracle_all[i] != NULL; i++)
        for (int k = 0; k < cases; k++) {
            int64_t D = test_range(2, 160), W = test_range(1, 150);
            struct drawn d;

            draw_any(&d, oracle_all[i], D, W);
            met += (d.doors & door) != 0;
            if (d.doors & door)
                fn(&d);
            draw_free(&d);
        }
    CHECK(met > 0);
}

/* The bytes of one call under each instruction set. */
static void same_bits(void (*call)(void *data, locant_tensor *out), void *data,
                      locant_tensor *out, size_t bytes)
{
    FREED_BY(free_memory) void *want = malloc(bytes + 1);
    int available, first = 1;

    assert_non_null(want);
    for (int i = 0; locant_isa_at(i, &available) != NULL; i++) {
        if (!available)
            continue;
        CHECK_OK(locant_set_isa(locant_isa_at(i, NULL)));
        memset(out->data, 0x55, bytes);
        call(data, out);
        if (first)
            memcpy(want, out->data, bytes);
        first = 0;
        if (memcmp(want, out->data, bytes) != 0)
            FAIL("%s differs from %s", locant_isa(), locant_isa_at(0, NULL));
    }
    CHECK_OK(locant_set_isa(NULL));
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((uint8_t *)want)[i]) * UINT64_C(0x100000001b3);
}

struct any_call {
    const struct drawn *d;
    locant_tensor x, q, k;
    int inverse;
};

static void call_rotate(void *data, locant_tensor *out)
{
    struct any_call *a = data;

    CHECK_OK(locant_encoding_rotate(out, &a->x, a->d->e, &a->q,
                                    draw_params_in(a->d), a->inverse));
}

static void call_table(void *data, locant_tensor *out)
{
    struct any_call *a = data;

    CHECK_OK(locant_encoding_table(out, a->d->e, &a->q, draw_params_in(a->d)));
}

static void call_bias(void *data, locant_tensor *out)
{
    struct any_call *a = data;

    CHECK_OK(
        locant_encoding_bias(out, a->d->e, &a->q, &a->k, draw_params_in(a->d)));
}

/* Integers, or what an encoding of real coordinates takes. */
static locant_tensor positions(const struct drawn *d, int64_t n)
{
    locant_tensor t;

    if (!(d->traits & LOCANT_TRAIT_REAL))
        return test_positions(n, d->low, d->high);
    t = TENSOR(F64, n, d->axes);
    for (size_t i = 0; i < oracle_count(&t); i++)
        oracle_put(&t, i, 9 * oracle_get(&t, i));
    return t;
}

static size_t bytes_of(const locant_tensor *t)
{
    return oracle_count(t) * locant_dtype_size(t->dtype);
}

static void isa_rotate(struct drawn *d)
{
    static const locant_dtype types[] = { LOCANT_F32, LOCANT_F64, LOCANT_F16,
                                          LOCANT_BF16 };
    int64_t T = test_range(1, 5), shape[3] = { 2, T, d->D };
    const struct oracle_call sizes = { .spec = d->spec, .D = d->D };
    locant_dtype type = types[test_range(0, 3)];
    struct any_call a = { .d = d };
    locant_tensor out;

    draw_params(d, LOCANT_F32, &(locant_sizes){ 2 * d->D, 2, 2, d->D });
    a.inverse = d->traits & LOCANT_TRAIT_ISOMETRIC ? (int)test_range(0, 1) : 0;
    a.x = test_tensor(type, 3, shape);
    test_fill(&a.x, oracle_count(&a.x));
    if (d->o->rotated_width != NULL)
        shape[2] = d->o->rotated_width(&sizes);
    out = test_tensor(type, 3, shape);
    a.q = positions(d, T);
    same_bits(call_rotate, &a, &out, bytes_of(&out));
    test_tensor_free(&out);
    test_tensor_free(&a.x);
    test_tensor_free(&a.q);
}

static void isa_table(struct drawn *d)
{
    int64_t T = test_range(1, 5);
    struct any_call a = { .d = d };
    OWNED(locant_tensor) out = TENSOR(F32, T, d->W);

    draw_params(d, LOCANT_F32, &(locant_sizes){ .width = d->W });
    a.q = positions(d, T);
    same_bits(call_table, &a, &out, bytes_of(&out));
    test_tensor_free(&a.q);
}

static void isa_bias(struct drawn *d)
{
    int64_t H = test_range(1, 5), T = test_range(1, 7), S = test_range(1, 70);
    struct any_call a = { .d = d };
    OWNED(locant_tensor) out = TENSOR(F32, H, T, S);

    draw_params(d, LOCANT_F32, &(locant_sizes){ .heads = H, .kv_heads = H });
    if (d->o->far > 0) {
        d->low = -d->o->far - 1;
        d->high = d->o->far;
    }
    a.q = positions(d, T);
    a.k = positions(d, S);
    same_bits(call_bias, &a, &out, bytes_of(&out));
    test_tensor_free(&a.q);
    test_tensor_free(&a.k);
}

TEST(every_isa_gives_the_same_bits)
{
    each(LOCANT_DOOR_ROTATE, 1000, isa_rotate);
    each(LOCANT_DOOR_INPUT, 250, isa_table);
    each(LOCANT_DOOR_SCORE, 250, isa_bias);
    print_message("bits %016" PRIx64 "\n", hash);
}
