/*
 * net_families.c - the table of families whose models run: names, norms,
 * activations, the order of the blocks
 *
 * Source: the modeling files of transformers 5.23.
 */
#include "net_families.h"
#include "net_family_keys.h"
#include <string.h>

#include "net_names.def"

/* clang-format off */
#define RMS   .norm = LCT_NET_RMS_NORM
#define LAYER .norm = LCT_NET_LAYER_NORM
#define SILU  .act = "silu"
#define GEMMA .plus_one = true, .scaled_embedding = true
/* The keys of biases. */
#define BIAS_KEYS(...) .bias_keys = { __VA_ARGS__ }
#define ATTENTION_BIAS                                                   \
    BIAS_KEYS({ "attention_bias", LCT_BIAS_QKV | LCT_BIAS_O })
#define BIASES                                                           \
    BIAS_KEYS({ "attention_bias", LCT_BIAS_QKV | LCT_BIAS_O },           \
              { "mlp_bias", LCT_BIAS_MLP })
/* Without latent queries those of DeepSeek have none. */
#define LATENT_BIAS                                                      \
    BIAS_KEYS({ "attention_bias", LCT_BIAS_K | LCT_BIAS_V | LCT_BIAS_O })
#define NO_BIASES BIAS_KEYS({ NULL, 0 })
/* The keys of the epsilon of norms and of the activation; NULL: the default. */
#define KEYS(eps_, act_) .eps_key = eps_, .act_key = act_
#define RMS_KEYS         KEYS("rms_norm_eps", "hidden_act")
#define LAYER_KEYS       KEYS("layer_norm_eps", "hidden_act")
#define SIGHT(row_)      RMS_KEYS, .sight = row_
#define AND(a_, b_)      a_, b_
#define VARIANTS(...)    __VA_ARGS__
#define FAMILY(type_, names_, keys_, read_, ...)                         \
    { .model_type = type_, .names = { names_ }, keys_,                   \
      .read = lct_net_family_##read_, .switches = { __VA_ARGS__ } }
#define RMS_FAMILY(type_, names_, biases_, read_, ...)                   \
    { .model_type = type_, .names = { &names_ }, RMS_KEYS, biases_,      \
      .read = lct_net_family_##read_,                                    \
      .switches = { RMS, SILU, .eps = __VA_ARGS__ } }
#define lct_net_family_none NULL

/* Norms after sums, and a head with a layer before it, or none. */
#define MASKED                                                           \
    .residual = LCT_POST_NORM, .tied = true, .headless = true,           \
    .biases = LCT_BIAS_LAYER | LCT_BIAS_HEAD | LCT_BIAS_LOGITS
#define BERT_FAMILY(type_, names_, ...)                                  \
    FAMILY(type_, &names_, LAYER_KEYS, none, LAYER, MASKED, .eps = 1e-12, \
           .gguf = { &gguf_bert },                                        \
           .act = __VA_ARGS__)

#define IMAGES(patch_) .images = true, .headless = true, .patch = patch_
#define IMAGE_BIASES                                                     \
    .biases = LCT_BIAS_LAYER | LCT_BIAS_HEAD | LCT_BIAS_PATCHES
#define SWIN(window_)                                                    \
    .window = window_, .free_width = true, .pool = LCT_POOL_MEAN,         \
    .any_size = true
/* Towers for images within texts. */
#define QWEN_SIGHTS(patch_, biases_)                                     \
    IMAGES(patch_), .any_size = true, .frames = 2,                       \
    .biases = LCT_BIAS_LAYER | (biases_)
#define T5                                                               \
    .names = { &t5, &t5_gated },                                         \
    .encoder = { &t5_encoder, &t5_gated_encoder },                       \
    .eps_key = "layer_norm_epsilon", .act_key = "feed_forward_proj",     \
    .read = lct_net_family_t5
#define T5_FAMILY(type_, act_, scale_)                                   \
    { .model_type = type_, T5,                                           \
      .switches = { RMS, .eps = 1e-6, .act = act_, .tied = true,         \
                    .gguf = { &gguf_t5, &gguf_t5_encoder },              \
                    .logit_scale = scale_ } }

/* Experts with the defaults of the classes: how many, how many for a token, the
   width of each. */
#define EXPERTS(n_, k_, width_, ...)                                     \
    .expert_width = width_,                                              \
    .experts = { .n = n_, .top_k = k_, .groups = 1, .scaling = 1,        \
                 .router = __VA_ARGS__ }
#define QWEN_MOE(n_, k_, width_) EXPERTS(n_, k_, width_, LCT_ROUTER_SOFTMAX)
#define QWEN3_VL_MOE                                                     \
    EXPERTS(60, 4, 1408, LCT_ROUTER_SOFTMAX, .renormalise = true),       \
    .stacked_experts = true, .input_major_experts = true,                \
    .experts_either_way = true
#define QWEN3_NEXT                                                       \
    EXPERTS(512, 10, 512, LCT_ROUTER_SOFTMAX, .renormalise = true)
#define MIXTRAL                                                          \
    EXPERTS(8, 2, 14336, LCT_ROUTER_SOFTMAX, .renormalise = true)
#define MINIMAX                                                          \
    EXPERTS(256, 8, 1536, LCT_ROUTER_SIGMOID, .renormalise = true)
#define GLM4_MOE                                                         \
    EXPERTS(128, 8, 1408, LCT_ROUTER_SIGMOID, .renormalise = true,       \
            .group_by_two = true, .epsilon = 1e-20, .top_groups = 1),    \
    .dense_first = 1
#define DEEPSEEK_V2 EXPERTS(64, 6, 1407, LCT_ROUTER_SOFTMAX)
#define DEEPSEEK_V3                                                      \
    .dense_first = 3, .expert_width = 2048,                              \
    .experts = { .n = 256, .top_k = 8, .router = LCT_ROUTER_SIGMOID,     \
                 .groups = 8, .top_groups = 4, .group_by_two = true,     \
                 .renormalise = true, .scaling = 2.5, .epsilon = 1e-20 }
#define KIMI_LINEAR                                                      \
    .dense_first = 1, .expert_width = 1024, .named_by_file = true,       \
    .experts = { .n = 256, .top_k = 8, .router = LCT_ROUTER_SIGMOID,     \
                 .groups = 1, .top_groups = 1, .group_by_two = true,     \
                 .renormalise = true, .scaling = 2.446, .epsilon = 1e-20 }
#define GEMMA4                                                           \
    .stacked_experts = true,                                             \
    .experts = { .top_k = 2, .groups = 1, .scaling = 1,                  \
                 .router = LCT_ROUTER_SOFTMAX, .renormalise = true }
#define GPT_OSS                                                          \
    EXPERTS(128, 4, 2880, LCT_ROUTER_OF_CHOSEN),                         \
    .stacked_experts = true, .interleaved_experts = true,                \
    .input_major_experts = true, .alpha = 1.702, .limit = 7
#define LLAMA4                                                           \
    EXPERTS(16, 1, 8192, LCT_ROUTER_SIGMOID, .scales_input = true),      \
    .stacked_experts = true, .input_major_experts = true
/* clang-format on */

static const struct lct_net_family families[] = {
#include "net_families.def"
};

const struct lct_net_family *lct_net_families_find(const char *model_type)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (strcmp(families[i].model_type, model_type) == 0)
            return &families[i];
    return NULL;
}

