/* convert_back_items.h - the tensors of safetensors that a GGUF becomes, each
   with what it is made of */
#ifndef LCT_CONVERT_BACK_ITEMS_H
#define LCT_CONVERT_BACK_ITEMS_H
#include "../files/tensors.h"
#include "convert.h"
#include "convert_gguf_names.h"
#include "convert_latent.h"

/* A tensor of the output. */
struct lct_convert_back_item {
    char name[LCT_CONVERT_GGUF_NAME];
    const struct lct_weight *weight;
    const struct lct_convert_part *part;
    const struct lct_weight *values; /* 'weight' is k_b, and this v_b */
    struct lct_convert_latent latent;
    int64_t expert; /* of a tensor that stacks them; -1: it stacks none */
    size_t bytes;   /* of the input */
};

struct lct_convert_back_items {
    struct lct_convert *c;
    struct lct_convert_gguf_names names;
    const struct lct_number *type;    /* of matrices; NULL: as they are */
    struct lct_convert_back_item *at; /* [n] */
    struct lct_entry *entries;        /* [n]: what the header says of them */
    size_t n;
};

/* List those of the weights.  Errors: UNSUPPORTED, FORMAT, NOMEM.  Release
   w->at and w->entries also after a failure. */
locant_status lct_convert_back_items_list(struct lct_convert_back_items *w);
#endif
