/* family.c - the table of families, from families.def, and its search */
#include "family.h"
#include "../encodings/spec.h"
#include "plan_decoder.h"
#include "plan_others.h"
#include <string.h>

static const struct lct_family_names llama_names = {
    .layers = "num_hidden_layers",
    .hidden = "hidden_size",
    .heads = "num_attention_heads",
    .kv_heads = "num_key_value_heads",
    .length = "max_position_embeddings",
    .base = "rope_theta",
    .partial = "partial_rotary_factor",
    .epsilon = "rms_norm_eps"
};

/* The same with another name of epsilon. */
static const struct lct_family_names layer_norm_names = {
    .layers = "num_hidden_layers",
    .hidden = "hidden_size",
    .heads = "num_attention_heads",
    .kv_heads = "num_key_value_heads",
    .length = "max_position_embeddings",
    .base = "rope_theta",
    .partial = "partial_rotary_factor",
    .epsilon = "layer_norm_eps"
};

static const struct lct_family_names neox_names = {
    .layers = "num_hidden_layers",
    .hidden = "hidden_size",
    .heads = "num_attention_heads",
    .kv_heads = "num_key_value_heads",
    .length = "max_position_embeddings",
    .base = "rotary_emb_base",
    .partial = "rotary_pct",
    .epsilon = "layer_norm_eps"
};

static const struct lct_family_names gemma3_names = {
    .layers = "num_hidden_layers",
    .hidden = "hidden_size",
    .heads = "num_attention_heads",
    .kv_heads = "num_key_value_heads",
    .length = "max_position_embeddings",
    .base = "rope_theta",
    .base_local = "rope_local_base_freq",
    .partial = "partial_rotary_factor",
    .epsilon = "rms_norm_eps"
};

static const struct lct_family_names modernbert_names = {
    .layers = "num_hidden_layers",
    .hidden = "hidden_size",
    .heads = "num_attention_heads",
    .kv_heads = "num_key_value_heads",
    .length = "max_position_embeddings",
    .base = "global_rope_theta",
    .base_local = "local_rope_theta",
    .partial = "partial_rotary_factor",
    .epsilon = "norm_eps"
};

/* clang-format off */
#define DECODER(names_) .plan = lct_plan_decoder, .names = &names_
#define SIZES(layers_, hidden_, heads_, kv, head, length_)            \
    .layers = layers_, .hidden = hidden_, .heads = heads_, .kv_heads = kv, \
    .head_dim = head, .length = length_
#define RMS_HEAD .norm = { .kind = LCT_QK_RMS, .over = LCT_OVER_HEAD }, \
    .epsilon = 1e-6
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

const struct lct_family *lct_family_find(const char *model_type)
{
    for (size_t i = 0; i < FAMILIES; i++)
        if (strcmp(families[i].model_type, model_type) == 0)
            return &families[i];
    return NULL;
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
