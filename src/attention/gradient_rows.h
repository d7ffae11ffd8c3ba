/* gradient_rows.h - what the files of the tiled engine's backward share */
#ifndef LCT_ATTENTION_BACKWARD_H
#define LCT_ATTENTION_BACKWARD_H
#include "tile.h"

struct lct_backward_job {
    struct lct_problem *p;
    const locant_attention *a;
    const locant_attention_gradients *g;
    const locant_tensor *dout, *out, *lse;
    bool learns;    /* gradients of parameters are wanted: of any part, */
    bool bias;      /* and of the score door */
    bool dq, dk;    /* gradients of q, k are needed */
    int64_t from;   /* first batch row of this chunk */
};

/* Scale, turn back and store dq of one tile. */
void lct_store_dq(const struct lct_backward_job *job, const struct lct_tile *t,
                  struct lct_scratch *s);

/*
 * Before and after all queries of head 'head' of k and v, batch row b: set its
 * gradients to 0 where they are summed; turn them back, and store those that
 * are summed in the scratch.
 */
void lct_clear_keys(const struct lct_backward_job *job, int64_t b,
                    int64_t head, struct lct_scratch *s);
void lct_store_keys(const struct lct_backward_job *job, int64_t b,
                    int64_t head, struct lct_scratch *s);
#endif
