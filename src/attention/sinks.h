/* sinks.h - a logit per head that joins the softmax but has no value */
#ifndef LCT_ATTENTION_SINKS_H
#define LCT_ATTENTION_SINKS_H
#include "gradient_pass.h"
#include "tables.h"

/* The logit of head h; -infinity without sinks. */
double lct_sinks_logit(const struct lct_plan *p, int64_t h);

/* Add to g->dsinks unless it is NULL. */
void lct_sinks_backward(const struct lct_plan *p,
                        const struct lct_gradient_pass *pass);
#endif
