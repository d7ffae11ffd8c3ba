/* nodes.c - positions of a graph's nodes: given rows times a projection */
#include "nodes.h"
#include <math.h>

int64_t lct_nodes_count(const locant_encoding *e, const locant_tensor *params)
{
    double length = lct_value(e, "length");

    if (params != NULL)
        return params[LCT_NODES_GIVEN].shape[0];
    return isnan(length) ? 0 : (int64_t)length;
}

void lct_nodes_row(double *out, const locant_encoding *e,
                   const struct lct_point *at, int64_t dim,
                   const locant_tensor *params)
{
    int64_t size = params[LCT_NODES_GIVEN].shape[1];

    (void)e;
    for (int64_t d = 0; d < dim; d++) {
        out[d] = 0;
        for (int64_t i = 0; i < size; i++)
            out[d] += lct_get(&params[LCT_NODES_GIVEN], at->pos * size + i) *
                      lct_get(&params[LCT_NODES_PROJECTION], i * dim + d);
    }
}

/* forward: out = given[pos] projection; 'given' is data, without gradient */
void lct_nodes_row_backward(locant_tensor *dparams, const locant_encoding *e,
                            const double *drow, const struct lct_point *at,
                            int64_t dim, const locant_tensor *params)
{
    int64_t size = params[LCT_NODES_GIVEN].shape[1];

    (void)e;
    for (int64_t i = 0; i < size; i++)
        for (int64_t d = 0; d < dim; d++)
            lct_add_to(&dparams[LCT_NODES_PROJECTION], i * dim + d,
                       lct_get(&params[LCT_NODES_GIVEN], at->pos * size + i) *
                           drow[d]);
}
