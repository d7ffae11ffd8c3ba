/*
 * plan_gguf_notes.c - where the values of a plan came from, by the keys of its
 * GGUF file
 *
 * The plan was made of these keys under the names of transformers.
 */
#include "plan_gguf_keys.h"
#include <stdio.h>
#include <string.h>

/* The last part of a key: "rope_theta" of "rope_parameters.rope_theta". */
static const char *last_part(const char *key)
{
    const char *dot = strrchr(key, '.');

    return dot != NULL ? dot + 1 : key;
}

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
    const char *last = last_part(key);

    if (strstr(key, "sliding_attention.rope_theta") != NULL)
        return "rope.freq_base_swa";
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].ours != NULL && strcmp(table[i].ours, last) == 0)
            return table[i].theirs;
    return NULL;
}

/* A key that the file has not is the default of llama.cpp, and what no key says
   follows from tensors or from the architecture. */
static void rename_note(struct lct_plan_note *note,
                        const struct lct_plan_gguf *g)
{
    const char *name;

    if (note->origin == LCT_DERIVED)
        return;
    name = name_of(g, note->key);
    note->origin = name == NULL ? LCT_DERIVED
                   : lct_plan_gguf_keys_find(g, name) != NULL
                       ? LCT_GIVEN
                       : LCT_CLASS_DEFAULT;
    note->key[0] = '\0';
    if (name != NULL)
        snprintf(note->key, sizeof note->key, "%.20s.%s", g->c->model_type,
                 name);
}

void lct_plan_gguf_notes(struct lct_plan_gguf *g)
{
    for (int i = 0; i < g->plan->n_towers; i++) {
        const struct lct_tower *t = &g->plan->towers[i];

        for (size_t k = 0; k < t->n_notes; k++)
            rename_note(&t->notes[k], g);
    }
}
