/* net_matrix.h - matrices within the tensors of a checkpoint */
#ifndef LCT_NET_MATRIX_H
#define LCT_NET_MATRIX_H
#include "net.h"

/* Rows of a tile. */
enum { LCT_NET_TILE = 48 };

/* Has the tensor numbers of this type? */
bool lct_net_matrix_is(const struct lct_net_matrix *w, const char *name);
/* The element of the tensor where row r begins. */
int64_t lct_net_matrix_element(const struct lct_net_matrix *w, int64_t r);

/* out [count, k] = numbers p .. p + k - 1 of at most LCT_NET_TILE rows */
void lct_net_matrix_tile(void *out, const struct lct_net *n,
                         const struct lct_net_matrix *w, int64_t row,
                         int64_t count, int64_t p, int64_t k);
/* out [count, in] = rows row .. row + count - 1 as numbers of the model. */
void lct_net_matrix_rows(void *out, const struct lct_net *n,
                         const struct lct_net_matrix *w, int64_t row,
                         int64_t count);

/* Round the numbers to bfloat16 and keep them, if the model does.  Errors:
   NOMEM. */
locant_status lct_net_matrix_round(struct lct_net *n, struct lct_net_matrix *w);
#endif
