/*
 * convert_gguf_keys.c - the keys of a GGUF file, from the plan and the
 * configuration
 *
 * Source: gguf-py of llama.cpp (constants.py) and convert_hf_to_gguf.py.
 */
#include "convert_gguf_put.h"
#include "family.h"
#include "net_mixture.h"
#include "pairing.h"
#include "spec_key.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Copy a key; an absent one is 'usual', or none if that is 0. */
static locant_status copy_key(struct lct_convert_gguf_keys *k, const char *from,
                              const char *to, bool real, int64_t usual)
{
    int64_t whole = 0;
    double x = 0;
    const enum lct_found found =
        real ? lct_config_real(&x, k->c->config.text, from)
             : lct_config_integer(&whole, k->c->config.text, from);

    if (found == LCT_ABSENT) {
        if (usual > 0)
            lct_convert_gguf_put_whole(k, to, usual);
        return LOCANT_OK;
    }
    if (found == LCT_WRONG || (!real && (whole < 0 || whole > UINT32_MAX)))
        return wrong(k, from, real ? "a number" : "a number of 32 bits");
    if (real)
        lct_convert_gguf_put_real(k, to, x);
    else
        lct_convert_gguf_put_whole(k, to, whole);
    return LOCANT_OK;
}

static locant_status copy_keys(struct lct_convert_gguf_keys *k)
{
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        /* Those of latent attention are not copied one by one. */
        bool again = k->net->latent && strncmp(copied[i].to, "expert_", 7) == 0;

        for (size_t j = 0; j < i; j++)
            again = again || (strcmp(copied[j].to, copied[i].to) == 0 &&
                              json_object_get(k->c->config.text,
                                              copied[j].from) != NULL);
        if (!again)
            LCT_TRY(
                copy_key(k, copied[i].from, copied[i].to, copied[i].real, 0));
    }
    return LOCANT_OK;
}

static void put_epsilon(struct lct_convert_gguf_keys *k)
{
    lct_convert_gguf_put_real(k,
                              k->net->norm == LCT_NET_LAYER_NORM
                                  ? "attention.layer_norm_epsilon"
                                  : "attention.layer_norm_rms_epsilon",
                              k->net->eps);
}

