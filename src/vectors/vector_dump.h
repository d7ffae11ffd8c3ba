/* vector_dump.h - the tensors of another implementation */
#ifndef LCT_VECTOR_DUMP_H
#define LCT_VECTOR_DUMP_H
#include "../core/error.h"
#include "locant/files.h"

enum { LCT_VECTOR_FILES = 64 };

struct lct_vector_dump {
    const char *path;
    int is_folder;
    locant_tensors *file[LCT_VECTOR_FILES];
    size_t n_files;
    locant_array array; /* the last .npy that was read */
};

/*
 * Open a safetensors file, or a folder of them and of .npy files.
 * Errors: IO, FORMAT, UNSUPPORTED (more than LCT_VECTOR_FILES files), NOMEM.
 */
locant_status lct_vector_dump_open(struct lct_vector_dump *out,
                                   const char *path);
void lct_vector_dump_close(struct lct_vector_dump *d);

/*
 * The tensor of that name, which lives until the next call; NULL if there is
 * none.  Errors: IO, FORMAT, UNSUPPORTED, NOMEM.
 */
locant_status lct_vector_dump_find(const locant_tensor **out,
                                   struct lct_vector_dump *d, const char *name);

/* Name i of all safetensors files, NULL past the end. */
const char *lct_vector_dump_name(const struct lct_vector_dump *d, size_t i);

/* Element i in row-major order of a dense tensor. */
double lct_vector_dump_value(const locant_tensor *t, size_t i);
#endif
