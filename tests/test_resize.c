/*
 * test_resize.c - tables stretched to another length or grid: printed values,
 * other people's programs, the definition, gradients.
 *
 * LOCANT_CASES=n changes the number of random cases.
 */
#include "oracle/near.h"
#include "oracle/resize.h"
#include "resize_case.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ known values */

/* Ten printed decimals; sums of a few products of numbers below 64. */
TEST(lines_are_as_printed)
{
    static const double table[4] = { 0, 10, 20, 40 };
    static const double corners[8] = { 0,
                                       4.2857142857,
                                       8.5714285714,
                                       12.8571428571,
                                       17.1428571429,
                                       22.8571428571,
                                       31.4285714286,
                                       40 };
    static const double half[8] = { 0, 2.5, 7.5, 12.5, 17.5, 25, 35, 40 };
    static const double cubic[8] = { -1.0546875, 1.9140625,  6.6796875,
                                     12.6171875, 15.9765625, 25.5859375,
                                     35.8203125, 42.109375 };
    double got[8];
    locant_resize how = options(0, 1, 0);

    line(got, 8, table, 4, &how);
    near_all(got, corners, 8, 0.51e-10);
    line(got, 2, table, 4, &how);
    near_all(got, (double[]){ 0, 40 }, 2, 0);
    line(got, 1, table, 4, &how);
    near_all(got, table, 1, 0);
    how = options(0, 0, 0);
    line(got, 8, table, 4, &how);
    near_all(got, half, 8, 0); /* multiples of 1/4 are exact */
    line(got, 2, table, 4, &how);
    near_all(got, (double[]){ 5, 30 }, 2, 0);
    how = options(1, 0, 0);
    line(got, 8, table, 4, &how);
    near_all(got, cubic, 8, 0); /* multiples of 2^-8 */
    line(got, 2, table, 4, &how);
    near_all(got, (double[]){ 4.0625, 30.9375 }, 2, 0);
}

static const double picture[20] = { 0, 3,  1, 12, 8, 7,  15, 18, 11, 12,
                                    5, 18, 3, 1,  7, 17, 12, 2,  5,  16 };

/*
 * scipy.ndimage.zoom(order=1), SciPy 1.17.1, as google-research's ViT calls
 * it; nine printed digits.
 */
TEST(grids_are_as_scipy_zooms)
{
    static const double tall[21] = { 0,  1,  8,   3.5,  9.5, 10, 7,
                                     18, 12, 6,   10.5, 9.5, 5,  3,
                                     7,  11, 2.5, 11.5, 17,  2,  16 };
    static const double wide[18] = { 0,  1.5,  3,  2, 1, 6.5, 12, 10,   8,
                                     17, 14.5, 12, 7, 2, 3.5, 5,  10.5, 16 };
    double got[21];

    grid(got, 7, 3, picture, 4, 5, form(LOCANT_RESIZE_VIT));
    near_all(got, tall, 21, 1e-8);
    grid(got, 2, 9, picture, 4, 5, form(LOCANT_RESIZE_QWEN3VL));
    near_all(got, wide, 18, 1e-8);
}

/*
 * cv2.resize(INTER_CUBIC), OpenCV 5.0.0: a = -0.75, half pixel, ends repeated,
 * as PyTorch's bicubic.  Its weights are float32: for values up to 18, 4 x 4
 * taps, each weight off by some 2^-22, 18 * 16 * 2^-22 < 1e-4.
 */
TEST(grids_are_as_opencv_resizes)
{
    static const double tall[21] = { 0.232429062, -0.686674774, 9.72889128,
                                     3.84715823,  7.71510583,   10.7434538,
                                     8.85065534,  17.7202075,   11.5055504,
                                     9.84895913,  12.1875,      7.55960826,
                                     10.2989191,  2.24990505,   5.14993534,
                                     13.9533955,  1.41827452,   9.6915041,
                                     16.5822922,  1.90078354,   13.4680323 };
    static const double wide[18] = { 3.18023586, 5.14988446, 8.11230615,
                                     10.0675568, 10.90625,   12.1500346,
                                     12.3573815, 11.1736111, 10.2702544,
                                     10.3619486, 13.0075238, 15.8047054,
                                     9.45301975, 1.09375,    -0.451817838,
                                     2.95057679, 8.26157051, 11.9355078 };
    double got[21];

    grid(got, 7, 3, picture, 4, 5, form(LOCANT_RESIZE_HF));
    near_all(got, tall, 21, 1e-4);
    grid(got, 2, 9, picture, 4, 5, form(LOCANT_RESIZE_HF));
    near_all(got, wide, 18, 1e-4);
}

