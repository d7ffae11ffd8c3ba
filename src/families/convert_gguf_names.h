/*
 * convert_gguf_names.h - a tensor in safetensors and in GGUF: one role, two
 * names, both of the tables that models run by (net_names.def, net_gguf.c)
 *
 * Source: gguf-py of llama.cpp (tensor_mapping.py) and convert_hf_to_gguf.py.
 */
#ifndef LCT_CONVERT_GGUF_NAMES_H
#define LCT_CONVERT_GGUF_NAMES_H
#include "net_families.h"

struct lct_convert_gguf_family {
    const char *model_type, *architecture;
    const char *root; /* before its names in safetensors */
    bool interleaved; /* the pairing of its GGUF files */
    bool plus_one;    /* weights w of norms mean 1 + w, and GGUF has 1 + w */
};

/* The family of a model_type; NULL: its GGUF is not written. */
const struct lct_convert_gguf_family *
lct_convert_gguf_family(const char *model_type);
/* out = the list of those, for messages. */
void lct_convert_gguf_families(char *out, size_t size);

/* The names of both stacks: [0] is the decoder or the whole model, [1] the
   encoder beside a decoder, or NULL. */
struct lct_convert_gguf_names {
    const struct lct_convert_gguf_family *family;
    const struct lct_net_names *files[2], *gguf[2];
};

/* Names of a family; 'variant' as its switches say. */
struct lct_convert_gguf_names
lct_convert_gguf_names(const struct lct_convert_gguf_family *f, int variant);

enum { LCT_CONVERT_GGUF_NAME = 128 };

enum lct_convert_gguf_kind {
    LCT_CONVERT_GGUF_UNKNOWN,
    LCT_CONVERT_GGUF_LEFT_OUT, /* of no use there: a cache of angles */
    LCT_CONVERT_GGUF_LOST,     /* learned, but these files have no such part */
    LCT_CONVERT_GGUF_TENSOR,
    LCT_CONVERT_GGUF_EXPERT /* one of those that are stacked in one tensor */
};

struct lct_convert_gguf_name {
    char name[LCT_CONVERT_GGUF_NAME];
    enum lct_convert_gguf_kind kind;
    enum lct_net_role role;
    int64_t layer;    /* -1: of none */
    int64_t expert;   /* 0 if it is none */
    const char *mark; /* where that number stands in the old name */
};

/* out = the name in GGUF of a tensor of safetensors. */
void lct_convert_gguf_name(struct lct_convert_gguf_name *out, const char *name,
                           const struct lct_convert_gguf_names *names);

/* out = the name in safetensors of a tensor of GGUF, or of one of the experts
   that it stacks; both halves of kv_b have its name. */
void lct_convert_gguf_back(struct lct_convert_gguf_name *out, const char *name,
                           int64_t expert,
                           const struct lct_convert_gguf_names *names);
#endif
