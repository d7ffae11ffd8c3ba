/* tensors.h - the tensors of a safetensors file, and its parser */
#ifndef LCT_TENSORS_H
#define LCT_TENSORS_H
#include "locant/files.h"
#include "../core/error.h"
#include "number.h"
#include <stdbool.h>

enum { LCT_TENSORS_HEADER_MAX = 100000000, LCT_TENSORS_NAME_MAX = 65535 };

struct lct_entry {
    const char *name;
    size_t at;           /* byte of the file where the name starts */
    size_t begin, bytes; /* of the elements in the data */
    const struct lct_number *type;
    locant_tensor tensor; /* its data is set when elements are loaded, its
                             dtype only if 'type' has one */
};

struct lct_pair {
    const char *key, *value;
};

struct locant_tensors {
    struct lct_entry *entries;  /* in the order of the data */
    struct lct_entry **by_name; /* sorted */
    size_t n;
    struct lct_pair *metadata; /* sorted by key */
    size_t n_metadata;
    char *strings; /* all names, keys and values */
    void *memory;  /* of the elements */
    size_t data;   /* byte of the file where the elements start */
    /* Set by the caller: allow numbers that no locant_dtype is ("U8"). */
    bool any_number;
};

/*
 * *out = the length of the header of a file of 'size' bytes that begins with
 * 'frame' [8, or all bytes if they are fewer].
 */
locant_status lct_tensors_frame(size_t *out, const char *file,
                                const unsigned char *frame, size_t size);

/* The name of a dtype in the file ("F32"), NULL if it has none. */
const char *lct_tensors_dtype(locant_dtype dtype);

/* Byte of the file where the elements of a tensor of 't' start. */
size_t lct_tensors_offset(const locant_tensors *t, const locant_tensor *tensor);

struct lct_json;

/*
 * Read the object of one tensor at r->at; e->name and e->at are set.  'data' is
 * the number of bytes after the header.  Everything is checked that concerns
 * this tensor alone.
 */
locant_status lct_tensors_entry(struct lct_entry *e, struct lct_json *r,
                                size_t data, bool any_number);

/*
 * Parse the header text [n], which starts at byte 8 of 'file' and is followed
 * by 'data' bytes.  Sets all members but t->memory, t->data and the data of
 * tensors.
 * The caller frees 't', also after a failure.
 */
locant_status lct_tensors_header(locant_tensors *t, const char *file,
                                 const char *text, size_t n, size_t data);

/*
 * *out [*size] = the bytes of a file before its data, to be released with
 * locant_release(): of entries in the order of the data, whose name, type,
 * begin, bytes, rank and shape count, and of n_metadata pairs key, value.
 * Errors show 'fn': NULL, PARAM, NOMEM.
 */
locant_status lct_tensors_text(char **out, size_t *size, const char *fn,
                               const struct lct_entry *entries, size_t n,
                               const char *const *metadata, size_t n_metadata);
#endif
