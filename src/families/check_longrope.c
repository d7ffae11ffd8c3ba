/* check_longrope.c - checks L09 to L11 and X05: lists and amplitude of
 * longrope, under whatever name */
#include "check.h"
#include <math.h>
#include <string.h>

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
        f = lct_check_report(k, LCT_CHECK_L09, LCT_CHECK_PATH(e, lists[i]),
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
    f = lct_check_report(k, LCT_CHECK_L10, LCT_CHECK_PATH(e, "factor"),
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
        k, LCT_CHECK_L11, LCT_CHECK_PATH(e, "long_factor"),
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

void lct_check_longrope(struct lct_check *k)
{
    for (int i = 0; i < k->n_entries; i++) {
        const struct lct_rope_entry *e = &k->entries[i];

        if (strcmp(e->kind, "longrope") != 0 && strcmp(e->kind, "su") != 0 &&
            (strcmp(e->kind, "yarn") != 0 || !lct_check_is(k, "phi3")))
            continue;
        list_lengths(k, e);
        longrope_amplitude(k, e);
        longrope_switch(k, e);
        unseen_lists(k, e);
    }
}
