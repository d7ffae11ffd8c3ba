/* inline_text.c - texts of figures in a page, cut to the room that they have */
#include "inline_text.h"
#include "../core/text.h"
#include "../files/utf8.h"
#include <math.h>
#include <string.h>

/* Width of a character as a share of the font size.  The reader's sans-serif is
   unknown, so these estimates are rather too wide. */
static double character_width(int32_t c)
{
    if (c >= 0x2e80)
        return 1; /* CJK */
    if (c < 128 && strchr("ijl.,:;'|!()[] ft-", c))
        return 0.38;
    if (c < 128 && strchr("mwMW%@", c))
        return 0.95;
    if (c >= 'A' && c <= 'Z')
        return 0.7;
    return 0.62;
}

static int32_t next_character(const char **text)
{
    int32_t c = lct_utf8_next(text);

    return c < 0 ? 0xfffd : c;
}

double lct_inline_text_width(const char *text, const struct lct_text *style)
{
    double width = 0;

    while (*text)
        width += character_width(next_character(&text)) * style->size;
    width *= style->bold ? 1.1 : 1;
    return style->max_width > 0 ? fmin(width, style->max_width) : width;
}

/* How many bytes of 'text' fit before an ellipsis; all if it needs none. */
static size_t fitting(const char *text, const struct lct_text *style)
{
    const struct lct_text any = { .size = style->size, .bold = style->bold };
    const char *at = text;
    double width = style->size, most = style->max_width;
    size_t fits = 0;

    if (most <= 0 || lct_inline_text_width(text, &any) <= most)
        return strlen(text);
    while (*at) {
        width += character_width(next_character(&at)) * style->size *
                 (style->bold ? 1.1 : 1);
        if (width > most)
            break;
        fits = (size_t)(at - text);
    }
    return fits;
}

void lct_inline_text_put(struct lct_html *h, const char *words,
                         const struct lct_text *style)
{
    size_t n = fitting(words, style);
    char *part;

    if (n == strlen(words)) {
        lct_html_text(h, words);
        return;
    }
    lct_html_print(h, "<title>%s</title>", words);
    part = lct_copy_text(words, n);
    h->failed |= part == NULL;
    if (part)
        lct_html_text(h, part);
    locant_release(part);
    lct_html_raw(h, "\xe2\x80\xa6");
}
