/*
 * convert_gguf_names.h - what llama.cpp calls the tensors of a family of
 * Llama's kind
 *
 * Source: gguf-py of llama.cpp (tensor_mapping.py) and convert_hf_to_gguf.py.
 */
#ifndef LCT_CONVERT_GGUF_NAMES_H
#define LCT_CONVERT_GGUF_NAMES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lct_convert_gguf_family {
    const char *model_type, *architecture;
    bool interleaved; /* the pairing of its GGUF files */
    bool plus_one;    /* weights w of norms mean 1 + w, and GGUF has 1 + w */
    bool sandwich;    /* post_attention_layernorm comes after attention */
};

/* The family of a model_type; NULL: its GGUF is not written. */
const struct lct_convert_gguf_family *
lct_convert_gguf_family(const char *model_type);
/* The first family of an architecture; NULL: there is none. */
const struct lct_convert_gguf_family *
lct_convert_gguf_architecture(const char *architecture);
/* Its families, for messages. */
const char *lct_convert_gguf_families(void);

enum { LCT_CONVERT_GGUF_NAME = 128 };

enum lct_convert_gguf_kind {
    LCT_CONVERT_GGUF_UNKNOWN,
    LCT_CONVERT_GGUF_LEFT_OUT, /* of no use there: a cache of angles */
    LCT_CONVERT_GGUF_TENSOR,
    LCT_CONVERT_GGUF_EXPERT /* one of those that are stacked in one tensor */
};

/*
 * out = the name in GGUF of a tensor; *expert is its number, 0 if it is no
 * expert, and *mark the place of that number in 'name'.
 */
enum lct_convert_gguf_kind
lct_convert_gguf_name(char out[LCT_CONVERT_GGUF_NAME], int64_t *expert,
                      const char **mark, const char *name,
                      const struct lct_convert_gguf_family *f);

/* The name in safetensors of a tensor of GGUF, or of one of the experts that it
   stacks (EXPERT). */
enum lct_convert_gguf_kind
lct_convert_gguf_back(char out[LCT_CONVERT_GGUF_NAME], const char *name,
                      int64_t expert, const struct lct_convert_gguf_family *f);
#endif
