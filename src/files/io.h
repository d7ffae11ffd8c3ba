/* io.h - whole files in, whole files out, durably */
#ifndef LCT_IO_H
#define LCT_IO_H
#include "../core/error.h"

/*
 * Read a regular file of at most 'limit' bytes into memory of locant_alloc(),
 * with a zero byte after the end.  Refuses anything but a regular file.
 */
locant_status lct_read_file(void **out, size_t *size, const char *path,
                            size_t limit);

/* One piece of a file to be written. */
struct lct_piece {
    const void *data;
    size_t size;
};

/*
 * Replace 'path' by the pieces: temporary file beside it, fsync, rename, fsync
 * of the directory.  On failure the old file stands and the temporary is gone.
 */
locant_status lct_write_file(const char *path, const struct lct_piece *pieces,
                             size_t n);
#endif
