/* check_lengths.c - checks L01 to L04, L08, L12, L13, L20 to L22 and X09:
 * lengths, and the scalings that follow from them */
#include "check.h"
#include <math.h>
#include <string.h>

static bool is_kind(const struct lct_rope_entry *e, const char *kind)
{
    return strcmp(e->kind, kind) == 0;
}

/* max_position_embeddings, 0 if the file does not say it. */
static double given_length(const struct lct_check *k)
{
    return lct_check_real(k->text, "max_position_embeddings", 0);
}

/* --------------------------------------------------------------------- yarn */

/* L01 */
static void yarn_without_original(struct lct_check *k,
                                  const struct lct_rope_entry *e)
{
    const double fast = lct_check_real(e->dict, "beta_fast", 32);
    const double slow = lct_check_real(e->dict, "beta_slow", 1);
    const struct lct_ramp now =
        lct_check_ramp((double)e->rot, e->base, (double)k->M, fast, slow);
    const struct lct_ramp mlx =
        lct_check_ramp((double)e->rot, e->base, 4096, fast, slow);
    struct lct_draft *f;

    if (e->original > 0 || k->M <= 0)
        return;
    f = lct_check_report(k, LCT_CHECK_L01,
                         LCT_CHECK_PATH(e, "original_max_position_embeddings"),
                         "YaRN has no original length, so its ramp is placed "
                         "for %lld, which should be the length already "
                         "extended",
                         (long long)k->M);
    lct_check_says(f, LCT_HF,
                   "takes %lld without a warning: the ramp lies at pairs %d to "
                   "%d",
                   (long long)k->M, now.low, now.high);
    lct_check_says(f, LCT_VLLM | LCT_LLAMA_CPP, "KeyError");
    lct_check_says(f, LCT_MLX, "takes 4096: the ramp lies at pairs %d to %d",
                   mlx.low, mlx.high);
    if (e->factor > 1) {
        const double original = floor((double)k->M / e->factor + 0.5);
        const struct lct_ramp r =
            lct_check_ramp((double)e->rot, e->base, original, fast, slow);

        lct_check_mend(f,
                       "add original_max_position_embeddings, the trained "
                       "length: with %.10g (%lld / %.10g) the ramp lies at "
                       "pairs %d to %d",
                       original, (long long)k->M, e->factor, r.low, r.high);
    }
}

/* L02 */
static void factor_against_lengths(struct lct_check *k,
                                   const struct lct_rope_entry *e)
{
    const double M = given_length(k), ratio = M / e->original;
    struct lct_draft *f;

    if (e->original <= 0 || M <= 0 || e->factor <= 0 || M == e->original ||
        fabs(ratio - e->factor) <= 1e-6 * e->factor)
        return;
    f = lct_check_report(k, LCT_CHECK_L02, LCT_CHECK_PATH(e, "factor"),
                         "factor is %.10g, but max_position_embeddings / "
                         "original_max_position_embeddings is %.10g / %.10g = "
                         "%.10g",
                         e->factor, M, e->original, ratio);
    lct_check_says(f, LCT_HF5 | LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX,
                   "the factor: amplitude %.6f",
                   lct_check_yarn_amplitude(e->dict, e->factor));
    lct_check_says(f, LCT_HF4,
                   "versions from 4.48 until #40320 take the ratio %.10g: "
                   "amplitude %.6f",
                   ratio, lct_check_yarn_amplitude(e->dict, ratio));
    lct_check_mend(f, "factor %.10g, or max_position_embeddings %.10g", ratio,
                   e->factor * e->original);
}

/* L03 */
static void length_not_extended(struct lct_check *k,
                                const struct lct_rope_entry *e)
{
    const double M = given_length(k);
    struct lct_draft *f;

    if (M <= 0 || e->original != M || e->factor <= 1)
        return;
    f = lct_check_report(k, LCT_CHECK_L03, "max_position_embeddings",
                         "YaRN scales by %.10g, but the length stays the "
                         "original %.10g",
                         e->factor, M);
    lct_check_says(f, LCT_HF5 | LCT_LLAMA_CPP | LCT_MLX,
                   "scales, and names the length %.10g", M);
    lct_check_says(f, LCT_HF4,
                   "versions from 4.48 until #40320 take the ratio 1: no "
                   "scaling at all");
    lct_check_says(f, LCT_VLLM, "serves %.10g before #56446, %.10g since",
                   e->factor * e->original, M);
    lct_check_mend(f, "max_position_embeddings %.10g", e->factor * e->original);
    if (e->factor * e->original < 1e15)
        lct_check_fix(f, "max_position_embeddings",
                      json_integer((json_int_t)(e->factor * e->original)));
}

