/* base64.h - encode and decode base64, RFC 4648 section 4 */
#ifndef LCT_BASE64_H
#define LCT_BASE64_H
#include <stdbool.h>
#include <stddef.h>

/* Characters for 'size' bytes, at most 2^30, without a terminating zero. */
#define LCT_BASE64_CHARS(size) (((size) + 2) / 3 * 4)

/* Writes LCT_BASE64_CHARS(size) characters. */
void lct_base64(char *out, const void *bytes, size_t size);

/*
 * Decode 'n' characters into 'out', which has room for n / 4 * 3 bytes, and set
 * *size to the bytes decoded; false unless lct_base64() would write this text.
 */
bool lct_base64_read(void *out, size_t *size, const char *text, size_t n);
#endif
