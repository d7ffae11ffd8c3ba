/*
 * test_attention_dense.c - dense biases and masks: published values, what is
 * hidden, every encoding, and refusals.  Values and gradients of every shape
 * are judged in test_attention_options.c.
 */
#include "oracle/bits.h"
#include "oracle/mixed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------- published values */

enum { H = 2, L = 5, D = 4 };

/* The inputs of the check values, in double. */
struct sheet {
    double q[H * L * D], k[H * L * D], v[H * L * D], dout[H * L * D];
    double bias[H * L * L], out[H * L * D], lse[H * L];
    double dq[H * L * D], dk[H * L * D], dv[H * L * D], dbias[H * L * L];
    locant_tensor q_, k_, v_, dout_, bias_, out_, lse_, dq_, dk_, dv_, dbias_;
    locant_attention a;
    locant_attention_gradients g;
};

static void fill(struct sheet *s)
{
    for (int h = 0; h < H; h++)
        for (int i = 0; i < L; i++) {
            for (int d = 0; d < D; d++) {
                int n = (h * L + i) * D + d;

                s->q[n] = sin(0.1 * i + 0.3 * d + 0.7 * h);
                s->k[n] = cos(0.2 * i - 0.4 * d + 0.5 * h);
                s->v[n] = sin(0.5 * i + 0.7 * d + 0.2 * h);
                s->dout[n] = cos(0.1 * i + 0.2 * d + 0.3 * h);
            }
            for (int j = 0; j < L; j++)
                s->bias[(h * L + i) * L + j] = 0.3 * sin(i + 2 * j + h);
        }
    s->q_ = DENSE(F64, s->q, 1, H, L, D);
    s->k_ = DENSE(F64, s->k, 1, H, L, D);
    s->v_ = DENSE(F64, s->v, 1, H, L, D);
    s->dout_ = DENSE(F64, s->dout, 1, H, L, D);
    s->bias_ = DENSE(F64, s->bias, 1, H, L, L);
    s->out_ = DENSE(F64, s->out, 1, H, L, D);
    s->lse_ = DENSE(F64, s->lse, 1, H, L);
    s->dq_ = DENSE(F64, s->dq, 1, H, L, D);
    s->dk_ = DENSE(F64, s->dk, 1, H, L, D);
    s->dv_ = DENSE(F64, s->dv, 1, H, L, D);
    s->dbias_ = DENSE(F64, s->dbias, 1, H, L, L);
    s->a = (locant_attention)LOCANT_ATTENTION_INIT;
    s->a.q = &s->q_;
    s->a.k = &s->k_;
    s->a.v = &s->v_;
    s->a.bias = &s->bias_;
    s->a.mask = LOCANT_MASK_CAUSAL;
    s->g = (locant_attention_gradients)LOCANT_ATTENTION_GRADIENTS_INIT;
    s->g.dq = &s->dq_;
    s->g.dk = &s->dk_;
    s->g.dv = &s->dv_;
    s->g.dbias = &s->dbias_;
}

static void near(const double *got, const double *want, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= 0.51e-10)) /* ten decimals */
            FAIL("%d: got %.12f, want %.12f", i, got[i], want[i]);
}

/* B[h][i][j] = 0.3 sin(i + 2 j + h), causal: row 4 of head 1. */
TEST(values_are_those_of_the_formula)
{
    static const double out[] = { 0.7141974751, 0.7687086102, 0.4616840746,
                                  -0.0624776953 };
    static const double dbias[] = { 0.0127628316, 0.1023143763, 0.0663797453,
                                    -0.0252909819, -0.1561659713 };
    struct sheet s;

    fill(&s);
    test_forward(&s.out_, &s.lse_, &s.a);
    near(s.out + (L + 4) * D, out, D);
    test_backward(&s.g, &s.dout_, &s.out_, &s.lse_, &s.a);
    near(s.dbias + (L + 4) * L, dbias, L);
    CHECK(s.dbias[1] == 0); /* hidden by the causal mask */
    CHECK_OK(locant_attention_reference(&s.out_, &s.lse_, &s.a));
    CHECK_OK(locant_attention_reference_backward(&s.g, &s.dout_, &s.out_,
                                                 &s.lse_, &s.a));
    near(s.out + (L + 4) * D, out, D);
    near(s.dbias + (L + 4) * L, dbias, L);
}

