/* train_begin.h - the first step of a session of training */
#ifndef LCT_TRAIN_BEGIN_H
#define LCT_TRAIN_BEGIN_H
#include "trainer.h"

/* Initial parameters: the parent's, or drawn from the seed. */
locant_status lct_train_init_params(struct lct_trainer *t);

/*
 * Continue the run from its checkpoint, or if that is damaged from the one
 * before it; without one begin it. The caller holds the lock of the run.
 */
locant_status lct_train_begin(struct lct_trainer *t);
#endif
