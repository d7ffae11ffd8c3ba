/*
 * test_graph.c - positions of the nodes of a graph: printed values, closed
 * forms of paths and cycles, residuals, random walks, distances.
 *
 * LOCANT_CASES=n changes the number of random cases.
 */
/* needs: lab */
#include "graph_case.h"
#include "oracle/near.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PI 3.14159265358979323846

static const locant_laplacian kinds[] = { LOCANT_LAPLACIAN_SYMMETRIC,
                                          LOCANT_LAPLACIAN_COMBINATORIAL,
                                          LOCANT_LAPLACIAN_RANDOM_WALK };

/*
 * LAPACK's own tests let |A - Z W Z^T| be 30 N ulp |A| (LAPACK Users' Guide,
 * section 4.7.1), |L| at most 'norm'.
 */
static double backward_error(int64_t N, double norm)
{
    return 30 * (double)N * 0x1p-52 * norm;
}

/* -------------------------------------------------------- printed values */

/* Ten printed digits and the error of the problem. */
TEST(path_of_four_is_as_printed)
{
    OWNED(locant_graph) *g = path_of(4, 0);
    double column[4], tolerance = 0.51e-10 + backward_error(4, 4);
    struct eigen e;

    solve(&e, g, LOCANT_LAPLACIAN_SYMMETRIC, 4, 0);
    near_all(e.values, (double[]){ 0, .5, 1.5, 2 }, 4, tolerance);
    for (int i = 0; i < 4; i++)
        column[i] = at(&e, i, 0);
    near_all(
        column,
        (double[]){ 0.4082482905, 0.5773502692, 0.5773502692, 0.4082482905 }, 4,
        tolerance);
    for (int i = 0; i < 4; i++)
        column[i] = at(&e, i, 1);
    near_all(
        column,
        (double[]){ 0.5773502692, 0.4082482905, -0.4082482905, -0.5773502692 },
        4, tolerance);
    solve(&e, g, LOCANT_LAPLACIAN_COMBINATORIAL, 4, 0);
    near_all(e.values, (double[]){ 0, 0.5857864376, 2, 3.4142135624 }, 4,
             tolerance);
    for (int i = 0; i < 4; i++)
        column[i] = at(&e, i, 1);
    near_all(
        column,
        (double[]){ 0.6532814824, 0.2705980501, -0.2705980501, -0.6532814824 },
        4, tolerance);
    for (int j = 0; j < 4; j++)
        CHECK(e.degenerate[j] == 0);
}

/* Every number is a dyadic fraction: exact. */
TEST(walks_on_a_path_are_as_printed)
{
    static const double want[16] = { 0, .5,  0, .375,  0, .75, 0, .6875,
                                     0, .75, 0, .6875, 0, .5,  0, .375 };
    OWNED(locant_graph) *g = path_of(4, 0);
    double got[16];
    locant_tensor out = DENSE(F64, got, 4, 4);

    CHECK_OK(locant_graph_random_walk(&out, g, 0));
    near_all(got, want, 16, 0);
    CHECK_OK(locant_graph_random_walk(&out, g, 2)); /* times k */
    for (int i = 0; i < 16; i++)
        CHECK(got[i] == want[i] * (i % 4 + 1));
}

/* ------------------------------------------------------------ closed forms */

/*
 * Column j is +-want: the angle to the true vector is below the backward error
 * over the gap (Davis and Kahan), chords a little longer; want is a few
 * roundings off itself.
 */
static void check_column(const struct eigen *e, int64_t j, const double *want,
                         double gap, double norm)
{
    double allowed = 2 * backward_error(e->N, norm) / gap + 0x1p-48;
    double same = 0, opposite = 0;

    for (int64_t i = 0; i < e->N; i++) {
        same = fmax(same, fabs(at(e, i, j) - want[i]));
        opposite = fmax(opposite, fabs(at(e, i, j) + want[i]));
    }
    if (!(fmin(same, opposite) <= allowed))
        FAIL("N %d column %d: off by %g, allowed %g", (int)e->N, (int)j,
             fmin(same, opposite), allowed);
}

static void normalise(double *v, int64_t N)
{
    double square = 0;

    for (int64_t i = 0; i < N; i++)
        square += v[i] * v[i];
    for (int64_t i = 0; i < N; i++)
        v[i] /= sqrt(square);
}

