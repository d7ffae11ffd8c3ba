/*
 * laplacian.c - eigenvectors of the Laplacian of a graph.
 *
 * Dwivedi, Bresson: A Generalization of Transformer Networks to Graphs. 2020.
 * arXiv:2012.09699.  LAPACK's dsyevd finds all eigenpairs, since only the whole
 * spectrum shows where an eigenspace ends.  dsyevr needs less memory, but its
 * vectors of close eigenvalues need not be orthogonal to rounding.
 *
 * For LOCANT_LAPLACIAN_RANDOM_WALK, I - D^-1 A = D^-1/2 L D^1/2 with the
 * symmetric normalised L, whose eigenvectors u give the eigenvectors D^-1/2 u.
 */
#include "../core/size.h"
#include "graph.h"
#include "lapack.h"
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

/* dsyevd counts its 2 N^2 + 6 N + 1 numbers of scratch in 32 bits. */
enum { MOST_NODES = 32766 };

/* Eigenvalues closer than this, relative to the largest, are equal. */
static const double EQUAL = 1e-9;

/* One call of dsyevd, which replaces the matrix in s.vectors by its
   eigenvectors. */
struct problem {
    const struct lct_lapack *lib;
    struct lct_spectrum s;
    double *work;
    int *iwork;
    int lwork, liwork;
    void *memory;
};

/* The square root of the degree; 1 for isolated nodes, whose rows are 0. */
static double root_degree(const locant_graph *g, int64_t i)
{
    int64_t degree = lct_degree(g, i);

    return degree > 0 ? sqrt((double)degree) : 1;
}

static void fill_matrix(double *L, const locant_graph *g, locant_laplacian kind)
{
    int64_t N = g->info.nodes;

    for (int64_t i = 0; i < N; i++) {
        double degree = (double)lct_degree(g, i);
        bool normalised = kind != LOCANT_LAPLACIAN_COMBINATORIAL;

        L[i * N + i] = normalised ? degree > 0 : degree;
        for (int64_t e = g->first[i]; e < g->first[i + 1]; e++)
            L[i * N + g->to[e]] =
                normalised ? -1 / (root_degree(g, i) * root_degree(g, g->to[e]))
                           : -1;
    }
}

static int call_lapack(struct problem *p)
{
    int N = (int)p->s.N, info = 0;

    p->lib->dsyevd("V", "L", &N, p->s.vectors, &N, p->s.values, p->work,
                   &p->lwork, p->iwork, &p->liwork, &info, 1, 1);
    return info;
}

/* Query LAPACK for its workspace, and allocate everything at once. */
static bool allocate(struct problem *p)
{
    size_t N = (size_t)p->s.N, bytes;
    double none[1], want_work = 0;
    int want_iwork = 0;

    p->s.vectors = p->s.values = none;
    p->work = &want_work;
    p->iwork = &want_iwork;
    p->lwork = p->liwork = -1;
    if (call_lapack(p) != 0)
        return false;
    p->lwork = (int)want_work;
    p->liwork = want_iwork;
    if (!lct_mul(&bytes, N * N + N + (size_t)p->lwork, sizeof(double)) ||
        !lct_add(&bytes, bytes, (size_t)p->liwork * sizeof(int)))
        return false;
    p->memory = locant_alloc(bytes);
    if (p->memory == NULL)
        return false;
    p->s.vectors = p->memory;
    p->s.values = p->s.vectors + N * N;
    p->work = p->s.values + N;
    p->iwork = (int *)(void *)(p->work + p->lwork);
    return true;
}

/* Find all eigenpairs.  Fortran's column j is row j of s.vectors. */
static locant_status solve(struct problem *p, const char *fn,
                           const locant_graph *g, locant_laplacian kind)
{
    int info;

    p->s.N = g->info.nodes;
    LCT_TRY(lct_lapack_load(&p->lib, fn));
    p->lib->set_threads(1); /* more would change the bits */
    if (!allocate(p))
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for matrices of %" PRId64
                           " x %" PRId64,
                           fn, p->s.N, p->s.N);
    fill_matrix(p->s.vectors, g, kind);
    info = call_lapack(p);
    if (info != 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: LAPACK dsyevd failed with info %d", fn, info);
    for (int64_t j = 0; j < p->s.N; j++)
        p->s.values[j] = fmax(p->s.values[j], 0); /* rounding below 0 */
    return LOCANT_OK;
}

/* Index of the first eigenvalue after the eigenspace that starts at 'from'. */
static int64_t space_end(const struct lct_spectrum *s, int64_t from)
{
    double gap = EQUAL * s->values[s->N - 1];

    while (from + 1 < s->N && s->values[from + 1] - s->values[from] <= gap)
        from++;
    return from + 1;
}

