/*
 * test_coordinates_backward.c - d coordinates of rotations against central
 * differences in double: with h = 1e-5 these err by some h^2 = 1e-10 times the
 * third derivative, and by 2^-52 / h = 2e-11 of the value; values are sums of
 * some 100 terms of magnitude 1, frequencies up to 2 pi (cubed: 250).
 */
#include "testing.h"
#include <math.h>
#include <string.h>

enum { B = 2, H = 3, T = 4, D = 16, AXES = 4 };
static const double STEP = 1e-5, ALLOWED = 1e-6;

static const struct {
    const char *spec;
    int flags;
} rows[] = {
    { "rope", 0 },
    { "rope(dim=6,side=trailing,pairing=interleaved)", 0 },
    { "rope(scaling=yarn(factor=4,original=64))", 0 },
    { "rope(base=100)", LOCANT_ROTATE_INVERSE },
    { "rope2d", 0 },
    { "rope2d(form=dinov3)", 0 },
    { "rope3d", 0 },
    { "mrope(sections=2:3:3)", 0 },
    { "mrope(sections=1:2:3:2,base=100)", 0 },
    { "axes(widths=4:6:4,base=50)", 0 },
    { "axes(widths=4:6:4,pairing=half)", 0 },
    { "axes(widths=4:0:8:2,pairing=blocks,base=9)", LOCANT_ROTATE_INVERSE },
};

static void fill(double *x, size_t n, double size)
{
    for (size_t i = 0; i < n; i++)
        x[i] = size * test_uniform();
}

/* sum dy y of rows rotated at coordinates of their own. */
static double loss(const locant_encoding *e, const double *x, const double *dy,
                   double *at, int64_t axes, int flags)
{
    double y[B * H * T * D], sum = 0;
    locant_rotation r = LOCANT_ROTATION_INIT;
    locant_tensor where = DENSE(F64, at, B, T, axes);

    r.encoding = e;
    r.positions = &where;
    r.flags = flags;
    CHECK_OK(locant_encoding_rotate_ragged(
        VIEW(F64, y, B, H, T, D), VIEW(F64, (void *)x, B, H, T, D), &r));
    for (int i = 0; i < B * H * T * D; i++)
        sum += dy[i] * y[i];
    return sum;
}

TEST(matches_differences)
{
    double x[B * H * T * D], dy[B * H * T * D], dx[B * H * T * D];
    double at[B * T * AXES], got[B * T * AXES], shared[T * AXES];

    for (size_t i = 0; i < LEN(rows); i++) {
        OWNED(locant_encoding) *e = test_create(rows[i].spec);
        const int64_t axes = locant_encoding_axes(e);
        locant_rotation r = LOCANT_ROTATION_INIT;
        locant_tensor where = DENSE(F64, at, B, T, axes);

        fill(x, LEN(x), 1);
        fill(dy, LEN(dy), 1);
        fill(at, LEN(at), 3);
        r.encoding = e;
        r.positions = &where;
        r.flags = rows[i].flags;
        CHECK_OK(locant_encoding_rotate_ragged_backward(
            VIEW(F64, dx, B, H, T, D), NULL, VIEW(F64, dy, B, H, T, D), NULL,
            &r));
        for (int64_t k = 0; k < B * T * axes; k++)
            got[k] = 1; /* added to */
        memset(shared, 0, sizeof(shared));
        CHECK_OK(locant_coordinates_backward(
            VIEW(F64, got, B, T, axes), VIEW(F64, dx, B, H, T, D),
            VIEW(F64, x, B, H, T, D), e, rows[i].flags));
        CHECK_OK(locant_coordinates_backward(
            VIEW(F64, shared, T, axes), VIEW(F64, dx, B, H, T, D),
            VIEW(F64, x, B, H, T, D), e, rows[i].flags));
        for (int64_t k = 0; k < B * T * axes; k++) {
            double keep = at[k], up, down;

            at[k] = keep + STEP;
            up = loss(e, x, dy, at, axes, rows[i].flags);
            at[k] = keep - STEP;
            down = loss(e, x, dy, at, axes, rows[i].flags);
            at[k] = keep;
            CHECK(fabs(got[k] - 1 - (up - down) / (2 * STEP)) < ALLOWED);
        }
        for (int64_t k = 0; k < T * axes; k++)
            CHECK(fabs(shared[k] - (got[k] + got[T * axes + k] - 2)) < 1e-12);
    }
}

/* Of q and k of attention the sum over all tokens is 0: only differences of
 * coordinates matter. */
