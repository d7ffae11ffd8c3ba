/* gguf_bytes.h - makes GGUF files byte by byte */
#ifndef GGUF_BYTES_H
#define GGUF_BYTES_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { GGUF_ROOM = 4096 };

/* A file in memory: 'size' bytes of 'bytes'. */
struct gguf_bytes {
    unsigned char bytes[GGUF_ROOM];
    size_t size;
};

static inline void put_bytes(struct gguf_bytes *f, const void *data, size_t n)
{
    memcpy(f->bytes + f->size, data, n);
    f->size += n;
}

static inline void put_number(struct gguf_bytes *f, uint64_t number, int n)
{
    for (int i = 0; i < n; i++)
        f->bytes[f->size++] = (unsigned char)(number >> 8 * i);
}

static inline void put_text(struct gguf_bytes *f, const char *text)
{
    put_number(f, strlen(text), 8);
    put_bytes(f, text, strlen(text));
}

/* The header of a new file. */
static inline void put_header(struct gguf_bytes *f, uint32_t version,
                              uint64_t tensors, uint64_t values)
{
    f->size = 0;
    put_bytes(f, "GGUF", 4);
    put_number(f, version, 4);
    put_number(f, tensors, 8);
    put_number(f, values, 8);
}

/* A value that is a number of n bytes. */
static inline void put_value(struct gguf_bytes *f, const char *key, int type,
                             uint64_t number, int n)
{
    put_text(f, key);
    put_number(f, (uint64_t)type, 4);
    put_number(f, number, n);
}

/* A tensor [rows, columns]. */
static inline void put_tensor(struct gguf_bytes *f, const char *name,
                              uint64_t rows, uint64_t columns, uint32_t type,
                              uint64_t offset)
{
    put_text(f, name);
    put_number(f, 2, 4);
    put_number(f, columns, 8);
    put_number(f, rows, 8);
    put_number(f, type, 4);
    put_number(f, offset, 8);
}

/* Zeros up to a multiple of n. */
static inline void put_zeros(struct gguf_bytes *f, size_t n)
{
    while (f->size % n != 0)
        f->bytes[f->size++] = 0;
}
#endif
