/*
 * net_families.c - the table of families whose models run: names, norms,
 * activations, the order of the blocks
 *
 * Source: the modeling files of transformers 5.23.
 */
#include "net_families.h"
#include "net_family_keys.h"
#include <string.h>

/* ------------------------------------------------------------------ names */

/* clang-format off */
#define LLAMA .base = &lct_net_names_llama

static const struct lct_net_names plain_llama = { LLAMA };

static const struct lct_net_names fused_llama = { LLAMA, .name = {
    [LCT_QKV] = "self_attn.qkv_proj", [LCT_GATE_UP] = "mlp.gate_up_proj" } };

static const struct lct_net_names gemma2 = { LLAMA, .name = {
    [LCT_AFTER_ATTN] = "post_attention_layernorm",
    [LCT_NORM_MLP] = "pre_feedforward_layernorm",
    [LCT_AFTER_MLP] = "post_feedforward_layernorm" } };

static const struct lct_net_names olmo2 = { LLAMA, .name = {
    [LCT_NORM_ATTN] = "", [LCT_NORM_MLP] = "",
    [LCT_AFTER_ATTN] = "post_attention_layernorm",
    [LCT_AFTER_MLP] = "post_feedforward_layernorm" } };

static const struct lct_net_names glm = { LLAMA, .name = {
    [LCT_GATE_UP] = "mlp.gate_up_proj" } };

static const struct lct_net_names glm4 = { LLAMA, .name = {
    [LCT_GATE_UP] = "mlp.gate_up_proj",
    [LCT_AFTER_ATTN] = "post_self_attn_layernorm",
    [LCT_AFTER_MLP] = "post_mlp_layernorm" } };

static const struct lct_net_names cohere = { LLAMA, .name = {
    [LCT_NORM_MLP] = "" } };

static const struct lct_net_names stablelm = { LLAMA, .name = {
    [LCT_Q_NORM] = "self_attn.q_layernorm.norms.%d",
    [LCT_K_NORM] = "self_attn.k_layernorm.norms.%d" } };

static const struct lct_net_names stablelm_parallel = { .base = &stablelm,
    .name = { [LCT_NORM_MLP] = "" } };

static const struct lct_net_names starcoder2 = { LLAMA, .name = {
    [LCT_GATE] = "", [LCT_UP] = "mlp.c_fc", [LCT_DOWN] = "mlp.c_proj" } };

static const struct lct_net_names phi = { LLAMA, .name = {
    [LCT_FINAL_NORM] = "final_layernorm", [LCT_NORM_MLP] = "",
    [LCT_O] = "self_attn.dense",
    [LCT_Q_NORM] = "self_attn.q_layernorm",
    [LCT_K_NORM] = "self_attn.k_layernorm",
    [LCT_GATE] = "", [LCT_UP] = "mlp.fc1", [LCT_DOWN] = "mlp.fc2" } };

static const struct lct_net_names opt = { LLAMA, .name = {
    [LCT_POSITIONS] = "embed_positions",
    [LCT_PROJECT_IN] = "project_in", [LCT_PROJECT_OUT] = "project_out",
    [LCT_FINAL_NORM] = "final_layer_norm",
    [LCT_NORM_ATTN] = "self_attn_layer_norm",
    [LCT_NORM_MLP] = "final_layer_norm", [LCT_O] = "self_attn.out_proj",
    [LCT_GATE] = "", [LCT_UP] = "fc1", [LCT_DOWN] = "fc2" } };

static const struct lct_net_names opt_post = { .base = &opt, .name = {
    [LCT_NORM_ATTN] = "", [LCT_NORM_MLP] = "",
    [LCT_AFTER_ATTN] = "self_attn_layer_norm",
    [LCT_AFTER_MLP] = "final_layer_norm" } };

static const struct lct_net_names gpt_neox = { .layer = "layers.", .name = {
    [LCT_EMBED] = "embed_in", [LCT_FINAL_NORM] = "final_layer_norm",
    [LCT_HEAD] = "embed_out", [LCT_NORM_ATTN] = "input_layernorm",
    [LCT_NORM_MLP] = "post_attention_layernorm",
    [LCT_QKV] = "attention.query_key_value", [LCT_O] = "attention.dense",
    [LCT_UP] = "mlp.dense_h_to_4h", [LCT_DOWN] = "mlp.dense_4h_to_h" } };

