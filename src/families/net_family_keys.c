/* net_family_keys.c - keys that change the blocks of single families */
#include "net_family_keys.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static locant_status wrong(const struct lct_config *c, const char *key,
                           const char *expected)
{
    char found[LCT_CONFIG_SHOWN];

    return locant_fail(
        LOCANT_ERR_FORMAT, "%s: %s is %s, expected %s", c->file, key,
        lct_config_show(found, json_object_get(c->text, key)), expected);
}

locant_status lct_net_family_keys_real(double *out, const struct lct_config *c,
                                       const char *key)
{
    return lct_config_real(out, c->text, key) == LCT_WRONG
               ? wrong(c, key, "a number")
               : LOCANT_OK;
}

static locant_status whole_within(int64_t *out, const struct lct_config *c,
                                  const char *key, int64_t least, int64_t most)
{
    char expected[80];
    int64_t value;
    const enum lct_found found = lct_config_integer(&value, c->text, key);

    if (found == LCT_WRONG ||
        (found == LCT_RIGHT && (value < least || value > most))) {
        snprintf(expected, sizeof expected,
                 "a whole number of %" PRId64 " to %" PRId64, least, most);
        return wrong(c, key, expected);
    }
    if (found == LCT_RIGHT)
        *out = value;
    return LOCANT_OK;
}

locant_status lct_net_family_keys_whole(int64_t *out,
                                        const struct lct_config *c,
                                        const char *key)
{
    return whole_within(out, c, key, 0, (int64_t)1 << 40);
}

locant_status lct_net_family_keys_width(int64_t *out,
                                        const struct lct_config *c,
                                        const char *key)
{
    return whole_within(out, c, key, 1, 1 << 30);
}

locant_status lct_net_family_keys_bool(bool *out, const struct lct_config *c,
                                       const char *key)
{
    return lct_config_bool(out, c->text, key) == LCT_WRONG
               ? wrong(c, key, "true or false")
               : LOCANT_OK;
}

locant_status lct_net_family_keys_text(const char **out,
                                       const struct lct_config *c,
                                       const char *key)
{
    return lct_config_text(out, c->text, key) == LCT_WRONG
               ? wrong(c, key, "a text")
               : LOCANT_OK;
}

/* --------------------------------------------------------------- families */

locant_status lct_net_family_bloom(struct lct_net_switches *s,
                                   const struct lct_config *c)
{
    return lct_net_family_keys_bool(&s->residual_of_norm, c,
                                    "apply_residual_connection_post_layernorm");
}

locant_status lct_net_family_cohere(struct lct_net_switches *s,
                                    const struct lct_config *c)
{
    return lct_net_family_keys_real(&s->logit_scale, c, "logit_scale");
}

/* The new architecture has two norms before a parallel block unless it is told
   to have one; a sequential block, as of RW, has the two of BLOOM. */
locant_status lct_net_family_falcon(struct lct_net_switches *s,
                                    const struct lct_config *c)
{
    bool grouped = false, parallel = true;
    int64_t norms = 0;

    LCT_TRY(lct_net_family_keys_bool(&grouped, c, "new_decoder_architecture"));
    LCT_TRY(lct_net_family_keys_bool(&parallel, c, "parallel_attn"));
    LCT_TRY(lct_net_family_keys_whole(&norms, c, "num_ln_in_parallel_attn"));
    if (norms == 0)
        norms = grouped ? 2 : 1;
    s->variant = !grouped && !parallel ? 1 : grouped && norms == 2 ? 2 : 0;
    if (s->variant == 1)
        s->residual = LCT_SEQUENTIAL;
    return LOCANT_OK;
}

