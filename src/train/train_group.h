/* train_group.h - how the ranks of a group begin and end a run together */
#ifndef LCT_TRAIN_GROUP_H
#define LCT_TRAIN_GROUP_H
#include "trainer.h"

/* lct_greeting_begin() for a failure before there is a trainer, whose options
   may be wrong; OK is returned at once. */
locant_status lct_train_greet_failure(const locant_train_options *o,
                                      locant_status status);

/*
 * Rank 0, whose store has the run, tells the others how it begins: 'status' and
 * its message, whether the run is done, its id, steps and hash of batches; then
 * parameters and moments.
 */
locant_status lct_train_share_begin(struct lct_trainer *t, locant_status status,
                                    bool *done);

/* Allocate the memory of all rows, if ranks share them. */
locant_status lct_train_reserve_memory(struct lct_trainer *t);

/* Collect the memory of all rows from the models of the ranks. */
locant_status lct_train_gather_memory(struct lct_trainer *t);

/* Fail unless all ranks have the parameters of rank 0. */
locant_status lct_train_compare(struct lct_trainer *t);

/* After a step of so many seconds, with those for messages in t->advice: once,
   after some steps, notify the user of rank 0 if messages take most of them. */
void lct_train_advise(struct lct_trainer *t, double seconds);

/*
 * Without other ranks returns 'status'. With some a failure is kept, to be told
 * to all ranks in the next exchange, and OK is returned: a rank that returned
 * alone would leave the others waiting.
 */
locant_status lct_train_hold(struct lct_trainer *t, locant_status status);

/* The failure that is kept, with its message as locant_last_error(); else
   'status'. */
locant_status lct_train_held(struct lct_trainer *t, locant_status status);

/* If an exchange has failed, add the step and where the run goes on to its
   message. */
locant_status lct_train_say_lost(const struct lct_trainer *t,
                                 locant_status status);
#endif
