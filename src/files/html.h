/*
 * html.h - a growing buffer of text, for HTML.
 *
 * Text that is not markup of this program goes through lct_html_text().  The
 * functions that write return no status: without memory they set 'failed', drop
 * all later text, and lct_html_status() fails.
 */
#ifndef LCT_HTML_H
#define LCT_HTML_H
#include "../core/error.h"
#include <stdbool.h>

struct lct_html {
    char *data;
    size_t size, capacity;
    bool failed;
    bool tokens; /* lengths count tokens of a vocabulary, not bytes */
    const struct lct_taker *taker; /* see report/page.h; or NULL */
    struct lct_html *figures;      /* see report/page_script.h; or NULL */
};

/* Markup, written unchanged. */
void lct_html_append(struct lct_html *h, const char *markup, size_t size);
void lct_html_raw(struct lct_html *h, const char *markup);
/* Markup as by printf().  Write reals with decimal.h, since a locale changes
   the decimal point of %g. */
void lct_html_format(struct lct_html *h, const char *format, ...)
    LOCANT_PRINTF(2, 3);
/* A field of CSV, quoted where RFC 4180 requires it. */
void lct_html_csv_text(struct lct_html *h, const char *text);

/*
 * Text, escaped for content and for quoted attributes.  Control characters and
 * bytes that are not UTF-8 become U+FFFD; NULL is nothing.
 */
void lct_html_text(struct lct_html *h, const char *text);

/*
 * Markup with values: %s is text, escaped as by lct_html_text(); %d, %ld, %lld
 * and %zu are integers.  There are no widths and no other conversions.
 */
void lct_html_print(struct lct_html *h, const char *format, ...)
    LOCANT_PRINTF(2, 3);

/* The attributes aria-label="en" and, unless zh is NULL, data-zh="zh", which
   the page's script shows in Chinese. */
void lct_html_label(struct lct_html *h, const char *en, const char *zh);

/* Bytes in base64, as in a data: URL. */
void lct_html_base64(struct lct_html *h, const void *data, size_t size);

/* NOMEM if any write failed. */
locant_status lct_html_status(const struct lct_html *h);
/* Hand over the text, in zero-terminated memory of locant_alloc(); if 'status'
   is an error or a write failed, free the text and return the error. */
locant_status lct_html_finish(char **out, size_t *size, struct lct_html *h,
                              locant_status status);
void lct_html_free(struct lct_html *h);
#endif
