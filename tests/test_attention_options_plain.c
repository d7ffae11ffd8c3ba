/*
 * test_attention_options_plain.c - window, cap and sinks: values by hand, half
 * types, the kernel of the cap, and what is refused.
 */
#include "attention/arithmetic.h"
#include "core/tensor.h"
#include "kernel/kernels.h"
#include "kernel/row.h"
#include "oracle/attend.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ plain values */

/* One head, one query and two keys, one of which the window may hide. */
struct small {
    float q[1], k[2], v[2], out[1], lse[1], sink[1], dout[1], dsink[1], dq[1];
    locant_tensor t[9];
    locant_attention a;
    locant_attention_gradients g;
    char workspace[1 << 20];
};

enum { Q, K, V, OUT, LSE, SINK, DOUT, DSINK, DQ_ };

static void small_make(struct small *s)
{
    float *const data[] = { s->q,    s->k,    s->v,     s->out, s->lse,
                            s->sink, s->dout, s->dsink, s->dq };
    const int64_t one[4] = { 1, 1, 1, 1 }, two[4] = { 1, 1, 2, 1 };

    memset(s, 0, sizeof(*s));
    for (int i = 0; i < 9; i++)
        s->t[i] = locant_dense(data[i], LOCANT_F32,
                               i == LSE                  ? 3
                               : i == SINK || i == DSINK ? 1
                                                         : 4,
                               i == K || i == V ? two : one);
    s->a = (locant_attention)LOCANT_ATTENTION_INIT;
    s->a.q = &s->t[Q];
    s->a.k = &s->t[K];
    s->a.v = &s->t[V];
    s->g = (locant_attention_gradients)LOCANT_ATTENTION_GRADIENTS_INIT;
    s->g.dq = &s->t[DQ_];
}

static locant_status small_forward(struct small *s)
{
    return locant_attention_forward(&s->t[OUT], &s->t[LSE], &s->a, s->workspace,
                                    sizeof(s->workspace));
}

static locant_status small_backward(struct small *s)
{
    return locant_attention_backward(&s->g, &s->t[DOUT], &s->t[OUT], &s->t[LSE],
                                     &s->a, s->workspace, sizeof(s->workspace));
}

/*
 * q = 1, k = (2, 3), v = (10, 20), sink ln 2, cap 4, all exact in the oracle of
 * paper and pencil: s = 4 tanh(1/2), 4 tanh(3/4).
 */
TEST(values_of_paper_and_pencil)
{
    static struct small s;
    double a = exp(4 * tanh(0.5)), b = exp(4 * tanh(0.75)), z = a + b + 2;
    double out = (10 * a + 20 * b) / z;

    small_make(&s);
    s.q[0] = 1;
    s.k[0] = 2;
    s.k[1] = 3;
    s.v[0] = 10;
    s.v[1] = 20;
    s.sink[0] = (float)log(2);
    s.dsink[0] = 5;
    s.dout[0] = 3;
    s.a.softcap = 4;
    s.a.sinks = &s.t[SINK];
    s.g.dsinks = &s.t[DSINK];
    CHECK_OK(small_forward(&s));
    CHECK(fabs((double)s.out[0] - out) < 1e-5 &&
          fabs((double)s.lse[0] - log(z)) < 1e-6);
    CHECK_OK(small_backward(&s));
    CHECK(fabs((double)s.dsink[0] - (5 - 2 / z * 3 * out)) < 1e-5);
    s.a.window = 1; /* key 1 alone: the query sits there */
    z = b + 2;
    CHECK_OK(small_forward(&s));
    CHECK(fabs((double)s.out[0] - 20 * b / z) < 1e-5 &&
          fabs((double)s.lse[0] - log(z)) < 1e-6);
}

