/* bench_range.c - lists of sizes: "512", "1,2", "512-8192*2", "64-256+64" */
#include "bench.h"
#include <errno.h>
#include <stdlib.h>

enum { LARGEST = 1 << 30 };

static const char form[] = "should be whole numbers from 1 to 1073741824 and "
                           "ranges of them, such as 1,2 or 512-8192*2 or "
                           "64-256+64";

/* Parses a number from 1 to LARGEST; returns 0 on error. */
static int64_t parse_number(const char **text)
{
    char *end;
    long long n;

    if (**text < '0' || **text > '9') /* strtoll would accept blanks, signs */
        return 0;
    errno = 0;
    n = strtoll(*text, &end, 10);
    *text = end;
    return errno == 0 && n >= 1 && n <= LARGEST ? n : 0;
}

static bool push(struct bench_range *r, int64_t value)
{
    if (r->n == BENCH_RANGE)
        return false;
    r->at[r->n++] = value;
    return true;
}

/* Parses "A", "A-B", "A-B*F" or "A-B+S". */
static const char *parse_item(struct bench_range *r, const char **text)
{
    int64_t first = parse_number(text), last = first, step = 1;
    bool times = false;

    if (first == 0)
        return form;
    if (**text == '-') {
        ++*text;
        last = parse_number(text);
        if (last == 0)
            return form;
        if (**text == '*' || **text == '+') {
            times = **text == '*';
            ++*text;
            step = parse_number(text);
            if (step == 0)
                return form;
        }
        if (last < first)
            return "a range should not end below its beginning";
    }
    if (times && step == 1)
        return "a range should not be multiplied by 1";
    for (int64_t at = first; at <= last; at = times ? at * step : at + step)
        if (!push(r, at))
            return "should not list more than 64 numbers";
    return NULL;
}

const char *bench_range_parse(struct bench_range *r, const char *text)
{
    r->n = 0;
    for (;;) {
        const char *wrong = parse_item(r, &text);

        if (wrong != NULL)
            return wrong;
        if (*text == '\0')
            return NULL;
        if (*text++ != ',')
            return form;
    }
}
