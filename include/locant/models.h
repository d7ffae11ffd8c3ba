/*
 * models.h - real models: read the positions of a checkpoint, check, compare,
 * convert and run it.
 *
 * MODEL is a folder with config.json and safetensors, a config.json or
 * params.json alone where no weights are needed, or a .gguf.
 */
#ifndef LOCANT_MODELS_H
#define LOCANT_MODELS_H

#include "core.h"

LOCANT_BEGIN_DECLS

/* ---------------------------------------------------------------- identify */

/* What an array says about the convention that made it. */
typedef enum locant_identity_verdict {
    LOCANT_NONE_OF_THESE = 0, /* no convention fits: see 'closest' */
    LOCANT_IDENTIFIED    = 1, /* 'spec' fits, and no other one does */
    LOCANT_UNDECIDED     = 2  /* several fit: see 'remaining' */
} locant_identity_verdict;

/*
 * The convention of an array.  'residual' is the root of the mean square of
 * what the convention leaves unexplained, in units of the largest error of
 * rounding to the dtype of the values, and of angles in float32; values of a
 * coarser dtype that were stored in a wider one count as the coarser.  Below 1
 * nothing is left.
 */
typedef struct locant_identity {
    locant_identity_verdict verdict;
    int     sign;        /* -1: rotates by minus the angle; else 1 */
    double  offset;      /* added to the given positions */
    double  factor;      /* multiplies all scores (attention scale), or 1 */
    double  residual, rounding;
    char    dtype[16];   /* "bfloat16", .. whose rounding the values have */
    char    spec[4096];  /* what fits; for frequencies that match no rule a list
                            of them, for weights "half" or the like */
    char    beside[256]; /* what fits but no spec says: "cosines first" */
    char    closest[512];
    char    note[1024];  /* sentences */
    int     n_remaining;
    char    remaining[8][512];
} locant_identity;

/*
 * Which rotation made y of x: pairing, rotated channels, base, scaling, sign
 * and an offset of positions.  A rotation that is no rule of locant's language
 * is NONE_OF_THESE, with its frequencies listed in 'spec'.
 *
 * x, y       F32, F16, BF16 or F64 [.., T, D], of one shape, D at least 2
 * positions  I64 or F64 [T]; NULL: 0 .. T-1
 *
 * Every pair is fitted by itself, and a rule must agree with each within six
 * standard errors.  At most 2^22 elements are read: the first and last rows.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (an entry that is not finite),
 * NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_rotation(locant_identity *out, const locant_tensor *x,
                         const locant_tensor *y,
                         const locant_tensor *positions);

/*
 * The same from scores = factor * rotate(q) . rotate(k), before masks and
 * softmax.  Scores show differences of positions alone, so there is no offset.
 * An entry below -1e30 or minus infinity counts as masked.  'factor' is the
 * scale on channels that are not rotated.  Queries and keys that were rounded
 * when they were rotated leave a 'residual' of a few units.
 *
 * q, k, scores  F32, F16, BF16 or F64 [B, H, T, D], [B, H, S, D], [B, H, T, S]
 * positions     I64 or F64 [T] of both, then T = S; NULL: 0 .. S-1, queries at
 *               the end
 *
 * Errors: as locant_identify_rotation().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_scores(locant_identity *out, const locant_tensor *q,
                       const locant_tensor *k, const locant_tensor *scores,
                       const locant_tensor *positions);

/*
 * Which dialect of sinusoid a table has: order of sines and cosines, exponent,
 * base, first position.  Rows of zeros (padding) are left out.
 * table  F32, F16, BF16 or F64 [L, D], D even and at least 4
 * Errors: as locant_identify_rotation().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_table(locant_identity *out, const locant_tensor *table);

/*
 * Which slopes and dialect of ALiBi a bias has.  Entries below -1e30 count as
 * masked.
 * bias  F32, F16, BF16 or F64 [H, T, S] with T = S, or T = 1 for the last query
 * Errors: as locant_identify_rotation().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_bias(locant_identity *out, const locant_tensor *bias);

/*
 * Which pairing q or k weights of one file have relative to another file of the
 * same model: 'spec' is "same", or "half to interleaved" or "interleaved to
 * half" with the rotated channels in 'beside'.
 *
 * a, b      F32, F16, BF16 or F64 [heads * d] or [heads * d, ..] of one shape:
 *           rows are output channels
 * head_dim  d; 0: every divisor of the rows is tried
 *
 * Errors: as locant_identify_rotation(), PARAM (head_dim does not divide the
 * rows).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_weights(locant_identity *out, const locant_tensor *a,
                        const locant_tensor *b, int64_t head_dim);

/*
 * The same of tensors of two checkpoints: tensor 'a_name' of the folder,
 * safetensors file or GGUF file 'a', and b_name of 'b'.  Quantised tensors are
 * read as well.
 * Errors: as locant_identify_weights(), IO, FORMAT, UNSUPPORTED; PARAM (no such
 * tensor: the message names the file).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_identify_files(locant_identity *out, const char *a, const char *a_name,
                      const char *b, const char *b_name, int64_t head_dim);

/* ---------------------------------------------------------- position plans */

