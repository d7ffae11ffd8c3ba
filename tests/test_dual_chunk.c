/*
 * test_dual_chunk.c - relations of pairs in attention, by dual chunk attention:
 * its distances, and tiles and decoding against the reference in double.
 */
#include "content_case.h"
#include "oracle/mixed.h"
#include <stdbool.h>

/*
 * D = 2 with base 1e4: the one pair turns by 1 radian per position, so with q =
 * k = (1, 0) the score of a pair is cos(d) / sqrt(2).
 */
static struct content_case *turns(const char *spec, int64_t n)
{
    struct content_case *c =
        case_open(spec, (const int64_t[6]){ 1, 1, n, n, 2, 1 });

    for (int64_t i = 0; i < n; i++)
        c->q[2 * i] = c->k[2 * i] = 1;
    return c;
}

TEST(distances_are_those_of_the_paper)
{
    static const struct {
        int row;
        int d[14];
    } rows[] = {
        { 5, { 5, 4, 3, 2, 1, 0 } },
        { 9, { 6, 5, 4, 3, 5, 4, 3, 2, 1, 0 } },
        { 13, { 6, 5, 4, 3, 6, 5, 4, 3, 5, 4, 3, 2, 1, 0 } },
    };
    struct content_case *c = turns("dual-chunk(chunk=6,local=2)+rope", 14);
    double s[14 * 14];

    case_scores(s, c);
    for (size_t n = 0; n < LEN(rows); n++)
        for (int j = 0; j <= rows[n].row; j++)
            case_is(s[rows[n].row * 14 + j], cos(rows[n].d[j]) / sqrt(2),
                    1e-14);
    case_close(c);
}

/* A shift by chunk - local moves the grid onto itself, any other does not. */
TEST(a_shift_by_the_stride_changes_nothing)
{
    struct content_case *c = turns("dual-chunk(chunk=7,local=3)+rope", 12);
    double want[12 * 12], s[12 * 12];
    bool same = true;

    case_scores(want, c);
    for (int64_t shift = 1; shift <= 8; shift++) {
        for (int64_t i = 0; i < 12; i++)
            c->q_pos[i] = c->k_pos[i] = i + shift - 4;
        case_scores(s, c);
        if (shift % 4 == 0)
            assert_memory_equal(s, want, sizeof(s));
        else
            same &= memcmp(s, want, sizeof(s)) == 0;
    }
    CHECK(!same);
    case_close(c);
}

/* ------------------------------------------- tiles, decoding, the reference */

static const char *const specs[] = {
    "dual-chunk(chunk=96,local=32)+rope",
    "dual-chunk(chunk=50,local=13)+rope(pairing=interleaved,dim=8)",
    "dual-chunk(chunk=160,local=32)+rope(scaling=yarn(factor=4,original=64))",
    "ssmax+dual-chunk(chunk=40,local=8)+rope",
    "dual-chunk(chunk=70,local=6)+rope+t5",
    "dual-chunk(chunk=90,local=20)+rope+window(size=100)",
    "stick-breaking+dual-chunk(chunk=40,local=8)+rope",
    "scale-invariant+dual-chunk(chunk=33,local=32)+rope",
};

static void make(struct mixed *m, size_t which, locant_dtype dtype)
{
    *m = (struct mixed){ .spec = specs[which],
                         .dtype = dtype,
                         .mask = LOCANT_MASK_CAUSAL,
                         .B = 2,
                         .H = 4,
                         .G = 2,
                         .T = 130,
                         .S = 300,
                         .D = 20 };
    mixed_make(m);
}

TEST(tiles_agree_with_rows)
{
    for (size_t i = 0; i < LEN(specs); i++) {
        FREED_BY(mixed_free) struct mixed m;

        make(&m, i, LOCANT_F32);
        mixed_judge_fast(&m);
        mixed_judge_threads(&m);
    }
}

TEST(gradients_are_those_of_differences)
{
    for (size_t i = 0; i < LEN(specs); i += TEST_SANITIZED ? 3 : 1) {
        struct mixed m = { .spec = specs[i],
                           .dtype = LOCANT_F64,
                           .mask = LOCANT_MASK_CAUSAL,
                           .B = 1,
                           .H = 2,
                           .G = 1,
                           .T = 50,
                           .S = 90,
                           .D = 8 };

        mixed_make(&m);
        mixed_judge_differences(&m);
        mixed_free(&m);
    }
}

