/*
 * net_params.c - the dialect of params.json
 *
 * Source: llama/model.py of Meta; mistral-inference, transformer.py.
 */
#include "net_params.h"

/* clang-format off */
const struct lct_net_names lct_net_params_names = { .layer = "layers.",
    .name = { [LCT_EMBED] = "tok_embeddings", [LCT_FINAL_NORM] = "norm",
              [LCT_HEAD] = "output", [LCT_NORM_ATTN] = "attention_norm",
              [LCT_NORM_MLP] = "ffn_norm", [LCT_Q] = "attention.wq",
              [LCT_K] = "attention.wk", [LCT_V] = "attention.wv",
              [LCT_O] = "attention.wo", [LCT_GATE] = "feed_forward.w1",
              [LCT_UP] = "feed_forward.w3", [LCT_DOWN] = "feed_forward.w2",
              [LCT_ROUTER] = "feed_forward.gate",
              [LCT_EXPERT_GATE] = "feed_forward.experts.%d.w1",
              [LCT_EXPERT_UP] = "feed_forward.experts.%d.w3",
              [LCT_EXPERT_DOWN] = "feed_forward.experts.%d.w2" } };
/* clang-format on */

locant_status lct_net_params_translate(json_t **out, const struct lct_net *n)
{
    static const char *const names[][2] = {
        { "dim", "hidden_size" },
        { "hidden_dim", "intermediate_size" },
        { "norm_eps", "rms_norm_eps" },
        { "tied_embeddings", "tie_word_embeddings" },
    };
    static const char *const experts[][2] = {
        { "num_experts", "num_local_experts" },
        { "num_experts_per_tok", "num_experts_per_tok" },
    };
    const json_t *moe = json_object_get(n->config.text, "moe");
    json_t *value;
    int failed = 0;

    *out = json_object();
    for (size_t i = 0; *out != NULL && i < sizeof(names) / sizeof(*names);
         i++) {
        value = json_object_get(n->config.text, names[i][0]);
        if (value != NULL)
            failed |= json_object_set(*out, names[i][1], value);
    }
    for (size_t i = 0; *out != NULL && i < sizeof(experts) / sizeof(*experts);
         i++) {
        value = json_object_get(moe, experts[i][0]);
        if (value != NULL)
            failed |= json_object_set(*out, experts[i][1], value);
    }
    return *out != NULL && failed == 0
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
}
