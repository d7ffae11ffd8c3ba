/* convert_gguf_items.h - the tensors that a GGUF gets, each with what it is
   made of */
#ifndef LCT_CONVERT_GGUF_ITEMS_H
#define LCT_CONVERT_GGUF_ITEMS_H
#include "convert_gguf.h"
#include "convert_latent.h"

/* A tensor of the output. */
struct lct_convert_gguf_item {
    char name[LCT_CONVERT_GGUF_NAME];
    const struct lct_weight *weight; /* the first of those that are stacked */
    const struct lct_convert_part *part;
    int64_t experts;        /* stacked tensors; 0: one that is not stacked */
    size_t mark;            /* of the expert's number in the name */
    int64_t first;          /* row of the weight that is row 0 here */
    enum lct_net_role half; /* LCT_K_B or LCT_V_B of kv_b; 0: the whole */
    struct lct_convert_latent latent;
    const struct lct_convert_gguf_extra *extra; /* instead of a weight */
    const struct lct_number *type;
    int rank;
    int64_t shape[4];
    uint64_t bytes;
};

struct lct_convert_gguf_items {
    struct lct_convert *c;
    struct lct_convert_gguf_names names;
    struct lct_net_switches net;
    const struct lct_weight *denied; /* a bias, by the configuration; or NULL */
    const struct lct_number *type;   /* of matrices; NULL: as they are */
    struct lct_convert_gguf_item *at; /* with room for the extras */
    size_t n;
};

/* List those of the weights; c->lost counts those without a place.  Errors:
   FORMAT, UNSUPPORTED, NOMEM.  Release l->at also after a failure. */
locant_status lct_convert_gguf_items_list(struct lct_convert_gguf_items *l);

/* The tensor of expert e: the name of the first with another number. */
const struct lct_weight *
lct_convert_gguf_items_expert(const struct lct_convert_gguf_items *l,
                              const struct lct_convert_gguf_item *i, int64_t e);
#endif
