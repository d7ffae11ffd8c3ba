/* register.h - the key of a run, and its row in the store */
#ifndef LCT_REGISTER_H
#define LCT_REGISTER_H
#include "trainer.h"

/* The number of the encoding's parameters. */
int64_t lct_register_parameters(const struct lct_model *model);

/* Set the key of the run. Runs with the same key have the same bits. */
void lct_register_key(struct lct_trainer *t);

/* Find the run in the store, or insert it. */
locant_status lct_register_run(struct lct_trainer *t);
#endif
