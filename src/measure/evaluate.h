/* evaluate.h - evaluating a trained model on a corpus */
#ifndef LCT_EVALUATE_H
#define LCT_EVALUATE_H
#include "../store/store_eval.h"

/* Targets of a block; the default number of blocks. */
enum { LCT_EVAL_TARGETS = 64, LCT_EVAL_BLOCKS = 96 };

/* Bytes before a target that stay when its context is changed. */
enum { LCT_KEPT_BYTES = 8 };

/* Seed that chooses the blocks of every evaluation. */
enum { LCT_EVAL_SEED = 1 };

/* Called with the number of tokens just evaluated. Nonzero stops the
   evaluation. */
typedef int (*lct_tick)(int64_t tokens, void *context);

/* locant_evaluate() with a way to stop; tick may be NULL. */
locant_status lct_evaluate(locant_evaluation *out, locant_store *store,
                           int64_t run, const locant_corpus *corpus,
                           int64_t blocks, lct_tick tick, void *context);

/* locant_evaluate_as() with a way to stop; tick may be NULL. */
locant_status lct_evaluate_as(locant_evaluation *out, locant_store *store,
                              int64_t run, const locant_corpus *corpus,
                              const locant_eval_options *options, lct_tick tick,
                              void *context);

/* Estimated number of tokens that an evaluation by all protocols feeds to a
   model trained at 'length'. */
int64_t lct_evaluation_tokens(int64_t blocks, int64_t length);

/* The same of a model that is defined at 'reach' positions, and the mean length
   of a token's window. */
double lct_evaluation_windows(double *mean_length, int64_t blocks,
                              int64_t length, int64_t reach);
#endif
