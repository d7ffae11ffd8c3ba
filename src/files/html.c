/* html.c - a growing buffer of text, for HTML */
#include "html.h"
#include "../core/size.h"
#include "base64.h"
#include "utf8.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Make room for 'size' more bytes and return their place; NULL, and set
   'failed', if there is no memory. */
static char *reserve(struct lct_html *h, size_t size)
{
    size_t need, capacity = h->capacity ? h->capacity : 1 << 12;
    char *grown = NULL;

    h->failed = h->failed || !lct_add(&need, h->size, size);
    while (!h->failed && capacity < need)
        h->failed = !lct_mul(&capacity, capacity, 2);
    if (!h->failed && need > h->capacity) {
        grown = locant_alloc(capacity);
        h->failed = grown == NULL;
    }
    if (h->failed)
        return NULL;
    if (grown) {
        if (h->size)
            memcpy(grown, h->data, h->size);
        locant_release(h->data);
        h->data = grown;
        h->capacity = capacity;
    }
    return h->data + h->size;
}

void lct_html_append(struct lct_html *h, const char *data, size_t size)
{
    char *to = size > 0 ? reserve(h, size) : NULL;

    if (!to)
        return;
    memcpy(to, data, size);
    h->size += size;
}

void lct_html_raw(struct lct_html *h, const char *markup)
{
    lct_html_append(h, markup, strlen(markup));
}

void lct_html_format(struct lct_html *h, const char *format, ...)
{
    va_list args;
    size_t size;
    char *to;

    va_start(args, format);
    size = (size_t)vsnprintf(NULL, 0, format, args);
    va_end(args);
    to = reserve(h, size + 1);
    if (!to)
        return;
    va_start(args, format);
    vsnprintf(to, size + 1, format, args);
    va_end(args);
    h->size += size;
}

static const char *entity(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

/* Bytes of the UTF-8 character at p; 0 if it is not allowed in a page. */
static size_t character_bytes(const char *p)
{
    const char *end = p;
    int32_t c = lct_utf8_next(&end);

    if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0))
        return 0;
    return (size_t)(end - p);
}

void lct_html_text(struct lct_html *h, const char *text)
{
    if (!text)
        return;
    while (*text) {
        const char *known = entity(*text);
        size_t n = character_bytes(text);
        if (known)
            lct_html_raw(h, known);
        else if (n == 0)
            lct_html_raw(h, "\xef\xbf\xbd");
        else
            lct_html_append(h, text, n);
        text += n > 0 ? n : 1;
    }
}

/* Write the value of a conversion, given without its '%'; return the rest of
   the format. */
static const char *put_value(struct lct_html *h, const char *conversion,
                             va_list *values)
{
    const size_t modifiers = strspn(conversion, "lz");
    char text[24];

    if (*conversion == 's') {
        lct_html_text(h, va_arg(*values, const char *));
        return conversion + 1;
    }
    if (modifiers == 0)
        snprintf(text, sizeof text, "%d", va_arg(*values, int));
    else if (*conversion == 'z')
        snprintf(text, sizeof text, "%zu", va_arg(*values, size_t));
    else if (modifiers == 1)
        snprintf(text, sizeof text, "%ld", va_arg(*values, long));
    else
        snprintf(text, sizeof text, "%lld", va_arg(*values, long long));
    lct_html_raw(h, text);
    return conversion + modifiers + 1;
}

void lct_html_print(struct lct_html *h, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    while (*format) {
        const size_t plain = strcspn(format, "%");

        lct_html_append(h, format, plain);
        format += plain;
        if (*format)
            format = put_value(h, format + 1, &values);
    }
    va_end(values);
}

void lct_html_label(struct lct_html *h, const char *en, const char *zh)
{
    lct_html_raw(h, " aria-label=\"");
    lct_html_text(h, en);
    if (zh) {
        lct_html_raw(h, "\" data-zh=\"");
        lct_html_text(h, zh);
    }
    lct_html_raw(h, "\"");
}

void lct_html_base64(struct lct_html *h, const void *data, size_t size)
{
    size_t chars = LCT_BASE64_CHARS(size);
    char *to = chars > 0 ? reserve(h, chars) : NULL;

    if (!to)
        return;
    lct_base64(to, data, size);
    h->size += chars;
}

void lct_html_csv_text(struct lct_html *h, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        lct_html_raw(h, text);
        return;
    }
    lct_html_raw(h, "\"");
    for (; *text; text++) {
        lct_html_append(h, text, 1);
        if (*text == '"')
            lct_html_raw(h, "\"");
    }
    lct_html_raw(h, "\"");
}

locant_status lct_html_status(const struct lct_html *h)
{
    if (h->failed)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for the page");
    return LOCANT_OK;
}

locant_status lct_html_finish(char **out, size_t *size, struct lct_html *h,
                              locant_status status)
{
    lct_html_append(h, "", 1);
    if (status == LOCANT_OK)
        status = lct_html_status(h);
    if (status != LOCANT_OK) {
        lct_html_free(h);
        return status;
    }
    *out = h->data;
    *size = h->size - 1;
    return LOCANT_OK;
}

void lct_html_free(struct lct_html *h)
{
    locant_release(h->data);
    *h = (struct lct_html){ .taker = h->taker };
}
