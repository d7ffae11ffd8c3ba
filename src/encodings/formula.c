/*
 * formula.c - a score function that is written in the spec.
 *
 *     formula(bias=-m*log1p(a*n),m=param(heads),a=param(heads))
 *
 * A formula of the distance alone is a table, as any relative bias is, so
 * attention reads it at the same speed; one that reads the positions i and j is
 * evaluated pair by pair.  Both in double, rounded once.
 */
#include "formula_evaluate.h"
#include "formula_print.h"
#include "formula_read.h"
#include "formula_trend.h"
#include <inttypes.h>
#include <math.h>

static const char *const futures[] = { "same", "zero", "hide", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "bias", .kind = LCT_EXPRESSION, .def = 0,
      .doc = "added to the scaled score; -inf hides a pair" },
    { .name = "gain", .kind = LCT_EXPRESSION, .def = 1,
      .doc = "multiplied to the score before the bias; not computed yet" },
    { .name = "after", .kind = LCT_EXPRESSION, .def = 1,
      .doc = "multiplied to the weight after softmax; not computed yet" },
    { .name = "length", .kind = LCT_INTEGER, .def = NAN, .min = 1,
      .max = 1LL << 40, .doc = "T0, the length that it was trained on" },
    { .name = "future", .kind = LCT_WORD, .def = LCT_FUTURE_SAME,
      .words = futures,
      .doc = "keys after the query: same: n = |d|; zero: n = 0; hide: not "
             "seen" },
    { 0 }
};
/* clang-format on */

static const struct lct_formula *formula_of(const locant_encoding *e)
{
    return e->state;
}

static unsigned bias_reads(const locant_encoding *e)
{
    const struct lct_formula *f = formula_of(e);

    return f->root[LCT_BIAS] < 0 ? 0 : f->node[f->root[LCT_BIAS]].reads;
}

static unsigned traits(const locant_encoding *e)
{
    const struct lct_formula *f = formula_of(e);
    bool relative = !(bias_reads(e) & (LCT_READS_I | LCT_READS_J));

    return (relative ? LOCANT_TRAIT_RELATIVE : 0) |
           (f->params > 0 ? LOCANT_TRAIT_LEARNED : 0) |
           (relative && lct_formula_trend_falls(f) ? LOCANT_TRAIT_MONOTONE : 0);
}

/* ------------------------------------------------------------------- checks */

/* What formulas may say, but attention does not compute. */
static locant_status check_supported(const locant_encoding *e)
{
    const struct lct_formula *f = formula_of(e);

    for (int k = LCT_GAIN; k <= LCT_AFTER; k++)
        if (f->root[k] >= 0)
            return LCT_REFUSE("formula: %s is not computed yet, expected a "
                              "bias alone",
                              keys[k].name);
    if (bias_reads(e) & (LCT_READS_S | LCT_READS_CNT))
        return LCT_REFUSE("formula: bias reads %s, which is not computed yet, "
                          "expected a function of n, d, i and j",
                          bias_reads(e) & LCT_READS_S ? "s" : "cnt");
    if (f->root[LCT_BIAS] >= 0 &&
        !(bias_reads(e) & (LCT_READS_D | LCT_READS_J)))
        return LCT_REFUSE("formula: bias has no effect: it does not depend on "
                          "the key");
    return LOCANT_OK;
}

/* Where a number starts; random draws are taken at their middle. */
static double start_of(const struct lct_formula_name *n)
{
    double x = n->init == LCT_START_UNIFORM  ? (n->a + n->b) / 2
               : n->init == LCT_START_NUMBER ? n->a
               : n->init == LCT_START_NORMAL ? 0
                                             : 0.5;

    return lct_formula_evaluate_law_inverse(n->law,
                                            fmax(n->min, fmin(x, n->max)));
}

enum { PROBES = 64 }; /* distances 0 .. 31, then powers of 2 */

