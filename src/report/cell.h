/* cell.h - table cells that have more than one number */
#ifndef LCT_CELL_H
#define LCT_CELL_H
#include "../files/html.h"
#include "../measure/numbers.h"

/*
 * A cell with own.mean and, below, the interval [whose.low, whose.high].  If
 * the two paths differ, whose.mean stands before the interval.  'sign': the
 * numbers are differences and show their signs.
 */
void lct_cell_interval(struct lct_html *h, const struct lct_results *r,
                       bool sign, const char *own, const char *whose);

/* Appends "0.500 +- 0.013" to an open element; the half width of the interval
   only if there is one. */
void lct_cell_half(struct lct_html *h, const struct lct_results *r, bool sign,
                   const char *mean, const char *half);

/* A <span> "0.513 [0.450, 0.576]" or "51 % [45, 58]" from path.name, path.low
   and path.high.  lct_cell_share_text() writes its text without the <span>. */
void lct_cell_share(struct lct_html *h, const struct lct_results *r,
                    bool per_cent, const char *path, const char *name);
void lct_cell_share_text(struct lct_html *h, const struct lct_results *r,
                         bool per_cent, const char *path, const char *name);
#endif
