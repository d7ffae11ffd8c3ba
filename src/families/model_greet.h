/* model_greet.h - were all ranks called with the same? */
#ifndef LCT_MODEL_GREET_H
#define LCT_MODEL_GREET_H
#include "model_share.h"

/* Refuse, on all ranks, a call of which one has another build, model, input or
   flags than rank 0, or has failed so far. */
locant_status lct_model_greet(const struct lct_model_call *c);
#endif
