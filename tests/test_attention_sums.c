/*
 * test_attention_sums.c - attention with several encodings at once, with maps
 * of queries and keys that are no plain rotation, and at coordinates.
 */
#include "oracle/mixed.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sums[] = {
    "rope+alibi",
    "t5+rope",
    "alibi+rope(dim=4,side=trailing)",
    "rope(pairing=interleaved)+kerple",
    "learned(length=200)+t5",
    "sinusoidal+rope+kerple(kind=power)",
    "xpos+t5",
    "pope+kerple",
    "alibi(dialect=mpt)+rope",
    "fire(hidden=4)+rope",
    "rope2d(width=12,height=12)+alibi",
    "rope(scaling=dynamic(factor=2,original=16))+t5",
};

/* Ragged tiles, several of them, for both masks and both dtypes. */
TEST(fast_agrees_with_reference)
{
    for (size_t i = 0; i < LEN(sums); i++)
        for (int mask = 0; mask < 2; mask++) {
            struct mixed m = { .spec = sums[i],
                               .dtype = LOCANT_F32,
                               .mask = (locant_mask)mask,
                               .T = TEST_SANITIZED ? 20 : 70,
                               .S = TEST_SANITIZED ? 70 : 131,
                               .D = 12 };

            mixed_make(&m);
            mixed_judge_fast(&m);
            mixed_free(&m);
        }
}

TEST(gradients_are_those_of_the_values)
{
    for (size_t i = 0; i < LEN(sums); i++)
        for (int mask = 0; mask < 2; mask++) {
            struct mixed m = { .spec = sums[i],
                               .dtype = LOCANT_F64,
                               .mask = (locant_mask)mask };

            mixed_make(&m);
            mixed_judge_differences(&m);
            mixed_free(&m);
        }
}

/* A map with parameters for each head of q and k. */
TEST(learned_frequencies_have_gradients)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64 };

    for (int i = 0; i < 2; i++) {
        struct mixed m = { .spec = "rope-mixed(width=3)+t5",
                           .dtype = dtypes[i],
                           .H = 3,
                           .G = 3,
                           .T = 20,
                           .S = 70 };

        mixed_make(&m);
        mixed_judge_fast(&m);
        if (dtypes[i] == LOCANT_F64)
            mixed_judge_differences(&m);
        mixed_free(&m);
    }
}

/* ------------------------------------------------- what a sum is made of */

/* Rows b of q or k [B, H, T, D] turned by the public function. */
static locant_tensor turned(const struct mixed *m, const locant_tensor *x,
                            const locant_encoding *e, const locant_tensor *pos,
                            const locant_tensor *params, int flags,
                            int64_t width)
{
    int64_t shape[4] = { x->shape[0], x->shape[1], x->shape[2], width };
    locant_tensor out = test_tensor(m->dtype, 4, shape);

    for (int64_t b = 0; b < x->shape[0]; b++) {
        locant_tensor to = out, from = *x, p = *pos;

        to.rank = from.rank = 3;
        memmove(to.shape, to.shape + 1, 3 * sizeof(int64_t));
        memmove(to.stride, to.stride + 1, 3 * sizeof(int64_t));
        memmove(from.shape, from.shape + 1, 3 * sizeof(int64_t));
        memmove(from.stride, from.stride + 1, 3 * sizeof(int64_t));
        to.data = (double *)out.data + b * out.stride[0];
        from.data = (double *)x->data + b * x->stride[0];
        p.rank--;
        p.data = (char *)pos->data + 8 * b * pos->stride[0];
        memmove(p.shape, p.shape + 1, sizeof(p.shape) - sizeof(int64_t));
        memmove(p.stride, p.stride + 1, sizeof(p.stride) - sizeof(int64_t));
        CHECK_OK(locant_encoding_rotate(&to, &from, e, &p, params, flags));
    }
    return out;
}

/*
 * Turning first and attending with the other part is the sum: F64, where only
 * the order of a few operations may differ.
 */