locant_status lct_net_family_deberta(struct lct_net_switches *s,
                                     const struct lct_config *c)
{
    const char *norm = "none";
    bool legacy = true, relative = false;
    int64_t buckets = -1;

    LCT_TRY(lct_net_family_keys_bool(&legacy, c, "legacy"));
    LCT_TRY(lct_net_family_keys_bool(&relative, c, "relative_attention"));
    LCT_TRY(lct_net_family_keys_text(&norm, c, "norm_rel_ebd"));
    LCT_TRY(lct_net_family_keys_bool(&s->shared_maps, c, "share_att_key"));
    s->variant = legacy ? 0 : 1;
    lct_config_integer(&buckets, c->text, "position_buckets");
    if (!relative || buckets > 0 || strstr(norm, "layer_norm") == NULL)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: norm_rel_ebd without position_buckets cannot be "
                       "run",
                       c->file);
}

/* The MLP of giant models is gated, by silu whatever the key says. */
locant_status lct_net_family_dinov2(struct lct_net_switches *s,
                                    const struct lct_config *c)
{
    bool gated = false;

    LCT_TRY(lct_net_family_keys_bool(&gated, c, "use_swiglu_ffn"));
    if (!gated)
        return LOCANT_OK;
    s->variant = 1;
    s->act = "silu";
    return LOCANT_OK;
}

locant_status lct_net_family_dinov3(struct lct_net_switches *s,
                                    const struct lct_config *c)
{
    bool gated = false;

    LCT_TRY(lct_net_family_keys_bool(&gated, c, "use_gated_mlp"));
    s->variant = gated ? 1 : 0;
    return LOCANT_OK;
}

/* "gelu" in a configuration of the first Gemma means the tanh form. */
locant_status lct_net_family_gemma(struct lct_net_switches *s,
                                   const struct lct_config *c)
{
    if (strcmp(c->model_type, "gemma") == 0 && strcmp(s->act, "gelu") == 0)
        s->act = "gelu_new";
    if (json_is_null(json_object_get(c->text, "final_logit_softcapping")))
        s->logit_cap = 0;
    return lct_net_family_keys_real(&s->logit_cap, c,
                                    "final_logit_softcapping");
}

locant_status lct_net_family_granite(struct lct_net_switches *s,
                                     const struct lct_config *c)
{
    double scaling = 1;

    s->embedding_scale = 1;
    LCT_TRY(lct_net_family_keys_real(&s->embedding_scale, c,
                                     "embedding_multiplier"));
    LCT_TRY(
        lct_net_family_keys_real(&s->branch_scale, c, "residual_multiplier"));
    LCT_TRY(lct_net_family_keys_real(&scaling, c, "logits_scaling"));
    if (scaling == 0)
        return wrong(c, "logits_scaling", "a number other than 0");
    s->logit_scale = 1 / scaling;
    return LOCANT_OK;
}

locant_status lct_net_family_mpt(struct lct_net_switches *s,
                                 const struct lct_config *c)
{
    const json_t *attn = json_object_get(c->text, "attn_config");
    enum lct_found found = lct_config_real(&s->clip, attn, "clip_qkv");
    char shown[LCT_CONFIG_SHOWN];

    return found == LCT_WRONG
               ? locant_fail(
                     LOCANT_ERR_FORMAT,
                     "%s: attn_config.clip_qkv is %s, expected a number",
                     c->file,
                     lct_config_show(shown, json_object_get(attn, "clip_qkv")))
               : LOCANT_OK;
}

locant_status lct_net_family_neox(struct lct_net_switches *s,
                                  const struct lct_config *c)
{
    bool parallel = true;

    LCT_TRY(lct_net_family_keys_bool(&parallel, c, "use_parallel_residual"));
    s->residual = parallel ? LCT_PARALLEL : LCT_SEQUENTIAL;
    return LOCANT_OK;
}

locant_status lct_net_family_modernbert(struct lct_net_switches *s,
                                        const struct lct_config *c)
{
    bool biased = false;

    LCT_TRY(lct_net_family_keys_bool(&biased, c, "norm_bias"));
    s->bare_norms = !biased;
    return lct_net_family_keys_text(&s->head_act, c, "classifier_activation");
}

