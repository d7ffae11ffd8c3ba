/* convert_back_config.c - config.json from the keys of a GGUF file */
#include "convert_back.h"
#include "../core/text.h"
#include "family.h"
#include "net_gguf.h"
#include "plan_gguf.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct keys {
    const struct lct_convert *c;
    const struct lct_convert_gguf_family *family;
    json_t *out;
};

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM, "no memory for config.json");
}

static locant_status set(struct keys *k, const char *key, json_t *value)
{
    return json_object_set_new(k->out, key, value) == 0 ? LOCANT_OK
                                                        : no_memory();
}

/* "ARCHITECTURE.name" of the file; NULL: it is absent. */
static const json_t *find(const struct keys *k, const char *name)
{
    char key[96];

    snprintf(key, sizeof key, "%s.%s", k->family->architecture, name);
    return json_object_get(k->c->config.root, key);
}

static bool has_tensor(const struct keys *k, const char *name)
{
    return lct_weights_find(k->c->weights, name) != NULL;
}

/* ------------------------------------------------------------------ numbers */

/* 15 digits, if they are enough for every real, else 17. */
static size_t digits_for(const json_t *value)
{
    const char *key;
    json_t *item;
    size_t i, digits = 15;
    char text[40];

    if (json_is_real(value)) {
        snprintf(text, sizeof text, "%.15g", json_real_value(value));
        if (strtod(text, NULL) != json_real_value(value))
            return 17;
    }
    json_array_foreach(value, i, item)
        digits = digits_for(item) > digits ? 17 : digits;
    json_object_foreach((json_t *)(uintptr_t)value, key, item)
        digits = digits_for(item) > digits ? 17 : digits;
    return digits;
}

/* --------------------------------------------------------------------- keys */

#define LATENT "deepseek_v2 deepseek_v3"

/* Keys of GGUF and of config.json; a row with types is of those alone. */
static const struct {
    const char *gguf, *name, *models;
} copied[] = {
    { "feed_forward_length", "intermediate_size", NULL },
    { "expert_count", "num_local_experts", "mixtral" },
    { "expert_count", "num_experts", "qwen2_moe qwen3_moe" },
    { "expert_used_count", "num_experts_per_tok", NULL },
    { "expert_count", "n_routed_experts", LATENT },
    { "expert_shared_count", "n_shared_experts", LATENT },
    { "expert_weights_scale", "routed_scaling_factor", LATENT },
    { "expert_weights_norm", "norm_topk_prob", LATENT },
    { "expert_group_count", "n_group", LATENT },
    { "expert_group_used_count", "topk_group", LATENT },
    { "leading_dense_block_count", "first_k_dense_replace", LATENT },
    { "attention.kv_lora_rank", "kv_lora_rank", LATENT },
    { "feed_forward_length", "d_ff", "t5 umt5" },
    { "embedding_length", "d_model", "t5 umt5" },
    { "decoder_start_token_id", "decoder_start_token_id", "t5 umt5" },
    { "expert_feed_forward_length", "moe_intermediate_size", NULL },
    { "expert_shared_feed_forward_length", "shared_expert_intermediate_size",
      NULL },
    { "final_logit_softcapping", "final_logit_softcapping", NULL },
    { "embedding_scale", "embedding_multiplier", NULL },
    { "residual_scale", "residual_multiplier", NULL },
    { "logit_scale", "logits_scaling", "granite" },
    { "logit_scale", "logit_scale", "cohere cohere2" },
    { "use_parallel_residual", "use_parallel_residual", NULL },
};

static locant_status copy_keys(struct keys *k)
{
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        const json_t *value = find(k, copied[i].gguf);

        if (value != NULL &&
            (copied[i].models == NULL ||
             lct_is_among(copied[i].models, k->family->model_type)))
            LCT_TRY(set(k, copied[i].name, json_deep_copy(value)));
    }
    return LOCANT_OK;
}