static const struct lct_net_names gpt2 = { .layer = "h.", .name = {
    [LCT_EMBED] = "wte", [LCT_POSITIONS] = "wpe", [LCT_FINAL_NORM] = "ln_f",
    [LCT_HEAD] = "lm_head", [LCT_NORM_ATTN] = "ln_1", [LCT_NORM_MLP] = "ln_2",
    [LCT_QKV] = "attn.c_attn", [LCT_O] = "attn.c_proj",
    [LCT_UP] = "mlp.c_fc", [LCT_DOWN] = "mlp.c_proj" } };

static const struct lct_net_names gptj = { .base = &gpt2, .name = {
    [LCT_POSITIONS] = "", [LCT_NORM_MLP] = "", [LCT_QKV] = "",
    [LCT_Q] = "attn.q_proj", [LCT_K] = "attn.k_proj",
    [LCT_V] = "attn.v_proj", [LCT_O] = "attn.out_proj",
    [LCT_UP] = "mlp.fc_in", [LCT_DOWN] = "mlp.fc_out" } };

static const struct lct_net_names qwen = { .base = &gpt2, .name = {
    [LCT_POSITIONS] = "", [LCT_GATE] = "mlp.w2", [LCT_UP] = "mlp.w1" } };

static const struct lct_net_names bloom = { .layer = "h.", .name = {
    [LCT_EMBED] = "word_embeddings",
    [LCT_EMBED_NORM] = "word_embeddings_layernorm",
    [LCT_FINAL_NORM] = "ln_f", [LCT_HEAD] = "lm_head",
    [LCT_NORM_ATTN] = "input_layernorm",
    [LCT_NORM_MLP] = "post_attention_layernorm",
    [LCT_QKV] = "self_attention.query_key_value",
    [LCT_O] = "self_attention.dense",
    [LCT_UP] = "mlp.dense_h_to_4h", [LCT_DOWN] = "mlp.dense_4h_to_h" } };

static const struct lct_net_names falcon = { .base = &bloom, .name = {
    [LCT_EMBED_NORM] = "", [LCT_NORM_MLP] = "" } };
static const struct lct_net_names falcon_rw = { .base = &bloom, .name = {
    [LCT_EMBED_NORM] = "" } };
static const struct lct_net_names falcon_two = { .base = &falcon, .name = {
    [LCT_NORM_ATTN] = "ln_attn", [LCT_NORM_MLP] = "ln_mlp" } };

static const struct lct_net_names mpt = { .layer = "blocks.", .name = {
    [LCT_EMBED] = "wte", [LCT_FINAL_NORM] = "norm_f", [LCT_HEAD] = "lm_head",
    [LCT_NORM_ATTN] = "norm_1", [LCT_NORM_MLP] = "norm_2",
    [LCT_QKV] = "attn.Wqkv", [LCT_O] = "attn.out_proj",
    [LCT_UP] = "ffn.up_proj", [LCT_DOWN] = "ffn.down_proj" } };

/* --------------------------------------------------------------- families */

#define RMS   .norm = LCT_NET_RMS_NORM
#define LAYER .norm = LCT_NET_LAYER_NORM
#define SILU  .act = "silu"
#define RMS_FAMILY(type_, names_, eps_, ...)                             \
    { .model_type = type_, .names = { &names_ }, .eps_key = "rms_norm_eps",  \
      .act_key = "hidden_act", .switches = { RMS, .eps = eps_, .act = "silu" }, \
      __VA_ARGS__ }