/*
 * How each layer of a model uses positions, in one normal form whatever file
 * it was read from.  The spec of a layer says its encoding, with pairing,
 * rotated channels, frequencies and window; what a call of attention takes
 * beside it (scale, soft-cap, sinks, norms of q and k) is in the JSON.
 */
typedef struct locant_plan locant_plan;

/*
 * The program that reads the configuration.  TRUE is what the files mean: what
 * transformers 5 computes, but for its known mistakes.  The others read the
 * same keys as that program does, mistakes included; docs/guide/models lists
 * in what they differ.
 */
typedef enum locant_stack {
    LOCANT_STACK_TRUE     = 0,
    LOCANT_STACK_HF4      = 1, /* transformers 4.57 */
    LOCANT_STACK_HF5      = 2, /* transformers 5 */
    LOCANT_STACK_VLLM     = 3,
    LOCANT_STACK_LLAMACPP = 4, /* its converter and its graphs */
    LOCANT_STACK_MLX      = 5  /* mlx-lm */
} locant_stack;
#define LOCANT_STACKS 5 /* programs: HF4 to MLX */

/*
 * Read the plan of MODEL.  A key "locant.pairing" in the metadata of its
 * weights is honoured; without it the pairing is the usual one of the family.
 *
 * Errors: NULL, IO, FORMAT (a file that cannot be parsed; a key of the wrong
 * type or an impossible value: the message names file, key, what was found and
 * what is expected), UNSUPPORTED (an unknown family: the message names the
 * nearest known one; a rope type that the program 'as' refuses), PARAM (as),
 * NOMEM.  *out is NULL after a failure.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_plan_read(locant_plan **out, const char *path, locant_stack as);

/* The same from n bytes of a config.json or params.json; messages name
   'name'. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_plan_parse(locant_plan **out, const char *text, size_t n,
                  const char *name, locant_stack as);

LOCANT_API void locant_plan_free(locant_plan *p);

/* The model_type of its family, "llama"; lives as long as 'p'. */
LOCANT_API const char *locant_plan_family(const locant_plan *p);

/* Number of towers, 1 or 2; the name of one, "text", "encoder", "decoder" or
   "vision", NULL past the end; and its number of layers, 0 past the end. */
LOCANT_API int         locant_plan_towers(const locant_plan *p);
LOCANT_API const char *locant_plan_tower(const locant_plan *p, int tower);
LOCANT_API int64_t     locant_plan_layers(const locant_plan *p, int tower);

/* The canonical spec of a layer, of what is added to the embeddings of a
   tower, and of all layers of a tower in one: layers(..) if they differ.  NULL
   past the end, and of more kinds of layers than one spec can name.  They live
   as long as 'p'. */
LOCANT_API const char *
locant_plan_layer_spec(const locant_plan *p, int tower, int64_t layer);
LOCANT_API const char *
locant_plan_input_spec(const locant_plan *p, int tower);
LOCANT_API const char *
locant_plan_spec(const locant_plan *p, int tower);

/* The position passport: SHA-256 of what the model computes with positions, 64
   hexadecimal digits.  Two files of one passport have the same positions. */
LOCANT_API const char *locant_plan_hash(const locant_plan *p);

/*
 * The plan as JSON, of the schema in docs/guide/models; *size is its length
 * without the final zero, and may be NULL.  Release *out with locant_release().
 * Errors: NULL, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_plan_json(char **out, size_t *size, const locant_plan *p);

/* ---------------------------------------------------------------- running */

