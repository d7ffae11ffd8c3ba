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

/* Modules outside of layers. */
static const char *const outer[][2] = {
    { "embed_tokens",     "token_embd" },
    { "embed_in",         "token_embd" },
    { "norm",             "output_norm" },
    { "final_layer_norm", "output_norm" },
    { "lm_head",          "output" },
    { "embed_out",        "output" },
};

/* Modules of a layer; "%" stands for the number of an expert. */
static const char *const inner[][2] = {
    { "input_layernorm",            "attn_norm" },
    { "post_attention_layernorm",   "ffn_norm" },
    { "pre_feedforward_layernorm",  "ffn_norm" },
    { "post_feedforward_layernorm", "post_ffw_norm" },
    { "self_attn.q_proj",           "attn_q" },
    { "self_attn.k_proj",           "attn_k" },
    { "self_attn.v_proj",           "attn_v" },
    { "self_attn.qkv_proj",         "attn_qkv" },
    { "self_attn.o_proj",           "attn_output" },
    { "self_attn.q_norm",           "attn_q_norm" },
    { "self_attn.k_norm",           "attn_k_norm" },
    { "attention.query_key_value",  "attn_qkv" },
    { "attention.dense",            "attn_output" },
    { "mlp.gate_proj",              "ffn_gate" },
    { "mlp.up_proj",                "ffn_up" },
    { "mlp.gate_up_proj",           "ffn_up" },
    { "mlp.down_proj",              "ffn_down" },
    { "mlp.c_fc",                   "ffn_up" },
    { "mlp.c_proj",                 "ffn_down" },
    { "mlp.dense_h_to_4h",          "ffn_up" },
    { "mlp.dense_4h_to_h",          "ffn_down" },
    { "mlp.gate",                   "ffn_gate_inp" },
    { "block_sparse_moe.gate",      "ffn_gate_inp" },
    { "mlp.shared_expert_gate",     "ffn_gate_inp_shexp" },
    { "mlp.shared_expert.gate_proj", "ffn_gate_shexp" },
    { "mlp.shared_expert.up_proj",  "ffn_up_shexp" },
    { "mlp.shared_expert.down_proj", "ffn_down_shexp" },
    { "mlp.experts.%.gate_proj",    "ffn_gate_exps" },
    { "mlp.experts.%.up_proj",      "ffn_up_exps" },
    { "mlp.experts.%.down_proj",    "ffn_down_exps" },
    { "block_sparse_moe.experts.%.w1", "ffn_gate_exps" },
    { "block_sparse_moe.experts.%.w3", "ffn_up_exps" },
    { "block_sparse_moe.experts.%.w2", "ffn_down_exps" },
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
        if (matches(expert, mark, module, n, inner[i][0]))
            return inner[i][1];
    return NULL;
}

static const char *outer_name(const char *module, size_t n)
{
    for (size_t i = 0; i < sizeof outer / sizeof *outer; i++) {
        const size_t m = strlen(outer[i][0]);

        if (n >= m && memcmp(module + n - m, outer[i][0], m) == 0 &&
            (n == m || module[n - m - 1] == '.'))
            return outer[i][1];
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
