/* cell.h - cells of tables that have more than one number */
#ifndef LCT_CELL_H
#define LCT_CELL_H
#include "../files/html.h"
#include "../measure/claims.h"
#include "../measure/gates.h"
#include "../measure/numbers.h"

/*
 * A cell with own.mean, and below it the interval whose.low, whose.high; where
 * they are two, whose.mean stands before the interval.  'sign': differences.
 */
void lct_cell_interval(struct lct_html *h, const struct lct_results *r,
                       bool sign, const char *own, const char *whose);

/* "0.500 +- 0.013" in an element that is open: the half width of an interval
   where there is one. */
void lct_cell_half(struct lct_html *h, const struct lct_results *r, bool sign,
                   const char *mean, const char *half);

/* "0.513 [0.450, 0.576]" or "51 % [45, 58]": path.name, path.low, path.high;
   and in an element that is open. */
void lct_cell_share(struct lct_html *h, const struct lct_results *r,
                    bool per_cent, const char *path, const char *name);
void lct_cell_share_text(struct lct_html *h, const struct lct_results *r,
                         bool per_cent, const char *path, const char *name);
#endif