static const struct lct_net_family families[] = {
    { .model_type = "bloom", .names = { &bloom }, .eps_key = "layer_norm_epsilon",
      .switches = { LAYER, .tied = true, .eps = 1e-5, .act = "gelu_new",
                    .qkv = LCT_QKV_GROUPED,
                    .biases = LCT_BIAS_QKV | LCT_BIAS_O | LCT_BIAS_MLP },
      .read = lct_net_family_bloom },
    { .model_type = "cohere", .names = { &cohere }, .eps_key = "layer_norm_eps",
      .act_key = "hidden_act",
      .switches = { LAYER, .tied = true, .eps = 1e-5, SILU, .residual = LCT_PARALLEL,
                    .logit_scale = 0.0625 },
      .read = lct_net_family_cohere },
    { .model_type = "cohere2", .names = { &cohere }, .eps_key = "layer_norm_eps",
      .act_key = "hidden_act",
      .switches = { LAYER, .tied = true, .eps = 1e-5, SILU, .residual = LCT_PARALLEL,
                    .logit_scale = 0.0625 },
      .read = lct_net_family_cohere },
    { .model_type = "falcon", .names = { &falcon, &falcon_rw, &falcon_two },
      .eps_key = "layer_norm_epsilon", .act_key = "activation",
      .switches = { LAYER, .tied = true, .eps = 1e-5, .act = "gelu",
                    .residual = LCT_PARALLEL, .qkv = LCT_QKV_GROUPED },
      .read = lct_net_family_falcon },
    { .model_type = "gemma", .names = { &plain_llama }, .eps_key = "rms_norm_eps",
      .act_key = "hidden_act",
      .switches = { RMS, .plus_one = true, .tied = true, .eps = 1e-6, .act = "gelu_new" },
      .read = lct_net_family_gemma },
    { .model_type = "gemma2", .names = { &gemma2 }, .eps_key = "rms_norm_eps",
      .act_key = "hidden_activation",
      .switches = { RMS, .plus_one = true, .tied = true, .eps = 1e-6, .act = "gelu_new",
                    .logit_cap = 30 },
      .read = lct_net_family_gemma },
    { .model_type = "gemma3_text", .names = { &gemma2 }, .eps_key = "rms_norm_eps",
      .act_key = "hidden_activation",
      .switches = { RMS, .plus_one = true, .tied = true, .eps = 1e-6, .act = "gelu_new" },
      .read = lct_net_family_gemma },
    RMS_FAMILY("glm", glm, 1.5625e-7),
    RMS_FAMILY("glm4", glm4, 1.5625e-7),
    { .model_type = "gpt2", .names = { &gpt2 }, .eps_key = "layer_norm_epsilon",
      .act_key = "activation_function",
      .switches = { LAYER, .tied = true, .eps = 1e-5, .act = "gelu_new", .input_major = true,
                    .biases = LCT_BIAS_QKV | LCT_BIAS_O | LCT_BIAS_MLP } },
    { .model_type = "gpt_neox", .names = { &gpt_neox },
      .eps_key = "layer_norm_eps", .act_key = "hidden_act",
      .switches = { LAYER, .eps = 1e-5, .act = "gelu",
                    .residual = LCT_PARALLEL, .qkv = LCT_QKV_GROUPED,
                    .biases = LCT_BIAS_MLP },
      .read = lct_net_family_neox },
    { .model_type = "gptj", .names = { &gptj }, .eps_key = "layer_norm_epsilon",
      .act_key = "activation_function",
      .switches = { LAYER, .eps = 1e-5, .act = "gelu_new",
                    .residual = LCT_PARALLEL,
                    .biases = LCT_BIAS_MLP | LCT_BIAS_HEAD } },
    RMS_FAMILY("granite", plain_llama, 1e-6, .read = lct_net_family_granite),
    RMS_FAMILY("llama", plain_llama, 1e-6),
    RMS_FAMILY("ministral3", plain_llama, 1e-5),
    RMS_FAMILY("mistral", plain_llama, 1e-6),
    { .model_type = "mpt", .names = { &mpt }, .eps_key = "layer_norm_epsilon",
      .switches = { LAYER, .tied = true, .eps = 1e-5, .act = "gelu" },
      .read = lct_net_family_mpt },
    RMS_FAMILY("olmo2", olmo2, 1e-5),
    RMS_FAMILY("olmo3", olmo2, 1e-5),
    { .model_type = "opt", .names = { &opt, &opt_post }, .act_key = "activation_function",
      .switches = { LAYER, .tied = true, .eps = 1e-5, .act = "relu" },
      .read = lct_net_family_opt },
    { .model_type = "phi", .names = { &phi }, .eps_key = "layer_norm_eps",
      .act_key = "hidden_act",
      .switches = { LAYER, .eps = 1e-5, .act = "gelu_new",
                    .residual = LCT_PARALLEL,
                    .biases = LCT_BIAS_QKV | LCT_BIAS_O | LCT_BIAS_MLP |
                              LCT_BIAS_HEAD } },
    RMS_FAMILY("phi3", fused_llama, 1e-5),
    { .model_type = "qwen", .names = { &qwen }, .eps_key = "layer_norm_epsilon",
      .switches = { RMS, .eps = 1e-6, SILU, .halved = true,
                    .biases = LCT_BIAS_QKV } },
    { .model_type = "qwen2", .names = { &plain_llama }, .eps_key = "rms_norm_eps",
      .act_key = "hidden_act",
      .switches = { RMS, .eps = 1e-6, SILU, .biases = LCT_BIAS_QKV } },
    RMS_FAMILY("qwen3", plain_llama, 1e-6),
    { .model_type = "smollm3", .names = { &plain_llama }, .eps_key = "rms_norm_eps",
      .act_key = "hidden_act",
      .switches = { RMS, .tied = true, .eps = 1e-6, SILU } },
    { .model_type = "stablelm", .names = { &stablelm, &stablelm_parallel },
      .eps_key = "layer_norm_eps", .act_key = "hidden_act",
      .switches = { LAYER, .eps = 1e-5, SILU },
      .read = lct_net_family_stablelm },
    { .model_type = "starcoder2", .names = { &starcoder2 },
      .eps_key = "norm_epsilon", .act_key = "hidden_act",
      .switches = { LAYER, .tied = true, .eps = 1e-5, .act = "gelu_new" } },
};
/* clang-format on */

