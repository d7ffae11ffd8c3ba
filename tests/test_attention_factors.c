/*
 * test_attention_factors.c - factors of scores, weights and queries, and
 * stick-breaking: printed values, counts of visible keys, the same bits in
 * every engine.
 *
 * Printed values are computed in double from the formulas for
 *     q[h,i,d] = sin(0.1 i + 0.3 d + 0.7 h)
 *     k[h,j,d] = cos(0.2 j - 0.4 d + 0.5 h)
 *     v[h,j,d] = sin(0.5 j + 0.7 d + 0.2 h)
 *     dout[h,i,d] = cos(0.1 i + 0.2 d + 0.3 h)
 * 2 heads, 5 tokens, 4 channels, causal, scale 1/2, rotated with base 100.
 */
#include "oracle/near.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { H = 2, L = 5, D = 4, N = H * L * D };

struct printed {
    double q[N], k[N], v[N], dout[N], out[N], dq[N], dk[N], dv[N];
    double lse[H * L];
};

static void fill(struct printed *x)
{
    for (int h = 0; h < H; h++)
        for (int i = 0; i < L; i++)
            for (int d = 0; d < D; d++) {
                int at = (h * L + i) * D + d;

                x->q[at] = sin(0.1 * i + 0.3 * d + 0.7 * h);
                x->k[at] = cos(0.2 * i - 0.4 * d + 0.5 * h);
                x->v[at] = sin(0.5 * i + 0.7 * d + 0.2 * h);
                x->dout[at] = cos(0.1 * i + 0.2 * d + 0.3 * h);
            }
}

/* Forward and backward in double; 'grad', unless NULL, is added to. */
static void run(struct printed *x, const char *spec,
                const locant_tensor *params, locant_tensor *grad)
{
    OWNED(locant_encoding) *e = test_create(spec);
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    locant_tensor q = DENSE(F64, x->q, 1, H, L, D);
    locant_tensor k = DENSE(F64, x->k, 1, H, L, D);
    locant_tensor v = DENSE(F64, x->v, 1, H, L, D);
    locant_tensor out = DENSE(F64, x->out, 1, H, L, D);
    locant_tensor dout = DENSE(F64, x->dout, 1, H, L, D);
    locant_tensor lse = DENSE(F64, x->lse, 1, H, L);
    locant_tensor dq = DENSE(F64, x->dq, 1, H, L, D);
    locant_tensor dk = DENSE(F64, x->dk, 1, H, L, D);
    locant_tensor dv = DENSE(F64, x->dv, 1, H, L, D);

    fill(x);
    a.q = &q;
    a.k = &k;
    a.v = &v;
    a.encoding = e;
    a.params = params;
    a.mask = LOCANT_MASK_CAUSAL;
    CHECK_OK(locant_attention_reference(&out, &lse, &a));
    g.dq = &dq;
    g.dk = &dk;
    g.dv = &dv;
    g.dparams = grad;
    CHECK_OK(locant_attention_reference_backward(&g, &dout, &out, &lse, &a));
}

/* The output of head 1, query 4. */
static const double *last_row(const struct printed *x)
{
    return x->out + (L + 4) * D;
}

TEST(scale_invariant_has_the_printed_values)
{
    static const double want[D] = { 0.8449044611, 0.5815613284, 0.0447008157,
                                    -0.5131831891 };
    static const int64_t n[] = { 0, 1, 10, 100, 1000 };
    static const double m[] = { 0, -0.1906203596, -1.3862943611, -4.7957905456,
                                -9.2302410337 };
    struct printed x;
    double got[5];

    for (int i = 0; i < 5; i++)
        got[i] = near_bias("scale-invariant", 1, 0, n[i], 0, NULL);
    near_all(got, m, 5, 0.51e-10);
    run(&x, "scale-invariant+rope(base=100)", NULL, NULL);
    near_all(last_row(&x), want, D, 0.51e-10);
}

