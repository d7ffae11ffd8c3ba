/*
 * convert_gguf_keys.c - the keys of a GGUF file, from the plan and the
 * configuration
 *
 * Source: gguf-py of llama.cpp (constants.py) and convert_hf_to_gguf.py.
 */
#include "convert_gguf.h"
#include "family.h"
#include "pairing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 96 };

static const char *key_of(char out[KEY], const struct lct_convert_gguf_keys *k,
                          const char *name)
{
    snprintf(out, KEY, "%s.%s", k->family->architecture, name);
    return out;
}

void lct_convert_gguf_whole(struct lct_convert_gguf_keys *k, const char *name,
                            int64_t value)
{
    char key[KEY];

    lct_gguf_write_u32(k->out, key_of(key, k, name), (uint32_t)value);
}

void lct_convert_gguf_real(struct lct_convert_gguf_keys *k, const char *name,
                           double value)
{
    char key[KEY];

    lct_gguf_write_f32(k->out, key_of(key, k, name), (float)value);
}

/* Keys of config.json that are copied if they are there; of two names for one
   key the first counts. */
static const struct {
    const char *from, *to;
    bool real;
} copied[] = {
    { "intermediate_size", "feed_forward_length", false },
    { "num_local_experts", "expert_count", false },
    { "num_experts", "expert_count", false },
    { "num_experts_per_tok", "expert_used_count", false },
    { "moe_intermediate_size", "expert_feed_forward_length", false },
    { "shared_expert_intermediate_size", "expert_shared_feed_forward_length",
      false },
    { "final_logit_softcapping", "final_logit_softcapping", true },
    { "embedding_multiplier", "embedding_scale", true },
    { "residual_multiplier", "residual_scale", true },
    { "logits_scaling", "logit_scale", true },
    { "logit_scale", "logit_scale", true },
};

static locant_status wrong(const struct lct_convert_gguf_keys *k,
                           const char *key, const char *expected)
{
    const json_t *value = json_object_get(k->c->config.text, key);
    char shown[LCT_CONFIG_SHOWN];

    return locant_fail(LOCANT_ERR_FORMAT, "%s: %s: %s, %s expected",
                       k->c->config.file, key, lct_config_show(shown, value),
                       expected);
}

static locant_status copy_key(struct lct_convert_gguf_keys *k, const char *from,
                              const char *to, bool real)
{
    int64_t whole = 0;
    double x = 0;
    const enum lct_found found =
        real ? lct_config_real(&x, k->c->config.text, from)
             : lct_config_integer(&whole, k->c->config.text, from);

    if (found == LCT_ABSENT)
        return LOCANT_OK;
    if (found == LCT_WRONG || (!real && (whole < 0 || whole > UINT32_MAX)))
        return wrong(k, from, real ? "a number" : "a number of 32 bits");
    if (real)
        lct_convert_gguf_real(k, to, x);
    else
        lct_convert_gguf_whole(k, to, whole);
    return LOCANT_OK;
}

static locant_status copy_keys(struct lct_convert_gguf_keys *k)
{
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        bool again = false;

        for (size_t j = 0; j < i; j++)
            again = again || (strcmp(copied[j].to, copied[i].to) == 0 &&
                              json_object_get(k->c->config.text,
                                              copied[j].from) != NULL);
        if (!again)
            LCT_TRY(copy_key(k, copied[i].from, copied[i].to, copied[i].real));
    }
    return LOCANT_OK;
}

/* Is the class one with LayerNorm? */
static bool has_layer_norm(const struct lct_convert_gguf_keys *k)
{
    static const char *const types[] = { "cohere", "cohere2", "gpt_neox",
                                         "starcoder2" };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i], k->family->model_type) == 0)
            return true;
    return false;
}

static locant_status put_epsilon(struct lct_convert_gguf_keys *k)
{
    const struct lct_family *f = k->c->plan.family;
    const bool layer = has_layer_norm(k);
    const char *key = f->names ? f->names->epsilon : "rms_norm_eps";
    double x = f->epsilon > 0 ? f->epsilon : layer ? 1e-5 : 1e-6;

    if (lct_config_real(&x, k->c->config.text, key) == LCT_WRONG)
        return wrong(k, key, "a number");
    lct_convert_gguf_real(k,
                          layer ? "attention.layer_norm_epsilon"
                                : "attention.layer_norm_rms_epsilon",
                          x);
    return LOCANT_OK;
}

