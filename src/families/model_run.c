/* model_run.c - runs of a locant_model */
#include "model_run.h"
#include "net_length.h"

locant_status lct_model_run_begin(struct lct_net_run *run,
                                  struct lct_net_memory *memory,
                                  const struct lct_net *n,
                                  const struct lct_model_input *in,
                                  int64_t capacity)
{
    const int64_t most = lct_net_length_matters(&n->text)
                             ? capacity
                             : lct_net_run_chunk(n, in->B, in->T);

    LCT_TRY(lct_net_run_begin(run, n, in->B, capacity, most));
    if (!lct_model_input_pair(n))
        return LOCANT_OK;
    run->memory = memory;
    return lct_net_memory_read(memory, n, in->B, &in->source);
}

void lct_model_run_end(struct lct_net_run *run, struct lct_net_memory *memory)
{
    lct_net_run_end(run);
    lct_net_memory_free(memory);
}