/* Pieces of many queries and of a few, which decode takes: to the bit. */
TEST(a_growing_cache_has_the_bits_of_the_whole)
{
    for (size_t i = 0; i < LEN(specs); i++) {
        FREED_BY(mixed_free) struct mixed m;
        size_t bytes;
        float *want;

        make(&m, i, LOCANT_F32);
        mixed_run(&m);
        bytes = mixed_size(&m.out) * sizeof(*want);
        want = malloc(bytes);
        assert_non_null(want);
        memcpy(want, m.out.data, bytes);
        memset(m.out.data, 0xff, bytes);
        for (int64_t at = m.S - m.T, n; at < m.S; at += n) {
            n = at < m.S - 60 ? test_range(9, 70) : test_range(1, 8);
            n = n > m.S - at ? m.S - at : n;
            mixed_run_part(&m, at, at + n);
        }
        assert_memory_equal(m.out.data, want, bytes);
        free(want);
    }
}

/* Everything the library writes for the same problem under another spec. */
static double *results_with(struct mixed *m, const char *spec)
{
    locant_encoding *e;
    double *results;

    CHECK_OK(locant_encoding_create(&e, spec));
    m->a.encoding = e;
    mixed_run(m);
    results = mixed_results(m);
    locant_encoding_free(e);
    return results;
}

/* All keys are in the chunk of their query: plain rotation, to the bit. */
TEST(one_chunk_is_rope)
{
    for (int few = 0; few < 2; few++) {
        FREED_BY(mixed_free)
        struct mixed m = { .spec = "rope",
                           .dtype = LOCANT_F32,
                           .mask = LOCANT_MASK_CAUSAL,
                           .T = few ? 3 : 130,
                           .S = 300,
                           .D = 16 };
        double *want, *got;

        mixed_make(&m);
        want = results_with(&m, "rope");
        got = results_with(&m, "dual-chunk(chunk=400,local=99)+rope");
        assert_memory_equal(got, want, mixed_count(&m) * sizeof(*want));
        free(want);
        free(got);
    }
}

/* A cache may hold keys that rope rotated at p mod (chunk - local). */
TEST(keys_are_rotated_once)
{
    for (int few = 0; few < 2; few++) {
        FREED_BY(mixed_free)
        struct mixed m = { .spec = "dual-chunk(chunk=40,local=8)+rope",
                           .dtype = LOCANT_F32,
                           .mask = LOCANT_MASK_CAUSAL,
                           .T = few ? 2 : 70,
                           .S = 200,
                           .D = 16 };
        int64_t at[200];
        locant_tensor positions = DENSE(I64, at, 200);
        locant_encoding *rope;
        float *want;
        size_t bytes;

        mixed_make(&m);
        mixed_run(&m);
        bytes = mixed_size(&m.out) * sizeof(*want);
        want = malloc(bytes);
        assert_non_null(want);
        memcpy(want, m.out.data, bytes);
        for (int64_t j = 0; j < 200; j++)
            at[j] = j % 32;
        CHECK_OK(locant_encoding_create(&rope, "rope"));
        CHECK_OK(locant_encoding_rotate(&m.k, &m.k, rope, &positions, NULL,
                                        LOCANT_ROTATE_KEY));
        m.a.flags = LOCANT_ATTENTION_KEYS_ROTATED;
        mixed_run(&m);
        assert_memory_equal(m.out.data, want, bytes);
        locant_encoding_free(rope);
        free(want);
    }
}

/* ----------------------------------------------------------------- refusals */

static void refuse(const char *spec, const char *sentence)
{
    locant_encoding *e;

    CHECK_REFUSED(locant_encoding_create(&e, spec), LOCANT_ERR_PARAM, sentence);
}

TEST(what_has_no_meaning_is_refused)
{
    refuse("dual-chunk(chunk=8,local=8)",
           "locant_encoding_create: local of dual-chunk is 8, expected less "
           "than its chunk, 8");
    refuse("dual-chunk+rope2d",
           "locant_encoding_create: dual-chunk and rope2d both choose how to "
           "rotate queries and keys, expected one of them");
    refuse("fox+dual-chunk+rope",
           "locant_encoding_create: dual-chunk and fox both change products of "
           "queries and keys, expected one of them");
    refuse("dual-chunk+dual-chunk+rope",
           "locant_encoding_create: dual-chunk and dual-chunk both choose how "
           "to rotate queries and keys, expected one of them");
}

TEST(coordinates_are_refused)
{
    FREED_BY(mixed_free)
    struct mixed m = { .spec = "dual-chunk+rope",
                       .dtype = LOCANT_F32,
                       .mask = LOCANT_MASK_CAUSAL,
                       .axes = 1 };
    size_t bytes;

    mixed_make(&m);
    CHECK_REFUSED(locant_attention_workspace(&bytes, &m.a),
                  LOCANT_ERR_UNSUPPORTED,
                  "locant_attention_workspace: dual-chunk replaces whole "
                  "positions, expected no coordinates");
}
