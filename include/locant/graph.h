/*
 * graph.h - positions of the nodes of a graph: eigenvectors of a Laplacian,
 * return probabilities of a random walk, distances.
 *
 * Graphs are simple and undirected, with N nodes 0 .. N-1: the adjacency matrix
 * A is symmetric, of zeros and ones, with a zero diagonal; D = diag(degrees).
 * All arrays are dense.
 *
 * The results are parameters of the encodings "laplacian", "random-walk" and
 * "graph"; nothing here has a gradient.
 */
#ifndef LOCANT_GRAPH_H
#define LOCANT_GRAPH_H

#include "core.h"

LOCANT_BEGIN_DECLS

typedef struct locant_graph locant_graph;

/* What the list of edges contained. */
typedef struct locant_graph_info {
    int64_t nodes;
    int64_t edges;      /* pairs {i, j}, each counted once */
    int64_t repeated;   /* rows that repeat a pair, (j, i) included */
    int64_t self_loops; /* rows (i, i), ignored */
    int64_t isolated;   /* nodes without an edge */
    int64_t components; /* connected parts */
} locant_graph_info;

/*
 * A graph of 'nodes' nodes.
 *
 * edges   I64 or I32 [E, 2], E >= 0   rows (i, j) and (j, i) are one edge,
 *                                     however often listed; rows (i, i) are
 *                                     ignored
 * nodes   at least 1
 *
 * Errors: NULL, SHAPE, DTYPE, LAYOUT, PARAM (a node below 0 or not below
 *         'nodes', no nodes), NOMEM.  On failure *out is NULL.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_graph_create(locant_graph **out, const locant_tensor *edges,
                    int64_t nodes);
LOCANT_API void locant_graph_free(locant_graph *graph);

/* Lives as long as the graph; NULL if 'graph' is NULL. */
LOCANT_API const locant_graph_info *
locant_graph_info_of(const locant_graph *graph);

typedef enum locant_laplacian {
    LOCANT_LAPLACIAN_SYMMETRIC     = 0, /* I - D^-1/2 A D^-1/2 */
    LOCANT_LAPLACIAN_COMBINATORIAL = 1, /* D - A */
    LOCANT_LAPLACIAN_RANDOM_WALK   = 2  /* I - D^-1 A, right eigenvectors */
} locant_laplacian;

/*
 * L vectors[:, j] = values[j] vectors[:, j] for the k smallest eigenvalues, in
 * increasing order.
 *
 * values      F64 [k]      written; at least 0
 * vectors     F64 [N, k]   written; column j is an eigenvector, row i the
 *                          position of node i
 * degenerate  I32 [k]      written; may be NULL.  0: a simple eigenvalue.
 *                          g > 0: the columns marked g span the g-th eigenspace
 *                          of dimension above 1; any rotation of them is an
 *                          equally valid basis.  -g: the same, but the columns
 *                          span only a part of that eigenspace, chosen
 *                          arbitrarily, because k or drop_trivial cuts it.
 * drop_trivial  0 | 1: leave out the first vector, which depends on degrees
 *               only.  Dwivedi and Bresson do, GraphGPS does not.
 *
 * Columns beyond N (N - 1 when dropping) are 0, as in GraphGPS.  A node without
 * edges has a row of zeros in L (Chung's definition; PyTorch Geometric's
 * symmetric L has a 1 there), so eigenvalue 0 counts the components.
 *
 * Vectors have Euclidean length 1; those of SYMMETRIC and COMBINATORIAL are
 * orthogonal, those of RANDOM_WALK are after scaling row i by sqrt(degree i).
 * |L v - value v| <= 30 N 2^-52 |L| (the bound LAPACK's own tests use), plus
 * 1e-9 |L| inside an eigenspace: eigenvalues closer than 1e-9 times the largest
 * count as equal.
 *
 * Signs and bases are arbitrary and are fixed so that runs and machines agree.
 * Sign: of the entries within 1e-9 (relative) of the largest magnitude, the
 * first is positive.  Basis of an eigenspace: vector 1 is the projection of
 * unit vector e_i on the space, vector 2 that of e_j on the rest of the space,
 * and so on, where i, j, .. are the first nodes whose projection has a squared
 * length of at least 0.37 of the mean over nodes.  For eigenvalue 0 the basis
 * vectors are the components, each 0 outside its own.  If magnitudes tie,
 * renumbering the nodes can change both: train a model with random signs, or
 * make it invariant to them.
 *
 * Dense: 24 N^2 bytes and O(N^3) operations, on the calling thread; N at most
 * 32766.
 *
 * Source: Dwivedi, Bresson 2020, arXiv:2012.09699v2; Chung 1997, Spectral
 *         Graph Theory, section 1.2; GraphGPS (Rampasek et al. 2022,
 *         arXiv:2205.12454), graphgps/transform/posenc_stats.py; LAPACK dsyevd.
 * Errors: NULL, SHAPE, DTYPE, LAYOUT, PARAM (kind, drop_trivial), ALIAS,
 *         UNSUPPORTED (too many nodes, or LAPACK did not converge), IO
 *         (OpenBLAS, which this function loads, is not installed), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_graph_laplacian(locant_tensor *values, locant_tensor *vectors,
                       locant_tensor *degenerate, const locant_graph *graph,
                       locant_laplacian kind, int drop_trivial);

/*
 * out[i, k-1] = ((D^-1 A)^k)[i, i] k^(space_dim / 2), k = 1 .. K: the
 * probability that a random walk from i is at i after k steps, scaled.
 *
 * out        F64 [N, K]   written.  Sums of positive terms: the relative error
 *                         is below k (degree + 2) 2^-53 for the largest degree.
 *                         0 for a node without edges.
 * space_dim  at least 0, K^(space_dim / 2) finite; 0: no scaling.
 *
 * Same bits for any number of threads.  O(N K edges) operations.
 *
 * Source: Dwivedi et al. 2021, arXiv:2110.07875v2 (RWPE); space_dim: GraphGPS,
 *         get_rw_landing_probs.
 * Errors: NULL, SHAPE, DTYPE, LAYOUT, PARAM (space_dim), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_graph_random_walk(locant_tensor *out, const locant_graph *graph,
                         double space_dim);

/*
 * out[i, j] = the number of edges on a shortest path from i to j; -1 if there
 * is none.  Graphormer's spatial bias is indexed by this number.
 *
 * out   I64 [N, N]   written
 *
 * Source: Ying et al. 2021, arXiv:2106.05234v5, section 3.1.2.
 * Errors: NULL, SHAPE, DTYPE, LAYOUT, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_graph_hops(locant_tensor *out, const locant_graph *graph);

LOCANT_END_DECLS
#endif /* LOCANT_GRAPH_H */
