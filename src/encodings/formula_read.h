/* formula_read.h - what stands between the parentheses of formula(..) */
#ifndef LCT_FORMULA_READ_H
#define LCT_FORMULA_READ_H
#include "formula_graph.h"
#include "spec_read.h"

/* The hook 'read' of the row: sets e->state to a struct lct_formula. */
locant_status lct_formula_read(locant_encoding *e, struct lct_reader *r);
#endif
