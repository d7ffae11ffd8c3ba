/* check_params.h - a params.json in the words of transformers */
#ifndef LCT_CHECK_PARAMS_H
#define LCT_CHECK_PARAMS_H
#include "config.h"

/*
 * The keys of a params.json of Meta or Mistral under the names that
 * transformers 4 has for them, values as they are; a new reference, NULL
 * without memory.
 */
json_t *lct_check_params(const struct lct_config *c);

/* The key of params.json that 'key' was made of; 'key' itself if there is
   none. */
const char *lct_check_params_key(const char *key);
#endif
