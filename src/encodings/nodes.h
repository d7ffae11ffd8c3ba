/* nodes.h - positions of a graph's nodes: given rows times a projection */
#ifndef LCT_NODES_H
#define LCT_NODES_H
#include "encoding.h"

/* Parameters of such an encoding, in order. */
enum { LCT_NODES_GIVEN, LCT_NODES_PROJECTION };

/* Hooks positions.check, input.row and input.backward of an encoding with a key
 * "length". */
locant_status lct_nodes_positions(const locant_encoding *e, const char *fn,
                                  const int64_t *pos, size_t n,
                                  const locant_tensor *params);
void lct_nodes_row(double *out, const locant_encoding *e,
                   const struct lct_point *at, int64_t dim,
                   const locant_tensor *params);
void lct_nodes_row_backward(locant_tensor *dparams, const locant_encoding *e,
                            const double *drow, const struct lct_point *at,
                            int64_t dim, const locant_tensor *params);
#endif
