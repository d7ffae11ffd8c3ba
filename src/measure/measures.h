/* measures.h - what a report measures of a run besides the protocols */
#ifndef LCT_MEASURES_H
#define LCT_MEASURES_H
#include "evaluate.h"
#include "results.h"

/*
 * How a run is evaluated for a measure; false: not at all, as a policy where
 * nothing ends, or two temperatures.  'spec' has to outlive the options.
 */
bool lct_measure_options(locant_eval_options *o, char spec[320],
                         enum lct_measure measure, const locant_run_info *run);

/* All of them that the store lacks; lct_evaluate_as(). */
locant_status lct_evaluate_more(locant_store *store, int64_t id,
                                const locant_corpus *corpus, int64_t blocks,
                                lct_tick tick, void *context);

/* Tokens that feeds, of an encoding trained at 'length'. */
int64_t lct_more_tokens(int64_t blocks, const char *spec, int64_t length);

/* What the store has of a run whose evaluation of 'want' blocks was read. */
locant_status lct_read_measures(struct lct_result *out, locant_store *store,
                                int64_t want);
#endif