/*
 * Image.resize() of mode F, Pillow 13.0.0, BICUBIC and BILINEAR: what PyTorch
 * calls antialias.  Two passes stored in float32, values up to 32: two errors
 * of 2^-20, the second after weights whose absolute sum is below 2.
 */
TEST(grids_are_as_pillow_resizes)
{
    static const double tall[21] = {
        0.21745564, 3.01471353, 9.8176403,  3.81355715, 8.05114269, 10.6839876,
        10.0025339, 15.9287796, 11.6223011, 11.0134611, 11.952035,  7.36634588,
        11.1285362, 5.58446026, 4.08220863, 13.8834,    4.29722357, 8.74583149,
        15.4728546, 3.97836518, 11.7889795
    };
    static const double wide[18] = {
        2.62507224, 5.08392715, 9.48120499, 9.93471146, 9,          9.86456585,
        10.4653301, 9.76261044, 9.3305788,  10.5621281, 12.5561419, 15.576726,
        11.0471268, 4.41322327, 2.80530906, 4.21675348, 9.43773174, 12.3466272
    };
    static const double linear[18] = {
        3.71428561, 5.90476179, 9.55555534, 9.52380943, 8.5714283,  9.36507893,
        9.95238113, 9.71428585, 9.5714283,  10.4285717, 11.9523811, 14.4920635,
        10.4285717, 4.71428585, 4.39682531, 4.96825409, 9.09523773, 11.5714283
    };
    double got[21];

    grid(got, 7, 3, picture, 4, 5, form(LOCANT_RESIZE_TIMM));
    near_all(got, tall, 21, 3 * 0x1p-20);
    grid(got, 2, 9, picture, 4, 5, form(LOCANT_RESIZE_DINOV2_REG));
    near_all(got, wide, 18, 3 * 0x1p-20);
    grid(got, 2, 9, picture, 4, 5, options(0, 0, 1));
    near_all(got, linear, 18, 3 * 0x1p-20);
}

/* DINOv2's 0.1 moves samples towards the start: M / (w + 0.1) apart. */
TEST(offset_moves_the_samples)
{
    static const double ramp[5] = { 0, 1, 2, 3, 4 };
    locant_resize how = form(LOCANT_RESIZE_DINOV2);
    double got[10];

    CHECK(how.offset == 0.1 && how.kind == LOCANT_RESIZE_CUBIC &&
          !how.antialias && !how.align_corners);
    /* Keys' kernel keeps a ramp only for a = -1/2; linear always does. */
    how.kind = LOCANT_RESIZE_LINEAR;
    line(got, 10, ramp, 5, &how);
    for (int x = 1; x < 9; x++)
        CHECK(fabs(got[x] - ((x + 0.5) * 5 / 10.1 - 0.5)) < 1e-14);
}

/* ---------------------------------------------------------- the definition */

struct problem {
    int64_t H, W, h, w, prefix, D; /* H = h = 1: a line */
    bool flat;
    struct oracle_resize r;
    locant_resize how;
    locant_dtype dtype;
};

static int64_t length(void)
{
    return test_rand() % 8 ? test_range(1, 7) : test_range(1, 40);
}

static struct problem draw(void)
{
    static const int64_t widths[] = { 1, 2, 3, 5, 8, 257 };
    struct problem p = { .flat = test_rand() % 2 };

    p.H = p.h = 1;
    p.W = length();
    p.w = test_rand() % 8 ? length() : p.W;
    if (!p.flat) {
        p.H = length() % 9 + 1;
        p.h = test_rand() % 4 ? length() % 9 + 1 : p.H;
        p.W = p.W % 9 + 1;
        p.w = p.w % 9 + 1;
    }
    p.prefix = test_range(0, 2);
    p.D = widths[test_rand() % (test_rand() % 16 ? 5 : 6)];
    p.dtype = test_rand() % 2 ? LOCANT_F32 : LOCANT_F64;
    p.r.cubic = test_rand() % 2;
    p.r.antialias = test_rand() % 2;
    p.r.align_corners = !p.r.antialias && test_rand() % 2;
    if (!p.r.align_corners && test_rand() % 3 == 0)
        p.r.offset = test_rand() % 2 ? 0.1 : fabs(test_uniform());
    p.how = options(p.r.cubic, p.r.align_corners, p.r.antialias);
    p.how.offset = p.r.offset;
    p.how.prefix = p.prefix;
    p.how.from_rows = p.H;
    p.how.from_columns = p.W;
    p.how.rows = p.h;
    p.how.columns = p.w;
    return p;
}

