/* judge_score.c - the score door against its oracle. */
#include "judge.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct score_case {
    const struct oracle *o;
    struct oracle_choice c;
    locant_encoding *e;
    int64_t H, T, S;
    locant_tensor q_pos, k_pos;
    struct oracle_params p;
};

static void make(struct score_case *s, const struct oracle *o, int choice,
                 int64_t reach)
{
    int64_t low, high;

    s->o = o;
    s->H = test_range(1, 13);
    s->T = test_range(0, 12);
    s->S = test_range(0, 40);
    CHECK(o->choose(&s->c, choice, 16));
    s->e = judge_create(s->c.spec);
    oracle_positions(&low, &high, o, &s->c);
    if (reach > 0) {
        low = -reach;
        high = reach;
    }
    s->q_pos = judge_positions(s->T, low, high);
    s->k_pos = judge_positions(s->S, low, high);
    oracle_params_make(&s->p, o, &s->c,
                       test_rand() % 2 ? LOCANT_F64 : LOCANT_F32, s->H, 16);
}

static void drop(struct score_case *s)
{
    oracle_params_free(&s->p);
    test_tensor_free(&s->q_pos);
    test_tensor_free(&s->k_pos);
    locant_encoding_free(s->e);
}

static double want_at(const struct score_case *s, int64_t i,
                      double *const *param)
{
    int64_t h = i / (s->T * s->S);

    return s->o->bias(&s->c, s->H, h,
                      ((const int64_t *)s->q_pos.data)[i / s->S % s->T],
                      ((const int64_t *)s->k_pos.data)[i % s->S],
                      (const double *const *)param);
}

/*
 * Formed in double by a few operations (2^-50 relative) and rounded once:
 * half a unit of float32, or 2^-49 in double.
 */
static int close_enough(const locant_tensor *out, int64_t i, double want)
{
    if (out->dtype == LOCANT_F32)
        return test_ulp(((const float *)out->data)[i], want) <= 0.5 + 0x1p-20;
    return fabs(judge_load(out, i) - want) <= 0x1p-49 * fabs(want);
}

static void compare(const struct score_case *s, locant_dtype dtype)
{
    int64_t shape[3] = { s->H, s->T, s->S };
    locant_tensor out = test_tensor(dtype, 3, shape);

    CHECK_OK(locant_encoding_bias(&out, s->e, &s->q_pos, &s->k_pos,
                                  oracle_params_in(&s->p)));
    for (int64_t i = 0; i < s->H * s->T * s->S; i++) {
        double want = want_at(s, i, s->p.x);

        if (!close_enough(&out, i, want))
            FAIL("%s, %s: head %lld of %lld, query at %lld, key at %lld: got "
                 "%.17g, want %.17g", s->c.spec, locant_dtype_name(dtype),
                 (long long)(i / (s->T * s->S)), (long long)s->H,
                 (long long)((const int64_t *)s->q_pos.data)[i / s->S % s->T],
                 (long long)((const int64_t *)s->k_pos.data)[i % s->S],
                 judge_load(&out, i), want);
    }
    test_tensor_free(&out);
}

void judge_bias(const struct oracle *o)
{
    struct oracle_choice c;
    int cases = judge_cases(60);

    for (int i = 0; o->choose(&c, i, 16); i++)
        for (int round = 0; round < cases; round++) {
            struct score_case s;

            make(&s, o, i, round % 2 ? 200 : 0);
            compare(&s, round % 4 < 2 ? LOCANT_F32 : LOCANT_F64);
            drop(&s);
        }
}

static void oracle_gradient(struct score_case *s, const locant_tensor *dout)
{
    for (int64_t i = 0; i < s->H * s->T * s->S; i++)
        s->o->bias_backward(
            s->p.dx, &s->c, s->H, i / (s->T * s->S),
            ((const int64_t *)s->q_pos.data)[i / s->S % s->T],
            ((const int64_t *)s->k_pos.data)[i % s->S], judge_load(dout, i),
            (const double *const *)s->p.x);
}

/* L = <dout, bias> at x + h v, over one parameter. */
static double moved(const struct score_case *s, const locant_tensor *dout,
                    int k, const double *v, double h)
{
    double sum = 0;

    for (size_t i = 0; i < s->p.size[k]; i++)
        s->p.x[k][i] += h * v[i];
    for (int64_t i = 0; i < s->H * s->T * s->S; i++)
        sum += judge_load(dout, i) * want_at(s, i, s->p.x);
    for (size_t i = 0; i < s->p.size[k]; i++)
        s->p.x[k][i] -= h * v[i];
    return sum;
}

