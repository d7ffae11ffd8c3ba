/*
 * inline.h - figures as part of a page: <svg> with <text>, coloured by classes.
 *
 * No element has an id, a style, a script or an address, so several figures fit
 * in one page under the strictest policy.  lct_figure_style() defines these
 * classes for light pages, dark pages and paper:
 *
 *   fig            the <svg>; data-kind, data-box "x y width height" of the
 *                  plot, data-x and data-y "low high" of its axes, data-log
 *   data-s         number of the series that an element belongs to
 *   l, f           drawn as a line, filled
 *   ci ct cr cg    ink, faint, rule, ground      c0 .. c9  colours of series
 *   q0 .. d0 ..    shades of magnitudes and of signed values; qn: missing
 *   m e b          text: anchored in the middle, at the end; bold
 *   en zh          text of one language; the page shows one of them
 */
#ifndef LCT_INLINE_H
#define LCT_INLINE_H
#include "../files/html.h"
#include "figure.h"

enum { LCT_PAGE_SHADES = 33, LCT_PAGE_CELLS = 128 };

/* Append the figure.  A screen reader reads 'alt', or the title if it is NULL.
   Errors: as locant_figure_write(). */
locant_status lct_figure_inline(struct lct_html *h, const locant_figure *f,
                                const char *alt, const char *alt_zh);

/* Append the style sheet for all figures of a page, once. */
void lct_figure_style(struct lct_html *h);

/* ------------------------------------------------------- parts of a figure */

/* Append a length as "-.5", or as " 12" if a digit stands before. */
void lct_put_tenths(struct lct_html *h, double points);

/* Append the cells of a heat map, [rows, cols].  Errors: NOMEM. */
locant_status lct_inline_cells(struct lct_html *h, const struct lct_box *box,
                               const struct lct_scale *map,
                               const double *values, int64_t rows,
                               int64_t cols);
/* Whether a map is smooth enough to be drawn without pooling. */
bool lct_inline_fits(const struct lct_scale *map, const double *values,
                     int64_t rows, int64_t cols);
#endif
