/* formula_params.c - first values and bounds of a formula's parameters */
#include "formula_params.h"
#include "formula_laws.h"
#include <math.h>

/* The declaration of parameter k; a linear map has two. */
static const struct lct_formula_name *name_of(const locant_encoding *e, int k)
{
    const struct lct_formula *f = e->state;
    int i = 0;

    while (f->name[i].param < 0 || k < f->name[i].param ||
           k > f->name[i].param + f->name[i].linear)
        i++;
    return &f->name[i];
}

/* Bounds are of the value that the formula reads. */
double lct_formula_params_project(const locant_encoding *e, int k, double value)
{
    const struct lct_formula_name *n = name_of(e, k);
    double x = lct_formula_laws_value(n->law, value);

    if (n->linear)
        return value;
    if (x > n->max)
        return lct_formula_laws_inverse(n->law, n->max);
    if (!(x >= n->min)) /* NaN becomes the least allowed value */
        return isfinite(n->min) && (n->law == LCT_LAW_RAW || n->min > 0)
                   ? lct_formula_laws_inverse(n->law, n->min)
                   : value;
    return value;
}

/* ALiBi's slopes, arXiv:2108.12409v2, section 3, and the authors' code for
 * numbers of heads that are no powers of two. */
static double slope_of(int64_t head, int64_t heads)
{
    int64_t power = 1;

    while (power <= heads / 2)
        power *= 2;
    if (head < power)
        return exp2(-8 * (double)(head + 1) / (double)power);
    return exp2(-4 * (double)(2 * (head - power) + 1) / (double)power);
}

static double draw(const struct lct_formula_name *n, int64_t at, int64_t count,
                   locant_random *r)
{
    switch (n->init) {
    case LCT_START_SLOPES: return slope_of(at, count);
    case LCT_START_UNIFORM:
        return n->a + (n->b - n->a) * locant_random_uniform(r);
    case LCT_START_NORMAL: return n->a * locant_random_normal(r);
    default: return n->a;
    }
}

bool lct_formula_params_fill(double *out, const locant_encoding *e, int k,
                             const locant_param_info *info, locant_random *r)
{
    const struct lct_formula_name *n = name_of(e, k);
    int64_t count = 1;

    if (n->linear && k == n->param)
        return false; /* as its 'init' says */
    for (int i = 0; i < info->rank; i++)
        count *= info->shape[i];
    if (n->linear) {
        for (int64_t at = 0; at < count; at++)
            out[at] = n->a;
        return true;
    }
    for (int64_t at = 0; at < count; at++) {
        double x = fmax(n->min, fmin(draw(n, at, count, r), n->max));

        out[at] = lct_formula_laws_inverse(n->law, x);
    }
    return true;
}
