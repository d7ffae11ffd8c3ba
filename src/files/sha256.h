/* sha256.h - SHA-256, FIPS 180-4 */
#ifndef LCT_SHA256_H
#define LCT_SHA256_H
#include <stddef.h>
#include <stdint.h>

void lct_sha256(uint8_t out[32], const void *bytes, size_t size);

/* The same, hexadecimal, zero-terminated. */
void lct_sha256_hex(char out[65], const void *bytes, size_t size);
#endif
