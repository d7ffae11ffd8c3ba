/* model_plan.h - a position plan, printed for people; from its JSON */
#ifndef LOCANT_CLI_MODEL_PLAN_H
#define LOCANT_CLI_MODEL_PLAN_H
#include "cli.h"
#include "locant/models.h"

/* Read the plan of MODEL as JSON, which the caller releases; 'as' is an index
   of MODEL_STACKS. */
#define MODEL_STACKS "true|hf4|hf5|vllm|llama.cpp|mlx"
int model_plan_read(json_t **out, const char *path, int as);

/* Print the whole plan; 'layers': one line for each layer, too. */
void model_plan_print(const json_t *plan, bool layers);
#endif
