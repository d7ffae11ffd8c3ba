/*
 * convert_names.h - which tensors of a checkpoint hold rows of q and k, by
 * their names
 *
 * Source: the modeling files of transformers 5.23; PEFT for adapters;
 * compressed-tensors and the FP8 files of DeepSeek for scales; llama.cpp for
 * GGUF.
 */
#ifndef LCT_CONVERT_NAMES_H
#define LCT_CONVERT_NAMES_H
#include <stdbool.h>
#include <stdint.h>

/* What a module of a layer holds. */
enum lct_convert_module {
    LCT_CONVERT_NONE, /* nothing that rotates */
    LCT_CONVERT_Q,
    LCT_CONVERT_K,
    LCT_CONVERT_STACKED,  /* q | k | v */
    LCT_CONVERT_GROUPED,  /* for each head of keys: its queries, k, v */
    LCT_CONVERT_LATENT_K, /* MLA: the last rows are the rotated key */
    LCT_CONVERT_Q_NORM,
    LCT_CONVERT_K_NORM
};

/* What a tensor of a module holds. */
enum lct_convert_tensor {
    LCT_CONVERT_STILL,  /* nothing of its rows */
    LCT_CONVERT_MATRIX, /* a row for each row of the module */
    LCT_CONVERT_VECTOR, /* a number for each row */
    LCT_CONVERT_SCALES, /* for all rows, each, or blocks of them: by shape */
    LCT_CONVERT_UNKNOWN /* rows in an order that is not known (GPTQ) */
};

struct lct_convert_name {
    enum lct_convert_module module;
    enum lct_convert_tensor tensor;
    int64_t layer; /* -1: of a module for predicting further tokens */
};

/*
 * Read the name of a tensor of a model of that type.  False if it is of no
 * module that rotates: another module, or that of an image or sound tower.
 */
bool lct_convert_name(struct lct_convert_name *out, const char *name,
                      const char *model_type);

/* Is it of an image or sound tower, by a word of the name before 'module', a
   place in it? */
bool lct_convert_name_is_other(const char *name, const char *module);
#endif
