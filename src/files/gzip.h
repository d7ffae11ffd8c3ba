/* gzip.h - compress to and from gzip (RFC 1952), by zlib */
#ifndef LCT_GZIP_H
#define LCT_GZIP_H
#include "../core/error.h"

/* Larger sizes fail: zlib counts bytes in 32 bits. */
enum { LCT_GZIP_MOST = 1 << 30 };

/* Largest compression ratio of deflate: 258 bytes from two bits (RFC 1951). */
enum { LCT_GZIP_MAX_RATIO = 1032 };

/* Compress 'size' bytes into memory of locant_alloc(), *packed bytes.  The same
   version of zlib gives the same bytes. */
locant_status lct_gzip(void **out, size_t *packed, const void *bytes,
                       size_t size);

/*
 * Decompress a stream of 'packed' bytes to exactly 'size' bytes.  FORMAT, with
 * 'name' in the message, if the stream holds fewer or more, is damaged, or has
 * bytes after its end.
 */
locant_status lct_gunzip(void *out, size_t size, const void *bytes,
                         size_t packed, const char *name);
#endif
