/* run_sizes.h - the sizes of a run: checked, and as text */
#ifndef LCT_RUN_SIZES_H
#define LCT_RUN_SIZES_H
#include "../corpus/vocabulary.h"
#include "../model/model.h"
#include "store.h"

/* Most steps of a run. */
#define LCT_STEPS_MAX (INT64_C(1) << 40)

/* Refuse options whose struct_size is not the one expected, and a value outside
   low .. high; 'fn' is the public function. Errors: PARAM. */
locant_status lct_check_struct(const char *fn, size_t size, size_t expected);
locant_status lct_check_range(const char *fn, const char *name, int64_t value,
                              int64_t low, int64_t high);

/* Check the options that are sizes or numbers of steps and layers, and parent
   and memory. Errors: PARAM. */
locant_status lct_check_sizes(const locant_train_options *o);

/* Set layers, width, heads, kv_heads, ff and rms_norm to those of a model. */
void lct_set_sizes(locant_train_options *o, const struct lct_model_config *c);

/* Create the encoding of a spec as trained at 'length'; to be freed. */
locant_status lct_encoding_create_at(locant_encoding **out, const char *spec,
                                     int64_t length);

/* Print the sizes as "layers=3,width=64,..", and read them back. Text that
   lct_model_print() would not print and sizes that options may not have are
   refused. */
void lct_model_print(char out[128], const struct lct_model_config *config);
locant_status lct_model_parse(struct lct_model_config *config,
                              const char *text);
#endif
