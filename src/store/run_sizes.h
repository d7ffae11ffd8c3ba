/* run_sizes.h - the sizes of a run, judged, and as text */
#ifndef LCT_RUN_SIZES_H
#define LCT_RUN_SIZES_H
#include "../model/model.h"
#include "store.h"

enum { LCT_VOCAB = 256 };

/* Of a run, at most. */
#define LCT_STEPS_MAX (INT64_C(1) << 40)

/* Of a run's options: layers, width, .. memory, parent.  Errors: PARAM. */
locant_status lct_check_sizes(const locant_train_options *o);

/* The encoding of that spec as trained at 'length', to be freed. */
locant_status lct_encoding_at(locant_encoding **out, const char *spec,
                              int64_t length);

/* "layers=3,width=64,.." of at most 127 bytes, and back: only what the first
   writes, with sizes that options may have. */
void lct_model_text(char out[128], const struct lct_model_config *config);
locant_status lct_model_parse(struct lct_model_config *config,
                              const char *text);
#endif
