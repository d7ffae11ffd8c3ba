/*
 * page_script.h - what a page holds for browsers that run scripts: the numbers
 * of its figures, and one <script>, which the policy admits by its SHA-256.
 */
#ifndef LCT_PAGE_SCRIPT_H
#define LCT_PAGE_SCRIPT_H
#include "../measure/numbers.h"
#include "../files/html.h"
#include "locant/figure.h"

/* D3 and src/page, joined by cmake/page.cmake.  Without D3 it has no bytes, and
   the functions below write nothing. */
extern const unsigned char lct_page_bundle[];
extern const size_t lct_page_bundle_size;

/* "script-src 'sha256-...'; " */
void lct_page_policy(struct lct_html *h);

/*
 * The script, and before it the kept figures as JSON, which is not executed:
 *
 *     {"trained": 128, "width": 64, "heads": 4, "figures": [..], "text": "..",
 *      "maps": [..]}
 *
 * lct_figure_data() packs a figure, lct_page_maps_data() writes the last two.
 */
void lct_page_script(struct lct_html *h, const struct lct_results *r);
#endif
