/* net_length.h - a rotation whose base depends on the length of a prompt
   (Qwen 1) */
#ifndef LCT_NET_LENGTH_H
#define LCT_NET_LENGTH_H
#include "net_run.h"

/*
 * *out = the encoding of all layers for prompts of these tokens, or NULL if it
 * is that of the plan.  With r rotated channels the base is multiplied by
 * alpha^(r / (r - 2)), alpha = max(2^ceil(log2(n / trained) + 1) - 1, 1), where
 * n counts the tokens of a row: those of the mask if there are more than
 * 'trained'.
 * Errors: UNSUPPORTED (rows want different bases), NOMEM.
 *
 * Source: modeling_qwen.py beside the files of Qwen-7B, get_ntk_alpha().
 */
locant_status lct_net_length_encoding(locant_encoding **out,
                                      const struct lct_net_run *r,
                                      const struct lct_net_tokens *t);
#endif