static void turning_first_is_the_same(const char *turn, const char *other,
                                      int64_t width, int axes)
{
    char spec[100];
    FREED_BY(mixed_free)
    struct mixed m = { .spec = spec, .dtype = LOCANT_F64, .axes = axes };
    locant_encoding *rotate, *rest;
    locant_tensor q, k, v = { 0 }, out, lse;
    locant_attention a;
    int64_t wide[4];

    snprintf(spec, sizeof(spec), "%s+%s", turn, other);
    CHECK_OK(locant_encoding_create(&rotate, turn));
    rest = test_create(other);
    mixed_make(&m);
    q = turned(&m, &m.q, rotate, axes ? &m.q_coords : &m.q_pos, m.params, 0,
               width);
    k = turned(&m, &m.k, rotate, axes ? &m.k_coords : &m.k_pos, m.params,
               LOCANT_ROTATE_KEY, width);
    mixed_run(&m);
    /* Values as wide as the keys, zero beyond D. */
    memcpy(wide, m.v.shape, sizeof(wide));
    wide[3] = width;
    v = test_tensor(LOCANT_F64, 4, wide);
    for (size_t i = 0; i < mixed_size(&v); i++) {
        size_t d = i % (size_t)width, row = i / (size_t)width;

        oracle_put(&v, i,
                   d < (size_t)m.D ? oracle_get(&m.v, row * (size_t)m.D + d)
                                   : 0);
    }
    memcpy(wide, q.shape, sizeof(wide));
    out = test_tensor(LOCANT_F64, 4, wide);
    lse = test_tensor(LOCANT_F64, 3, wide);
    a = m.a;
    a.q = &q;
    a.k = &k;
    a.v = &v;
    if (axes != 1) /* biases read coordinates of one axis */
        a.q_coords = a.k_coords = NULL;
    a.scale = 1 / sqrt((double)m.D);
    a.encoding = rest;
    a.params = NULL;
    CHECK_OK(locant_attention_reference(&out, &lse, &a));
    for (size_t i = 0; i < mixed_size(&out); i++) {
        size_t d = i % (size_t)width, row = i / (size_t)width;

        if (d < (size_t)m.D)
            CHECK(fabs(oracle_get(&out, i) -
                       oracle_get(&m.out, row * (size_t)m.D + d)) <= 1e-13);
    }
    for (size_t i = 0; i < mixed_size(&lse); i++)
        CHECK(fabs(oracle_get(&lse, i) - oracle_get(&m.lse, i)) <= 1e-13);
    test_tensor_free(&q);
    test_tensor_free(&k);
    test_tensor_free(&v);
    test_tensor_free(&out);
    test_tensor_free(&lse);
    locant_encoding_free(rotate);
    locant_encoding_free(rest);
}

TEST(parts_do_what_they_do_alone)
{
    turning_first_is_the_same("rope", "alibi", 8, 0);
    turning_first_is_the_same("rope(dim=4,side=trailing)", "alibi", 8, 0);
    turning_first_is_the_same("xpos", "alibi", 8, 0);
    turning_first_is_the_same("pope", "none", 16, 0);
}

/* The coordinates of a caller reach a schedule and a general map. */
TEST(coordinates_are_positions)
{
    turning_first_is_the_same("rope2d", "alibi", 8, 2);
    turning_first_is_the_same("rope", "alibi", 8, 1);
}

/* Coordinates of the grid are what positions stand for, to the bit. */
TEST(coordinates_of_the_grid_are_the_default)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64 };

    for (int i = 0; i < 2; i++) {
        struct mixed m = { .spec = "rope2d(width=5,height=7)",
                           .dtype = dtypes[i],
                           .T = 30,
                           .S = 35,
                           .axes = 2 };
        double *with, *without;

        mixed_make(&m);
        for (int64_t n = 0; n < m.B * m.S; n++) {
            int64_t p = ((int64_t *)m.k_pos.data)[n];

            ((double *)m.k_coords.data)[2 * n] = (double)(p / 5);
            ((double *)m.k_coords.data)[2 * n + 1] = (double)(p % 5);
        }
        for (int64_t n = 0; n < m.B * m.T; n++) {
            int64_t p = ((int64_t *)m.q_pos.data)[n];

            ((double *)m.q_coords.data)[2 * n] = (double)(p / 5);
            ((double *)m.q_coords.data)[2 * n + 1] = (double)(p % 5);
        }
        mixed_run(&m);
        with = mixed_results(&m);
        m.a.q_coords = m.a.k_coords = NULL;
        mixed_run(&m);
        without = mixed_results(&m);
        assert_memory_equal(with, without, mixed_count(&m) * sizeof(double));
        free(with);
        free(without);
        mixed_free(&m);
    }
}

/* A factor by the position of a query reads its coordinate; its index in the
   keys is that of the mask alone. */
