/* utf8.h - text as characters */
#ifndef LCT_UTF8_H
#define LCT_UTF8_H
#include <stdint.h>

/*
 * The character at *text, and *text moved behind it; 0 at the end of the text.
 * A byte at which no character starts (overlong, surrogate, above U+10FFFF, cut
 * short) is -1, and *text moves by that byte alone.
 */
int32_t lct_utf8_next(const char **text);
#endif
