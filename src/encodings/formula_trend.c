/*
 * formula_trend.c - does a formula fall with distance, whatever its parameters?
 *
 * Each node has an interval of values and says in which directions it may move
 * as the distance grows.  What the rules do not know may move in both.
 */
#include "formula_trend.h"
#include <math.h>

enum { RISES = 1, FALLS = 2, BOTH = 3 }; /* may rise, may fall; 0: constant */

struct trend {
    double low, high;
    int moves;
};

static const struct trend anything = { -INFINITY, INFINITY, BOTH };

static int flip(int moves)
{
    return (moves & RISES ? FALLS : 0) | (moves & FALLS ? RISES : 0);
}

/* How a moves once it is multiplied by a number of x's sign. */
static int times(int moves, struct trend x)
{
    return moves == 0    ? 0
           : x.low >= 0  ? moves
           : x.high <= 0 ? flip(moves)
                         : BOTH;
}

/* A product of ends; infinity times 0 is 0, as the end is not reached. */
static double end_of(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static struct trend product(struct trend a, struct trend b)
{
    double x = end_of(a.low, b.low), y = end_of(a.low, b.high);
    double z = end_of(a.high, b.low), w = end_of(a.high, b.high);

    return (struct trend){ fmin(fmin(x, y), fmin(z, w)),
                           fmax(fmax(x, y), fmax(z, w)),
                           times(a.moves, b) | times(b.moves, a) };
}

static struct trend negative(struct trend a)
{
    return (struct trend){ -a.high, -a.low, flip(a.moves) };
}

static struct trend reciprocal(struct trend a)
{
    if (a.low > 0 || a.high < 0)
        return (struct trend){ 1 / a.high, 1 / a.low, flip(a.moves) };
    return (struct trend){ -INFINITY, INFINITY, a.moves != 0 ? BOTH : 0 };
}

static struct trend sum(struct trend a, struct trend b)
{
    return (struct trend){ a.low + b.low, a.high + b.high, a.moves | b.moves };
}

static struct trend magnitude(struct trend a)
{
    if (a.low >= 0)
        return a;
    if (a.high <= 0)
        return negative(a);
    return (struct trend){ 0, fmax(-a.low, a.high), a.moves != 0 ? BOTH : 0 };
}

/* A function that never falls, with these values at the ends. */
static struct trend rising(struct trend a, double low, double high)
{
    return (struct trend){ low, high, a.moves };
}

static struct trend power(struct trend a, struct trend b)
{
    struct trend out = { -INFINITY, INFINITY, a.moves | b.moves ? BOTH : 0 };

    if (a.low < 0)
        return out;
    out.low = 0;
    if (b.moves == 0)
        out.moves = times(a.moves, b);
    else if (a.moves == 0 && a.low >= 1)
        out.moves = b.moves;
    else if (a.moves == 0 && a.high <= 1)
        out.moves = flip(b.moves);
    return out;
}

/* if(t, x, y): while t only becomes false, the value passes from x to y. */
static struct trend choice(struct trend t, struct trend x, struct trend y)
{
    struct trend out = { fmin(x.low, y.low), fmax(x.high, y.high),
                         x.moves | y.moves };

    if ((t.moves & FALLS) && !(x.low >= y.high))
        out.moves |= x.high <= y.low ? RISES : BOTH;
    else if (t.moves & FALLS)
        out.moves |= FALLS;
    if ((t.moves & RISES) && !(y.low >= x.high))
        out.moves |= y.high <= x.low ? FALLS : BOTH;
    else if (t.moves & RISES)
        out.moves |= RISES;
    return out;
}

/* A function that never falls, from the value at the ends of where it is
 * defined, which is from 'from' on. */
static struct trend from_on(struct trend a, double from, double first,
                            double (*f)(double))
{
    return rising(a, a.low > from ? f(a.low) : first,
                  a.high > from ? f(a.high) : INFINITY);
}

static struct trend bounded(enum lct_formula_op op, struct trend a)
{
    switch (op) {
    case LCT_FORMULA_SIGN:
    case LCT_FORMULA_TANH: return rising(a, -1, 1);
    case LCT_FORMULA_STEP:
    case LCT_FORMULA_SIGMOID: return rising(a, 0, 1);
    case LCT_FORMULA_SOFTPLUS: return rising(a, 0, INFINITY);
    case LCT_FORMULA_LOGSIGMOID: return rising(a, -INFINITY, 0);
    default: /* SIN, COS */
        return (struct trend){ -1, 1, a.moves != 0 ? BOTH : 0 };
    }
}

static struct trend unary(enum lct_formula_op op, struct trend a)
{
    switch (op) {
    case LCT_FORMULA_NEG: return negative(a);
    case LCT_FORMULA_ABS: return magnitude(a);
    case LCT_FORMULA_EXP: return rising(a, exp(a.low), exp(a.high));
    case LCT_FORMULA_EXPM1: return rising(a, expm1(a.low), expm1(a.high));
    case LCT_FORMULA_FLOOR: return rising(a, floor(a.low), floor(a.high));
    case LCT_FORMULA_RELU: return rising(a, fmax(a.low, 0), fmax(a.high, 0));
    case LCT_FORMULA_LOG: return from_on(a, 0, -INFINITY, log);
    case LCT_FORMULA_LOG1P: return from_on(a, -1, -INFINITY, log1p);
    case LCT_FORMULA_SQRT: return from_on(a, 0, 0, sqrt);
    default: return bounded(op, a);
    }
}

/* Of a comparison: 1 while it holds. */
static struct trend comparison(enum lct_formula_op op, struct trend a,
                               struct trend b)
{
    int moves = a.moves | flip(b.moves); /* of a - b */

    if (op == LCT_FORMULA_EQ)
        moves = moves != 0 ? BOTH : 0;
    else if (op == LCT_FORMULA_LT || op == LCT_FORMULA_LE)
        moves = flip(moves);
    return (struct trend){ 0, 1, moves };
}

static struct trend binary(enum lct_formula_op op, struct trend a,
                           struct trend b)
{
    switch (op) {
    case LCT_FORMULA_ADD: return sum(a, b);
    case LCT_FORMULA_SUB: return sum(a, negative(b));
    case LCT_FORMULA_MUL: return product(a, b);
    case LCT_FORMULA_DIV: return product(a, reciprocal(b));
    case LCT_FORMULA_POW: return power(a, b);
    case LCT_FORMULA_MIN:
        return (struct trend){ fmin(a.low, b.low), fmin(a.high, b.high),
                               a.moves | b.moves };
    case LCT_FORMULA_MAX:
        return (struct trend){ fmax(a.low, b.low), fmax(a.high, b.high),
                               a.moves | b.moves };
    default: return comparison(op, a, b);
    }
}

/* The bounds of a parameter; project() keeps it there. */
static struct trend of_name(const struct lct_formula_name *n)
{
    double low = n->min;

    if (n->param < 0)
        return (struct trend){ n->a, n->a, 0 };
    if (n->law != LCT_LAW_RAW)
        low = fmax(low, 0);
    return (struct trend){ low, n->max, 0 };
}

static struct trend leaf(const struct lct_formula *f,
                         const struct lct_formula_node *x)
{
    switch (x->op) {
    case LCT_FORMULA_NUMBER: return (struct trend){ x->number, x->number, 0 };
    case LCT_FORMULA_PI: return (struct trend){ 3, 4, 0 };
    case LCT_FORMULA_E: return (struct trend){ 2, 3, 0 };
    case LCT_FORMULA_INF: return (struct trend){ INFINITY, INFINITY, 0 };
    case LCT_FORMULA_H: return (struct trend){ 0, INFINITY, 0 };
    case LCT_FORMULA_HEADS:
    case LCT_FORMULA_T0: return (struct trend){ 1, INFINITY, 0 };
    case LCT_FORMULA_D:
    case LCT_FORMULA_N: return (struct trend){ 0, INFINITY, RISES };
    case LCT_FORMULA_SCALAR: return of_name(&f->name[x->name]);
    default: return anything;
    }
}

static struct trend trend_of(const struct lct_formula *f,
                             const struct lct_formula_node *x,
                             const struct trend *known)
{
    const struct trend *a = &known[x->arg[0]];
    struct trend out;

    switch (lct_formula_graph_arguments(x->op)) {
    case 0: return leaf(f, x);
    case 1:
        if (x->op == LCT_FORMULA_PICK || x->op == LCT_FORMULA_LERP) {
            out = of_name(&f->name[x->name]);
            out.moves = a->moves != 0 ? BOTH : 0;
            return out;
        }
        return unary(x->op, *a);
    case 2: return binary(x->op, *a, known[x->arg[1]]);
    default: break;
    }
    if (x->op == LCT_FORMULA_IF)
        return choice(*a, known[x->arg[1]], known[x->arg[2]]);
    out = binary(LCT_FORMULA_MAX, *a, known[x->arg[1]]); /* CLAMP */
    return binary(LCT_FORMULA_MIN, out, known[x->arg[2]]);
}

bool lct_formula_trend_falls(const struct lct_formula *f)
{
    struct trend known[LCT_FORMULA_NODES];

    if (f->root[LCT_FORMULA_BIAS] < 0)
        return true;
    for (int i = 0; i <= f->root[LCT_FORMULA_BIAS]; i++) {
        known[i] = trend_of(f, &f->node[i], known);
        if (isnan(known[i].low) || isnan(known[i].high)) {
            known[i].low = -INFINITY;
            known[i].high = INFINITY;
        }
    }
    return !(known[f->root[LCT_FORMULA_BIAS]].moves & RISES);
}
