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

    for (int i = 0; i < 2; i++) {
        const size_t n = list_length(e->dict, lists[i]);
        const double fit = k->d > 0 ? 2 * (double)n / (double)k->d : 0;

        if (n == 0 || e->rot <= 0 || n == (size_t)(e->rot / 2))
            continue;
        LCT_FIND(k, e, ID(L09_LIST), S(lists[i]), I((int64_t)n),
                 I(lct_check_is(k, "phi3")), R(fit));
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

    if (e->factor > 0 || lct_check_has(e->dict, "attention_factor") ||
        original <= 1)
        return;
    LCT_FIND(k, e, ID(L10), R(a), R(original));
}

/* L11 */
static void longrope_switch(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double original = e->original > 0 ? e->original : 4096;
    LCT_FIND(k, e, ID(L11), R(original));
}

/* X05: ggml-org/llama.cpp#24820 */
static void unseen_lists(struct lct_check *k, const struct lct_rope_entry *e)
{
    if (!lct_check_is(k, "phi3") || strcmp(e->path, "rope_parameters") != 0)
        return;
    LCT_FIND(k, NULL, ID(X05));
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
