/*
 * test_attention_factor_hooks.c - an encoding with all factors and parameters
 * of each:
 *
 *     gain = 1 + a ln(1 + n),  bias = -m n,  after = 1 + c sqrt(n),  row = r N
 *
 * n = |p_i - p_j|, N the number of visible keys; r = 1 / N leaves queries as
 * they are.
 */
#include "encodings/spec.h"
#include "kernel/row.h"
#include "oracle/near.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { A, M, C, R, PARAMS };

static double distance(int64_t q_pos, int64_t k_pos)
{
    return fabs((double)(q_pos - k_pos));
}

/* The derivative of a factor or bias by its parameter, at distance n. */
static double slope(int k, double n)
{
    return k == A ? log1p(n) : k == M ? -n : sqrt(n);
}

static void values(double *out, int k, const struct lct_call *c, int64_t head,
                   int64_t q_pos, const int64_t *k_pos, size_t count)
{
    for (size_t j = 0; j < count; j++)
        out[j] = (k == M ? 0 : 1) +
                 c->param[k][head] * slope(k, distance(q_pos, k_pos[j]));
}

static void gradients(double *dparam, int k, int64_t q_pos,
                      const int64_t *k_pos, const double *dout, size_t count)
{
    for (size_t j = 0; j < count; j++)
        *dparam += dout[j] * slope(k, distance(q_pos, k_pos[j]));
}

static void gain(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t count)
{
    values(out, A, c, head, q_pos, k_pos, count);
}

static void gain_backward(double *const *dparam, const struct lct_call *c,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t count)
{
    (void)c;
    gradients(&dparam[A][head], A, q_pos, k_pos, dout, count);
}

static void bias(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t count)
{
    values(out, M, c, head, q_pos, k_pos, count);
}

static void bias_backward(double *const *dparam, const struct lct_call *c,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t count)
{
    (void)c;
    gradients(&dparam[M][head], M, q_pos, k_pos, dout, count);
}

static void after(double *out, const struct lct_call *c, int64_t head,
                  int64_t q_pos, const int64_t *k_pos, size_t count)
{
    values(out, C, c, head, q_pos, k_pos, count);
}

static void after_backward(double *const *dparam, const struct lct_call *c,
                           int64_t head, int64_t q_pos, const int64_t *k_pos,
                           const double *dout, size_t count)
{
    (void)c;
    gradients(&dparam[C][head], C, q_pos, k_pos, dout, count);
}

static double row(const struct lct_call *c, int64_t head, int64_t count)
{
    return 1 + c->param[R][head] * (double)count;
}

static void row_backward(double *const *dparam, const struct lct_call *c,
                         int64_t head, int64_t count, double dout)
{
    (void)c;
    dparam[R][head] += dout * (double)count;
}

static const struct lct_param params[] = { { .name = "a", .dims = { "heads" } },
                                           { .name = "m", .dims = { "heads" } },
                                           { .name = "c", .dims = { "heads" } },
                                           { .name = "r", .dims = { "heads" } },
                                           { 0 } };

static const struct lct_encoding law = {
    .info = { .name = "law",
              .title = "",
              .formula = "",
              .source = "",
              .used_by = "",
              .pitfalls = "",
              .doors = LOCANT_DOOR_SCORE,
              .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_RELATIVE },
    .params = { .list = params },
    .score = { .bias = bias, .backward = bias_backward },
    .factors = { .gain = { .at = gain, .backward = gain_backward },
                 .after = { .at = after, .backward = after_backward },
                 .row = row,
                 .row_backward = row_backward },
};

/* The same, but it may read positions, so it has no tables. */
static const struct lct_encoding free_law = {
    .info = { .name = "free",
              .title = "",
              .formula = "",
              .source = "",
              .used_by = "",
              .pitfalls = "",
              .doors = LOCANT_DOOR_SCORE,
              .traits = LOCANT_TRAIT_LEARNED },
    .params = { .list = params },
    .score = { .bias = bias, .backward = bias_backward },
    .factors = { .gain = { .at = gain, .backward = gain_backward },
                 .after = { .at = after, .backward = after_backward },
                 .row = row,
                 .row_backward = row_backward },
};

extern const struct lct_encoding lct_enc_stick_breaking;
static const struct lct_encoding *const laws[] = { &law, &free_law,
                                                   &lct_enc_stick_breaking,
                                                   NULL };

/* A problem of one batch row, in double and in another type. */
enum { MOST = 2 * 100 * 16, HEADS = 2 };
struct problem {
    int64_t T, S, D;
    double q[MOST], k[MOST], v[MOST], dout[MOST], out[MOST];
    double dq[MOST], dk[MOST], dv[MOST], lse[MOST];
    double value[PARAMS][HEADS], grad[PARAMS][HEADS];
};