/*
 * Path: D - A has 2 - 2 cos(pi k / N), cos(pi k (i + 1/2) / N); the normalised
 * ones 1 - cos(pi k / (N - 1)), cos(pi k i / (N - 1)), times sqrt(d_i) for the
 * symmetric one.
 */
static void path_vector(double *v, double *value, int64_t N, int64_t k,
                        locant_laplacian kind)
{
    double angle = PI * (double)k / (double)(N - 1);

    *value = 1 - cos(angle);
    if (kind == LOCANT_LAPLACIAN_COMBINATORIAL) {
        angle = PI * (double)k / (double)N;
        *value = 2 - 2 * cos(angle);
    }
    for (int64_t i = 0; i < N; i++) {
        v[i] =
            cos(angle * ((double)i +
                         (kind == LOCANT_LAPLACIAN_COMBINATORIAL ? 0.5 : 0)));
        if (kind == LOCANT_LAPLACIAN_SYMMETRIC && i > 0 && i < N - 1)
            v[i] *= sqrt(2);
    }
    normalise(v, N);
}

TEST(paths_are_as_in_closed_form)
{
    static const int64_t sizes[] = { 2, 3, 5, 16, 41, 64 };
    struct eigen e;
    double v[MOST], value, next, before;

    for (size_t n = 0; n < LEN(sizes); n++)
        for (size_t c = 0; c < LEN(kinds); c++) {
            int64_t N = sizes[n];
            OWNED(locant_graph) *g = path_of(N, 0);

            solve(&e, g, kinds[c], N, 0);
            for (int64_t k = 0; k < N; k++) {
                path_vector(v, &next, N, k + 1, kinds[c]);
                path_vector(v, &before, N, k > 0 ? k - 1 : k + 1, kinds[c]);
                path_vector(v, &value, N, k, kinds[c]);
                CHECK(fabs(e.values[k] - value) <= backward_error(N, 4));
                if (k + 1 == N)
                    next = before;
                check_column(&e, k, v,
                             fmin(fabs(next - value), fabs(before - value)), 4);
            }
        }
}

/*
 * Cycle: 2 - 2 cos(2 pi k / N), twice but for k = 0 and N / 2.  Node 0 is the
 * first pivot, so the pair is cos(2 pi k i / N) and +-sin.
 */
TEST(cycles_are_as_in_closed_form)
{
    struct eigen e;
    double v[MOST];

    for (int64_t N = 3; N <= 40; N++) {
        OWNED(locant_graph) *g = path_of(N, 1);

        solve(&e, g, LOCANT_LAPLACIAN_COMBINATORIAL, N, 0);
        for (int64_t j = 0; j < N; j++) {
            int64_t k = (j + 1) / 2;
            double turn = 2 * PI * (double)k / (double)N;
            double gap = fmin(
                fabs(cos(turn) - cos(turn + 2 * PI / (double)N)),
                k > 0 ? fabs(cos(turn) - cos(turn - 2 * PI / (double)N)) : 4);

            /* k = N / 2 has no partner and turns back */
            if (2 * k == N || 2 * k == N - 1)
                gap = fabs(cos(turn) - cos(turn - 2 * PI / (double)N));
            CHECK(fabs(e.values[j] - (2 - 2 * cos(turn))) <=
                  backward_error(N, 4));
            for (int64_t i = 0; i < N; i++)
                v[i] = j == 0 || j % 2 ? cos(turn * (double)i)
                                       : sin(turn * (double)i);
            normalise(v, N);
            check_column(&e, j, v, 2 * gap, 4);
            CHECK(e.degenerate[j] == (j == 0 || 2 * k == N ? 0 : (int)k));
        }
    }
}

TEST(cut_eigenspaces_are_reported)
{
    OWNED(locant_graph) *g = path_of(8, 1);
    struct eigen e;

    solve(&e, g, LOCANT_LAPLACIAN_SYMMETRIC, 4, 0);
    CHECK(e.degenerate[0] == 0 && e.degenerate[1] == 1 &&
          e.degenerate[2] == 1 && e.degenerate[3] == -2);
    solve(&e, g, LOCANT_LAPLACIAN_SYMMETRIC, 4, 1);
    CHECK(e.degenerate[0] == 1 && e.degenerate[1] == 1 &&
          e.degenerate[2] == 2 && e.degenerate[3] == 2);
}

