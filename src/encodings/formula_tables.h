/* formula_tables.h - parameters of a formula: numbers and tables */
#ifndef LCT_FORMULA_TABLES_H
#define LCT_FORMULA_TABLES_H
#include "formula_evaluate.h"

/* The value of a parameter that is one number, and its gradient += d. */
double lct_formula_tables_number(const struct lct_formula_run *run,
                                 const struct lct_formula_name *n);
void lct_formula_tables_add_number(double *const *dparam,
                                   const struct lct_formula_run *run,
                                   const struct lct_formula_name *n, double d);

/* pick or lerp of the node x at 'at', its derivative by 'at', and the gradient
 * of the table += d times the derivatives by its entries. */
double lct_formula_tables_read(const struct lct_formula_run *run,
                               const struct lct_formula_node *x, double at);
double lct_formula_tables_slope(const struct lct_formula_run *run,
                                const struct lct_formula_node *x, double at);
void lct_formula_tables_add(double *const *dparam,
                            const struct lct_formula_run *run,
                            const struct lct_formula_node *x, double at,
                            double d);
#endif
