/*
 * laplacian.c - eigenvectors of a graph's Laplacian as positions.
 *
 * Dwivedi, Bresson:  A Generalization of Transformer Networks to Graphs. 2020.
 * arXiv:2012.09699, section 2.1.  The eigenvectors are data that come with a
 * graph (locant graph --laplacian).  Without data, tokens are the nodes of a
 * path.  Its symmetric Laplacian has the eigenvalues 1 - cos(pi k / (n - 1)),
 * k = 1, 2, .., with the eigenvectors sqrt(degree_j) cos(pi k j / (n - 1)),
 * normalised.
 */
#include "nodes.h"
#include <math.h>

enum { LENGTH, VECTORS };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "length", .kind = LCT_INTEGER, .def = NAN, .min = 1, .max = 1e9,
      .doc = "nodes; left out: the trained length" },
    { .name = "vectors", .kind = LCT_INTEGER, .def = 8, .min = 1, .max = 65536,
      .doc = "eigenvectors, of the smallest eigenvalues above the trivial "
             "one" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "vectors", .dims = { "length", "vectors" }, .given = true,
      .doc = "eigenvectors as columns; initially those of a path" },
    { .name = "projection", .dims = { "vectors", "width" }, LCT_NORMAL(0, 1),
      .doc = "from the entries of a node to the width of the model" },
    { 0 }
};
/* clang-format on */

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    const double pi = 3.141592653589793;
    int64_t nodes = info->shape[0], vectors = info->shape[1];

    (void)e;
    (void)r;
    if (k != LCT_NODES_GIVEN)
        return false;
    for (int64_t v = 0; v < vectors; v++) {
        double square = 0;

        for (int64_t j = 0; j < nodes; j++) {
            double degree = j == 0 || j == nodes - 1 ? 1 : 2;
            double x = 0;

            if (v + 1 < nodes)
                x = sqrt(degree) *
                    cos(pi * (double)((v + 1) * j) / (double)(nodes - 1));
            out[j * vectors + v] = x;
            square += x * x;
        }
        if (square > 0)
            for (int64_t j = 0; j < nodes; j++)
                out[j * vectors + v] /= sqrt(square);
    }
    return true;
}

const struct lct_encoding lct_enc_laplacian = {
    .info = {
        .name = "laplacian",
        .title = "Laplacian eigenvectors of a graph",
        .formula = "P[node] = vectors[node] projection, L v = lambda v, L = 1 "
                   "- D^(-1/2) A D^(-1/2)",
        .source = "Dwivedi and Bresson 2020, arXiv:2012.09699v2, section 2.1",
        .used_by = "graph Transformers, SAN, GraphGPS",
        .pitfalls = "Signs are arbitrary, and so is any rotation among the "
                    "eigenvectors of equal eigenvalues: locant graph fixes "
                    "signs and reports equal eigenvalues.",
        .gradient = "dprojection = sum vectors[node]^T dY; none through the "
                    "eigenproblem",
        .doors = LOCANT_DOOR_INPUT,
        .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_LIMIT,
    },
    .keys = keys,
    .params = { .list = params, .fill = fill },
    .positions = { .count = lct_nodes_count, .of = "graph" },
    .input = { .row = lct_nodes_row, .backward = lct_nodes_row_backward },
};
