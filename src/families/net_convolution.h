/* net_convolution.h - a convolution beside the first layer (DeBERTa v2) */
#ifndef LCT_NET_CONVOLUTION_H
#define LCT_NET_CONVOLUTION_H
#include "net_bind.h"
#include "net_run.h"

/* Nothing if the configuration has none.  Errors: FORMAT, UNSUPPORTED. */
locant_status lct_net_convolution_bind(struct lct_net_convolution **out,
                                       struct lct_net_binder *b);

/*
 * x [B, T, D], the output of the first layer, becomes
 * norm(x + act(convolution of 'input')), where 'input' [B, all, D] is what the
 * layer read of all tokens of the rows; x has T of them, from 'from' on.
 * Padding counts as 0.  Errors: NOMEM.
 */
locant_status lct_net_convolution_forward(struct lct_net_run *r,
                                          const void *input, int64_t from,
                                          int64_t T);
#endif