/* A tensor [1, HEADS, n, D] in 'dtype' with the numbers x. */
static locant_tensor copy_of(const double *x, locant_dtype dtype, int64_t n,
                             int64_t D)
{
    const int64_t shape[] = { 1, HEADS, n, D };
    locant_tensor to = test_tensor(dtype, 4, shape);

    lct_row_from_f64(to.data, dtype, x, (size_t)(HEADS * n * D));
    return to;
}

static void copy_back(double *to, locant_tensor *t)
{
    size_t n = 1;

    for (int k = 0; k < t->rank; k++)
        n *= (size_t)t->shape[k];
    lct_row_to_f64(to, t->data, t->dtype, n);
    test_tensor_free(t);
}

static double alone[PARAMS][HEADS]; /* of the last problem */

/* Gradients of parameters without those of q, k and v. */
static void check_alone(const locant_attention *a, const locant_tensor *dout,
                        const locant_tensor *out, const locant_tensor *lse,
                        void *workspace, size_t bytes)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    double both[PARAMS][HEADS];
    locant_tensor grad[PARAMS];

    for (int p = 0; p < PARAMS; p++)
        grad[p] = DENSE(F64, both[p], HEADS);
    memset(both, 0, sizeof(both));
    g.dparams = grad;
    CHECK_OK(
        locant_attention_backward(&g, dout, out, lse, a, workspace, bytes));
    memcpy(alone, both, sizeof(both));
}

/* Forward and backward; F64 by the reference. */
static void solve(struct problem *x, const char *spec, locant_dtype dtype,
                  int64_t step)
{
    static int64_t q_pos[100], k_pos[100];
    locant_encoding *e;
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    locant_dtype row_type = dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32;
    const int64_t rows[] = { 1, HEADS, x->T };
    locant_tensor q = copy_of(x->q, dtype, x->T, x->D);
    locant_tensor k = copy_of(x->k, dtype, x->S, x->D);
    locant_tensor v = copy_of(x->v, dtype, x->S, x->D);
    locant_tensor dout = copy_of(x->dout, dtype, x->T, x->D);
    locant_tensor out = copy_of(x->q, dtype, x->T, x->D);
    locant_tensor dq = copy_of(x->q, dtype, x->T, x->D);
    locant_tensor dk = copy_of(x->k, dtype, x->S, x->D);
    locant_tensor dv = copy_of(x->v, dtype, x->S, x->D);
    locant_tensor lse = test_tensor(row_type, 3, rows);
    locant_tensor value[PARAMS], grad[PARAMS];
    size_t bytes;
    void *workspace;

    CHECK_OK(lct_spec_parse(&e, "test", spec, laws));
    for (int64_t i = 0; i < x->S; i++)
        k_pos[i] = step * i;
    for (int64_t i = 0; i < x->T; i++)
        q_pos[i] = step * (x->S - x->T + i);
    for (int p = 0; p < PARAMS; p++) {
        value[p] = DENSE(F64, x->value[p], HEADS);
        grad[p] = DENSE(F64, x->grad[p], HEADS);
        memset(x->grad[p], 0, sizeof(x->grad[p]));
    }
    a.q = &q;
    a.k = &k;
    a.v = &v;
    a.q_pos = VIEW(I64, q_pos, x->T);
    a.k_pos = VIEW(I64, k_pos, x->S);
    a.encoding = e;
    a.params = value;
    a.mask = LOCANT_MASK_CAUSAL;
    g.dq = &dq;
    g.dk = &dk;
    g.dv = &dv;
    g.dparams = grad;
    CHECK_OK(locant_attention_workspace(&bytes, &a));
    workspace = test_guarded(bytes);
    memset(workspace, 0xff, bytes); /* NaN */
    CHECK_OK(locant_attention_forward(&out, &lse, &a, workspace, bytes));
    CHECK_OK(
        locant_attention_backward(&g, &dout, &out, &lse, &a, workspace, bytes));
    check_alone(&a, &dout, &out, &lse, workspace, bytes);
    copy_back(x->out, &out);
    copy_back(x->lse, &lse);
    copy_back(x->dq, &dq);
    copy_back(x->dk, &dk);
    copy_back(x->dv, &dv);
    CHECK(memcmp(alone, x->grad, sizeof(alone)) == 0);
    for (size_t i = 0; i < 4; i++)
        test_tensor_free((locant_tensor *[]){ &q, &k, &v, &dout }[i]);
    test_guarded_free(workspace, bytes);
    locant_encoding_free(e);
}

/* ------------------------------------------------------------------- values */