static locant_status put_tokens(struct keys *k)
{
    static const char *const names[][2] = {
        { "tokenizer.ggml.bos_token_id", "bos_token_id" },
        { "tokenizer.ggml.eos_token_id", "eos_token_id" },
        { "tokenizer.ggml.padding_token_id", "pad_token_id" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *value = json_object_get(k->c->config.root, names[i][0]);

        /* An absent one is null: defaults of classes may lie beyond the
           vocabulary. */
        LCT_TRY(
            set(k, names[i][1],
                json_is_integer(value) ? json_deep_copy(value) : json_null()));
    }
    return LOCANT_OK;
}

/* Has the first layer a bias of one of these maps? */
static bool has_bias(const struct keys *k, int maps)
{
    static const struct {
        int map;
        const char *name;
    } biases[] = { { LCT_BIAS_QKV, "blk.0.attn_q.bias" },
                   { LCT_BIAS_QKV, "blk.0.attn_qkv.bias" },
                   { LCT_BIAS_QKV, "blk.0.attn_kv_a_mqa.bias" },
                   { LCT_BIAS_O, "blk.0.attn_output.bias" },
                   { LCT_BIAS_MLP, "blk.0.ffn_up.bias" } };

    for (size_t i = 0; i < sizeof biases / sizeof *biases; i++)
        if ((biases[i].map & maps) != 0 && has_tensor(k, biases[i].name))
            return true;
    return false;
}

/* transformers reads biases only where a key of the class says so. */
static locant_status put_biases(struct keys *k)
{
    const struct lct_net_family *f =
        lct_net_families_find(k->family->model_type);
    const size_t n = f ? sizeof(f->bias_keys) / sizeof(f->bias_keys[0]) : 0;

    for (size_t i = 0; i < n && f->bias_keys[i].key != NULL; i++)
        LCT_TRY(set(k, f->bias_keys[i].key,
                    json_boolean(has_bias(k, f->bias_keys[i].maps))));
    return LOCANT_OK;
}

/* What tensors say: the vocabulary, a tied head, biases. */
static locant_status put_tensors(struct keys *k)
{
    const struct lct_weight *embed =
        lct_weights_find(k->c->weights, "token_embd.weight");

    if (embed != NULL)
        LCT_TRY(set(k, "vocab_size", json_integer(embed->shape[0])));
    LCT_TRY(set(k, "tie_word_embeddings",
                json_boolean(!has_tensor(k, "output.weight"))));
    return put_biases(k);
}

/* What the models of one kind have. */
static locant_status put_kind(struct keys *k)
{
    static const char *const not_of_t5[] = {
        "num_hidden_layers",   "hidden_size", "num_attention_heads",
        "num_key_value_heads", "head_dim",    "max_position_embeddings",
        "intermediate_size",
    };
    const char *type = k->family->model_type;
    const json_t *types =
        json_object_get(k->c->config.root, "tokenizer.ggml.token_type_count");
    const json_t *queries = find(k, "attention.q_lora_rank");

    if (strcmp(type, "bert") == 0) {
        json_object_del(k->out, "num_key_value_heads");
        return json_is_integer(types)
                   ? set(k, "type_vocab_size", json_deep_copy(types))
                   : LOCANT_OK;
    }
    if (strcmp(k->family->architecture, "t5") == 0) {
        for (size_t i = 0; i < sizeof not_of_t5 / sizeof *not_of_t5; i++)
            json_object_del(k->out, not_of_t5[i]);
        LCT_TRY(set(
            k, "scale_decoder_outputs",
            json_boolean(lct_net_gguf_scaled(&k->c->config, k->c->weights))));
        return set(k, "feed_forward_proj",
                   json_string(lct_net_gguf_gated(k->c->weights) ? "gated-gelu"
                                                                 : "relu"));
    }
    if (strcmp(type, "deepseek_v3") == 0)
        LCT_TRY(set(k, "rope_interleave", json_boolean(k->c->to)));
    if (strcmp(type, "deepseek_v2") == 0)
        LCT_TRY(set(
            k, "topk_method",
            json_string(json_integer_value(find(k, "expert_group_count")) > 1
                            ? "group_limited_greedy"
                            : "greedy")));
    if (!(k->c->plan.family->flags & LCT_MLA))
        return LOCANT_OK;
    /* GGUF counts those of the compressed form: one. */
    LCT_TRY(set(k, "num_key_value_heads",
                json_integer(k->c->tower->layers[0].heads)));
    return set(k, "q_lora_rank",
               queries ? json_deep_copy(queries) : json_null());
}

/* ----------------------------------------------------------------- rotation */

/* The share p with int(d p) = rotated in floating point, as transformers
   computes it. */
static double share_of(int64_t rotated, int64_t d)
{
    double p = (double)rotated / (double)d;

    if ((int64_t)((double)d * p) != rotated)
        p = nextafter(p, 1);
    return p;
}

/* The width is a share of the head, where the class reads one. */
static locant_status put_width(struct keys *k)
{
    const struct lct_convert_heads *h = &k->c->parts.heads[0];
    const char *key =
        strcmp(k->family->model_type, "gpt_neox") == 0 ? "rotary_pct"
        : strcmp(k->family->model_type, "phi3") == 0   ? "partial_rotary_factor"
                                                       : NULL;

    json_object_del(k->out, "rotary_dim");
    if (json_is_null(json_object_get(k->out, "head_dim")))
        json_object_del(k->out, "head_dim");
    if (key != NULL)
        return set(k, key, json_real(share_of(h->dims, h->width)));
    if (k->c->plan.family->flags & LCT_MLA)
        return LOCANT_OK;
    return h->dims == h->width || h->dims == 0
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_UNSUPPORTED,
                             "%s: %s: no key of config.json says that %lld of "
                             "%lld channels rotate",
                             k->c->config.file, k->family->model_type,
                             (long long)h->dims, (long long)h->width);
}

