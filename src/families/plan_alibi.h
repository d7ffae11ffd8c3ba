/* plan_alibi.h - plans of decoders with keys of their own: those with ALiBi,
   GPT-J, Qwen 1; functions of struct lct_family */
#ifndef LCT_PLAN_ALIBI_H
#define LCT_PLAN_ALIBI_H
#include "family.h"

locant_status lct_plan_alibi_bloom(struct lct_position_plan *p,
                                   const struct lct_config *c);
locant_status lct_plan_alibi_mpt(struct lct_position_plan *p,
                                 const struct lct_config *c);
/* Falcon, which has rotary parameters or ALiBi. */
locant_status lct_plan_alibi_falcon(struct lct_position_plan *p,
                                    const struct lct_config *c);
/* GPT-J and CodeGen: rotary_dim channels, base 10000. */
locant_status lct_plan_alibi_gptj(struct lct_position_plan *p,
                                  const struct lct_config *c);
/* Qwen 1: base by length, temperature by length. */
locant_status lct_plan_alibi_qwen(struct lct_position_plan *p,
                                  const struct lct_config *c);
#endif
