/* plan_pairs.h - plans of encoders with decoders; functions of
   struct lct_family */
#ifndef LCT_PLAN_PAIRS_H
#define LCT_PLAN_PAIRS_H
#include "family.h"

/* T5, mT5, UMT5. */
lct_plan_fn lct_plan_pairs_t5;
/* Marian, Pegasus: sinusoids. */
lct_plan_fn lct_plan_pairs_marian;
/* BART and its like: learned tables. */
lct_plan_fn lct_plan_pairs_bart;
lct_plan_fn lct_plan_pairs_whisper;
#endif