/* Heads of keys: one number, or one of each layer. */
static locant_status put_kv_heads(struct lct_convert_gguf_keys *k)
{
    const struct lct_tower *t = k->c->tower;
    bool same = true;
    uint32_t *list;
    char key[KEY];

    for (int64_t l = 1; l < t->n_layers; l++)
        same = same && t->layers[l].kv_heads == t->layers[0].kv_heads;
    if (same) {
        lct_convert_gguf_whole(k, "attention.head_count_kv",
                               t->layers[0].kv_heads);
        return LOCANT_OK;
    }
    list = locant_alloc((size_t)t->n_layers * sizeof *list);
    if (list == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for the layers");
    for (int64_t l = 0; l < t->n_layers; l++)
        list[l] = (uint32_t)t->layers[l].kv_heads;
    lct_gguf_write_array(k->out, key_of(key, k, "attention.head_count_kv"),
                         LCT_GGUF_I32, list, (size_t)t->n_layers);
    locant_release(list);
    return LOCANT_OK;
}

/* The size of the layer's window, 0: none. */
static int64_t window_of(const struct lct_layer_plan *layer)
{
    static const char part[] = "window(size=";
    const char *at = strstr(layer->spec, part);

    return at ? strtoll(at + strlen(part), NULL, 10) : 0;
}

/* The window, and which layers have it if not all do. */
static locant_status put_windows(struct lct_convert_gguf_keys *k)
{
    const struct lct_tower *t = k->c->tower;
    int64_t window = 0, with = 0;
    unsigned char *list;
    char key[KEY];

    for (int64_t l = 0; l < t->n_layers; l++) {
        const int64_t here = window_of(&t->layers[l]);

        window = here > window ? here : window;
        with += here > 0;
    }
    if (window == 0)
        return LOCANT_OK;
    lct_convert_gguf_whole(k, "attention.sliding_window", window);
    if (with == t->n_layers)
        return LOCANT_OK;
    list = locant_alloc((size_t)t->n_layers);
    if (list == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for the layers");
    for (int64_t l = 0; l < t->n_layers; l++)
        list[l] = window_of(&t->layers[l]) > 0;
    lct_gguf_write_array(k->out,
                         key_of(key, k, "attention.sliding_window_pattern"),
                         LCT_GGUF_BOOL, list, (size_t)t->n_layers);
    locant_release(list);
    return LOCANT_OK;
}

static locant_status put_attention(struct lct_convert_gguf_keys *k)
{
    const struct lct_layer_plan *layer = &k->c->tower->layers[0];
    const double usual = 1 / sqrt((double)layer->qk_dim);

    lct_convert_gguf_whole(k, "attention.head_count", layer->heads);
    LCT_TRY(put_kv_heads(k));
    lct_convert_gguf_whole(k, "attention.key_length", layer->qk_dim);
    lct_convert_gguf_whole(k, "attention.value_length", layer->v_dim);
    if (fabs(layer->scale / usual - 1) > 1e-6)
        lct_convert_gguf_real(k, "attention.scale", layer->scale);
    if (layer->softcap > 0)
        lct_convert_gguf_real(k, "attn_logit_softcapping", layer->softcap);
    return put_windows(k);
}

/* Tokens that begin and end a text: a number, or the first of a list. */
static void put_token(struct lct_convert_gguf_keys *k, const char *from,
                      const char *to)
{
    const json_t *value = json_object_get(k->c->config.text, from);

    if (json_is_array(value))
        value = json_array_get(value, 0);
    if (json_is_integer(value) && json_integer_value(value) >= 0 &&
        json_integer_value(value) <= UINT32_MAX)
        lct_gguf_write_u32(k->out, to, (uint32_t)json_integer_value(value));
}

locant_status lct_convert_gguf_keys(struct lct_convert_gguf_keys *k,
                                    int64_t vocabulary)
{
    const struct lct_family *f = k->c->plan.family;
    const char *hidden = f->names ? f->names->hidden : "hidden_size";
    bool parallel = true;
    char key[KEY];

    lct_gguf_write_text(k->out, "general.architecture",
                        k->family->architecture);
    lct_gguf_write_u32(k->out, "general.alignment", LCT_GGUF_ALIGNMENT);
    lct_gguf_write_text(k->out, LCT_WEIGHTS_PAIRING,
                        k->c->to ? "interleaved" : "half");
    lct_convert_gguf_whole(k, "context_length", k->c->plan.length_config);
    lct_convert_gguf_whole(k, "block_count", k->c->tower->n_layers);
    lct_convert_gguf_whole(k, "vocab_size", vocabulary);
    LCT_TRY(copy_key(k, hidden, "embedding_length", false));
    LCT_TRY(copy_keys(k));
    LCT_TRY(put_epsilon(k));
    LCT_TRY(put_attention(k));
    LCT_TRY(lct_convert_gguf_rope(k));
    if (strcmp(k->family->model_type, "gpt_neox") == 0) {
        if (lct_config_bool(&parallel, k->c->config.text,
                            "use_parallel_residual") == LCT_WRONG)
            return wrong(k, "use_parallel_residual", "true or false");
        lct_gguf_write_bool(k->out, key_of(key, k, "use_parallel_residual"),
                            parallel);
    }
    /* The vocabulary is not converted: programs are to take token ids. */
    lct_gguf_write_text(k->out, "tokenizer.ggml.model", "none");
    put_token(k, "bos_token_id", "tokenizer.ggml.bos_token_id");
    put_token(k, "eos_token_id", "tokenizer.ggml.eos_token_id");
    put_token(k, "pad_token_id", "tokenizer.ggml.padding_token_id");
    return LOCANT_OK;
}
