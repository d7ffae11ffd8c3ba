/* family.c - the table of families, from families.def, and its search */
#include "family.h"
#include "../core/suggest.h"
#include "plan_alibi.h"
#include "plan_decoder.h"
#include "plan_learned.h"
#include "plan_pairs.h"
#include "plan_vision.h"
#include <string.h>

/* clang-format off */
#define LLAMA_NAMES                                                         \
    .layers = "num_hidden_layers", .hidden = "hidden_size",                 \
    .heads = "num_attention_heads", .kv_heads = "num_key_value_heads",      \
    .length = "max_position_embeddings", .base = "rope_theta",              \
    .partial = "partial_rotary_factor"

#define NAMES(name, ...) \
    static const struct lct_family_names name = { __VA_ARGS__ }

NAMES(llama_names, LLAMA_NAMES, .epsilon = "rms_norm_eps");
NAMES(layer_norm_names, LLAMA_NAMES, .epsilon = "layer_norm_eps");
NAMES(nemotron_names, LLAMA_NAMES, .epsilon = "norm_eps");
NAMES(gemma3_names, LLAMA_NAMES, .base_local = "rope_local_base_freq",
      .epsilon = "rms_norm_eps");
NAMES(bert_names, LLAMA_NAMES, .epsilon = "layer_norm_eps");
NAMES(neox_names, .layers = "num_hidden_layers", .hidden = "hidden_size",
      .heads = "num_attention_heads", .kv_heads = "num_attention_heads",
      .length = "max_position_embeddings", .base = "rotary_emb_base",
      .partial = "rotary_pct", .epsilon = "layer_norm_eps");
NAMES(modernbert_names, .layers = "num_hidden_layers",
      .hidden = "hidden_size", .heads = "num_attention_heads",
      .kv_heads = "num_key_value_heads", .length = "max_position_embeddings",
      .base = "global_rope_theta", .base_local = "local_rope_theta",
      .partial = "partial_rotary_factor", .epsilon = "norm_eps");
NAMES(kimi_linear_names, .layers = "num_hidden_layers",
      .hidden = "hidden_size", .heads = "num_attention_heads",
      .kv_heads = "num_key_value_heads", .length = "model_max_length",
      .base = "rope_theta", .partial = "partial_rotary_factor",
      .epsilon = "rms_norm_eps");
NAMES(falcon_names, .layers = "num_hidden_layers", .hidden = "hidden_size",
      .heads = "num_attention_heads", .kv_heads = "num_kv_heads",
      .length = "max_position_embeddings", .base = "rope_theta",
      .partial = "partial_rotary_factor", .epsilon = "layer_norm_epsilon");
NAMES(bloom_names, .layers = "n_layer", .hidden = "hidden_size",
      .heads = "n_head", .length = "seq_length");
NAMES(gpt2_names, .layers = "n_layer", .hidden = "n_embd", .heads = "n_head",
      .length = "n_positions");
NAMES(gpt_neo_names, .layers = "num_layers", .hidden = "hidden_size",
      .heads = "num_heads", .length = "max_position_embeddings");
NAMES(mpt_names, .layers = "n_layers", .hidden = "d_model",
      .heads = "n_heads", .length = "max_seq_len");
NAMES(distilbert_names, .layers = "n_layers", .hidden = "dim",
      .heads = "n_heads", .length = "max_position_embeddings");
NAMES(bart_names, .layers = "encoder_layers", .hidden = "d_model",
      .heads = "encoder_attention_heads",
      .length = "max_position_embeddings");
NAMES(transfo_xl_names, .layers = "n_layer", .hidden = "d_model",
      .heads = "n_head", .length = "mem_len");

#define DECODER(names_) .plan = lct_plan_decoder, .names = &names_
#define TABLE(names_) .plan = lct_plan_learned, .names = &names_
#define SIZES(layers_, hidden_, heads_, kv, head, length_)            \
    .layers = layers_, .hidden = hidden_, .heads = heads_, .kv_heads = kv, \
    .head_dim = head, .length = length_
#define RMS_HEAD .norm = { .kind = LCT_QK_RMS, .over = LCT_OVER_HEAD }
#define RMS_ALL .norm = { .kind = LCT_QK_RMS, .over = LCT_OVER_ALL }
#define LCT_FAMILY(...) { __VA_ARGS__ },

static const struct lct_family families[] = {
#include "families.def"
};
/* clang-format on */

enum { FAMILIES = sizeof families / sizeof families[0] };

const struct lct_family *lct_family_at(size_t i)
{
    return i < FAMILIES ? &families[i] : NULL;
}

/* Whole multimodal models, whose text part need not name its own class. */
static const char *const outer[][2] = {
    { "gemma3", "gemma3_text" },
    { "gemma3n", "gemma3n_text" },
    { "gemma4", "gemma4_text" },
    { "kimi_k25", "kimi_k2" },
    { "kimi_vl", "deepseek_v3" },
    { "llama4", "llama4_text" },
    { "mistral3", "mistral" },
    { "qwen2_5_vl", "qwen2_5_vl_text" },
    { "qwen2_vl", "qwen2_vl_text" },
    { "qwen3_vl", "qwen3_vl_text" },
    { "qwen3_vl_moe", "qwen3_vl_moe_text" },
};

const struct lct_family *lct_family_find(const char *model_type)
{
    for (size_t i = 0; i < sizeof outer / sizeof outer[0]; i++)
        if (strcmp(outer[i][0], model_type) == 0)
            model_type = outer[i][1];
    for (size_t i = 0; i < FAMILIES; i++)
        if (strcmp(families[i].model_type, model_type) == 0)
            return &families[i];
    return NULL;
}

const char *lct_family_base_key(const struct lct_family *f)
{
    return f != NULL && f->names != NULL && f->names->base != NULL
               ? f->names->base
               : "rope_theta";
}

const char *lct_family_length_key(const struct lct_family *f)
{
    return f != NULL && f->names != NULL && f->names->length != NULL
               ? f->names->length
               : "max_position_embeddings";
}

const struct lct_family *lct_family_of_gguf(const char *architecture)
{
    for (size_t i = 0; i < FAMILIES; i++)
        if (families[i].gguf != NULL &&
            strcmp(families[i].gguf, architecture) == 0)
            return &families[i];
    return NULL;
}

static const char *name_at(const void *list, size_t i)
{
    (void)list;
    return i < FAMILIES ? families[i].model_type : NULL;
}

void lct_family_suggest(char *out, size_t size, const char *model_type)
{
    lct_suggest(out, size, name_at, families, model_type, strlen(model_type));
}