/* sum of dout * out, with element n of the bias moved by 'step'. */
static double moved(struct sheet *s, int n, double step)
{
    double before = s->bias[n], sum = 0;

    s->bias[n] += step;
    CHECK_OK(locant_attention_reference(&s->out_, &s->lse_, &s->a));
    s->bias[n] = before;
    for (int i = 0; i < H * L * D; i++)
        sum += s->dout[i] * s->out[i];
    return sum;
}

/* With a cap before the bias; errors are h^2 and 2^-52 / h of terms near 1. */
TEST(the_gradient_is_that_of_differences)
{
    struct sheet s;
    const double h = 0x1p-17;

    fill(&s);
    s.a.softcap = 0.5;
    CHECK_OK(locant_attention_reference(&s.out_, &s.lse_, &s.a));
    CHECK_OK(locant_attention_reference_backward(&s.g, &s.dout_, &s.out_,
                                                 &s.lse_, &s.a));
    for (int n = 0; n < H * L * L; n++) {
        double want = (moved(&s, n, h) - moved(&s, n, -h)) / (2 * h);

        if (!(fabs(s.dbias[n] - want) <= 1e-9))
            FAIL("dbias %d: got %.12g, differences %.12g", n, s.dbias[n], want);
    }
}

/* --------------------------------------------------------- every encoding */

/*
 * A problem of 'mixed.h' with a random bias and mask.  The bias has a gradient
 * in F32 or wider, so that the bounds of mixed_judge_fast() hold for it.
 */
static void with_dense(struct mixed *m, struct dense *d, unsigned ones)
{
    const int64_t size[4] = { m->B, m->H, m->T, m->S };

    dense_bias(d, size, m->dtype, ones);
    dense_visible(d, size, ones ^ (unsigned)test_range(0, 15));
    m->a.bias = &d->bias;
    m->a.visible = &d->visible;
    m->g.dbias = &d->dbias;
}

/* Elements of dbias, in order. */
static double *gradient_of(const struct dense *d)
{
    double *out = calloc(oracle_count(&d->dbias) + 1, sizeof(*out));

    assert_non_null(out);
    for (size_t i = 0; i < oracle_count(&d->dbias); i++)
        out[i] = oracle_get(&d->dbias, i);
    return out;
}

static double length(const double *x, const double *y, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += pow(x[i] - (y != NULL ? y[i] : 0), 2);
    return sqrt(sum);
}

/* All outputs near the reference, dbias too: to 1e-5 as other gradients. */
static void judge_encoding(const char *spec, unsigned ones, int documents)
{
    struct mixed m = { .spec = spec,
                       .dtype = LOCANT_F32,
                       .B = 2,
                       .T = 70,
                       .S = 70,
                       .W = 32,
                       .mask = LOCANT_MASK_CAUSAL };
    FREED_BY(dense_free) struct dense d = { .full = NULL };
    double *fast, *slow;
    size_t n;

    mixed_make(&m);
    mixed_options(&m, 40);
    if (documents) {
        m.a.q_docs = &m.q_docs;
        m.a.k_docs = &m.k_docs;
    }
    with_dense(&m, &d, ones);
    mixed_judge_fast(&m);
    mixed_run(&m);
    fast = gradient_of(&d);
    CHECK_OK(locant_attention_reference_backward(&m.g, &m.dout, &m.out, &m.lse,
                                                 &m.a));
    slow = gradient_of(&d);
    n = oracle_count(&d.dbias);
    if (!(length(fast, slow, n) <= 1e-5 * length(slow, NULL, n) + 1e-6))
        FAIL("%s: dbias of shape %u is off by %g of %g", spec, ones,
             length(fast, slow, n), length(slow, NULL, n));
    mixed_judge_threads(&m);
    free(fast);
    free(slow);
    mixed_free(&m);
}

TEST(every_encoding_takes_them)
{
    static const char *const specs[] = { "none",
                                         "rope",
                                         "rope(pairing=interleaved)",
                                         "alibi",
                                         "t5",
                                         "kerple",
                                         "fire(length=64)",
                                         "sandwich",
                                         "xpos",
                                         "pope",
                                         "shaw",
                                         "relative",
                                         "music(length=70)",
                                         "transformer-xl",
                                         "xlnet",
                                         "deberta",
                                         "fox",
                                         "cope",
                                         "dape",
                                         "rerope",
                                         "selfextend",
                                         "streaming",
                                         "window(size=20)",
                                         "temperature",
                                         "rope+alibi" };

    for (size_t i = 0; i < LEN(specs); i++)
        for (int n = 0; n < test_cases(TEST_SANITIZED ? 1 : 2); n++)
            judge_encoding(specs[i], (unsigned)test_range(0, 15), n % 2);
}

