/* gzip.c - compress to and from gzip (RFC 1952), by zlib */
#include "gzip.h"
#include "../core/size.h"
#include "path.h"
#include <zlib.h>

/* 15: a window of 32 KiB; plus 16: with gzip's header and CRC. */
enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8 };

/* For C headers, level 1 takes a quarter of the time of level 6 and gives 1.2
   times the bytes. */
enum { LEVEL = 1 };

static voidpf allocate(voidpf unused, uInt items, uInt size)
{
    size_t bytes;

    (void)unused;
    return lct_mul(&bytes, items, size) ? locant_alloc(bytes) : NULL;
}

static void release(voidpf unused, voidpf memory)
{
    (void)unused;
    locant_release(memory);
}

/* zlib only reads from next_in, although the type is not const. */
static z_stream stream_of(const void *bytes, size_t size)
{
    union {
        const void *read;
        Bytef *next;
    } in = { bytes };

    return (z_stream){ .zalloc = allocate,
                       .zfree = release,
                       .next_in = in.next,
                       .avail_in = (uInt)size };
}

locant_status lct_gzip(void **out, size_t *packed, const void *bytes,
                       size_t size)
{
    z_stream z = stream_of(bytes, size);
    int code;

    *out = NULL;
    if (size > LCT_GZIP_MOST)
        return locant_fail(LOCANT_ERR_PARAM,
                           "lct_gzip: %zu bytes, expected at most %d", size,
                           LCT_GZIP_MOST);
    if (deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory to compress %zu bytes",
                           size);
    *packed = deflateBound(&z, (uLong)size);
    *out = z.next_out = locant_alloc(*packed);
    z.avail_out = (uInt)*packed;
    code = *out ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
    *packed = z.total_out;
    deflateEnd(&z);
    if (code == Z_STREAM_END)
        return LOCANT_OK;
    locant_release(*out);
    *out = NULL;
    return locant_fail(LOCANT_ERR_NOMEM, "no memory to compress %zu bytes",
                       size);
}

/* Inflate exactly 'size' bytes; one more byte of output shows a longer
   stream. */
static locant_status inflate_all(z_stream *z, void *out, size_t size,
                                 const char *name)
{
    unsigned char more;
    int code;

    z->next_out = out;
    z->avail_out = (uInt)size;
    code = inflate(z, Z_FINISH);
    if ((code == Z_OK || code == Z_BUF_ERROR) && z->avail_out == 0) {
        z->next_out = &more;
        z->avail_out = 1;
        code = inflate(z, Z_FINISH);
    }
    if (code == Z_MEM_ERROR)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to decompress it",
                           lct_path_tail(name));
    if (code == Z_STREAM_END && z->total_out == size && z->avail_in == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: is not gzip of exactly %zu bytes of text: it %s",
                       lct_path_tail(name), size,
                       z->total_out > size ? "has more"
                       : code == Z_STREAM_END && z->total_out < size
                           ? "has fewer"
                       : code == Z_STREAM_END ? "goes on after its end"
                                              : "is cut or damaged");
}

locant_status lct_gunzip(void *out, size_t size, const void *bytes,
                         size_t packed, const char *name)
{
    z_stream z = stream_of(bytes, packed);
    locant_status status;

    if (size > LCT_GZIP_MOST || packed > LCT_GZIP_MOST)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %zu bytes of gzip for %zu, expected at most %d",
                           lct_path_tail(name), packed, size, LCT_GZIP_MOST);
    if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to decompress it",
                           lct_path_tail(name));
    status = inflate_all(&z, out, size, name);
    inflateEnd(&z);
    return status;
}
