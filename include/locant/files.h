/*
 * files.h - arrays in files: .npy, and safetensors for checkpoints.
 *
 * Readers trust nothing: they check sizes against the bytes of the file before
 * they allocate, and an error names the file, the place, what was found and
 * what is allowed.  A file larger than the memory of the machine is NOMEM; a
 * sparse file, with less than 1 byte in 16 on the disk, is FORMAT.  Writers are
 * atomic and durable: temporary file, fsync, rename, fsync of the directory.
 */
#ifndef LOCANT_FILES_H
#define LOCANT_FILES_H

#include "core.h"

LOCANT_BEGIN_DECLS

/* An array read from a file; the tensor is dense and owned by the array. */
typedef struct locant_array {
    locant_tensor tensor;
    void         *memory;
} locant_array;

/*
 * Read a .npy file, versions 1.0, 2.0, 3.0: dtypes <f4 <f8 <f2 <i4 <i8 and
 * their big-endian forms, not with '=' or '|'; C or Fortran order, at most 6
 * dimensions.  bfloat16 is written as '<V2'; '|V2', as NumPy writes such an
 * array, is read as well, and so are bytes and booleans, '|u1' and '|b1', as
 * U8, which is not written.
 * Errors: NULL, IO, FORMAT, UNSUPPORTED, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_npy_read(locant_array *out, const char *path);

/* The same from memory; errors show 'name' in place of the path. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_npy_parse(locant_array *out, const void *bytes, size_t size,
                 const char *name);

/*
 * Write a dense tensor as .npy version 1.0, durably.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, IO.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_npy_write(const char *path, const locant_tensor *t);

LOCANT_API void locant_array_free(locant_array *array);

/*
 * Write 'size' bytes durably as a new file, or replace a regular file of that
 * path.  Errors: NULL, IO.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_file_write(const char *path, const void *bytes, size_t size);

/* ------------------------------------------------------------- safetensors */

typedef struct locant_tensors locant_tensors; /* an open safetensors file */

/*
 * Read a whole safetensors file.  It must follow the rules of the format and
 * have no duplicate or empty names.  dtypes F32 F64 F16 BF16 I32 I64, at most 6
 * dimensions.  Errors: NULL, IO, FORMAT, UNSUPPORTED, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_tensors_read(locant_tensors **out, const char *path);
/* The same from memory; errors show 'name' in place of the path. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_tensors_parse(locant_tensors **out, const void *bytes, size_t size,
                     const char *name);
LOCANT_API void locant_tensors_free(locant_tensors *t);

/*
 * Tensor i in the order of the bytes in the file; NULL past the end.  *name
 * becomes its name unless 'name' is NULL.  Both live as long as 't'.
 */
LOCANT_API const locant_tensor *
locant_tensors_at(const locant_tensors *t, size_t i, const char **name);

/* The tensor called 'name'; NULL if absent. */
LOCANT_API const locant_tensor *
locant_tensors_find(const locant_tensors *t, const char *name);

/* Value of a metadata key; NULL if absent. */
LOCANT_API const char *
locant_tensors_metadata(const locant_tensors *t, const char *key);

/* A named dense tensor to be written. */
typedef struct locant_named_tensor {
    const char   *name;
    locant_tensor tensor;
} locant_named_tensor;

/*
 * Write tensors and metadata (key, value, key, ..: n_metadata pairs) durably,
 * sorted by decreasing element size, then by name.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (duplicate or empty name, or one
 * that is not UTF-8), IO, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_tensors_write(const char *path, const locant_named_tensor *tensors,
                     size_t n, const char *const *metadata, size_t n_metadata);

LOCANT_END_DECLS
#endif /* LOCANT_FILES_H */
