/*
 * test_content_terms.c - content as products of tiles (attention/content.h):
 * against the row engine in double, and the same bits however it is split.
 */
#include "oracle/mixed.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Each form of terms, with tables shorter and longer than what is held at a
 * time, alone and beside the other doors.  Where a gradient is 0 but for
 * rounding (one segment, key_bias) there is nothing to compare, so those stay
 * out.
 */
static const char *const specs[] = {
    "relative(distance=8)",
    "shaw(distance=5)",
    "shaw(distance=300)+t5",
    "music(length=40)",
    "music(length=2000)+rope",
    "transformer-xl",
    "transformer-xl(clamp=20)+alibi",
    "xlnet(clamp=90,segment=50)",
    "deberta(span=12)",
    "deberta(span=400)+t5",
    "fox+rope",
    "rerope(window=20)+t5",
    "rerope(window=100,leak=16,pairing=interleaved)+temperature(kind=logn)",
    "selfextend(group=4,window=32)",
    "streaming(sinks=2,window=30)",
    "streaming(sinks=70,window=20)+alibi",
    "window(size=40)+shaw(distance=5)",
    "path",
    "path(rank=3,kernel=5,forget=yes)+rope",
    "window(size=40)+path+t5",
    "grape-a+rope",
    "grape-a(gate=query)+ssmax+alibi",
    "grape-a(gate=both)+temperature(kind=logn)",
    /* with the options of the call */
    "shaw(distance=300)+t5",
    "music(length=40)",
    "transformer-xl(clamp=20)+alibi",
    "deberta(span=12)",
    "fox+rope",
    "rerope(window=20)+t5",
    "streaming(sinks=70,window=20)+alibi",
    "path(forget=yes)",
    "grape-a(gate=both)+rope",
};

enum { OPTIONS_FROM = 23 };

/* Sanitizers make it slow: a part of them in each test. */
enum { EACH = TEST_SANITIZED ? 4 : 1 };

/* Tiles of paths need keys in order, and a head of keys for each head. */
static bool is_path(const struct mixed *m)
{
    return strstr(m->spec, "path") != NULL;
}

/* Two tiles of queries and three of keys, neither of them full. */
static void make(struct mixed *m, size_t which)
{
    const char *spec = specs[which];

    *m = (struct mixed){ .spec = spec,
                         .dtype = LOCANT_F32,
                         .mask = LOCANT_MASK_CAUSAL,
                         .T = 75,
                         .S = 150,
                         .D = 12 };
    if (strncmp(spec, "fox", 3) == 0 || is_path(m))
        m->W = 10;
    if (is_path(m))
        m->G = m->H = 4;
    mixed_make(m);
    if (which >= OPTIONS_FROM)
        mixed_options(m, 45);
}

/* Nothing of token j may be read. */
static void spoil(struct mixed *m, int64_t b, int64_t j)
{
    int64_t from = m->S - m->T;

    for (int64_t g = 0; g < m->G; g++)
        for (int64_t d = 0; d < m->D; d++) {
            size_t at = (size_t)(((b * m->G + g) * m->S + j) * m->D + d);

            oracle_put(&m->k, at, NAN);
            oracle_put(&m->v, at, INFINITY);
        }
    for (int64_t h = 0; j >= from && h < m->H; h++)
        for (int64_t d = 0; d < m->D; d++) {
            int64_t row = (b * m->H + h) * m->T + j - from;

            oracle_put(&m->q, (size_t)(row * m->D + d), NAN);
        }
    for (int64_t n = 0; n < m->W; n++)
        oracle_put(&m->x, (size_t)((b * m->S + j) * m->W + n), NAN);
}

