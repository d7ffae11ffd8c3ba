/*
 * convert_gguf_kinds.c - keys of GGUF files of models that are no decoders with
 * rotated heads: latent attention, BERT, T5
 *
 * Source: gguf-py of llama.cpp (constants.py) and convert_hf_to_gguf.py.
 */
#include "../files/document.h"
#include "../files/path.h"
#include "convert_gguf_put.h"
#include "convert_path.h"
#include "net_family_keys.h"
#include <string.h>

static locant_status cannot_say(const struct lct_convert_gguf_keys *k,
                                const char *key, const char *expected)
{
    char shown[LCT_CONFIG_SHOWN];

    return locant_fail(
        LOCANT_ERR_UNSUPPORTED,
        "%s: no key of GGUF says that %s is %s; expected %s", k->c->config.file,
        key, lct_config_show(shown, json_object_get(k->c->config.text, key)),
        expected);
}

locant_status lct_convert_gguf_class(const struct lct_convert_gguf_keys *k)
{
    const struct lct_net_family *f =
        lct_net_families_find(k->family->model_type);
    const size_t n = sizeof(f->bias_keys) / sizeof(f->bias_keys[0]);
    enum lct_net_act own, usual;

    LCT_TRY(lct_net_families_act(&own, k->net->act, &k->c->config));
    LCT_TRY(lct_net_families_act(&usual, f->switches.act, &k->c->config));
    if (own != usual && f->act_key != NULL)
        return cannot_say(k, f->act_key, f->switches.act);
    for (size_t i = 0; i < n && f->bias_keys[i].key != NULL; i++)
        if ((f->switches.biases & f->bias_keys[i].maps) != 0 &&
            (k->net->biases & f->bias_keys[i].maps) == 0)
            return cannot_say(k, f->bias_keys[i].key, "true");
    return LOCANT_OK;
}

/* --------------------------------------------------------- latent attention */

/* Experts, with the defaults of the class where the configuration is silent. */
static locant_status put_experts(struct lct_convert_gguf_keys *k)
{
    enum { SOFTMAX = 1, SIGMOID = 2 }; /* of llama.cpp */
    const struct lct_net_experts *e = &k->net->experts;
    int64_t shared = strcmp(k->family->model_type, "deepseek_v2") == 0 ? 2 : 1;

    LCT_TRY(
        lct_net_family_keys_whole(&shared, &k->c->config, "n_shared_experts"));
    lct_convert_gguf_put_whole(k, "leading_dense_block_count",
                               k->net->dense_first);
    lct_convert_gguf_put_whole(k, "expert_count", e->n);
    lct_convert_gguf_put_whole(k, "expert_used_count", e->top_k);
    lct_convert_gguf_put_whole(k, "expert_shared_count", shared);
    lct_convert_gguf_put_whole(k, "expert_feed_forward_length",
                               k->net->expert_width);
    lct_convert_gguf_put_whole(k, "expert_group_count", e->groups);
    lct_convert_gguf_put_whole(k, "expert_group_used_count",
                               e->groups > 1 ? e->top_groups : 1);
    lct_convert_gguf_put_real(k, "expert_weights_scale", e->scaling);
    lct_convert_gguf_put_bool(k, "expert_weights_norm", e->renormalise);
    lct_convert_gguf_put_whole(k, "expert_gating_func",
                               e->router == LCT_ROUTER_SIGMOID ? SIGMOID
                                                               : SOFTMAX);
    return LOCANT_OK;
}

/* The lengths are those of the compressed form, which has one head of keys. */
locant_status lct_convert_gguf_latent(struct lct_convert_gguf_keys *k)
{
    const struct lct_layer_plan *layer = &k->c->tower->layers[0];
    int64_t rank = 512, queries = 0;

    LCT_TRY(lct_net_family_keys_whole(&rank, &k->c->config, "kv_lora_rank"));
    LCT_TRY(lct_net_family_keys_whole(&queries, &k->c->config, "q_lora_rank"));
    if (queries > 0)
        lct_convert_gguf_put_whole(k, "attention.q_lora_rank", queries);
    lct_convert_gguf_put_whole(k, "attention.kv_lora_rank", rank);
    lct_convert_gguf_put_whole(k, "attention.head_count_kv", 1);
    lct_convert_gguf_put_whole(k, "attention.key_length",
                               rank + k->c->parts.heads[0].dims);
    lct_convert_gguf_put_whole(k, "attention.value_length", rank);
    lct_convert_gguf_put_whole(k, "attention.key_length_mla", layer->qk_dim);
    lct_convert_gguf_put_whole(k, "attention.value_length_mla", layer->v_dim);
    return put_experts(k);
}

/* ---------------------------------------------------------------- encoders */

/* What sentence-transformers makes of the states of all tokens, where its
   settings lie beside the model. */
