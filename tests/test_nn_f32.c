/*
 * test_nn_f32.c - the float row operations: the same bits on every instruction
 * set, and close to the formula in double.  u is half a unit in the last place.
 */
/* needs: lab */
#include "testing.h"

#include "nn/nn_kernels.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double u = 0x1p-24;

/* Rows of every interesting length: around 16, 32 and 64, and odd. */
static const size_t lengths[] = { 1,  2,  3,  15, 16,  17,  31,  32,  33,
                                  47, 63, 64, 65, 100, 127, 256, 257, 1000 };

struct rows {
    size_t n;
    float *a, *b, *c, *d;
    double *sum;
};

static void make(struct rows *r, size_t n, double size)
{
    float **all[] = { &r->a, &r->b, &r->c, &r->d };

    r->n = n;
    for (size_t k = 0; k < LEN(all); k++) {
        *all[k] = test_guarded(n * sizeof(float));
        for (size_t i = 0; i < n; i++)
            (*all[k])[i] = (float)(size * test_normal());
    }
    r->sum = test_guarded(n * sizeof(double));
    memset(r->sum, 0, n * sizeof(double));
}

static void drop(struct rows *r)
{
    test_guarded_free(r->a, r->n * sizeof(float));
    test_guarded_free(r->b, r->n * sizeof(float));
    test_guarded_free(r->c, r->n * sizeof(float));
    test_guarded_free(r->d, r->n * sizeof(float));
    test_guarded_free(r->sum, r->n * sizeof(double));
}

/* --------------------------------------------------- same bits on each ISA */

enum { RECORD = 1 << 20 };
static unsigned char record[2][RECORD];
static size_t recorded;
static int isas_run;

static void note(const void *bytes, size_t n)
{
    unsigned char *to = record[isas_run > 0];

    CHECK(recorded + n <= RECORD);
    memcpy(to + recorded, bytes, n);
    recorded += n;
}

/* Every operation on one set of rows; d is in place. */
static void run_all(const struct lct_nn_kernels *nn, struct rows *r)
{
    const struct lct_adamw_factors f = { 0.9f, 0.1f,  0.95f, 0.05f, 1.5f,
                                         2.5f, 1e-3f, 1e-8f, 0.1f };
    const size_t n = r->n, bytes = n * sizeof(float);
    float stat[2], loss;
    double squares = nn->sum_squares(r->a, n);

    note(&squares, sizeof(squares));
    nn->layer_norm(r->c, stat, stat + 1, r->a, r->b, n);
    note(r->c, bytes);
    nn->layer_norm_backward(r->d, r->b, r->sum, r->c, r->a, r->b, stat, n);
    note(r->d, bytes);
    nn->rms_norm(r->c, stat, stat + 1, r->a, r->b, n);
    note(r->c, bytes);
    nn->rms_norm_backward(r->d, NULL, r->sum, r->c, r->a, r->b, stat, n);
    note(r->d, bytes);
    note(r->sum, n * sizeof(double));
    nn->gelu(r->c, r->a, n);
    note(r->c, bytes);
    nn->gelu_backward(r->c, r->b, n);
    note(r->c, bytes);
    loss = nn->cross_entropy(stat, r->c, n / 2, n);
    note(&loss, sizeof(loss));
    note(stat, sizeof(stat));
    nn->cross_entropy_backward(r->c, stat, n / 2, 0.125f, n);
    note(r->c, bytes);
    for (size_t i = 0; i < n; i++)
        r->d[i] = fabsf(r->d[i]);
    nn->adamw(r->c, r->b, r->d, r->a, n, &f);
    note(r->b, bytes);
    nn->add(r->c, r->a, 0.3f, n);
    nn->scale(r->c, 1.7f, n);
    nn->accumulate(r->sum, r->c, n);
    nn->add_sums(r->d, r->sum, n);
    note(r->c, bytes);
    note(r->d, bytes);
}

static uint64_t state_of_random;

/* Numbers that do not depend on which ISA is tried. */
static float repeatable(void)
{
    locant_random r = { .seed = test_seed(),
                        .stream = 1,
                        .index = 4 * state_of_random++ };

    return (float)(3.0 * locant_random_normal(&r));
}

static void on_this_isa(void)
{
    recorded = 0;
    state_of_random = 0;
    CHECK(strcmp(lct_nn()->isa, locant_isa()) == 0);
    for (size_t k = 0; k < LEN(lengths); k++) {
        FREED_BY(drop) struct rows r;

        make(&r, lengths[k], 1.0);
        for (size_t i = 0; i < r.n; i++) {
            r.a[i] = repeatable();
            r.b[i] = repeatable();
            r.d[i] = repeatable();
        }
        run_all(lct_nn(), &r);
    }
    if (isas_run > 0)
        CHECK(memcmp(record[0], record[1], recorded) == 0);
    isas_run++;
}

