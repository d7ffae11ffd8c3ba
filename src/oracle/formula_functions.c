/* formula_functions.c - functions of one number in formula(..), by name */
#include "formula.h"
#include <math.h>
#include <string.h>

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double soft(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* A function of a real number, and its derivative. */
struct analytic {
    const char *name;
    double (*value)(double x);
    double (*derivative)(double x);
};

static double inverse(double x)
{
    return 1 / x;
}

static double inverse1p(double x)
{
    return 1 / (1 + x);
}

static double half_inverse_root(double x)
{
    return x > 0 ? 0.5 / sqrt(x) : 0;
}

static double minus_sin(double x)
{
    return -sin(x);
}

static double sech2(double x)
{
    return 1 / (cosh(x) * cosh(x));
}

static double logistic_slope(double x)
{
    return logistic(x) * logistic(-x);
}

static double minus_soft(double x)
{
    return -soft(-x);
}

static double logistic_of_minus(double x)
{
    return logistic(-x);
}

static double positive(double x)
{
    return x > 0;
}

static double ramp(double x)
{
    return fmax(x, 0);
}

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

static double zero(double x)
{
    return 0 * x;
}

static const struct analytic functions[] = {
    { "exp", exp, exp },
    { "expm1", expm1, exp },
    { "log", log, inverse },
    { "log1p", log1p, inverse1p },
    { "sqrt", sqrt, half_inverse_root },
    { "sin", sin, cos },
    { "cos", cos, minus_sin },
    { "tanh", tanh, sech2 },
    { "sigmoid", logistic, logistic_slope },
    { "softplus", soft, logistic },
    { "logsigmoid", minus_soft, logistic_of_minus },
    { "relu", ramp, positive },
    { "abs", fabs, sign },
    { "floor", floor, zero },
    { "step", positive, zero },
    { "sign", sign, zero },
};

cx formula_function(const char *f, cx z)
{
    const struct analytic *a = functions;

    while (strcmp(a->name, f) != 0)
        a++;
    return a->value(creal(z)) +
           (cimag(z) != 0 ? I * (a->derivative(creal(z)) * cimag(z)) : 0);
}
