/* npy.h - parse the header of a .npy file */
#ifndef LCT_NPY_H
#define LCT_NPY_H
#include "../core/error.h"
#include <stdbool.h>

/* Longest header that is read: the longest that version 1.0 can have. */
enum { LCT_NPY_HEADER_MAX = 65535 };

struct lct_npy {
    locant_dtype dtype;
    bool swap;    /* elements have the other byte order */
    bool fortran; /* first index fastest */
    int rank;
    int64_t shape[LOCANT_MAX_RANK];
    size_t data; /* byte of the file where the elements start */
};

/* Bytes of magic, version and header length, at most. */
enum { LCT_NPY_FRAME = 12 };

/*
 * Find the end of the header in a file of 'size' bytes; 'bytes' are its first
 * LCT_NPY_FRAME bytes, or all if there are fewer.  'file' is for messages.
 */
locant_status lct_npy_frame(size_t *end, const char *file, const char *bytes,
                            size_t size);

/* Parse the header; 'bytes' are those of the file up to the header's end. */
locant_status lct_npy_header(struct lct_npy *out, const char *file,
                             const char *bytes, size_t end);

/* The byte order of this machine, as .npy writes it. */
static inline char lct_npy_native(void)
{
    const uint16_t one = 1;

    return *(const unsigned char *)&one == 1 ? '<' : '>';
}
#endif
