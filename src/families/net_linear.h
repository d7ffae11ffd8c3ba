/* net_linear.h - products with matrices within the tensors of a checkpoint */
#ifndef LCT_NET_LINEAR_H
#define LCT_NET_LINEAR_H
#include "net_matrix.h"

/*
 * Memory of products: a tile of rows as numbers for each of 'slots' tasks that
 * run at a time.  Begin with zeros.
 */
struct lct_net_room {
    void *tiles;
    int slots;
};
locant_status lct_net_linear_begin(struct lct_net_room *room,
                                   const struct lct_net *n);
void lct_net_linear_end(struct lct_net_room *room);

/*
 * y [rows, out] = x [rows, in] W^T + bias; rows of y are y_row apart, those of
 * x are dense.  The bits of a row of y do not depend on the other rows.
 */
void lct_net_linear_forward(void *y, int64_t y_row, const void *x, int64_t rows,
                            const struct lct_net *n,
                            const struct lct_net_linear *w,
                            const struct lct_net_room *room);
#endif
