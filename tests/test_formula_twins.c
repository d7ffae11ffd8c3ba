/*
 * test_formula_twins.c - the numbers of the specification, and encodings
 * written as formulas: equal to the bit where both do the same operations in
 * double, else to one unit of float32.
 */
#include "oracle/near.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define KERPLE "formula(bias=-m*log1p(a*n),m=param(heads),a=param(heads))"

/* ------------------------------------------------------- printed attention */

enum { L = 5, HEADS = 2, D = 4, SIZE = HEADS * L * D };

/* The inputs of the printed values: 5 tokens, 2 heads of 4 channels. */
struct problem {
    double q[SIZE], k[SIZE], v[SIZE], dout[SIZE], out[SIZE], lse[HEADS * L];
    locant_tensor t[6];
    locant_attention a;
};

static double input(int which, double t, double d, double h)
{
    switch (which) {
    case 0: return sin(0.1 * t + 0.3 * d + 0.7 * h);
    case 1: return cos(0.2 * t - 0.4 * d + 0.5 * h);
    case 2: return sin(0.5 * t + 0.7 * d + 0.2 * h);
    default: return cos(0.1 * t + 0.2 * d + 0.3 * h);
    }
}

static void fill(struct problem *p, const locant_encoding *e,
                 const locant_tensor *params)
{
    double *to[] = { p->q, p->k, p->v, p->dout, p->out, p->lse };

    memset(p, 0, sizeof(*p));
    p->a = (locant_attention)LOCANT_ATTENTION_INIT;
    for (int n = 0; n < 4; n++)
        for (int i = 0; i < SIZE; i++)
            to[n][i] = input(n, i / D % L, i % D, i / (L * D));
    for (int n = 0; n < 5; n++)
        p->t[n] = DENSE(F64, to[n], 1, HEADS, L, D);
    p->t[5] = DENSE(F64, p->lse, 1, HEADS, L);
    p->a.q = &p->t[0];
    p->a.k = &p->t[1];
    p->a.v = &p->t[2];
    p->a.encoding = e;
    p->a.params = params;
    p->a.mask = LOCANT_MASK_CAUSAL;
}

/* Forward, then backward into dparams. */
static void run(struct problem *p, locant_tensor *dparams)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    size_t bytes;
    void *scratch;

    g.dparams = dparams;
    CHECK_OK(locant_attention_workspace(&bytes, &p->a));
    scratch = malloc(bytes + 1);
    CHECK_OK(
        locant_attention_forward(&p->t[4], &p->t[5], &p->a, scratch, bytes));
    CHECK_OK(locant_attention_backward(&g, &p->t[3], &p->t[4], &p->t[5], &p->a,
                                       scratch, bytes));
    free(scratch);
}

static const double printed_m[2] = { 1.5, 0.5 }, printed_a[2] = { 0.5, 2 };

TEST(kerple_has_the_printed_attention)
{
    static const double want[4] = { 0.7528692217, 0.6628675403, 0.2611088971,
                                    -0.2634533404 };
    OWNED(locant_encoding) *e = test_create(KERPLE);
    double dm[2] = { 0 }, da[2] = { 0 };
    locant_tensor params[] = { DENSE(F64, (double *)printed_m, 2),
                               DENSE(F64, (double *)printed_a, 2) };
    locant_tensor dparams[] = { DENSE(F64, dm, 2), DENSE(F64, da, 2) };
    struct problem p;

    fill(&p, e, params);
    run(&p, dparams);
    near_all(p.out + (L + 4) * D, want, D, 0.51e-10);
    near_all(dm, (double[]){ -0.2461181603, -0.5390499361 }, 2, 0.51e-10);
    near_all(da, (double[]){ -0.5187691606, -0.0633843210 }, 2, 0.51e-10);
}

/* A table of zeros beside the bias: its gradients are the sums by distance. */
TEST(distance_sums_are_as_printed)
{
    static const double want[L] = { -0.3117303187, 0.0382019199, 0.1324844648,
                                    0.1036545396, 0.0373893945 };
    OWNED(locant_encoding) *e = test_create(
        "formula(bias=-m*log1p(a*n)+pick(t,n),m=param(heads),a=param(heads),"
        "t=param(heads,5))");
    double zero[HEADS * L] = { 0 }, dm[2] = { 0 }, da[2] = { 0 };
    double dt[HEADS * L] = { 0 };
    locant_tensor params[] = { DENSE(F64, (double *)printed_m, 2),
                               DENSE(F64, (double *)printed_a, 2),
                               DENSE(F64, zero, HEADS, L) };
    locant_tensor dparams[] = { DENSE(F64, dm, 2), DENSE(F64, da, 2),
                                DENSE(F64, dt, HEADS, L) };
    struct problem p;

    fill(&p, e, params);
    run(&p, dparams);
    near_all(dt + L, want, L, 0.51e-10);
}

