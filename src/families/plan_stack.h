/*
 * plan_stack.h - in what other programs differ from transformers 5 when they
 * read the same keys
 *
 * Source: transformers 4.57.1, vLLM of early 2026, the converter and the graphs
 * of llama.cpp of late 2025, mlx-lm; docs/guide/models lists the differences.
 */
#ifndef LCT_PLAN_STACK_H
#define LCT_PLAN_STACK_H
#include "plan_rope.h"

/*
 * The rope type that a type is to a program, "ntk" among them; NULL: the
 * program refuses it.
 */
const char *lct_plan_stack_type(enum lct_stack stack,
                                const struct lct_family *f, const char *type);

/* Does it read windows of this family? */
bool lct_plan_stack_windows(enum lct_stack stack, const struct lct_family *f);

/* Does it write and read the base of this family? */
bool lct_plan_stack_base(enum lct_stack stack, const struct lct_family *f);

/*
 * The length of the first training where it is in no key: 0: as transformers,
 * below 0: the program fails.
 */
int64_t lct_plan_stack_original(enum lct_stack stack, const char *type);

/* Does a key of the top level count before the one of the dictionary? */
bool lct_plan_stack_outer_original(enum lct_stack stack,
                                   const struct lct_family *f,
                                   const char *type);

/* Does the key of the dictionary count at all? */
bool lct_plan_stack_inner_original(enum lct_stack stack, const char *type);

/* Is the factor of longrope the ratio of lengths, even if one is given?
   'outer': the length of the first training is a key of the top level. */
bool lct_plan_stack_ratio(enum lct_stack stack, bool outer);

/* Does it multiply scores by mscale_all_dim in this family? */
bool lct_plan_stack_score(enum lct_stack stack, const struct lct_family *f);

/* The name in messages. */
const char *lct_plan_stack_name(enum lct_stack stack);
#endif