/* L04 */
static void scaled_twice(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double M = given_length(k);
    const bool vendor =
        is_kind(e, "deepseek_yarn") || is_kind(e, "telechat3-yarn");
    const bool plain = is_kind(e, "linear") || is_kind(e, "dynamic");
    struct lct_draft *f;

    if (e->factor <= 1 || M <= e->original || e->original <= 0 ||
        !(vendor || (plain && M >= e->factor * e->original)))
        return;
    f = lct_check_report(k, LCT_CHECK_L04, LCT_CHECK_PATH(e, "factor"),
                         "max_position_embeddings %.10g is already the "
                         "extended length, and '%s' extends it again",
                         M, e->kind);
    lct_check_says(f, LCT_VLLM, "serves %.10g x %.10g = %.10g tokens", M,
                   e->factor, M * e->factor);
    lct_check_says(f, LCT_HF5,
                   vendor ? "KeyError when the model is built"
                          : "scales once, from %.10g on",
                   M);
    lct_check_mend(f,
                   vendor ? "rope_type 'yarn', which takes the length from "
                            "the original one"
                          : "max_position_embeddings %.10g",
                   e->original);
}

/* L08 */
static void two_originals(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double inner =
        lct_check_real(e->dict, "original_max_position_embeddings", 0);
    double outer =
        lct_check_real(k->text, "original_max_position_embeddings", 0);
    struct lct_draft *f;

    if (outer == 0 && lct_check_is(k, "phi3"))
        outer = 4096;
    if (inner == 0 || outer == 0 || inner == outer || e->layers[0] != '\0')
        return;
    f = lct_check_report(
        k, LCT_CHECK_L08, LCT_CHECK_PATH(e, "original_max_position_embeddings"),
        "the original length is %.10g in the dictionary and "
        "%.10g at the top level%s",
        inner, outer,
        lct_check_has(k->text, "original_max_position_embeddings")
            ? ""
            : " (the default of this class)");
    lct_check_says(f, LCT_HF, "the one at the top level, %.10g", outer);
    lct_check_says(f, LCT_VLLM | LCT_MLX, "the inner one, %.10g", inner);
    lct_check_mend(f, "give both the trained length");
}

/* ------------------------------------------------------------------ dynamic */

/* L12, L13, X09 */
static void dynamic(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double M = (double)k->M;
    struct lct_draft *f;

    if (e->original > 0 && M > e->original) {
        f = lct_check_report(k, LCT_CHECK_L12, "max_position_embeddings",
                             "dynamic scaling begins at "
                             "max_position_embeddings, %.10g, and not at the "
                             "original length %.10g",
                             M, e->original);
        lct_check_says(f, LCT_HF,
                       "base %.10g up to %.10g tokens: no effect below",
                       e->base, M);
        lct_check_says(f, LCT_VLLM, "scales by %.10g from %.10g on", e->factor,
                       M);
        lct_check_mend(f, "max_position_embeddings %.10g, the trained length",
                       e->original);
        lct_check_fix(f, "max_position_embeddings",
                      json_integer((json_int_t)e->original));
    }
    f = lct_check_report(k, LCT_CHECK_X09, LCT_CHECK_PATH(e, "rope_type"),
                         "dynamic scaling is not known everywhere");
    lct_check_says(f, LCT_LLAMA_CPP, "the converter writes no scaling");
    lct_check_says(f, LCT_MLX, "ValueError");
    lct_check_mend(f, "YaRN, which every stack has");
    if (!lct_check_bool(k->text, "use_cache", true))
        return;
    f = lct_check_report(k, LCT_CHECK_L13, LCT_CHECK_PATH(e, "rope_type"),
                         "dynamic scaling turns keys by the base of the "
                         "length at which they were cached");
    lct_check_says(f, LCT_HF,
                   "a text fed step by step beyond %lld tokens gets other "
                   "scores than the same text at once",
                   (long long)k->M);
    lct_check_says(f, LCT_VLLM,
                   "one base for all lengths, computed when the "
                   "model is loaded");
    lct_check_mend(f, "feed the prompt at once, or use YaRN or a fixed base");
}

