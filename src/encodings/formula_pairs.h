/* formula_pairs.h - formulas that read scores or tokens, in tiles */
#ifndef LCT_FORMULA_PAIRS_H
#define LCT_FORMULA_PAIRS_H
#include "formula_graph.h"

/* The hook content.pairs of the row. */
extern const struct lct_pair_scores lct_formula_pairs_hooks;
#endif
