/*
 * gguf.h - the metadata and the tensors of a GGUF file, version 2 or 3
 *
 * The file is mapped, so that gigabytes of weights open at once and only what
 * is read is loaded; texts and elements below lie in the file, and live as
 * long as the struct.  Nothing in the file is trusted: lengths,
 * counts, types, offsets and shapes are checked when it is opened.
 *
 * Source: the specification of GGUF in the repository of ggml; sizes of blocks
 * by ggml-common.h.
 */
#ifndef LCT_GGUF_H
#define LCT_GGUF_H
#include "map.h"
#include <stdbool.h>

/* Types of values, by their number in the file. */
enum lct_gguf_type {
    LCT_GGUF_U8,
    LCT_GGUF_I8,
    LCT_GGUF_U16,
    LCT_GGUF_I16,
    LCT_GGUF_U32,
    LCT_GGUF_I32,
    LCT_GGUF_F32,
    LCT_GGUF_BOOL,
    LCT_GGUF_TEXT,
    LCT_GGUF_ARRAY,
    LCT_GGUF_U64,
    LCT_GGUF_I64,
    LCT_GGUF_F64,
    LCT_GGUF_TYPES
};

/* Bytes of the file, which do not end with a zero. */
struct lct_text {
    const char *bytes;
    size_t n;
};

/* One value, or 'count' of them if it is an array. */
struct lct_gguf_value {
    struct lct_text key;
    size_t at;               /* byte of the file where the first one starts */
    uint64_t count;          /* 1 if it is no array */
    enum lct_gguf_type type; /* of each value, never ARRAY */
    bool array;
};

/* How elements are stored; see number.h. */
struct lct_number;

struct lct_gguf_tensor {
    struct lct_text name;
    const struct lct_number *type;
    int rank;
    int64_t shape[4];          /* outermost first, as PyTorch prints it */
    size_t offset;             /* from the start of the data */
    const unsigned char *data; /* [bytes] */
    size_t bytes;
};

struct lct_gguf {
    const unsigned char *bytes;
    size_t size;
    uint32_t version;
    struct lct_gguf_value *values; /* sorted by key */
    size_t n_values;
    struct lct_gguf_tensor *tensors; /* sorted by name */
    size_t n_tensors;
    struct lct_map map; /* empty if it is in memory of the caller */
    char name[];        /* of the file, for messages */
};

/* Do these bytes, or does this file, begin as a GGUF file does?  Errors: IO. */
bool lct_gguf_is(const void *bytes, size_t n);
locant_status lct_gguf_is_file(bool *out, const char *path);

/* Errors: IO, FORMAT, UNSUPPORTED, NOMEM.  *out is NULL after a failure. */
locant_status lct_gguf_open(struct lct_gguf **out, const char *path);

/* The same from memory, which must outlive *out; errors show 'name'. */
locant_status lct_gguf_parse(struct lct_gguf **out, const void *bytes,
                             size_t size, const char *name);

void lct_gguf_close(struct lct_gguf *g);

/* The value or the tensor of that name; NULL if absent. */
const struct lct_gguf_value *lct_gguf_find(const struct lct_gguf *g,
                                           const char *key);
const struct lct_gguf_tensor *lct_gguf_tensor(const struct lct_gguf *g,
                                              const char *name);

/*
 * Element i of a value, i < v->count.  False if it has another kind: an
 * integer (a bool is 0 or 1; U64 above INT64_MAX is none), a real number
 * (integers too), or a text, which is found by passing all texts before it.
 */
bool lct_gguf_integer(int64_t *out, const struct lct_gguf *g,
                      const struct lct_gguf_value *v, uint64_t i);
bool lct_gguf_real(double *out, const struct lct_gguf *g,
                   const struct lct_gguf_value *v, uint64_t i);
bool lct_gguf_text(struct lct_text *out, const struct lct_gguf *g,
                   const struct lct_gguf_value *v, uint64_t i);
#endif
