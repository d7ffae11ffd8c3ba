/* net_names.h - what the tensors of a Transformer are called, by role */
#ifndef LCT_NET_NAMES_H
#define LCT_NET_NAMES_H
#include "weights.h"
#include <stdbool.h>

/* What a tensor is for.  Those from LCT_NORM_ATTN on stand in each layer. */
enum lct_net_role {
    LCT_EMBED,
    LCT_EMBED_NORM,
    LCT_POSITIONS, /* a learned table */
    LCT_PROJECT_IN,
    LCT_PROJECT_OUT,
    LCT_FINAL_NORM,
    LCT_HEAD,
    LCT_HEAD_DENSE, /* before the head: norm(act(dense x)) */
    LCT_HEAD_NORM,
    LCT_CLUSTER_HEAD, /* "%d" in the name: the cluster */
    LCT_CLUSTER_OUT,
    LCT_CLUSTERS,
    LCT_CLUSTERS_BIAS,
    LCT_HEAD_BIAS,     /* the name is that of the vector */
    LCT_TYPES,         /* vectors of token types */
    LCT_CLUSTER_EMBED, /* "%d" in the name: the cluster */
    LCT_CLUSTER_IN,
    LCT_SHARED_U, /* learned by the encodings of all layers */
    LCT_SHARED_V,
    LCT_REL_TABLE, /* learned by the encodings of all layers */
    LCT_REL_NORM,
    LCT_CONVOLUTION,
    LCT_MERGE, /* "%d" in the name: the stage */
    LCT_MERGE_NORM,
    LCT_CONVOLUTION_NORM,
    LCT_CLASS_TOKEN,
    LCT_REGISTERS,
    LCT_MERGER_UP, /* patches merged into a token of a text */
    LCT_MERGER_DOWN,
    LCT_DEEP_NORM, /* "%d" in the name: the merger */
    LCT_DEEP_UP,
    LCT_DEEP_DOWN,
    LCT_INPUTS_EMBED,   /* [vocabulary, layers * width]: inputs of layers */
    LCT_INPUTS_PROJECT, /* the same from the embedding */
    LCT_INPUTS_NORM,
    LCT_STREAM_IN, /* "%d" in the name: each stream but the first */
    LCT_STREAM_OUT,
    LCT_NORM_ATTN, /* before attention */
    LCT_AFTER_ATTN,
    LCT_NORM_CROSS, /* around attention over the states of an encoder */
    LCT_AFTER_CROSS,
    LCT_CROSS_Q,
    LCT_CROSS_K,
    LCT_CROSS_V,
    LCT_CROSS_O,
    LCT_NET_W1, /* of the network that makes a bias (Swin v2) */
    LCT_NET_W2,
    LCT_LOGIT_SCALE,
    LCT_POS_MAP,
    LCT_POS_U,
    LCT_POS_V,
    LCT_POS_Q, /* maps of LCT_REL_TABLE, if they are not those of tokens */
    LCT_POS_K,
    LCT_TABLE,      /* learned by the encoding of the layer */
    LCT_ATTN_SCALE, /* of the branches, [D] */
    LCT_MLP_SCALE,
    LCT_NORM_MLP, /* before the MLP */
    LCT_AFTER_MLP,
    LCT_Q,
    LCT_K,
    LCT_V,
    LCT_QKV, /* instead of the three */
    LCT_O,
    LCT_Q_NORM,
    LCT_K_NORM,
    LCT_SINK_LOGITS,
    LCT_GATE,
    LCT_UP,
    LCT_GATE_UP, /* instead of the two */
    LCT_DOWN,
    LCT_Q_A,
    LCT_Q_A_NORM,
    LCT_Q_B,
    LCT_KV_A,
    LCT_KV_A_NORM,
    LCT_KV_B,
    LCT_K_B,
    LCT_V_B,
    LCT_ROUTER,
    LCT_CORRECTION,  /* added to the scores that choose experts */
    LCT_EXPERT_GATE, /* "%d" in the name: one tensor per expert */
    LCT_EXPERT_UP,
    LCT_EXPERT_DOWN,
    LCT_EXPERT_GATE_UP, /* [experts, ..] */
    LCT_SHARED_GATE,
    LCT_SHARED_UP,
    LCT_SHARED_DOWN,
    LCT_SHARED_SIGMOID, /* its output scales the shared expert */
    LCT_AFTER_DENSE,    /* norms where experts stand beside an MLP */
    LCT_NORM_EXPERTS,
    LCT_AFTER_EXPERTS,
    LCT_ROUTER_SCALE,
    LCT_EXPERT_SCALE,
    LCT_INPUT_GATE, /* of the input of a layer */
    LCT_INPUT_OUT,
    LCT_INPUT_NORM,
    LCT_LAYER_SCALAR,
    LCT_STREAM_NORM, /* AltUp */
    LCT_STREAM_ROUTER,
    LCT_STREAM_PREDICT,
    LCT_STREAM_CORRECT,
    LCT_STREAM_SCALE,
    LCT_LAUREL_LEFT,
    LCT_LAUREL_RIGHT,
    LCT_LAUREL_NORM,
    LCT_CONV_Q, /* of a delta rule, whose maps are LCT_Q .. LCT_O, or those of
                   LCT_DELTA_QKVZ */
    LCT_CONV_K,
    LCT_CONV_V,
    LCT_DELTA_CONV, /* instead of the three */
    LCT_DELTA_QKVZ, /* for each head of keys: its q, k, and v and gates of its
                       heads of values */
    LCT_DELTA_BA,   /* for each head of keys: beta and decays of the same */
    LCT_DELTA_O,
    LCT_DELTA_BETA,
    LCT_DECAY_A,
    LCT_DECAY_B,
    LCT_DECAY_RATE, /* its logarithm */
    LCT_DECAY_BIAS,
    LCT_DELTA_GATE_A,
    LCT_DELTA_GATE_B,
    LCT_DELTA_NORM,
    LCT_ROLES
};

