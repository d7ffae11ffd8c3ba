/* base64.h - bytes as text, RFC 4648 section 4 */
#ifndef LCT_BASE64_H
#define LCT_BASE64_H
#include <stdbool.h>
#include <stddef.h>

/* Characters for 'size' bytes, at most 2^30, without a terminating zero. */
#define LCT_BASE64_CHARS(size) (((size) + 2) / 3 * 4)

/* Writes LCT_BASE64_CHARS(size) characters. */
void lct_base64(char *out, const void *bytes, size_t size);

/*
 * Decode 'n' characters into 'out', which has room for n / 4 * 3 bytes; false
 * if lct_base64() would not write them.
 */
bool lct_base64_read(void *out, size_t *size, const char *text, size_t n);
#endif
