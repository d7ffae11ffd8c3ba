/* formula_check.h - formulas that are refused though their text is right */
#ifndef LCT_FORMULA_CHECK_H
#define LCT_FORMULA_CHECK_H
#include "formula_graph.h"

/* The hook 'check' of the row. */
locant_status lct_formula_check(const locant_encoding *e);
#endif
