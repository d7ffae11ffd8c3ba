/* config_gguf.h - the keys of a GGUF file as a JSON object */
#ifndef LCT_CONFIG_GGUF_H
#define LCT_CONFIG_GGUF_H
#include "../files/gguf.h"
#include <jansson.h>

/* Errors: FORMAT, NOMEM.  *out is NULL after a failure. */
locant_status lct_config_gguf(json_t **out, const struct lct_gguf *g);
#endif
