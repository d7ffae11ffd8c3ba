/* npy.h - the header of a .npy file, understood */
#ifndef LCT_NPY_H
#define LCT_NPY_H
#include "../core/error.h"
#include <stdbool.h>

/* Longest header read; that of version 1.0 cannot be longer. */
enum { LCT_NPY_HEADER_MAX = 65535 };

struct lct_npy {
    locant_dtype dtype;
    bool swap;    /* the bytes of an element are in the other order */
    bool fortran; /* first index fastest */
    int rank;
    int64_t shape[LOCANT_MAX_RANK];
    size_t data;  /* byte of the file where the elements start */
};

/* Magic, version and header length: no more is needed to find the header. */
enum { LCT_NPY_FRAME = 12 };

/*
 * Where the header ends in a file of 'size' bytes that begins with 'bytes', the
 * first LCT_NPY_FRAME or as many as there are.  'file' names it in sentences.
 */
locant_status lct_npy_frame(size_t *end, const char *file, const char *bytes,
                            size_t size);

/* Understand the header; 'bytes' are the file's up to its end. */
locant_status lct_npy_header(struct lct_npy *out, const char *file,
                             const char *bytes, size_t end);

/* The byte order of this machine, as .npy writes it. */
static inline char lct_npy_native(void)
{
    const uint16_t one = 1;

    return *(const unsigned char *)&one == 1 ? '<' : '>';
}
#endif