/* OPT-350m has its norms after the sums, and none at the end. */
locant_status lct_net_family_opt(struct lct_net_switches *s,
                                 const struct lct_config *c)
{
    bool before = true;

    LCT_TRY(lct_net_family_keys_bool(&before, c, "do_layer_norm_before"));
    LCT_TRY(lct_net_family_keys_bool(&s->no_final_norm, c,
                                     "_remove_final_layer_norm"));
    if (before)
        return LOCANT_OK;
    s->variant = 1;
    s->residual = LCT_POST_NORM;
    s->no_final_norm = true;
    return LOCANT_OK;
}

locant_status lct_net_family_transfo_xl(struct lct_net_switches *s,
                                        const struct lct_config *c)
{
    bool before = false;
    int64_t type = 0;

    LCT_TRY(whole_within(&s->memory, c, "mem_len", 0, 1 << 24));
    LCT_TRY(lct_net_family_keys_bool(&s->same_length, c, "same_length"));
    LCT_TRY(lct_net_family_keys_bool(&before, c, "pre_lnorm"));
    LCT_TRY(lct_net_family_keys_whole(&type, c, "attn_type"));
    if (!before && type == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: pre_lnorm and attn_type other than 0 cannot be run",
                       c->file);
}

/*
 * T5 scales states before the head by D^-0.5 unless the file unties it; its
 * class of transformers 5 saves that as scale_decoder_outputs and calls the
 * head tied.  mT5 has a scale of 1 here, UMT5 always has that of T5.  The head
 * of the file is taken in any case.
 */
locant_status lct_net_family_t5(struct lct_net_switches *s,
                                const struct lct_config *c)
{
    const bool umt5 = strcmp(c->model_type, "umt5") == 0;
    bool scaled = s->tied || umt5;
    int64_t width = 512;

    LCT_TRY(lct_net_family_keys_whole(&width, c, "d_model"));
    if (!umt5)
        LCT_TRY(lct_net_family_keys_bool(&scaled, c, "scale_decoder_outputs"));
    if (s->logit_scale == 0 && scaled && width > 0)
        s->logit_scale = 1 / sqrt((double)width);
    s->tied = true;
    s->variant = strncmp(s->act, "gated-", 6) == 0;
    if (s->variant == 1)
        s->act = strcmp(s->act, "gated-gelu") == 0 ? "gelu_new" : s->act + 6;
    return LOCANT_OK;
}

locant_status lct_net_family_stablelm(struct lct_net_switches *s,
                                      const struct lct_config *c)
{
    bool parallel = false;

    LCT_TRY(lct_net_family_keys_bool(&parallel, c, "use_parallel_residual"));
    s->variant = parallel ? 1 : 0;
    if (parallel)
        s->residual = LCT_PARALLEL;
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- experts */

/* A list of layers; NULL if the key is absent or null. */
static locant_status layer_list(const json_t **out, const struct lct_config *c,
                                const char *key)
{
    const json_t *list = json_object_get(c->text, key);

    if (list == NULL || json_is_null(list))
        return LOCANT_OK;
    if (!json_is_array(list))
        return wrong(c, key, "a list of layers");
    *out = list;
    return LOCANT_OK;
}

static locant_status expert_layers(struct lct_net_switches *s,
                                   const struct lct_config *c)
{
    LCT_TRY(layer_list(&s->dense_layers, c, "mlp_only_layers"));
    LCT_TRY(layer_list(&s->expert_layers, c, "moe_layers"));
    LCT_TRY(
        lct_net_family_keys_whole(&s->dense_first, c, "first_k_dense_replace"));
    LCT_TRY(
        lct_net_family_keys_width(&s->expert_step, c, "decoder_sparse_step"));
    return lct_net_family_keys_width(&s->expert_step, c,
                                     "interleave_moe_layer_step");
}

locant_status lct_net_family_experts(struct lct_net_switches *s,
                                     const struct lct_config *c)
{
    static const char *const counts[] = { "num_local_experts", "num_experts",
                                          "n_routed_experts" };
    struct lct_net_experts *e = &s->experts;

    LCT_TRY(expert_layers(s, c));
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        LCT_TRY(lct_net_family_keys_whole(&e->n, c, counts[i]));
    LCT_TRY(lct_net_family_keys_whole(&e->top_k, c, "num_experts_per_tok"));
    LCT_TRY(
        lct_net_family_keys_whole(&s->expert_width, c, "intermediate_size"));
    LCT_TRY(lct_net_family_keys_whole(&s->expert_width, c,
                                      "moe_intermediate_size"));
    LCT_TRY(lct_net_family_keys_whole(&e->groups, c, "n_group"));
    LCT_TRY(lct_net_family_keys_whole(&e->top_groups, c, "topk_group"));
    LCT_TRY(lct_net_family_keys_bool(&e->renormalise, c, "norm_topk_prob"));
    LCT_TRY(lct_net_family_keys_real(&e->scaling, c, "routed_scaling_factor"));
    if (e->n < 1 || e->n > 65536)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: the number of experts is %" PRId64
                           ", expected 1 to 65536",
                           c->file, e->n);
    if (e->top_k < 1 || e->top_k > e->n)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: num_experts_per_tok is %" PRId64
                           ", expected 1 to the number of experts, %" PRId64,
                           c->file, e->top_k, e->n);
    if (s->expert_width < 1 || s->expert_width > 1 << 30)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: the width of experts is %" PRId64
                           ", expected 1 to %d",
                           c->file, s->expert_width, 1 << 30);
    if (e->groups < 1 || e->n % e->groups != 0 ||
        (e->groups > 1 && (e->top_groups < 1 || e->top_groups > e->groups)))
        return wrong(c, "n_group", "a divisor of the number of experts");
    return LOCANT_OK;
}

