/* append.h - texts in buffers, put together piece by piece */
#ifndef LCT_APPEND_H
#define LCT_APPEND_H
#include "locant/core.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Append to 'text' as by printf(); it is cut where its 'size' bytes end. */
static inline void LOCANT_PRINTF(3, 4)
    lct_append(char *text, size_t size, const char *format, ...)
{
    const size_t n = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text + n, size - n, format, arguments);
    va_end(arguments);
}
/* The same of an array of characters. */
#define LCT_APPEND(text, ...) lct_append(text, sizeof(text), __VA_ARGS__)
#endif
