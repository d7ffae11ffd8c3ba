/* formula_laws.h - laws of the numbers that a formula reads */
#ifndef LCT_FORMULA_LAWS_H
#define LCT_FORMULA_LAWS_H
#include "formula_graph.h"

/* The value that a formula reads where x is stored, its derivative, and its
 * inverse. */
double lct_formula_laws_value(enum lct_formula_law law, double x);
double lct_formula_laws_slope(enum lct_formula_law law, double x);
double lct_formula_laws_inverse(enum lct_formula_law law, double y);
#endif
