/*
 * test_encoding_isa.c - tables, rotations and biases have the same bits on
 * every instruction set.  1000 random cases each; LOCANT_CASES=n changes that.
 * It prints a hash of them all, to be compared with another machine's.
 */
#include "oracle/judge.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

/* A random choice of encoding o for D channels. */
static locant_encoding *pick(struct oracle_choice *c, const struct oracle *o,
                             int64_t D)
{
    int choices = 0;

    while (o->choose(c, choices, D))
        choices++;
    CHECK(o->choose(c, (int)test_range(0, choices - 1), D));
    return judge_create(c->spec);
}

/* Run fn on random choices of every encoding with this door */
static void each(unsigned door, int usual, void (*fn)(const struct oracle *o))
{
    int cases = judge_cases(usual), met = 0;

    for (int i = 0; test_oracles[i] != NULL; i++) {
        const struct oracle *o = test_oracles[i];

        if (!(o->doors & door))
            continue;
        met++;
        for (int k = 0; k < cases; k++)
            fn(o);
    }
    CHECK(met > 0);
}

/* The bytes of one call under each instruction set. */
static void same_bits(void (*call)(void *data, locant_tensor *out),
                      void *data, locant_tensor *out, size_t bytes)
{
    void *want = malloc(bytes + 1);
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
    free(want);
}

struct any_call {
    locant_encoding *e;
    locant_tensor x, q, k;
    const locant_tensor *params;
    int inverse;
};

static void call_rotate(void *data, locant_tensor *out)
{
    struct any_call *a = data;

    CHECK_OK(locant_encoding_rotate(out, &a->x, a->e, &a->q, NULL, a->inverse));
}

static void call_table(void *data, locant_tensor *out)
{
    struct any_call *a = data;

    CHECK_OK(locant_encoding_table(out, a->e, &a->q, a->params));
}

static void call_bias(void *data, locant_tensor *out)
{
    struct any_call *a = data;

    CHECK_OK(locant_encoding_bias(out, a->e, &a->q, &a->k, a->params));
}

static void isa_rotate(const struct oracle *o)
{
    static const locant_dtype types[] = { LOCANT_F32, LOCANT_F64, LOCANT_F16,
                                          LOCANT_BF16 };
    int64_t T = test_range(1, 5), D = 2 * test_range(1, 80);
    int64_t shape[3] = { 2, T, D };
    locant_dtype type = types[test_range(0, 3)];
    size_t n = (size_t)(2 * T * D);
    struct oracle_choice c;
    struct any_call a = { .e = pick(&c, o, D) };
    locant_tensor out = test_tensor(type, 3, shape);

    a.inverse = (int)test_range(0, 1);
    a.x = test_tensor(type, 3, shape);
    judge_fill(&a.x, n);
    a.q = judge_positions(T, INT32_MIN, INT32_MAX);
    same_bits(call_rotate, &a, &out, n * locant_dtype_size(type));
    test_tensor_free(&out);
    test_tensor_free(&a.x);
    test_tensor_free(&a.q);
    locant_encoding_free(a.e);
}

static void isa_table(const struct oracle *o)
{
    int64_t T = test_range(1, 5), D = test_range(1, 150), low, high;
    int64_t shape[2] = { T, D };
    struct oracle_choice c;
    struct any_call a = { .e = pick(&c, o, D) };
    locant_tensor out = test_tensor(LOCANT_F32, 2, shape);
    struct oracle_params p;

    oracle_positions(&low, &high, o, &c);
    oracle_params_make(&p, o, &c, LOCANT_F32, 1, D);
    a.params = oracle_params_in(&p);
    a.q = judge_positions(T, low, high);
    same_bits(call_table, &a, &out, (size_t)(T * D) * sizeof(float));
    oracle_params_free(&p);
    test_tensor_free(&out);
    test_tensor_free(&a.q);
    locant_encoding_free(a.e);
}

static void isa_bias(const struct oracle *o)
{
    int64_t H = test_range(1, 5), T = test_range(1, 7), S = test_range(1, 70);
    int64_t shape[3] = { H, T, S };
    struct oracle_choice c;
    struct any_call a = { .e = pick(&c, o, 16) };
    locant_tensor out = test_tensor(LOCANT_F32, 3, shape);
    struct oracle_params p;

    oracle_params_make(&p, o, &c, LOCANT_F32, H, 16);
    a.params = oracle_params_in(&p);
    a.q = judge_positions(T, INT32_MIN, INT32_MAX);
    a.k = judge_positions(S, INT32_MIN, INT32_MAX);
    same_bits(call_bias, &a, &out, (size_t)(H * T * S) * sizeof(float));
    oracle_params_free(&p);
    test_tensor_free(&out);
    test_tensor_free(&a.q);
    test_tensor_free(&a.k);
    locant_encoding_free(a.e);
}

static void every_isa_gives_the_same_bits(void **state)
{
    (void)state;
    each(LOCANT_DOOR_ROTATE, 1000, isa_rotate);
    each(LOCANT_DOOR_INPUT, 1000, isa_table);
    each(LOCANT_DOOR_SCORE, 1000, isa_bias);
    print_message("bits %016" PRIx64 "\n", hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_isa_gives_the_same_bits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
