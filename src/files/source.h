/* source.h - random access to the bytes of a file or of memory */
#ifndef LCT_SOURCE_H
#define LCT_SOURCE_H
#include "../core/error.h"

struct lct_source {
    const char *name;  /* path of the file, for messages */
    const char *bytes; /* [size] in memory; NULL: read from fd */
    int fd;
    size_t size;
};

/* Open a regular file; other kinds are an error. */
locant_status lct_source_open(struct lct_source *out, const char *path);
void lct_source_close(struct lct_source *s);

/* Copy bytes at .. at + n - 1, which must be below s->size. */
locant_status lct_source_copy(void *out, const struct lct_source *s, size_t at,
                              size_t n);

/*
 * Check a range before memory is allocated for it: NOMEM if this machine has
 * less, FORMAT if almost all of the range is in holes of a sparse file.
 */
locant_status lct_source_check(const struct lct_source *s, size_t at, size_t n);

/* Check the range, and copy it into memory of locant_alloc() with a zero byte
   at the end. */
locant_status lct_source_load(void **out, const struct lct_source *s, size_t at,
                              size_t n);
#endif
