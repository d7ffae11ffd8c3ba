/* check_lengths.c - checks L01 to L13, L20 to L22: lengths, and the scalings
 * that follow from them */
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_kind(const struct lct_rope_entry *e, const char *kind)
{
    return strcmp(e->kind, kind) == 0;
}

static const char *path_of(char *out, size_t size,
                           const struct lct_rope_entry *e, const char *key)
{
    snprintf(out, size, "%s.%s", e->path, key);
    return out;
}
#define PATH(e, key) path_of((char[128]){ 0 }, 128, e, key)

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
    const struct lct_ramp now =
        lct_check_ramp((double)e->rot, e->base, (double)k->M, 32, 1);
    const struct lct_ramp mlx =
        lct_check_ramp((double)e->rot, e->base, 4096, 32, 1);
    struct lct_draft *f;

    if (e->original > 0 || k->M <= 0)
        return;
    f = lct_check_report(k, LCT_CHECK_L01,
                         PATH(e, "original_max_position_embeddings"),
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
            lct_check_ramp((double)e->rot, e->base, original, 32, 1);

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
    f = lct_check_report(k, LCT_CHECK_L02, PATH(e, "factor"),
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
    f = lct_check_report(k, LCT_CHECK_L04, PATH(e, "factor"),
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

/* ------------------------------------------------------------------- llama3 */

/* Pairs that llama3 divides by the whole factor. */
static int divided_pairs(const struct lct_rope_entry *e, double original)
{
    const double low = lct_check_real(e->dict, "low_freq_factor", 1);
    int n = 0;

    for (int64_t c = 0; c < e->rot / 2 && c < 4096; c++)
        n += 2 * 3.14159265358979323846 *
                 pow(e->base, 2 * (double)c / (double)e->rot) >
             original / low;
    return n;
}

/* L05 */
static void llama3_original(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double M = k->M > 0 ? (double)k->M : 0;
    const bool absent = e->original <= 0;
    struct lct_draft *f;

    if (!absent && (given_length(k) <= 0 || e->original < M))
        return;
    f = lct_check_report(
        k, LCT_CHECK_L05, PATH(e, "original_max_position_embeddings"),
        absent ? "llama3 has no original length, and the whole context of "
                 "%.10g becomes it"
               : "the original length of llama3 is not below "
                 "max_position_embeddings, %.10g",
        M);
    lct_check_says(f, LCT_HF,
                   "original %.10g: %d of %lld pairs are divided by %.10g "
                   "instead of the %d of original 8192",
                   absent ? M : e->original,
                   divided_pairs(e, absent ? M : e->original),
                   (long long)(e->rot / 2), e->factor, divided_pairs(e, 8192));
    if (absent) {
        lct_check_says(f, LCT_VLLM, "KeyError");
        lct_check_says(f, LCT_LLAMA_CPP | LCT_MLX, "original 8192");
    }
    lct_check_mend(f, "original_max_position_embeddings 8192 (every Llama 3.1 "
                      "to 3.3), and the extended length as "
                      "max_position_embeddings");
    if (absent && M > 8192 && lct_check_is(k, "llama"))
        lct_check_fix(f, PATH(e, "original_max_position_embeddings"),
                      json_integer(8192));
}

/* L07 */
static void llama3_band(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double low = lct_check_real(e->dict, "low_freq_factor", 1);
    const double high = lct_check_real(e->dict, "high_freq_factor", 4);
    struct lct_draft *f;

    if (high > low)
        return;
    f = lct_check_report(k, LCT_CHECK_L07, PATH(e, "high_freq_factor"),
                         "high_freq_factor %.10g is not above low_freq_factor "
                         "%.10g",
                         high, low);
    if (high == low) {
        lct_check_says(f, LCT_HF | LCT_MLX,
                       "0 / 0 where a wavelength meets the limit, elsewhere a "
                       "hard switch between scaled and unscaled pairs");
        lct_check_says(f, LCT_VLLM | LCT_LLAMA_CPP,
                       "a hard switch, or a failed assertion in older "
                       "converters");
    } else {
        lct_check_says(f, LCT_EVERY_STACK,
                       "the two bands overlap and the blend is inverted");
        lct_check_fix(f, PATH(e, "high_freq_factor"), json_real(low));
        lct_check_fix(f, PATH(e, "low_freq_factor"), json_real(high));
    }
    lct_check_mend(f, "low_freq_factor 1 and high_freq_factor 4 are those of "
                      "Llama 3.1");
    /* published so, and every stack switches hard */
    if (high == low && lct_check_is(k, "llama4_text"))
        lct_check_severity(f, LOCANT_FINDING_WARNING);
}

/* ----------------------------------------------------------------- longrope */

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
        k, LCT_CHECK_L08, PATH(e, "original_max_position_embeddings"),
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

static size_t list_length(const json_t *dict, const char *key)
{
    return json_array_size(json_object_get(dict, key));
}

/* L09 */
static void list_lengths(struct lct_check *k, const struct lct_rope_entry *e)
{
    static const char *const lists[] = { "short_factor", "long_factor" };
    struct lct_draft *f;

    for (int i = 0; i < 2; i++) {
        const size_t n = list_length(e->dict, lists[i]);

        if (n == 0 || e->rot <= 0 || n == (size_t)(e->rot / 2))
            continue;
        f = lct_check_report(k, LCT_CHECK_L09, PATH(e, lists[i]),
                             "%s has %zu numbers, and %lld rotated channels "
                             "have %lld pairs",
                             lists[i], n, (long long)e->rot,
                             (long long)(e->rot / 2));
        lct_check_says(f, LCT_HF5,
                       lct_check_is(k, "phi3")
                           ? "ValueError"
                           : "a warning, then sizes that do not fit");
        lct_check_says(f, LCT_LLAMA_CPP, "ValueError in the converter");
        lct_check_says(f, LCT_HF4 | LCT_VLLM | LCT_MLX,
                       "sizes that do not fit");
        if (k->d > 0)
            lct_check_mend(f,
                           "a forgotten partial_rotary_factor is the usual "
                           "cause: %zu numbers fit %.6g of %lld channels",
                           n, 2 * (double)n / (double)k->d, (long long)k->d);
    }
}

/* L10 */
static void longrope_amplitude(struct lct_check *k,
                               const struct lct_rope_entry *e)
{
    const double original = e->original > 0           ? e->original
                            : lct_check_is(k, "phi3") ? 4096
                                                      : (double)k->M;
    const double ratio = (double)k->M / original;
    const double a = ratio <= 1 ? 1 : sqrt(1 + log(ratio) / log(original));
    struct lct_draft *f;

    if (e->factor > 0 || lct_check_has(e->dict, "attention_factor") ||
        original <= 1)
        return;
    f = lct_check_report(k, LCT_CHECK_L10, PATH(e, "factor"),
                         "longrope has no factor, so its amplitude follows "
                         "max_position_embeddings, and changing the length "
                         "changes every score");
    lct_check_says(f, LCT_EVERY_STACK,
                   "amplitude %.6f from %lld / %.10g (llama.cpp and MLX even "
                   "if factor is given)",
                   a, (long long)k->M, original);
    lct_check_mend(f, "add factor, the extended length over the trained one");
}

/* L11 */
static void longrope_switch(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double original = e->original > 0 ? e->original : 4096;
    struct lct_draft *f = lct_check_report(
        k, LCT_CHECK_L11, PATH(e, "long_factor"),
        "beyond %.10g tokens longrope takes the long list for all positions, "
        "also those whose keys are cached already",
        original);

    lct_check_says(f, LCT_HF5,
                   "chooses by the longest position of each call; Phi-3 drops "
                   "its cache once when the length passes %.10g",
                   original);
    lct_check_says(f, LCT_LLAMA_CPP,
                   "chooses once, by the size of the "
                   "context");
    lct_check_says(f, LCT_MLX, "always the long list");
    lct_check_mend(f, "nothing is wrong in the file; compute again what was "
                      "cached before the switch");
}

/* X05: ggml-org/llama.cpp#24820 */
static void unseen_lists(struct lct_check *k, const struct lct_rope_entry *e)
{
    struct lct_draft *f;

    if (!lct_check_is(k, "phi3") || strcmp(e->path, "rope_parameters") != 0)
        return;
    f = lct_check_report(k, LCT_CHECK_X05, "rope_parameters",
                         "the lists of longrope stand only in rope_parameters");
    lct_check_says(f, LCT_LLAMA_CPP,
                   "converters before #24820 look for rope_scaling, and write "
                   "neither lists nor amplitude");
    lct_check_says(f, LCT_HF4, "rope_parameters is unknown: no scaling");
    lct_check_mend(f, "write the dictionary as rope_scaling, or check the GGUF "
                      "for rope_factors_long.weight");
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
    f = lct_check_report(k, LCT_CHECK_X09, PATH(e, "rope_type"),
                         "dynamic scaling is not known everywhere");
    lct_check_says(f, LCT_LLAMA_CPP, "the converter writes no scaling");
    lct_check_says(f, LCT_MLX, "ValueError");
    lct_check_mend(f, "YaRN, which every stack has");
    if (!lct_check_bool(k->text, "use_cache", true))
        return;
    f = lct_check_report(k, LCT_CHECK_L13, PATH(e, "rope_type"),
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
    longest = lct_check_longest((double)e->rot, e->base);
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
                   ceil(pow(M / (2 * 3.14159265358979323846),
                            (double)e->rot / (double)(e->rot - 2))));
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
        const bool longrope = is_kind(e, "longrope") || is_kind(e, "su") ||
                              (is_kind(e, "yarn") && lct_check_is(k, "phi3"));

        scaled_twice(k, e);
        two_originals(k, e);
        if (longrope) {
            list_lengths(k, e);
            longrope_amplitude(k, e);
            longrope_switch(k, e);
            unseen_lists(k, e);
        } else if (is_kind(e, "yarn")) {
            yarn_without_original(k, e);
            factor_against_lengths(k, e);
            length_not_extended(k, e);
        } else if (is_kind(e, "llama3")) {
            llama3_original(k, e);
            llama3_band(k, e);
        } else if (is_kind(e, "dynamic")) {
            dynamic(k, e);
        }
    }
    unscaled(k);
    tokenizer_length(k);
}
