/*
 * test_graph_rules.c - lists of edges, renumbered nodes, separate parts,
 * columns beyond the graph, refusals.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "graph_case.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct edges list;
static struct eigen e, f;

/* Edges listed twice, turned round, and self-loops change no bit. */
TEST(only_the_set_of_edges_counts)
{
    locant_graph *plain = path_of(5, 0), *messy;
    const locant_graph_info *info;

    list.n = 0;
    for (int64_t i = 4; i > 0; i--) {
        edge(&list, i, i - 1);
        edge(&list, i - 1, i);
        edge(&list, i, i);
    }
    edge(&list, 1, 0);
    messy = graph_of(&list, 5);
    info = locant_graph_info_of(messy);
    CHECK(info->nodes == 5 && info->edges == 4 && info->repeated == 5 &&
          info->self_loops == 4 && info->isolated == 0 &&
          info->components == 1);
    solve(&e, plain, LOCANT_LAPLACIAN_SYMMETRIC, 5, 0);
    solve(&f, messy, LOCANT_LAPLACIAN_SYMMETRIC, 5, 0);
    CHECK(memcmp(&e, &f, sizeof(e)) == 0);
    locant_graph_free(messy);
    locant_graph_free(plain);
}

TEST(narrow_integers_are_read)
{
    int32_t rows[3][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 } };
    locant_graph *g = NULL;

    CHECK_OK(locant_graph_create(&g, VIEW(I32, rows, 3, 2), 5));
    CHECK(locant_graph_info_of(g)->edges == 3);
    CHECK(locant_graph_info_of(g)->isolated == 1);
    CHECK(locant_graph_info_of(g)->components == 2);
    locant_graph_free(g);
    CHECK(locant_graph_info_of(NULL) == NULL);
}

/*
 * Renumbered nodes: the same vectors with their rows renumbered, up to sign;
 * where a gap is small against the rounding of both, they may turn.
 */
TEST(renumbering_permutes_rows)
{
    int64_t perm[MOST];
    static struct edges other;

    for (int c = test_cases(200); c > 0; c--) {
        int64_t N = random_edges(&list, 16);
        locant_graph *g = graph_of(&list, N), *h;

        for (int64_t i = 0; i < N; i++) {
            int64_t j = test_range(0, i);

            perm[i] = perm[j];
            perm[j] = i;
        }
        other.n = 0;
        for (int64_t k = 0; k < list.n; k++)
            edge(&other, perm[list.row[k][0]], perm[list.row[k][1]]);
        h = graph_of(&other, N);
        solve(&e, g, LOCANT_LAPLACIAN_SYMMETRIC, N, 0);
        solve(&f, h, LOCANT_LAPLACIAN_SYMMETRIC, N, 0);
        for (int64_t j = 0; j < N; j++) {
            double dot = 0, gap = 2;

            CHECK(e.degenerate[j] == f.degenerate[j]);
            CHECK(fabs(e.values[j] - f.values[j]) <=
                  60 * (double)N * 0x1p-52 * 2);
            for (int64_t l = 0; l < N; l++)
                gap = l == j ? gap : fmin(gap, fabs(e.values[l] - e.values[j]));
            for (int64_t i = 0; i < N; i++)
                dot += at(&e, i, j) * at(&f, perm[i], j);
            /* angles of both to the true vector: 30 N ulp |L| / gap */
            if (e.degenerate[j] == 0)
                CHECK(1 - fabs(dot) <= 120 * (double)N * 0x1p-52 * 2 / gap);
        }
        locant_graph_free(h);
        locant_graph_free(g);
    }
}

/* A path of 3, a path of 2, and node 5 alone. */
static locant_graph *three_parts(void)
{
    list.n = 0;
    edge(&list, 0, 1);
    edge(&list, 1, 2);
    edge(&list, 3, 4);
    return graph_of(&list, 6);
}

/*
 * Eigenvalue 0 has one vector for each part: sqrt(degree) on it, 0 elsewhere,
 * in the order of pivots.  A residual of 30 N ulp over the gap of 1/2.
 */
TEST(parts_have_vectors_of_their_own)
{
    static const double root = 0.7071067811865476;
    const double want[3][6] = { { 0.5, root, 0.5, 0, 0, 0 },
                                { 0, 0, 0, root, root, 0 },
                                { 0, 0, 0, 0, 0, 1 } };
    OWNED(locant_graph) *g = three_parts();

    CHECK(locant_graph_info_of(g)->components == 3);
    CHECK(locant_graph_info_of(g)->isolated == 1);
    solve(&e, g, LOCANT_LAPLACIAN_SYMMETRIC, 6, 0);
    for (int j = 0; j < 3; j++) {
        CHECK(e.values[j] < 1e-14 && e.degenerate[j] == 1);
        for (int i = 0; i < 6; i++)
            CHECK(fabs(at(&e, i, j) - want[j][i]) <= 4 * 30 * 6 * 0x1p-52);
    }
    CHECK(e.degenerate[3] == 0 && e.degenerate[4] == 2 &&
          e.degenerate[5] == 2); /* 1, then 2 twice */
    solve(&e, g, LOCANT_LAPLACIAN_SYMMETRIC, 2, 1);
    CHECK(e.degenerate[0] == -1 && e.degenerate[1] == -1);
}

