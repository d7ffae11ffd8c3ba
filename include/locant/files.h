/*
 * files.h - arrays in files: .npy, and safetensors for checkpoints.
 *
 * Readers trust nothing: sizes are checked against the bytes that are there
 * before any memory is taken, every refusal names file, place, what was found
 * and what is allowed.  A file larger than the memory of the machine is refused
 * as NOMEM, one of which the disk holds less than 1 byte in 16 as FORMAT: the
 * rest are holes of a sparse file.  Writers go through a temporary file, fsync,
 * rename and fsync of the directory: the old file or the new one, never a torn
 * one.
 */
#ifndef LOCANT_FILES_H
#define LOCANT_FILES_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array read from a file; the tensor is dense and owned by the array. */
typedef struct locant_array {
    locant_tensor tensor;
    void         *memory;
} locant_array;

/*
 * Read a .npy file, versions 1.0, 2.0, 3.0: dtypes <f4 <f8 <f2 <i4 <i8 and
 * their big-endian forms ('=' and '|' refused for these); C or Fortran order,
 * at most 6 dimensions.  bfloat16 is written and read as '<V2', and read as
 * '|V2', which NumPy makes of it.
 * Errors: NULL, IO, FORMAT, UNSUPPORTED, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_npy_read(locant_array *out, const char *path);

/* The same from memory; 'name' stands for the path in sentences. */
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
 * Write 'size' bytes, durably, in the place of the regular file that may be
 * there.  Errors: NULL, IO.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_file_write(const char *path, const void *bytes, size_t size);

/* ------------------------------------------------------------- safetensors */

typedef struct locant_tensors locant_tensors; /* an open safetensors file */

/*
 * Read a whole safetensors file, strictly: the format's own rules, and no
 * duplicate or empty names.  dtypes F32 F64 F16 BF16 I32 I64, at most 6
 * dimensions.  Errors: NULL, IO, FORMAT, UNSUPPORTED, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_tensors_read(locant_tensors **out, const char *path);
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_tensors_parse(locant_tensors **out, const void *bytes, size_t size,
                     const char *name);
LOCANT_API void locant_tensors_free(locant_tensors *t);

/*
 * Tensor i in the order of its bytes in the file, its name in *name (may be
 * NULL); NULL past the end.  Names and tensors live as long as 't'.
 */
LOCANT_API const locant_tensor *
locant_tensors_at(const locant_tensors *t, size_t i, const char **name);

/* Tensor by name; NULL if absent. */
LOCANT_API const locant_tensor *
locant_tensors_find(const locant_tensors *t, const char *name);

/* Value of a metadata key; NULL if absent. */
LOCANT_API const char *
locant_tensors_metadata(const locant_tensors *t, const char *key);

/* One named tensor to be written; dense. */
typedef struct locant_named_tensor {
    const char   *name;
    locant_tensor tensor;
} locant_named_tensor;

/*
 * Write tensors and metadata (pairs key, value; n_metadata pairs) durably, in
 * the order of falling element size, then of names.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM (duplicate or empty name, or one
 * that is not UTF-8), IO, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_tensors_write(const char *path, const locant_named_tensor *tensors,
                     size_t n, const char *const *metadata, size_t n_metadata);

#ifdef __cplusplus
}
#endif
#endif /* LOCANT_FILES_H */