/* A checkpoint whose weights are mapped, ready to run. */
typedef struct locant_model locant_model;

/*
 * Open a folder with config.json and safetensors, or a .gguf, to compute with
 * 'dtype':
 *
 *   F32   in float; matrices are read as the file stores them
 *   F64   everything in double, angles, norms and softmax included
 *   BF16  as F32, with matrices and what they multiply rounded to bfloat16
 *
 * The weights stay in the file, which is mapped: opening reads headers and what
 * is small, norms and biases.
 * Errors: NULL, DTYPE, IO, FORMAT (the message names file and tensor or key,
 * what was found and what was expected), UNSUPPORTED, NOMEM.  *out is NULL
 * after a failure.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_open(locant_model **out, const char *path, locant_dtype dtype);
LOCANT_API void locant_model_close(locant_model *model);

/*
 * The same with positions that its file does not have, to try an extension:
 * 'with' changes the rotated layers without a window,
 *
 *   pi(..), linear(..), ntk(..), dynamic(..), yarn(..), longrope(..),
 *   llama3(..), proportional(..), mixed-radix(..)
 *       the scaling of their rope; 'original' is the trained length unless
 *       given, longrope without lists takes those of 'locant model extend'
 *   rope(..)             their rope
 *   selfextend(..), rerope(..), streaming(..)
 *       instead of a rope of whole heads, with its base and pairing
 *   window(size=N)       beside it
 *
 * NULL: nothing.
 * Errors: as locant_model_open(); PARAM (none of these, or wrong keys),
 * UNSUPPORTED (no layer that it could change).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_open_with(locant_model **out, const char *path, locant_dtype dtype,
                       const char *with);

/* What a model is like. */
typedef struct locant_model_info {
    const char *model_type; /* of config.json */
    int64_t     layers, width, vocab;
} locant_model_info;

LOCANT_API locant_model_info locant_model_info_of(const locant_model *model);

/*
 * The tokens of a batch; a member that the model does not take is NULL.
 *
 * ids        I64 [B, T]   each below the size of the vocabulary
 * mask       I64 [B, T], or NULL: 0 marks padding, which nothing sees, on
 *            either side
 * positions  I64 [B, T], or [A, B, T] for models of A axes; NULL: counted as
 *            the model does.  A query sees the keys before it in the row,
 *            whatever their positions
 * types      I64 [B, T], or NULL: all 0; of models that know types of tokens
 * decoder_ids  of encoder-decoders, which read 'ids' with the encoder; T of
 *            their results is S
 * pixels     of models of images, instead of ids: prepared as the model wants
 *            them
 * All are dense.
 */
typedef struct locant_model_input {
    size_t               struct_size; /* sizeof(locant_model_input) */
    const locant_tensor *ids, *mask, *positions;
    const locant_tensor *types;       /* I64 [B, T] */
    const locant_tensor *decoder_ids; /* I64 [B, S] */
    const locant_tensor *pixels;      /* F32 [B, C, H, W] */
    const locant_tensor *grid;        /* I64 [B, 3]: of patches */
} locant_model_input;

#define LOCANT_MODEL_INPUT_INIT { .struct_size = sizeof(locant_model_input) }

enum { /* flags */
    LOCANT_MODEL_HIDDEN = 1 /* the states after the final norm, not logits */
};

/*
 * The shape of what locant_model_logits() writes, and its rank: [B, T,
 * vocabulary], [B, T, width] of states, or [B, classes] of images.
 * Errors: as locant_model_logits().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_shape(int64_t shape[3], int *rank, const locant_model *model,
                   const locant_model_input *input, int flags);

/*
 * Logits of every token, or its states.
 *
 * out      F32, or F64 of a model opened so, of that shape   written
 * seconds  NULL, or F64 [layers + 2]: time that each layer took, the input, and
 *          the head   written
 *
 * A row has the same bits whatever the other rows are, and for any number of
 * threads.  Accuracy relative to the largest logit: below 3e-5 in float for
 * models of some tens of layers, 1e-9 in double.  Rows of padding are
 * undefined.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (an id beyond the vocabulary; a
 * position beyond the table; an input that the model does not take), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_logits(locant_tensor *out, locant_tensor *seconds,
                    const locant_model *model, const locant_model_input *input,
                    int flags);

/*
 * What a causal model loses on each token but the first, in nats:
 * out[b,t] = -ln p(ids[b,t+1] | ids[b,0..t]).
 *
 * out  F64 [B, T - 1], dense   written; NAN where the mask hides that token or
 *      the one before it
 *
 * Logits are computed some at a time, and not kept.
 * Errors: as locant_model_logits(); UNSUPPORTED (a model that sees what comes
 * after the query).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_losses(locant_tensor *out, const locant_model *model,
                    const locant_model_input *input);

/* Called when token 'done', counted from 1, of 'total' new ones of every row
   has been chosen: ids [B].  Not 0: stop, and pad what is left. */
