/* convert_gguf_names.c - see convert_gguf_names.h */
#include "convert_gguf_names.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct lct_convert_gguf_family families[] = {
    { "cohere",      "command-r",  .interleaved = true },
    { "cohere2",     "cohere2",    .interleaved = true },
    { "gemma",       "gemma",      .plus_one = true },
    { "gemma2",      "gemma2",     .plus_one = true, .sandwich = true },
    { "gemma3_text", "gemma3",     .plus_one = true, .sandwich = true },
    { "gpt_neox",    "gptneox",    .interleaved = false },
    { "granite",     "granite",    .interleaved = true },
    { "llama",       "llama",      .interleaved = true },
    { "mistral",     "llama",      .interleaved = true },
    { "mixtral",     "llama",      .interleaved = true },
    { "olmo2",       "olmo2",      .sandwich = true },
    { "phi3",        "phi3",       .interleaved = false },
    { "qwen2",       "qwen2",      .interleaved = false },
    { "qwen2_moe",   "qwen2moe",   .interleaved = false },
    { "qwen3",       "qwen3",      .interleaved = false },
    { "qwen3_moe",   "qwen3moe",   .interleaved = false },
    { "smollm3",     "smollm3",    .interleaved = true },
    { "starcoder2",  "starcoder2", .interleaved = false },
};

/* Modules outside of layers; 'models': the only types that it is of, between
   blanks, NULL: all others. */
static const struct module {
    const char *name, *gguf, *models;
} outer[] = {
    { "embed_in",         "token_embd",  " gpt_neox " },
    { "final_layer_norm", "output_norm", " gpt_neox " },
    { "embed_out",        "output",      " gpt_neox " },
    { "embed_tokens",     "token_embd",  NULL },
    { "norm",             "output_norm", NULL },
    { "lm_head",          "output",      NULL },
};

/* Modules of a layer; "%" stands for the number of an expert. */
static const struct module inner[] = {
    { "input_layernorm",            "attn_norm",     NULL },
    { "pre_feedforward_layernorm",  "ffn_norm",      " gemma2 gemma3_text " },
    { "post_attention_layernorm",   "ffn_norm",      NULL },
    { "post_feedforward_layernorm", "post_ffw_norm", NULL },
    { "self_attn.q_proj",           "attn_q",        NULL },
    { "self_attn.k_proj",           "attn_k",        NULL },
    { "self_attn.v_proj",           "attn_v",        NULL },
    { "attention.query_key_value",  "attn_qkv",      " gpt_neox " },
    { "self_attn.qkv_proj",         "attn_qkv",      NULL },
    { "attention.dense",            "attn_output",   " gpt_neox " },
    { "self_attn.o_proj",           "attn_output",   NULL },
    { "self_attn.q_norm",           "attn_q_norm",   NULL },
    { "self_attn.k_norm",           "attn_k_norm",   NULL },
    { "mlp.gate_proj",              "ffn_gate",      NULL },
    { "mlp.gate_up_proj",           "ffn_up",        " phi3 " },
    { "mlp.c_fc",                   "ffn_up",        " starcoder2 " },
    { "mlp.dense_h_to_4h",          "ffn_up",        " gpt_neox " },
    { "mlp.up_proj",                "ffn_up",        NULL },
    { "mlp.c_proj",                 "ffn_down",      " starcoder2 " },
    { "mlp.dense_4h_to_h",          "ffn_down",      " gpt_neox " },
    { "mlp.down_proj",              "ffn_down",      NULL },
    { "block_sparse_moe.gate",      "ffn_gate_inp",  " mixtral " },
    { "mlp.gate",                   "ffn_gate_inp",  NULL },
    { "mlp.shared_expert_gate",     "ffn_gate_inp_shexp", NULL },
    { "mlp.shared_expert.gate_proj", "ffn_gate_shexp", NULL },
    { "mlp.shared_expert.up_proj",  "ffn_up_shexp",  NULL },
    { "mlp.shared_expert.down_proj", "ffn_down_shexp", NULL },
    { "block_sparse_moe.experts.%.w1", "ffn_gate_exps", " mixtral " },
    { "block_sparse_moe.experts.%.w3", "ffn_up_exps", " mixtral " },
    { "block_sparse_moe.experts.%.w2", "ffn_down_exps", " mixtral " },
    { "mlp.experts.%.gate_proj",    "ffn_gate_exps", NULL },
    { "mlp.experts.%.up_proj",      "ffn_up_exps",   NULL },
    { "mlp.experts.%.down_proj",    "ffn_down_exps", NULL },
};

