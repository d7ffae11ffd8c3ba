/* judge_table.c - the input door against its oracle. */
#include "judge.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * float32: the row is formed in double to a relative 2^-43 and rounded once,
 * half a unit, 0.56 with slack; values are at most 1.  double: those 2^-43
 * with a factor 2.  The oracle's own angle is off by |pos| 2^-61.
 */
static double tolerance(locant_dtype dtype, int64_t pos)
{
    double own = ldexp(fabs((double)pos), -61) + 0x1p-60;

    return own + (dtype == LOCANT_F32 ? 0.56 * 0x1p-24 : 0x1p-42);
}

struct table_case {
    const struct oracle *o;
    struct oracle_choice c;
    locant_encoding *e;
    int64_t N, D;
    locant_tensor positions;
    struct oracle_params p;
};

static void make(struct table_case *t, const struct oracle *o, int choice,
                 locant_dtype param_dtype)
{
    int64_t low, high;

    t->o = o;
    t->N = test_range(0, 20);
    t->D = test_range(1, 70);
    CHECK(o->choose(&t->c, choice, t->D));
    t->e = judge_create(t->c.spec);
    oracle_positions(&low, &high, o, &t->c);
    t->positions = judge_positions(t->N, low, high);
    oracle_params_make(&t->p, o, &t->c, param_dtype, 1, t->D);
}

static void drop(struct table_case *t)
{
    oracle_params_free(&t->p);
    test_tensor_free(&t->positions);
    locant_encoding_free(t->e);
}

static void compare(const struct table_case *t, locant_dtype dtype)
{
    const int64_t *pos = t->positions.data;
    /* A view with a row stride of its own: rows D apart or more. */
    int64_t pitch = t->D + test_range(0, 3), size[2] = { t->N, pitch };
    locant_tensor whole = test_tensor(dtype, 2, size), out = whole;

    judge_fill(&whole, (size_t)(t->N * pitch));
    out.shape[1] = t->D;
    CHECK_OK(locant_encoding_table(&out, t->e, &t->positions,
                                   oracle_params_in(&t->p)));
    for (int64_t i = 0; i < t->N * t->D; i++) {
        int64_t n = i / t->D, d = i % t->D;
        double got = judge_load(&out, n * pitch + d);
        double want = t->o->row(&t->c, pos[n], d, t->D,
                                (const double *const *)t->p.x);

        if (!(fabs(got - want) <= tolerance(dtype, pos[n])))
            FAIL("%s, %s: position %lld, channel %lld of %lld: got %.17g, "
                 "want %.17g", t->c.spec, locant_dtype_name(dtype),
                 (long long)pos[n], (long long)d, (long long)t->D, got, want);
    }
    test_tensor_free(&whole);
}

void judge_table(const struct oracle *o)
{
    struct oracle_choice c;
    int cases = judge_cases(60);

    for (int i = 0; o->choose(&c, i, 16); i++)
        for (int round = 0; round < cases; round++) {
            struct table_case t;

            make(&t, o, i, round % 2 ? LOCANT_F64 : LOCANT_F32);
            compare(&t, round % 4 < 2 ? LOCANT_F32 : LOCANT_F64);
            drop(&t);
        }
}

/*
 * Sums of at most 20 terms formed in double and added once in the parameter's
 * type: two roundings of that type, of the sum and of the result.
 */
static void compare_backward(const struct table_case *t, int k,
                             const double *before)
{
    double unit = t->p.grad[k].dtype == LOCANT_F32 ? 0x1p-24 : 0x1p-53;

    for (size_t i = 0; i < t->p.size[k]; i++) {
        double got = oracle_get(&t->p.grad[k], i);
        double want = before[i] + t->p.dx[k][i];
        double bound = 20 * unit * (fabs(t->p.dx[k][i]) + fabs(before[i]) + 1);

        if (t->p.dx[k][i] == 0)
            bound = 0; /* rows that were not used keep their bits */
        if (!(fabs(got - want) <= bound))
            FAIL("%s: gradient %zu: got %.17g, want %.17g", t->c.spec, i, got,
                 want);
    }
}

static void backward_once(struct table_case *t, locant_dtype dtype)
{
    const int64_t *pos = t->positions.data;
    int64_t size[2] = { t->N, t->D };
    locant_tensor dout = test_tensor(dtype, 2, size);
    double *before[ORACLE_PARAMS];

    for (int k = 0; k < t->p.n; k++) {
        judge_fill(&t->p.grad[k], t->p.size[k]);
        before[k] = calloc(t->p.size[k] + 1, sizeof(double));
        for (size_t i = 0; i < t->p.size[k]; i++)
            before[k][i] = oracle_get(&t->p.grad[k], i);
    }
    CHECK_OK(locant_encoding_table_backward(t->p.grad, &dout, t->e,
                                            &t->positions, t->p.value));
    for (int64_t n = 0; n < t->N; n++) {
        double drow[128];

        for (int64_t d = 0; d < t->D; d++)
            drow[d] = judge_load(&dout, n * t->D + d);
        t->o->row_backward(t->p.dx, &t->c, pos[n], drow, t->D);
    }
    for (int k = 0; k < t->p.n; k++) {
        compare_backward(t, k, before[k]);
        free(before[k]);
    }
    test_tensor_free(&dout);
}

void judge_table_backward(const struct oracle *o)
{
    struct oracle_choice c;
    int cases = judge_cases(60);

    for (int i = 0; o->choose(&c, i, 16); i++)
        for (int round = 0; round < cases; round++) {
            struct table_case t;

            make(&t, o, i, round % 2 ? LOCANT_F64 : LOCANT_F32);
            backward_once(&t, round % 4 < 2 ? LOCANT_F32 : LOCANT_F64);
            drop(&t);
        }
}
