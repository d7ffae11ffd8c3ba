/* source.h - the bytes of a file or of memory, read where they are asked for */
#ifndef LCT_SOURCE_H
#define LCT_SOURCE_H
#include "../core/error.h"

struct lct_source {
    const char *name;  /* path of the file; in sentences */
    const char *bytes; /* in memory; NULL: of the file */
    int fd;
    size_t size;
};

/* Open a regular file; anything else is refused. */
locant_status lct_source_open(struct lct_source *out, const char *path);
void lct_source_close(struct lct_source *s);

/* Copy bytes 'at' to at + n, all below s->size. */
locant_status lct_source_copy(void *out, const struct lct_source *s, size_t at,
                              size_t n);

/*
 * Before memory is taken for these bytes: NOMEM if this machine does not have
 * so much, FORMAT if the file has holes where they should be.
 */
locant_status lct_source_check(const struct lct_source *s, size_t at, size_t n);

/* Both, with the bytes and a zero byte in memory of locant_alloc(). */
locant_status lct_source_load(void **out, const struct lct_source *s, size_t at,
                              size_t n);
#endif
