/* base64.h - bytes in a text, RFC 4648 section 4 */
#ifndef LCT_BASE64_H
#define LCT_BASE64_H
#include <stdbool.h>
#include <stddef.h>

/* Characters of 'size' bytes, at most 2^30, without a zero at the end. */
#define LCT_BASE64_CHARS(size) (((size) + 2) / 3 * 4)

/* Writes LCT_BASE64_CHARS(size) characters. */
void lct_base64(char *out, const void *bytes, size_t size);

/*
 * Bytes of 'n' characters into 'out', which has room for n / 4 * 3; false where
 * they are not what lct_base64() writes.
 */
bool lct_base64_read(void *out, size_t *size, const char *text, size_t n);
#endif
