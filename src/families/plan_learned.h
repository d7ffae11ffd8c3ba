/* plan_learned.h - plans of families that add a table to their embeddings, or
   a bias to their scores; functions of struct lct_family */
#ifndef LCT_PLAN_LEARNED_H
#define LCT_PLAN_LEARNED_H
#include "family.h"

/* A learned table (BERT, RoBERTa, OPT, ..). */
lct_plan_fn lct_plan_learned;
lct_plan_fn lct_plan_learned_gpt2;
lct_plan_fn lct_plan_learned_gpt_neo;
lct_plan_fn lct_plan_learned_mpnet;
/* DeBERTa, v2 and v3. */
lct_plan_fn lct_plan_learned_deberta;
lct_plan_fn lct_plan_learned_transfo_xl;
#endif
