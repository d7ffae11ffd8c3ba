/* net_matrix.h - matrices within the tensors of a checkpoint, and products */
#ifndef LCT_NET_MATRIX_H
#define LCT_NET_MATRIX_H
#include "net.h"

/*
 * Memory of products: a tile of rows as numbers for each of 'slots' tasks that
 * run at a time.  Begin with zeros.
 */
struct lct_net_room {
    void *tiles;
    int slots;
};
locant_status lct_net_matrix_begin(struct lct_net_room *room,
                                   const struct lct_net *n);
void lct_net_matrix_end(struct lct_net_room *room);

/* out [count, in] = rows row .. row + count - 1 as numbers of the model. */
void lct_net_matrix_rows(void *out, const struct lct_net *n,
                         const struct lct_net_matrix *w, int64_t row,
                         int64_t count);

/*
 * y [rows, out] = x [rows, in] W^T + bias; rows of y are y_row apart, those of
 * x are dense.  The bits of a row of y do not depend on the other rows.
 */
void lct_net_linear_forward(void *y, int64_t y_row, const void *x, int64_t rows,
                            const struct lct_net *n,
                            const struct lct_net_linear *w,
                            const struct lct_net_room *room);

/* Round the numbers to bfloat16 and keep them.  Errors: NOMEM. */
locant_status lct_net_matrix_round(struct lct_net *n, struct lct_net_matrix *w);
#endif
