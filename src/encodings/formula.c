/*
 * formula.c - a score function that is written in the spec.
 *
 *     formula(bias=-m*log1p(a*n),m=param(heads),a=param(heads))
 *
 * A formula of the distance alone is a table, as any relative bias is, so
 * attention reads it at the same speed; one that reads the positions i and j,
 * scores or tokens is evaluated pair by pair, what depends on the key or on the
 * query alone once for each.  All in double, rounded once.
 */
#include "formula_check.h"
#include "formula_content.h"
#include "formula_gradient.h"
#include "formula_linear.h"
#include "formula_pairs.h"
#include "formula_params.h"
#include "formula_print.h"
#include "formula_read.h"
#include "formula_real.h"
#include "formula_tokens.h"
#include "formula_trend.h"
#include <inttypes.h>
#include <math.h>

static const char *const forms[] = {
    "numbers, n, d, i, j, s, h, H, T0, functions and declared names, of tokens "
    "with .q or .k",
    NULL
};
static const char *const futures[] = { "same", "zero", "hide", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "bias", .kind = LCT_EXPRESSION, .def = 0,
      .words = forms,
      .doc = "added to the scaled score; -inf hides a pair" },
    { .name = "gain", .kind = LCT_EXPRESSION, .def = 1,
      .words = forms,
      .doc = "multiplied to the score before the bias" },
    { .name = "after", .kind = LCT_EXPRESSION, .def = 1,
      .words = forms,
      .doc = "multiplied to the weight after softmax" },
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

/* Which of the factors of attention it has: a gain that is equal for all keys
 * is a factor of the query. */
static unsigned factors(const locant_encoding *e)
{
    const struct lct_formula *f = formula_of(e);
    unsigned after = f->root[LCT_FORMULA_AFTER] >= 0 ? LCT_HAS_AFTER : 0;
    bool row = !(lct_formula_graph_reads_of(f, LCT_FORMULA_GAIN) &
                 (LCT_READS_D | LCT_READS_I | LCT_READS_J));

    if (f->root[LCT_FORMULA_GAIN] < 0)
        return after;
    if (lct_formula_graph_reads_content(f))
        return after | LCT_HAS_CONTENT_GAIN;
    return after | (row ? LCT_HAS_ROW : LCT_HAS_GAIN);
}

static unsigned doors(const locant_encoding *e)
{
    if (lct_formula_graph_reads_content(formula_of(e)))
        return LOCANT_DOOR_CONTENT;
    return formula_of(e)->root[LCT_FORMULA_BIAS] < 0 && factors(e) != 0
               ? 0
               : LOCANT_DOOR_SCORE;
}

static unsigned traits(const locant_encoding *e)
{
    const struct lct_formula *f = formula_of(e);
    bool relative = !(lct_formula_graph_reads(f) & (LCT_READS_I | LCT_READS_J));

    return (relative ? LOCANT_TRAIT_RELATIVE : 0) |
           (f->params > 0 ? LOCANT_TRAIT_LEARNED : 0) |
           (f->tokens > 0 ? LOCANT_TRAIT_READS_X : 0) |
           (relative && doors(e) == LOCANT_DOOR_SCORE &&
                    lct_formula_trend_falls(f)
                ? LOCANT_TRAIT_MONOTONE
                : 0);
}

