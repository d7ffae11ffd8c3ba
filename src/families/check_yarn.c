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
    struct lct_draft *f;

    if ((m != 0) == (all != 0))
        return;
    f = lct_check_report(
        k, LCT_CHECK_L14,
        LCT_CHECK_PATH(e, m != 0 ? "mscale" : "mscale_all_dim"),
        "of mscale and mscale_all_dim only %s counts (%.10g)",
        m != 0 ? "mscale" : "mscale_all_dim", m != 0 ? m : all);
    lct_check_says(f, LCT_HF, "ignores the pair: amplitude %.6f",
                   lct_yarn_gain(e->factor, 1));
    lct_check_says(f, LCT_MLX, "amplitude %.6f / %.6f = %.6f",
                   lct_yarn_gain(e->factor, m != 0 ? m : 1),
                   lct_yarn_gain(e->factor, all),
                   lct_yarn_gain(e->factor, m != 0 ? m : 1) /
                       lct_yarn_gain(e->factor, all));
    lct_check_says(f, LCT_LLAMA_CPP, "takes mscale for 1: amplitude %.6f",
                   all != 0 ? lct_yarn_gain(e->factor, 1) /
                                  lct_yarn_gain(e->factor, all)
                            : lct_yarn_gain(e->factor, 1));
    lct_check_says(f, LCT_VLLM, "ignores both before #56446: amplitude %.6f",
                   lct_yarn_gain(e->factor, 1));
    lct_check_mend(f, "write both, or attention_factor");
}

/* L15 */
static void score_scale(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double all = lct_check_real(e->dict, "mscale_all_dim", 0);
    const double m = lct_yarn_gain(e->factor, all);
    struct lct_draft *f;

    if (all == 0 || e->factor <= 1 ||
        !(lct_check_is(k, "deepseek_v2") || lct_check_is(k, "mistral4")))
        return;
    f = lct_check_report(k, LCT_CHECK_L15, LCT_CHECK_PATH(e, "mscale_all_dim"),
                         "mscale_all_dim %.10g multiplies the scale of all "
                         "scores by %.6f^2 = %.6f, which several readers of "
                         "this class leave out",
                         all, m, m * m);
    lct_check_says(f, LCT_HF,
                   "left out before #47435: scores too small by %.6f", m * m);
    lct_check_says(f, LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX, "scale times %.6f",
                   m * m);
    lct_check_mend(f, "nothing in the file; compare logits at a position above "
                      "0, since position 0 alone cannot show it");
}

/* L16 */
static void unequal_mscales(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double m = lct_check_real(e->dict, "mscale", 0);
    const double all = lct_check_real(e->dict, "mscale_all_dim", 0);
    struct lct_draft *f;

    if (m == 0 || all == 0 || m == all ||
        !lct_check_class_has(k, LCT_CLASS_MLA))
        return;
    f = lct_check_report(k, LCT_CHECK_L16, LCT_CHECK_PATH(e, "mscale"),
                         "mscale %.10g and mscale_all_dim %.10g differ", m,
                         all);
    lct_check_says(f, LCT_HF | LCT_VLLM | LCT_MLX, "amplitude %.6f",
                   lct_check_yarn_amplitude(e->dict, e->factor));
    lct_check_says(f, LCT_LLAMA_CPP,
                   "takes both for %.10g, or mscale for 1: amplitude 1 or %.6f",
                   all,
                   lct_yarn_gain(e->factor, 1) / lct_yarn_gain(e->factor, all));
    lct_check_mend(f, "DeepSeek's files have equal numbers");
}

/* L17 */
static void given_amplitude(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double given = lct_check_real(e->dict, "attention_factor", 0);
    const bool yarn = strcmp(e->kind, "yarn") == 0;
    double formula = lct_check_yarn_amplitude(e->dict, e->factor);
    struct lct_draft *f;

    if (!yarn && e->original > 1) {
        const double F = e->factor > 0 ? e->factor : (double)k->M / e->original;

        formula = F <= 1 ? 1 : sqrt(1 + log(F) / log(e->original));
    }
    if (given <= 0 || fabs(given - formula) <= 1e-3 * formula ||
        !(yarn || strcmp(e->kind, "longrope") == 0))
        return;
    f = lct_check_report(
        k, LCT_CHECK_L17, LCT_CHECK_PATH(e, "attention_factor"),
        "attention_factor is %.10g, and the formula gives "
        "%.6f%s",
        given, formula, given == 1 ? "; 1 means no amplitude" : "");
    lct_check_says(f, LCT_HF | LCT_VLLM,
                   "multiplies cosine and sine by %.10g, rotated scores by "
                   "%.6f",
                   given, given * given);
    lct_check_says(f, LCT_MLX,
                   "the formula before #1507: %.6f, rotated scores by %.6f",
                   formula, formula * formula);
    lct_check_says(f, LCT_LLAMA_CPP,
                   "the formula unless the converter writes "
                   "an amplitude: %.6f",
                   formula);
    lct_check_mend(f, "right if the model was trained so; else remove it");
}

/* L18 */
static void not_truncated(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double fast = lct_check_real(e->dict, "beta_fast", 32);
    const double slow = lct_check_real(e->dict, "beta_slow", 1);
    const double original = e->original > 0 ? e->original : (double)k->M;
    const struct lct_ramp r =
        lct_check_ramp((double)e->rot, e->base, original, fast, slow);
    struct lct_draft *f;

    if (lct_check_bool(e->dict, "truncate", true) || original <= 0)
        return;
    f = lct_check_report(k, LCT_CHECK_L18, LCT_CHECK_PATH(e, "truncate"),
                         "truncate: false leaves the ends of YaRN's ramp at "
                         "%.4f and %.4f",
                         r.low_exact, r.high_exact);
    if (e->layers[0] != '\0')
        lct_check_says(f, LCT_HF5,
                       "reads truncate outside of %s only, and rounds to %d "
                       "and %d",
                       e->layers, r.low, r.high);
    else
        lct_check_says(f, LCT_HF5, "%.4f to %.4f", r.low_exact, r.high_exact);
    lct_check_says(f, LCT_LLAMA_CPP | LCT_MLX, "rounds to %d and %d", r.low,
                   r.high);
    lct_check_says(f, LCT_VLLM, "rounds to %d and %d before #28244", r.low,
                   r.high);
    lct_check_mend(f, "right if the model was trained so: then the rounding "
                      "stacks are wrong");
}

/* L19 */
static void reversed_ramp(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double fast = lct_check_real(e->dict, "beta_fast", 32);
    const double slow = lct_check_real(e->dict, "beta_slow", 1);
    struct lct_draft *f;

    if (fast >= slow || fast <= 0)
        return;
    f = lct_check_report(k, LCT_CHECK_L19, LCT_CHECK_PATH(e, "beta_fast"),
                         "beta_fast %.10g is below beta_slow %.10g, so the "
                         "ramp runs backwards",
                         fast, slow);
    lct_check_says(f, LCT_HF5,
                   "a warning, then fast pairs are divided by "
                   "%.10g and slow pairs kept",
                   e->factor);
    lct_check_says(f, LCT_HF4 | LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX,
                   "fast pairs are divided by %.10g and slow pairs kept",
                   e->factor);
    lct_check_mend(f, "exchange the two numbers");
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
