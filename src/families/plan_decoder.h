/* plan_decoder.h - plans of decoders (and encoders) of the shape of Llama */
#ifndef LCT_PLAN_DECODER_H
#define LCT_PLAN_DECODER_H
#include "family.h"

/* A function of struct lct_family: one text tower, by the row of the family. */
lct_plan_fn lct_plan_decoder;
#endif
