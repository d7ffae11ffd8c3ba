/*
 * net_streams.h - several streams of states, of which each layer computes one
 * and predicts the others (Gemma 3n)
 *
 * Baykal et al. 2023, arXiv:2301.13310v2; modeling_gemma3n.py of transformers.
 */
#ifndef LCT_NET_STREAMS_H
#define LCT_NET_STREAMS_H
#include "net_attention.h"
#include "net_inputs.h"

/* What stands before the first layer and after the last one; one stream if the
   switches say none. */
locant_status lct_net_streams_bind(struct lct_net_stack *s,
                                   struct lct_net_binder *b);
/* Those of a layer. */
locant_status lct_net_streams_bind_layer(struct lct_net_streams **out,
                                         struct lct_net_binder *b);

/* x [streams, rows, D] from x [rows, D]: maps of it with its size. */
void lct_net_streams_enter(void *x, int64_t rows, struct lct_net_room *room);
/* x [rows, D] = the mean of all, mapped back.  Errors: NOMEM. */
locant_status lct_net_streams_leave(void *x, int64_t rows,
                                    struct lct_net_room *room);

/* x [streams, rows, D] after layer i.  Errors: as
   lct_net_attention_forward(). */
locant_status lct_net_streams_forward(void *x, const struct lct_net_step *step,
                                      const struct lct_net_layer *l, int64_t i);
#endif
