/*
 * test_attention_content.c - the content door: values, gradients, threads,
 * chunks, documents, scratch.
 */
#include "content_encoding.h"
#include "oracle/mixed.h"
#include <stdlib.h>
#include <string.h>

static const char *const others[] = { "none", "t5",   "kerple",
                                      "rope", "xpos", "alibi" };

/* Central differences, with and without groups of heads. */
TEST(gradients_are_those_of_the_values)
{
    for (size_t i = 0; i < LEN(others); i++)
        for (int mask = 0; mask < 2; mask++) {
            struct mixed m = { .dtype = LOCANT_F64,
                               .W = 5,
                               .T = 13,
                               .mask = (locant_mask)mask,
                               .G = mask ? 2 : 4 };
            struct pair p;

            make_pair(&p, others[i]);
            m.e = &p.sum;
            mixed_make(&m);
            mixed_judge_differences(&m);
            mixed_free(&m);
            locant_encoding_free(p.other);
        }
}

/* Out of row (b, h, i), written down again, without a score door. */
static void row_by_hand(double *out, const struct mixed *m, int64_t b,
                        int64_t h, int64_t i)
{
    int64_t D = m->D, S = m->S, W = m->W, g = h / (m->H / m->G);
    const double *q = (double *)m->q.data + ((b * m->H + h) * m->T + i) * D;
    const double *k = (double *)m->k.data + (b * m->G + g) * S * D;
    const double *v = (double *)m->v.data + (b * m->G + g) * S * D;
    const double *w = (double *)m->params[1].data + h * W;
    const double *second = (double *)m->params[2].data + h * D;
    double a = ((double *)m->params[0].data)[h];
    double c = ((double *)m->params[3].data)[h];
    double scale = 1 / sqrt((double)D), sum = 0, gates = 0;

    memset(out, 0, (size_t)D * sizeof(*out));
    for (int64_t j = S - m->T + i; j >= 0; j--) {
        double product = 0, other = 0, gate = c, p;

        for (int64_t d = 0; d < D; d++) {
            product += q[d] * k[j * D + d];
            other += q[d] * second[d];
        }
        p = exp(scale * (product * (1 + a / 4) + other * k[j * D]) + gates);
        for (int64_t d = 0; d < W; d++)
            gate += w[d] * ((double *)m->x.data)[(b * S + j) * W + d];
        gates -= log1p(exp(-gate));
        sum += p;
        for (int64_t d = 0; d < D; d++)
            out[d] += p * (v[j * D + d] + second[d]);
    }
    for (int64_t d = 0; d < D; d++)
        out[d] /= sum;
}

TEST(values_are_those_of_the_formula)
{
    struct mixed m = { .dtype = LOCANT_F64,
                       .W = 5,
                       .mask = LOCANT_MASK_CAUSAL,
                       .T = 11,
                       .S = 11 };
    struct pair p;
    double want[8];

    make_pair(&p, "none");
    m.e = &p.sum;
    mixed_make(&m);
    mixed_run(&m);
    for (int64_t at = 0; at < m.B * m.H * m.T; at++) {
        row_by_hand(want, &m, at / m.T / m.H, at / m.T % m.H, at % m.T);
        for (int64_t d = 0; d < m.D; d++)
            CHECK(fabs(oracle_get(&m.out, (size_t)(at * m.D + d)) - want[d]) <=
                  1e-12);
    }
    mixed_free(&m);
    locant_encoding_free(p.other);
}

/* F32 tensors, double inside, the caller's workspace. */
TEST(float_tensors_are_near)
{
    for (size_t i = 0; i < LEN(others); i++) {
        struct mixed m = { .dtype = LOCANT_F32,
                           .W = 5,
                           .T = 40,
                           .S = 70,
                           .mask = LOCANT_MASK_CAUSAL };
        struct pair p;

        make_pair(&p, others[i]);
        m.e = &p.sum;
        mixed_make(&m);
        mixed_judge_fast(&m);
        mixed_free(&m);
        locant_encoding_free(p.other);
    }
}

TEST(threads_agree)
{
    FREED_BY(mixed_free)
    struct mixed m = { .dtype = LOCANT_F32, .W = 5, .T = 20, .S = 30, .B = 5 };
    struct pair p;

    make_pair(&p, "t5");
    m.e = &p.sum;
    mixed_make(&m);
    mixed_judge_threads(&m);
    locant_encoding_free(p.other);
}

