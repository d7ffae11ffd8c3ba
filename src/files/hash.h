/* hash.h - FNV-1a, 64 bits, to identify texts and to detect damage */
#ifndef LCT_HASH_H
#define LCT_HASH_H
#include <stddef.h>
#include <stdint.h>

/* The hash of 'size' more bytes, continued from h; begin with
   LCT_HASH_BEGIN. */
#define LCT_HASH_BEGIN 0xcbf29ce484222325u
uint64_t lct_hash(uint64_t h, const void *bytes, size_t size);
#endif