locant_status lct_net_families_act(enum lct_net_act *out, const char *name,
                                   const struct lct_config *c)
{
    static const struct {
        const char *name;
        enum lct_net_act act;
    } acts[] = { { "silu", LCT_ACT_SILU },
                 { "swish", LCT_ACT_SILU },
                 { "gelu", LCT_ACT_GELU },
                 { "gelu_python", LCT_ACT_GELU },
                 { "gelu_new", LCT_ACT_GELU_TANH },
                 { "gelu_bloom", LCT_ACT_GELU_BLOOM },
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
            return LOCANT_OK;
        }
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: \"%s\" is no known activation function", c->file,
                       name);
}

/* The class or, where the family has a key for it, the configuration says which
   maps have a bias; only those of transformers have such keys. */
static locant_status choose_biases(struct lct_net_switches *s,
                                   const struct lct_net_family *f,
                                   const struct lct_config *c)
{
    const size_t n = sizeof(f->bias_keys) / sizeof(f->bias_keys[0]);
    const bool from_class =
        c->dialect != LCT_DIALECT_GGUF && !lct_config_is_params(c);

    for (size_t i = 0; i < n && f->bias_keys[i].key != NULL; i++) {
        const int maps = f->bias_keys[i].maps;
        bool on = (s->biases & maps) == maps;

        LCT_TRY(lct_net_family_keys_bool(&on, c, f->bias_keys[i].key));
        s->biases = on ? s->biases | maps : s->biases & ~maps;
        if (!on && from_class)
            s->denied |= maps;
    }
    return LOCANT_OK;
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
    if (out->eps < 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %s is %.10g, expected 0 or more", c->file,
                           f->eps_key, out->eps);
    LCT_TRY(choose_biases(out, f, c));
    LCT_TRY(lct_net_family_keys_bool(&out->tied, c, "tie_word_embeddings"));
    /* the head of a model of several parts belongs to the whole */
    out->tied |= json_is_true(json_object_get(c->root, "tie_word_embeddings"));
    out->branch_scale = 1;
    if (out->streams == 0)
        out->streams = 1;
    return f->read != NULL ? f->read(out, c) : LOCANT_OK;
}
