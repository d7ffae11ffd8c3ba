/*
 * model_share.h - logits and losses that the ranks of a group compute together
 *
 * Rows of a batch go to ranks whole, if there are at least as many as ranks;
 * rank r of P has rows [B r/P, B (r+1)/P).  Otherwise, and where a row depends
 * on the others, all ranks have all rows, and the tokens of each step are
 * shared out (net_share.h).
 */
#ifndef LCT_MODEL_SHARE_H
#define LCT_MODEL_SHARE_H
#include "../group/group.h"
#include "model_run.h"

/* What a public function was called with, on this rank. */
struct lct_model_call {
    const char *fn;
    const struct lct_net *n;
    const locant_model_input *input;
    struct lct_model_input in; /* the same, checked */
    const locant_group *group; /* of several ranks */
    int flags;
    int64_t each;         /* of logits: numbers of a row of 'out' */
    locant_status status; /* a failure so far: its message is the last error */
};

/* The group of an input, checked; NULL: one process.  Other failures are left
   to lct_model_input_check(). */
locant_status lct_model_share_group(const locant_group **out, const char *fn,
                                    const locant_model_input *in);

/* Refuse a group of several ranks. */
locant_status lct_model_share_refuse(const char *fn,
                                     const locant_model_input *in);

/* Rank 0 gets logits or states.  Every rank returns the same status. */
locant_status lct_model_share_logits(void *out, double *seconds,
                                     const struct lct_model_call *call);

/* Every rank gets the losses, [B, T - 1]. */
locant_status lct_model_share_losses(double *out,
                                     const struct lct_model_call *call);
#endif
