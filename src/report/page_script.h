/*
 * page_script.h - what a page carries for browsers that run scripts: one
 * <script>, known to the policy by its SHA-256, and the numbers of the figures.
 */
#ifndef LCT_PAGE_SCRIPT_H
#define LCT_PAGE_SCRIPT_H
#include "../measure/claims.h"
#include "../measure/gates.h"
#include "../measure/numbers.h"
#include "../files/html.h"
#include "locant/figure.h"

/* D3 and src/page, made by cmake/page.cmake; no bytes where D3 was not found,
   and then nothing here writes anything. */
extern const unsigned char lct_page_bundle[];
extern const size_t lct_page_bundle_size;

/* "script-src 'sha256-...'; " */
void lct_page_policy(struct lct_html *h);

/*
 * The figures kept, in order, as JSON that nothing executes, and the script.
 *
 *     {"trained": 128, "width": 64, "heads": 4, "figures": [..], "text": "..",
 *      "maps": [..]}
 *
 * with each figure as lct_figure_data() packs it, and the rest as of
 * lct_page_maps_data().
 */
void lct_page_script(struct lct_html *h, const struct lct_results *r);
#endif
