/* measures.h - evaluates the measures of a report from LCT_LOGN on */
#ifndef LCT_MEASURES_H
#define LCT_MEASURES_H
#include "evaluate.h"
#include "results.h"

/* Evaluate a run by lct_evaluate_as() for every such measure that the store
   lacks. */
locant_status lct_measures_evaluate(locant_store *store, int64_t id,
                                    const locant_corpus *corpus, int64_t blocks,
                                    lct_tick tick, void *context);

/* Tokens that lct_measures_evaluate() feeds to a model trained at 'length'. */
int64_t lct_measures_tokens(int64_t blocks, const char *spec, int64_t length);

/* Read the stored block losses of all measures but P1 of a run. Its evaluation,
   of which 'want' blocks were requested, was read before. */
locant_status lct_measures_read(struct lct_result *out, locant_store *store,
                                int64_t want);
#endif
