/*
 * page_extension.h - shared by the files of the section about reading beyond
 * the trained length.  They use only the numbers that the store keeps.
 */
#ifndef LCT_PAGE_EXTENSION_H
#define LCT_PAGE_EXTENSION_H
#include "../measure/extension.h"
#include "page.h"

/* Length in bytes, at index f of extension.lengths. */
int64_t lct_page_extension_length(int f);

locant_status lct_page_extension_figures(struct lct_html *h,
                                         const struct lct_results *r);
#endif
