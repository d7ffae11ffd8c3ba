/* net_losses.h - what a model loses on each token of a text */
#ifndef LCT_NET_LOSSES_H
#define LCT_NET_LOSSES_H
#include "model_input.h"
#include "net_run.h"

/* Logits of so many tokens at a time: those of a long text would take more
   memory than the model. */
enum { LCT_NET_LOSSES_ROWS = 32 };

/* Losses of row b of out [B, in->T - 1], of the tokens after t .. t + T - 1,
   whose states r->x [B, T, D] has.  Room for logits [LCT_NET_LOSSES_ROWS,
   vocab]. */
void lct_net_losses_put(double *out, struct lct_net_run *r,
                        const struct lct_model_input *in, int64_t b, int64_t t,
                        int64_t T, void *logits);

/* out [B, T - 1] = -ln of the probability of id t + 1 given those before it;
   NAN where a mask hides it or the token before it.  Errors: NOMEM. */
locant_status lct_net_losses(double *out, const struct lct_net *n,
                             struct lct_model_input *in);
#endif
