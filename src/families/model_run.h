/* model_run.h - locant_model, and its runs */
#ifndef LCT_MODEL_RUN_H
#define LCT_MODEL_RUN_H
#include "model_input.h"
#include "net_memory.h"

struct locant_model {
    struct lct_net *net;
};

/* Open a run of the tokens; the encoder has read its own then.  To be ended
   after a failure too. */
locant_status lct_model_run_begin(struct lct_net_run *run,
                                  struct lct_net_memory *memory,
                                  const struct lct_net *n,
                                  const struct lct_model_input *in,
                                  int64_t capacity);
void lct_model_run_end(struct lct_net_run *run, struct lct_net_memory *memory);
#endif
