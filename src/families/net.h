/*
 * net.h - one Transformer described by data: what its layers are made of
 *
 * A family is a row of net_families.def and a table of names of net_names.def;
 * no family has a forward of its own.  net_open.c turns both, the configuration
 * and the position plan into the structs below, whose matrices are views of the
 * mapped file.  Vectors (norms, biases, sinks) are small and converted once, to
 * the numbers that the model computes with: float, or double.
 */
#ifndef LCT_NET_H
#define LCT_NET_H
#include "locant/resize.h"
#include "position_plan.h"
#include "weights.h"

struct lct_net_adaptive;
struct lct_net_math;
struct lct_net_family;
struct lct_net_names;

/*
 * A matrix [out, in] within a tensor.  Row r begins at element
 * first + ((r / group) * step + r % group) * row of the tensor, and its numbers
 * are 1 apart; in a transposed one (Conv1D of GPT-2) they are 'row' apart, and
 * the rows 1.
 */
struct lct_net_matrix {
    const struct lct_weight *weight;   /* NULL: there is no such matrix */
    const struct lct_weight *scales;   /* of MXFP4 blocks, of FP8; or NULL */
    int64_t scale_rows, scale_columns; /* of numbers with one scale (FP8) */
    int64_t out, in;
    int64_t first, row;
    int64_t group, step;
    bool transposed;
    void *own; /* the numbers as bfloat16 [out, in], instead of the tensor */
};

/* y = W x + bias; the bias may be NULL. */
struct lct_net_linear {
    struct lct_net_matrix w;
    void *bias;
};

enum lct_net_norm_kind {
    LCT_NET_NO_NORM,
    LCT_NET_LAYER_NORM,
    LCT_NET_RMS_NORM
};

/* Of rows of 'width' numbers; 'weights' vectors of weights in turn (1, or one
   for each head).  w and b may be NULL. */
struct lct_net_norm {
    enum lct_net_norm_kind kind;
    int64_t width, weights;
    void *w, *b;
    double eps;
};

enum lct_net_act {
    LCT_ACT_NONE,
    LCT_ACT_SILU,
    LCT_ACT_GELU, /* exact */
    LCT_ACT_GELU_TANH,
    LCT_ACT_GELU_BLOOM, /* the tanh form with sqrt(2/pi) as 0.79788456 */
    LCT_ACT_QUICK_GELU,
    LCT_ACT_RELU,
    LCT_ACT_RELU2,
    LCT_ACT_SIGMOID,
    LCT_ACT_TANH
};

/* Latent projections of MLA: q_b(norm(q_a x)), kv_b(norm(kv_a x)). */
struct lct_net_latent {
    struct lct_net_linear q_a, q_b; /* q_a absent: q_b reads x */
    struct lct_net_linear kv_a, kv_b;
    struct lct_net_linear k_b, v_b; /* of GGUF, instead of kv_b */
    struct lct_net_norm q_norm, kv_norm;
    int64_t rank, nope, rope;
};

/* A state that each token decays and corrects (net_delta.c), instead of
   attention; several heads of values may share those of keys. */
struct lct_net_delta {
    int64_t heads, key_heads; /* of values, of keys and queries */
    int64_t values, keys;     /* channels of a head */
    int64_t kernel;           /* tokens of the convolution */
    bool by_channel;          /* channels of keys decay by themselves */
    struct lct_net_linear q, k, v, o, beta;
    struct lct_net_linear decay_a, decay; /* decay_a absent: decay reads x */
    struct lct_net_linear gate_a, gate;   /* of the output; the same */
    enum lct_net_act act, gate_act;       /* after the convolution; of 'gate' */
    void *taps;                           /* [kernel, channels of q, k and v] */
    void *rate, *bias; /* of the decay: [heads], [heads keys] or [heads] */
    struct lct_net_norm unit, norm; /* of q and k, of the output */
};

struct lct_net_attention {
    const struct lct_layer_plan *plan;
    const locant_encoding *encoding; /* of the plan, or 'own' */
    locant_encoding *own;
    struct lct_net_linear q, k, v, o;
    struct lct_net_norm q_norm, k_norm, v_norm;
    struct lct_net_latent *latent; /* instead of q, k, v; or NULL */
    bool values_of_keys;           /* v is the k projection (Gemma 4) */
    struct lct_net_linear gate;    /* sigmoid of it multiplies the output; or
                                      absent */
    int64_t window;        /* keys seen, beside that of the encoding; 0: all */
    void *sinks;           /* [heads] */
    locant_tensor *params; /* of plan->encoding; NULL: none */
    int n_params;
};

