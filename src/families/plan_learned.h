/* plan_learned.h - plans of families that add a table to their embeddings, or
   a bias to their scores; functions of struct lct_family */
#ifndef LCT_PLAN_LEARNED_H
#define LCT_PLAN_LEARNED_H
#include "family.h"

/* A learned table (BERT, RoBERTa, OPT, ..). */
locant_status lct_plan_learned(struct lct_position_plan *p,
                               const struct lct_config *c);
locant_status lct_plan_learned_gpt2(struct lct_position_plan *p,
                                    const struct lct_config *c);
locant_status lct_plan_learned_gpt_neo(struct lct_position_plan *p,
                                       const struct lct_config *c);
locant_status lct_plan_learned_mpnet(struct lct_position_plan *p,
                                     const struct lct_config *c);
/* DeBERTa, v2 and v3. */
locant_status lct_plan_learned_deberta(struct lct_position_plan *p,
                                       const struct lct_config *c);
locant_status lct_plan_learned_transfo_xl(struct lct_position_plan *p,
                                          const struct lct_config *c);
#endif
