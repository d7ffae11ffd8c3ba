/* nodes.h - positions of a graph's nodes: given rows times a projection */
#ifndef LCT_NODES_H
#define LCT_NODES_H
#include "encoding.h"

/* Parameters: the given rows [count, size], the projection [size, dim]. */
enum { LCT_NODES_GIVEN, LCT_NODES_PROJECTION };

/* The hook positions.count of an encoding of nodes: the rows of the given
 * parameter, or the key "length". */
int64_t lct_nodes_count(const locant_encoding *e, const locant_tensor *params);

/* The hooks input.row and input.backward. */
void lct_nodes_row(double *out, const locant_encoding *e,
                   const struct lct_point *at, int64_t dim,
                   const locant_tensor *params);
void lct_nodes_row_backward(locant_tensor *dparams, const locant_encoding *e,
                            const double *drow, const struct lct_point *at,
                            int64_t dim, const locant_tensor *params);
#endif