TEST(all_three_expressions_are_as_printed)
{
    static const double want[4] = { 0.8032503574, 1.0718179726, 0.8362928476,
                                    0.2074461289 };
    OWNED(locant_encoding) *e = test_create(
        "formula(gain=1+a*log1p(n),bias=-m*n,after=1+c*sqrt(n),a=param(heads),"
        "m=param(heads),c=param(heads))");
    double x[3][2] = { { 0.2, 0.4 }, { 0.1, 0.05 }, { -0.1, 0.2 } };
    double dx[3][2] = { { 0 } }, sum = 0;
    locant_tensor params[3], dparams[3];
    struct problem p;

    for (int i = 0; i < 3; i++) {
        params[i] = DENSE(F64, x[i], 2);
        dparams[i] = DENSE(F64, dx[i], 2);
    }
    fill(&p, e, params);
    run(&p, dparams);
    for (int i = 0; i < SIZE; i++)
        sum += p.dout[i] * p.out[i];
    near_all(p.out + (L + 4) * D, want, D, 0.51e-10);
    near_all(&sum, (double[]){ 20.0609909479 }, 1, 0.51e-10);
    near_all(dx[0], (double[]){ 0.1516320469, 0.7211682492 }, 2, 0.51e-10);
    near_all(dx[1], (double[]){ -0.0790038332, -0.8535704280 }, 2, 0.51e-10);
    near_all(dx[2], (double[]){ 6.8539084577, 7.0408975231 }, 2, 0.51e-10);
}

/* The loss sum of dout out with parameter k moved by 'by'. */
static double loss(const locant_encoding *e, locant_tensor *params, int k,
                   double by)
{
    double *x = params[k].data, kept = x[1], sum = 0;
    struct problem p;

    x[1] += by;
    fill(&p, e, params);
    run(&p, NULL);
    x[1] = kept;
    for (int i = 0; i < SIZE; i++)
        sum += p.dout[i] * p.out[i];
    return sum;
}

/* s is the score without the bias of another part; that bias has gradients.
 * Central differences with 1e-5 err by 1e-10 times third derivatives of order
 * 1, and by 2^-52 10 / 1e-5. */
TEST(formulas_of_scores_leave_other_biases_their_gradients)
{
    OWNED(locant_encoding) *e = test_create(
        "kerple+formula(gain=1/(1+a*s^2),bias=tanh(c*s*n),a=param(heads),"
        "c=param(heads))");
    double x[4][2] = { { 1.5, 0.5 }, { 0.5, 2 }, { 0.3, 0.7 }, { 0.2, -0.4 } };
    double dx[4][2] = { { 0 } };
    locant_tensor params[4], dparams[4];
    struct problem p;

    for (int i = 0; i < 4; i++) {
        params[i] = DENSE(F64, x[i], 2);
        dparams[i] = DENSE(F64, dx[i], 2);
    }
    fill(&p, e, params);
    run(&p, dparams);
    for (int i = 0; i < 4; i++) {
        double want =
            (loss(e, params, i, 1e-5) - loss(e, params, i, -1e-5)) / 2e-5;

        CHECK(fabs(want) > 1e-3);
        near_all(&dx[i][1], &want, 1, 2e-8);
    }
}

/* ------------------------------------------------------------------- twins */

enum { FAR = 3000, TWIN_HEADS = 8 };

/* Biases [H, n] in double of a query for the keys 'first' before it and on. */
static void biases(double *out, const char *spec, int64_t first, int64_t n,
                   const locant_tensor *params)
{
    OWNED(locant_encoding) *e = test_create(spec);
    int64_t *k = malloc((size_t)n * sizeof(*k)), q = 5000;

    for (int64_t j = 0; j < n; j++)
        k[j] = q - first - j;
    CHECK_OK(locant_encoding_bias(VIEW(F64, out, TWIN_HEADS, 1, n), e,
                                  VIEW(I64, &q, 1), VIEW(I64, k, n), params));
    free(k);
}

/* Are both equal at distances -300 .. FAR, to the bit or (ulp) to one unit of
 * float32? */
static void twins(const char *formula, const locant_tensor *params,
                  const char *native, const locant_tensor *native_params,
                  int ulp)
{
    enum { N = FAR + 300 };
    static double a[TWIN_HEADS * N], b[TWIN_HEADS * N];

    biases(a, formula, -300, N, params);
    biases(b, native, -300, N, native_params);
    for (int i = 0; i < TWIN_HEADS * N; i++)
        if (ulp ? !(test_ulp((float)a[i], b[i]) <= 1)
                : memcmp(&a[i], &b[i], sizeof(a[i])) != 0)
            FAIL("%s and %s differ at head %d, distance %d: %.17g, %.17g",
                 formula, native, i / N, i % N - 300, a[i], b[i]);
}

