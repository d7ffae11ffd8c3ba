/* formula_print.h - the canonical text of a formula */
#ifndef LCT_FORMULA_PRINT_H
#define LCT_FORMULA_PRINT_H
#include "formula_graph.h"
#include "spec.h"

/* The hook 'print' of the row: writes what stands after the name, expressions
 * with the fewest parentheses, declarations in the order written. */
void lct_formula_print(struct lct_writer *w, const locant_encoding *e);
#endif