/* Positions of a row with gaps of 0 .. 4, in two documents between padding. */
static void scatter(struct mixed *m)
{
    int64_t from = m->S - m->T, first = is_path(m) ? 1 : 4;

    for (int64_t b = 0; b < m->B; b++) {
        int64_t *k_pos = (int64_t *)m->k_pos.data + b * m->S, pos = 0;
        int64_t *k_docs = (int64_t *)m->k_docs.data + b * m->S;

        for (int64_t j = 0; j < m->S; j++, pos += test_range(0, 4)) {
            k_docs[j] = j < 3 || j > m->S - 3   ? -1
                        : j < m->S / 2 + 20 * b ? first
                                                : 5 - first;
            if (k_docs[j] < 0)
                spoil(m, b, j);
            if (j > 0 && k_docs[j] != k_docs[j - 1])
                pos = 7;
            k_pos[j] = pos;
        }
        memcpy((int64_t *)m->q_pos.data + b * m->T, k_pos + from,
               (size_t)m->T * sizeof(int64_t));
        memcpy((int64_t *)m->q_docs.data + b * m->T, k_docs + from,
               (size_t)m->T * sizeof(int64_t));
    }
    m->a.q_docs = &m->q_docs;
    m->a.k_docs = &m->k_docs;
}

TEST(agree_with_rows)
{
    for (size_t i = 0; i < LEN(specs); i += EACH) {
        FREED_BY(mixed_free) struct mixed m;

        make(&m, i);
        mixed_judge_fast(&m);
    }
}

TEST(agree_with_rows_at_any_positions)
{
    for (size_t i = 1 % EACH; i < LEN(specs); i += EACH) {
        FREED_BY(mixed_free) struct mixed m;

        make(&m, i);
        scatter(&m);
        mixed_judge_fast(&m);
    }
}

/* Keys after the query too, a head of keys for all, many channels. */
TEST(agree_with_rows_without_a_mask)
{
    static const char *const open[] = {
        "shaw(distance=90)", "transformer-xl",    "xlnet(segment=100)",
        "deberta(span=30)",  "rerope(window=70)",
    };

    for (size_t i = 0; i < LEN(open); i++) {
        struct mixed m = { .spec = open[i],
                           .dtype = LOCANT_F32,
                           .B = 1,
                           .G = 1,
                           .H = 2,
                           .T = 130,
                           .S = 70,
                           .D = 80 };

        mixed_make(&m);
        mixed_judge_fast(&m);
        mixed_free(&m);
    }
}

/* Gradients of queries alone, of keys and values, of parameters and x. */
TEST(gradients_do_not_need_each_other)
{
    for (size_t i = 2 % EACH; i < LEN(specs); i += EACH) {
        locant_attention_gradients all;
        double *want;
        FREED_BY(mixed_free) struct mixed m;
        size_t from[4];

        make(&m, i);
        mixed_run(&m);
        want = mixed_results(&m);
        from[0] = mixed_size(&m.out) + mixed_size(&m.lse);
        from[1] = from[0] + mixed_size(&m.dq);
        from[2] = from[1] + 2 * mixed_size(&m.dk);
        from[3] = mixed_count(&m);
        all = m.g;
        for (int part = 0; part < 3; part++) {
            double *got;

            m.g = all;
            if (part != 0)
                m.g.dq = NULL;
            if (part != 1)
                m.g.dk = m.g.dv = NULL;
            if (part != 2)
                m.g.dparams = NULL, m.g.dx = NULL;
            mixed_run(&m);
            got = mixed_results(&m);
            assert_memory_equal(got + from[part], want + from[part],
                                (from[part + 1] - from[part]) * sizeof(*got));
            free(got);
        }
        free(want);
    }
}

/* Distances of positions that double does not hold are exact; a scale of 0 has
 * no part in gates. */
