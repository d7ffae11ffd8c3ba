/*
 * model_plan.h - what the layers of a real model do with positions, compared
 * and extended
 *
 * MODEL is a folder with config.json and safetensors, a config.json or
 * params.json alone where no weights are needed, or a .gguf.
 */
#ifndef LOCANT_MODEL_PLAN_H
#define LOCANT_MODEL_PLAN_H

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

LOCANT_END_DECLS
#endif /* LOCANT_MODEL_PLAN_H */
