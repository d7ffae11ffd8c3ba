/* formula_trend.h - does a formula fall with distance, whatever its parameters?
 */
#ifndef LCT_FORMULA_TREND_H
#define LCT_FORMULA_TREND_H
#include "formula_graph.h"

/* Is it certain that the bias never grows with the distance to past keys, for
 * all parameters between their bounds?  False if it reads i or j. */
bool lct_formula_trend_falls(const struct lct_formula *f);
#endif