/* The factor at distance n, seen as the score of unit vectors. */
TEST(scale_invariant_multiplies_by_the_printed_factors)
{
    static const int64_t n[] = { 0, 1, 10, 100, 1000 };
    static const double want[] = { 1, 1.0911555158, 1.5447635292, 2.4074448167,
                                   3.1984747980 };
    OWNED(locant_encoding) *e = test_create("scale-invariant");
    locant_attention a = LOCANT_ATTENTION_INIT;

    for (int i = 0; i < 5; i++) {
        double one = 1, v = 0, out, lse;
        int64_t q_pos = n[i], k_pos = 0;
        locant_tensor q = DENSE(F64, &one, 1, 1, 1, 1),
                      o = DENSE(F64, &out, 1, 1, 1, 1);
        locant_tensor values = DENSE(F64, &v, 1, 1, 1, 1),
                      l = DENSE(F64, &lse, 1, 1, 1);

        a.q = a.k = &q;
        a.v = &values;
        a.q_pos = VIEW(I64, &q_pos, 1);
        a.k_pos = VIEW(I64, &k_pos, 1);
        a.encoding = e;
        a.scale = 1;
        CHECK_OK(locant_attention_reference(&o, &l, &a));
        lse -= near_bias("scale-invariant", 1, 0, n[i], 0, NULL);
        near_all(&lse, &want[i], 1, 0.51e-10);
    }
}

TEST(ssmax_has_the_printed_values)
{
    static const double want[D] = { 0.8111158826, 0.6236880531, 0.1429299868,
                                    -0.4050502856 };
    double s[H] = { 0.43, 0.6 }, ds[H] = { 0 };
    locant_tensor params = DENSE(F64, s, H), grad = DENSE(F64, ds, H);
    struct printed x;

    run(&x, "ssmax+rope(base=100)", &params, &grad);
    near_all(last_row(&x), want, D, 0.51e-10);
    near_all(ds, (double[]){ -0.5508372034, -0.3417040091 }, H, 0.51e-10);
}

/* c_h(n) = 1 + 0.1 (h + 1) cos n; with 64 buckets each n < 16 has its own. */
TEST(urpe_has_the_printed_values)
{
    enum { BUCKETS = 64 };
    static const double want[D] = { 0.8741601230, 0.6197896335, 0.0739223948,
                                    -0.5067117012 };
    static const double dc[L] = { 4.8811570891, 2.3958187309, 0.7781750386,
                                  0.2632858480, 0.1313111980 };
    double table[BUCKETS * H], dtable[BUCKETS * H] = { 0 }, got[L];
    locant_tensor params = DENSE(F64, table, BUCKETS, H);
    locant_tensor grad = DENSE(F64, dtable, BUCKETS, H);
    struct printed x;

    for (int b = 0; b < BUCKETS; b++)
        for (int h = 0; h < H; h++)
            table[b * H + h] = 1 + 0.1 * (h + 1) * cos(b);
    run(&x, "urpe+rope(base=100)", &params, &grad);
    near_all(last_row(&x), want, D, 0.51e-10);
    for (int n = 0; n < L; n++)
        got[n] = dtable[n * H + 1];
    near_all(got, dc, L, 0.51e-10);
}

TEST(urpe_of_ones_changes_nothing)
{
    double table[128];
    locant_tensor params = DENSE(F64, table, 64, H);
    struct printed plain, ones;

    for (int i = 0; i < 128; i++)
        table[i] = 1;
    run(&plain, "rope(base=100)", NULL, NULL);
    run(&ones, "urpe+rope(base=100)", &params, NULL);
    CHECK(memcmp(plain.out, ones.out, sizeof(plain.out)) == 0);
    CHECK(memcmp(plain.dq, ones.dq, sizeof(plain.dq)) == 0);
    CHECK(memcmp(plain.dk, ones.dk, sizeof(plain.dk)) == 0);
    CHECK(memcmp(plain.dv, ones.dv, sizeof(plain.dv)) == 0);
}

/* ------------------------------------------------------------------- counts */

enum { COUNTED = 9 };

/*
 * With q = k = 1 and one channel, a row of N equal scores x = s ln N has
 * log-sum-exp x + ln N = (s + 1) ln N, which tells N.
 */