typedef int (*locant_token_fn)(const int64_t *ids, int64_t done, int64_t total,
                               void *context);

/*
 * What the heads of a model attend to in texts, and which frequencies their
 * queries and keys use, as JSON (docs/guide/models/probe.md has the schema): of
 * each head the mean weight by distance, of the first, the own, the previous
 * and the next token, entropy, mean distance and class; of each rotated pair of
 * channels its wavelength, its turns in T positions, and the mean over tokens
 * of the norms |q| and |k|.
 *
 * layer, head  counted from 0; -1: all
 * *size        the length without the final zero, and may be NULL
 *
 * Encoders and decoders of texts; of an encoder-decoder the decoder.  Attention
 * weights are computed in tiles: no array has T x T numbers.  Release *out with
 * locant_release(); it is NULL after a failure.
 * Source: as docs/PROBES.md.
 * Errors: as locant_model_logits(); PARAM (layer, head), SHAPE (less than two
 * tokens), UNSUPPORTED (a model of images).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_probe(char **out, size_t *size, const locant_model *model,
                   const locant_model_input *input, int64_t layer,
                   int64_t head);

/* How to continue a text. */
typedef struct locant_generation {
    size_t   struct_size; /* sizeof(locant_generation) */
    int64_t  top_k;       /* draw from the k most likely tokens; 0: from all */
    double   top_p;       /* from the fewest that have this probability
                             together, 0 < p <= 1 */
    double   temperature; /* logits are divided by it; 0: no draw, the most
                             likely token */
    uint64_t seed;        /* of the draws; row b has a stream of its own */
    int      ignore_end;  /* 1: go on after the end token */
    locant_token_fn each; /* or NULL */
    void    *context;     /* of 'each' */
} locant_generation;

#define LOCANT_GENERATION_INIT \
    { .struct_size = sizeof(locant_generation), .top_p = 1.0 }

/*
 * The shape of what locant_model_generate() continues: [B, T] of the ids, or of
 * an encoder-decoder those of its decoder, which begins with the start token
 * of the configuration, T = 1, if there are none.
 * Errors: as locant_model_generate().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_prompt(int64_t shape[2], const locant_model *model,
                    const locant_model_input *input);

/*
 * Continue each row.  Keys and values are cached, so a token costs one reading
 * of the weights; logits have the bits of a call for the whole text.
 *
 * out  I64 [B, T + N], dense   written: the ids, then N new ones; after an end
 *      token padding.  T is that of locant_model_prompt()
 * g    NULL: the most likely tokens
 *
 * Errors: as locant_model_logits(); PARAM (a value of g); UNSUPPORTED (the
 * model does not continue texts).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_generate(locant_tensor *out, const locant_model *model,
                      const locant_model_input *input,
                      const locant_generation *g);


/* --------------------------------------------------------------- extension */

/* What to extend; LOCANT_EXTEND_OPTIONS_INIT has the defaults. */
typedef struct locant_extend_options {
    size_t      struct_size;
    const char *model;      /* MODEL; NULL: a rope of 'base' and 'dim' */
    int64_t     to;         /* positions it should read, at most 2^30 */
    int64_t     trained;    /* that it was trained on; 0: as the model says */
    double      base;       /* without a model: 1 .. 1e30 */
    int64_t     dim;        /* rotated channels: even, 4 .. 2048 */
    const char *method;     /* "pi", "ntk", "dynamic", "yarn", "longrope",
                               "llama3" or "selfextend"; NULL: all */
    const char *config_out; /* write the config.json of the model with the
                               extension by 'method' to this path; NULL: no */
} locant_extend_options;

#define LOCANT_EXTEND_OPTIONS_INIT \
    { .struct_size = sizeof(locant_extend_options), .base = 10000 }

