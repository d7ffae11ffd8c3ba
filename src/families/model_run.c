/* model_run.c - runs of a locant_model */
#include "model_run.h"
#include "net_length.h"

/* The encoder and the tower read what is theirs. */
static locant_status read_others(struct lct_net_run *run,
                                 struct lct_model_memory *memory,
                                 const struct lct_net *n,
                                 struct lct_model_input *in)
{
    run->seen = &memory->sight.seen;
    LCT_TRY(lct_model_sight_read(&memory->sight, n, in));
    if (!lct_model_input_pair(n))
        return LOCANT_OK;
    run->memory = &memory->encoder;
    return lct_net_memory_read(&memory->encoder, n, in->B, &in->source);
}

locant_status lct_model_run_begin(struct lct_net_run *run,
                                  struct lct_model_memory *memory,
                                  const struct lct_net *n,
                                  struct lct_model_input *in, int64_t capacity)
{
    const int64_t most = lct_net_length_matters(&n->text)
                             ? capacity
                             : lct_net_run_chunk(n, in->B, in->T);

    LCT_TRY(lct_net_run_begin(run, n, in->B, capacity, most));
    return read_others(run, memory, n, in);
}

locant_status lct_model_run_begin_share(struct lct_net_run *run,
                                        struct lct_model_memory *memory,
                                        const struct lct_net *n,
                                        struct lct_model_input *in,
                                        int64_t most,
                                        struct lct_net_share *share)
{
    LCT_TRY(lct_net_run_begin_share(run, n, in->B, in->T, most, share));
    return read_others(run, memory, n, in);
}

void lct_model_run_end(struct lct_net_run *run, struct lct_model_memory *memory)
{
    lct_net_run_end(run);
    lct_net_memory_free(&memory->encoder);
    lct_model_sight_free(&memory->sight);
}