/* Groups count with their method only, and weights are not renormalised. */
locant_status lct_net_family_deepseek_v2(struct lct_net_switches *s,
                                         const struct lct_config *c)
{
    const char *method = "greedy";

    LCT_TRY(lct_net_family_experts(s, c));
    LCT_TRY(lct_net_family_keys_text(&method, c, "topk_method"));
    if (strcmp(method, "group_limited_greedy") != 0)
        s->experts.groups = 1;
    s->experts.renormalise = false;
    return LOCANT_OK;
}

locant_status lct_net_family_gpt_oss(struct lct_net_switches *s,
                                     const struct lct_config *c)
{
    LCT_TRY(lct_net_family_experts(s, c));
    LCT_TRY(lct_net_family_keys_real(&s->alpha, c, "swiglu_alpha"));
    return lct_net_family_keys_real(&s->limit, c, "swiglu_limit");
}

/* -------------------------------------------------------------- Gemma 3n, 4 */

locant_status lct_net_family_gemma3n(struct lct_net_switches *s,
                                     const struct lct_config *c)
{
    LCT_TRY(lct_net_family_gemma(s, c));
    LCT_TRY(layer_list(&s->sparsity, c, "activation_sparsity_pattern"));
    LCT_TRY(whole_within(&s->streams, c, "altup_num_inputs", 1, 16));
    LCT_TRY(lct_net_family_keys_whole(&s->active, c, "altup_active_idx"));
    if (s->active >= s->streams)
        return wrong(c, "altup_active_idx", "one of altup_num_inputs streams");
    return lct_net_family_keys_bool(&s->stream_scale, c, "altup_correct_scale");
}

locant_status lct_net_family_gemma4(struct lct_net_switches *s,
                                    const struct lct_config *c)
{
    bool experts = false;

    LCT_TRY(lct_net_family_gemma(s, c));
    s->values_of_keys = c->dialect == LCT_DIALECT_GGUF; /* does not say it */
    LCT_TRY(
        lct_net_family_keys_bool(&s->values_of_keys, c, "attention_k_eq_v"));
    LCT_TRY(lct_net_family_keys_bool(&experts, c, "enable_moe_block"));
    if (!experts)
        return LOCANT_OK;
    s->beside = true;
    LCT_TRY(lct_net_family_keys_whole(&s->experts.top_k, c, "top_k_experts"));
    return lct_net_family_experts(s, c);
}