TEST(attention_has_it_by_queries_and_keys)
{
    OWNED(locant_encoding) *e = test_create("axes(widths=4:6:4)");
    double q[H * T * D], k[H * T * D], v[H * T * D], o[H * T * D], lse[H * T];
    double dout[H * T * D], dq[H * T * D], dk[H * T * D], dv[H * T * D];
    double at[T * 3], dat[T * 3] = { 0 };
    locant_tensor tq = DENSE(F64, q, 1, H, T, D),
                  tk = DENSE(F64, k, 1, H, T, D);
    locant_tensor tv = DENSE(F64, v, 1, H, T, D), where = DENSE(F64, at, T, 3);
    locant_tensor tdq = DENSE(F64, dq, 1, H, T, D);
    locant_tensor tdk = DENSE(F64, dk, 1, H, T, D);
    locant_tensor tdv = DENSE(F64, dv, 1, H, T, D);
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    double sum[3] = { 0 };

    fill(q, LEN(q), 1);
    fill(k, LEN(k), 1);
    fill(v, LEN(v), 1);
    fill(dout, LEN(dout), 1);
    fill(at, LEN(at), 3);
    a.q = &tq;
    a.k = &tk;
    a.v = &tv;
    a.encoding = e;
    a.q_coords = a.k_coords = &where;
    CHECK_OK(locant_attention_reference(VIEW(F64, o, 1, H, T, D),
                                        VIEW(F64, lse, 1, H, T), &a));
    g.dq = &tdq;
    g.dk = &tdk;
    g.dv = &tdv;
    CHECK_OK(locant_attention_reference_backward(
        &g, VIEW(F64, dout, 1, H, T, D), VIEW(F64, o, 1, H, T, D),
        VIEW(F64, lse, 1, H, T), &a));
    CHECK_OK(
        locant_coordinates_backward(VIEW(F64, dat, T, 3), &tdq, &tq, e, 0));
    CHECK_OK(
        locant_coordinates_backward(VIEW(F64, dat, T, 3), &tdk, &tk, e, 0));
    for (int i = 0; i < T * 3; i++) {
        double keep = at[i], loss[2] = { 0 };

        for (int up = 0; up < 2; up++) {
            at[i] = keep + (up ? STEP : -STEP);
            CHECK_OK(locant_attention_reference(VIEW(F64, o, 1, H, T, D),
                                                VIEW(F64, lse, 1, H, T), &a));
            for (int n = 0; n < H * T * D; n++)
                loss[up] += o[n] * dout[n];
        }
        at[i] = keep;
        CHECK(fabs(dat[i] - (loss[1] - loss[0]) / (2 * STEP)) < ALLOWED);
        sum[i % 3] += dat[i];
    }
    for (int axis = 0; axis < 3; axis++)
        CHECK(fabs(sum[axis]) < 1e-12);
}

TEST(other_dtypes_are_widened)
{
    OWNED(locant_encoding) *e = test_create("rope");
    float x[2 * 8], dx[2 * 8];
    double x64[2 * 8], dx64[2 * 8], a[2] = { 0 }, b[2] = { 0 };

    for (int i = 0; i < 16; i++) {
        x64[i] = x[i] = (float)test_uniform();
        dx64[i] = dx[i] = (float)test_uniform();
    }
    x[3] = NAN; /* where no query sees it: dx is 0 */
    x64[3] = 0;
    dx[3] = dx[7] = 0;
    dx64[3] = dx64[7] = 0;
    CHECK_OK(locant_coordinates_backward(VIEW(F64, a, 2), VIEW(F32, dx, 2, 8),
                                         VIEW(F32, x, 2, 8), e, 0));
    CHECK_OK(locant_coordinates_backward(
        VIEW(F64, b, 2, 1), VIEW(F64, dx64, 2, 8), VIEW(F64, x64, 2, 8), e, 0));
    CHECK(memcmp(a, b, sizeof(a)) == 0);
}

TEST(refuses_what_has_no_gradient)
{
    OWNED(locant_encoding) *map = test_create("rope-mixed");
    OWNED(locant_encoding) *rope = test_create("rope");
    OWNED(locant_encoding) *bias = test_create("alibi");
    OWNED(locant_encoding) *dynamic =
        test_create("rope(scaling=dynamic(factor=2,original=4))");
    double x[8], dx[8], d[2];
    locant_tensor *at = VIEW(F64, d, 2), *rows_x = VIEW(F64, x, 2, 4);
    locant_tensor *rows_dx = VIEW(F64, dx, 2, 4);

    REFUSES(UNSUPPORTED,
            locant_coordinates_backward(at, rows_dx, rows_x, map, 0),
            "rope-mixed is not a plain rotation by frequencies");
    REFUSES(UNSUPPORTED,
            locant_coordinates_backward(at, rows_dx, rows_x, dynamic, 0),
            "frequencies of rope(scaling=dynamic(factor=2,original=4)) depend "
            "on the longest position, whose gradient is not defined");
    CHECK(locant_coordinates_backward(at, rows_dx, rows_x, bias, 0) ==
          LOCANT_ERR_UNSUPPORTED);
    REFUSES(
        SHAPE,
        locant_coordinates_backward(VIEW(F64, d, 1), rows_dx, rows_x, rope, 0),
        "dcoords has size 1 in dimension 0, expected 2");
    REFUSES(
        DTYPE,
        locant_coordinates_backward(at, VIEW(F32, dx, 2, 4), rows_x, rope, 0),
        "dx is f32, expected f64");
    REFUSES(NULL, locant_coordinates_backward(at, rows_dx, NULL, rope, 0),
            "x is NULL");
}
