/*
 * page_extension.h - what the parts of the section of reading beyond the
 * trained length share.  They know its numbers alone, which the store keeps.
 */
#ifndef LCT_PAGE_EXTENSION_H
#define LCT_PAGE_EXTENSION_H
#include "../measure/extension.h"
#include "page.h"
#include <jansson.h>

/* How many there are of extension.<list>; the text of one of them. */
int lct_page_extension_rows(const struct lct_results *r, const char *list);
const char *lct_page_extension_text(const struct lct_results *r,
                                    const char *list, int i, const char *key);
/* Bytes at index f of extension.lengths. */
int64_t lct_page_extension_length(int f);

locant_status lct_page_extension_figures(struct lct_html *h,
                                         const struct lct_results *r);
#endif