/* No key: 0, the sink, and no gradient, whatever dout holds. */
TEST(a_row_that_sees_nothing_has_its_sink)
{
    int64_t pos[1] = { 9 };
    locant_tensor q_pos = DENSE(I64, pos, 1);

    for (int by = 0; by < 2; by++) {
        static struct small s;

        small_make(&s);
        s.q[0] = s.k[0] = s.k[1] = s.v[0] = s.v[1] = 1;
        s.sink[0] = -3.25f;
        s.dsink[0] = 5;
        s.dout[0] = NAN;
        s.out[0] = 7;
        s.a.window = 8;
        s.a.q_pos = &q_pos;
        s.a.sinks = &s.t[SINK];
        s.g.dsinks = &s.t[DSINK];
        if (by) {
            CHECK_OK(locant_attention_reference(&s.t[OUT], &s.t[LSE], &s.a));
            CHECK_OK(locant_attention_reference_backward(
                &s.g, &s.t[DOUT], &s.t[OUT], &s.t[LSE], &s.a));
        } else {
            CHECK_OK(small_forward(&s));
            CHECK_OK(small_backward(&s));
        }
        CHECK(s.out[0] == 0 && s.lse[0] == -3.25f && s.dsink[0] == 5 &&
              s.dq[0] == 0);
        s.sink[0] = -INFINITY; /* none of this head */
        CHECK_OK(small_forward(&s));
        CHECK(s.out[0] == 0 && s.lse[0] == -INFINITY);
        CHECK_OK(small_backward(&s));
        CHECK(s.dsink[0] == 5 && s.dq[0] == 0);
    }
}

/* Rows of nobody are not read, be they what they may. */
TEST(padding_adds_nothing_to_a_sink)
{
    static struct small s;
    int64_t nobody[1] = { -1 }, keys[2] = { 0, 0 };

    small_make(&s);
    s.out[0] = s.lse[0] = s.dout[0] = NAN;
    s.dsink[0] = 5;
    s.a.q_docs = VIEW(I64, nobody, 1);
    s.a.k_docs = VIEW(I64, keys, 2);
    s.a.sinks = &s.t[SINK];
    s.g.dsinks = &s.t[DSINK];
    CHECK_OK(small_backward(&s));
    CHECK(s.dsink[0] == 5 && s.dq[0] == 0);
    CHECK_OK(locant_attention_reference_backward(&s.g, &s.t[DOUT], &s.t[OUT],
                                                 &s.t[LSE], &s.a));
    CHECK(s.dsink[0] == 5 && s.dq[0] == 0);
}

/* ------------------------------------------------------------- half types */

/* Elements of x, rounded to the type; and of 'half', as float32. */
static locant_tensor narrowed(const locant_tensor *x, locant_dtype dtype)
{
    locant_tensor y = test_tensor(dtype, 4, x->shape);

    for (size_t i = 0; i < oracle_count(x); i++) {
        float one = (float)oracle_get(x, i);

        lct_row_from_f32((uint16_t *)y.data + i, dtype, &one, 1);
    }
    return y;
}

static locant_tensor widened(const locant_tensor *half)
{
    locant_tensor y = test_tensor(LOCANT_F32, 4, half->shape);

    lct_row_to_f32(y.data, half->data, half->dtype, oracle_count(&y));
    return y;
}

static void backward(const locant_attention *a, locant_tensor *const grad[3],
                     locant_tensor *dsinks, const locant_tensor *dout,
                     const locant_tensor *out, const locant_tensor *lse)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    g.dq = grad[0];
    g.dk = grad[1];
    g.dv = grad[2];
    g.dsinks = dsinks;
    test_backward(&g, dout, out, lse, a);
}

enum { HALVES = 8 }; /* q, k, v, dout, out, dq, dk, dv */

/* The same problem in half types and in float32 of the same numbers. */
struct twins {
    locant_tensor half[HALVES], wide[HALVES], lse[2], dsinks[2];
    locant_attention a[2];
};

static void twins_make(struct twins *w, const struct attend *t,
                       locant_dtype dtype)
{
    const locant_tensor *from[HALVES] = { &t->q, &t->k, &t->v, &t->dout,
                                          &t->q, &t->q, &t->k, &t->v };

    for (int n = 0; n < HALVES; n++) {
        w->half[n] = narrowed(from[n], dtype);
        w->wide[n] = widened(&w->half[n]);
    }
    for (int n = 0; n < 2; n++) {
        const locant_tensor *x = n ? w->wide : w->half;

        w->lse[n] = test_tensor(LOCANT_F32, 3, t->q.shape);
        w->dsinks[n] = TENSOR(F32, t->H);
        memset(w->dsinks[n].data, 0, (size_t)t->H * sizeof(float));
        w->a[n] = t->a;
        w->a[n].q = &x[0];
        w->a[n].k = &x[1];
        w->a[n].v = &x[2];
    }
}