/*
 * The names of a family: relative to what stands before the name of LCT_EMBED
 * in the file or, of a layer's, to 'layer', a number and a dot; those of the
 * head are whole.  A name that is
 * NULL is that of 'base'; "" is none.
 */
struct lct_net_names {
    const struct lct_net_names *base;
    const char *layer;
    const char *name[LCT_ROLES];
};

/* The name of a role; NULL if the family has none. */
const char *lct_net_names_of(const struct lct_net_names *n,
                             enum lct_net_role role);
const char *lct_net_names_layer(const struct lct_net_names *n);

enum { LCT_NET_NAME = 256 };

/* Where the names of a checkpoint begin. */
struct lct_net_prefix {
    const struct lct_net_names *names;
    const struct lct_net_names *roles; /* whose norms and gates there are, if
                                          'names' has more; or NULL */
    const struct lct_weights *weights;
    const char *file;
    char root[LCT_NET_NAME]; /* before the name of LCT_EMBED */
    int n_stages; /* "%d" in names->layer: the stage; a layer is counted within
                     its stage then */
    int64_t depths[8]; /* layers of each stage */
};

/* Is this a part of a model, without embeddings and output of attention? */
bool lct_net_names_part(const struct lct_net_prefix *p,
                        const struct lct_weights *w);

/* Find the prefix of p->names.  Errors: FORMAT (there is no such tensor). */
locant_status lct_net_names_begin(struct lct_net_prefix *p,
                                  const struct lct_weights *w,
                                  const char *file);

/* The stage of a layer, and its place in it. */
int lct_net_names_stage(int64_t *within, const struct lct_net_prefix *p,
                        int64_t layer);

/* Have the models a tensor of this role?  Its name then; else NULL. */
const char *lct_net_names_role(const struct lct_net_prefix *p,
                               enum lct_net_role role);

/* out = the full name of a tensor: of layer 'layer', expert 'expert' (-1: not
   in its name); 'suffix' is ".weight", ".bias" or "".  false: too long, or the
   family has none. */
bool lct_net_names_full(char out[LCT_NET_NAME], const struct lct_net_prefix *p,
                        enum lct_net_role role, int64_t layer, int64_t expert,
                        const char *suffix);
#endif
