/*
 * model_convert.h - weights of another pairing, or in another format
 *
 * MODEL is a folder with config.json and safetensors, a config.json or
 * params.json alone where no weights are needed, or a .gguf.
 */
#ifndef LOCANT_MODEL_CONVERT_H
#define LOCANT_MODEL_CONVERT_H

#include "core.h"

LOCANT_BEGIN_DECLS

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
    locant_model_pairing pairing; /* of the output; UNSAID: of a GGUF that of
                                     its architecture, which no other may be;
                                     from a GGUF that of transformers */
    locant_model_pairing from; /* of the input; UNSAID: as its metadata says, or
                                  else what files of its family usually have */
    locant_model_format format;
    const char *type;   /* of the matrices of a GGUF: "F32", "F16", "BF16",
                           "Q8_0"; NULL: as they are */
    const char *base;   /* MODEL that an adapter is for; NULL: the folder that
                           its adapter_config.json names */
    int one_file;       /* nonzero: put shards into one file */
    int verify;         /* nonzero: prove that the scores are the same; of a
                           model that does not rotate, the states of a text */
} locant_convert_options;
#define LOCANT_CONVERT_OPTIONS_INIT                                            \
    { .struct_size = sizeof(locant_convert_options) }

typedef struct locant_conversion {
    locant_model_pairing from, to; /* UNSAID: the model does not rotate */
    int     assumed;  /* 1: no metadata and no option said 'from' */
    int64_t tensors, moved; /* all; those whose rows were moved */
    int64_t lost;     /* that GGUF files of the architecture do not have: the
                         head of BERT, predictors of further tokens */
    double  worst;    /* largest difference of two scores, relative to the
                         largest of the layer, or of two states; -1: not
                         verified */
    const char *tokenizer; /* of a GGUF: "gpt2", "llama", "t5", "bert", or
                              "none" without a tokenizer.json; else NULL */
    const char *pre;       /* the name that llama.cpp splits texts by,
                              "default" if it is not known; NULL: none */
    char differs[96]; /* between GGUF and safetensors: the first place where
                         the output has other positions, which no key of its
                         format says, "text layer 0: window"; "": nowhere */
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
 * as a key of GGUF.  BERT and T5 do not rotate: they go between the formats,
 * and 'pairing' and 'from' stay UNSAID.  A GGUF gets the tokenizer.json and
 * tokenizer_config.json beside the weights as keys; one that is wrong is
 * refused.
 * Errors: NULL, PARAM (an option), IO, FORMAT, UNSUPPORTED (a model that does
 * not rotate, an order of rows that is not known), NOMEM.  Nothing is written
 * then.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_model_convert(locant_conversion *out, const char *model,
                     const char *folder,
                     const locant_convert_options *options);

LOCANT_END_DECLS
#endif /* LOCANT_MODEL_CONVERT_H */
