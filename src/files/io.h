/* io.h - read whole files, and write them durably */
#ifndef LCT_IO_H
#define LCT_IO_H
#include "../core/error.h"

struct stat;

/* Fail with IO, or NOMEM: "<path>: <what>: No space left on device". */
locant_status lct_io_error(const char *path, const char *what, int error);

/* Fail unless this is a regular file. */
locant_status lct_check_regular(const char *path, const struct stat *st);

/*
 * Read a regular file of at most 'limit' bytes into memory of locant_alloc(),
 * with a zero byte after the end.
 */
locant_status lct_read_file(void **out, size_t *size, const char *path,
                            size_t limit);

/* One piece of a file to be written. */
struct lct_piece {
    const void *data;
    size_t size;
};

/*
 * Replace 'path' by the n pieces, by renaming a temporary file beside it, so
 * that after a loss of power it holds either the old or the new bytes.  On
 * failure the old file is unchanged and the temporary one is removed.  If
 * 'path' is a symbolic link, its target is replaced or created.
 */
locant_status lct_write_file(const char *path, const struct lct_piece *pieces,
                             size_t n);
/* As lct_write_file(), with mode 0600 even if the old file had another. */
locant_status lct_write_private(const char *path,
                                const struct lct_piece *pieces, size_t n);
#endif
