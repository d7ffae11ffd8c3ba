/* net_names.c - names of tensors: three large customs, and how to find one */
#include "net_names.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct lct_net_names lct_net_names_llama = {
    .layer = "layers.",
    .name = { [LCT_EMBED] = "embed_tokens",
              [LCT_FINAL_NORM] = "norm",
              [LCT_HEAD] = "lm_head",
              [LCT_NORM_ATTN] = "input_layernorm",
              [LCT_NORM_MLP] = "post_attention_layernorm",
              [LCT_Q] = "self_attn.q_proj",
              [LCT_K] = "self_attn.k_proj",
              [LCT_V] = "self_attn.v_proj",
              [LCT_O] = "self_attn.o_proj",
              [LCT_Q_NORM] = "self_attn.q_norm",
              [LCT_K_NORM] = "self_attn.k_norm",
              [LCT_SINK_LOGITS] = "self_attn.sinks",
              [LCT_GATE] = "mlp.gate_proj",
              [LCT_UP] = "mlp.up_proj",
              [LCT_DOWN] = "mlp.down_proj" }
};

const struct lct_net_names lct_net_names_gguf = {
    .layer = "blk.",
    .name = { [LCT_EMBED] = "token_embd",
              [LCT_EMBED_NORM] = "token_embd_norm",
              [LCT_POSITIONS] = "position_embd",
              [LCT_FINAL_NORM] = "output_norm",
              [LCT_HEAD] = "output",
              [LCT_NORM_ATTN] = "attn_norm",
              [LCT_AFTER_ATTN] = "post_attention_norm",
              [LCT_NORM_MLP] = "ffn_norm",
              [LCT_AFTER_MLP] = "post_ffw_norm",
              [LCT_Q] = "attn_q",
              [LCT_K] = "attn_k",
              [LCT_V] = "attn_v",
              [LCT_QKV] = "attn_qkv",
              [LCT_O] = "attn_output",
              [LCT_Q_NORM] = "attn_q_norm",
              [LCT_K_NORM] = "attn_k_norm",
              [LCT_SINK_LOGITS] = "attn_sinks",
              [LCT_GATE] = "ffn_gate",
              [LCT_UP] = "ffn_up",
              [LCT_DOWN] = "ffn_down",
              [LCT_Q_A] = "attn_q_a",
              [LCT_Q_A_NORM] = "attn_q_a_norm",
              [LCT_Q_B] = "attn_q_b",
              [LCT_KV_A] = "attn_kv_a_mqa",
              [LCT_KV_A_NORM] = "attn_kv_a_norm",
              [LCT_KV_B] = "attn_kv_b",
              [LCT_K_B] = "attn_k_b",
              [LCT_V_B] = "attn_v_b",
              [LCT_ROUTER] = "ffn_gate_inp",
              [LCT_CORRECTION] = "exp_probs_b",
              [LCT_EXPERT_GATE] = "ffn_gate_exps",
              [LCT_EXPERT_UP] = "ffn_up_exps",
              [LCT_EXPERT_DOWN] = "ffn_down_exps",
              [LCT_SHARED_GATE] = "ffn_gate_shexp",
              [LCT_SHARED_UP] = "ffn_up_shexp",
              [LCT_SHARED_DOWN] = "ffn_down_shexp",
              [LCT_SHARED_SIGMOID] = "ffn_gate_inp_shexp" }
};

/* clang-format off */
const struct lct_net_names lct_net_names_params = { .layer = "layers.",
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

const char *lct_net_names_of(const struct lct_net_names *n,
                             enum lct_net_role role)
{
    for (; n != NULL; n = n->base)
        if (n->name[role] != NULL)
            return n->name[role][0] != 0 ? n->name[role] : NULL;
    return NULL;
}

const char *lct_net_names_layer(const struct lct_net_names *n)
{
    while (n->layer == NULL)
        n = n->base;
    return n->layer;
}

/* Does 'name' end with 'end', as a whole or after a dot? */
static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);

    return n >= m && strcmp(name + n - m, end) == 0 &&
           (n == m || name[n - m - 1] == '.');
}

/* The first tensor whose name ends as that of this role, which is written to
   'end'; NULL if there is none. */