/* The random-walk Laplacian is constant on a part. */
TEST(walk_vectors_are_constant_on_parts)
{
    OWNED(locant_graph) *g = three_parts();

    solve(&e, g, LOCANT_LAPLACIAN_RANDOM_WALK, 6, 0);
    for (int i = 0; i < 3; i++)
        CHECK(fabs(at(&e, i, 0) - 1 / sqrt(3)) <= 4 * 30 * 6 * 0x1p-52);
}

/* Columns the graph cannot fill are 0; so are walks of a lone node. */
TEST(what_is_not_there_is_zero)
{
    double walks[8];
    int64_t hops[4];
    locant_graph *g;

    list.n = 0;
    g = graph_of(&list, 2);
    memset(&e, 7, sizeof(e));
    solve(&e, g, LOCANT_LAPLACIAN_COMBINATORIAL, 4, 1);
    CHECK(e.values[0] == 0 && e.degenerate[0] == -1);
    for (int j = 1; j < 4; j++)
        CHECK(e.values[j] == 0 && e.degenerate[j] == 0 && at(&e, 0, j) == 0 &&
              at(&e, 1, j) == 0);
    CHECK_OK(locant_graph_random_walk(VIEW(F64, walks, 2, 4), g, 1));
    for (int i = 0; i < 8; i++)
        CHECK(walks[i] == 0);
    CHECK_OK(locant_graph_hops(VIEW(I64, hops, 2, 2), g));
    CHECK(hops[0] == 0 && hops[1] == -1 && hops[2] == -1 && hops[3] == 0);
    locant_graph_free(g);
    g = path_of(1, 0);
    solve(&e, g, LOCANT_LAPLACIAN_SYMMETRIC, 1, 0);
    CHECK(e.values[0] == 0 && e.vectors[0] == 1 && e.degenerate[0] == 0);
    solve(&e, g, LOCANT_LAPLACIAN_SYMMETRIC, 1, 1);
    CHECK(e.values[0] == 0 && e.vectors[0] == 0 && e.degenerate[0] == 0);
    locant_graph_free(g);
}

TEST(same_bits_for_any_threads)
{
    static double one[MOST * 9], many[MOST * 9];
    locant_graph *g;

    list.n = 0;
    for (int k = 0; k < 150; k++)
        edge(&list, test_range(0, MOST - 1), test_range(0, MOST - 1));
    g = graph_of(&list, MOST);
    CHECK_OK(locant_set_threads(1));
    CHECK_OK(locant_graph_random_walk(VIEW(F64, one, MOST, 9), g, 0.5));
    solve(&e, g, LOCANT_LAPLACIAN_SYMMETRIC, MOST, 0);
    CHECK_OK(locant_set_threads(5));
    for (int i = 0; i < 100; i++) {
        CHECK_OK(locant_graph_random_walk(VIEW(F64, many, MOST, 9), g, 0.5));
        CHECK(memcmp(one, many, sizeof(one)) == 0);
    }
    solve(&f, g, LOCANT_LAPLACIAN_SYMMETRIC, MOST, 0);
    CHECK_OK(locant_set_threads(0));
    CHECK(memcmp(&e, &f, sizeof(e)) == 0);
    locant_graph_free(g);
}

/* A million nodes without edges: counted in one sweep. */
TEST(many_parts_take_no_time)
{
    locant_graph *g;

    list.n = 0;
    g = graph_of(&list, 1000000);
    CHECK(locant_graph_info_of(g)->components == 1000000);
    locant_graph_free(g);
}

/* ---------------------------------------------------------------- refusals */

TEST(refuses_bad_edges)
{
    int64_t rows[3][2] = { { 0, 1 }, { 1, -1 }, { 2, 3 } };
    locant_tensor t = DENSE(I64, rows, 3, 2);
    locant_graph *g = (locant_graph *)rows;

    REFUSES(NULL, locant_graph_create(NULL, &t, 4), "out is NULL");
    REFUSES(NULL, locant_graph_create(&g, NULL, 4), "edges is NULL");
    CHECK(g == NULL);
    REFUSES(PARAM, locant_graph_create(&g, &t, 4),
            "edge 1 names node -1, expected 0 to 3");
    rows[1][1] = 2;
    REFUSES(PARAM, locant_graph_create(&g, &t, 3),
            "edge 2 names node 3, expected 0 to 2");
    REFUSES(PARAM, locant_graph_create(&g, &t, 0),
            "nodes is 0, expected at least 1");
    t.dtype = LOCANT_F64;
    REFUSES(DTYPE, locant_graph_create(&g, &t, 4),
            "edges is f64, expected i64 or i32");
    t.dtype = LOCANT_I64;
    t.stride[0] = 3;
    REFUSES(LAYOUT, locant_graph_create(&g, &t, 4),
            "edges has stride 3 in dimension 0, a dense array 2");
    t = DENSE(I64, rows, 2, 3);
    REFUSES(SHAPE, locant_graph_create(&g, &t, 4),
            "edges has size 3 in dimension 1, expected 2");
    t = DENSE(I64, rows, 3, 2);
    CHECK(locant_graph_create(&g, &t, INT64_MAX) == LOCANT_ERR_NOMEM);
    CHECK(g == NULL);
    locant_graph_free(NULL);
}

