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
    LOCANT_STACK_HF4      = 1, /* transformers 4.48 to 4.57 */
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
    unsigned        stacks; /* bit 1 << (a locant_stack - 1): concerned */
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
    size_t      struct_size;
    locant_stack stack; /* TRUE: all of them */
    int64_t     length; /* of a text that is to be read; 0: not told */
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
 * UNSUPPORTED (a GGUF file).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_fix(size_t *fixed, const char *path, const char *output);
/* ---------------------------------------------------------- golden vectors */

/*
 * Write true values of angles, rotated queries and keys, scores, gradients,
 * biases, slopes, buckets and tables, for other implementations to be tested
 * with: FOLDER/vectors.safetensors and FOLDER/vectors.json, which lists the
 * cases with their spec, inputs, formula and tolerance.  The folder is created
 * if needed.  The bytes depend on 'only' and the version alone.
 *
 * only  a pattern of names of cases as of fnmatch(3), whose * matches slashes
 *       too, or the beginning of names before a slash; NULL: all
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
