/* net_norm.h - norms of many rows, on all threads */
#ifndef LCT_NET_NORM_H
#define LCT_NET_NORM_H
#include "net.h"

/* y = norm(x) of 'rows' rows of norm->width numbers; nothing if there is no
   norm; y may be x. */
void lct_net_norm_rows(void *y, const void *x, int64_t rows,
                       const struct lct_net_math *m,
                       const struct lct_net_norm *norm);
#endif