/* ----------------------------------------------- the definition, any graph */

static double entry(const struct dense *d, locant_laplacian kind, int64_t i,
                    int64_t j)
{
    double degree = d->degree[i];

    if (kind == LOCANT_LAPLACIAN_COMBINATORIAL)
        return (i == j ? degree : 0) - d->A[i][j];
    if (degree == 0)
        return 0;
    if (kind == LOCANT_LAPLACIAN_RANDOM_WALK)
        return (i == j) - d->A[i][j] / degree;
    return (i == j) - (d->A[i][j] > 0 ? 1 / sqrt(degree * d->degree[j]) : 0);
}

/* 2 for the normalised ones, twice the largest degree for D - A. */
static double norm_of(const struct dense *d, locant_laplacian kind)
{
    double most = 1;

    for (int64_t i = 0; i < d->N; i++)
        most = fmax(most, d->degree[i]);
    return kind == LOCANT_LAPLACIAN_COMBINATORIAL ? 2 * most : 2;
}

/*
 * |L v - value v|: as documented; where v was scaled by D^-1/2 the residual
 * grows by the condition of D^1/2, below sqrt(N).
 */
static void check_residual(const struct dense *d, locant_laplacian kind,
                           const struct eigen *e, int64_t j)
{
    double norm = norm_of(d, kind), square = 0;
    double allowed =
        backward_error(d->N, norm) + (e->degenerate[j] ? 1e-9 * norm : 0);

    if (kind == LOCANT_LAPLACIAN_RANDOM_WALK)
        allowed *= sqrt((double)d->N);
    for (int64_t i = 0; i < d->N; i++) {
        double sum = -e->values[j] * at(e, i, j);

        for (int64_t l = 0; l < d->N; l++)
            sum += entry(d, kind, i, l) * at(e, l, j);
        square += sum * sum;
    }
    if (!(sqrt(square) <= allowed))
        FAIL("N %d kind %d column %d: residual %g, allowed %g", (int)d->N,
             (int)kind, (int)j, sqrt(square), allowed);
}

/* V^T V = 1, or V^T D V diagonal; |V| = 1 always. */
static void check_orthonormal(const struct dense *d, locant_laplacian kind,
                              const struct eigen *e)
{
    bool walk = kind == LOCANT_LAPLACIAN_RANDOM_WALK;
    /* the same 30 N ulp for the vectors; degrees up to N weigh them */
    double allowed = backward_error(d->N, walk ? (double)d->N : 1);

    for (int64_t a = 0; a < d->N; a++)
        for (int64_t b = 0; b <= a; b++) {
            double dot = 0;

            for (int64_t i = 0; i < d->N; i++)
                dot += at(e, i, a) * at(e, i, b) *
                       (walk && a != b ? fmax(d->degree[i], 1) : 1);
            if (!(fabs(dot - (a == b)) <= allowed))
                FAIL("N %d kind %d columns %d, %d: dot %g", (int)d->N,
                     (int)kind, (int)a, (int)b, dot);
        }
}

static void check_signs_and_order(const struct eigen *e)
{
    for (int64_t j = 0; j < e->k; j++) {
        double largest = 0;
        int64_t i = 0;

        CHECK(e->values[j] >= (j > 0 ? e->values[j - 1] : 0));
        for (int64_t l = 0; l < e->N; l++)
            largest = fmax(largest, fabs(at(e, l, j)));
        while (fabs(at(e, i, j)) < (1 - 1e-9) * largest)
            i++;
        CHECK(at(e, i, j) > 0);
    }
}

/* Squared length of the projection of node i on columns from .. to - 1. */
static double projection(const struct eigen *e, int64_t i, int64_t from,
                         int64_t to)
{
    double sum = 0;

    for (int64_t j = from; j < to; j++)
        sum += at(e, i, j) * at(e, i, j);
    return sum;
}

/*
 * The documented basis of an eigenspace of a symmetric problem: at the first
 * node whose projection is not short, all columns but one are 0.  A sum of at
 * most N rotated entries is off by 30 N ulp at most.
 */
