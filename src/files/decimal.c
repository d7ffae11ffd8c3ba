/* decimal.c - numbers as text that does not depend on the locale */
#include "decimal.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replace the locale's decimal point, which may be several bytes, by '.'. */
static void plain_point(char *text)
{
    char *to = text;
    bool in_point = false;

    for (const char *from = text; *from; from++) {
        bool in_number = strchr("0123456789+-e", *from) != NULL;
        if (in_number)
            *to++ = *from;
        else if (!in_point)
            *to++ = '.';
        in_point = !in_number;
    }
    *to = '\0';
}

/* Where the number before 'end', which has a decimal point, ends without final
   zeros after the point, and without the point if all digits after it are 0. */
static char *without_zeros(char *end)
{
    while (end[-1] == '0')
        end--;
    return end[-1] == '.' ? end - 1 : end;
}

/* Change "1.500e+06" to "1.5e6". */
static void shorten_exponent(char *text)
{
    char *e = strchr(text, 'e');
    char tail[16];
    char *end = e;
    int exponent = 0;
    bool negative;

    if (!e)
        return;
    negative = e[1] == '-';
    for (const char *p = e + 1; *p; p++)
        if (*p >= '0' && *p <= '9')
            exponent = 10 * exponent + (*p - '0');
    if (memchr(text, '.', (size_t)(e - text)))
        end = without_zeros(end);
    snprintf(tail, sizeof tail, "e%s%d", negative ? "-" : "", exponent);
    memcpy(end, tail, strlen(tail) + 1);
}

void lct_decimal(char out[LCT_DECIMAL_BYTES], double value, int decimals)
{
    double size = fabs(value);

    if (isnan(value)) {
        memcpy(out, "undefined", sizeof "undefined");
        return;
    }
    if (isinf(value)) {
        snprintf(out, LCT_DECIMAL_BYTES, "%sinfinity", value < 0 ? "-" : "");
        return;
    }
    if (decimals < 0)
        decimals = 0;
    if (decimals > 15)
        decimals = 15;
    if (size >= 1e7 || (size < 1e-5 && size > 0)) {
        snprintf(out, LCT_DECIMAL_BYTES, "%.3e", value);
        plain_point(out);
        shorten_exponent(out);
        return;
    }
    snprintf(out, LCT_DECIMAL_BYTES, "%.*f", decimals, value);
    plain_point(out);
    /* no sign before "0.00" */
    if (out[0] == '-' && !strpbrk(out, "123456789"))
        memmove(out, out + 1, strlen(out));
}

void lct_decimal_digits(char out[LCT_DECIMAL_BYTES], double value, int digits)
{
    snprintf(out, LCT_DECIMAL_BYTES, "%.*g", digits, value);
    if (isfinite(value))
        plain_point(out);
}

void lct_decimal_exact(char out[LCT_DECIMAL_BYTES], double value)
{
    if (isnan(value)) {
        memcpy(out, "nan", sizeof "nan");
        return;
    }
    if (isinf(value)) {
        snprintf(out, LCT_DECIMAL_BYTES, "%sinf", value < 0 ? "-" : "");
        return;
    }
    /* use the fewest digits that read back: 0.1, not 0.10000000000000001 */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, LCT_DECIMAL_BYTES, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    plain_point(out);
}

double lct_decimal_float32(double value)
{
    char text[LCT_DECIMAL_BYTES];

    if ((double)(float)value != value)
        return value;
    for (int digits = 1; digits <= FLT_DIG; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if ((float)strtod(text, NULL) == (float)value)
            return strtod(text, NULL);
    }
    return value;
}

void lct_decimal_short(char out[LCT_DECIMAL_BYTES], double value)
{
    double size = fabs(value);
    int before = size >= 1 && size < 1e7 ? (int)floor(log10(size)) + 1 : 1;
    int decimals = 3 - before;

    if (size > 0 && size < 1)
        decimals = 2 - (int)floor(log10(size));
    lct_decimal(out, value, decimals);
    if (strchr(out, '.') && !strchr(out, 'e'))
        *without_zeros(out + strlen(out)) = '\0';
}
