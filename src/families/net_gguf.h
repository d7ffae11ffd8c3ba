/* net_gguf.h - GGUF files as the models of transformers that they were made
   of: keys, switches, names */
#ifndef LCT_NET_GGUF_H
#define LCT_NET_GGUF_H
#include "net_bind.h"

/*
 * *out = the keys of a GGUF file under the names of config.json, to be
 * released; *family = the family, whose plan n->plan has.
 * Errors: NOMEM, UNSUPPORTED (no such family).
 */
locant_status lct_net_gguf_translate(json_t **out,
                                     const struct lct_net_family **family,
                                     const struct lct_net *n);

/* The names of the files of a family: of its decoder, or of its only stack; of
   its encoder, NULL if it has no other. */
const struct lct_net_names *lct_net_gguf_names(const char *model_type,
                                               bool encoder);

/* The model_type whose net and names a file has: that of its plan, or one that
   shares its positions. */
const char *lct_net_gguf_type(const struct lct_config *c,
                              const struct lct_position_plan *plan);

/* Are the MLPs of a T5 of these tensors gated? */
bool lct_net_gguf_gated(const struct lct_weights *w);

/* Does a T5 of these keys and tensors scale its states before the head? */
bool lct_net_gguf_scaled(const struct lct_config *c,
                         const struct lct_weights *w);

/* What converters change in switches, and the names of the file. */
void lct_net_gguf_switch(struct lct_net_binder *b);
#endif
