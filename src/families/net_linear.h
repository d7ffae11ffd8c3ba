/* net_linear.h - products with matrices within the tensors of a checkpoint */
#ifndef LCT_NET_LINEAR_H
#define LCT_NET_LINEAR_H
#include "net_matrix.h"
#include "net_room.h"

/* Memory of products with matrices of n, and for its steps.  Errors: NOMEM. */
locant_status lct_net_linear_begin(struct lct_net_room *room,
                                   const struct lct_net *n);

/* y [rows, out] = x [rows, in] W^T + bias.  The bits of a row of y do not
   depend on the other rows. */
void lct_net_linear_forward(void *y, const void *x, int64_t rows,
                            const struct lct_net_linear *w,
                            struct lct_net_room *room);
/* The same of y whose rows are y_row apart. */
void lct_net_linear_columns(void *y, int64_t y_row, const void *x, int64_t rows,
                            const struct lct_net_linear *w,
                            struct lct_net_room *room);
#endif