/*
 * Settings that let a rotary model read more positions than it was trained on,
 * as JSON: base, rotated channels, lengths and factor, wavelengths of the pairs
 * as trained, and for each method its spec, base, attention factor,
 * wavelengths, how many pairs keep their frequency, texts to paste for
 * transformers 4 and 5, vLLM, llama.cpp and MLX-LM (null: it cannot), notes,
 * and of a model the passport of the extended plan (null: its dialect cannot
 * say it).  docs/guide/models/extend.md has the schema.
 *
 * Only rotated layers without a window are extended.  A model that is scaled
 * already is refused, but for a linear scaling, whose factor is multiplied.
 *
 * *size is the length without the final zero, and may be NULL.  Release *out
 * with locant_release(); it is NULL after a failure.
 * Errors: NULL, PARAM (lengths, base, dim, method), UNSUPPORTED (nothing is
 * rotated, or only layers with a window; scaled already; config_out of a file
 * or a method that no config.json says), and those of locant_plan_read() and of
 * writing.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_extend(char **out, size_t *size,
                    const locant_extend_options *options);

/* ------------------------------------------------------------------ checks */

typedef enum locant_severity {
    LOCANT_FINDING_NOTE    = 0, /* worth knowing, on right models too */
    LOCANT_FINDING_WARNING = 1, /* stacks disagree, or a key has no effect */
    LOCANT_FINDING_ERROR   = 2  /* wrong numbers or a failure somewhere */
} locant_severity;

/* One check; docs/guide/models/wrong-rope.md lists all. */
typedef struct locant_check_info {
    const char     *id; /* "L01" */
    locant_severity severity;
    const char     *title;
} locant_check_info;

/* Check i in the order of the guide; NULL past the end. */
LOCANT_API const locant_check_info *locant_model_check_at(size_t i);

/* What a check found.  Texts are never NULL. */
typedef struct locant_finding {
    const char     *id; /* of the check */
    locant_severity severity;
    unsigned        stacks; /* bit 1 << stack: concerned */
    int             fixes;  /* locant_model_fix() mends it */
    char           *key;    /* of the configuration, or a tensor */
    char           *sentence; /* what is wrong, and what stacks compute */
    char           *mend;     /* how to mend it; "": by hand */
    /* What each stack computes; "": it is not concerned. */
    char           *hf4, *hf5, *vllm, *llama_cpp, *mlx;
} locant_finding;

/* Errors first, then warnings, then notes. */
typedef struct locant_findings {
    locant_finding *at; /* [n] */
    size_t          n;
    char           *checked; /* one line: what was looked at */
} locant_findings;

typedef struct locant_check_options {
    size_t       struct_size;
    locant_stack stack;  /* only what concerns this one; TRUE: all */
    int64_t      length; /* of a text that is to be read; 0: not told */
    /* Position ids, I64 [B, T], or [A, B, T] for models of A axes; or NULL. */
    const locant_tensor *positions;
    const char *other;   /* the same model as another file, or NULL */
    const char *adapter; /* folder of a LoRA adapter, or NULL */
} locant_check_options;
#define LOCANT_CHECK_OPTIONS_INIT                                              \
    { .struct_size = sizeof(locant_check_options) }

/*
 * Check how a model's files say its positions.
 *
 * A key of a wrong type is a finding.  With 'other', the pairing, the permuted
 * rows and the windows of both files are compared; a folder that holds one GGUF
 * file beside its config.json is compared with it.
 *
 * path     MODEL
 * options  NULL: the defaults of LOCANT_CHECK_OPTIONS_INIT
 * *out     to be freed with locant_findings_free()
 *
 * Errors: NULL, PARAM (a stack that does not exist), IO, FORMAT (a file is
 * truncated, or not what its name says), UNSUPPORTED, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_check(locant_findings *out, const char *path,
                   const locant_check_options *options);

/* The same of the text of a config.json or params.json, n bytes; messages call
   it 'name'. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_check_text(locant_findings *out, const char *text, size_t n,
                        const char *name, const locant_check_options *options);

LOCANT_API void locant_findings_free(locant_findings *findings);

/*
 * Write the configuration of MODEL with the changes that its findings name:
 * only what a check mends unambiguously.  The checks that made a change are
 * silent on the result.
 *
 * *fixed   findings that are mended; if it is 0, nothing is written
 * path     MODEL
 * output   the file that is written, never the configuration itself
 *
 * Errors: as locant_model_check(); PARAM ('output' is the configuration),
 * UNSUPPORTED (a GGUF file, a params.json).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_fix(size_t *fixed, const char *path, const char *output);

/* ----------------------------------------------------------------- convert */

