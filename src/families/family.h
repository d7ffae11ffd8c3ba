/*
 * family.h - the families of models that locant knows, a table of data
 *
 * A family is one model_type of transformers with the defaults of its class,
 * its rule for layers, and what its attention does beside its encoding.
 * families.def lists them in alphabetical order; one function plans all
 * decoders, others the families of other shapes.
 */
#ifndef LCT_FAMILY_H
#define LCT_FAMILY_H
#include "config.h"
#include "position_plan.h"

/* Fill the towers of 'p' from a configuration of either dialect of
   transformers. */
typedef locant_status lct_plan_fn(struct lct_position_plan *p,
                                  const struct lct_config *c);

/* Which layers have windows, chunks, or no rotation. */
enum lct_layer_rule {
    LCT_LAYERS_FULL,      /* every layer sees everything */
    LCT_LAYERS_WINDOW,    /* every layer, if sliding_window is set */
    LCT_LAYERS_SWITCH,    /* every layer, if use_sliding_window is true */
    LCT_LAYERS_QWEN2,     /* from max_window_layers on, if it is true */
    LCT_LAYERS_QWEN2_MOE, /* every second one before max_window_layers */
    LCT_LAYERS_PERIOD,    /* all but every period-th one */
    LCT_LAYERS_FIRST,     /* all but the first of every period */
    LCT_LAYERS_NOPE,      /* every period-th one is not rotated (SmolLM3) */
    LCT_LAYERS_LLAMA4,    /* the same, and the others see chunks */
    LCT_LAYERS_LINEAR /* every period-th one has softmax, others are linear */
};

/* What the scores are multiplied by. */
enum lct_scale_rule {
    LCT_SCALE_HEAD,   /* head_dim^-0.5 */
    LCT_SCALE_SCALAR, /* query_pre_attn_scalar^-0.5, 256 if absent */
    LCT_SCALE_KEY,    /* attention_multiplier, 1 if absent */
    LCT_SCALE_ONE
};

/* Flags of families. */
/* clang-format off */
enum {
    LCT_LAYER_TYPES   = 1 << 0,  /* the class reads layer_types */
    LCT_ROPE_BY_TYPE  = 1 << 1,  /* rope_parameters has an entry for each layer
                                    type */
    LCT_ROPE_BOTH     = 1 << 2,  /* rope_scaling is of both types */
    LCT_ROPE_NEW      = 1 << 3,  /* only rope_parameters counts (Gemma 4) */
    LCT_SINKS         = 1 << 4,
    LCT_SOFTCAP       = 1 << 5,  /* attn_logit_softcapping */
    LCT_MLA           = 1 << 6,  /* latent attention: a part of each head is
                                    rotated */
    LCT_SCORE         = 1 << 7,  /* mscale_all_dim also multiplies the scores */
    LCT_NOPE_GLOBAL   = 1 << 8,  /* only layers with a window are rotated */
    LCT_NOPE          = 1 << 9,  /* no layer is rotated (Kimi Linear, BLOOM) */
    LCT_ENCODER       = 1 << 10, /* a query sees keys on both sides */
    LCT_LAST_GLOBAL   = 1 << 11, /* the last layer has no window (Gemma 4) */
    LCT_MINISTRAL     = 1 << 12, /* temperature of llama_4_scaling_beta */
    LCT_TYPE_MROPE    = 1 << 13, /* the rope type 'mrope' is 'default' */
    LCT_MROPE_MIXED   = 1 << 14, /* coordinates alternate from pair to pair */
    LCT_PHI3          = 1 << 15, /* 'su' and 'yarn' are longrope */
    LCT_SHARED_KEYS   = 1 << 16, /* num_kv_shared_layers */
    LCT_PAD_IDS       = 1 << 17, /* ids count from pad_token_id (RoBERTa) */
    LCT_OFFSET_WITHIN = 1 << 18, /* rows of 'offset' are among 'length' */
    LCT_MASK_IDS      = 1 << 19, /* ids count the mask (OPT, BLOOM) */
    LCT_HUNYUAN       = 1 << 20, /* 'dynamic' with alpha is NTK */
    LCT_HF4_PLAIN     = 1 << 21, /* transformers 4 reads no rope_scaling */
    LCT_HF5_ONLY      = 1 << 22, /* transformers 4 has no such class */
    LCT_PERMUTED      = 1 << 23, /* converters to GGUF make its half weights
                                    interleaved */
    LCT_OWN_KEYS      = 1 << 24, /* rotary keys are its own (Qwen 1) */
    LCT_NO_GGUF_BASE  = 1 << 25, /* its converter to GGUF writes no base */
    LCT_BOTH_SIDES    = 1 << 26, /* use_bidirectional_attention (Gemma) */
    LCT_SCALE_INPUT   = 1 << 27, /* scale_embedding is true if absent */
    LCT_MULTI_QUERY   = 1 << 28, /* multi_query, true if absent (StarCoder) */
    LCT_OWN_BIAS      = 1 << 29, /* each layer has a bias of its own (UMT5) */
    LCT_SECOND        = 1 << 30  /* the second version (DeBERTa, Swin) */
};
/* clang-format on */

