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

/* Numbers of scratch that lct_net_inputs_add() needs for 'rows' rows. */
int64_t lct_net_inputs_scratch(const struct lct_net *n, int64_t rows);

/*
 * out [rows, layers, width] from ids [rows] and their embeddings x [rows, D]:
 * (token sqrt(width) + norm(project x / sqrt(D))) / sqrt(2).  Errors: NOMEM.
 */
locant_status lct_net_inputs_make(void *out, const int64_t *ids, const void *x,
                                  int64_t rows, const struct lct_net *n,
                                  const struct lct_net_room *room);

/* All inputs [rows, layers, width], of which layer i takes its own. */
struct lct_net_inputs {
    const void *all;
    int64_t layer;
    void *scratch;
};

/* y [rows, D] = norm(out(act(gate x) input)) */
void lct_net_inputs_add(void *y, const void *x, int64_t rows,
                        const struct lct_net *n, const struct lct_net_input *in,
                        const struct lct_net_inputs *inputs,
                        const struct lct_net_room *room);
#endif