const struct lct_net_family *lct_net_families_at(size_t i)
{
    return i < sizeof(families) / sizeof(families[0]) ? &families[i] : NULL;
}

const struct lct_net_family *lct_net_families_find(const char *model_type)
{
    const struct lct_net_family *f;

    for (size_t i = 0; (f = lct_net_families_at(i)) != NULL; i++)
        if (strcmp(f->model_type, model_type) == 0)
            return f;
    return NULL;
}

bool lct_net_families_act(enum lct_net_act *out, const char *name)
{
    static const struct {
        const char *name;
        enum lct_net_act act;
    } acts[] = { { "silu", LCT_ACT_SILU },
                 { "swish", LCT_ACT_SILU },
                 { "gelu", LCT_ACT_GELU },
                 { "gelu_python", LCT_ACT_GELU },
                 { "gelu_new", LCT_ACT_GELU_TANH },
                 { "gelu_fast", LCT_ACT_GELU_TANH },
                 { "gelu_pytorch_tanh", LCT_ACT_GELU_TANH },
                 { "gelu_python_tanh", LCT_ACT_GELU_TANH },
                 { "quick_gelu", LCT_ACT_QUICK_GELU },
                 { "relu", LCT_ACT_RELU },
                 { "relu2", LCT_ACT_RELU2 },
                 { "sigmoid", LCT_ACT_SIGMOID },
                 { "tanh", LCT_ACT_TANH } };

    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
        if (strcmp(acts[i].name, name) == 0) {
            *out = acts[i].act;
            return true;
        }
    return false;
}

locant_status lct_net_families_switches(struct lct_net_switches *out,
                                        const struct lct_net_family *f,
                                        const struct lct_config *c)
{
    *out = f->switches;
    if (f->act_key != NULL)
        LCT_TRY(lct_net_family_keys_text(&out->act, c, f->act_key));
    if (f->eps_key != NULL)
        LCT_TRY(lct_net_family_keys_real(&out->eps, c, f->eps_key));
    LCT_TRY(lct_net_family_keys_bool(&out->tied, c, "tie_word_embeddings"));
    return f->read != NULL ? f->read(out, c) : LOCANT_OK;
}
