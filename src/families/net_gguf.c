/*
 * net_gguf.c - GGUF files as the models of transformers that they were made of
 *
 * Converters add 1 to the weights of Gemma's norms, transpose those of GPT-2,
 * write fused q, k, v one after the other, and stack experts; pairs of
 * channels are the matter of the position plan.
 *
 * Source: gguf-py/gguf/constants.py and convert_hf_to_gguf.py of llama.cpp.
 */
#include "net_gguf.h"
#include "family.h"
#include <stdio.h>
#include <string.h>

/* Keys behind "<architecture>.", and what they are called in config.json. */
static const struct {
    const char *gguf, *names[6];
} keys[] = {
    { "embedding_length", { "hidden_size", "n_embd", "d_model" } },
    { "feed_forward_length", { "intermediate_size" } },
    { "attention.layer_norm_rms_epsilon", { "rms_norm_eps" } },
    { "attention.layer_norm_epsilon",
      { "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps" } },
    { "attention.kv_lora_rank", { "kv_lora_rank" } },
    { "rope.dimension_count", { "qk_rope_head_dim" } },
    { "expert_count", { "num_local_experts" } },
    { "expert_used_count", { "num_experts_per_tok" } },
    { "expert_feed_forward_length", { "moe_intermediate_size" } },
    { "expert_weights_scale", { "routed_scaling_factor" } },
    { "expert_weights_norm", { "norm_topk_prob" } },
    { "expert_group_count", { "n_group" } },
    { "expert_group_used_count", { "topk_group" } },
    { "leading_dense_block_count", { "first_k_dense_replace" } },
    { "interleave_moe_layer_step", { "interleave_moe_layer_step" } },
    { "final_logit_softcapping", { "final_logit_softcapping" } },
    { "logit_scale", { "logit_scale", "logits_scaling" } },
    { "residual_scale", { "residual_multiplier" } },
    { "embedding_scale", { "embedding_multiplier" } },
    { "use_parallel_residual", { "use_parallel_residual" } },
};

static const json_t *key_of(const struct lct_config *c, const char *key)
{
    char name[128];

    snprintf(name, sizeof(name), "%s.%s", c->model_type, key);
    return json_object_get(c->root, name);
}