TEST(gates_at_far_positions_and_without_a_scale)
{
    static const int64_t far[] = { (int64_t)1 << 53, -((int64_t)1 << 60), 0 };

    for (size_t n = 0; n < LEN(far); n++) {
        FREED_BY(mixed_free)
        struct mixed m = { .spec = "grape-a(gate=both)",
                           .dtype = LOCANT_F32,
                           .mask = LOCANT_MASK_CAUSAL,
                           .T = 40,
                           .S = 70 };

        mixed_make(&m);
        mixed_shift(&m, far[n]);
        if (far[n] == 0)
            m.a.scale = 0;
        mixed_judge_fast(&m);
    }
}

TEST(threads_agree)
{
    for (size_t i = 3 % EACH; i < LEN(specs); i += EACH) {
        FREED_BY(mixed_free) struct mixed m;

        make(&m, i);
        mixed_judge_threads(&m);
    }
}

/* A query's own past decides, to the bit: pieces of 1 .. 70, then of 1. */
static void judge_pieces(struct mixed *m)
{
    size_t bytes;
    float *want;

    mixed_run(m);
    bytes = mixed_size(&m->out) * sizeof(*want);
    want = malloc(bytes);
    assert_non_null(want);
    memcpy(want, m->out.data, bytes);
    memset(m->out.data, 0xff, bytes);
    for (int64_t at = m->S - m->T, n; at < m->S; at += n) {
        n = at > m->S - 9 ? 1 : test_range(1, 70);
        n = n > m->S - at ? m->S - at : n;
        mixed_run_part(m, at, at + n);
    }
    assert_memory_equal(m->out.data, want, bytes);
    free(want);
}

TEST(chunks_and_a_growing_cache_agree)
{
    for (size_t i = 1 % EACH; i < LEN(specs); i += EACH) {
        FREED_BY(mixed_free) struct mixed m;

        make(&m, i);
        judge_pieces(&m);
    }
}

/* Queries pass groups of 256 keys at once; here two of them. */
TEST(long_paths)
{
    static const char *const paths[] = { "path(rank=4)",
                                         "path(rank=9,forget=yes)+rope",
                                         "window(size=300)+path(kernel=1)" };

    for (int i = 0; i < 4; i++) {
        FREED_BY(mixed_free)
        struct mixed m = { .spec = paths[i % 3],
                           .dtype = LOCANT_F32,
                           .mask = LOCANT_MASK_CAUSAL,
                           .B = 2,
                           .H = 2,
                           .G = 2,
                           .T = 290,
                           .S = 600,
                           .D = 20,
                           .W = 7 };

        mixed_make(&m);
        if (i == 3)
            scatter(&m);
        mixed_judge_fast(&m);
        mixed_judge_threads(&m);
        if (i < 3)
            judge_pieces(&m);
    }
}

/* Move the second batch row to the place of the first; or there are 2 again. */
static void keep_second(struct mixed *m, bool alone)
{
    locant_tensor *all[] = { &m->q,     &m->k,     &m->v,   &m->x,
                             &m->q_pos, &m->k_pos, &m->out, &m->lse };

    for (size_t i = 0; i < LEN(all); i++) {
        size_t bytes;

        all[i]->shape[0] = alone ? 1 : 2;
        bytes = mixed_size(all[i]) * locant_dtype_size(all[i]->dtype);
        if (alone && i < 6 && all[i]->data != NULL)
            memcpy(all[i]->data, (char *)all[i]->data + bytes, bytes);
    }
}

TEST(batch_rows_are_what_they_are_alone)
{
    for (size_t i = 2 % EACH; i < LEN(specs); i += EACH) {
        FREED_BY(mixed_free) struct mixed m;
        size_t half;
        float *want;

        make(&m, i);
        mixed_run(&m);
        half = mixed_size(&m.out) / 2 * sizeof(*want);
        want = malloc(half);
        assert_non_null(want);
        memcpy(want, (char *)m.out.data + half, half);
        memset(m.out.data, 0xff, half);
        keep_second(&m, true);
        mixed_run_part(&m, m.S - m.T, m.S);
        assert_memory_equal(m.out.data, want, half);
        keep_second(&m, false);
        free(want);
    }
}
