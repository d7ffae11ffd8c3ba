/*
 * formula_operations.c - the operations of a formula, and their derivatives.
 *
 * Where a function has a kink or a pole, the derivative is a choice: abs and
 * relu have 0 at 0, of min and max the first of equal arguments counts, sqrt
 * has 0 at 0, and so has a power.
 */
#include "formula_operations.h"
#include <math.h>

static double sigmoid(double x)
{
    double e = exp(-fabs(x));

    return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Is node 'at' a literal whole number, perhaps with a minus? */
static bool is_whole(double *out, const struct lct_formula *f, int at)
{
    const struct lct_formula_node *x = &f->node[at];
    bool negative = x->op == LCT_FORMULA_NEG;

    if (negative)
        x = &f->node[x->arg[0]];
    *out = negative ? -x->number : x->number;
    return x->op == LCT_FORMULA_NUMBER && x->number == floor(x->number);
}

enum { PRODUCTS = 8 }; /* larger whole powers are left to pow() */

static double power(double a, double b, bool whole)
{
    double product = a;

    if (b == 0)
        return 1;
    if (!whole)
        return a < 0 ? NAN : pow(a, b);
    if (fabs(b) > PRODUCTS)
        return pow(a, b);
    for (int i = 1; i < (int)fabs(b); i++)
        product *= a;
    return b < 0 ? 1 / product : product;
}

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

static double step(double x)
{
    return x > 0;
}

static double relu(double x)
{
    return x > 0 ? x : 0;
}

static double logsigmoid(double x)
{
    return 0 - softplus(-x);
}

/* Operations of one argument. */
static double (*const functions[])(double) = {
    [LCT_FORMULA_EXP] = exp,           [LCT_FORMULA_LOG] = log,
    [LCT_FORMULA_LOG1P] = log1p,       [LCT_FORMULA_EXPM1] = expm1,
    [LCT_FORMULA_SQRT] = sqrt,         [LCT_FORMULA_FLOOR] = floor,
    [LCT_FORMULA_SIN] = sin,           [LCT_FORMULA_COS] = cos,
    [LCT_FORMULA_TANH] = tanh,         [LCT_FORMULA_SIGMOID] = sigmoid,
    [LCT_FORMULA_SOFTPLUS] = softplus, [LCT_FORMULA_LOGSIGMOID] = logsigmoid,
};

#define A in[0][j]
#define B in[1][j]
#define C in[2][j]

#define EACH(value)                                                            \
    for (size_t j = 0; j < n; j++)                                             \
        out[j] = (value);                                                      \
    break

static void row_of_one(double *out, enum lct_formula_op op,
                       const double *const in[3], size_t n)
{
    switch (op) {
    case LCT_FORMULA_NEG: EACH(0 - A); /* never -0 */
    case LCT_FORMULA_ABS: EACH(fabs(A));
    case LCT_FORMULA_SIGN: EACH(sign(A));
    case LCT_FORMULA_RELU: EACH(relu(A));
    case LCT_FORMULA_STEP: EACH(step(A));
    default: EACH(functions[op](A));
    }
}

static void row_of_two(double *out, enum lct_formula_op op,
                       const double *const in[3], size_t n)
{
    switch (op) {
    case LCT_FORMULA_ADD: EACH(A + B);
    case LCT_FORMULA_SUB: EACH(A - B);
    case LCT_FORMULA_MUL: EACH(A * B);
    case LCT_FORMULA_DIV: EACH(A / B);
    case LCT_FORMULA_LT: EACH(A < B);
    case LCT_FORMULA_LE: EACH(A <= B);
    case LCT_FORMULA_GT: EACH(A > B);
    case LCT_FORMULA_GE: EACH(A >= B);
    case LCT_FORMULA_EQ: EACH(A == B);
    case LCT_FORMULA_MIN: EACH(B < A ? B : A);
    default: EACH(B > A ? B : A); /* MAX */
    }
}

void lct_formula_operations_row(double *out, const struct lct_formula *f,
                                const struct lct_formula_node *x,
                                const double *const in[3], size_t n)
{
    double literal;
    bool whole;

    switch (x->op) {
    case LCT_FORMULA_POW:
        whole = is_whole(&literal, f, x->arg[1]);
        EACH(power(A, B, whole));
    case LCT_FORMULA_CLAMP: EACH(clamp(A, B, C));
    case LCT_FORMULA_IF: EACH(A != 0 ? B : C);
    default:
        if (in[1] == NULL)
            row_of_one(out, x->op, in, n);
        else
            row_of_two(out, x->op, in, n);
    }
}

#undef EACH

/* -------------------------------------------------------------- derivatives */

/* Derivatives of those that are not 0 everywhere, of x with the value y. */
static double slope_neg(double x, double y)
{
    (void)x;
    (void)y;
    return -1;
}

static double slope_exp(double x, double y)
{
    (void)x;
    return y;
}

static double slope_expm1(double x, double y)
{
    (void)y;
    return exp(x);
}

static double slope_log(double x, double y)
{
    (void)y;
    return 1 / x;
}

static double slope_log1p(double x, double y)
{
    (void)y;
    return 1 / (1 + x);
}

static double slope_sqrt(double x, double y)
{
    return x > 0 ? 1 / (2 * y) : 0;
}

static double slope_abs(double x, double y)
{
    (void)y;
    return sign(x);
}

static double slope_sin(double x, double y)
{
    (void)y;
    return cos(x);
}

static double slope_cos(double x, double y)
{
    (void)y;
    return -sin(x);
}

static double slope_tanh(double x, double y)
{
    (void)x;
    return 1 - y * y;
}

static double slope_sigmoid(double x, double y)
{
    (void)x;
    return y * (1 - y);
}

static double slope_softplus(double x, double y)
{
    (void)y;
    return sigmoid(x);
}

static double slope_logsigmoid(double x, double y)
{
    (void)y;
    return sigmoid(-x);
}

static double slope_relu(double x, double y)
{
    (void)y;
    return step(x);
}

static double (*const slopes[LCT_FORMULA_OPS])(double x, double y) = {
    [LCT_FORMULA_NEG] = slope_neg,
    [LCT_FORMULA_EXP] = slope_exp,
    [LCT_FORMULA_EXPM1] = slope_expm1,
    [LCT_FORMULA_LOG] = slope_log,
    [LCT_FORMULA_LOG1P] = slope_log1p,
    [LCT_FORMULA_SQRT] = slope_sqrt,
    [LCT_FORMULA_ABS] = slope_abs,
    [LCT_FORMULA_SIN] = slope_sin,
    [LCT_FORMULA_COS] = slope_cos,
    [LCT_FORMULA_TANH] = slope_tanh,
    [LCT_FORMULA_SIGMOID] = slope_sigmoid,
    [LCT_FORMULA_SOFTPLUS] = slope_softplus,
    [LCT_FORMULA_LOGSIGMOID] = slope_logsigmoid,
    [LCT_FORMULA_RELU] = slope_relu,
};

/* b a^(b-1), and a^b ln a, each 0 where it would not be finite by a or b = 0 */
static void power_slope(double slope[3], const struct lct_formula *f,
                        const struct lct_formula_node *x, double a, double b,
                        double y)
{
    double literal;

    if (b != 0 && (a != 0 || b >= 1))
        slope[0] = b * power(a, b - 1, is_whole(&literal, f, x->arg[1]));
    if (a != 0 && f->node[x->arg[1]].reads != 0)
        slope[1] = y * log(a);
}

static void clamp_slope(double slope[3], const double in[3])
{
    slope[0] = in[0] >= in[1] && in[0] <= in[2];
    slope[1] = in[0] < in[1];
    slope[2] = !(in[0] < in[1]) && in[0] > in[2];
}

void lct_formula_operations_slope(double slope[3], const struct lct_formula *f,
                                  const struct lct_formula_node *x,
                                  const double in[3], double y)
{
    switch (x->op) {
    case LCT_FORMULA_ADD: slope[0] = slope[1] = 1; break;
    case LCT_FORMULA_SUB:
        slope[0] = 1;
        slope[1] = -1;
        break;
    case LCT_FORMULA_MUL:
        slope[0] = in[1];
        slope[1] = in[0];
        break;
    case LCT_FORMULA_DIV:
        slope[0] = 1 / in[1];
        slope[1] = -y / in[1];
        break;
    case LCT_FORMULA_POW: power_slope(slope, f, x, in[0], in[1], y); break;
    case LCT_FORMULA_MIN: slope[in[1] < in[0]] = 1; break;
    case LCT_FORMULA_MAX: slope[in[1] > in[0]] = 1; break;
    case LCT_FORMULA_CLAMP: clamp_slope(slope, in); break;
    case LCT_FORMULA_IF: slope[in[0] != 0 ? 1 : 2] = 1; break;
    default:
        if (slopes[x->op] != NULL)
            slope[0] = slopes[x->op](in[0], y);
    }
}
