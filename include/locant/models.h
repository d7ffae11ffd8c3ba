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

/* ------------------------------------------------------------------ checks */

typedef enum locant_severity {
    LOCANT_FINDING_NOTE    = 0, /* worth knowing, on right models too */
    LOCANT_FINDING_WARNING = 1, /* stacks disagree, or a key has no effect */
    LOCANT_FINDING_ERROR   = 2  /* wrong numbers or a failure somewhere */
} locant_severity;

/* Programs that read models. */
typedef enum locant_stack {
    LOCANT_STACK_HF4       = 0, /* transformers 4 */
    LOCANT_STACK_HF5       = 1, /* transformers 5 */
    LOCANT_STACK_VLLM      = 2,
    LOCANT_STACK_LLAMA_CPP = 3,
    LOCANT_STACK_MLX       = 4
} locant_stack;
#define LOCANT_STACKS 5

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
    unsigned        stacks; /* bit 1 << locant_stack: concerned */
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
    int         stack; /* a locant_stack; below 0: all */
    int64_t     length; /* of a text that is to be read; 0: not told */
    /* Position ids, I64 [B, T], or [A, B, T] for models of A axes; or NULL. */
    const locant_tensor *positions;
    const char *other;   /* the same model as another file, or NULL */
    const char *adapter; /* folder of a LoRA adapter, or NULL */
} locant_check_options;
#define LOCANT_CHECK_OPTIONS_INIT                                              \
    { .struct_size = sizeof(locant_check_options), .stack = -1 }

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
