/* graph_case.h - graphs for the tests */
#ifndef GRAPH_CASE_H
#define GRAPH_CASE_H
#include "locant/graph.h"
#include "oracle/draw.h"

enum { MOST = 64 }; /* nodes */

OWNS(locant_graph, locant_graph_free)

/* A list of edges that grows; rows (i, j). */
struct edges {
    int64_t row[4 * MOST * MOST][2];
    int64_t n;
};

static inline void edge(struct edges *e, int64_t i, int64_t j)
{
    e->row[e->n][0] = i;
    e->row[e->n++][1] = j;
}

static inline locant_graph *graph_of(const struct edges *e, int64_t nodes)
{
    locant_graph *g = NULL;

    CHECK_OK(locant_graph_create(
        &g, VIEW(I64, (void *)(uintptr_t)e->row, e->n, 2), nodes));
    CHECK(g != NULL);
    return g;
}

static inline locant_graph *path_of(int64_t nodes, int closed)
{
    static struct edges e;

    e.n = 0;
    for (int64_t i = 0; i + 1 < nodes; i++)
        edge(&e, i, i + 1);
    if (closed)
        edge(&e, nodes - 1, 0);
    return graph_of(&e, nodes);
}

/* The adjacency matrix A of zeros and ones, and the degrees. */
struct dense {
    int64_t N;
    double A[MOST][MOST], degree[MOST];
};

static inline void dense_of(struct dense *d, const struct edges *e, int64_t N)
{
    *d = (struct dense){ .N = N };
    for (int64_t k = 0; k < e->n; k++)
        if (e->row[k][0] != e->row[k][1])
            d->A[e->row[k][0]][e->row[k][1]] =
                d->A[e->row[k][1]][e->row[k][0]] = 1;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            d->degree[i] += d->A[i][j];
}

/* A random graph of at most 'most' nodes, with repeated and reversed edges and
 * self-loops; returns the number of nodes. */
static inline int64_t random_edges(struct edges *e, int64_t most)
{
    int64_t N = test_range(1, most), wanted = test_range(0, 3 * N);

    e->n = 0;
    for (int64_t k = 0; k < wanted; k++) {
        int64_t i = test_range(0, N - 1), j = test_range(0, N - 1);

        edge(e, i, j);
        if (test_rand() % 3 == 0)
            edge(e, j, i);
        if (test_rand() % 5 == 0)
            edge(e, i, j);
    }
    return N;
}

/* Results of locant_graph_laplacian(), k columns. */
struct eigen {
    int64_t N, k;
    double values[MOST], vectors[MOST * MOST];
    int32_t degenerate[MOST];
};

static inline void solve(struct eigen *out, const locant_graph *g,
                         locant_laplacian kind, int64_t k, int drop)
{
    const int64_t N = locant_graph_info_of(g)->nodes;

    out->N = N;
    out->k = k;
    CHECK_OK(locant_graph_laplacian(
        VIEW(F64, out->values, k), VIEW(F64, out->vectors, N, k),
        VIEW(I32, out->degenerate, k), g, kind, drop));
}

static inline double at(const struct eigen *e, int64_t i, int64_t j)
{
    return e->vectors[i * e->k + j];
}
#endif