/* Refuse a bias that is not a number at first, for one head without tables. */
static locant_status check_values(const locant_encoding *e)
{
    const struct lct_formula *f = formula_of(e);
    struct lct_call call = { .e = e, .heads = 1 };
    double start[LCT_FORMULA_NAMES], value[PROBES];
    struct lct_formula_run run;
    int64_t k_pos[PROBES];

    for (int i = 0; i < f->names; i++) {
        if (f->name[i].entries > 0)
            return LOCANT_OK;
        if (f->name[i].param < 0)
            continue;
        start[f->name[i].param] = start_of(&f->name[i]);
        call.param[f->name[i].param] = &start[f->name[i].param];
    }
    if (f->root[LCT_BIAS] < 0 ||
        (bias_reads(e) & LCT_READS_T0 && isnan(e->value[LCT_FORMULA_LENGTH])))
        return LOCANT_OK;
    lct_formula_evaluate_open(&run, f, LCT_BIAS, &call, 0);
    for (int i = 0; i < PROBES; i++)
        k_pos[i] = -(i < 32 ? i : (int64_t)1 << (i - 32));
    lct_formula_evaluate(value, &run, 0, k_pos, PROBES);
    for (int i = 0; i < PROBES; i++)
        if (isnan(value[i]))
            return LCT_REFUSE("formula: bias is NaN at distance %" PRId64,
                              -k_pos[i]);
    return LOCANT_OK;
}

static locant_status check(const locant_encoding *e)
{
    LCT_TRY(check_supported(e));
    return bias_reads(e) & (LCT_READS_I | LCT_READS_J) ? LOCANT_OK
                                                       : check_values(e);
}

/* T0 must be known to compute anything. */
static locant_status check_call(const locant_encoding *e, const char *fn,
                                const int64_t *pos, size_t n,
                                const locant_tensor *params)
{
    (void)pos;
    (void)params;
    if (n == 0 || !(bias_reads(e) & LCT_READS_T0) ||
        !isnan(e->value[LCT_FORMULA_LENGTH]))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: the formula reads T0, expected length=.. in %s", fn,
                       e->spec);
}

/* --------------------------------------------------------------- parameters */

static const struct lct_param *params_of(const locant_encoding *e)
{
    return formula_of(e)->params > 0 ? formula_of(e)->param : NULL;
}

static const struct lct_formula_name *name_of(const locant_encoding *e, int k)
{
    const struct lct_formula *f = formula_of(e);
    int i = 0;

    while (f->name[i].param != k)
        i++;
    return &f->name[i];
}

/* Bounds are of the value that the formula reads. */
static double project(const locant_encoding *e, int k, double value)
{
    const struct lct_formula_name *n = name_of(e, k);
    double x = lct_formula_evaluate_law(n->law, value);

    if (x > n->max)
        return lct_formula_evaluate_law_inverse(n->law, n->max);
    if (!(x >= n->min)) /* NaN becomes the least allowed value */
        return isfinite(n->min) && (n->law == LCT_LAW_RAW || n->min > 0)
                   ? lct_formula_evaluate_law_inverse(n->law, n->min)
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

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    const struct lct_formula_name *n = name_of(e, k);
    int64_t count = 1;

    for (int i = 0; i < info->rank; i++)
        count *= info->shape[i];
    for (int64_t at = 0; at < count; at++) {
        double x = fmax(n->min, fmin(draw(n, at, count, r), n->max));

        out[at] = lct_formula_evaluate_law_inverse(n->law, x);
    }
    return true;
}

/* --------------------------------------------------------------------- bias */

static bool hides(const struct lct_call *c, int64_t q_pos, int64_t k_pos)
{
    return c->e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_HIDE && k_pos > q_pos;
}

static void bias(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n)
{
    const struct lct_formula *f = formula_of(c->e);
    struct lct_formula_run run;

    if (f->root[LCT_BIAS] >= 0) {
        lct_formula_evaluate_open(&run, f, LCT_BIAS, c, head);
        lct_formula_evaluate(out, &run, q_pos, k_pos, n);
    }
    for (size_t j = 0; j < n; j++)
        out[j] = f->root[LCT_BIAS] >= 0 ? out[j] + 0.0 : 0; /* never -0 */
    if (c->e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_HIDE)
        for (size_t j = 0; j < n; j++)
            out[j] = k_pos[j] > q_pos ? -INFINITY : out[j];
}