TEST(a_temperature_reads_the_coordinate)
{
    struct mixed m = { .spec = "temperature(kind=ministral,floor=3)+rope",
                       .dtype = LOCANT_F64,
                       .T = 30,
                       .S = 35,
                       .axes = 1 };
    double *with, *without;

    mixed_make(&m);
    for (int64_t n = 0; n < m.B * m.S; n++)
        ((double *)m.k_coords.data)[n] =
            (double)((int64_t *)m.k_pos.data)[n] + 0.25;
    for (int64_t n = 0; n < m.B * m.T; n++)
        ((double *)m.q_coords.data)[n] =
            (double)((int64_t *)m.q_pos.data)[n] + 0.25;
    m.a.mask = LOCANT_MASK_NONE;
    m.a.q_pos = m.a.k_pos = NULL;
    mixed_run(&m);
    with = mixed_results(&m);
    m.a.q_pos = &m.q_pos;
    m.a.k_pos = &m.k_pos;
    m.a.q_coords = m.a.k_coords = NULL;
    mixed_run(&m);
    without = mixed_results(&m);
    for (size_t i = 0; i < mixed_count(&m); i++) /* angles differ by rounding */
        CHECK(fabs(with[i] - without[i]) <= 1e-12);
    free(with);
    free(without);
    mixed_free(&m);
}

/* Each part finds its own parameters; those of the input door rest. */
TEST(parameters_are_those_of_the_whole)
{
    struct mixed whole = { .spec = "learned(length=50)+t5",
                           .dtype = LOCANT_F32 };
    FREED_BY(mixed_free)
    struct mixed part = { .spec = "t5", .dtype = LOCANT_F32 };
    double *got, *want;
    size_t table;

    mixed_make(&whole);
    mixed_make(&part);
    part.a.q = &whole.q;
    part.a.k = &whole.k;
    part.a.v = &whole.v;
    part.a.params = whole.params + 1;
    memcpy(part.dout.data, whole.dout.data,
           mixed_size(&part.dout) * sizeof(float));
    mixed_run(&whole);
    mixed_run(&part);
    got = mixed_results(&whole);
    want = mixed_results(&part);
    table = mixed_size(&whole.dparams[0]);
    for (size_t i = 0; i < table; i++)
        CHECK(oracle_get(&whole.dparams[0], i) == 0);
    assert_memory_equal(whole.dparams[1].data, part.dparams[0].data,
                        mixed_size(&part.dparams[0]) * sizeof(float));
    assert_memory_equal(
        got, want,
        (mixed_count(&whole) - table - mixed_size(&whole.dparams[1])) *
            sizeof(double));
    free(got);
    free(want);
    mixed_free(&whole);
}

/* ------------------------------------------------------------------- rules */

TEST(threads_agree)
{
    for (size_t i = 0; i < LEN(sums); i++)
        for (int f64 = 0; f64 < 2; f64++) {
            struct mixed m = { .spec = sums[i],
                               .T = 40,
                               .S = 66,
                               .dtype = f64 ? LOCANT_F64 : LOCANT_F32,
                               .mask = LOCANT_MASK_CAUSAL };

            mixed_make(&m);
            mixed_judge_threads(&m);
            mixed_free(&m);
        }
}

/* ----------------------------------------------------------------- refusals */

TEST(coordinates_are_refused)
{
    struct mixed m = { .spec = "rope2d", .dtype = LOCANT_F32, .axes = 2 };
    FREED_BY(mixed_free)
    struct mixed t5 = { .spec = "t5", .dtype = LOCANT_F32, .axes = 2 };
    size_t bytes;

    mixed_make(&m);
    m.a.k_coords = NULL;
    REFUSES(NULL, locant_attention_workspace(&bytes, &m.a),
            "k_coords is NULL while q_coords is given, expected both or "
            "neither");
    m.a.k_coords = &m.k_coords;
    m.k_coords.shape[2] = 1;
    REFUSES(SHAPE, locant_attention_workspace(&bytes, &m.a),
            "k_coords has size 1 in dimension 2, expected 2");
    m.k_coords.shape[2] = 2;
    m.q_coords.dtype = LOCANT_F32;
    REFUSES(DTYPE, locant_attention_workspace(&bytes, &m.a),
            "q_coords is f32, expected f64");
    m.q_coords.dtype = LOCANT_F64;
    ((double *)m.k_coords.data)[3] = NAN;
    REFUSES(PARAM, locant_attention_workspace(&bytes, &m.a),
            "k_coords of token 1 is nan, expected a finite number below 2^63");
    ((double *)m.k_coords.data)[3] = 0;
    CHECK_OK(locant_attention_workspace(&bytes, &m.a));
    mixed_free(&m);
    mixed_make(&t5);
    REFUSES(UNSUPPORTED, locant_attention_workspace(&bytes, &t5.a),
            "q_coords is given, but t5 reads whole positions, expected "
            "rotations or biases that read real ones");
}