TEST(refuses_bad_results)
{
    static double data[16];
    locant_graph *g = path_of(4, 0), *wide;
    locant_tensor w = DENSE(F64, data, 2), bad = w;
    locant_tensor v = DENSE(F64, data + 2, 4, 2);

    REFUSES(NULL, locant_graph_laplacian(&w, &v, NULL, NULL, 0, 0),
            "graph is NULL");
    REFUSES(PARAM, locant_graph_laplacian(&w, &v, NULL, g, 3, 0),
            "kind is 3, expected 0 to 2");
    REFUSES(PARAM, locant_graph_laplacian(&w, &v, NULL, g, 0, 2),
            "drop_trivial is 2, expected 0 or 1");
    REFUSES(DTYPE, locant_graph_laplacian(&w, &v, &w, g, 0, 0),
            "degenerate is f64, expected i32");
    bad.data = data + 1;
    REFUSES(ALIAS, locant_graph_laplacian(&bad, &v, NULL, g, 0, 0),
            "values and vectors share memory");
    bad.shape[0] = 1;
    REFUSES(SHAPE, locant_graph_laplacian(&bad, &v, NULL, g, 0, 0),
            "vectors has size 2 in dimension 1, expected 1");
    REFUSES(DTYPE, locant_graph_hops(&v, g), "out is f64, expected i64");
    REFUSES(NULL, locant_graph_hops(&v, NULL), "graph is NULL");
    REFUSES(PARAM, locant_graph_random_walk(&v, g, NAN),
            "space_dim is nan, expected a finite number of at least 0");
    list.n = 0;
    wide = graph_of(&list, 40000);
    v.shape[0] = 40000;
    REFUSES(UNSUPPORTED, locant_graph_laplacian(&w, &v, NULL, wide, 0, 0),
            "the graph has 40000 nodes; a dense matrix takes at most 32766");
    for (size_t i = 0; i < LEN(data); i++)
        CHECK(data[i] == 0);
    locant_graph_free(wide);
    locant_graph_free(g);
}

/* The k-th allocation fails, for k = 1, 2, .. until all succeed. */
TEST(no_memory_is_an_error)
{
    static int64_t rows[1][2] = { { 0, 1 } };
    static double data[2], vectors[4];
    static int64_t hops[4];
    locant_tensor v = DENSE(F64, vectors, 2, 2);
    int tries = 0;

    CHECK_OK(locant_set_threads(1));
    for (locant_status s = LOCANT_ERR_NOMEM; s != LOCANT_OK;) {
        locant_graph *g;

        test_memory_fail_from(++tries);
        s = locant_graph_create(&g, VIEW(I64, rows, 1, 2), 2);
        if (s == LOCANT_OK)
            s = locant_graph_laplacian(VIEW(F64, data, 2), &v, NULL, g, 0, 0);
        if (s == LOCANT_OK)
            s = locant_graph_random_walk(&v, g, 0);
        if (s == LOCANT_OK)
            s = locant_graph_hops(VIEW(I64, hops, 2, 2), g);
        CHECK(s == LOCANT_OK || s == LOCANT_ERR_NOMEM);
        locant_graph_free(g);
        CHECK(test_memory_held() == 0);
    }
    test_memory_end();
    CHECK_OK(locant_set_threads(0));
    CHECK(tries == 8); /* 4 of the graph, 1 of each call, and none failing */
}

/* Address space that the process has taken. */
static rlim_t address_space(void)
{
    FILE *statm = fopen("/proc/self/statm", "r");
    long pages = 0;

    CHECK(statm != NULL && fscanf(statm, "%ld", &pages) == 1);
    fclose(statm);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* OpenBLAS would ask for its scratch for ever. */
TEST(no_address_space_is_an_error)
{
    double values[2], vectors[4];
    locant_tensor w = DENSE(F64, values, 2);
    locant_tensor v = DENSE(F64, vectors, 2, 2);
    OWNED(locant_graph) *g = path_of(2, 0);
    struct rlimit before, limit;

    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    limit = before;
    limit.rlim_cur = address_space() + ((rlim_t)1 << 26);
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK(locant_graph_laplacian(&w, &v, NULL, g, 0, 0) == LOCANT_ERR_NOMEM);
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
    CHECK_OK(locant_graph_laplacian(&w, &v, NULL, g, 0, 0));
}
