/*
 * model_check.h - what is wrong with the positions of a real model
 *
 * MODEL is a folder with config.json and safetensors, a config.json or
 * params.json alone where no weights are needed, or a .gguf.
 */
#ifndef LOCANT_MODEL_CHECK_H
#define LOCANT_MODEL_CHECK_H

#include "model_plan.h"

LOCANT_BEGIN_DECLS

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

LOCANT_END_DECLS
#endif /* LOCANT_MODEL_CHECK_H */
