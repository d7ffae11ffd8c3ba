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
    static const struct {
        const char *within, *from, *to;
    } keys[] = {
        { NULL, "dim", "hidden_size" },
        { NULL, "hidden_dim", "intermediate_size" },
        { NULL, "norm_eps", "rms_norm_eps" },
        { NULL, "tied_embeddings", "tie_word_embeddings" },
        { "moe", "num_experts", "num_local_experts" },
        { "moe", "num_experts_per_tok", "num_experts_per_tok" },
    };

    *out = json_object();
    LCT_NET_GOT(*out);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const json_t *at = n->config.text;
        json_t *value = json_object_get(
            keys[i].within != NULL ? json_object_get(at, keys[i].within) : at,
            keys[i].from);

        if (value != NULL && json_object_set(*out, keys[i].to, value) != 0)
            return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    }
    return LOCANT_OK;
}
