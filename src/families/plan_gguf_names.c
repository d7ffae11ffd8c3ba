/* plan_gguf_names.c - what GGUF files call the keys of transformers */
#include "plan_gguf_keys.h"
#include <stdio.h>
#include <string.h>

/* What llama.cpp calls it, without the architecture; NULL: no key says it. */
static const char *name_of(const struct lct_plan_gguf *g, const char *key)
{
    const struct lct_family *f = g->family;
    const struct lct_family_names *n = f->names;
    const char *window = f->window_key ? f->window_key : "sliding_window";
    const char *rms = "attention.layer_norm_rms_epsilon";
    const struct {
        const char *ours, *theirs;
    } table[] = {
        { n->layers, "block_count" },
        { n->hidden, "embedding_length" },
        { n->heads, "attention.head_count" },
        { n->kv_heads, "attention.head_count_kv" },
        { n->length, "context_length" },
        { n->epsilon, lct_plan_gguf_keys_find(g, rms)
                          ? rms
                          : "attention.layer_norm_epsilon" },
        { window, "attention.sliding_window" },
        { "num_layers", "block_count" },
        { "num_decoder_layers", "decoder_block_count" },
        { "num_heads", "attention.head_count" },
        { "num_kv_heads", "attention.head_count_kv" },
        { "head_dim", "attention.key_length" },
        { "d_kv", "attention.key_length" },
        { "v_head_dim", "attention.value_length_mla" },
        { "qk_rope_head_dim", "rope.dimension_count" },
        { "rotary_dim", "rope.dimension_count" },
        { "layer_types", "attention.sliding_window_pattern" },
        { "attention_multiplier", "attention.scale" },
        { "query_pre_attn_scalar", "attention.scale" },
        { "attn_logit_softcapping", "attn_logit_softcapping" },
        { "relative_attention_num_buckets",
          "attention.relative_buckets_count" },
        { "alibi", "attention.max_alibi_bias" },
        { "alibi_bias_max", "attention.max_alibi_bias" },
        { "rotary_emb_base", "rope.freq_base" },
        { "rope_theta", "rope.freq_base" },
        { "rope_type", "rope.scaling.type" },
        { "factor", "rope.scaling.factor" },
        { "original_max_position_embeddings",
          "rope.scaling.original_context_length" },
    };
    const char *last = lct_plan_names_last(key);

    if (strstr(key, "sliding_attention.rope_theta") != NULL)
        return "rope.freq_base_swa";
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].ours != NULL && strcmp(table[i].ours, last) == 0)
            return table[i].theirs;
    return NULL;
}

static bool full_name(char out[LCT_PLAN_NAME], const void *context,
                      const char *key)
{
    const struct lct_plan_gguf *g = context;
    const char *name = name_of(g, key);

    if (name != NULL)
        snprintf(out, LCT_PLAN_NAME, "%.20s.%.42s", g->c->model_type, name);
    return name != NULL;
}

static bool has_key(const void *context, const char *name)
{
    const struct lct_plan_gguf *g = context;

    return json_object_get(g->c->root, name) != NULL;
}

struct lct_plan_names lct_plan_gguf_names(const struct lct_plan_gguf *g)
{
    return (struct lct_plan_names){ full_name, has_key, g };
}
