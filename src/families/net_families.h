/* net_families.h - what the blocks of each family are made of */
#ifndef LCT_NET_FAMILIES_H
#define LCT_NET_FAMILIES_H
#include "net.h"
#include "net_names.h"

/* How a fused matrix of q, k and v holds them: all q, then all k, then all v;
   or for each head of keys its queries, its key, its value. */
enum lct_net_qkv { LCT_QKV_STACKED, LCT_QKV_GROUPED };

/* Linear maps that must have a bias; others have one if the file does. */
enum {
    LCT_BIAS_Q = 1,
    LCT_BIAS_K = 2,
    LCT_BIAS_V = 4,
    LCT_BIAS_QKV = LCT_BIAS_Q | LCT_BIAS_K | LCT_BIAS_V,
    LCT_BIAS_O = 8,
    LCT_BIAS_MLP = 16,
    LCT_BIAS_HEAD = 32,     /* of the head, and of the layer before it */
    LCT_BIAS_LOGITS = 64,   /* a vector of its own that logits have */
    LCT_BIAS_EXPERTS = 128, /* their router, too */
    LCT_BIAS_PATCHES = 256
};

/* Switches of one model; a row of the table has those of the class, which
   'read' then changes by the configuration. */
struct lct_net_switches {
    int variant; /* of the family's names */
    enum lct_net_norm_kind norm;
    bool plus_one;   /* weights of norms w mean 1 + w */
    double eps;      /* of norms; the default of eps_key */
    const char *act; /* the default of act_key */
    enum lct_net_residual residual;
    enum lct_net_qkv qkv;
    bool input_major; /* matrices are [in, out] (Conv1D) */
    bool tied;        /* default of tie_word_embeddings */
    int biases;
    bool bare_norms; /* layer norms may lack a bias */
    bool residual_of_norm;
    bool halved; /* the stated width of MLPs is twice (Qwen 1) */
    bool no_final_norm;
    bool scaled_embedding;  /* by sqrt(D) (Gemma) */
    double embedding_scale; /* 0: that of the plan */
    double branch_scale;    /* 0: 1 */
    double logit_scale;     /* 0: 1 */
    bool logits_over_root;  /* logits are divided by sqrt(D) (PaLM) */
    double logit_cap, clip;
    bool no_first_norm;    /* layer 0 has no norm before attention */
    bool images;           /* LCT_EMBED maps patches */
    bool any_size;         /* of images */
    bool by_prompt;        /* dynamic scaling by the prompt (Qwen 1) */
    int64_t memory;        /* the default of mem_len (Transformer-XL) */
    bool same_length;      /* the memory is a window */
    int64_t window;        /* the default of window_size; 0: no windows */
    bool merge_norm_after; /* Swin v2 */
    int64_t patch;         /* the default of patch_size */
    int64_t frames;        /* that of temporal_patch_size; 0: patches have no
                              time */
    enum lct_net_pool pool;
    bool headless;        /* there may be no head */
    const char *head_act; /* NULL: that of MLPs */
    /* Experts; n = 0: none */
    struct lct_net_experts experts;
    int64_t expert_width;
    double alpha, limit;      /* gpt-oss */
    bool stacked_experts;     /* one tensor [experts, ..], gate and up fused */
    bool interleaved_experts; /* gate, up, gate, up, .. (gpt-oss) */
    bool input_major_experts;
    bool experts_either_way;     /* or output-major: their shape tells */
    int64_t dense_first;         /* layers without experts */
    const json_t *dense_layers;  /* their numbers; NULL: none */
    const json_t *expert_layers; /* numbers of those with experts; NULL: all */
    const json_t *mlp_types; /* "dense" or "sparse" of each layer; NULL: as the
                                others say */
    int64_t expert_step;     /* only layers l with (l + 1) % step = 0; 0: 1 */
    bool latent;             /* MLA */
    struct lct_net_delta delta; /* of layers without attention; heads 0: none */
    bool gated;                 /* behind each head of queries is a gate */
    bool named_by_file;         /* the variant is that whose MLP the file has */
    bool beside;                /* experts beside an MLP, where there are */
    bool value_norm;            /* values are normed without weights */
    bool free_width;            /* of MLPs, by layer */
    const json_t *sparsity;     /* of the gates of layers; NULL: 0 */
    int64_t streams, active;    /* AltUp; 0: one stream */
    bool stream_scale;
    bool shared_maps; /* positions pass the maps of tokens (DeBERTa) */
};

struct lct_net_family {
    const char *model_type;
    const struct lct_net_names *names[3];   /* of each variant */
    const struct lct_net_names *encoder[3]; /* NULL: it has none */
    const char *sight;             /* the row of its tower for images; NULL */
    const char *eps_key, *act_key; /* NULL: the default */
    struct {
        const char *key; /* NULL: no more */
        int maps;        /* whether these have a bias */
    } bias_keys[5];
    struct lct_net_switches switches;
    locant_status (*read)(struct lct_net_switches *s,
                          const struct lct_config *c);
};

/* Row i of the table, NULL past the end; the row of a model_type, or NULL. */
const struct lct_net_family *lct_net_families_at(size_t i);
const struct lct_net_family *lct_net_families_find(const char *model_type);

/* The switches of a model.  Errors: FORMAT (a key is wrong). */
locant_status lct_net_families_switches(struct lct_net_switches *out,
                                        const struct lct_net_family *f,
                                        const struct lct_config *c);

/* The activation of that name of transformers.  Errors: FORMAT (unknown). */
locant_status lct_net_families_act(enum lct_net_act *out, const char *name,
                                   const struct lct_config *c);
#endif
