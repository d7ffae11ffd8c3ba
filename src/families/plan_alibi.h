/* plan_alibi.h - plans of decoders with keys of their own: those with ALiBi,
   GPT-J, Qwen 1; functions of struct lct_family */
#ifndef LCT_PLAN_ALIBI_H
#define LCT_PLAN_ALIBI_H
#include "family.h"

lct_plan_fn lct_plan_alibi_bloom;
lct_plan_fn lct_plan_alibi_mpt;
/* Falcon, which has rotary parameters or ALiBi. */
lct_plan_fn lct_plan_alibi_falcon;
/* GPT-J and CodeGen: rotary_dim channels, base 10000. */
lct_plan_fn lct_plan_alibi_gptj;
/* Qwen 1: base by length, temperature by length. */
lct_plan_fn lct_plan_alibi_qwen;
#endif