static void twins_free(struct twins *w)
{
    for (int n = 0; n < HALVES; n++) {
        test_tensor_free(&w->half[n]);
        test_tensor_free(&w->wide[n]);
    }
    for (int n = 0; n < 2; n++) {
        test_tensor_free(&w->lse[n]);
        test_tensor_free(&w->dsinks[n]);
    }
}

/* wide[n], rounded once, has the bits of half[n]. */
static void rounded(const struct twins *w, int n)
{
    locant_tensor want = narrowed(&w->wide[n], w->half[n].dtype);

    CHECK(memcmp(want.data, w->half[n].data,
                 oracle_count(&want) * sizeof(uint16_t)) == 0);
    test_tensor_free(&want);
}

/* The float32 result rounded once, of out and of gradients. */
static void judge_twins(struct twins *w)
{
    locant_tensor *half[3] = { &w->half[5], &w->half[6], &w->half[7] };
    locant_tensor *wide[3] = { &w->wide[5], &w->wide[6], &w->wide[7] };
    locant_tensor out;

    test_forward(&w->half[4], &w->lse[0], &w->a[0]);
    test_forward(&w->wide[4], &w->lse[1], &w->a[1]);
    rounded(w, 4);
    CHECK(memcmp(w->lse[0].data, w->lse[1].data,
                 oracle_count(&w->lse[0]) * sizeof(float)) == 0);
    backward(&w->a[0], half, &w->dsinks[0], &w->half[3], &w->half[4],
             &w->lse[0]);
    out = widened(&w->half[4]); /* what backward was given */
    backward(&w->a[1], wide, &w->dsinks[1], &w->wide[3], &out, &w->lse[1]);
    for (int n = 5; n < HALVES; n++)
        rounded(w, n);
    CHECK(memcmp(w->dsinks[0].data, w->dsinks[1].data,
                 oracle_count(&w->dsinks[0]) * sizeof(float)) == 0);
    test_tensor_free(&out);
}

/* By dot products of pairs: 2^-7 of the length, as attention.h says. */
static void judge_pairs(struct twins *w)
{
    locant_tensor got;
    double error = 0, size = 0;

    lct_arithmetic_bf16 = LCT_BF16_ALWAYS;
    test_forward(&w->half[4], &w->lse[0], &w->a[0]);
    lct_arithmetic_bf16 = LCT_BF16_NEVER;
    got = widened(&w->half[4]);
    for (size_t i = 0; i < oracle_count(&got); i++) {
        error += pow(oracle_get(&got, i) - oracle_get(&w->wide[4], i), 2);
        size += pow(oracle_get(&w->wide[4], i), 2);
    }
    if (!(sqrt(error) <= 0x1p-7 * sqrt(size)))
        FAIL("by pairs: error %.3g of %.3g", sqrt(error), sqrt(size));
    test_tensor_free(&got);
}

TEST(halves_are_storage)
{
    static const locant_dtype types[] = { LOCANT_BF16, LOCANT_F16 };

    for (int n = 0; n < (TEST_SANITIZED ? 4 : 12); n++) {
        struct attend t = { .o = oracle_of(n % 4 < 2 ? "rope" : "alibi"),
                            .dtype = LOCANT_F32,
                            .sharp = 1,
                            .kind = ATTEND_DEFAULT,
                            .options = n % 3 ? 7 : 15 };
        FREED_BY(twins_free) struct twins w;

        attend_sizes(&t, TEST_SANITIZED ? 65 : 130);
        CHECK(attend_choose(&t, 0));
        attend_make(&t, LOCANT_MASK_CAUSAL);
        t.a.window = 50;
        twins_make(&w, &t, types[n % 2]);
        lct_arithmetic_bf16 = LCT_BF16_NEVER;
        judge_twins(&w);
        if (n % 2 == 0)
            judge_pairs(&w);
        lct_arithmetic_bf16 = LCT_BF16_FAST;
        attend_free(&t);
    }
}

/* -------------------------------------------------------------- the kernel */

