/* utf8.h - decode UTF-8 */
#ifndef LCT_UTF8_H
#define LCT_UTF8_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Return the character at *text and advance *text; 0 at the end of the text.  A
 * byte that does not start a valid character (overlong, surrogate, above
 * U+10FFFF, truncated) gives -1 and advances by one byte.
 */
int32_t lct_utf8_next(const char **text);

/* Is all of the text valid?  The second counts its bytes, of which some may be
   zero. */
bool lct_is_utf8(const char *text);
bool lct_is_utf8_bytes(const char *text, size_t n);
#endif
