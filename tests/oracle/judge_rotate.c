/* judge_rotate.c - the rotate door against its oracle. */
#include "judge.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64, LOCANT_F16,
                                       LOCANT_BF16 };

/* Half a unit in the last place, relative. */
static double unit_of(locant_dtype dtype)
{
    switch (dtype) {
    case LOCANT_F64:
        return 0x1p-53;
    case LOCANT_F16:
        return 0x1p-11;
    case LOCANT_BF16:
        return 0x1p-8;
    default:
        return 0x1p-24;
    }
}

/*
 * x [B,T,H,D] in memory, seen as [B,H,T,D]: the strides of a fused projection.
 * out likewise, or dense, or x itself.
 */
struct rotate_case {
    const struct oracle *o;
    struct oracle_choice c;
    locant_encoding *e;
    int64_t B, H, T, D;
    locant_dtype dtype;
    locant_tensor positions;
    locant_tensor x, out;   /* views [B,H,T,D] */
    locant_tensor original; /* dense copy of the memory of x */
    int in_place, inverse;
};

static size_t count(const struct rotate_case *r)
{
    return (size_t)(r->B * r->H * r->T * r->D);
}

static locant_tensor heads_outside(const struct rotate_case *r, void *data)
{
    int64_t shape[4] = { r->B, r->H, r->T, r->D };
    locant_tensor t = locant_dense(data, r->dtype, 4, shape);

    t.stride[0] = r->T * r->H * r->D;
    t.stride[1] = r->D;
    t.stride[2] = r->H * r->D;
    return t;
}

static void make(struct rotate_case *r, const struct oracle *o, int choice)
{
    int64_t shape[4], low, high;
    size_t bytes;

    r->o = o;
    r->B = test_range(1, 2);
    r->H = test_range(1, 3);
    r->T = test_range(0, 12);
    r->D = 2 * test_range(1, 36);
    r->dtype = dtypes[test_range(0, 3)];
    r->in_place = test_rand() % 3 == 0;
    r->inverse = test_rand() % 2 == 0;
    CHECK(o->choose(&r->c, choice, r->D));
    r->e = judge_create(r->c.spec);
    oracle_positions(&low, &high, o, &r->c);
    r->positions = judge_positions(r->T, low, high);
    memcpy(shape, (int64_t[]){ r->B, r->H, r->T, r->D }, sizeof(shape));
    bytes = count(r) * locant_dtype_size(r->dtype);
    r->original = test_tensor(r->dtype, 4, shape);
    judge_fill(&r->original, count(r));
    r->x = heads_outside(r, test_guarded(bytes));
    memcpy(r->x.data, r->original.data, bytes);
    if (r->in_place) {
        r->out = r->x;
        return;
    }
    test_guarded_readonly(r->x.data, bytes);
    r->out = test_rand() % 2 ? heads_outside(r, test_guarded(bytes))
                             : test_tensor(r->dtype, 4, shape);
}

static void drop(struct rotate_case *r)
{
    size_t bytes = count(r) * locant_dtype_size(r->dtype);

    if (!r->in_place)
        test_guarded_free(r->out.data, bytes);
    test_guarded_free(r->x.data, bytes);
    test_tensor_free(&r->original);
    test_tensor_free(&r->positions);
    locant_encoding_free(r->e);
}

static int64_t at(const locant_tensor *t, int64_t row,
                  const struct rotate_case *r)
{
    int64_t b = row / (r->H * r->T), h = row / r->T % r->H, i = row % r->T;

    return b * t->stride[0] + h * t->stride[1] + i * t->stride[2];
}

/*
 * Table entries are within 0.55 units of float32 (0.55 * 2^-24 where they are
 * largest), two products and a sum round to 2^-24 each: 2.55 (|a| + |b|) 2^-24,
 * |a| + |b| <= sqrt(2) |(a, b)|, |(a, b)| <= largest.  In double only the table
 * counts.  Storage rounds once more; short halves have a smallest step 2^-24.
 */
static void compare_row(const struct rotate_case *r, int64_t row)
{
    int64_t pos = ((const int64_t *)r->positions.data)[row % r->T];
    double x[80], want[80], largest = 0;

    for (int64_t d = 0; d < r->D; d++) {
        x[d] = judge_load(&r->original, at(&r->x, row, r) + d);
        largest = fmax(largest, fabs(x[d]));
    }
    r->o->rotate(want, x, &r->c, r->inverse ? -pos : pos, r->D);
    for (int64_t d = 0; d < r->D; d++) {
        double got = judge_load(&r->out, at(&r->out, row, r) + d);
        double bound = (r->dtype == LOCANT_F64 ? 0.56 : 2.56) * 0x1p-24 * 2 *
                       largest + unit_of(r->dtype) * fabs(want[d]) * 1.01 +
                       (r->dtype == LOCANT_F16 ? 0x1p-25 : 0);

        if (d >= r->c.dim)
            bound = 0;
        if (!(fabs(got - want[d]) <= bound))
            FAIL("%s %s%s: position %lld, channel %lld of %lld: got %.9g, "
                 "want %.9g", r->c.spec, locant_dtype_name(r->dtype),
                 r->inverse ? " inverse" : "", (long long)pos, (long long)d,
                 (long long)r->D, got, want[d]);
    }
}

void judge_rotate(const struct oracle *o)
{
    struct oracle_choice c;
    int cases = judge_cases(150);

    for (int i = 0; o->choose(&c, i, 16); i++)
        for (int round = 0; round < cases; round++) {
            struct rotate_case r;

            make(&r, o, i);
            CHECK_OK(locant_encoding_rotate(&r.out, &r.x, r.e, &r.positions,
                                            NULL, r.inverse));
            for (int64_t row = 0; row < r.B * r.H * r.T; row++)
                compare_row(&r, row);
            drop(&r);
        }
}

/* <R x, y> = <x, R^T y>: one rotation rounds each channel to 6 2^-24. */
static void adjoint(const struct rotate_case *r)
{
    size_t n = count(r), bytes = n * locant_dtype_size(r->dtype);
    double left = 0, right = 0, scale = 0;
    locant_tensor y = r->original, Rty = r->original;

    y.data = test_guarded(bytes);
    Rty.data = test_guarded(bytes);
    judge_fill(&y, n);
    CHECK_OK(locant_encoding_rotate_backward(&Rty, NULL, &y, NULL, r->e,
                                             &r->positions, NULL, 0));
    for (int64_t row = 0; row < r->B * r->H * r->T; row++)
        for (int64_t d = 0; d < r->D; d++) {
            double Rx = judge_load(&r->out, at(&r->out, row, r) + d);
            double x = judge_load(&r->original, at(&r->x, row, r) + d);

            left += Rx * judge_load(&y, row * r->D + d);
            right += x * judge_load(&Rty, row * r->D + d);
            scale += 4; /* both at most 2 in magnitude */
        }
    CHECK(fabs(left - right) <= 12 * 0x1p-24 * (scale + 1));
    test_guarded_free(y.data, bytes);
    test_guarded_free(Rty.data, bytes);
}

void judge_rotate_backward(const struct oracle *o)
{
    struct oracle_choice c;
    int cases = judge_cases(100);

    for (int i = 0; o->choose(&c, i, 16); i++)
        for (int round = 0; round < cases; round++) {
            struct rotate_case r;

            make(&r, o, i);
            CHECK_OK(locant_encoding_rotate(&r.out, &r.x, r.e, &r.positions,
                                            NULL, 0));
            if (r.dtype == LOCANT_F32 || r.dtype == LOCANT_F64)
                adjoint(&r);
            drop(&r);
        }
}