/* Convert u to the eigenvector of I - D^-1 A, of length 1. */
static void to_random_walk(double *u, const locant_graph *g)
{
    int64_t N = g->info.nodes;
    double square = 0;

    for (int64_t i = 0; i < N; i++) {
        u[i] /= root_degree(g, i);
        square += u[i] * u[i];
    }
    for (int64_t i = 0; i < N; i++)
        u[i] /= sqrt(square);
}

/* The outputs, and what they depend on. */
struct results {
    const locant_tensor *values, *vectors;
    const locant_tensor *degenerate; /* or NULL */
    const locant_graph *g;
    locant_laplacian kind;
    int64_t skip, end; /* eigenpairs skip .. end - 1 are wanted */
};

/* Write eigenpair j, or zeros if j is -1, to column k of the results. */
static void write_column(const struct results *r, int64_t k,
                         const struct lct_spectrum *s, int64_t j, int32_t mark)
{
    ((double *)r->values->data)[k] = j < 0 ? 0 : s->values[j];
    for (int64_t i = 0; i < s->N; i++)
        ((double *)r->vectors->data)[i * r->vectors->shape[1] + k] =
            j < 0 ? 0 : s->vectors[j * s->N + i];
    if (r->degenerate != NULL)
        ((int32_t *)r->degenerate->data)[k] = mark;
}

/* Write the wanted columns of the eigenspace from .. to - 1.  They are marked
   with 'group' if it has more dimensions than one, negative if not all of them
   are wanted. */
static void write_space(const struct results *r, struct lct_spectrum *s,
                        int64_t from, int64_t to, int32_t group)
{
    int32_t mark = to - from > 1 ? group : 0;

    if (from < r->skip || to > r->end)
        mark = -mark;
    lct_eigenspace_fix(s, from, to);
    for (int64_t j = from; j < to && j < r->end; j++) {
        double *v = s->vectors + j * s->N;

        if (j < r->skip)
            continue;
        if (r->kind == LOCANT_LAPLACIAN_RANDOM_WALK)
            to_random_walk(v, r->g);
        lct_eigenvector_sign(v, s->N);
        write_column(r, j - r->skip, s, j, mark);
    }
}

static void write_results(const struct results *r, struct lct_spectrum *s)
{
    int32_t group = 1;

    for (int64_t from = 0, to; from < s->N && from < r->end; from = to) {
        to = space_end(s, from);
        write_space(r, s, from, to, group);
        group += to - from > 1;
    }
    for (int64_t j = s->N; j < r->end; j++)
        write_column(r, j - r->skip, s, -1, 0);
}

static locant_status check_results(const char *fn, const struct results *r)
{
    static const locant_dtype reals[2] = { LOCANT_F64, LOCANT_F64 };
    static const locant_dtype marks[2] = { LOCANT_I32, LOCANT_I32 };
    int64_t dims[2] = { r->g->info.nodes, -1 };

    LCT_TRY(lct_graph_check(fn, "values", r->values, reals, 1, dims + 1));
    dims[1] = r->values->shape[0];
    LCT_TRY(lct_graph_check(fn, "vectors", r->vectors, reals, 2, dims));
    LCT_TRY(lct_graph_apart(fn, "values and vectors", r->values, r->vectors));
    if (r->degenerate == NULL)
        return LOCANT_OK;
    LCT_TRY(
        lct_graph_check(fn, "degenerate", r->degenerate, marks, 1, dims + 1));
    LCT_TRY(lct_graph_apart(fn, "degenerate and vectors", r->degenerate,
                            r->vectors));
    return lct_graph_apart(fn, "degenerate and values", r->degenerate,
                           r->values);
}

locant_status locant_graph_laplacian(locant_tensor *values,
                                     locant_tensor *vectors,
                                     locant_tensor *degenerate,
                                     const locant_graph *graph,
                                     locant_laplacian kind, int drop_trivial)
{
    static const char fn[] = "locant_graph_laplacian";
    struct results r = { values, vectors,      degenerate,  graph,
                         kind,   drop_trivial, drop_trivial };
    struct problem p = { 0 };
    locant_status s;

    LCT_NOT_NULL(fn, graph);
    LCT_TRY(check_results(fn, &r));
    if ((unsigned)kind > LOCANT_LAPLACIAN_RANDOM_WALK)
        return locant_fail(LOCANT_ERR_PARAM, "%s: kind is %d, expected 0 to 2",
                           fn, (int)kind);
    if (drop_trivial != 0 && drop_trivial != 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: drop_trivial is %d, expected 0 or 1", fn,
                           drop_trivial);
    if (graph->info.nodes > MOST_NODES)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: the graph has %" PRId64
                           " nodes; a dense matrix takes at most %d",
                           fn, graph->info.nodes, MOST_NODES);
    if (values->shape[0] == 0)
        return LOCANT_OK;
    r.end += values->shape[0];
    s = solve(&p, fn, graph, kind);
    if (s == LOCANT_OK)
        write_results(&r, &p.s);
    locant_release(p.memory);
    return s;
}