/* Some of all floats: c tanh(s / c) and its slope, as kernels.h says. */
static void judge_kernel(void)
{
    static const float caps[] = { 1, 50, 0.3f, 0x1p60f, 0x1p-60f };
    const struct lct_kernels *k = lct_kernels();
    float s[32], slope[32], before[32];

    for (int n = 0; n < (TEST_SANITIZED ? 500 : 8000); n++) {
        float c = caps[n % 5];

        for (int i = 0; i < 32; i++)
            s[i] = before[i] = c *
                               ldexpf((float)(1 + fabs(test_uniform())),
                                      (int)test_range(-30, 3)) *
                               (test_rand() % 2 ? 1.0f : -1.0f);
        k->softcap(s, slope, 32, c);
        for (int i = 0; i < 32; i++) {
            long double x = (long double)before[i] / c, t = tanhl(x);
            long double w = 1 / coshl(x) / coshl(x);

            if (!(fabsl(s[i] - c * t) <= 12 * 0x1p-24L * fabsl(c * t)) ||
                !(fabsl(slope[i] - w) <= (12 + 4 * fabsl(x)) * 0x1p-24L * w))
                FAIL("%s: cap %g of %.9g: got %.9g, slope %.9g", k->isa,
                     (double)c, (double)before[i], (double)s[i],
                     (double)slope[i]);
        }
    }
}

static void odd_values(void)
{
    const struct lct_kernels *k = lct_kernels();
    float s[16] = { -INFINITY, INFINITY, NAN, 0, -0.0f, 1e38f, -1e38f };
    float slope[16];

    k->softcap(s, slope, 16, 30);
    CHECK(s[0] == -INFINITY && slope[0] == 0 && s[1] == 30 && isnan(s[2]));
    CHECK(s[3] == 0 && !signbit(s[3]) && s[4] == 0 && signbit(s[4]) &&
          slope[3] == 1 && slope[4] == 1);
    CHECK(s[5] == 30 && s[6] == -30 && slope[5] < 1e-30f);
    k->softcap(s, NULL, 16, 30);
    CHECK(s[0] == -INFINITY);
}

TEST(the_cap_is_accurate)
{
    test_each_isa(judge_kernel);
    test_each_isa(odd_values);
}

/* ---------------------------------------------------------------- refusals */

#define FN "locant_attention_forward: "

TEST(refuses_wrong_options)
{
    static struct small s;
    static const struct {
        int64_t window;
        double cap;
        const char *why;
    } bad[] = {
        { -1, 0, FN "window is -1, expected 0 (none) or more" },
        { 0, -2,
          FN "softcap is -2, expected 0 (none) or a number from 2^-64 "
             "to 2^64" },
        { 0, NAN,
          FN "softcap is nan, expected 0 (none) or a number from "
             "2^-64 to 2^64" },
        { 0, INFINITY,
          FN "softcap is inf, expected 0 (none) or a number "
             "from 2^-64 to 2^64" },
    };

    for (size_t i = 0; i < LEN(bad); i++) {
        small_make(&s);
        s.out[0] = 7;
        s.a.window = bad[i].window;
        s.a.softcap = bad[i].cap;
        CHECK_REFUSED(small_forward(&s), LOCANT_ERR_PARAM, bad[i].why);
        CHECK(s.out[0] == 7);
    }
}

TEST(refuses_wrong_sinks)
{
    static struct small s;
    double wide[2] = { 0 };
    locant_tensor sinks;

    small_make(&s);
    s.a.sinks = &sinks;
    sinks = DENSE(F64, wide, 1);
    CHECK_REFUSED(small_forward(&s), LOCANT_ERR_DTYPE,
                  FN "sinks is f64, expected f32");
    sinks = DENSE(F32, wide, 2);
    CHECK_REFUSED(small_forward(&s), LOCANT_ERR_SHAPE,
                  FN "sinks has size 2 in dimension 0, expected 1");
    sinks = s.t[OUT];
    sinks.rank = 1;
    CHECK_REFUSED(small_forward(&s), LOCANT_ERR_ALIAS,
                  FN "an output overlaps an input");
}

#undef FN
#define FN "locant_attention_backward: "

TEST(refuses_wrong_gradients)
{
    static struct small s;
    double wide[1] = { 0 };

    small_make(&s);
    s.g.dsinks = &s.t[DSINK];
    CHECK_REFUSED(small_backward(&s), LOCANT_ERR_NULL,
                  FN "dsinks is asked for, but sinks is NULL");
    s.a.sinks = &s.t[SINK];
    s.g.dsinks = VIEW(F64, wide, 1);
    CHECK_REFUSED(small_backward(&s), LOCANT_ERR_DTYPE,
                  FN "dsinks is f64, expected f32");
    s.g.dsinks = &s.t[SINK];
    CHECK_REFUSED(small_backward(&s), LOCANT_ERR_ALIAS,
                  FN "an output overlaps an input");
}
