/* evaluate_shared.h - the steps of a batch that all ranks compute together */
#ifndef LCT_EVALUATE_SHARED_H
#define LCT_EVALUATE_SHARED_H
#include "eval.h"

/* Whether every rank can have a part of the batch. */
bool lct_eval_shared_is_possible(const struct lct_eval *ev,
                                 const struct lct_eval_batch *x);

/* The model for this rank's part of the windows, to be freed; NULL if it has
   whole windows. */
locant_status lct_eval_shared_model(struct lct_model **out, struct lct_eval *ev,
                                    const struct lct_eval_batch *x);

/* Set where the losses of each rank are among the news. */
void lct_eval_shared_lay_out(struct lct_eval *ev,
                             const struct lct_eval_batch *x);

/* Compute this rank's part of the batch in ev->tokens. */
locant_status lct_eval_shared_compute(struct lct_eval *ev, struct lct_model *m,
                                      const struct lct_eval_batch *x);

/* Bring the losses of all ranks to their places in ev->loss. */
void lct_eval_shared_collect(struct lct_eval *ev,
                             const struct lct_eval_batch *x);
#endif
