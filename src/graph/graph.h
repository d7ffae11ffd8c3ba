/* graph.h - a graph as lists of neighbours */
#ifndef LCT_GRAPH_H
#define LCT_GRAPH_H
#include "../core/error.h"
#include "locant/graph.h"

/* Neighbours of i in increasing order: to[first[i]] .. to[first[i + 1] - 1]. */
struct locant_graph {
    locant_graph_info info;
    int64_t *first; /* [nodes + 1] */
    int64_t *to;    /* [2 edges] */
};

static inline int64_t lct_degree(const locant_graph *g, int64_t i)
{
    return g->first[i + 1] - g->first[i];
}

/*
 * Breadth-first search: write to hops [nodes] the distance from 'start' of each
 * node reached.  Nodes whose hops are not -1 count as visited.  queue [nodes]
 * is scratch.
 */
void lct_graph_hops_from(int64_t *hops, int64_t *queue, const locant_graph *g,
                         int64_t start);

/*
 * Fail unless the array is dense, has one of two dtypes (which may be equal)
 * and the sizes dims [rank], where -1 is any.  'fn' and 'arg' are for the
 * message.
 */
locant_status lct_graph_check(const char *fn, const char *arg,
                              const locant_tensor *t,
                              const locant_dtype allowed[2], int rank,
                              const int64_t *dims);

/* Fail if two checked arrays overlap; 'names' is for the message. */
locant_status lct_graph_apart(const char *fn, const char *names,
                              const locant_tensor *a, const locant_tensor *b);

/* All N eigenpairs of a Laplacian. */
struct lct_spectrum {
    int64_t N;
    double *values;  /* [N], increasing */
    double *vectors; /* [N, N], row j is the eigenvector of values[j] */
};

/*
 * Replace rows from .. to - 1, which span an eigenspace, by a basis that
 * depends only on the space.
 */
void lct_eigenspace_fix(struct lct_spectrum *s, int64_t from, int64_t to);
/* Make the first element of v [n] with the largest magnitude positive. */
void lct_eigenvector_sign(double *v, int64_t n);
#endif