/* Causal, so a query's own past decides: to the bit. */
TEST(chunks_and_a_growing_cache_agree)
{
    struct mixed m = { .dtype = LOCANT_F32,
                       .W = 5,
                       .T = 30,
                       .S = 30,
                       .mask = LOCANT_MASK_CAUSAL };
    struct pair p;
    float *want;
    size_t bytes;

    make_pair(&p, "t5");
    m.e = &p.sum;
    mixed_make(&m);
    mixed_run(&m);
    bytes = mixed_size(&m.out) * sizeof(float);
    want = malloc(bytes);
    assert_non_null(want);
    memcpy(want, m.out.data, bytes);
    memset(m.out.data, 0xff, bytes);
    for (int64_t at = 0, n; at < m.T; at += n) {
        n = test_range(1, 7);
        n = n > m.T - at ? m.T - at : n;
        mixed_run_part(&m, at, at + n);
    }
    assert_memory_equal(m.out.data, want, bytes);
    free(want);
    mixed_free(&m);
    locant_encoding_free(p.other);
}

/* A document in a row of its own, bit for bit. */
TEST(documents_are_separate)
{
    enum { FIRST = 8, S = 20 };
    struct mixed m = { .dtype = LOCANT_F64,
                       .W = 5,
                       .B = 1,
                       .T = S,
                       .S = S,
                       .mask = LOCANT_MASK_CAUSAL };
    double *want, *got;
    struct pair p;

    make_pair(&p, "alibi(dialect=mpt)");
    m.e = &p.sum;
    mixed_make(&m);
    for (int64_t j = FIRST; j < S; j++) {
        ((int64_t *)m.q_docs.data)[j] = ((int64_t *)m.k_docs.data)[j] = 7;
        ((int64_t *)m.q_pos.data)[j] = ((int64_t *)m.k_pos.data)[j] = j - FIRST;
    }
    mixed_run_part(&m, 0, FIRST); /* the first document alone */
    want = mixed_results(&m);
    m.a.q_docs = &m.q_docs;
    m.a.k_docs = &m.k_docs;
    mixed_run(&m);
    got = mixed_results(&m);
    for (int64_t h = 0; h < m.H; h++)
        assert_memory_equal(got + h * S * m.D, want + h * S * m.D,
                            (size_t)(FIRST * m.D) * sizeof(double));
    free(want);
    free(got);
    mixed_free(&m);
    locant_encoding_free(p.other);
}

/*
 * Nothing visible: not asked; 0, and gradients 0, of x too.  Batch row 1 is
 * padding; query 3 of the other sits before all keys.
 */
TEST(blind_queries_are_not_asked_about)
{
    struct mixed m = {
        .dtype = LOCANT_F64, .W = 5, .mask = LOCANT_MASK_CAUSAL, .T = 13
    };
    struct pair p;
    int before;

    make_pair(&p, "t5");
    p.all.traits = 0; /* its own key is not asked for */
    m.e = &p.sum;
    mixed_make(&m);
    m.a.q_docs = &m.q_docs;
    m.a.k_docs = &m.k_docs;
    ((int64_t *)m.q_pos.data)[3] = -1;
    for (int64_t j = 0; j < m.S; j++)
        ((int64_t *)m.q_docs.data)[m.S + j] =
            ((int64_t *)m.k_docs.data)[m.S + j] = -1;
    for (size_t i = mixed_size(&m.x) / 2; i < mixed_size(&m.x); i++)
        oracle_put(&m.x, i, NAN);
    before = atomic_load(&asked);
    mixed_run(&m);
    CHECK(atomic_load(&asked) - before == 2 * (m.T - 1)); /* both ways */
    for (size_t i = 0; i < mixed_size(&m.out); i++)
        CHECK(i < mixed_size(&m.out) / 2 ? isfinite(oracle_get(&m.out, i))
                                         : oracle_get(&m.out, i) == 0);
    for (int64_t d = 0; d < m.D; d++) {
        CHECK(oracle_get(&m.out, (size_t)(3 * m.D + d)) == 0);
        CHECK(oracle_get(&m.dq, (size_t)(3 * m.D + d)) == 0);
    }
    CHECK(oracle_get(&m.lse, 3) == -INFINITY);
    for (size_t i = 0; i < mixed_size(&m.dx); i++)
        CHECK(i < mixed_size(&m.dx) / 2 ? isfinite(oracle_get(&m.dx, i))
                                        : oracle_get(&m.dx, i) == 0);
    mixed_free(&m);
    locant_encoding_free(p.other);
}

/*
 * Never an array of T x S: at 2^14 keys, 8 rows of scores for each of 4 heads,
 * keys, values and inputs twice, all doubles; times two threads.
 */
TEST(scratch_is_small)
{
    enum { N = 1 << 14 };
    FREED_BY(mixed_free)
    struct mixed m = { .dtype = LOCANT_F32, .W = 5, .B = 1, .T = N, .S = N };
    struct pair p;
    size_t bytes;

    make_pair(&p, "none");
    m.e = &p.sum;
    mixed_make(&m);
    CHECK_OK(locant_set_threads(2));
    CHECK_OK(locant_attention_workspace(&bytes, &m.a));
    CHECK(bytes <= 2 * 8 * N * (size_t)(8 * 4 + 4 * 2 * 8 + 2 * 5 + 2 * 4 + 4));
    CHECK_OK(locant_set_threads(0));
    locant_encoding_free(p.other);
}
