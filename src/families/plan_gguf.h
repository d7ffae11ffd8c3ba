/* plan_gguf.h - plans from the keys and tensors of a GGUF file */
#ifndef LCT_PLAN_GGUF_H
#define LCT_PLAN_GGUF_H
#include "family.h"
#include "weights.h"

/*
 * Plan a GGUF file as llama.cpp reads it: 'c' is its keys, 'weights' its
 * tensors or NULL.  Fills family, pairing (unless it is given) and towers.
 * Errors: FORMAT, UNSUPPORTED (an unknown architecture), NOMEM.
 */
locant_status lct_plan_gguf(struct lct_position_plan *p,
                            const struct lct_config *c,
                            const struct lct_weights *weights);

/*
 * *out = the keys of the file as a config.json of its family has them, as far
 * as positions need them; to be released.  Errors: as above.
 */
locant_status lct_plan_gguf_config(json_t **out, const struct lct_config *c,
                                   const struct lct_weights *weights);

/* "; did you mean 'llama'? known: .." for an unknown architecture. */
void lct_plan_gguf_suggest(char *out, size_t size, const char *architecture);
#endif