/* Which channels of a head form a pair, as the weights of q and k have it. */
typedef enum locant_model_pairing {
    LOCANT_MODEL_UNSAID      = 0,
    LOCANT_MODEL_HALF        = 1, /* c and c + dim/2 */
    LOCANT_MODEL_INTERLEAVED = 2  /* 2c and 2c + 1 */
} locant_model_pairing;

typedef enum locant_model_format {
    LOCANT_MODEL_SAME        = 0, /* as the input */
    LOCANT_MODEL_SAFETENSORS = 1,
    LOCANT_MODEL_GGUF        = 2
} locant_model_format;

typedef struct locant_convert_options {
    size_t struct_size;
    locant_model_pairing pairing; /* of the output; of GGUF that of its
                                     architecture, which UNSAID stands for */
    locant_model_pairing from; /* of the input; UNSAID: as its metadata says, or
                                  else what files of its family usually have */
    locant_model_format format;
    const char *type;   /* of the matrices of a GGUF: "F32", "F16", "BF16",
                           "Q8_0"; NULL: as they are */
    const char *base;   /* MODEL that an adapter is for; NULL: the folder that
                           its adapter_config.json names */
    int one_file;       /* nonzero: put shards into one file */
    int verify;         /* nonzero: prove that the scores are the same */
} locant_convert_options;
#define LOCANT_CONVERT_OPTIONS_INIT                                            \
    { .struct_size = sizeof(locant_convert_options) }

typedef struct locant_conversion {
    locant_model_pairing from, to;
    int     assumed;  /* 1: no metadata and no option said 'from' */
    int64_t tensors, moved; /* all; those whose rows were moved */
    double  worst;    /* largest difference of two scores, relative to the
                         largest of the layer; -1: not verified */
} locant_conversion;

/*
 * Write a model whose weights of q and k have another pairing, into a new
 * folder.  With r rotated channels of each head, from half to interleaved rows
 * 2c and 2c + 1 take rows c and c + r/2 of the weights, biases and norms of q
 * and k and of the B of adapters; MLA moves its rotated rows alone; of fused
 * matrices only q and k move; quantised rows move whole.  Nothing else changes,
 * and no number is rounded unless 'type' asks for it.
 *
 * model   a folder with config.json and safetensors, in shards or not; one of
 *         a PEFT adapter; a .gguf
 * folder  is created; must not be there, or be empty.  It gets the tokenizer
 *         and other small files of 'model' too; a GGUF is its model.gguf
 *
 * The pairing is recorded as locant.pairing in the metadata of safetensors, or
 * as a key of GGUF.
 * Errors: NULL, PARAM (an option), IO, FORMAT, UNSUPPORTED (a model that does
 * not rotate, an order of rows that is not known), NOMEM.  Nothing is written
 * then.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_convert(locant_conversion *out, const char *model,
                     const char *folder,
                     const locant_convert_options *options);

/* ----------------------------------------------------------------- compare */

typedef enum locant_comparison_verdict {
    LOCANT_SAME      = 0, /* at all positions */
    LOCANT_DIFFERENT = 1,
    LOCANT_UNSETTLED = 2  /* frequencies differ by no more than float32 rounds,
                             but by more than 1e-3 radians within the length;
                             or rules that depend on a length were compared at
                             some lengths only */
} locant_comparison_verdict;

/* Where two models part. */
typedef struct locant_model_difference {
    char    field[32];   /* "frequency", "window", "score scale", .. */
    char    tower[16];   /* "text", "encoder", "decoder", "vision" */
    int64_t layer;       /* the first one; -1: of the whole tower */
    int64_t layers;      /* how many layers differ in this field */
    int64_t pair;        /* of channels; -1: none */
    int64_t position;    /* the first one that differs; frequencies: by more
                            than 1e-3 radians; -1: none is the first */
    double  amount;      /* frequencies: the largest difference times the
                            length, in radians; else B - A, or 0 */
    char    a[192], b[192]; /* the values, as text */
} locant_model_difference;

