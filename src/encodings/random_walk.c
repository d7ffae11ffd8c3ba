/*
 * random_walk.c - return probabilities of random walks on a graph.
 *
 * Dwivedi et al.: Graph Neural Networks with Learnable Structural and
 * Positional Representations. 2022. arXiv:2110.07875, section 3.1.
 * Entry k of node i is ((D^-1 A)^k)_ii.  Entries are data of a graph (locant
 * graph --walks).  Without data, tokens are the nodes of a path.
 */
#include "nodes.h"
#include <math.h>
#include <string.h>

enum { LENGTH, STEPS };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "length", .kind = LCT_INTEGER, .def = NAN, .min = 1, .max = 1e9,
      .doc = "nodes; left out: the trained length" },
    { .name = "steps", .kind = LCT_INTEGER, .def = 8, .min = 1, .max = 256,
      .doc = "lengths of walks, 1 .. steps" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "walks", .dims = { "length", "steps" }, .given = true,
      .doc = "return probabilities after 1 .. steps; those of a path at "
             "first" },
    { .name = "projection", .dims = { "steps", "width" }, LCT_NORMAL(0, 1),
      .doc = "from the entries of a node to the width of the model" },
    { 0 }
};
/* clang-format on */

/* One step of a walk on a path, within the nodes low .. high: an inner node has
 * probability 1/2 for each neighbour. */
static void step(double *to, const double *from, int64_t low, int64_t high,
                 int64_t nodes)
{
    memset(to, 0, (size_t)(high - low + 1) * sizeof(*to));
    for (int64_t j = low; j <= high; j++) {
        double probability = j == 0 || j == nodes - 1 ? 1 : 0.5;

        if (j > low && j > 0)
            to[j - 1 - low] += probability * from[j - low];
        if (j < high && j < nodes - 1)
            to[j + 1 - low] += probability * from[j - low];
    }
}

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    enum { REACH = 256 };
    int64_t nodes = info->shape[0], steps = info->shape[1];
    double a[2 * REACH + 1], b[2 * REACH + 1];

    (void)e;
    (void)r;
    if (k != LCT_NODES_GIVEN)
        return false;
    for (int64_t i = 0; i < nodes; i++) {
        int64_t low = i - steps > 0 ? i - steps : 0;
        int64_t high = i + steps < nodes - 1 ? i + steps : nodes - 1;

        memset(a, 0, sizeof(a));
        a[i - low] = 1;
        for (int64_t s = 0; s < steps; s++) {
            step(b, a, low, high, nodes);
            memcpy(a, b, sizeof(a));
            out[i * steps + s] = a[i - low];
        }
    }
    return true;
}

const struct lct_encoding lct_enc_random_walk = {
    .info = {
        .name = "random-walk",
        .title = "Return probabilities of random walks",
        .formula = "P[node] = walks[node] projection, walks[i,k] = ((D^-1 "
                   "A)^k)_ii",
        .source = "Dwivedi et al. 2022, arXiv:2110.07875v2, section 3.1; "
                  "Rampasek et al. 2022, arXiv:2205.12454v4",
        .used_by = "GraphGPS, LSPE",
        .pitfalls = "Nodes that look alike within 'steps' get the same "
                    "position.",
        .gradient = "dprojection = sum walks[node]^T dY",
        .doors = LOCANT_DOOR_INPUT,
        .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_LIMIT,
    },
    .keys = keys,
    .params = { .list = params, .fill = fill },
    .positions = { .count = lct_nodes_count, .of = "graph" },
    .input = { .row = lct_nodes_row, .backward = lct_nodes_row_backward },
};
