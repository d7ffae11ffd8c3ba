/* test_muon.c - the optimiser Muon, in double, against its oracle */
/* needs: model_f64 */
#include "muon_case.h"

static const double u = 0x1p-53;

/* Wide, tall, square; one row; around the 16 columns of a panel; a whole one of
   the lab's models. */
static const int64_t sizes[][2] = { { 1, 1 },   { 1, 9 },   { 9, 1 },
                                    { 3, 5 },   { 5, 3 },   { 16, 16 },
                                    { 17, 33 }, { 33, 17 }, { 15, 40 },
                                    { 40, 15 }, { 64, 64 } };

/*
 * A step of rate r adds r sqrt(out / in) times the error of the orthogonal
 * matrix, which has that of the momentum in it, and the roundings of p, whose
 * norm is about sqrt(n): ten times that.
 */
TEST(matches_the_oracle)
{
    const struct lct_muon o = { .3, .95, .1 };

    for (size_t i = 0; i < LEN(sizes); i++) {
        FREED_BY(muon_drop) struct muon_case c;
        const double n = (double)(sizes[i][0] * sizes[i][1]);
        const double shape =
            sqrt(fmax(1, (double)sizes[i][1] / (double)sizes[i][0]));
        double bound = 0;

        muon_make(&c, sizes[i][0], sizes[i][1]);
        for (int step = 0; step < MUON_STEPS; step++) {
            muon_draw(&c, step == 2 ? 1e-3 : 1);
            muon_step(&c, &o);
            bound += o.rate * shape * 40000 * n * u + 10 * sqrt(n) * u;
            if (!(muon_difference(&c) <= bound))
                FAIL("%dx%d, step %d: off by %g, at most %g", (int)sizes[i][0],
                     (int)sizes[i][1], step, muon_difference(&c), bound);
        }
    }
}

/*
 * The first step is an orthogonal matrix, up to what five iterations leave:
 * singular values of .68 .. 1.21, so those of a diagonal gradient whose entries
 * are within a factor of 50 of the norm.  p(x) stays in that interval, and is
 * at least min(3 x, .68) on (0, 1]: 3^4 / 50 > .68.
 */
TEST(the_step_is_near_an_orthogonal_matrix)
{
    enum { N = 6 };
    const struct lct_muon o = { 1, .95, .1 };
    FREED_BY(muon_drop) struct muon_case c;

    muon_make(&c, N, N);
    memset(c.p, 0, c.n * sizeof(*c.p));
    memset(c.grad, 0, c.n * sizeof(*c.grad));
    for (size_t i = 0; i < N; i++)
        c.grad[i * N + (i + 1) % N] = (i % 2 ? -1.0 : 1.0) / (1 << i);
    muon_step(&c, &o);
    for (size_t i = 0; i < c.n; i++) {
        const size_t row = i / N, column = i % N;
        const double got = c.p[i] * (row % 2 ? 1.0 : -1.0);

        if (column == (row + 1) % N)
            CHECK(got >= .68 && got <= 1.21);
        else
            CHECK(c.p[i] == 0);
    }
}

/* The step of a gradient does not depend on its size, or on the sign of 0. */
TEST(the_size_of_the_gradient_does_not_matter)
{
    const struct lct_muon o = { 1, .95, 0 };
    FREED_BY(muon_drop) struct muon_case a, b;

    muon_make(&a, 12, 20);
    muon_make(&b, 12, 20);
    muon_draw(&a, 1);
    memcpy(b.p, a.p, a.n * sizeof(*a.p));
    for (size_t i = 0; i < a.n; i++)
        b.grad[i] = 1024 * a.grad[i];
    muon_step(&a, &o);
    muon_step(&b, &o);
    /* but for the 1e-7 beside norms of at least 15, which five iterations
       enlarge at most 4^5 times */
    for (size_t i = 0; i < a.n; i++)
        CHECK(fabs(a.p[i] - b.p[i]) <= 1e-7 / 15 * 1024);
}

TEST(a_gradient_of_zero_only_decays)
{
    const struct lct_muon o = { .5, .95, .1 };
    FREED_BY(muon_drop) struct muon_case c;
    double first;

    muon_make(&c, 5, 8);
    first = c.p[7];
    memset(c.grad, 0, c.n * sizeof(*c.grad));
    muon_step(&c, &o);
    CHECK(fabs(c.p[7] - .95 * first) <= 2 * u * fabs(first));
}