TEST(same_bits_on_every_isa)
{
    isas_run = 0;
    test_each_isa(on_this_isa);
    CHECK(isas_run >= 1 && recorded > 0);
}

/* -------------------------------------------------------- against formulas */

/* |2u| of GELU's tanh form */
static double gelu_argument(double x)
{
    return 2.0 * sqrt(2.0 / 3.14159265358979323846) *
           (fabs(x) + 0.044715 * fabs(x * x * x));
}

/*
 * The argument of the exponential has five roundings, which e^-a turns into a
 * relative error of 5 a u; the exponential has 4 u, and four more operations
 * follow.  Beyond a = 87 the exponential stays at e^-87 < 2e-38.
 */
TEST(gelu_is_accurate)
{
    const struct lct_nn_kernels *nn = lct_nn();

    for (int i = 0; i < 200000; i++) {
        float x = (float)(8.0 * test_uniform()), y, slope = 1.0f;
        double a = gelu_argument(x), e = exp(-a), want, bound;
        double s = (x < 0 ? e : 1.0) / (1.0 + e);
        double growth = 2.0 * sqrt(2.0 / 3.14159265358979323846) *
                        (1.0 + 3.0 * 0.044715 * (double)x * (double)x);

        nn->gelu(&y, &x, 1);
        want = (double)x * s;
        bound = (5.0 * a + 8.0) * u * fabs(want) + 2e-38 * fabs((double)x);
        if (fabs((double)y - want) > bound)
            FAIL("gelu(%.9g): got %.9g, want %.9g", (double)x, (double)y, want);

        nn->gelu_backward(&slope, &x, 1);
        want = s + (double)x * growth * e / ((1.0 + e) * (1.0 + e));
        bound = (5.0 * a + 16.0) * u * (s + fabs((double)x) * growth * e) +
                2e-38 * (1.0 + fabs((double)x) * growth);
        if (fabs((double)slope - want) > bound)
            FAIL("gelu'(%.9g): got %.9g, want %.9g", (double)x, (double)slope,
                 want);
    }
}

TEST(gelu_keeps_the_ends)
{
    const struct lct_nn_kernels *nn = lct_nn();
    const float x[7] = {
        0.0f, -0.0f, 1e6f, -1e6f, 1e-30f, NAN, nanf("0x3fffff")
    };
    float y[7];

    nn->gelu(y, x, 7);
    CHECK(y[0] == 0.0f && y[1] == 0.0f);
    CHECK(y[2] == 1e6f && fabsf(y[3]) < 1e-30f);
    CHECK(y[4] == 0.5e-30f && isnan(y[5]) && isnan(y[6]));
}

/*
 * One rounding each in x - max (d) and in the exponential's 4 u; terms meet
 * n/32 + 5 additions; the relative error of the sum is that of the loss.
 */
TEST(cross_entropy_is_accurate)
{
    const struct lct_nn_kernels *nn = lct_nn();

    for (size_t k = 0; k < LEN(lengths); k++) {
        FREED_BY(drop) struct rows r;
        double max = -INFINITY, sum = 0.0, want, range = 0.0, bound;
        size_t target = lengths[k] / 3;
        float stat[2], got;

        make(&r, lengths[k], 5.0);
        for (size_t i = 0; i < r.n; i++)
            max = fmax(max, (double)r.a[i]);
        for (size_t i = 0; i < r.n; i++) {
            sum += exp((double)r.a[i] - max);
            range = fmax(range, max - (double)r.a[i]);
        }
        want = max - (double)r.a[target] + log(sum);
        got = nn->cross_entropy(stat, r.a, target, r.n);
        bound = u * (range + (double)r.n / 32.0 + 12.0 + 2.0 * want);
        if (fabs((double)got - want) > bound)
            FAIL("n %zu: loss %.9g, want %.9g", r.n, (double)got, want);
    }
}

