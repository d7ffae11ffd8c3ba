/* check_yarn.c - checks L14 to L19: amplitudes and ramps */
#include "check.h"
#include "../encodings/yarn.h"
#include <math.h>
#include <string.h>

/* L14 */
static void one_mscale(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double m = lct_check_real(e->dict, "mscale", 0);
    const double all = lct_check_real(e->dict, "mscale_all_dim", 0);

    if ((m != 0) == (all != 0))
        return;
    LCT_FIND(k, e, ID(L14), S(m != 0 ? "mscale" : "mscale_all_dim"),
             R(m != 0 ? m : all), R(lct_yarn_gain(e->factor, 1)),
             R(lct_yarn_gain(e->factor, m != 0 ? m : 1)),
             R(lct_yarn_gain(e->factor, all)),
             R(lct_yarn_gain(e->factor, m != 0 ? m : 1) /
               lct_yarn_gain(e->factor, all)),
             R(all != 0
                   ? lct_yarn_gain(e->factor, 1) / lct_yarn_gain(e->factor, all)
                   : lct_yarn_gain(e->factor, 1)));
}

/* L15 */
static void score_scale(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double all = lct_check_real(e->dict, "mscale_all_dim", 0);
    const double m = lct_yarn_gain(e->factor, all);

    if (all == 0 || e->factor <= 1 || !lct_check_is(k, "deepseek_v2 mistral4"))
        return;
    LCT_FIND(k, e, ID(L15), R(all), R(m), R(m * m));
}

/* L16 */
static void unequal_mscales(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double m = lct_check_real(e->dict, "mscale", 0);
    const double all = lct_check_real(e->dict, "mscale_all_dim", 0);

    if (m == 0 || all == 0 || m == all ||
        !lct_check_class_has(k, LCT_CLASS_MLA))
        return;
    LCT_FIND(k, e, ID(L16), R(m), R(all),
             R(lct_check_yarn_amplitude(e->dict, e->factor)),
             R(lct_yarn_gain(e->factor, 1) / lct_yarn_gain(e->factor, all)));
}

/* L17 */
static void given_amplitude(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double given = lct_check_real(e->dict, "attention_factor", 0);
    const bool yarn = strcmp(e->kind, "yarn") == 0;
    double formula = lct_check_yarn_amplitude(e->dict, e->factor);

    if (!yarn && e->original > 1) {
        const double F = e->factor > 0 ? e->factor : (double)k->M / e->original;

        formula = F <= 1 ? 1 : sqrt(1 + log(F) / log(e->original));
    }
    if (given <= 0 || fabs(given - formula) <= 1e-3 * formula ||
        !(yarn || strcmp(e->kind, "longrope") == 0))
        return;
    LCT_FIND(k, e, ID(L17), R(given), R(formula), I(given == 1),
             R(given * given), R(formula * formula));
}

/* L18 */
static void not_truncated(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double fast = lct_check_real(e->dict, "beta_fast", 32);
    const double slow = lct_check_real(e->dict, "beta_slow", 1);
    const double original = e->original > 0 ? e->original : (double)k->M;
    const struct lct_ramp r =
        lct_check_ramp((double)e->rot, e->base, original, fast, slow);

    if (lct_check_bool(e->dict, "truncate", true) || original <= 0)
        return;
    LCT_FIND(k, e, ID(L18), R(r.low_exact), R(r.high_exact), I(r.low),
             I(r.high));
}

/* L19 */
static void reversed_ramp(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double fast = lct_check_real(e->dict, "beta_fast", 32);
    const double slow = lct_check_real(e->dict, "beta_slow", 1);
    struct lct_draft *f;

    if (fast >= slow || fast <= 0)
        return;
    f = LCT_FIND(k, e, ID(L19), R(fast), R(slow));
    if (lct_check_has(e->dict, "beta_fast") &&
        lct_check_has(e->dict, "beta_slow")) {
        lct_check_fix(f, LCT_CHECK_PATH(e, "beta_fast"), json_real(slow));
        lct_check_fix(f, LCT_CHECK_PATH(e, "beta_slow"), json_real(fast));
    }
}

void lct_check_yarn(struct lct_check *k)
{
    for (int i = 0; i < k->n_entries; i++) {
        const struct lct_rope_entry *e = &k->entries[i];

        given_amplitude(k, e);
        if (strstr(e->kind, "yarn") == NULL || lct_check_is(k, "phi3"))
            continue;
        one_mscale(k, e);
        score_scale(k, e);
        unequal_mscales(k, e);
        not_truncated(k, e);
        reversed_ramp(k, e);
    }
}