/* LongRoPE's own length at the top level, where its classes read it. */
static locant_status put_original(struct keys *k, const json_t *rope)
{
    static const char key[] = "original_max_position_embeddings";
    json_t *original = json_object_get(rope, key);
    const char *type = json_string_value(json_object_get(rope, "rope_type"));

    if (original == NULL || type == NULL || strcmp(type, "longrope") != 0)
        return LOCANT_OK;
    return set(k, key, json_deep_copy(original));
}

/* The base at the top level too, for readers of transformers 4. */
static locant_status put_bases(struct keys *k)
{
    const struct lct_family_names *names = k->c->plan.family->names;
    const json_t *rope = json_object_get(k->out, "rope_parameters");
    const json_t *full = json_object_get(rope, "full_attention");
    const json_t *local = json_object_get(rope, "sliding_attention");
    const char *type =
        json_string_value(json_object_get(full ? full : rope, "rope_type"));
    json_t *base = json_object_get(full ? full : rope, "rope_theta");

    if (type != NULL && strcmp(type, "divisors") == 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: no key of config.json says the divisors of "
                           "rope_freqs.weight, which are not those of Llama "
                           "3.1",
                           k->c->config.file);
    if (base != NULL)
        LCT_TRY(set(k, lct_family_base_key(k->c->plan.family),
                    json_deep_copy(base)));
    LCT_TRY(put_original(k, rope));
    base = json_object_get(local, "rope_theta");
    return base != NULL && names && names->base_local
               ? set(k, names->base_local, json_deep_copy(base))
               : LOCANT_OK;
}

static locant_status fill(struct keys *k)
{
    static const char softcap[] = "attn_logit_softcapping";
    const json_t *cap = json_object_get(k->out, softcap);

    if (json_is_real(cap) && !(json_real_value(cap) > 0))
        LCT_TRY(set(k, softcap, json_null())); /* scores would be over 0 */
    if (json_is_false(json_object_get(k->out, "use_sliding_window")))
        json_object_del(k->out, "layer_types"); /* of windows that none has */
    LCT_TRY(set(k, "model_type", json_string(k->family->model_type)));
    LCT_TRY(copy_keys(k));
    LCT_TRY(put_tokens(k));
    LCT_TRY(put_tensors(k));
    LCT_TRY(put_width(k));
    LCT_TRY(put_bases(k));
    LCT_TRY(put_kind(k));
    return LOCANT_OK;
}

static locant_status write_text(struct lct_convert *c, const json_t *root)
{
    char *text = json_dumps(root, JSON_INDENT(2) |
                                      JSON_REAL_PRECISION(digits_for(root)));
    locant_status status = text ? LOCANT_OK : no_memory();
    json_free_t release;

    if (status == LOCANT_OK)
        status = lct_output_file(&c->output, "config.json");
    if (status == LOCANT_OK)
        status = lct_output_write(&c->output, text, strlen(text));
    if (status == LOCANT_OK)
        status = lct_output_write(&c->output, "\n", 1);
    json_get_alloc_funcs(NULL, &release);
    if (text != NULL)
        release(text);
    return status;
}

locant_status lct_convert_back_config(struct lct_convert *c)
{
    struct keys k = { .c = c, .family = lct_convert_back_family(c) };
    locant_status status;

    LCT_TRY(lct_plan_gguf_config(&k.out, &c->config, c->weights));
    status = fill(&k);
    if (status == LOCANT_OK)
        status = write_text(c, k.out);
    json_decref(k.out);
    return status;
}
