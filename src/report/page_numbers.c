/*
 * page_numbers.c - writes the numbers of the page.  Each comes from the
 * document that 'locant report --json' prints, and is marked with its path.
 */
#include "../core/size.h"
#include "../files/decimal.h"
#include "page.h"
#include "html_message.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

locant_status lct_page_allocate(double **out, size_t n)
{
    size_t bytes;

    *out = NULL;
    if (lct_mul(&bytes, n ? n : 1, sizeof **out))
        *out = locant_alloc(bytes);
    if (!*out)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory for %zu numbers", n);
    return LOCANT_OK;
}

void lct_page_put_number(struct lct_html *h, double value, int decimals)
{
    char text[LCT_DECIMAL_BYTES];

    if (isnan(value)) {
        lct_html_message_in(h, "<span class=\"none\">", MSG_UNDEFINED,
                            "</span>");
        return;
    }
    if (decimals == LCT_SHORT)
        lct_decimal_short(text, value);
    else
        lct_decimal(text, value, decimals);
    if (text[0] == '-')
        lct_html_raw(h, "\xe2\x88\x92");
    lct_html_raw(h, text + (text[0] == '-'));
}

void lct_page_put_signed(struct lct_html *h, double value, int decimals)
{
    char text[LCT_DECIMAL_BYTES];

    if (fabs(value) < 0.5 * pow(10, -decimals))
        value = 0; /* rounds to 0, so it has no sign */
    lct_decimal(text, value, decimals);
    if (!isnan(value) && text[0] != '-' && strpbrk(text, "123456789"))
        lct_html_raw(h, "+");
    lct_page_put_number(h, value, decimals);
}

void lct_page_put_count(struct lct_html *h, int64_t value)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%lld", (long long)value);

    for (int i = 0; i < n; i++) {
        lct_html_append(h, text + i, 1);
        if ((n - i) % 3 == 1 && i + 1 < n && text[i] != '-')
            lct_html_raw(h, "&#8239;");
    }
}

enum { PATH_BYTES = 128 };

/* decimals: a number, LCT_NO_DECIMALS, LCT_SHORT, or LCT_WITH_SIGN plus a
   number. */
static void LOCANT_PRINTF(6, 0)
    print(struct lct_html *h, const struct lct_results *r, const char *element,
          double scale, int decimals, const char *format, va_list args)
{
    char path[PATH_BYTES], text[48];
    double value;

    vsnprintf(path, sizeof path, format, args);
    value = lct_page_real(lct_numbers_at(r->numbers, path)) * scale;
    lct_html_print(h, "<%s data-number=\"%s", element, path);
    if (scale != 1) {
        snprintf(text, sizeof text, "%.17g", scale);
        lct_html_print(h, "\" data-scale=\"%s", text);
    }
    lct_html_raw(h, "\">");
    if (decimals == LCT_NO_DECIMALS && fabs(value) < 1e15)
        lct_page_put_count(h, (int64_t)llround(value));
    else if (decimals >= LCT_WITH_SIGN)
        lct_page_put_signed(h, value, decimals - LCT_WITH_SIGN);
    else
        lct_page_put_number(h, value, decimals);
    lct_html_print(h, "</%s>", element);
}

void lct_page_cell(struct lct_html *h, const struct lct_results *r,
                   double scale, int decimals, const char *path, ...)
{
    va_list args;

    va_start(args, path);
    print(h, r, "td", scale, decimals, path, args);
    va_end(args);
}

void lct_page_scaled(struct lct_html *h, const struct lct_results *r,
                     double scale, int decimals, const char *path, ...)
{
    va_list args;

    va_start(args, path);
    print(h, r, "span", scale, decimals, path, args);
    va_end(args);
}

double lct_page_real(const json_t *number)
{
    return json_is_number(number) ? json_number_value(number) : NAN;
}

bool lct_page_all_missing(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            return false;
    return true;
}

static const json_t *LOCANT_PRINTF(2, 0)
    at(const struct lct_results *r, const char *format, va_list args)
{
    char path[PATH_BYTES];

    vsnprintf(path, sizeof path, format, args);
    return lct_numbers_at(r->numbers, path);
}

const json_t *lct_page_at(const struct lct_results *r, const char *path, ...)
{
    const json_t *found;
    va_list args;

    va_start(args, path);
    found = at(r, path, args);
    va_end(args);
    return found;
}

double lct_page_value(const struct lct_results *r, const char *path, ...)
{
    double found;
    va_list args;

    va_start(args, path);
    found = lct_page_real(at(r, path, args));
    va_end(args);
    return found;
}

const char *lct_page_text(const struct lct_results *r, const char *path, ...)
{
    const char *found;
    va_list args;

    va_start(args, path);
    found = json_string_value(at(r, path, args));
    va_end(args);
    return found;
}

size_t lct_page_size(const struct lct_results *r, const char *path, ...)
{
    size_t found;
    va_list args;

    va_start(args, path);
    found = json_array_size(at(r, path, args));
    va_end(args);
    return found;
}