static locant_status put_pooling(struct lct_convert_gguf_keys *k)
{
    static const char name[] = "1_Pooling/config.json";
    static const struct {
        const char *key;
        int64_t type; /* of llama.cpp */
    } modes[] = { { "pooling_mode_mean_tokens", 1 },
                  { "pooling_mode_cls_token", 2 },
                  { "pooling_mode_lasttoken", 3 } };
    char *path = lct_convert_path(k->c->folder, name);
    locant_status status = LOCANT_OK;
    json_t *settings = NULL;
    int64_t type = 0;

    if (path == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for a GGUF file");
    if (lct_convert_path_has(k->c->folder, name))
        status = lct_document_read(&settings, path, 1000);
    for (size_t i = 0; i < 3 && type == 0; i++)
        if (json_is_true(json_object_get(settings, modes[i].key)))
            type = modes[i].type;
    if (type > 0)
        lct_convert_gguf_put_whole(k, "pooling_type", type);
    else if (settings != NULL)
        status = locant_fail(LOCANT_ERR_UNSUPPORTED,
                             "%s: GGUF files know the mean of the tokens, the "
                             "class token and the last one; one of %s, %s and "
                             "%s expected",
                             lct_path_tail(path), modes[0].key, modes[1].key,
                             modes[2].key);
    json_decref(settings);
    locant_release(path);
    return status;
}

locant_status lct_convert_gguf_bert(struct lct_convert_gguf_keys *k)
{
    const struct lct_layer_plan *layer = &k->c->tower->layers[0];
    const char *positions = "absolute";
    bool decoder = false;
    int64_t types = 2;

    LCT_TRY(lct_net_family_keys_text(&positions, &k->c->config,
                                     "position_embedding_type"));
    LCT_TRY(lct_net_family_keys_bool(&decoder, &k->c->config, "is_decoder"));
    if (strcmp(k->net->act, "gelu") != 0)
        return cannot_say(k, "hidden_act", "gelu");
    if (strcmp(positions, "absolute") != 0)
        return cannot_say(k, "position_embedding_type", "absolute");
    if (decoder)
        return cannot_say(k, "is_decoder", "false");
    LCT_TRY(
        lct_net_family_keys_whole(&types, &k->c->config, "type_vocab_size"));
    if (types > UINT32_MAX)
        return cannot_say(k, "type_vocab_size", "a number of 32 bits");
    lct_convert_gguf_put_whole(k, "attention.head_count", layer->heads);
    lct_convert_gguf_put_bool(k, "attention.causal", false);
    lct_gguf_write_u32(k->out, "tokenizer.ggml.token_type_count",
                       (uint32_t)types);
    return put_pooling(k);
}

/* llama.cpp has one distance, 128, and one of two activations. */
locant_status lct_convert_gguf_t5(struct lct_convert_gguf_keys *k)
{
    const struct lct_layer_plan *layer = &k->c->tower->layers[0];
    const struct lct_net_switches *s = k->net;
    const bool head = lct_weights_find(k->c->weights, "lm_head.weight") != NULL;
    const bool scaled = s->logit_scale != 1 && s->logit_scale != 0;
    int64_t width = 2048, buckets = 32, distance = 128, start = 0;

    LCT_TRY(lct_net_family_keys_whole(&width, &k->c->config, "d_ff"));
    LCT_TRY(lct_net_family_keys_whole(&buckets, &k->c->config,
                                      "relative_attention_num_buckets"));
    LCT_TRY(lct_net_family_keys_whole(&distance, &k->c->config,
                                      "relative_attention_max_distance"));
    LCT_TRY(lct_net_family_keys_whole(&start, &k->c->config,
                                      "decoder_start_token_id"));
    if (distance != 128) /* llama_relative_position_bucket() */
        return cannot_say(k, "relative_attention_max_distance",
                          "128, which llama.cpp takes for every model");
    if (strcmp(s->act, s->variant == 1 ? "gelu_new" : "relu") != 0)
        return cannot_say(k, "feed_forward_proj", "relu or gated-gelu");
    lct_convert_gguf_put_whole(k, "feed_forward_length", width);
    lct_convert_gguf_put_whole(k, "decoder_block_count",
                               k->c->plan.towers[1].n_layers);
    lct_convert_gguf_put_whole(k, "decoder_start_token_id", start);
    lct_convert_gguf_put_whole(k, "attention.head_count", layer->heads);
    lct_convert_gguf_put_whole(k, "attention.key_length", layer->qk_dim);
    lct_convert_gguf_put_whole(k, "attention.value_length", layer->v_dim);
    lct_convert_gguf_put_whole(k, "attention.relative_buckets_count", buckets);
    if (scaled == head) /* a head of its own stands for no scale */
        lct_convert_gguf_put_bool(k, "scale_decoder_outputs", scaled);
    return LOCANT_OK;
}