static double *drawn(double *x, int n, double low, double high)
{
    for (int i = 0; i < n; i++)
        x[i] = low + (high - low) * (test_uniform() + 1) / 2;
    return x;
}

TEST(alibi_is_a_formula)
{
    double m[TWIN_HEADS];

    for (int h = 0; h < TWIN_HEADS; h++)
        m[h] = ldexp(1, -(h + 1));
    twins("formula(bias=-d*2^(-8*(h+1)/H))", NULL, "alibi", NULL, 0);
    twins("formula(bias=-n*2^(-8*(h+1)/H))", NULL, "alibi(symmetric=yes)", NULL,
          0);
    twins("formula(bias=-d*m,m=param(heads,init=slopes))",
          VIEW(F64, m, TWIN_HEADS), "alibi", NULL, 0);
}

TEST(kerple_is_a_formula)
{
    double p[TWIN_HEADS], a[TWIN_HEADS];
    locant_tensor t[] = { DENSE(F64, drawn(p, TWIN_HEADS, 0.01, 2), TWIN_HEADS),
                          DENSE(F64, drawn(a, TWIN_HEADS, 0.01, 2),
                                TWIN_HEADS) };

    twins("formula(bias=-p*log1p(a*n),p=param(heads),a=param(heads))", t,
          "kerple", t, 0);
    twins("formula(bias=-a*n^p,p=param(heads),a=param(heads))", t,
          "kerple(kind=power)", t, 0);
}

TEST(t5_is_a_formula)
{
    enum { BUCKETS = 32 };
    double table[BUCKETS * TWIN_HEADS], turned[BUCKETS * TWIN_HEADS];

    drawn(table, BUCKETS * TWIN_HEADS, -1, 1);
    for (int b = 0; b < BUCKETS; b++)
        for (int h = 0; h < TWIN_HEADS; h++)
            turned[h * BUCKETS + b] = table[b * TWIN_HEADS + h];
    twins("formula(bias=pick(t,if(n<16,n,min(31,16+floor(log(n/16)/log(8)*16))"
          ")),t=param(heads,32),future=zero)",
          VIEW(F64, turned, TWIN_HEADS, BUCKETS), "t5",
          VIEW(F64, table, BUCKETS, TWIN_HEADS), 0);
}

/* The native cosines are exact to double; n times a rounded frequency is off
 * by n 2^-53, far below float32. */
TEST(sandwich_is_a_formula)
{
    twins("formula(bias=(cos(n)-1+(cos(n*0.1)-1)+(cos(n*0.01)-1)+"
          "(cos(n*0.001)-1))*(H/(8*(h+1))))",
          NULL, "sandwich(dim=8)", NULL, 1);
}

/* ------------------------------------------------------------------ windows */

enum { WT = 77, WD = 16, WS = HEADS * WT * WD };

struct windowed {
    float in[4][WS], out[WS], lse[HEADS * WT], grad[3][WS];
};

/* T queries, the last of WT tokens. */
static void attend(struct windowed *w, const char *spec, locant_mask mask,
                   int64_t T)
{
    OWNED(locant_encoding) *e = test_create(spec);
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    locant_tensor t[4], out = DENSE(F32, w->out, 1, HEADS, T, WD);
    locant_tensor lse = DENSE(F32, w->lse, 1, HEADS, T), grad[3];
    int64_t q_pos[WT], k_pos[WT];
    void *scratch;
    size_t bytes;

    for (int64_t i = 0; i < WT; i++) {
        k_pos[i] = i;
        q_pos[i] = WT - T + i;
    }
    for (int n = 0; n < 4; n++)
        t[n] = DENSE(F32, w->in[n], 1, HEADS, n % 3 == 0 ? T : WT, WD);
    for (int n = 0; n < 3; n++)
        grad[n] = DENSE(F32, w->grad[n], 1, HEADS, n == 0 ? T : WT, WD);
    a.q = &t[0];
    a.k = &t[1];
    a.v = &t[2];
    a.q_pos = VIEW(I64, q_pos, T);
    a.k_pos = VIEW(I64, k_pos, WT);
    a.encoding = e;
    a.mask = mask;
    g.dq = &grad[0];
    g.dk = &grad[1];
    g.dv = &grad[2];
    CHECK_OK(locant_attention_workspace(&bytes, &a));
    scratch = malloc(bytes + 1);
    CHECK_OK(locant_attention_forward(&out, &lse, &a, scratch, bytes));
    CHECK_OK(
        locant_attention_backward(&g, &t[3], &out, &lse, &a, scratch, bytes));
    free(scratch);
}

