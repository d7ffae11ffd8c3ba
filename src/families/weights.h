/*
 * weights.h - the tensors of a checkpoint, wherever they are stored: one
 * safetensors file, several with an index, or a GGUF file
 *
 * Files are mapped: opening reads headers alone, and an element is loaded when
 * it is read.  Nothing in a file is trusted: every name, shape, type and offset
 * is checked when it is opened.
 */
#ifndef LCT_WEIGHTS_H
#define LCT_WEIGHTS_H
#include "../core/error.h"
#include "../files/number.h"

/* The key of the metadata that says which pairing the weights of q and k have:
   "half" or "interleaved". */
#define LCT_WEIGHTS_PAIRING "locant.pairing"

/* One tensor; everything lives as long as its checkpoint. */
struct lct_weight {
    const char *name; /* as in the file */
    const char *file; /* its path */
    const struct lct_number *type;
    int rank;
    int64_t shape[6]; /* outermost first */
    const unsigned char *data;
    size_t bytes;
};

struct lct_weights;

/*
 * Open a folder (model.safetensors, model.safetensors.index.json and its
 * shards, consolidated.safetensors, adapter_model.safetensors, model.gguf: the
 * first that is there), an index, a .safetensors file or a .gguf file.
 * Errors: IO, FORMAT, UNSUPPORTED, NOMEM.  *out is NULL after a failure.
 */
locant_status lct_weights_open(struct lct_weights **out, const char *path);

/* The same of one file in memory, which must outlive *out; errors show 'name'.
   An empty safetensors file or GGUF file has no tensors. */
locant_status lct_weights_parse(struct lct_weights **out, const void *bytes,
                                size_t size, const char *name);

void lct_weights_close(struct lct_weights *w);

/* Tensor i in the order of names; NULL past the end. */
const struct lct_weight *lct_weights_at(const struct lct_weights *w, size_t i);
/* The tensor of that name; NULL if absent. */
const struct lct_weight *lct_weights_find(const struct lct_weights *w,
                                          const char *name);
/* The value of a key of the metadata, a text; NULL if absent.  Shards agree on
   LCT_WEIGHTS_PAIRING; of other keys the first shard that has it counts. */
const char *lct_weights_metadata(const struct lct_weights *w, const char *key);

/* The header of safetensors file i, and its path; NULL past the last one. */
struct locant_tensors;
const struct locant_tensors *lct_weights_header(const struct lct_weights *w,
                                                size_t i, const char **path);

/* The GGUF file itself, for its keys; NULL if the checkpoint is none. */
struct lct_gguf;
const struct lct_gguf *lct_weights_gguf(const struct lct_weights *w);

/* Fail with "FILE: tensor 'NAME': " and a text. */
locant_status lct_weight_fail(locant_status status, const struct lct_weight *w,
                              const char *format, ...) LOCANT_PRINTF(3, 4);

/* The elements of a tensor. */
static inline int64_t lct_weight_elements(const struct lct_weight *w)
{
    return (int64_t)(w->bytes / w->type->bytes) * w->type->elements;
}

/*
 * Elements 'first' .. first + n - 1 of the flattened tensor as numbers; both
 * are multiples of the elements of a block.
 */
void lct_weight_floats(float *out, const struct lct_weight *w, int64_t first,
                       int64_t n);
void lct_weight_doubles(double *out, const struct lct_weight *w, int64_t first,
                        int64_t n);
#endif