/* Each gradient is (p - [target]) / 2, within the bound of p. */
TEST(cross_entropy_gradient_is_accurate)
{
    const struct lct_nn_kernels *nn = lct_nn();

    for (size_t k = 0; k < LEN(lengths); k++) {
        FREED_BY(drop) struct rows r;
        double max = -INFINITY, sum = 0.0;
        const size_t target = lengths[k] / 3;
        float stat[2];

        make(&r, lengths[k], 5.0);
        memcpy(r.b, r.a, r.n * sizeof(float));
        for (size_t i = 0; i < r.n; i++)
            max = fmax(max, (double)r.a[i]);
        for (size_t i = 0; i < r.n; i++)
            sum += exp((double)r.a[i] - max);
        (void)nn->cross_entropy(stat, r.a, target, r.n);
        nn->cross_entropy_backward(r.a, stat, target, 0.5f, r.n);
        for (size_t i = 0; i < r.n; i++) {
            double p = exp((double)r.b[i] - max) / sum;
            double want = 0.5 * (p - (i == target ? 1.0 : 0.0));
            double d = max - (double)r.b[i];
            double many = 2.0 * d + (double)r.n / 32.0 + 40.0;
            double bound = u * (many * p + 1.0);

            if (fabs((double)r.a[i] - want) > bound)
                FAIL("n %zu, logit %zu: gradient %.9g, want %.9g", r.n, i,
                     (double)r.a[i], want);
        }
    }
}

/*
 * With maximum 0 and sum 1 the gradient is the exponential itself: two
 * roundings of the reduction and two at the end of the polynomial, 2 ulp.
 */
TEST(exponential_is_accurate)
{
    const float stat[2] = { 0.0f, 1.0f };

    for (int i = 0; i < 200000; i++) {
        float x[2] = { (float)(43.0 * (test_uniform() - 1.0)), 0.0f };
        double want = exp((double)x[0]);

        lct_nn()->cross_entropy_backward(x, stat, 1, 1.0f, 2);
        if (fabs((double)x[0] - want) > 4.0 * u * want)
            FAIL("exp(%.9g): got %.9g", log(want), (double)x[0]);
    }
}

/* The largest logit is found wherever it stands, or 2^128 is passed. */
TEST(cross_entropy_survives_large_logits)
{
    for (size_t at = 0; at < 40; at++) {
        float x[40] = { 0 }, stat[2];

        x[at] = 1000.0f;
        CHECK(lct_nn()->cross_entropy(stat, x, at, 40) == 0.0f);
        CHECK(stat[0] == 1000.0f);
    }
}

/* A bad number must reach the loss. */
TEST(cross_entropy_reports_nan)
{
    float x[40] = { 0 }, stat[2];

    x[7] = NAN;
    CHECK(isnan(lct_nn()->cross_entropy(stat, x, 3, 40)));
    x[7] = nanf("0x3fffff"); /* every bit is set */
    CHECK(isnan(lct_nn()->cross_entropy(stat, x, 3, 40)));
    x[7] = INFINITY;
    CHECK(isnan(lct_nn()->cross_entropy(stat, x, 3, 40)));
}

/*
 * Mean and deviation carry n/32 + 5 additions and a few operations; each enters
 * y in proportion to |x - mean| / deviation + |x| / deviation, below 2 max|x| /
 * deviation.
 */
TEST(norms_are_accurate)
{
    const struct lct_nn_kernels *nn = lct_nn();

    for (size_t k = 0; k < 2 * LEN(lengths); k++) {
        const int centred = (int)(k % 2);
        FREED_BY(drop) struct rows r;
        double mean = 0.0, square = 0.0, most = 0.0, n;
        float stat[2];

        make(&r, lengths[k / 2], 2.0);
        n = (double)r.n;
        for (size_t i = 0; i < r.n; i++) {
            mean += centred ? (double)r.a[i] / n : 0.0;
            most = fmax(most, fabs((double)r.a[i]));
        }
        for (size_t i = 0; i < r.n; i++)
            square += ((double)r.a[i] - mean) * ((double)r.a[i] - mean) / n;
        (centred ? nn->layer_norm : nn->rms_norm)(r.c, stat, stat + 1, r.a, r.b,
                                                  r.n);
        for (size_t i = 0; i < r.n; i++) {
            double rstd = 1.0 / sqrt(square + 1e-5), w = (double)r.b[i];
            double want = ((double)r.a[i] - mean) * rstd * w;
            double bound = u * (n / 32.0 + 12.0) * 2.0 * most * rstd * fabs(w);

            if (fabs((double)r.c[i] - want) > bound)
                FAIL("n %zu: norm %.9g, want %.9g", r.n, (double)r.c[i], want);
        }
    }
}

/* A common word may meet its row a million times: double keeps them all. */
TEST(gather_loses_nothing)
{
    const struct lct_nn_kernels *nn = lct_nn();
    const float tenth = 0.1f;
    float y = 0.0f;
    double sum = 0.0;

    for (int i = 0; i < 1000000; i++)
        nn->accumulate(&sum, &tenth, 1);
    nn->add_sums(&y, &sum, 1);
    CHECK(y == (float)(1e6 * (double)tenth));
}
