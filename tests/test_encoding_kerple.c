/* test_encoding_kerple.c - arXiv:2205.09921v2, eq. (4) and (5). */
#include "oracle/near.h"
#include <math.h>
#include <string.h>

struct scalars {
    double p, a;
    locant_tensor t[2];
};

static void make(struct scalars *s, double p, double a)
{
    s->p = p;
    s->a = a;
    s->t[0] = DENSE(F64, &s->p, 1);
    s->t[1] = DENSE(F64, &s->a, 1);
}

/* Ten printed decimals. */
TEST(has_the_printed_values)
{
    static const double logs[6] = { 0,
                                    -0.6081976622,
                                    -1.0397207708,
                                    -1.3744360978,
                                    -1.6479184330,
                                    -1.8791444527 };
    static const double powers[6] = {
        0, -0.5, -0.8122523964, -1.0788346400, -1.3195079108, -1.5425846568
    };
    double got[6], ahead[6];
    struct scalars s;

    make(&s, 1.5, 0.5);
    for (int n = 0; n < 6; n++) {
        got[n] = near_bias("kerple", 1, 0, n, 0, s.t);
        ahead[n] = near_bias("kerple(kind=log)", 1, 0, 0, n, s.t);
    }
    near_all(got, logs, 6, 0.51e-10);
    near_all(ahead, logs, 6, 0.51e-10);
    make(&s, 0.7, 0.5);
    for (int n = 0; n < 6; n++)
        got[n] = near_bias("kerple(kind=power)", 1, 0, n, 0, s.t);
    near_all(got, powers, 6, 0.51e-10);
}

/* Gradient of the bias at distance 3, (dp, da). */
static void slope_at_three(double out[2], const char *spec, double p, double a)
{
    int64_t q = 3, k = 0;
    double dout = 1, dp = 0, da = 0;
    OWNED(locant_encoding) *e = test_create(spec);
    locant_tensor grad[2], td = DENSE(F64, &dout, 1, 1, 1);
    struct scalars s;

    make(&s, p, a);
    grad[0] = DENSE(F64, &dp, 1);
    grad[1] = DENSE(F64, &da, 1);
    CHECK_OK(locant_encoding_bias_backward(grad, &td, e, VIEW(I64, &q, 1),
                                           VIEW(I64, &k, 1), s.t));
    out[0] = dp;
    out[1] = da;
}

TEST(has_the_printed_gradients)
{
    double got[2];

    slope_at_three(got, "kerple(kind=log)", 1.5, 0.5);
    near_all(got, (double[]){ -0.9162907319, -1.8 }, 2, 0.51e-10);
    slope_at_three(got, "kerple(kind=power)", 0.7, 0.5);
    /* 3^0.7 = 2.15766927997 */
    near_all(got, (double[]){ -1.1852209929, -2.1576692800 }, 2, 0.51e-10);
}

TEST(row_of_bias_is_as_printed)
{
    static const double want[4] = { -1.3744360978, -1.0397207708, -0.6081976622,
                                    0 };
    struct scalars s;
    double got[4];

    make(&s, 1.5, 0.5);
    for (int j = 0; j < 4; j++)
        got[j] = near_bias("kerple", 1, 0, 3, j, s.t);
    near_all(got, want, 4, 0.51e-10);
}

TEST(registry_row_is_right)
{
    OWNED(locant_encoding) *e = test_create("kerple(kind=log)");
    const locant_sizes sizes = { .width = 64, .heads = 4 };
    locant_param_info info;

    CHECK(strcmp(locant_encoding_spec(e), "kerple") == 0);
    CHECK(locant_encoding_param(&info, e, 0, &sizes) == 1);
    CHECK(strcmp(info.name, "p") == 0 && strcmp(info.dims, "[heads]") == 0);
    CHECK(locant_encoding_param(&info, e, 1, &sizes) == 1);
    CHECK(strcmp(info.name, "a") == 0);
}

static void project(const char *spec, int k, double *x, int64_t n)
{
    OWNED(locant_encoding) *e = test_create(spec);

    CHECK_OK(locant_encoding_param_project(VIEW(F64, x, n), e, k));
}

/* Everything >= 0.01; the power's p <= 2 as well; what is allowed stays. */
TEST(projection_keeps_the_kernel_valid)
{
    double p[5] = { -1, 0.0099, 0.5, 3, 2 };
    double a[5] = { -1, 0.01, 0.5, 3, 1e300 };

    project("kerple(kind=power)", 0, p, 5);
    near_all(p, (double[]){ 0.01, 0.01, 0.5, 2, 2 }, 5, 0);
    project("kerple(kind=power)", 1, a, 5);
    near_all(a, (double[]){ 0.01, 0.01, 0.5, 3, 1e300 }, 5, 0);
    p[0] = -7;
    p[3] = 3;
    project("kerple(kind=log)", 0, p, 5);
    near_all(p, (double[]){ 0.01, 0.01, 0.5, 3, 2 }, 5, 0);
}

TEST(refuses_bad_arguments)
{
    int64_t pos[1] = { 0 };
    float data[2] = { 7, 7 };
    locant_encoding *e = test_create("kerple"), *none = NULL;
    locant_tensor out = DENSE(F32, data, 2, 1, 1);
    locant_tensor p = DENSE(I64, pos, 1);
    struct scalars s;

    make(&s, 1, 1);
    REFUSES(NULL, locant_encoding_bias(&out, e, &p, &p, NULL),
            "kerple has a learned parameter 'p' [heads], none was given");
    REFUSES(SHAPE, locant_encoding_bias(&out, e, &p, &p, s.t),
            "p has size 1 in dimension 0, expected 2");
    REFUSES(PARAM, locant_encoding_create(&none, "kerple(kind=gauss)"),
            "key 'kind' of 'kerple': 'gauss' at byte 12 should be log | power");
    REFUSES(PARAM, locant_encoding_param_init(&s.t[0], e, 2, 1),
            "kerple has no parameter 2");
    REFUSES(PARAM, locant_encoding_param_project(&s.t[0], e, -1),
            "kerple has no parameter -1");
    CHECK(data[0] == 7 && data[1] == 7);
    locant_encoding_free(e);
}