/* The whole matrix, row by row: [prefix + h w, prefix + H W]. */
static double *matrix(const struct problem *p, int64_t *rows, int64_t *columns)
{
    int64_t m = p->prefix + p->H * p->W, n = p->prefix + p->h * p->w;
    double *A = calloc((size_t)(m * n), sizeof(*A));
    bool same = p->H == p->h && p->W == p->w;

    assert_non_null(A);
    for (int64_t i = 0; i < (same ? n : p->prefix); i++)
        A[i * m + i] = 1;
    for (int64_t x = 0; x < p->h * p->w && !same; x++)
        for (int64_t j = 0; j < p->H * p->W; j++)
            A[(p->prefix + x) * m + p->prefix + j] =
                oracle_resize_weight(&p->r, p->W, p->w, x % p->w, j % p->W) *
                (p->flat ? 1
                         : oracle_resize_weight(&p->r, p->H, p->h, x / p->w,
                                                j / p->W));
    *rows = n;
    *columns = m;
    return A;
}

/*
 * A source coordinate below 41 is off by a few times 41 * 2^-53, less than
 * 2^-44; the kernels are less steep than 2, and 12 |a| u^2 of cancelling terms
 * add less than 2^-46; the product of two weights below 1.2 doubles it: 2^-41
 * for each entry of the matrix, times numbers below 1, times the row.  One
 * rounding to the type of the result is added.
 */
static double allowed(const struct problem *p, int64_t terms, double want)
{
    double one = p->dtype == LOCANT_F32 ? 0x1p-24 * (fabs(want) + 1) : 0;

    return (double)terms * 0x1p-41 + one;
}

static locant_status forward(locant_tensor *out, const locant_tensor *table,
                             const struct problem *p)
{
    return p->flat ? locant_resize_1d(out, table, &p->how)
                   : locant_resize_2d(out, table, &p->how);
}

static locant_status backward(locant_tensor *dtable, const locant_tensor *dout,
                              const struct problem *p)
{
    return p->flat ? locant_resize_1d_backward(dtable, dout, &p->how)
                   : locant_resize_2d_backward(dtable, dout, &p->how);
}

static void complain(const struct problem *p, const char *what, double got,
                     double want)
{
    FAIL("%s %s: %dx%d -> %dx%d, prefix %d, D %d, %s, %s%s%s, offset %g: got "
         "%.17g, want %.17g",
         p->flat ? "line" : "grid", what, (int)p->H, (int)p->W, (int)p->h,
         (int)p->w, (int)p->prefix, (int)p->D, locant_dtype_name(p->dtype),
         p->r.cubic ? "cubic" : "linear", p->r.align_corners ? ", corners" : "",
         p->r.antialias ? ", antialias" : "", p->r.offset, got, want);
}

/* got [n, D] = A x, or A^T x added to 'before'. */
static void compare(const struct problem *p, const locant_tensor *got,
                    const locant_tensor *x, const double *before,
                    const double *A, bool transposed)
{
    int64_t n = got->shape[0], m = x->shape[0], D = p->D;

    for (int64_t i = 0; i < n; i++)
        for (int64_t d = 0; d < D; d++) {
            double want = before ? before[i * D + d] : 0;
            double have = oracle_get(got, (size_t)(i * D + d));

            for (int64_t k = 0; k < m; k++)
                want += (transposed ? A[k * n + i] : A[i * m + k]) *
                        oracle_get(x, (size_t)(k * D + d));
            if (!(fabs(have - want) <= allowed(p, m, want)))
                complain(p, transposed ? "backward" : "forward", have, want);
        }
}

