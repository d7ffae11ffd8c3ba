/* net_losses.h - what a model loses on each token of a text */
#ifndef LCT_NET_LOSSES_H
#define LCT_NET_LOSSES_H
#include "model_input.h"

/* out [B, T - 1] = -ln of the probability of id t + 1 given those before it;
   NAN where a mask hides it or the token before it.  Errors: NOMEM. */
locant_status lct_net_losses(double *out, const struct lct_net *n,
                             struct lct_model_input *in);
#endif
