/* weights_gguf.h - a GGUF file of a checkpoint: texts that end with a zero */
#ifndef LCT_WEIGHTS_GGUF_H
#define LCT_WEIGHTS_GGUF_H
#include "../files/gguf.h"
#include "weights.h"

struct lct_weights_gguf {
    struct lct_gguf *file;
    char *strings;      /* of all texts */
    const char **names; /* of the tensors, in the order of the file's */
    const char **texts; /* of the values, in that order; NULL: it is no text */
};

/* Open a file, or the bytes in memory if they are not NULL.  Close it also
   after a failure. */
locant_status lct_weights_gguf_open(struct lct_weights_gguf *out,
                                    const char *path, const void *bytes,
                                    size_t size);
void lct_weights_gguf_close(struct lct_weights_gguf *g);

/* Tensor i, i < g->file->n_tensors; its file is 'path'. */
struct lct_weight lct_weights_gguf_tensor(const struct lct_weights_gguf *g,
                                          size_t i, const char *path);
/* The value of a key that is a text; NULL if there is none. */
const char *lct_weights_gguf_text(const struct lct_weights_gguf *g,
                                  const char *key);
#endif
