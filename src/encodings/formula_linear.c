/* formula_linear.c - biases that are a slope times a distance */
#include "formula_linear.h"
#include "formula_evaluate.h"
#include <math.h>

/* A bias sign * factor * d, or n in the place of d, or divided by the factor:
 * the node of the factor, -1 for 1. */
struct linear {
    double sign;
    int factor;
    bool divides;
    enum lct_formula_op of;
};

static bool find_linear(struct linear *out, const struct lct_formula *f)
{
    int at = f->root[LCT_FORMULA_BIAS];

    *out = (struct linear){ 1, -1, false, LCT_FORMULA_D };
    while (at >= 0 && f->node[at].op != LCT_FORMULA_D &&
           f->node[at].op != LCT_FORMULA_N) {
        const struct lct_formula_node *x = &f->node[at];
        bool first = x->op == LCT_FORMULA_MUL && f->node[x->arg[0]].slot < 0;

        at = x->arg[first];
        if (x->op == LCT_FORMULA_NEG) {
            out->sign = -out->sign;
            continue;
        }
        if (out->factor >= 0 ||
            (x->op != LCT_FORMULA_MUL && x->op != LCT_FORMULA_DIV))
            return false;
        out->factor = x->arg[!first];
        out->divides = x->op == LCT_FORMULA_DIV;
        if (f->node[out->factor].slot >= 0)
            return false;
    }
    out->of = at >= 0 ? f->node[at].op : LCT_FORMULA_D;
    return at >= 0;
}

/* Multiplying by the inverse of a power of two has the bits of a division. */
bool lct_formula_linear_slope(double *out, const struct lct_call *c,
                              int64_t head)
{
    const struct lct_formula *f = c->e->state;
    struct lct_formula_run run;
    struct linear x;
    int exponent;

    if (!find_linear(&x, f) ||
        c->e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_HIDE)
        return false;
    lct_formula_evaluate_open(&run, f, LCT_FORMULA_BIAS, c, head);
    *out = x.factor >= 0 ? run.number[x.factor] : 1;
    if (!x.divides)
        return true;
    *out = 1 / *out;
    return isfinite(*out) && fabs(frexp(*out, &exponent)) == 0.5;
}

void lct_formula_linear_positions(double *out, const struct lct_call *c,
                                  int64_t q_pos, const int64_t *k_pos, size_t n)
{
    bool zero = c->e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_ZERO;
    struct linear x;

    find_linear(&x, c->e->state);
    for (size_t j = 0; j < n; j++) {
        double d = (double)lct_distance(q_pos, k_pos[j]);

        if (x.of == LCT_FORMULA_N)
            d = zero ? fmax(d, 0) : fabs(d);
        out[j] = 0 + x.sign * d; /* never -0 */
    }
}