struct lct_net_mlp {
    struct lct_net_linear gate, up, down; /* gate absent: down(act(up x)) */
    enum lct_net_act act;
    double limit, alpha; /* gpt-oss: clamp, and sigmoid(alpha gate); 0: none */
    int64_t width;
    double sparsity; /* Gemma 3n: share of the gate that is cut; 0: none */
};

/* How a router chooses experts and weighs them. */
enum lct_net_router {
    LCT_ROUTER_SOFTMAX,   /* softmax over all, then the largest k */
    LCT_ROUTER_OF_CHOSEN, /* softmax over the k largest logits */
    LCT_ROUTER_SIGMOID    /* sigmoid; chosen by sigmoid + correction */
};

struct lct_net_experts {
    enum lct_net_router router;
    struct lct_net_linear gate; /* [experts, D] */
    void *correction;           /* [experts], or NULL */
    int64_t n, top_k;
    int64_t groups, top_groups; /* 1: no groups */
    bool group_by_two;          /* score: sum of the best two, else the best */
    bool renormalise;
    bool scales_input;         /* Llama 4: the weight multiplies x */
    double scaling, epsilon;   /* of weights; added to their sum */
    struct lct_net_mlp *mlp;   /* [n] */
    struct lct_net_mlp shared; /* added for every token; up absent: none */
    struct lct_net_linear shared_gate; /* sigmoid of it scales 'shared' */
    /* Gemma 4: the router reads RMS(x) router_scale / sqrt(D) */
    struct lct_net_norm router_norm;
    void *per_expert_scale; /* or NULL */
};

/* x + .., in the order of the paper's figure */
enum lct_net_residual {
    LCT_SEQUENTIAL, /* x += after_attn(attn(before_attn x));
                       x += after_mlp(mlp(before_mlp x)); a norm may be
                       absent */
    LCT_PARALLEL,   /* x += attn(before_attn x) + mlp(before_mlp x), where
                       before_mlp is before_attn if it is absent */
    LCT_POST_NORM   /* x = after_attn(x + attn x); x = after_mlp(x + mlp x) */
};

/* An input of a layer, made of tokens and embeddings (Gemma 3n, 4). */
struct lct_net_input {
    struct lct_net_linear gate, out; /* gate absent: none */
    struct lct_net_norm norm;
};

/* Streams of states of which a layer computes one (AltUp, Baykal et al. 2023,
   arXiv:2301.13310v2), and a branch of low rank beside attention (Laurel). */
struct lct_net_streams {
    struct lct_net_norm router_norm;
    struct lct_net_linear router, predict, correct;
    void *scale; /* [D], of what the input of the layer is added to; or NULL */
    struct lct_net_linear left, right;
    struct lct_net_norm low_norm;
};

/* Windows of side x side patches, of an image that is rolled by 'shift'. */
struct lct_net_window {
    int64_t side, shift;
    bool by_image; /* no shift if the image is no larger than a window */
};

/* Patches merged two by two after a layer, to twice its width. */
struct lct_net_merge {
    struct lct_net_linear map; /* [2 D, 4 D] */
    struct lct_net_norm norm;
};

/* Patches that stand side by side as one token of a text (Qwen-VL):
   down(act(up norm(x))), of the width of that text. */
struct lct_net_merger {
    struct lct_net_norm norm; /* of all at once; kind none: it was of each */
    struct lct_net_mlp mlp;
};

struct lct_net_layer {
    int64_t width; /* of its states */
    struct lct_net_norm before_attn, after_attn, before_mlp, after_mlp;
    struct lct_net_attention attention;
    struct lct_net_delta *delta; /* instead, or NULL; attention has its plan */
    /* over the states of the encoder; NULL: none */
    struct lct_net_attention *cross;
    struct lct_net_norm before_cross, after_cross;
    struct lct_net_mlp mlp;          /* up absent: experts alone */
    struct lct_net_experts *experts; /* NULL: dense */
    /* Experts beside the MLP: each with norms of its own (Gemma 4). */
    struct lct_net_norm after_dense, before_experts, after_experts;
    struct lct_net_input input;
    struct lct_net_window *window;   /* NULL: attention sees all */
    struct lct_net_merge *merge;     /* NULL: none */
    struct lct_net_merger *deep;     /* of what a text adds to its states after
                                        one of its first layers (DeepStack:
                                        arXiv:2406.04334v1); or NULL */
    double scalar;                   /* of the output of the layer; 1 */
    struct lct_net_streams *streams; /* NULL: one stream */
    void *attn_scale, *mlp_scale;    /* [D], of each branch; or NULL */
};