static void one_case(void)
{
    struct problem p = draw();
    int64_t n, m;
    double *A = matrix(&p, &n, &m), *before;
    size_t size = locant_dtype_size(p.dtype);
    const int64_t small[2] = { n, p.D }, large[2] = { m, p.D };
    OWNED(locant_tensor) out = test_tensor(p.dtype, 2, small);
    OWNED(locant_tensor) dout = test_tensor(p.dtype, 2, small);
    OWNED(locant_tensor) table = test_tensor(p.dtype, 2, large);
    OWNED(locant_tensor) dtable = test_tensor(p.dtype, 2, large);

    test_guarded_readonly(table.data, (size_t)(m * p.D) * size);
    test_guarded_readonly(dout.data, (size_t)(n * p.D) * size);
    CHECK_OK(forward(&out, &table, &p));
    compare(&p, &out, &table, NULL, A, false);
    before = calloc((size_t)(m * p.D), sizeof(*before));
    assert_non_null(before);
    for (int64_t i = 0; i < m * p.D; i++)
        before[i] = oracle_get(&dtable, (size_t)i);
    CHECK_OK(backward(&dtable, &dout, &p));
    compare(&p, &dtable, &dout, before, A, true);
    free(before);
    free(A);
}

TEST(matches_the_definition)
{
    for (int i = test_cases(1500); i > 0; i--)
        one_case();
}

/* ------------------------------------------------------------- gradients */

static locant_tensor unit(int64_t n)
{
    locant_tensor t = TENSOR(F64, n, n);

    for (int64_t i = 0; i < n * n; i++)
        ((double *)t.data)[i] = i % (n + 1) == 0;
    return t;
}

/*
 * out of the unit matrix is W, dtable of it is W^T: each entry one product
 * with 1 and sums with 0, so both are the same bits.
 */
TEST(gradient_is_the_transposed_matrix)
{
    for (int i = test_cases(300); i > 0; i--) {
        struct problem p = draw();
        int64_t m = p.prefix + p.H * p.W, n = p.prefix + p.h * p.w;
        locant_tensor one_m = unit(m), one_n = unit(n);
        OWNED(locant_tensor) W = TENSOR(F64, n, m);
        OWNED(locant_tensor) Wt = TENSOR(F64, m, n);
        const double *a = W.data, *b = Wt.data;

        memset(Wt.data, 0, (size_t)(n * m) * sizeof(double));
        CHECK_OK(forward(&W, &one_m, &p));
        CHECK_OK(backward(&Wt, &one_n, &p));
        for (int64_t x = 0; x < n; x++)
            for (int64_t j = 0; j < m; j++)
                if (a[x * m + j] != b[j * n + x])
                    complain(&p, "transposed", b[j * n + x], a[x * m + j]);
        test_tensor_free(&one_n);
        test_tensor_free(&one_m);
    }
}

/*
 * A linear map equals its differences: f(t + e_j) - f(t) = W e_j.  Entries of
 * t are whole numbers up to 2^10 and n = 2m, where half-pixel weights are
 * multiples of 2^-2 (linear) and 2^-8 (cubic): no rounding anywhere.
 */
TEST(differences_are_the_gradient)
{
    enum { M = 9, N = 18 };

    for (int cubic = 0; cubic < 2; cubic++)
        for (int j = 0; j < M; j++) {
            locant_resize how = options(cubic, 0, 0);
            double t[M], low[N], high[N], d[N] = { 0 }, dt[M];

            for (int i = 0; i < M; i++)
                t[i] = (double)test_range(-1024, 1024);
            line(low, N, t, M, &how);
            t[j] += 1;
            line(high, N, t, M, &how);
            for (int x = 0; x < N; x++) {
                memset(dt, 0, sizeof(dt));
                d[x] = 1;
                CHECK_OK(locant_resize_1d_backward(VIEW(F64, dt, M, 1),
                                                   VIEW(F64, d, N, 1), &how));
                d[x] = 0;
                CHECK(high[x] - low[x] == dt[j]);
            }
        }
}

/* Constants stay, up to the rounding of weights that add up to 1. */
TEST(constants_stay)
{
    for (int i = test_cases(300); i > 0; i--) {
        struct problem p = draw();
        int64_t m = p.prefix + p.H * p.W, n = p.prefix + p.h * p.w;
        OWNED(locant_tensor) ones = TENSOR(F64, m, 1);
        OWNED(locant_tensor) out = TENSOR(F64, n, 1);

        for (int64_t j = 0; j < m; j++)
            ((double *)ones.data)[j] = 1;
        CHECK_OK(forward(&out, &ones, &p));
        for (int64_t x = 0; x < n; x++)
            CHECK(fabs(((double *)out.data)[x] - 1) <=
                  (double)(m + 8) * 0x1p-50);
    }
}
