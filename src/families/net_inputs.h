/* net_inputs.h - inputs that layers have beside the states (Gemma 3n and 4) */
#ifndef LCT_NET_INPUTS_H
#define LCT_NET_INPUTS_H
#include "net_bind.h"
#include "net_linear.h"

/* Those of the stack, and what a layer does with its own; nothing if the
   configuration has none. */
locant_status lct_net_inputs_bind(struct lct_net_stack *s,
                                  struct lct_net_binder *b);
locant_status lct_net_inputs_bind_layer(struct lct_net_input *in,
                                        struct lct_net_binder *b);

/*
 * out [rows, layers, width] from ids [rows] and their embeddings x [rows, D]:
 * (token sqrt(width) + norm(project x / sqrt(D))) / sqrt(2).  Errors: NOMEM.
 */
locant_status lct_net_inputs_make(void *out, const int64_t *ids, const void *x,
                                  int64_t rows, struct lct_net_room *room);

/* y [rows, D] = norm(out(act(gate x) input)), where 'all' has the inputs
   [rows, layers, width] of all layers.  Errors: NOMEM. */
locant_status lct_net_inputs_add(void *y, const void *x, int64_t rows,
                                 const struct lct_net_layer *l, int64_t layer,
                                 const void *all, struct lct_net_room *room);
#endif
