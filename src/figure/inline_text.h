/* inline_text.h - texts of figures in a page, cut to the room that they have */
#ifndef LCT_INLINE_TEXT_H
#define LCT_INLINE_TEXT_H
#include "../files/html.h"
#include "figure.h"

/* The width that 'text' will take, an estimate, at most style->max_width. */
double lct_inline_text_width(const char *text, const struct lct_text *style);

/* Append 'words'.  A text that does not fit ends in an ellipsis, and a tip
   shows the whole. */
void lct_inline_text_put(struct lct_html *h, const char *words,
                         const struct lct_text *style);
#endif