/* ---------------------------------------------------------- what is hidden */

/* A plain problem of one head of 200 keys, more than a split of tiles. */
static void make_plain(struct mixed *m, locant_mask mask)
{
    *m = (struct mixed){ .spec = "rope",
                         .dtype = LOCANT_F32,
                         .B = 1,
                         .H = 1,
                         .G = 1,
                         .T = 200,
                         .S = 200,
                         .D = 16,
                         .mask = mask };
    mixed_make(m);
}

static void expect_bits(const double *got, const double *want, size_t n,
                        const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&got[i], &want[i], sizeof(*got)) != 0)
            FAIL("%s: number %zu is %.9g, expected %.9g", what, i, got[i],
                 want[i]);
}

static locant_tensor pairs_of(const struct mixed *m, locant_dtype dtype)
{
    return test_tensor(dtype, 4, (int64_t[]){ 1, 1, m->T, m->S });
}

/* What the causal mask hides, bytes and -infinity hide as well. */
TEST(bytes_and_infinities_hide_like_the_causal_mask)
{
    struct mixed m;
    double *want, *got;

    make_plain(&m, LOCANT_MASK_CAUSAL);
    OWNED(locant_tensor) visible = pairs_of(&m, LOCANT_U8);
    OWNED(locant_tensor) bias = pairs_of(&m, LOCANT_F32);

    for (int64_t n = 0; n < m.T * m.S; n++) {
        int shown = n % m.S <= n / m.S;

        ((char *)visible.data)[n] = (char)shown;
        ((float *)bias.data)[n] = shown ? 0 : -INFINITY;
    }
    mixed_run(&m);
    want = mixed_results(&m);
    m.a.mask = LOCANT_MASK_NONE;
    for (int n = 0; n < 2; n++) {
        m.a.visible = n == 0 ? &visible : NULL;
        m.a.bias = n == 1 ? &bias : NULL;
        mixed_run(&m);
        got = mixed_results(&m);
        expect_bits(got, want, mixed_count(&m), n ? "bias" : "visible");
        free(got);
    }
    free(want);
    mixed_free(&m);
}

/* Only the first n queries. */
static void set_queries(struct mixed *m, int64_t n)
{
    locant_tensor *tensors[] = { &m->q, &m->out, &m->dq, &m->dout, &m->lse };

    for (size_t i = 0; i < LEN(tensors); i++)
        tensors[i]->shape[2] = n;
    m->q_pos.shape[1] = n;
}

/* NaN in keys and values, which a bias of -infinity or a byte of 0 hides. */
TEST(hidden_keys_leak_nothing)
{
    static const int64_t queries[] = { 200, 5 };

    for (int n = 0; n < 4; n++) {
        struct mixed m;
        double *want, *got;

        make_plain(&m, LOCANT_MASK_NONE);
        set_queries(&m, queries[n / 2]);
        OWNED(locant_tensor)
        visible = test_tensor(LOCANT_U8, 4, (int64_t[]){ 1, 1, 1, m.S });
        OWNED(locant_tensor)
        bias = test_tensor(LOCANT_F32, 4, (int64_t[]){ 1, 1, 1, m.S });

        for (int64_t j = 0; j < m.S; j++) {
            ((char *)visible.data)[j] = (char)(j % 3 != 1);
            ((float *)bias.data)[j] = j % 3 != 1 ? 0.5f : -INFINITY;
        }
        m.a.visible = n % 2 ? &visible : NULL;
        m.a.bias = n % 2 ? NULL : &bias;
        mixed_run(&m);
        want = mixed_results(&m);
        for (int64_t j = 1; j < m.S; j += 3)
            for (int64_t d = 0; d < m.D; d++)
                ((float *)m.k.data)[j * m.D + d] =
                    ((float *)m.v.data)[j * m.D + d] = NAN;
        mixed_run(&m);
        got = mixed_results(&m);
        expect_bits(got, want, mixed_count(&m), n % 2 ? "visible" : "bias");
        free(want);
        free(got);
        set_queries(&m, m.T);
        mixed_free(&m);
    }
}

