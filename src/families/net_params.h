/* net_params.h - the dialect of params.json: keys and names of Meta's and
   Mistral's own files */
#ifndef LCT_NET_PARAMS_H
#define LCT_NET_PARAMS_H
#include "net_bind.h"

/* *out = the keys under the names of config.json, to be released.
   Errors: NOMEM. */
locant_status lct_net_params_translate(json_t **out, const struct lct_net *n);

extern const struct lct_net_names lct_net_params_names;
#endif