/* What the keys of a configuration are called. */
struct lct_family_names {
    const char *layers, *hidden, *heads, *kv_heads, *length;
    const char *base, *partial; /* at the top level */
    const char *base_local;     /* of layers with a window; NULL: no key */
    const char *epsilon;
};

struct lct_family {
    const char *model_type; /* of config.json: "llama" */
    const char *title;      /* "LLaMA 1 to 3" */
    const char *gguf;       /* general.architecture, or NULL */
    bool interleaved;       /* usual pairing of its Hugging Face files */
    lct_plan_fn *plan;
    /* What 'plan' of decoders reads; the others have their own defaults. */
    const struct lct_family_names *names; /* NULL: those of Llama */
    /* Defaults of the class; 0: derived, or none. */
    int64_t layers, hidden, heads, kv_heads, head_dim, length, window, period;
    double base, base_local, epsilon;
    double base_files;   /* of the published files; 0: the same */
    double base_hf4;     /* of transformers 4; 0: the same */
    double softcap;      /* attn_logit_softcapping */
    int64_t shared_keys; /* num_kv_shared_layers */
    double partial;   /* partial_rotary_factor; 0: the class does not read it */
    int64_t original; /* original_max_position_embeddings, top level */
    enum lct_layer_rule rule;
    enum lct_scale_rule scale;
    struct lct_qk_norm norm;
    const char *norm_switch; /* key that turns the norm on; NULL: always on */
    bool norm_default;
    int64_t section[3];                  /* mrope_section */
    const char *window_key, *period_key; /* NULL: sliding_window; no key */
    const char *width_key;   /* rotated channels (MiniMax); NULL: no key */
    int64_t nope_dim;        /* qk_nope_head_dim; 0: 128 */
    const char *rope_absent; /* rope parameters, as JSON, if none are given */
    int64_t offset; /* rows of a learned table before that of position 0 */
    /* Plan the vision tower, whose object is 'text' of 'c'; NULL: by the
       model_type of vision_config. */
    lct_plan_fn *vision;
    unsigned flags;
};

/* Family i; NULL past the end. */
const struct lct_family *lct_family_at(size_t i);
/* The family of a model_type; NULL if it is unknown. */
const struct lct_family *lct_family_find(const char *model_type);
/* What its files call the base and the length at the top level; f may be NULL:
   as most do. */
const char *lct_family_base_key(const struct lct_family *f);
const char *lct_family_length_key(const struct lct_family *f);
/* The family whose GGUF files name this architecture; NULL if unknown. */
const struct lct_family *lct_family_of_gguf(const char *architecture);
/* "did you mean 'llama'?", or the known names, as in other messages. */
void lct_family_suggest(char *out, size_t size, const char *model_type);
#endif