/*
 * The oracle's own derivative against its differences along a random
 * direction: O(h^2) truncation, O(2^-53 / h) rounding of a sum of magnitude
 * 'size', both below 1e-6 for h = 1e-5.
 */
static void check_oracle(const struct score_case *s, const locant_tensor *dout,
                         int k)
{
    const double h = 1e-5;
    double *v = calloc(s->p.size[k] + 1, sizeof(*v)), slope = 0, size = 1;
    double numeric;

    assert_non_null(v);
    for (size_t i = 0; i < s->p.size[k]; i++) {
        v[i] = test_uniform();
        slope += v[i] * s->p.dx[k][i];
        size += fabs(v[i] * s->p.dx[k][i]);
    }
    for (int64_t i = 0; i < s->H * s->T * s->S; i++)
        size += fabs(judge_load(dout, i) * want_at(s, i, s->p.x));
    numeric = (moved(s, dout, k, v, h) - moved(s, dout, k, v, -h)) / (2 * h);
    if (!(fabs(numeric - slope) <= 1e-6 * size))
        FAIL("%s, parameter %d: derivative %.12g, differences %.12g",
             s->c.spec, k, slope, numeric);
    free(v);
}

/*
 * Sums formed in double, then rounded and added once in the parameter's type:
 * two roundings.  The sum itself: 2^-45 of its absolute terms, which 'size'
 * bounds.
 */
static void check_library(const struct score_case *s, int k,
                          const double *before, double size)
{
    double unit = s->p.grad[k].dtype == LOCANT_F32 ? 0x1p-24 : 0x1p-53;

    for (size_t i = 0; i < s->p.size[k]; i++) {
        double got = oracle_get(&s->p.grad[k], i);
        double want = before[i] + s->p.dx[k][i];
        double bound = unit * (fabs(want) + fabs(s->p.dx[k][i])) * 1.01 +
                       0x1p-45 * size;

        if (!(fabs(got - want) <= bound))
            FAIL("%s: parameter %d entry %zu: got %.17g, want %.17g",
                 s->c.spec, k, i, got, want);
    }
}

/* Sum of the absolute terms of parameter k: signs do not cancel, since db/dp
 * of one entry never changes its sign. */
static double terms(const struct score_case *s, const locant_tensor *dout,
                    int k)
{
    double size = 0, *dx[ORACLE_PARAMS] = { NULL };

    for (int j = 0; j < s->p.n; j++) {
        dx[j] = calloc(s->p.size[j] + 1, sizeof(double));
        assert_non_null(dx[j]);
    }
    for (int64_t i = 0; i < s->H * s->T * s->S; i++)
        s->o->bias_backward(
            dx, &s->c, s->H, i / (s->T * s->S),
            ((const int64_t *)s->q_pos.data)[i / s->S % s->T],
            ((const int64_t *)s->k_pos.data)[i % s->S],
            fabs(judge_load(dout, i)), (const double *const *)s->p.x);
    for (size_t i = 0; i < s->p.size[k]; i++)
        size += fabs(dx[k][i]);
    for (int j = 0; j < s->p.n; j++)
        free(dx[j]);
    return size;
}

static void backward_once(struct score_case *s, locant_dtype dtype, int near)
{
    int64_t shape[3] = { s->H, s->T, s->S };
    locant_tensor dout = test_tensor(dtype, 3, shape);
    double *before[ORACLE_PARAMS];

    for (int k = 0; k < s->p.n; k++) {
        judge_fill(&s->p.grad[k], s->p.size[k]);
        before[k] = calloc(s->p.size[k] + 1, sizeof(double));
        for (size_t i = 0; i < s->p.size[k]; i++)
            before[k][i] = oracle_get(&s->p.grad[k], i);
    }
    CHECK_OK(locant_encoding_bias_backward(s->p.grad, &dout, s->e, &s->q_pos,
                                           &s->k_pos, s->p.value));
    oracle_gradient(s, &dout);
    for (int k = 0; k < s->p.n; k++) {
        if (near)
            check_oracle(s, &dout, k);
        check_library(s, k, before[k], terms(s, &dout, k));
        free(before[k]);
    }
    test_tensor_free(&dout);
}

void judge_bias_backward(const struct oracle *o)
{
    struct oracle_choice c;
    int cases = judge_cases(40);

    for (int i = 0; o->choose(&c, i, 16); i++)
        for (int round = 0; round < cases; round++) {
            struct score_case s;

            make(&s, o, i, round % 2 ? 200 : 0);
            backward_once(&s, round % 4 < 2 ? LOCANT_F32 : LOCANT_F64,
                          round % 2);
            drop(&s);
        }
}