/* A row that sees nothing: 0, -infinity, and gradients of 0. */
TEST(a_row_that_sees_no_key_is_zero)
{
    struct sheet s;

    fill(&s);
    for (int j = 0; j < L; j++)
        s.bias[(L + 4) * L + j] = -INFINITY;
    test_forward(&s.out_, &s.lse_, &s.a);
    test_backward(&s.g, &s.dout_, &s.out_, &s.lse_, &s.a);
    CHECK(s.lse[L + 4] == -INFINITY);
    for (int d = 0; d < D; d++)
        CHECK(s.out[(L + 4) * D + d] == 0 && s.dq[(L + 4) * D + d] == 0);
    for (int j = 0; j < L; j++)
        CHECK(s.dbias[(L + 4) * L + j] == 0);
}

/* ----------------------------------------------------------------- refusals */

TEST(bad_tensors_are_refused)
{
    struct sheet s;
    size_t bytes;
    int64_t wrong[4] = { 1, 3, L, L };

    fill(&s);
    s.bias_.shape[1] = 3;
    REFUSES(SHAPE, locant_attention_workspace(&bytes, &s.a),
            "bias has size 3 in dimension 1, expected 1 or 2");
    s.bias_.shape[1] = H;
    s.bias_.shape[0] = 2;
    REFUSES(SHAPE, locant_attention_workspace(&bytes, &s.a),
            "bias has size 2 in dimension 0, expected 1");
    s.bias_.shape[0] = 1;
    s.bias_.dtype = LOCANT_I64;
    REFUSES(DTYPE, locant_attention_workspace(&bytes, &s.a),
            "bias is i64, expected f32 or f16 or bf16 or f64");
    s.bias_.dtype = LOCANT_F64;
    s.a.visible = &s.bias_;
    REFUSES(DTYPE, locant_attention_workspace(&bytes, &s.a),
            "visible is f64, expected u8");
    s.a.visible = VIEW(U8, s.bias, 1, 3, L, L);
    CHECK(s.a.visible->shape[1] == wrong[1]);
    REFUSES(SHAPE, locant_attention_workspace(&bytes, &s.a),
            "visible has size 3 in dimension 1, expected 1 or 2");
}

TEST(bad_gradients_are_refused)
{
    struct sheet s;

    fill(&s);
    CHECK_OK(locant_attention_reference(&s.out_, &s.lse_, &s.a));
    s.dbias_.shape[2] = 1;
    REFUSES(SHAPE,
            locant_attention_reference_backward(&s.g, &s.dout_, &s.out_,
                                                &s.lse_, &s.a),
            "dbias has size 1 in dimension 2, expected 5");
    s.dbias_.shape[2] = L;
    s.dbias_.stride[2] = 0;
    REFUSES(LAYOUT,
            locant_attention_reference_backward(&s.g, &s.dout_, &s.out_,
                                                &s.lse_, &s.a),
            "dbias has stride 0 in dimension 2: two elements of an output may "
            "not share memory");
    s.dbias_ = s.bias_;
    REFUSES(ALIAS,
            locant_attention_reference_backward(&s.g, &s.dout_, &s.out_,
                                                &s.lse_, &s.a),
            "an output overlaps an input");
    s.a.bias = NULL;
    REFUSES(NULL,
            locant_attention_reference_backward(&s.g, &s.dout_, &s.out_,
                                                &s.lse_, &s.a),
            "dbias is asked for, but bias is NULL");
}

TEST(the_reference_refuses_values_that_are_no_bias)
{
    struct sheet s;

    fill(&s);
    s.bias[(L + 2) * L + 3] = INFINITY;
    REFUSES(PARAM, locant_attention_reference(&s.out_, &s.lse_, &s.a),
            "bias is inf at [0, 1, 2, 3], expected a number or -infinity");
    s.bias[(L + 2) * L + 3] = NAN;
    CHECK(locant_attention_reference(&s.out_, &s.lse_, &s.a) ==
          LOCANT_ERR_PARAM);
    s.bias[(L + 2) * L + 3] = -INFINITY;
    CHECK_OK(locant_attention_reference(&s.out_, &s.lse_, &s.a));
}