/* Heads of keys: one number, or one of each layer. */
static locant_status put_kv_heads(struct lct_convert_gguf_keys *k)
{
    const struct lct_tower *t = k->c->tower;
    bool same = true;
    uint32_t *list;
    char key[LCT_CONVERT_GGUF_KEY];

    for (int64_t l = 1; l < t->n_layers; l++)
        same = same && t->layers[l].kv_heads == t->layers[0].kv_heads;
    if (same) {
        lct_convert_gguf_put_whole(k, "attention.head_count_kv",
                                   t->layers[0].kv_heads);
        return LOCANT_OK;
    }
    list = locant_alloc((size_t)t->n_layers * sizeof *list);
    if (list == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for the layers");
    for (int64_t l = 0; l < t->n_layers; l++)
        list[l] = (uint32_t)t->layers[l].kv_heads;
    lct_gguf_write_array(
        k->out, lct_convert_gguf_put_name(key, k, "attention.head_count_kv"),
        LCT_GGUF_I32, list, (size_t)t->n_layers);
    locant_release(list);
    return LOCANT_OK;
}

/* The size of the layer's window, 0: none. */
static int64_t window_of(const struct lct_layer_plan *layer)
{
    const char *window = strstr(layer->spec, "window(");

    return (int64_t)lct_spec_number(window, "size", 0);
}

/* The window, and which layers have it if not all do. */
static locant_status put_windows(struct lct_convert_gguf_keys *k)
{
    const struct lct_tower *t = k->c->tower;
    int64_t window = 0, with = 0;
    unsigned char *list;
    char key[LCT_CONVERT_GGUF_KEY];

    for (int64_t l = 0; l < t->n_layers; l++) {
        const int64_t here = window_of(&t->layers[l]);

        window = here > window ? here : window;
        with += here > 0;
    }
    if (window == 0)
        return LOCANT_OK;
    lct_convert_gguf_put_whole(k, "attention.sliding_window", window);
    if (with == t->n_layers)
        return LOCANT_OK;
    list = locant_alloc((size_t)t->n_layers);
    if (list == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for the layers");
    for (int64_t l = 0; l < t->n_layers; l++)
        list[l] = window_of(&t->layers[l]) > 0;
    lct_gguf_write_array(
        k->out,
        lct_convert_gguf_put_name(key, k, "attention.sliding_window_pattern"),
        LCT_GGUF_BOOL, list, (size_t)t->n_layers);
    locant_release(list);
    return LOCANT_OK;
}

static locant_status put_attention(struct lct_convert_gguf_keys *k)
{
    const struct lct_layer_plan *layer = &k->c->tower->layers[0];
    const double usual = 1 / sqrt((double)layer->qk_dim);

    lct_convert_gguf_put_whole(k, "attention.head_count", layer->heads);
    if (k->net->latent) {
        LCT_TRY(lct_convert_gguf_latent(k));
    } else {
        LCT_TRY(put_kv_heads(k));
        lct_convert_gguf_put_whole(k, "attention.key_length", layer->qk_dim);
        lct_convert_gguf_put_whole(k, "attention.value_length", layer->v_dim);
    }
    if (fabs(layer->scale / usual - 1) > 1e-6)
        lct_convert_gguf_put_real(k, "attention.scale", layer->scale);
    if (layer->softcap > 0)
        lct_convert_gguf_put_real(k, "attn_logit_softcapping", layer->softcap);
    return put_windows(k);
}

/* Readers of GGUF take experts in every layer, but for the first ones of latent
   attention. */
static locant_status check_experts(const struct lct_convert_gguf_keys *k)
{
    for (int64_t l = 0; l < k->c->tower->n_layers; l++)
        if (k->net->experts.n > 0 && !k->net->latent &&
            !lct_net_mixture_in(k->net, l))
            return locant_fail(LOCANT_ERR_UNSUPPORTED,
                               "%s: layer %lld has no experts, which no key of "
                               "GGUF says; expected some in every layer",
                               k->c->config.file, (long long)l);
    return LOCANT_OK;
}

/* What the models of one kind have. */
static locant_status put_kind(struct lct_convert_gguf_keys *k)
{
    const char *type = k->family->model_type;

    if (strcmp(type, "gpt_neox") == 0)
        lct_convert_gguf_put_bool(k, "use_parallel_residual",
                                  k->net->residual == LCT_PARALLEL);
    if (strcmp(k->family->architecture, "bert") == 0)
        return lct_convert_gguf_bert(k);
    if (strcmp(k->family->architecture, "t5") == 0)
        return lct_convert_gguf_t5(k);
    LCT_TRY(lct_convert_gguf_class(k));
    LCT_TRY(check_experts(k));
    LCT_TRY(put_attention(k));
    return lct_convert_gguf_rope(k);
}

locant_status lct_convert_gguf_keys(struct lct_convert_gguf_keys *k,
                                    int64_t vocabulary)
{
    /* That of convert_hf_to_gguf.py: T5 itself has no longest text. */
    enum { T5_LENGTH = 512 };
    const struct lct_family *f = k->c->plan.family;
    const bool t5 = strcmp(k->family->architecture, "t5") == 0;
    const char *hidden = t5         ? "d_model"
                         : f->names ? f->names->hidden
                                    : "hidden_size";

    lct_gguf_write_text(k->out, "general.architecture",
                        k->family->architecture);
    lct_gguf_write_u32(k->out, "general.alignment", LCT_GGUF_ALIGNMENT);
    if (k->c->rotates)
        lct_gguf_write_text(k->out, LCT_WEIGHTS_PAIRING,
                            k->c->to ? "interleaved" : "half");
    lct_convert_gguf_put_whole(k, "context_length",
                               t5 ? T5_LENGTH : k->c->plan.length_config);
    lct_convert_gguf_put_whole(k, "block_count", k->c->tower->n_layers);
    lct_convert_gguf_put_whole(k, "vocab_size", vocabulary);
    LCT_TRY(copy_key(k, hidden, "embedding_length", false, f->hidden));
    LCT_TRY(copy_keys(k));
    put_epsilon(k);
    LCT_TRY(put_kind(k));
    return k->large == NULL
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_UNSUPPORTED,
                             "%s: the key %s of a GGUF would be %lld, a number "
                             "of 32 bits expected",
                             k->c->config.file, k->large, (long long)k->found);
}
