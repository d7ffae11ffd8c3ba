/* formula_params.h - first values and bounds of a formula's parameters */
#ifndef LCT_FORMULA_PARAMS_H
#define LCT_FORMULA_PARAMS_H
#include "formula_graph.h"

/* The hooks params.fill and params.project of the row. */
bool lct_formula_params_fill(double *out, const locant_encoding *e, int k,
                             const locant_param_info *info, locant_random *r);
double lct_formula_params_project(const locant_encoding *e, int k,
                                  double value);
#endif
