/*
 * spec_number.c - decimal numbers, to text and back without losing a bit.
 *
 * strtod() and snprintf() use the decimal point of the process's locale, which
 * belongs to the caller.  So strtod() is given an integer with an exponent, and
 * only the digits of what snprintf() writes are used.
 */
#include "spec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Exponents beyond this are infinite or zero whatever the digits. */
enum { EXPONENT_MAX = 100000 };

/* Read "e-12" at text[0 .. n), all of it. */
static bool parse_exponent(long *out, const char *text, size_t n)
{
    bool negative = n > 1 && text[1] == '-';
    size_t i = n > 1 && (text[1] == '-' || text[1] == '+') ? 2 : 1;
    long e = 0;

    if (i >= n || (text[0] != 'e' && text[0] != 'E'))
        return false;
    for (; i < n; i++) {
        if (!is_digit(text[i]))
            return false;
        if (e < EXPONENT_MAX)
            e = 10 * e + (text[i] - '0');
    }
    *out = negative ? -e : e;
    return true;
}

bool lct_number_parse(double *out, const char *text, size_t n)
{
    char digits[LCT_SPEC_BYTES + 32];
    size_t used = 1, i = 0;
    long shift = 0, exponent = 0;
    bool seen = false, point = false;

    if (n > LCT_SPEC_BYTES)
        return false;
    digits[0] = n > 0 && text[0] == '-' ? '-' : '+';
    if (n > 0 && (text[0] == '-' || text[0] == '+'))
        i = 1;
    for (; i < n && (is_digit(text[i]) || (text[i] == '.' && !point)); i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        seen = true;
        digits[used++] = text[i];
        shift -= point;
    }
    if (!seen || (i < n && !parse_exponent(&exponent, text + i, n - i)))
        return false;
    snprintf(digits + used, sizeof digits - used, "e%ld", exponent + shift);
    /* Adding 0 makes -0 a 0: specs have one zero. */
    *out = strtod(digits, NULL) + 0.0;
    return true;
}

/* Write digit[0] . digit[1..n) x 10^exponent, with an exponent only if it is
 * below -5 or above 15. */
static size_t lay_out(char *out, bool negative, const char *digit, int n,
                      int exponent)
{
    size_t used = 0;

    if (negative)
        out[used++] = '-';
    if (exponent < -5 || exponent > 15) {
        out[used++] = digit[0];
        if (n > 1)
            out[used++] = '.';
        memcpy(out + used, digit + 1, (size_t)(n - 1));
        used += (size_t)(n - 1);
        return used + (size_t)snprintf(out + used, LCT_NUMBER_BYTES - used,
                                       "e%d", exponent);
    }
    if (exponent < 0)
        out[used++] = '0';
    for (int i = exponent < 0 ? exponent + 1 : 0; i < n || i <= exponent; i++) {
        if (i == exponent + 1)
            out[used++] = '.';
        out[used++] = i < 0 || i >= n ? '0' : digit[i];
    }
    out[used] = 0;
    return used;
}

size_t lct_number_print(char out[LCT_NUMBER_BYTES], double value)
{
    size_t used = 0;

    /* 17 significant digits distinguish all doubles. */
    for (int n = 1; n <= 17; n++) {
        char text[LCT_NUMBER_BYTES], digit[LCT_NUMBER_BYTES];
        const char *e;
        int count = 0;
        double back;

        snprintf(text, sizeof text, "%.*e", n - 1, value);
        e = strchr(text, 'e');
        if (e != NULL)
            for (const char *c = text; c < e; c++)
                if (is_digit(*c))
                    digit[count++] = *c;
        if (count != n)
            break;
        used = lay_out(out, text[0] == '-', digit, n,
                       (int)strtol(e + 1, NULL, 10));
        if (lct_number_parse(&back, out, used) && back == value)
            break;
    }
    return used;
}