/* T0 must be known to compute anything. */
static locant_status check_call(const locant_encoding *e, const char *fn,
                                const int64_t *pos, size_t n,
                                const locant_tensor *params)
{
    (void)pos;
    (void)params;
    if (n == 0 || !(lct_formula_graph_reads(formula_of(e)) & LCT_READS_T0) ||
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

    if (f->root[LCT_FORMULA_BIAS] >= 0) {
        lct_formula_evaluate_open(&run, f, LCT_FORMULA_BIAS, c, head);
        lct_formula_evaluate(out, &run, q_pos, k_pos, n);
    }
    for (size_t j = 0; j < n; j++)
        out[j] =
            f->root[LCT_FORMULA_BIAS] >= 0 ? out[j] + 0.0 : 0; /* never -0 */
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

    if (f->root[LCT_FORMULA_BIAS] < 0)
        return;
    lct_formula_evaluate_open(&run, f, LCT_FORMULA_BIAS, c, head);
    for (size_t at = 0; at < n; at += LCT_FORMULA_PAIRS) {
        size_t count = n - at < LCT_FORMULA_PAIRS ? n - at : LCT_FORMULA_PAIRS;

        for (size_t j = 0; j < count; j++)
            part[j] = hides(c, q_pos, k_pos[at + j]) ? 0 : dout[at + j];
        lct_formula_gradient(dparam, &run, q_pos, k_pos + at, part, count);
    }
}

static void real_bias(double *out, const struct lct_call *c,
                      const struct lct_real_keys *x)
{
    bool given = formula_of(c->e)->root[LCT_FORMULA_BIAS] >= 0;

    if (given)
        lct_formula_real_at(out, c, LCT_FORMULA_BIAS, x);
    for (size_t j = 0; j < x->n; j++)
        out[j] = given ? out[j] + 0.0 : 0; /* never -0 */
}

static void real_bias_backward(const struct lct_real_gradients *g,
                               const struct lct_call *c,
                               const struct lct_real_keys *x,
                               const double *dout)
{
    if (formula_of(c->e)->root[LCT_FORMULA_BIAS] >= 0)
        lct_formula_real_backward(g, c, LCT_FORMULA_BIAS, x, dout);
}

/* ------------------------------------------------------------------ factors */

static void factor(double *out, const struct lct_call *c, int root,
                   int64_t head, int64_t q_pos, const int64_t *k_pos, size_t n)
{
    struct lct_formula_run run;

    lct_formula_evaluate_open(&run, formula_of(c->e), root, c, head);
    lct_formula_evaluate(out, &run, q_pos, k_pos, n);
}

static void factor_backward(double *const *dparam, const struct lct_call *c,
                            int root, int64_t head, int64_t q_pos,
                            const int64_t *k_pos, const double *dout, size_t n)
{
    struct lct_formula_run run;

    lct_formula_evaluate_open(&run, formula_of(c->e), root, c, head);
    lct_formula_gradient(dparam, &run, q_pos, k_pos, dout, n);
}

static void gain(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n)
{
    factor(out, c, LCT_FORMULA_GAIN, head, q_pos, k_pos, n);
}

static void gain_backward(double *const *dparam, const struct lct_call *c,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t n)
{
    factor_backward(dparam, c, LCT_FORMULA_GAIN, head, q_pos, k_pos, dout, n);
}

static void real_gain(double *out, const struct lct_call *c,
                      const struct lct_real_keys *x)
{
    lct_formula_real_at(out, c, LCT_FORMULA_GAIN, x);
}

static void real_gain_backward(const struct lct_real_gradients *g,
                               const struct lct_call *c,
                               const struct lct_real_keys *x,
                               const double *dout)
{
    lct_formula_real_backward(g, c, LCT_FORMULA_GAIN, x, dout);
}

static void after(double *out, const struct lct_call *c, int64_t head,
                  int64_t q_pos, const int64_t *k_pos, size_t n)
{
    factor(out, c, LCT_FORMULA_AFTER, head, q_pos, k_pos, n);
}

static void after_backward(double *const *dparam, const struct lct_call *c,
                           int64_t head, int64_t q_pos, const int64_t *k_pos,
                           const double *dout, size_t n)
{
    factor_backward(dparam, c, LCT_FORMULA_AFTER, head, q_pos, k_pos, dout, n);
}

static void real_after(double *out, const struct lct_call *c,
                       const struct lct_real_keys *x)
{
    lct_formula_real_at(out, c, LCT_FORMULA_AFTER, x);
}

static void real_after_backward(const struct lct_real_gradients *g,
                                const struct lct_call *c,
                                const struct lct_real_keys *x,
                                const double *dout)
{
    lct_formula_real_backward(g, c, LCT_FORMULA_AFTER, x, dout);
}

/* The gain of a query that sees 'count' keys. */
static double row(const struct lct_call *c, int64_t head, int64_t count)
{
    const int64_t at = 0;
    struct lct_formula_run run;
    double out;

    lct_formula_evaluate_open(&run, formula_of(c->e), LCT_FORMULA_GAIN, c,
                              head);
    run.count = count;
    lct_formula_evaluate(&out, &run, at, &at, 1);
    return out;
}

static void row_backward(double *const *dparam, const struct lct_call *c,
                         int64_t head, int64_t count, double dout)
{
    const int64_t at = 0;
    struct lct_formula_run run;

    lct_formula_evaluate_open(&run, formula_of(c->e), LCT_FORMULA_GAIN, c,
                              head);
    run.count = count;
    lct_formula_gradient(dparam, &run, at, &at, &dout, 1);
}

static const locant_variant variants[] = {
    { "formula(bias=-n*2^(-8*(h+1)/H))", "ALiBi, if H is a power of two",
      "research" },
    { "formula(bias=-m*log1p(a*n),m=param(heads,init=uniform(0,2),min=0.01),"
      "a=param(heads,init=uniform(0,1),min=0.01))",
      "KERPLE, logarithmic form", "research" },
    { "formula(bias=c.q-c.k,c=scan(heads,map=linear,law=logsigmoid))",
      "forget gates, FoX", "research" },
    { "formula(bias=pick(t,if(n<16,n,min(31,16+floor(log(n/16)/log(8)*16)))),"
      "t=param(heads,32,init=normal(0.02)),future=zero)",
      "T5 buckets", "research" },
    { 0 }
};

const struct lct_encoding lct_enc_formula = {
    .info = {
        .name = "formula",
        .title = "A score function written in the spec",
        .formula = "s[h,i,j] <- gain s[h,i,j] + bias, o[h,i] = sum_j p[h,i,j] "
                   "after v_j; gain, bias and after are expressions of n = "
                   "|p_i - p_j|",
        .source = "own work; Press et al. 2022, arXiv:2108.12409v2, "
                  "section 3; Chi et al. 2022, arXiv:2205.09921v2, section 4.2",
        .used_by = "research: an idea without C",
        .pitfalls = "n is |d|, so keys after the query are weighed like those "
                    "before it unless future=zero or hide; -a^2 is -(a^2); a "
                    "parameter that starts at 0 may have no gradient; arrays "
                    "of tokens are the first channels of x unless "
                    "map=linear.",
        .gradient = "of each parameter, by the rules of differentiation; 0 at "
                    "kinks",
        .variants = variants,
        .doors = LOCANT_DOOR_SCORE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_MONOTONE,
    },
    .keys = keys,
    .read = lct_formula_read,
    .print = lct_formula_print,
    .check = lct_formula_check,
    .doors = doors,
    .traits = traits,
    .params = {
        .list_of = params_of,
        .fill = lct_formula_params_fill,
        .project = lct_formula_params_project,
    },
    .positions = { .check = check_call, .real_of = lct_formula_real_has },
    .score = {
        .bias = bias,
        .backward = bias_backward,
        .real = { real_bias, real_bias_backward },
        .fast = {
            .slope = lct_formula_linear_slope,
            .relative_positions = lct_formula_linear_positions,
        },
    },
    .content = {
        .scores = lct_formula_content_scores,
        .backward = lct_formula_content_backward,
        .pairs = &lct_formula_pairs_hooks,
        .scores_only = true,
        .token_numbers = &lct_formula_tokens_hooks,
    },
    .factors = {
        .used = factors,
        .gain = {
            .at = gain,
            .backward = gain_backward,
            .real = { real_gain, real_gain_backward },
        },
        .after = {
            .at = after,
            .backward = after_backward,
            .real = { real_after, real_after_backward },
        },
        .row = row,
        .row_backward = row_backward,
    },
};
