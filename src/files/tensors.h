/* tensors.h - an open safetensors file, and its parser */
#ifndef LCT_TENSORS_H
#define LCT_TENSORS_H
#include "locant/files.h"
#include "../core/error.h"

enum { LCT_TENSORS_HEADER_MAX = 100000000, LCT_TENSORS_NAME_MAX = 65535 };

struct lct_entry {
    const char *name;
    size_t at;            /* byte of its name in the file */
    size_t begin, bytes;  /* in the data */
    locant_tensor tensor; /* its data is set when elements are loaded */
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
    size_t data;   /* byte of the file where they begin */
};

/* The name of a dtype in the file ("F32"), NULL if it has none. */
const char *lct_tensors_dtype(locant_dtype dtype);

/* Byte of the file where a tensor of 't' begins. */
size_t lct_tensors_place(const locant_tensors *t, const locant_tensor *tensor);

struct lct_json;

/*
 * Read the object of one tensor at r->at; name and place of 'e' are known.
 * Everything is checked except relations to other tensors.
 */
locant_status lct_tensors_entry(struct lct_entry *e, struct lct_json *r,
                                size_t data);

/*
 * Read header text[0 .. n), which starts at byte 8 of 'file' and is followed by
 * 'data' bytes.  Fills everything but the addresses of the elements.  The
 * caller frees 't', also on failure.
 */
locant_status lct_tensors_header(locant_tensors *t, const char *file,
                                 const char *text, size_t n, size_t data);
#endif