/* Ends of names of tensors that GGUF has no use for. */
static const char *const left_out[] = {
    ".rotary_emb.inv_freq", ".attention.bias", ".attention.masked_bias",
};
/* clang-format on */

const struct lct_convert_gguf_family *
lct_convert_gguf_family(const char *model_type)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i].model_type, model_type) == 0)
            return &families[i];
    return NULL;
}

const struct lct_convert_gguf_family *
lct_convert_gguf_architecture(const char *architecture)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i].architecture, architecture) == 0)
            return &families[i];
    return NULL;
}

const char *lct_convert_gguf_families(void)
{
    return "cohere, cohere2, gemma, gemma2, gemma3_text, gpt_neox, granite, "
           "llama, mistral, mixtral, olmo2, phi3, qwen2, qwen2_moe, qwen3, "
           "qwen3_moe, smollm3, starcoder2";
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/*
 * Does 'text' [n] consist of the pattern?  *expert and *mark are then the
 * number that "%" stands for and where it is.
 */
static bool matches(int64_t *expert, const char **mark, const char *text,
                    size_t n, const char *pattern)
{
    const char *end = text + n, *at = text;

    *expert = 0;
    *mark = NULL;
    for (; *pattern != 0; pattern++) {
        if (*pattern != '%') {
            if (at == end || *at++ != *pattern)
                return false;
            continue;
        }
        *mark = at;
        for (; at < end && *at >= '0' && *at <= '9' && *expert < 1 << 20; at++)
            *expert = 10 * *expert + (*at - '0');
        if (at == *mark)
            return false;
    }
    return at == end;
}

/* The first digit of the layer's number in "..layers.N.", or NULL. */
static const char *find_layer(const char *name)
{
    const char *at = strstr(name, "layers.");

    if (at == NULL || (at > name && at[-1] != '.'))
        return NULL;
    at += strlen("layers.");
    return *at >= '0' && *at <= '9' ? at : NULL;
}

/* The name of a module within a layer; NULL: it is unknown. */
static const char *inner_name(int64_t *expert, const char **mark,
                              const char *module, size_t n,
                              const struct lct_convert_gguf_family *f)
{
    static const char after[] = "post_attention_layernorm";

    if (f->sandwich && n == strlen(after) && memcmp(module, after, n) == 0)
        return "post_attention_norm";
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
        if (matches(expert, mark, module, n, inner[i].name))
            return inner[i].gguf;
    return NULL;
}

static const char *outer_name(const char *module, size_t n)
{
    for (size_t i = 0; i < sizeof outer / sizeof *outer; i++) {
        const size_t m = strlen(outer[i].name);

        if (n >= m && memcmp(module + n - m, outer[i].name, m) == 0 &&
            (n == m || module[n - m - 1] == '.'))
            return outer[i].gguf;
    }
    return NULL;
}

enum lct_convert_gguf_kind
lct_convert_gguf_name(char out[LCT_CONVERT_GGUF_NAME], int64_t *expert,
                      const char **mark, const char *name,
                      const struct lct_convert_gguf_family *f)
{
    const char *digits = find_layer(name), *tail = strrchr(name, '.');
    const char *found, *module;
    int64_t layer;

    *expert = 0;
    *mark = NULL;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (ends_with(name, left_out[i]))
            return LCT_CONVERT_GGUF_LEFT_OUT;
    if (tail == NULL ||
        (strcmp(tail, ".weight") != 0 && strcmp(tail, ".bias") != 0))
        return LCT_CONVERT_GGUF_UNKNOWN;
    if (digits == NULL) {
        found = outer_name(name, (size_t)(tail - name));
        snprintf(out, LCT_CONVERT_GGUF_NAME, "%s%s", found ? found : "", tail);
        return found ? LCT_CONVERT_GGUF_TENSOR : LCT_CONVERT_GGUF_UNKNOWN;
    }
    layer = strtoll(digits, NULL, 10);
    module = strchr(digits, '.');
    if (module == NULL || module >= tail || layer > 1 << 20)
        return LCT_CONVERT_GGUF_UNKNOWN;
    found =
        inner_name(expert, mark, module + 1, (size_t)(tail - module - 1), f);
    snprintf(out, LCT_CONVERT_GGUF_NAME, "blk.%" PRId64 ".%s%s", layer,
             found ? found : "", tail);
    if (found == NULL)
        return LCT_CONVERT_GGUF_UNKNOWN;
    return *mark ? LCT_CONVERT_GGUF_EXPERT : LCT_CONVERT_GGUF_TENSOR;
}

/* ------------------------------------------------------------- the way back */

/* Is the type one of 'models', which stand between blanks? */
static bool is_among(const char *models, const char *type)
{
    const size_t n = strlen(type);

    for (const char *at = models; (at = strstr(at, type)) != NULL; at++)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

/* The module of this family whose name in GGUF is 'text' [n]. */
static const char *module_of(const struct module *table, size_t rows,
                             const char *text, size_t n, const char *type)
{
    for (size_t i = 0; i < rows; i++)
        if (strlen(table[i].gguf) == n && memcmp(table[i].gguf, text, n) == 0 &&
            (table[i].models == NULL || is_among(table[i].models, type)))
            return table[i].name;
    return NULL;
}

/* Write the name of a module: of a layer, or of none (-1). */
static enum lct_convert_gguf_kind put_back(char out[LCT_CONVERT_GGUF_NAME],
                                           const char *module, int64_t layer,
                                           int64_t expert, const char *tail,
                                           const char *root)
{
    const char *percent = strchr(module, '%');
    const bool head =
        strcmp(module, "lm_head") == 0 || strcmp(module, "embed_out") == 0;

    if (layer < 0)
        snprintf(out, LCT_CONVERT_GGUF_NAME, "%s%s%s", head ? "" : root, module,
                 tail);
    else if (percent == NULL)
        snprintf(out, LCT_CONVERT_GGUF_NAME, "%slayers.%" PRId64 ".%s%s", root,
                 layer, module, tail);
    else
        snprintf(out, LCT_CONVERT_GGUF_NAME,
                 "%slayers.%" PRId64 ".%.*s%" PRId64 "%s%s", root, layer,
                 (int)(percent - module), module, expert, percent + 1, tail);
    return percent ? LCT_CONVERT_GGUF_EXPERT : LCT_CONVERT_GGUF_TENSOR;
}

/* The module of that name within a layer, or outside of layers. */
static const char *find_back(const char *name, size_t n, bool layer,
                             const struct lct_convert_gguf_family *f)
{
    static const char after[] = "post_attention_norm";

    if (!layer)
        return module_of(outer, sizeof outer / sizeof *outer, name, n,
                         f->model_type);
    if (f->sandwich && n == strlen(after) && memcmp(name, after, n) == 0)
        return "post_attention_layernorm";
    return module_of(inner, sizeof inner / sizeof *inner, name, n,
                     f->model_type);
}

enum lct_convert_gguf_kind
lct_convert_gguf_back(char out[LCT_CONVERT_GGUF_NAME], const char *name,
                      int64_t expert, const struct lct_convert_gguf_family *f)
{
    const bool neox = strcmp(f->model_type, "gpt_neox") == 0;
    const char *tail = strrchr(name, '.'), *module;
    int64_t layer = -1;

    if (strncmp(name, "rope_", 5) == 0)
        return LCT_CONVERT_GGUF_LEFT_OUT;
    if (strncmp(name, "blk.", 4) == 0) {
        layer = strtoll(name + 4, NULL, 10);
        name = strchr(name + 4, '.');
        name = name ? name + 1 : tail;
    }
    if (tail == NULL || name > tail || layer > 1 << 20)
        return LCT_CONVERT_GGUF_UNKNOWN;
    module = find_back(name, (size_t)(tail - name), layer >= 0, f);
    return module ? put_back(out, module, layer, expert, tail,
                             neox ? "gpt_neox." : "model.")
                  : LCT_CONVERT_GGUF_UNKNOWN;
}