/* Hidden by -inf or by the mask: the same weights, so the same results up to
 * the order of sums in tiles, a few units of float32 of numbers of order 1. */
static void same_window(const char *formula, locant_mask formula_mask,
                        const char *native, locant_mask mask, int64_t T)
{
    static struct windowed a, b;

    for (int n = 0; n < 4; n++)
        for (int i = 0; i < WS; i++)
            a.in[n][i] = b.in[n][i] = (float)test_uniform();
    attend(&a, formula, formula_mask, T);
    attend(&b, native, mask, T);
    for (int i = 0; i < HEADS * T * WD; i++)
        if (!(fabsf(a.out[i] - b.out[i]) <= 2e-6f))
            FAIL("%s: out %d is %g, expected %g", formula, i, (double)a.out[i],
                 (double)b.out[i]);
    for (int n = 0; n < 3; n++)
        for (int i = 0; i < HEADS * (n == 0 ? T : WT) * WD; i++)
            if (!(fabsf(a.grad[n][i] - b.grad[n][i]) <= 5e-6f))
                FAIL("%s: gradient %d of input %d is %g, expected %g", formula,
                     i, n, (double)a.grad[n][i], (double)b.grad[n][i]);
}

TEST(windows_are_formulas)
{
    static const int64_t queries[] = { WT, 3, 1 };

    for (size_t n = 0; n < LEN(queries); n++)
        for (int causal = 0; causal < 2; causal++) {
            locant_mask mask = causal ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE;

            same_window("formula(bias=if(n<9,0,-inf))", mask, "window(size=9)",
                        mask, queries[n]);
            same_window("formula(bias=if(i-j<9,if(j-i<9,0,-inf),-inf))", mask,
                        "window(size=9)", mask, queries[n]);
        }
}

TEST(factors_are_formulas)
{
    static const int64_t queries[] = { WT, 3, 1 };

    for (size_t n = 0; n < LEN(queries); n++) {
        same_window("formula(gain=sqrt(1+2*log1p(n/10)),bias=-2*log1p(n/10))",
                    LOCANT_MASK_CAUSAL, "scale-invariant", LOCANT_MASK_CAUSAL,
                    queries[n]);
        same_window("rope+formula(gain=1+0.1*log1p(floor((i+1)/8)))",
                    LOCANT_MASK_CAUSAL, "rope+temperature(floor=8)",
                    LOCANT_MASK_CAUSAL, queries[n]);
        same_window("formula(gain=1+0*s,bias=-n/16)", LOCANT_MASK_CAUSAL,
                    "formula(bias=-n/16)", LOCANT_MASK_CAUSAL, queries[n]);
    }
}

/* One query takes slopes, several take a table: the same weights. */
TEST(linear_biases_decode_as_they_prefill)
{
    static const char *const specs[][2] = {
        { "formula(bias=-n/16)", "formula(bias=-n/16+0*n^2)" },
        { "formula(bias=-d*2^(-8*(h+1)/H))",
          "formula(bias=-d*2^(-8*(h+1)/H)+0*n^2)" },
        { "formula(bias=(h+1)*-n)", "formula(bias=(h+1)*-n+0*n^2)" },
        { "formula(bias=-(n*-0.25),future=zero)",
          "formula(bias=n*0.25+0*n^2,future=zero)" },
        { "formula(bias=-n/3)", "formula(bias=-n/3+0*n^2)" },
        { "formula(bias=-n*0.5,future=hide)",
          "formula(bias=-n*0.5+0*n^2,future=hide)" },
        { "formula(bias=d/-2)", "formula(bias=d*-0.5+0*n^2)" },
    };

    for (size_t n = 0; n < LEN(specs); n++) {
        same_window(specs[n][0], LOCANT_MASK_NONE, specs[n][1],
                    LOCANT_MASK_NONE, 1);
        same_window(specs[n][0], LOCANT_MASK_CAUSAL, specs[n][1],
                    LOCANT_MASK_CAUSAL, 3);
    }
}

/* Keys after the query: hidden by the formula, or undefined but masked. */
TEST(masked_keys_do_not_matter)
{
    static const int64_t queries[] = { WT, 3, 1 };

    for (size_t n = 0; n < LEN(queries); n++) {
        same_window("formula(bias=-log1p(n),future=hide)", LOCANT_MASK_NONE,
                    "formula(bias=-log1p(n))", LOCANT_MASK_CAUSAL, queries[n]);
        same_window("formula(bias=-log1p(d))", LOCANT_MASK_CAUSAL,
                    "formula(bias=-log1p(n))", LOCANT_MASK_CAUSAL, queries[n]);
        same_window("formula(bias=-log1p(i-j))", LOCANT_MASK_CAUSAL,
                    "formula(bias=-log1p(n))", LOCANT_MASK_CAUSAL, queries[n]);
    }
}
