/* graph.c - build the lists of neighbours from a list of edges */
#include "graph.h"
#include "../core/size.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

static int64_t endpoint(const locant_tensor *edges, int64_t row, int side)
{
    return edges->dtype == LOCANT_I64
               ? ((const int64_t *)edges->data)[2 * row + side]
               : ((const int32_t *)edges->data)[2 * row + side];
}

static locant_status check(const char *fn, const locant_tensor *edges,
                           int64_t nodes)
{
    static const locant_dtype integers[2] = { LOCANT_I64, LOCANT_I32 };
    const int64_t dims[2] = { -1, 2 };

    LCT_TRY(lct_graph_check(fn, "edges", edges, integers, 2, dims));
    if (nodes < 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: nodes is %" PRId64 ", expected at least 1", fn,
                           nodes);
    for (int64_t e = 0; e < edges->shape[0]; e++)
        for (int side = 0; side < 2; side++) {
            int64_t i = endpoint(edges, e, side);

            if (i < 0 || i >= nodes)
                return locant_fail(LOCANT_ERR_PARAM,
                                   "%s: edge %" PRId64 " names node %" PRId64
                                   ", expected 0 to %" PRId64,
                                   fn, e, i, nodes - 1);
        }
    return LOCANT_OK;
}

static bool allocate(locant_graph *g, int64_t edges)
{
    size_t first_bytes, to_bytes;

    if (!lct_add(&first_bytes, (size_t)g->info.nodes, 1) ||
        !lct_mul(&first_bytes, first_bytes, sizeof(*g->first)) ||
        !lct_mul(&to_bytes, (size_t)edges, 2 * sizeof(*g->to)))
        return false;
    g->first = locant_alloc(first_bytes);
    g->to = locant_alloc(to_bytes);
    return g->first != NULL && g->to != NULL;
}

/* List both directions of every edge except self-loops, grouped by node. */
static void group(locant_graph *g, const locant_tensor *edges)
{
    int64_t E = edges->shape[0], N = g->info.nodes, start = 0;

    for (int64_t e = 0; e < E; e++) {
        int64_t i = endpoint(edges, e, 0), j = endpoint(edges, e, 1);

        g->info.self_loops += i == j;
        g->first[i] += i != j;
        g->first[j] += i != j;
    }
    for (int64_t i = 0; i <= N; i++) { /* counts become starts */
        int64_t count = g->first[i];

        g->first[i] = start;
        start += count;
    }
    for (int64_t e = 0; e < E; e++) {
        int64_t i = endpoint(edges, e, 0), j = endpoint(edges, e, 1);

        if (i != j) {
            g->to[g->first[i]++] = j;
            g->to[g->first[j]++] = i;
        }
    }
    for (int64_t i = N; i > 0; i--) /* first[i] is now the start of i + 1 */
        g->first[i] = g->first[i - 1];
    g->first[0] = 0;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Sort each list and keep each neighbour once. */
static void drop_repeats(locant_graph *g)
{
    int64_t kept = 0, begin = 0, listed = g->first[g->info.nodes];

    for (int64_t i = 0; i < g->info.nodes; i++) {
        int64_t end = g->first[i + 1], kept_before = kept;

        if (end > begin)
            qsort(g->to + begin, (size_t)(end - begin), sizeof(*g->to),
                  compare);
        for (int64_t e = begin; e < end; e++)
            if (kept == kept_before || g->to[kept - 1] != g->to[e])
                g->to[kept++] = g->to[e];
        begin = end;
        g->first[i + 1] = kept;
        g->info.isolated += kept == kept_before;
    }
    g->info.edges = kept / 2;
    g->info.repeated = listed / 2 - kept / 2;
}

static bool count_components(locant_graph *g)
{
    int64_t N = g->info.nodes;
    int64_t *hops = locant_alloc(2 * (size_t)N * sizeof(*hops));

    if (hops == NULL)
        return false;
    for (int64_t i = 0; i < N; i++)
        hops[i] = -1;
    for (int64_t i = 0; i < N; i++)
        if (hops[i] < 0) {
            lct_graph_hops_from(hops, hops + N, g, i);
            g->info.components++;
        }
    locant_release(hops);
    return true;
}

locant_status locant_graph_create(locant_graph **out,
                                  const locant_tensor *edges, int64_t nodes)
{
    static const char fn[] = "locant_graph_create";
    locant_graph *g;

    LCT_NOT_NULL(fn, out);
    *out = NULL;
    LCT_TRY(check(fn, edges, nodes));
    g = locant_alloc(sizeof(*g));
    if (g != NULL) {
        g->info.nodes = nodes;
        if (allocate(g, edges->shape[0])) {
            group(g, edges);
            drop_repeats(g);
            if (count_components(g)) {
                *out = g;
                return LOCANT_OK;
            }
        }
        locant_graph_free(g);
    }
    return locant_fail(LOCANT_ERR_NOMEM,
                       "%s: no memory for %" PRId64 " nodes and %" PRId64
                       " edges",
                       fn, nodes, edges->shape[0]);
}

void locant_graph_free(locant_graph *graph)
{
    if (graph == NULL)
        return;
    locant_release(graph->first);
    locant_release(graph->to);
    locant_release(graph);
}

const locant_graph_info *locant_graph_info_of(const locant_graph *graph)
{
    return graph != NULL ? &graph->info : NULL;
}