static const struct lct_weight *find_end(char end[LCT_NET_NAME],
                                         const struct lct_net_prefix *p,
                                         const struct lct_weights *w,
                                         enum lct_net_role role)
{
    const char *name = lct_net_names_of(p->names, role);
    const struct lct_weight *t;

    snprintf(end, LCT_NET_NAME, "%s.weight", name != NULL ? name : "");
    for (size_t i = 0; name != NULL && (t = lct_weights_at(w, i)) != NULL; i++)
        if (ends_with(t->name, end) &&
            strlen(t->name) - strlen(end) < sizeof(p->root))
            return t;
    return NULL;
}

bool lct_net_names_part(const struct lct_net_prefix *p,
                        const struct lct_weights *w)
{
    char end[LCT_NET_NAME];

    return find_end(end, p, w, LCT_EMBED) == NULL &&
           find_end(end, p, w, LCT_O) == NULL;
}

locant_status lct_net_names_begin(struct lct_net_prefix *p,
                                  const struct lct_weights *w, const char *file)
{
    char end[LCT_NET_NAME];
    const struct lct_weight *t = find_end(end, p, w, LCT_EMBED);

    p->weights = w;
    p->file = file;
    if (t == NULL)
        return locant_fail(LOCANT_ERR_FORMAT, "%s: there is no tensor %s", file,
                           end);
    snprintf(p->root, sizeof(p->root), "%.*s",
             (int)(strlen(t->name) - strlen(end)), t->name);
    return LOCANT_OK;
}

/* What is fused, split or stacked differs from file to file. */
static bool decides(enum lct_net_role role)
{
    return role < LCT_Q || role == LCT_Q_NORM || role == LCT_K_NORM ||
           role == LCT_GATE || role >= LCT_SHARED_GATE ||
           role == LCT_CORRECTION || role == LCT_GATE_UP;
}

const char *lct_net_names_role(const struct lct_net_prefix *p,
                               enum lct_net_role role)
{
    if (p->roles != NULL && decides(role) &&
        lct_net_names_of(p->roles, role) == NULL)
        return NULL;
    return lct_net_names_of(p->names, role);
}

int lct_net_names_stage(int64_t *within, const struct lct_net_prefix *p,
                        int64_t layer)
{
    int stage = 0;

    while (stage + 1 < p->n_stages && layer >= p->depths[stage])
        layer -= p->depths[stage++];
    *within = layer;
    return stage;
}

/* "encoder.layers.1.blocks.0." */
static int layer_begin(char out[LCT_NET_NAME], const struct lct_net_prefix *p,
                       int64_t layer)
{
    const char *name = lct_net_names_layer(p->names);
    const char *mark = strchr(name, '%');
    int64_t within;
    int stage;

    if (mark == NULL)
        return snprintf(out, LCT_NET_NAME, "%s%s%" PRId64 ".", p->root, name,
                        layer);
    stage = lct_net_names_stage(&within, p, layer);
    return snprintf(out, LCT_NET_NAME, "%s%.*s%d%s%" PRId64 ".", p->root,
                    (int)(mark - name), name, stage, mark + 2, within);
}

bool lct_net_names_full(char out[LCT_NET_NAME], const struct lct_net_prefix *p,
                        enum lct_net_role role, int64_t layer, int64_t expert,
                        const char *suffix)
{
    const char *name = lct_net_names_role(p, role);
    char before[LCT_NET_NAME] = "", number[32] = "";
    const char *mark;
    int n;

    if (name == NULL)
        return false;
    if (role >= LCT_NORM_ATTN) {
        n = layer_begin(before, p, layer);
        if (n < 0 || (size_t)n >= sizeof(before))
            return false;
    } else if (role < LCT_HEAD || role > LCT_HEAD_BIAS) {
        memcpy(before, p->root, sizeof(before));
    }
    mark = strchr(name, '%');
    if (mark == NULL)
        n = snprintf(out, LCT_NET_NAME, "%s%s%s", before, name, suffix);
    else {
        snprintf(number, sizeof(number), "%" PRId64, expert);
        n = snprintf(out, LCT_NET_NAME, "%s%.*s%s%s%s", before,
                     (int)(mark - name), name, number, mark + 2, suffix);
    }
    return n >= 0 && n < LCT_NET_NAME;
}
