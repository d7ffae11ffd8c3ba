/* plan_decoder.h - plans of decoders (and encoders) of the shape of Llama */
#ifndef LCT_PLAN_DECODER_H
#define LCT_PLAN_DECODER_H
#include "family.h"

/* A function of struct lct_family: one text tower, by the row of the family. */
locant_status lct_plan_decoder(struct lct_position_plan *p,
                               const struct lct_config *c);
#endif
