/* formula_laws.c - laws of the numbers that a formula reads */
#include "formula_laws.h"
#include <math.h>

double lct_formula_laws_value(enum lct_formula_law law, double x)
{
    return law == LCT_LAW_EXP          ? exp(x)
           : law == LCT_LAW_SOFTPLUS   ? fmax(x, 0) + log1p(exp(-fabs(x)))
           : law == LCT_LAW_LOGSIGMOID ? fmin(x, 0) - log1p(exp(-fabs(x)))
                                       : x;
}

double lct_formula_laws_slope(enum lct_formula_law law, double x)
{
    return law == LCT_LAW_EXP          ? exp(x)
           : law == LCT_LAW_SOFTPLUS   ? 1 / (1 + exp(-x))
           : law == LCT_LAW_LOGSIGMOID ? 1 / (1 + exp(x))
                                       : 1;
}

/* ln(e^y - 1) = y + ln(1 - e^-y); parameters have no other laws. */
double lct_formula_laws_inverse(enum lct_formula_law law, double y)
{
    return law == LCT_LAW_EXP        ? log(y)
           : law == LCT_LAW_SOFTPLUS ? y + log(-expm1(-y))
                                     : y;
}
