/*
 * graph.c - a learned bias for each shortest-path distance between nodes.
 *
 * Ying et al.: Do Transformers Really Perform Bad for Graph Representation?
 * 2021. arXiv:2106.05234, section 3.1.2, eq. (6) (Graphormer).
 * The distances are data that come with a graph (locant graph --hops).  Without
 * data, tokens are the nodes of a path: node p is a neighbour of p + 1.
 */
#include "nodes.h"
#include <inttypes.h>
#include <math.h>

enum { LENGTH, DISTANCE };
enum { HOPS = LCT_NODES_GIVEN, TABLE };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "length", .kind = LCT_INTEGER, .def = NAN, .min = 1,
      .max = 1 << 15, .doc = "nodes; left out: the trained length" },
    { .name = "distance", .kind = LCT_INTEGER, .def = 8, .min = 1,
      .max = 1 << 20, .doc = "distances from here on share one entry" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "hops", .dims = { "length", "length" }, .given = true,
      .doc = "edges between two nodes, -1 where no path joins them; "
             "initially those of a path" },
    { .name = "table", .dims = { "rows", "heads" }, LCT_NORMAL(0, 0.02),
      .rate = 10,
      .doc = "bias of each distance 0 .. distance, then of no path" },
    { 0 }
};
/* clang-format on */

static int64_t size(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes)
{
    (void)name; /* always "rows" */
    (void)sizes;
    return (int64_t)e->value[DISTANCE] + 2;
}

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    int64_t n = info->shape[0];

    (void)e;
    (void)r;
    if (k != HOPS)
        return false;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            out[i * n + j] = fabs((double)(i - j));
    return true;
}

static locant_status check_square(const locant_encoding *e, const char *fn,
                                  const int64_t *pos, size_t n,
                                  const locant_tensor *given)
{
    (void)e;
    (void)pos;
    (void)n;
    if (given == NULL || given[HOPS].shape[0] == given[HOPS].shape[1])
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: hops is [%" PRId64 ", %" PRId64
                       "], expected a square",
                       fn, given[HOPS].shape[0], given[HOPS].shape[1]);
}

static int64_t entry(const struct lct_call *c, int64_t nodes, int64_t q_pos,
                     int64_t k_pos)
{
    double hops = c->param[HOPS][q_pos * nodes + k_pos];
    double most = c->e->value[DISTANCE];

    if (!(hops >= 0))
        return (int64_t)most + 1;
    return hops < most ? (int64_t)hops : (int64_t)most;
}

/* Number of nodes.  Parameters are adjacent in memory, so this is the square
 * root of the number of entries of 'hops'. */
static int64_t nodes_of(const struct lct_call *c)
{
    return (int64_t)llround(sqrt((double)(c->param[TABLE] - c->param[HOPS])));
}

static void bias(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n)
{
    int64_t nodes = nodes_of(c);

    for (size_t j = 0; j < n; j++)
        out[j] =
            c->param[TABLE][entry(c, nodes, q_pos, k_pos[j]) * c->heads + head];
}

/* forward: out[j] = table[entry(j), head] */
static void bias_backward(double *const *dparam, const struct lct_call *c,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t n)
{
    int64_t nodes = nodes_of(c);

    for (size_t j = 0; j < n; j++)
        dparam[TABLE][entry(c, nodes, q_pos, k_pos[j]) * c->heads + head] +=
            dout[j];
}

const struct lct_encoding lct_enc_graph = {
    .info = {
        .name = "graph",
        .title = "Shortest-path bias of graphs (Graphormer)",
        .formula = "s[h,i,j] += table[min(hops(i, j), distance), h]",
        .source = "Ying et al. 2021, arXiv:2106.05234v5, section 3.1.2, eq. "
                  "(6)",
        .used_by = "Graphormer",
        .pitfalls = "Nodes without a path between them need an entry of their "
                    "own.",
        .gradient = "dtable[d] = sum of dS over pairs at distance d; hops have "
                    "none",
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_LIMIT,
    },
    .keys = keys,
    .params = { .list = params, .size = size, .fill = fill },
    .positions = {
        .check = check_square,
        .count = lct_nodes_count,
        .of = "graph",
    },
    .score = { .bias = bias, .backward = bias_backward },
};