/* Memory that coordinates or the second parameter share with an output. */
TEST(shared_memory_is_refused)
{
    struct mixed m = { .spec = "learned(length=50)+rope2d+t5",
                       .dtype = LOCANT_F64,
                       .axes = 2,
                       .T = 8,
                       .S = 8 };
    void *keep;

    mixed_make(&m);
    keep = m.q_coords.data;
    m.q_coords.data = m.out.data;
    CHECK(locant_attention_reference(&m.out, &m.lse, &m.a) == LOCANT_ERR_ALIAS);
    m.q_coords.data = keep;
    keep = m.params[1].data;
    m.params[1].data = m.out.data;
    CHECK(locant_attention_reference(&m.out, &m.lse, &m.a) == LOCANT_ERR_ALIAS);
    m.params[1].data = keep;
    CHECK_OK(locant_attention_reference(&m.out, &m.lse, &m.a));
    mixed_free(&m);
}

TEST(positions_beyond_a_part_are_refused)
{
    struct mixed m = { .spec = "rope+swin(height=3,width=3)",
                       .dtype = LOCANT_F32,
                       .T = 9,
                       .S = 9 };
    size_t bytes;

    mixed_make(&m);
    CHECK_OK(locant_attention_workspace(&bytes, &m.a));
    ((int64_t *)m.k_pos.data)[4] = 9;
    CHECK(locant_attention_workspace(&bytes, &m.a) == LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(), "position 9 (index 4)") != NULL);
    ((int64_t *)m.k_pos.data)[4] = 4;
    m.a.q_pos = NULL;
    CHECK_OK(locant_attention_workspace(&bytes, &m.a));
    mixed_free(&m);
}

TEST(heads_must_match_frequencies_of_heads)
{
    FREED_BY(mixed_free)
    struct mixed m = { .spec = "rope-mixed", .dtype = LOCANT_F32 };
    size_t bytes;

    mixed_make(&m);
    REFUSES(SHAPE, locant_attention_workspace(&bytes, &m.a),
            "q has 4 heads, k has 2, expected as many: 'x' of rope-mixed has "
            "a row for each");
}

/* --------------------------------------------------------------- every one */

/* Two documents and one token of padding, within the limits of small tables. */
static void two_documents(struct mixed *m)
{
    for (int64_t j = 0; j < m->B * m->S; j++) {
        int64_t at = j % m->S, second = at >= m->S / 2;

        ((int64_t *)m->q_docs.data)[j] = at == 3 ? -1 : second;
        ((int64_t *)m->k_docs.data)[j] = at == 3 ? -1 : second;
        ((int64_t *)m->q_pos.data)[j] = at - second * (m->S / 2);
        ((int64_t *)m->k_pos.data)[j] = at - second * (m->S / 2);
    }
    m->a.q_docs = &m->q_docs;
    m->a.k_docs = &m->k_docs;
}

/* Whatever the registry holds, as its plain name makes it. */
TEST(every_encoding_attends)
{
    const locant_encoding_info *info;

    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        struct mixed m = { .spec = info->name,
                           .dtype = LOCANT_F32,
                           .W = 2 * 128, /* a slice of x for each head */
                           .mask = LOCANT_MASK_CAUSAL,
                           .H = 2,
                           .G = 2,
                           .T = 40,
                           .S = 40,
                           .D = 128 };
        locant_encoding *plain, *resolved;

        CHECK_OK(locant_encoding_create(&plain, info->name));
        CHECK_OK(locant_encoding_resolve(&resolved, plain, 40));
        m.e = locant_encoding_layer(NULL, resolved, 0);
        mixed_make(&m);
        mixed_judge_fast(&m);
        two_documents(&m);
        mixed_judge_fast(&m);
        mixed_free(&m);
        locant_encoding_free(plain);
        locant_encoding_free(resolved);
    }
}
