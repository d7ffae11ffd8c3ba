/*
 * html.h - a growing buffer of text, for HTML: every string that is not ours
 * goes through lct_html_text().
 *
 * Writing cannot fail on its own: 'failed' is set when memory ran short, what
 * comes after is dropped, and lct_html_status() says so at the end.
 */
#ifndef LCT_HTML_H
#define LCT_HTML_H
#include "../core/error.h"
#include <stdbool.h>

struct lct_html {
    char *data;
    size_t size, capacity;
    bool failed;
    const struct lct_taker *taker; /* see report/page.h; or NULL */
    struct lct_html *figures;      /* see report/page_script.h; or NULL */
};

/* Markup of our own. */
void lct_html_append(struct lct_html *h, const char *markup, size_t size);
void lct_html_raw(struct lct_html *h, const char *markup);
/* As printf(); numbers with a decimal point come from decimal.h. */
void lct_html_format(struct lct_html *h, const char *format, ...)
    LOCANT_PRINTF(2, 3);

/*
 * Text, escaped for content and for quoted attributes.  Control characters and
 * bytes that are not UTF-8 become U+FFFD; NULL is nothing.
 */
void lct_html_text(struct lct_html *h, const char *text);

/*
 * Markup with values, as printf(): %s is text, escaped as by lct_html_text();
 * %d, %lld, %zu and the like are numbers.  It has no widths.
 */
void lct_html_print(struct lct_html *h, const char *format, ...)
    LOCANT_PRINTF(2, 3);

/* ' aria-label="en"', with the other language in data-zh for a script; 'zh' may
   be NULL. */
void lct_html_label(struct lct_html *h, const char *en, const char *zh);

/* base64, as in a data: URL. */
void lct_html_base64(struct lct_html *h, const void *data, size_t size);

locant_status lct_html_status(const struct lct_html *h);
/* Hand over the text, in zero-terminated memory of locant_alloc(); if 'status'
   or the writing failed, free it and return that error. */
locant_status lct_html_give(char **out, size_t *size, struct lct_html *h,
                            locant_status status);
void lct_html_free(struct lct_html *h);
#endif
