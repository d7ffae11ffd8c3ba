/* measures.h - what a report measures of a run besides the protocols */
#ifndef LCT_MEASURES_H
#define LCT_MEASURES_H
#include "evaluate.h"
#include "results.h"

/* Evaluate, by lct_evaluate_as(), every measure that the store lacks. */
locant_status lct_evaluate_more(locant_store *store, int64_t id,
                                const locant_corpus *corpus, int64_t blocks,
                                lct_tick tick, void *context);

/* Tokens that lct_evaluate_more() feeds to a model trained at 'length'. */
int64_t lct_more_tokens(int64_t blocks, const char *spec, int64_t length);

/* Read the stored measures of a run after its evaluation of 'want' blocks was
   read. */
locant_status lct_read_measures(struct lct_result *out, locant_store *store,
                                int64_t want);
#endif