static locant_status put(json_t *out, const char *name, const json_t *value)
{
    if (value == NULL || json_object_set(out, name, (json_t *)value) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
}

static locant_status put_new(json_t *out, const char *name, json_t *value)
{
    if (value != NULL && json_object_set_new(out, name, value) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
}

bool lct_net_gguf_gated(const struct lct_weights *w)
{
    return lct_weights_find(w, "dec.blk.0.ffn_gate.weight") != NULL;
}

/* A head of its own stands for no scale, unless a key says it: see
   lct_net_family_t5(). */
bool lct_net_gguf_scaled(const struct lct_config *c,
                         const struct lct_weights *w)
{
    const json_t *said = key_of(c, "scale_decoder_outputs");

    return json_is_boolean(said) ? json_is_true(said)
                                 : lct_weights_find(w, "output.weight") == NULL;
}

/* Activation, head and scale of T5. */
static locant_status put_t5(json_t *out, const struct lct_net *n)
{
    const json_t *start = key_of(&n->config, "decoder_start_token_id");

    LCT_TRY(put(out, "decoder_start_token_id", start));
    LCT_TRY(put(out, "d_ff", key_of(&n->config, "feed_forward_length")));
    LCT_TRY(put_new(out, "scale_decoder_outputs",
                    json_boolean(lct_net_gguf_scaled(&n->config, n->weights))));
    return put_new(
        out, "feed_forward_proj",
        json_string(lct_net_gguf_gated(n->weights) ? "gated-gelu" : "relu"));
}

/* Keys elsewhere, and what readers of these files take for granted. */
static locant_status put_others(json_t *out, const struct lct_net *n)
{
    const struct lct_config *c = &n->config;
    const json_t *clip = key_of(c, "attention.clamp_kqv");

    LCT_TRY(put(out, "eos_token_id",
                json_object_get(c->root, "tokenizer.ggml.eos_token_id")));
    LCT_TRY(put(out, "pad_token_id",
                json_object_get(c->root, "tokenizer.ggml.padding_token_id")));
    if (clip != NULL)
        LCT_TRY(
            put_new(out, "attn_config", json_pack("{s:O}", "clip_qkv", clip)));
    if (strcmp(c->model_type, "t5") == 0)
        LCT_TRY(put_t5(out, n));
    if (strcmp(c->model_type, "qwen3moe") == 0)
        LCT_TRY(put_new(out, "norm_topk_prob", json_true()));
    if (strcmp(c->model_type, "deepseek2") == 0)
        return put_new(out, "topk_method", json_string("group_limited_greedy"));
    return LOCANT_OK;
}

const char *lct_net_gguf_type(const struct lct_config *c,
                              const struct lct_position_plan *plan)
{
    const json_t *gating = key_of(c, "expert_gating_func");
    const json_t *experts = key_of(c, "expert_count");

    if (strcmp(c->model_type, "llama") == 0 && json_integer_value(experts) > 0)
        return "mixtral";
    if (strcmp(c->model_type, "deepseek2") == 0)
        return json_integer_value(gating) == 2 ? "deepseek_v3" : "deepseek_v2";
    return plan->family->model_type;
}

locant_status lct_net_gguf_translate(json_t **out,
                                     const struct lct_net_family **family,
                                     const struct lct_net *n)
{
    *out = NULL;
    *family = lct_net_families_find(lct_net_gguf_type(&n->config, &n->plan));
    if (*family == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: models of architecture \"%s\" cannot be run",
                           n->config.file, n->config.model_type);
    *out = json_object();
    LCT_NET_GOT(*out);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        for (size_t k = 0; keys[i].names[k] != NULL; k++)
            LCT_TRY(
                put(*out, keys[i].names[k], key_of(&n->config, keys[i].gguf)));
    return put_others(*out, n);
}

/* ------------------------------------------------------------------- names */

const struct lct_net_names *lct_net_gguf_names(const char *model_type,
                                               bool encoder)
{
    const struct lct_net_family *f = lct_net_families_find(model_type);
    const struct lct_net_names *own =
        f != NULL ? f->switches.gguf[encoder] : NULL;

    return own != NULL || encoder ? own : &lct_net_families_gguf;
}

/* clang-format off */
static const struct lct_net_names falcon_two = {
    .base = &lct_net_families_gguf,
    .name = { [LCT_NORM_ATTN] = "attn_norm_2", [LCT_NORM_MLP] = "attn_norm" } };
/* clang-format on */

/* Falcon and StableLM: which norms there are tells the architecture. */
static void find_variant(struct lct_net_binder *b)
{
    const char *type = b->n->family->model_type;
    const struct lct_weights *w = b->n->weights;
    const bool two = lct_weights_find(w, "blk.0.attn_norm_2.weight") != NULL;
    const bool mlp = lct_weights_find(w, "blk.0.ffn_norm.weight") != NULL;

    if (strcmp(type, "falcon") == 0) {
        b->n->s.variant = mlp ? 1 : two ? 2 : 0;
        b->n->s.residual = mlp ? LCT_SEQUENTIAL : LCT_PARALLEL;
        b->prefix.names = two ? &falcon_two : &lct_net_families_gguf;
    }
    if (strcmp(type, "stablelm") == 0) {
        b->n->s.variant = mlp ? 0 : 1;
        b->n->s.residual = mlp ? LCT_SEQUENTIAL : LCT_PARALLEL;
    }
    b->prefix.roles = b->n->family->names[b->n->s.variant];
}

void lct_net_gguf_switch(struct lct_net_binder *b)
{
    struct lct_net_switches *s = &b->n->s;

    s->plus_one = s->input_major = false;
    s->qkv = LCT_QKV_STACKED;
    s->tied = true;
    s->stacked_experts = true;
    s->interleaved_experts = s->input_major_experts = false;
    if (strncmp(b->n->family->model_type, "glm", 3) == 0)
        s->biases = 0; /* some models have none, and no key says which */
    b->prefix.names = lct_net_gguf_names(b->n->family->model_type, false);
    find_variant(b);
}
