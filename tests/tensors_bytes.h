/* tensors_bytes.h - makes safetensors files byte by byte */
#ifndef TENSORS_BYTES_H
#define TENSORS_BYTES_H
#include "testing.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file in memory: 'size' bytes of 'room'. */
static char *bytes;
static size_t size, room;

static inline void raw(const void *data, size_t n)
{
    if (size + n > room) {
        room = 2 * (size + n);
        bytes = realloc(bytes, room);
        CHECK(bytes != NULL);
    }
    if (n > 0)
        memcpy(bytes + size, data, n);
    size += n;
}

/* Begin a file whose header is said to have 'length' bytes. */
static inline void start(uint64_t length)
{
    size = 0;
    for (int i = 0; i < 8; i++)
        raw(&(char){ (char)(length >> 8 * i) }, 1);
}

/* A file: the header's length, the header, and 'data' bytes 1, 2, 3, .. */
static inline void make_n(const char *header, size_t n, size_t data)
{
    start(n);
    raw(header, n);
    for (size_t i = 0; i < data; i++)
        raw(&(char){ (char)(i + 1) }, 1);
}

static inline void make(const char *header, size_t data)
{
    make_n(header, strlen(header), data);
}

#define A(dtype, shape, offsets)                                               \
    "\"a\":{\"dtype\":\"" dtype "\",\"shape\":" shape                          \
    ",\"data_offsets\":" offsets "}"
#define B(dtype, shape, offsets)                                               \
    "\"b\":{\"dtype\":\"" dtype "\",\"shape\":" shape                          \
    ",\"data_offsets\":" offsets "}"

static const char small[] = "{\"__metadata__\":{\"k\":\"v\"}," A(
    "F32", "[2]", "[0,8]") "," B("F16", "[1]", "[8,10]") "}";

/* A file of n scalars t0, t1, ..: all on the same bytes, or one by one. */
static inline void make_many(int n, bool overlapping)
{
    static char header[12000000];
    size_t used = 1;

    header[0] = '{';
    for (int i = 0; i < n; i++) {
        int at = overlapping ? 0 : 4 * i;

        used += (size_t)snprintf(header + used, sizeof header - used,
                                 "%s\"t%d\":{\"dtype\":\"F32\",\"shape\":[],"
                                 "\"data_offsets\":[%d,%d]}",
                                 i > 0 ? "," : "", i, at, at + 4);
    }
    header[used++] = '}';
    make_n(header, used, overlapping ? 4 : 4 * (size_t)n);
}
#endif
