/*
 * weights_index.h - model.safetensors.index.json: which shard has which tensor
 */
#ifndef LCT_WEIGHTS_INDEX_H
#define LCT_WEIGHTS_INDEX_H
#include "../core/error.h"

struct lct_weights_place {
    const char *tensor, *shard; /* the shard is a file of the index's folder */
};

struct lct_weights_index {
    struct lct_weights_place *places; /* sorted by tensor */
    size_t n;
    const char **shards; /* each once, sorted */
    size_t n_shards;
    void *document; /* holds the texts */
};

/* Errors: IO, FORMAT, NOMEM.  Free it also after a failure. */
locant_status lct_weights_index_read(struct lct_weights_index *out,
                                     const char *path);
locant_status lct_weights_index_parse(struct lct_weights_index *out,
                                      const char *text, size_t n,
                                      const char *name);
void lct_weights_index_free(struct lct_weights_index *x);

/* The shard of a tensor; NULL if the index does not name it. */
const char *lct_weights_index_find(const struct lct_weights_index *x,
                                   const char *tensor);
#endif