static void check_bases(const struct eigen *e)
{
    for (int64_t from = 0, to; from < e->k; from = to) {
        to = from + 1;
        while (e->degenerate[from] > 0 && to < e->k &&
               e->degenerate[to] == e->degenerate[from])
            to++;
        for (int64_t first = from; first < to - 1; first++) {
            double mean = (double)(to - first) / (double)e->N;
            int64_t i = 0;

            while (projection(e, i, first, to) < 0.37 * mean)
                i++;
            for (int64_t j = first + 1; j < to; j++)
                CHECK(fabs(at(e, i, j)) <= backward_error(e->N, 1));
        }
    }
}

TEST(every_graph_is_solved)
{
    static struct edges list;
    static struct dense d;
    static struct eigen e;

    for (int c = test_cases(200); c > 0; c--) {
        int64_t N = random_edges(&list, c % 8 ? 14 : 48), zeros = 0;
        OWNED(locant_graph) *g = graph_of(&list, N);
        locant_laplacian kind = kinds[test_rand() % LEN(kinds)];

        dense_of(&d, &list, N);
        solve(&e, g, kind, N, 0);
        for (int64_t j = 0; j < N; j++) {
            check_residual(&d, kind, &e, j);
            zeros += e.values[j] <= backward_error(N, norm_of(&d, kind));
        }
        check_orthonormal(&d, kind, &e);
        check_signs_and_order(&e);
        if (kind != LOCANT_LAPLACIAN_RANDOM_WALK)
            check_bases(&e);
        CHECK(zeros == locant_graph_info_of(g)->components);
    }
}

/* P <- P D^-1 A, element by element. */
static void multiply(double P[MOST][MOST], const struct dense *d)
{
    double row[MOST];

    for (int64_t i = 0; i < d->N; i++) {
        for (int64_t j = 0; j < d->N; j++) {
            row[j] = 0;
            for (int64_t l = 0; l < d->N; l++)
                row[j] += d->A[l][j] > 0 ? P[i][l] / d->degree[l] : 0;
        }
        memcpy(P[i], row, sizeof(row));
    }
}

/* Return probabilities by powers of the dense matrix. */
TEST(walks_are_powers)
{
    enum { K = 12 };
    static struct edges list;
    static struct dense d;
    static double P[MOST][MOST], got[MOST * K];

    for (int c = test_cases(200); c > 0; c--) {
        int64_t N = random_edges(&list, 20);
        OWNED(locant_graph) *g = graph_of(&list, N);
        double space = test_rand() % 2 ? 0 : 2.5 * fabs(test_uniform());

        dense_of(&d, &list, N);
        CHECK_OK(locant_graph_random_walk(VIEW(F64, got, N, K), g, space));
        for (int64_t i = 0; i < N * N; i++)
            P[i / N][i % N] = i / N == i % N;
        for (int k = 1; k <= K; k++) {
            multiply(P, &d);
            for (int64_t i = 0; i < N; i++) {
                double want = P[i][i] * pow(k, space / 2);

                /* both are sums of positive terms: k (N + 2) roundings each,
                 * two of pow and its product */
                CHECK(fabs(got[i * K + k - 1] - want) <=
                      (2 * k * (double)(N + 2) + 8) * 0x1p-53 * want);
            }
        }
    }
}

/* Distances by Floyd and Warshall. */
TEST(hops_are_shortest)
{
    static struct edges list;
    static struct dense d;
    static int64_t got[MOST * MOST];
    static double far[MOST][MOST];

    for (int c = test_cases(200); c > 0; c--) {
        int64_t N = random_edges(&list, 24);
        OWNED(locant_graph) *g = graph_of(&list, N);

        dense_of(&d, &list, N);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++)
                far[i][j] = i == j ? 0 : d.A[i][j] > 0 ? 1 : INFINITY;
        for (int64_t l = 0; l < N; l++)
            for (int64_t i = 0; i < N; i++)
                for (int64_t j = 0; j < N; j++)
                    far[i][j] = fmin(far[i][j], far[i][l] + far[l][j]);
        CHECK_OK(locant_graph_hops(VIEW(I64, got, N, N), g));
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++)
                CHECK((double)got[i * N + j] ==
                      (isfinite(far[i][j]) ? far[i][j] : -1));
    }
}
