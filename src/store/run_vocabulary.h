/* run_vocabulary.h - the byte-pair vocabulary of a run */
#ifndef LCT_RUN_VOCABULARY_H
#define LCT_RUN_VOCABULARY_H
#include "run_sizes.h"

/* Comes before the hash of the vocabulary in the key of a run. */
#define LCT_KEY_VOCABULARY ";vocabulary="

/*
 * The vocabulary that the run's model reads, from the options that the store
 * keeps; NULL for one of bytes, or of the symbols of a task. To be released.
 * Errors: FORMAT (missing or damaged; not the one in the run's key), IO, NOMEM.
 */
locant_status lct_run_vocabulary(struct lct_vocabulary **out, locant_store *s,
                                 const locant_run_info *run);
#endif