static void counts(double *got, locant_attention *a, const char *spec)
{
    OWNED(locant_encoding) *e = test_create(spec);
    double one[COUNTED], out[COUNTED], s[1] = { 1 };
    locant_tensor x = DENSE(F64, one, 1, 1, COUNTED, 1);
    locant_tensor o = DENSE(F64, out, 1, 1, COUNTED, 1);
    locant_tensor lse = DENSE(F64, got, 1, 1, COUNTED);
    locant_tensor params = DENSE(F64, s, 1);

    for (int i = 0; i < COUNTED; i++)
        one[i] = 1;
    a->q = a->k = a->v = &x;
    a->encoding = e;
    a->params = &params;
    a->scale = 1;
    CHECK_OK(locant_attention_reference(&o, &lse, a));
    for (int i = 0; i < COUNTED; i++)
        got[i] = exp(got[i] / 2);
}

TEST(ssmax_counts_visible_keys)
{
    static const double all[] = { 9, 9, 9, 9, 9, 9, 9, 9, 9 };
    static const double past[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    static const double three[] = { 1, 2, 3, 3, 3, 3, 3, 3, 3 };
    static const double around[] = { 3, 4, 5, 5, 5, 5, 5, 4, 3 };
    static const double documents[] = { 0, 1, 2, 3, 0, 1, 2, 3, 4 };
    int64_t docs[] = { -1, 7, 7, 7, -1, 3, 3, 3, 3 };
    int64_t reversed[] = { 8, 7, 6, 5, 4, 3, 2, 1, 0 };
    locant_attention a = LOCANT_ATTENTION_INIT;
    double got[COUNTED], back[COUNTED];

    counts(got, &a, "ssmax");
    near_all(got, all, COUNTED, 1e-12);
    a.window = 3;
    counts(got, &a, "ssmax");
    near_all(got, around, COUNTED, 1e-12);
    a.mask = LOCANT_MASK_CAUSAL;
    counts(got, &a, "ssmax");
    near_all(got, three, COUNTED, 1e-12);
    a.window = 0;
    counts(got, &a, "ssmax");
    near_all(got, past, COUNTED, 1e-12);
    counts(got, &a, "ssmax+window(size=3)");
    near_all(got, three, COUNTED, 1e-12);
    a.q_pos = a.k_pos = VIEW(I64, reversed, COUNTED);
    counts(got, &a, "ssmax");
    for (int i = 0; i < COUNTED; i++)
        back[i] = past[COUNTED - 1 - i];
    near_all(got, back, COUNTED, 1e-12);
    a.q_pos = a.k_pos = NULL;
    a.q_docs = a.k_docs = VIEW(I64, docs, COUNTED);
    counts(got, &a, "ssmax");
    near_all(got, documents, COUNTED, 1e-12); /* no key: lse is -infinity */
}

/* ------------------------------------------------------------------ engines */

enum { HEADS = 4, KEYS = 150, CHANNELS = 16 };

struct engines {
    float q[HEADS * KEYS * CHANNELS], k[HEADS * KEYS * CHANNELS];
    float v[HEADS * KEYS * CHANNELS], table[64 * HEADS];
    locant_tensor params[2];
};

static void draw(struct engines *x, const char *spec)
{
    for (size_t i = 0; i < LEN(x->q); i++) {
        x->q[i] = (float)test_uniform();
        x->k[i] = (float)test_uniform();
        x->v[i] = (float)test_uniform();
    }
    for (size_t i = 0; i < LEN(x->table); i++)
        x->table[i] = 1 + (float)test_uniform();
    x->params[0] = strncmp(spec, "ssmax", 5) == 0
                       ? DENSE(F32, x->table, HEADS)
                       : DENSE(F32, x->table, 64, HEADS);
}

/* out [HEADS, T, CHANNELS] of the last T queries at positions 'step' apart. */
static void attend(float *out, struct engines *x, const char *spec, int64_t T,
                   int64_t step)
{
    OWNED(locant_encoding) *e = test_create(spec);
    locant_attention a = LOCANT_ATTENTION_INIT;
    const int64_t last[4] = { 1, HEADS, T, CHANNELS };
    float lse[HEADS * KEYS];
    int64_t pos[KEYS];
    locant_tensor q = DENSE(F32, x->q, 1, HEADS, KEYS, CHANNELS);
    locant_tensor k = DENSE(F32, x->k, 1, HEADS, KEYS, CHANNELS);
    locant_tensor v = DENSE(F32, x->v, 1, HEADS, KEYS, CHANNELS);
    locant_tensor o = locant_dense(out, LOCANT_F32, 4, last);
    locant_tensor l = DENSE(F32, lse, 1, HEADS, T);
    size_t bytes;
    void *workspace;

    for (int64_t i = 0; i < KEYS; i++)
        pos[i] = step * i;
    q.data = x->q + (KEYS - T) * CHANNELS;
    q.shape[2] = T;
    a.q = &q;
    a.k = &k;
    a.v = &v;
    a.q_pos = VIEW(I64, pos + KEYS - T, T);
    a.k_pos = VIEW(I64, pos, KEYS);
    a.encoding = e;
    a.params = x->params;
    a.mask = LOCANT_MASK_CAUSAL;
    CHECK_OK(locant_attention_workspace(&bytes, &a));
    workspace = test_guarded(bytes);
    CHECK_OK(locant_attention_forward(&o, &l, &a, workspace, bytes));
    test_guarded_free(workspace, bytes);
}

/*
 * Positions 1 apart have a table of factors, positions 2^20 apart none.  Both
 * give the same bits for all queries at once and for the last one alone.
 */
TEST(decoding_has_the_bits_of_one_call)
{
    static const char *const specs[] = { "scale-invariant", "ssmax+rope",
                                         "urpe+rope", "urpe+alibi",
                                         "stick-breaking" };
    static float whole[HEADS * KEYS * CHANNELS], last[HEADS * 3 * CHANNELS];
    struct engines *x = test_guarded(sizeof(*x));

    for (size_t n = 0; n < LEN(specs); n++)
        for (int64_t step = 1; step <= 1 << 20; step <<= 20)
            for (int64_t T = 1; T <= 3; T += 2) {
                draw(x, specs[n]);
                attend(whole, x, specs[n], KEYS, step);
                attend(last, x, specs[n], T, step);
                for (int64_t h = 0; h < HEADS; h++)
                    CHECK(memcmp(last + h * T * CHANNELS,
                                 whole + (h * KEYS + KEYS - T) * CHANNELS,
                                 (size_t)(T * CHANNELS) * sizeof(float)) == 0);
            }
    test_guarded_free(x, sizeof(*x));
}

/* ----------------------------------------------------------------- refusals */

TEST(factors_that_would_meet_are_refused)
{
    static const char *const specs[] = { "scale-invariant+scale-invariant",
                                         "rerope+scale-invariant",
                                         "ssmax+temperature",
                                         "temperature+ssmax",
                                         "urpe+urpe",
                                         "streaming+ssmax" };

    for (size_t n = 0; n < LEN(specs); n++) {
        locant_encoding *e = NULL;

        CHECK(locant_encoding_create(&e, specs[n]) == LOCANT_ERR_PARAM);
        CHECK(e == NULL);
    }
}

/* --------------------------------------------------------------------- tapa */

TEST(tapa_has_the_printed_values)
{
    static const double scores[L] = { -0.6304247698, -0.9632340600,
                                      -0.8337331229, -0.2997583110,
                                      0.6017212131 };
    static const double out[D] = { 0.7579301603, 0.5470209106, 0.0788391792,
                                   -0.4264218501 };
    static const double dq[D] = { -0.1287340478, -0.2140433575, -0.8533470202,
                                  -0.7602080619 };
    OWNED(locant_encoding) *e = test_create("tapa");
    locant_attention a = LOCANT_ATTENTION_INIT;
    struct printed x;

    run(&x, "tapa", NULL, NULL);
    near_all(last_row(&x), out, D, 0.51e-10);
    near_all(x.dq + (L + 4) * D, dq, D, 0.51e-10);
    a.encoding = e;
    for (int64_t j = 0; j < L; j++) { /* one key: its score is lse */
        int64_t q_pos = 4;
        double o[D], lse;
        locant_tensor q = DENSE(F64, x.q + (L + 4) * D, 1, 1, 1, D);
        locant_tensor k = DENSE(F64, x.k + (L + j) * D, 1, 1, 1, D);
        locant_tensor to = DENSE(F64, o, 1, 1, 1, D);
        locant_tensor l = DENSE(F64, &lse, 1, 1, 1);

        a.q = &q;
        a.k = a.v = &k;
        a.q_pos = VIEW(I64, &q_pos, 1);
        a.k_pos = VIEW(I64, &j, 1);
        CHECK_OK(locant_attention_reference(&to, &l, &a));
        near_all(&lse, &scores[j], 1, 0.51e-10);
    }
}

/* ----------------------------------------------------------- stick-breaking */

TEST(stick_breaking_has_the_printed_values)
{
    static const double strict[D] = { 0.9707149186, 0.7245229553, 0.1375765251,
                                      -0.5140742946 };
    static const double with_own[D] = { 0.8428845456, 0.3421208064,
                                        -0.3195476939, -0.8309279206 };
    const double rest[2] = { 0.0007020037, 0.0001488153 };
    struct printed x;
    double got;

    run(&x, "stick-breaking", NULL, NULL);
    near_all(last_row(&x), strict, D, 0.51e-10);
    got = exp(x.lse[L + 4]);
    near_all(&got, &rest[0], 1, 0.51e-10);
    /* The first query sees no key, so its output is its own value. */
    near_all(x.out, x.v, D, 0);
    near_all(x.lse, (double[]){ 0 }, 1, 0);
    run(&x, "stick-breaking(current=yes)", NULL, NULL);
    near_all(last_row(&x), with_own, D, 0.51e-10);
    got = exp(x.lse[L + 4]);
    near_all(&got, &rest[1], 1, 0.51e-10);
}

/*
 * The scores of head 1, query 4, as those of a query with unit vectors as keys:
 * then dq is the gradient of the scores, and with unit vectors as values, out
 * is the weights.  Without 'values' they are units, and nothing is backward.
 */
static void unit_keys(double to[L], const char *spec, const struct printed *x,
                      bool values)
{
    OWNED(locant_encoding) *e = test_create(spec);
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    double z[L], k[L * L] = { 0 }, v[L * L] = { 0 }, out[L], dout[L] = { 0 };
    double lse, dq[L];
    int64_t last = L - 1;
    locant_tensor tq = DENSE(F64, z, 1, 1, 1, L),
                  tk = DENSE(F64, k, 1, 1, L, L);
    locant_tensor tv = DENSE(F64, v, 1, 1, L, L),
                  o = DENSE(F64, out, 1, 1, 1, L);
    locant_tensor l = DENSE(F64, &lse, 1, 1, 1), d = DENSE(F64, dq, 1, 1, 1, L);

    for (int j = 0; j < L; j++) {
        z[j] = near_dot(x->q + (L + 4) * D, x->k + (L + j) * D, D) / 2;
        k[j * L + j] = 1;
        if (values)
            memcpy(v + j * L, x->v + (L + j) * D, D * sizeof(*v));
        else
            v[j * L + j] = 1;
    }
    memcpy(dout, x->dout + (L + 4) * D, D * sizeof(*dout));
    a.q = &tq;
    a.k = &tk;
    a.v = &tv;
    a.q_pos = VIEW(I64, &last, 1);
    a.mask = LOCANT_MASK_CAUSAL;
    a.scale = 1;
    a.encoding = e;
    CHECK_OK(locant_attention_reference(&o, &l, &a));
    memcpy(to, out, sizeof(out));
    if (!values)
        return;
    g.dq = &d;
    CHECK_OK(locant_attention_reference_backward(
        &g, VIEW(F64, dout, 1, 1, 1, L), &o, &l, &a));
    memcpy(to, dq, sizeof(dq));
}

TEST(stick_breaking_has_the_printed_weights_and_gradients)
{
    static const double strict[L] = { 0.0038532694, 0.0250323029, 0.1520867066,
                                      0.8183257174, 0 };
    static const double with_own[L] = { 0.0008168412, 0.0053065113,
                                        0.0322403348, 0.1734740378,
                                        0.7880134596 };
    static const double dz[L] = { 0.0005762776, 0.0017121187, -0.0006273031,
                                  -0.0688809571, 0 };
    struct printed x;
    double got[L];

    fill(&x);
    unit_keys(got, "stick-breaking(rest=drop)", &x, false);
    near_all(got, strict, L, 0.51e-10);
    unit_keys(got, "stick-breaking(current=yes,rest=drop)", &x, false);
    near_all(got, with_own, L, 0.51e-10);
    unit_keys(got, "stick-breaking", &x, true);
    near_all(got, dz, L, 0.51e-10);
}