/* What classes of an image are read from. */
enum lct_net_pool {
    LCT_POOL_NONE,     /* each token has logits of its own */
    LCT_POOL_CLASS,    /* the first token */
    LCT_POOL_AND_MEAN, /* that, then the mean of the patches */
    LCT_POOL_MEAN      /* the mean of all tokens */
};

/* How a fused matrix of q, k and v holds them: all q, then all k, then all v;
   or for each head of keys its queries, its key, its value. */
enum lct_net_qkv { LCT_QKV_STACKED, LCT_QKV_GROUPED };

/* Switches of one model; a row of the table has those of the class. */
struct lct_net_switches {
    int variant;                         /* of the family's names */
    const struct lct_net_names *gguf[2]; /* names in such files, those of an
                                            encoder; NULL: the usual ones */
    enum lct_net_norm_kind norm;
    bool plus_one;   /* weights of norms w mean 1 + w */
    double eps;      /* of norms; the default of eps_key */
    const char *act; /* the default of act_key */
    enum lct_net_residual residual;
    enum lct_net_qkv qkv;
    bool input_major;   /* matrices are [in, out] (Conv1D) */
    bool tied;          /* default of tie_word_embeddings */
    int biases, denied; /* maps that have a bias; that have none, whatever the
                           file has */
    bool bare_norms;    /* layer norms may lack a bias */
    bool residual_of_norm; /* BLOOM: x is replaced by its norm */
    bool halved;           /* the stated width of MLPs is twice (Qwen 1) */
    bool no_final_norm;
    bool scaled_embedding;  /* by sqrt(D) (Gemma) */
    double embedding_scale; /* 0: that of the plan */
    double branch_scale;    /* of both branches */
    double logit_scale;     /* 0: 1 */
    bool logits_over_root;  /* logits are divided by sqrt(D) (PaLM) */
    double logit_cap, clip; /* clip: of q, k, v; 0: none */
    bool no_first_norm;     /* layer 0 has no norm before attention */
    bool images;            /* LCT_EMBED maps patches */
    bool any_size;          /* of images */
    bool by_prompt;         /* dynamic scaling by the prompt (Qwen 1) */
    int64_t memory;   /* slots of states of zeros before the first token; the
                              default of mem_len (Transformer-XL) */
    bool same_length; /* the memory is a window */
    int64_t window;   /* the default of window_size; 0: no windows */
    bool merge_norm_after; /* the map of merged patches, not before (Swin v2) */
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
    bool values_of_keys;        /* where there is no map of values */
    bool free_width;            /* of MLPs, by layer */
    const json_t *sparsity;     /* of the gates of layers; NULL: 0 */
    int64_t streams, active;    /* AltUp; 1: one stream */
    bool stream_scale;
    bool shared_maps; /* positions pass the maps of tokens (DeBERTa) */
};

/* A convolution over tokens beside the first layer (DeBERTa v2). */
struct lct_net_convolution {
    struct lct_net_linear map; /* [D, D kernel], channels first */
    int64_t kernel;
    enum lct_net_act act;
    struct lct_net_norm norm;
};

/* An image as tokens: prefix tokens, then patches in rows. */
struct lct_net_patches {
    struct lct_net_linear map; /* [D, channels side side] */
    int64_t channels, side[2]; /* rows and columns of pixels of a patch */
    int64_t image[2];          /* the usual size, in patches */
    int64_t frames;            /* of pixels of a patch; 1 */
    int64_t merge;             /* merge x merge patches stand side by side; 1 */
    void *prefix;              /* [n_prefix, D]: class token, registers */
    int64_t n_prefix;
    locant_tensor table; /* [rows_before + patches, D]: the class token has row
                            0 and registers none; data NULL: no table */
    int64_t rows_before;
    locant_resize_form form; /* of the table, for images of another size */
};

