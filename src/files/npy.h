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

/*
 * Understand magic, version and header of the file in memory.  'file' names it
 * in sentences.
 */
locant_status lct_npy_header(struct lct_npy *out, const char *file,
                             const void *bytes, size_t size);

/* The byte order of this machine, as .npy writes it. */
static inline char lct_npy_native(void)
{
    const uint16_t one = 1;

    return *(const unsigned char *)&one == 1 ? '<' : '>';
}
#endif
