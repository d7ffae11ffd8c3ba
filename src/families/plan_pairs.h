/* plan_pairs.h - plans of encoders with decoders; functions of
   struct lct_family */
#ifndef LCT_PLAN_PAIRS_H
#define LCT_PLAN_PAIRS_H
#include "family.h"

/* T5, mT5, UMT5. */
locant_status lct_plan_pairs_t5(struct lct_position_plan *p,
                                const struct lct_config *c);
/* Marian, Pegasus: sinusoids. */
locant_status lct_plan_pairs_marian(struct lct_position_plan *p,
                                    const struct lct_config *c);
/* BART and its like: learned tables. */
locant_status lct_plan_pairs_bart(struct lct_position_plan *p,
                                  const struct lct_config *c);
locant_status lct_plan_pairs_whisper(struct lct_position_plan *p,
                                     const struct lct_config *c);
#endif