/* Computed in double from the formulas, without the row factor. */
TEST(all_factors_have_the_printed_values)
{
    static const double want[4] = { 0.8032503574, 1.0718179726, 0.8362928476,
                                    0.2074461289 };
    static const double grads[3][HEADS] = { { 0.1516320469, 0.7211682492 },
                                            { -0.0790038332, -0.8535704280 },
                                            { 6.8539084577, 7.0408975231 } };
    static struct problem x = {
        .T = 5,
        .S = 5,
        .D = 4,
        .value = { { 0.2, 0.4 }, { 0.1, 0.05 }, { -0.1, 0.2 }, { 0, 0 } }
    };

    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < 5; i++)
            for (int d = 0; d < 4; d++) {
                int at = (h * 5 + i) * 4 + d;

                x.q[at] = sin(0.1 * i + 0.3 * d + 0.7 * h);
                x.k[at] = cos(0.2 * i - 0.4 * d + 0.5 * h);
                x.v[at] = sin(0.5 * i + 0.7 * d + 0.2 * h);
                x.dout[at] = cos(0.1 * i + 0.2 * d + 0.3 * h);
            }
    solve(&x, "law", LOCANT_F64, 1);
    near_all(x.out + (5 + 4) * 4, want, 4, 0.51e-10);
    for (int p = 0; p < 3; p++)
        near_all(x.grad[p], grads[p], HEADS, 0.51e-10);
}

/* ------------------------------------------------------------------ engines */

/* Numbers that every type holds exactly. */
static void draw(struct problem *x, int64_t T, int64_t S, int64_t D)
{
    double *const to[] = { x->q, x->k, x->v, x->dout };

    *x = (struct problem){ .T = T, .S = S, .D = D };
    for (int n = 0; n < 4; n++)
        for (int i = 0; i < MOST; i++)
            to[n][i] = (double)test_range(-8, 8) / 8;
    for (int p = 0; p < PARAMS; p++)
        for (int h = 0; h < HEADS; h++)
            x->value[p][h] =
                (double)test_range(-8, 8) / (p == M || p == R ? 256 : 64);
}

static double largest(const double *x, int64_t n)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static const char *now; /* the case, for messages */

static void compare(const char *what, const double *got, const double *want,
                    int64_t n, double error)
{
    double allowed = error * (0.1 + largest(want, n));

    for (int64_t i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= allowed))
            FAIL("%s: %s %d: got %g, want %g within %g\n", now, what, (int)i,
                 got[i], want[i], allowed);
}

/*
 * A gradient of a parameter sums T S terms of both signs, below 8 or, for m,
 * below the largest distance; their errors have random signs, too.
 */
static void compare_sums(const double *got, const double *want, double allowed)
{
    for (int h = 0; h < HEADS; h++)
        if (!(fabs(got[h] - want[h]) <= allowed))
            FAIL("%s: parameter of head %d: got %g, want %g within %g\n", now,
                 h, got[h], want[h], allowed);
}

/* The engines for 'dtype' against the one for double. */
static void check(const char *spec, locant_dtype dtype, int64_t step, int64_t T,
                  int64_t S, double error)
{
    static struct problem x, want;
    static char name[96];
    int64_t queries, keys;

    draw(&x, T, S, test_range(1, 8) * 2);
    snprintf(name, sizeof(name), "%s, %s, T %d, S %d, D %d, step %d", spec,
             locant_dtype_name(dtype), (int)T, (int)S, (int)x.D, (int)step);
    now = name;
    queries = HEADS * T * x.D;
    keys = HEADS * S * x.D;
    want = x;
    solve(&want, spec, LOCANT_F64, step);
    solve(&x, spec, dtype, step);
    compare("out", x.out, want.out, queries, error);
    compare("lse", x.lse, want.lse, HEADS * T, error);
    compare("dq", x.dq, want.dq, queries, error);
    compare("dk", x.dk, want.dk, keys, error);
    compare("dv", x.dv, want.dv, keys, error);
    for (int p = 0; p < PARAMS; p++)
        compare_sums(x.grad[p], want.grad[p],
                     error * (p == M ? (double)(step * S) : 8) *
                         sqrt((double)(T * S)));
}

/*
 * Positions 1 apart have tables; positions 40 apart, and the law without the
 * trait RELATIVE, have none.  float32 carries a few units of 2^-24 through sums
 * of 100 terms; 16-bit types round inputs of gradients, out and weights to 2^-9
 * or 2^-12.
 */
TEST(every_engine_agrees_with_the_one_in_double)
{
    static const struct {
        locant_dtype dtype;
        double error;
    } of[] = { { LOCANT_F32, 4e-5 },
               { LOCANT_BF16, 0x1p-4 },
               { LOCANT_F16, 0x1p-7 } };

    for (size_t n = 0; n < LEN(of); n++)
        for (int i = 0; i < test_cases(6); i++) {
            int64_t S = test_range(9, 100), T = test_range(9, S);

            check("law", of[n].dtype, 1, T, S, of[n].error);
            check("free", of[n].dtype, 1, T, S, of[n].error);
            check("law", of[n].dtype, 1, test_range(1, 8), S, of[n].error);
            check("law", of[n].dtype, 40, T, S, of[n].error);
            check("stick-breaking", of[n].dtype, 1, T, S, of[n].error);
            check("stick-breaking(current=yes)", of[n].dtype, 1,
                  test_range(1, 8), S, of[n].error);
        }
}
