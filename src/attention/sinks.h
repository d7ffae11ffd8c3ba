/* sinks.h - a logit of each head that takes weight and gives nothing */
#ifndef LCT_ATTENTION_SINKS_H
#define LCT_ATTENTION_SINKS_H
#include "tables.h"

/* The logit of head h; -infinity without sinks. */
double lct_sinks_logit(const struct lct_plan *p, int64_t h);

/* dsinks, if it is wanted: of any engine. */
void lct_sinks_backward(const struct lct_plan *p,
                        const locant_attention_gradients *g,
                        const locant_tensor *dout, const locant_tensor *out,
                        const locant_tensor *lse);
#endif