/* forward: out[j] = the value for key j, or -infinity, which is constant */
static void bias_backward(double *const *dparam, const struct lct_call *c,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t n)
{
    const struct lct_formula *f = formula_of(c->e);
    double part[LCT_FORMULA_PAIRS];
    struct lct_formula_run run;

    if (f->root[LCT_BIAS] < 0)
        return;
    lct_formula_evaluate_open(&run, f, LCT_BIAS, c, head);
    for (size_t at = 0; at < n; at += LCT_FORMULA_PAIRS) {
        size_t count = n - at < LCT_FORMULA_PAIRS ? n - at : LCT_FORMULA_PAIRS;

        for (size_t j = 0; j < count; j++)
            part[j] = hides(c, q_pos, k_pos[at + j]) ? 0 : dout[at + j];
        lct_formula_evaluate_backward(dparam, &run, q_pos, k_pos + at, part,
                                      count);
    }
}

/* ------------------------------------------------------------ linear biases */

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
    int at = f->root[LCT_BIAS];

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
static bool slope(double *out, const struct lct_call *c, int64_t head)
{
    const struct lct_formula *f = formula_of(c->e);
    struct lct_formula_run run;
    struct linear x;
    int exponent;

    if (!find_linear(&x, f) ||
        c->e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_HIDE)
        return false;
    lct_formula_evaluate_open(&run, f, LCT_BIAS, c, head);
    *out = x.factor >= 0 ? run.number[x.factor] : 1;
    if (!x.divides)
        return true;
    *out = 1 / *out;
    return isfinite(*out) && fabs(frexp(*out, &exponent)) == 0.5;
}

static void relative_positions(double *out, const struct lct_call *c,
                               int64_t q_pos, const int64_t *k_pos, size_t n)
{
    bool zero = c->e->value[LCT_FORMULA_FUTURE] == LCT_FUTURE_ZERO;
    struct linear x;

    find_linear(&x, formula_of(c->e));
    for (size_t j = 0; j < n; j++) {
        double d = (double)lct_distance(q_pos, k_pos[j]);

        if (x.of == LCT_FORMULA_N)
            d = zero ? fmax(d, 0) : fabs(d);
        out[j] = 0 + x.sign * d; /* never -0 */
    }
}

static const locant_variant variants[] = {
    { "formula(bias=-n*2^(-8*(h+1)/H))", "ALiBi, if H is a power of two",
      "research" },
    { "formula(bias=-m*log1p(a*n),m=param(heads,init=uniform(0,2),min=0.01),"
      "a=param(heads,init=uniform(0,1),min=0.01))",
      "KERPLE, logarithmic form", "research" },
    { "formula(bias=pick(t,if(n<16,n,min(31,16+floor(log(n/16)/log(8)*16)))),"
      "t=param(heads,32,init=normal(0.02)),future=zero)",
      "T5 buckets", "research" },
    { 0 }
};

const struct lct_encoding lct_enc_formula = {
    .info = {
        .name = "formula",
        .title = "A score function written in the spec",
        .formula = "s[h,i,j] += bias(n), n = |p_i - p_j|; bias is an "
                   "expression of the spec",
        .source = "locant; examples: Press et al. 2022, arXiv:2108.12409v2, "
                  "section 3; Chi et al. 2022, arXiv:2205.09921v2, section 4.2",
        .used_by = "research: an idea without C",
        .pitfalls = "n is |d|, so keys after the query are weighed like those "
                    "before it unless future=zero or hide; -a^2 is -(a^2); a "
                    "parameter that starts at 0 may have no gradient.",
        .gradient = "of each parameter, by the rules of differentiation; 0 at "
                    "kinks",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_MONOTONE,
    },
    .keys = keys,
    .read = lct_formula_read,
    .print = lct_formula_print,
    .check = check,
    .traits = traits,
    .params = { .list_of = params_of, .fill = fill, .project = project },
    .positions = { .check = check_call },
    .score = {
        .bias = bias,
        .backward = bias_backward,
        .fast = { .slope = slope, .relative_positions = relative_positions },
    },
};
