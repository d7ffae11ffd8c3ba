/* formula_check.c - formulas that are refused though their text is right */
#include "formula_check.h"
#include "formula_evaluate.h"
#include "formula_laws.h"
#include <inttypes.h>
#include <math.h>

/* What formulas may say, but attention does not compute. */
static locant_status check_supported(const locant_encoding *e)
{
    const struct lct_formula *f = e->state;

    for (int k = 0; k < LCT_FORMULA_ROOTS; k++) {
        unsigned reads = lct_formula_graph_reads_of(f, k);

        if ((reads & (LCT_READS_S | LCT_READS_TOKENS)) &&
            k == LCT_FORMULA_AFTER)
            return LCT_REFUSE("formula: after reads %s, expected %s only in "
                              "gain and bias",
                              reads & LCT_READS_S ? "s" : "tokens",
                              reads & LCT_READS_S ? "it" : "them");
        if ((reads & LCT_READS_CNT) &&
            (k != LCT_FORMULA_GAIN ||
             (reads & (LCT_READS_D | LCT_READS_I | LCT_READS_J)) ||
             lct_formula_graph_reads_content(f)))
            return LCT_REFUSE("formula: %s reads cnt, expected it only in a "
                              "gain that does not depend on positions",
                              e->row->keys[k].name);
    }
    if (f->root[LCT_FORMULA_BIAS] >= 0 &&
        !(lct_formula_graph_reads_of(f, LCT_FORMULA_BIAS) &
          (LCT_READS_D | LCT_READS_J | LCT_READS_S | LCT_READS_K)))
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

    return lct_formula_laws_inverse(n->law, fmax(n->min, fmin(x, n->max)));
}

enum { PROBES = 64, NEAR = 32 }; /* distances 0 .. 31, then powers of 2 */

/* Refuse an expression that is not a number at one of the distances, or
 * infinite at a near one; -infinity of a bias hides the pair. */
static locant_status check_distances(const struct lct_call *call, int root)
{
    struct lct_formula_run run;
    double value[PROBES];
    int64_t k_pos[PROBES];

    lct_formula_evaluate_open(&run, call->e->state, root, call, 0);
    for (int i = 0; i < PROBES; i++)
        k_pos[i] = -(i < NEAR ? i : (int64_t)1 << (i - NEAR));
    lct_formula_evaluate(value, &run, 0, k_pos, PROBES);
    for (int i = 0; i < PROBES; i++)
        if (isnan(value[i]))
            return LCT_REFUSE("formula: %s is NaN at distance %" PRId64,
                              call->e->row->keys[root].name, -k_pos[i]);
    for (int i = 0; i < NEAR; i++)
        if (isinf(value[i]) && (value[i] > 0 || root != LCT_FORMULA_BIAS))
            return LCT_REFUSE(
                "formula: %s is %g at distance %" PRId64 ", expected %s",
                call->e->row->keys[root].name, value[i], -k_pos[i],
                root == LCT_FORMULA_BIAS ? "a number or -inf" : "a number");
    return LOCANT_OK;
}

/* The same at first, for one head; formulas with tables are not tried. */
static locant_status check_values(const locant_encoding *e)
{
    const struct lct_formula *f = e->state;
    struct lct_call call = { .e = e, .heads = 1 };
    double start[LCT_FORMULA_NAMES];

    for (int i = 0; i < f->names; i++) {
        if (f->name[i].entries > 0)
            return LOCANT_OK;
        if (f->name[i].kind != LCT_FORMULA_PARAM)
            continue;
        start[i] = start_of(&f->name[i]);
        call.param[f->name[i].param] = &start[i];
    }
    for (int k = 0; k < LCT_FORMULA_ROOTS; k++) {
        unsigned reads = lct_formula_graph_reads_of(f, k);

        if ((reads &
             (LCT_READS_I | LCT_READS_J | LCT_READS_S | LCT_READS_TOKENS)) ||
            !(reads & LCT_READS_D) ||
            ((reads & LCT_READS_T0) && isnan(e->value[LCT_FORMULA_LENGTH])))
            continue;
        LCT_TRY(check_distances(&call, k));
    }
    return LOCANT_OK;
}

locant_status lct_formula_check(const locant_encoding *e)
{
    LCT_TRY(check_supported(e));
    return check_values(e);
}
