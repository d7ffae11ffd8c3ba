/* net_mixture.h - the tensors of mixtures of experts */
#ifndef LCT_NET_MIXTURE_H
#define LCT_NET_MIXTURE_H
#include "net_bind.h"

/* Has layer i experts? */
bool lct_net_mixture_in(const struct lct_net_switches *s, int64_t i);

/* Those of the layer. */
locant_status lct_net_mixture_bind(struct lct_net_experts **out,
                                   struct lct_net_binder *b);
#endif