/* ------------------------------------------------------------- whole models */

/* The entry of full layers if no entry is scaled and the model rotates; else
   NULL. */
static const struct lct_rope_entry *unscaled_entry(const struct lct_check *k)
{
    const struct lct_rope_entry *found = NULL;

    if (lct_check_class_has(k, LCT_CLASS_NO_ROPE) ||
        (k->class == NULL && !lct_check_has(k->text, "rope_theta")))
        return NULL;
    for (int i = 0; i < k->n_entries; i++) {
        if (strcmp(k->entries[i].kind, "default") != 0)
            return NULL;
        if (found == NULL ||
            strcmp(k->entries[i].layers, "full_attention") == 0)
            found = &k->entries[i];
    }
    return found;
}

/* L21 */
static void beyond_trained(struct lct_check *k, double M, double original)
{
    struct lct_draft *f =
        lct_check_report(k, LCT_CHECK_L21, "max_position_embeddings",
                         "the length %.10g is beyond the trained %.10g, and no "
                         "scaling is named",
                         M, original);

    lct_check_says(f, LCT_EVERY_STACK,
                   "unscaled angles that were never trained, from position "
                   "%.10g on",
                   original);
    lct_check_mend(f,
                   "add YaRN with factor %.10g, or max_position_embeddings "
                   "%.10g",
                   M / original, original);
}

static const double TURN = 6.283185307179586; /* 2 pi */

/* L20, L21 */
static void unscaled(struct lct_check *k)
{
    const double M = given_length(k);
    const struct lct_rope_entry *e = unscaled_entry(k);
    const json_t *theta = json_object_get(k->text, "rope_theta");
    double original, longest;
    struct lct_draft *f;

    if (M <= 0 || e == NULL)
        return;
    original = lct_check_real(k->text, "original_max_position_embeddings",
                              e->original);
    if (original > 0 && M > original) {
        beyond_trained(k, M, original);
        return;
    }
    if (e->rot < 4 || json_is_string(theta) || json_is_null(theta))
        return;
    longest = TURN * pow(e->base, (double)(e->rot - 2) / (double)e->rot);
    if (longest >= M)
        return;
    f = lct_check_report(k, LCT_CHECK_L20, "rope_theta",
                         "the longest wavelength, %.0f tokens, is shorter than "
                         "the length %.10g, and distances beyond it repeat in "
                         "every pair",
                         longest, M);
    lct_check_says(f, LCT_EVERY_STACK, "base %.10g on %lld channels", e->base,
                   (long long)e->rot);
    lct_check_mend(f, "a base of %.10g or more would reach the length",
                   ceil(pow(M / TURN, (double)e->rot / (double)(e->rot - 2))));
}

/* L22; the configuration of Command-R says it too */
static void tokenizer_length(struct lct_check *k)
{
    const double M = given_length(k);
    const double other =
        lct_check_real(k->text, "model_max_length",
                       lct_check_real(k->tokenizer, "model_max_length", 0));
    struct lct_draft *f;

    if (M <= 0 || other <= 0 || other > 1e9 || other == M)
        return;
    f = lct_check_report(k, LCT_CHECK_L22, "model_max_length",
                         "model_max_length is %.10g and "
                         "max_position_embeddings %.10g",
                         other, M);
    lct_check_says(f, LCT_HF | LCT_VLLM | LCT_MLX, "length %.10g", M);
    lct_check_says(f, LCT_LLAMA_CPP,
                   "the converter writes the larger as context_length: %.10g",
                   fmax(M, other));
    lct_check_mend(f, "max_position_embeddings as long as the model was "
                      "trained");
}

void lct_check_lengths(struct lct_check *k)
{
    for (int i = 0; i < k->n_entries; i++) {
        const struct lct_rope_entry *e = &k->entries[i];

        scaled_twice(k, e);
        two_originals(k, e);
        if (is_kind(e, "yarn") && !lct_check_is(k, "phi3")) {
            yarn_without_original(k, e);
            factor_against_lengths(k, e);
            length_not_extended(k, e);
        } else if (is_kind(e, "dynamic")) {
            dynamic(k, e);
        }
    }
    unscaled(k);
    tokenizer_length(k);
}
