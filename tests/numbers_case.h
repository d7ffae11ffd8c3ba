/* numbers_case.h - reads the JSON document of a report's numbers */
#ifndef NUMBERS_CASE_H
#define NUMBERS_CASE_H
#include "page_results.h"
#include <jansson.h>

/* The number at a path, which must exist; NAN for null. */
static inline double LOCANT_PRINTF(2, 3)
    at(const struct json_t *numbers, const char *format, ...)
{
    const json_t *found;
    char key[128];
    va_list args;

    va_start(args, format);
    vsnprintf(key, sizeof key, format, args);
    va_end(args);
    found = lct_numbers_at(numbers, key);
    if (!json_is_number(found) && !json_is_null(found))
        FAIL("%s: nothing there", key);
    return json_is_number(found) ? json_number_value(found) : NAN;
}
#endif