typedef struct locant_comparison {
    locant_comparison_verdict verdict;
    int64_t           length;     /* over which frequencies are judged */
    int64_t           layers;     /* that were compared */
    int               exact;      /* 1: every schedule is equal, not nearly */
    double            apart;      /* largest difference of frequencies times
                                     the length, in radians */
    int64_t           carries;    /* the first position at which an angle
                                     differs by more than 1e-3 radians; -1:
                                     there is none */
    int               n;          /* of 'differences' */
    locant_model_difference differences[24];
    char              note[1024]; /* what was assumed, sentences */
} locant_comparison;

/*
 * Compare the positions of two models: whether both compute the same function
 * of positions, whatever the order of the channels that the weights carry.
 *
 * a, b    each a MODEL, a spec ("rope(base=500000)") that is no file, or the
 *         text of a config.json, which begins with "{".  NULL for b: a itself
 * as      the program that reads b
 * length  positions over which differences of frequencies are judged; 0: the
 *         longer of the two models', or 131072
 *
 * Equal specs are equal at all positions.  Otherwise pairs are compared by
 * their frequencies, the factors on scores as their products on rotated and
 * on other channels, dialects of ALiBi up to a constant of each query, and
 * everything else field by field.  A spec says nothing about scales, norms,
 * caps and ids, which are not compared then.
 *
 * Errors: NULL, PARAM (as; length below 0), IO, FORMAT, UNSUPPORTED, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_models_compare(locant_comparison *out, const char *a, const char *b,
                      locant_stack as, int64_t length);
/* ---------------------------------------------------------- golden vectors */

/*
 * Write true values of angles, rotated queries and keys, scores, gradients,
 * biases, slopes, buckets and tables, for other implementations to be tested
 * with: FOLDER/vectors.safetensors and FOLDER/vectors.json, which lists the
 * cases with their spec, inputs, formula and tolerance.  The folder is created
 * if needed.  The bytes depend on 'only' and the version alone.
 *
 * only  a pattern of names of cases as of fnmatch(3), or of their beginnings
 *       before a slash; its * matches slashes too; NULL: all
 *
 * Values of rope and of sinusoids are computed with more than 90 bits and
 * rounded to float64, the others come from the oracles in double.
 * Errors: NULL, PARAM (no case matches), IO, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_vectors_write(const char *folder, const char *only);

typedef enum locant_vectors_verdict {
    LOCANT_VECTORS_PASS    = 0,
    LOCANT_VECTORS_FAIL    = 1,
    LOCANT_VECTORS_MISSING = 2, /* the dump lacks the case */
    LOCANT_VECTORS_UNKNOWN = 3  /* a tensor of the dump that is no case */
} locant_vectors_verdict;

/* How one case ended; the strings live during the call. */
typedef struct locant_vectors_result {
    const char             *name;
    locant_vectors_verdict  verdict;
    const char             *where;      /* the first entry that fails, or why */
    const char             *looks_like; /* the convention it matches; "" */
    double                  error;      /* the largest |got - want| */
    double                  share;      /* of the tolerance, at most; above 1
                                           fails */
} locant_vectors_result;

/* Called for each case in order; nonzero stops. */
typedef int (*locant_vectors_fn)(const locant_vectors_result *result,
                                 void *context);

typedef struct locant_vectors_counts {
    int64_t passed, failed, missing, unknown;
} locant_vectors_counts;

/*
 * Compare a dump of another implementation with the true values: a safetensors
 * file, or a folder of them and of .npy files, whose tensors have the names of
 * cases ("rope/half/none/f32/q", a .npy at that path with ".npy" behind it).  A
 * tensor may have any floating or integer type.
 *
 * rounded  nonzero: angles may be rounded to float32 (cases in float64: to
 *          double), as in most implementations; then far positions are hardly
 *          tested
 *
 * A case that fails is compared with the other conventions of its family, and
 * with angles of the other sign, positions that begin at 1, and the like.
 * Errors: NULL, PARAM (no case matches 'only'), IO, FORMAT, UNSUPPORTED, NOMEM,
 * INTERRUPTED (each() returned nonzero).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_vectors_verify(locant_vectors_counts *out, const char *path,
                      const char *only, int rounded, locant_vectors_fn each,
                      void *context);

LOCANT_END_DECLS
#endif /* LOCANT_MODELS_H */
