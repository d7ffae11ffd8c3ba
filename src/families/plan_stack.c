/* plan_stack.c - in what other programs differ from transformers 5 */
#include "plan_stack.h"
#include "../core/text.h"
#include <string.h>

/* A type of every program, by the name that transformers 5 has for it. */
static const char *common(const struct lct_family *f, const char *type)
{
    if ((f->flags & LCT_TYPE_MROPE) && strcmp(type, "mrope") == 0)
        return "default";
    if ((f->flags & LCT_PHI3) && lct_is_among("su yarn", type))
        return "longrope";
    return lct_is_among(
               "default linear dynamic yarn longrope llama3 proportional", type)
               ? type
               : NULL;
}

const char *lct_plan_stack_type(enum lct_stack stack,
                                const struct lct_family *f, const char *type)
{
    const char *usual = common(f, type);

    switch (stack) {
    case LCT_STACK_VLLM:
        if (strcmp(type, "ntk") == 0)
            return "ntk";
        if (strcmp(type, "deepseek_yarn") == 0)
            return "yarn";
        if (strcmp(type, "mrope") == 0)
            return "default";
        return usual;
    case LCT_STACK_LLAMACPP: /* the converter warns and writes nothing */
        return usual == NULL || strcmp(usual, "dynamic") == 0 ? "default"
                                                              : usual;
    case LCT_STACK_MLX:
        if (strcmp(type, "mrope") == 0)
            return "default";
        return usual != NULL && strcmp(usual, "dynamic") == 0 ? NULL : usual;
    default: return usual;
    }
}

bool lct_plan_stack_windows(enum lct_stack stack, const struct lct_family *f)
{
    if (stack != LCT_STACK_LLAMACPP)
        return true;
    return f->rule == LCT_LAYERS_PERIOD || f->rule == LCT_LAYERS_FIRST ||
           (f->flags & LCT_PHI3) != 0;
}

bool lct_plan_stack_base(enum lct_stack stack, const struct lct_family *f)
{
    return stack != LCT_STACK_LLAMACPP || !(f->flags & LCT_NO_GGUF_BASE);
}

int64_t lct_plan_stack_original(enum lct_stack stack, const char *type)
{
    const bool llama3 = strcmp(type, "llama3") == 0;

    if (strcmp(type, "longrope") == 0)
        return 0;
    switch (stack) {
    case LCT_STACK_HF4: return llama3 ? -1 : 0;
    case LCT_STACK_VLLM: return -1;
    case LCT_STACK_LLAMACPP: return llama3 ? 8192 : -1;
    case LCT_STACK_MLX: return llama3 ? 8192 : 4096;
    default: return 0;
    }
}

bool lct_plan_stack_outer_original(enum lct_stack stack,
                                   const struct lct_family *f, const char *type)
{
    switch (stack) {
    case LCT_STACK_HF4: return strcmp(type, "longrope") == 0;
    case LCT_STACK_VLLM:
    case LCT_STACK_LLAMACPP:
    case LCT_STACK_MLX:
        return (f->flags & LCT_PHI3) || strcmp(type, "longrope") == 0;
    default: return true;
    }
}

bool lct_plan_stack_inner_original(enum lct_stack stack, const char *type)
{
    return stack != LCT_STACK_HF4 || strcmp(type, "longrope") != 0;
}

bool lct_plan_stack_ratio(enum lct_stack stack, bool outer)
{
    return stack == LCT_STACK_LLAMACPP || stack == LCT_STACK_MLX ||
           (stack == LCT_STACK_HF4 && outer);
}

bool lct_plan_stack_score(enum lct_stack stack, const struct lct_family *f)
{
    if (!(f->flags & LCT_SCORE))
        return false;
    return stack != LCT_STACK_HF4 || strcmp(f->model_type, "deepseek_v2") != 0;
}

const char *lct_plan_stack_name(enum lct_stack stack)
{
    static const char *const names[] = { "transformers 5", "transformers 4",
                                         "transformers 5", "vLLM",
                                         "llama.cpp",      "mlx-lm" };

    return names[stack];
}
