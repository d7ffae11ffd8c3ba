/*
 * position_plan.h - the position plan of a model: how each of its layers uses
 * positions, in one normal form whatever file it was read from
 *
 * The canonical spec of a layer is the source of truth: pairing, rotated width,
 * side, window, frequencies and attention factor are keys of specs, and what is
 * printed of them is read from the spec.  What a call of attention takes beside
 * an encoding (scale, cap, sinks, norms of q and k) stands beside the spec.
 */
#ifndef LCT_POSITION_PLAN_H
#define LCT_POSITION_PLAN_H
#include "config.h"
#include "locant/encoding.h"

struct lct_weights;

/*
 * The program that reads the configuration.  TRUE is what the files mean: what
 * transformers 5 computes, but for its known mistakes.  The others read the
 * same keys as that program does, mistakes included (docs/guide/models).
 */
enum lct_stack {
    LCT_STACK_TRUE,
    LCT_STACK_HF4,
    LCT_STACK_HF5,
    LCT_STACK_VLLM,
    LCT_STACK_LLAMACPP,
    LCT_STACK_MLX
};

enum lct_plan_attention { LCT_SOFTMAX, LCT_LINEAR_ATTENTION, LCT_NO_ATTENTION };
enum lct_plan_mask { LCT_CAUSAL, LCT_BIDIRECTIONAL, LCT_PREFIX, LCT_CROSS };

/* Norm of queries and keys. */
enum lct_qk_norm_kind { LCT_QK_NONE, LCT_QK_RMS, LCT_QK_LAYER, LCT_QK_L2 };
enum lct_qk_norm_over {
    LCT_OVER_HEAD, /* one weight [head_dim] for all heads */
    LCT_OVER_ALL,  /* all heads at once, weight [heads * head_dim] */
    LCT_OVER_EACH  /* each head by itself with a weight of its own */
};
struct lct_qk_norm {
    enum lct_qk_norm_kind kind;
    enum lct_qk_norm_over over;
    bool after_rotation, plus_one; /* plus_one: times 1 + weight */
    double eps;
};

/* Position ids of the tokens of a row. */
enum lct_plan_ids {
    LCT_IDS_ARANGE, /* 0, 1, .. */
    LCT_IDS_MASK,   /* the sum of the mask so far, minus 1 */
    LCT_IDS_PAD,    /* pad + the number of tokens that are not pad, so far */
    LCT_IDS_MROPE,
    LCT_IDS_GRID
};

struct lct_layer_plan {
    enum lct_plan_attention attention;
    char *spec;                /* canonical; "none" for a NoPE layer */
    locant_encoding *encoding; /* of 'spec' */
    int64_t heads, kv_heads;
    int64_t qk_dim, v_dim; /* channels of a head for scores, for values */
    double scale;          /* of q . k, before any factor of the spec */
    double score_factor;   /* that factor of the spec; 1 */
    char scale_key[64];    /* the key that gave it, or "head_dim^-0.5" */
    double softcap;        /* 0: none */
    enum lct_plan_mask mask;
    int64_t chunk;       /* a query sees keys of its chunk; 0: all */
    int64_t grid_window; /* images: windows of so many patches on a side;
                                  0: none */
    bool sinks;
    struct lct_qk_norm norm;
    int64_t keys_of; /* the layer whose keys and values it reads, -1:
                                  its own */
};

/* How a value of the plan was found, for 'inspect'. */
enum lct_origin { LCT_GIVEN, LCT_CLASS_DEFAULT, LCT_DERIVED };
struct lct_plan_note {
    char field[48]; /* "base", "head_dim", .. */
    char value[64];
    char key[64]; /* of the file; "" if derived */
    enum lct_origin origin;
};

struct lct_tower {
    const char *name;   /* "text", "encoder", "decoder", "vision" */
    char *input;        /* spec of what is added to embeddings, "none" */
    double input_scale; /* of the embeddings before that; 1 */
    enum lct_plan_ids ids;
    int64_t pad; /* of LCT_IDS_PAD */
    struct lct_layer_plan *layers;
    int64_t n_layers;
    struct lct_plan_note *notes;
    size_t n_notes;
};

struct lct_position_plan {
    enum lct_dialect dialect;
    enum lct_stack stack;
    const struct lct_family *family;
    char file[256];
    bool interleaved;     /* the pairing that these weights want */
    bool pairing_assumed; /* no metadata says it: the usual one of the family */
    int64_t length_config;  /* max_position_embeddings and its like; 0: none */
    int64_t length_trained; /* the original length if the file tells, else the
                               same */
    int64_t length_tables;  /* rows of a learned table; 0: no limit */
    struct lct_tower towers[3];
    int n_towers;
    bool lacks_key; /* a plan failed because a GGUF file lacks a key */
};

/*
 * Errors: as lct_config_read(); FORMAT (a key that the plan needs is wrong: the
 * message names file, key, what was found and what is expected), UNSUPPORTED
 * (unknown family: the message names the nearest known one and the list).
 */
locant_status lct_position_plan_read(struct lct_position_plan *out,
                                     const char *path);
locant_status lct_position_plan_of(struct lct_position_plan *out,
                                   const struct lct_config *c);
/* The same as another program reads it. */
locant_status lct_position_plan_as(struct lct_position_plan *out,
                                   const struct lct_config *c,
                                   enum lct_stack stack);
locant_status lct_position_plan_read_as(struct lct_position_plan *out,
                                        const char *path, enum lct_stack stack);
/* The same with the weights beside the configuration, or NULL: those of GGUF
   have divisors of frequencies. */
locant_status lct_position_plan_beside(struct lct_position_plan *out,
                                       const struct lct_config *c,
                                       enum lct_stack stack,
                                       const struct lct_weights *w);
void lct_position_plan_free(struct lct_position_plan *p);

/*
 * The plan as JSON of a stable schema (docs/guide/models), and the SHA-256 of
 * its canonical text: two files of one hash have the same positions.  The hash
 * covers what the model computes, not where a value came from.
 */
locant_status lct_position_plan_json(json_t **out,
                                     const struct lct_position_plan *p);
locant_status lct_position_plan_hash(char out[65],
                                     const struct lct_position_plan *p);
#endif