/* A stack of layers: a decoder, an encoder. */
struct lct_net_stack {
    const struct lct_tower *plan;
    struct lct_net_layer *layers;
    int64_t n_layers;
    double input_scale;             /* of embeddings; 1 */
    struct lct_net_norm input_norm; /* of embeddings plus positions */
    locant_encoding *input;         /* added to embeddings; NULL: none */
    locant_tensor input_params[2];
    struct lct_net_patches *patches;         /* NULL: it reads ids */
    struct lct_net_convolution *convolution; /* or NULL */
    void *types; /* [n_types, D]: added to embeddings; NULL: none */
    int64_t n_types;
    struct lct_net_linear project_in, project_out; /* OPT-350m */
    struct lct_net_norm final_norm;
    /* Inputs of layers, inputs_width numbers for each; 0: none. */
    int64_t inputs_width;
    struct lct_net_matrix inputs_embed;
    struct lct_net_linear inputs_project;
    struct lct_net_norm inputs_norm;
    struct lct_net_linear *stream_in, *stream_out; /* [streams - 1] */
    int axes; /* of position ids: 1, or 3 of M-RoPE */
};

struct lct_net {
    struct lct_config config; /* of GGUF files 'text' is 'translated' */
    json_t *translated;
    struct lct_position_plan plan;
    struct lct_weights *weights;
    const struct lct_net_family *family;
    struct lct_net_switches s;
    enum lct_net_act act; /* s.act */
    const struct lct_net_math *math;
    locant_dtype dtype;          /* of numbers computed with: F32 or F64 */
    bool round_weights;          /* matrices are rounded to bfloat16 */
    int64_t width, vocab;        /* vocab: of images, classes */
    struct lct_net_matrix embed; /* [vocab, width] */
    struct lct_net_adaptive *adaptive; /* instead of both; or NULL */
    struct lct_net_linear head;        /* absent: there are states alone */
    char *no_head;                     /* then: which tensor is missing */
    bool lacks;                        /* a tensor was missing, and needed */
    bool misfits;                      /* a tensor had another shape or type */
    struct lct_net_linear head_dense;  /* head(norm(act(dense x))); or absent */
    struct lct_net_norm head_norm;
    enum lct_net_act head_act;
    struct lct_net_stack text;    /* that which gives the logits */
    struct lct_net_stack encoder; /* of an encoder-decoder; plan NULL: none */
    int64_t start;                /* id that a decoder begins with */
    double logit_scale;
    struct lct_net *sight;         /* of images within texts; or NULL */
    int64_t image_id, video_id;    /* tokens that stand for them */
    struct lct_net_merger *merger; /* of a 'sight': what its states become */
    int64_t end[8], n_end;         /* ids that end a text */
    int64_t pad;
    void **owned; /* memory to release */
    size_t n_owned, owned_room;
};

/*
 * Open MODEL to compute with 'dtype': F32, F64, or BF16 (float32 on matrices
 * rounded to bfloat16), with an extension as lct_plan_with() takes it, or NULL.
 * Errors: as lct_position_plan_read() and lct_weights_open(); FORMAT (a tensor
 * is missing or has another shape than the configuration says), UNSUPPORTED.
 */
locant_status lct_net_open(struct lct_net **out, const char *path,
                           locant_dtype dtype, const char *with);
/* The same from memory, which must outlive *out: the text of a configuration,
   and one file of tensors; or a GGUF file as both. */
struct lct_net_bytes {
    const char *config;
    size_t config_size;
    const void *weights;
    size_t weights_size;
    const char *name; /* for messages */
};
locant_status lct_net_parse(struct lct_net **out, const struct lct_net_bytes *b,
                            locant_dtype dtype);

void lct_net_close(struct lct_net *n);

/*
 * Has a file the tensors that its configuration asks for, in their shapes?
 * Only headers are read.  It fits also where models of the family cannot be
 * run, and if the file is a part of a model, without embeddings and output of
 * attention; if it does not, locant_last_error() says which tensor, or which
 * key is wrong.  Errors: NOMEM.
 */
enum lct_net_fit {
    LCT_NET_FITS,
    LCT_NET_LACKS,
    LCT_NET_MISFITS,
    LCT_NET_WRONG_KEY
};
locant_status lct_net_fit(enum lct_net_fit *out, const struct lct_config *c,
                          const struct lct_position_plan *plan,
                          struct lct_weights *w);

/* Errors: PARAM (there are no logits, states alone). */
locant_status lct_net_need_head(const char *fn, const struct lct_net *n);

/* Memory that lives as long as n; NULL: none left. */
void *lct_net_keep(struct lct_net *n, size_t bytes);
/* Fail if there was no memory for 'pointer'. */
#define LCT_NET_GOT(pointer)                                                   \
    LCT_TRY((pointer) != NULL                                                  \
                ? LOCANT_OK                                                    \
                : locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory"))
/* Zeros [a, b], to be released; NULL: none left, or their size overflows. */
void *lct_net_zeros(int64_t a, int64_t b, size_t item);
#endif
