/* model_run.h - locant_model, and its runs */
#ifndef LCT_MODEL_RUN_H
#define LCT_MODEL_RUN_H
#include "model_sight.h"
#include "net_memory.h"

struct locant_model {
    struct lct_net *net;
};

/* What a run reads beside its tokens: the keys and values of an encoder, the
   states of images.  Begin with zeros. */
struct lct_model_memory {
    struct lct_net_memory encoder;
    struct lct_model_sight sight;
};

/* Open a run of the tokens; the encoder and the tower have read their own then,
   of which 'in' tells.  To be ended after a failure too. */
locant_status lct_model_run_begin(struct lct_net_run *run,
                                  struct lct_model_memory *memory,
                                  const struct lct_net *n,
                                  struct lct_model_input *in, int64_t capacity);
/* The same in steps of at most 'most' tokens, which ranks share out. */
locant_status lct_model_run_begin_share(struct lct_net_run *run,
                                        struct lct_model_memory *memory,
                                        const struct lct_net *n,
                                        struct lct_model_input *in,
                                        int64_t most,
                                        struct lct_net_share *share);
void lct_model_run_end(struct lct_net_run *run,
                       struct lct_model_memory *memory);
#endif
