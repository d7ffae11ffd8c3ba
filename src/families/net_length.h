/* net_length.h - rotations that depend on the length of a text, or of a prompt
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

/* Does the rotation of some layer depend on the length of the text, as those of
   dynamic NTK and LongRoPE? */
bool lct_net_length_matters(const struct lct_net_stack *s);

/* Does one token more change the rotation of all tokens?  Those of LongRoPE
   change once, those of dynamic NTK with each.  Errors: NOMEM. */
locant_status lct_net_length_grows(bool *out, const struct lct_net_run *r);
#endif
