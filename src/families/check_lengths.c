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
    const double original = floor((double)k->M / e->factor + 0.5);
    const struct lct_ramp r =
        lct_check_ramp((double)e->rot, e->base, original, fast, slow);

    if (e->original > 0 || k->M <= 0)
        return;
    LCT_FIND(k, e, ID(L01), I(now.low), I(now.high), I(mlx.low), I(mlx.high),
             R(original), I(r.low), I(r.high), I(e->factor > 1));
}

/* L02 */
static void factor_against_lengths(struct lct_check *k,
                                   const struct lct_rope_entry *e)
{
    const double M = given_length(k), ratio = M / e->original;

    if (e->original <= 0 || M <= 0 || e->factor <= 0 || M == e->original ||
        fabs(ratio - e->factor) <= 1e-6 * e->factor)
        return;
    LCT_FIND(k, e, ID(L02), R(M), R(ratio),
             R(lct_check_yarn_amplitude(e->dict, e->factor)),
             R(lct_check_yarn_amplitude(e->dict, ratio)),
             R(e->factor * e->original));
}

/* L03 */
static void length_not_extended(struct lct_check *k,
                                const struct lct_rope_entry *e)
{
    const double M = given_length(k);
    struct lct_draft *f;

    if (M <= 0 || e->original != M || e->factor <= 1)
        return;
    f = LCT_FIND(k, e, ID(L03), R(M), R(e->factor * e->original));
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

    if (e->factor <= 1 || M <= e->original || e->original <= 0 ||
        !(vendor || (plain && M >= e->factor * e->original)))
        return;
    LCT_FIND(k, e, ID(L04), R(M), R(M * e->factor), I(vendor));
}

/* L08 */
static void two_originals(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double inner =
        lct_check_real(e->dict, "original_max_position_embeddings", 0);
    double outer =
        lct_check_real(k->text, "original_max_position_embeddings", 0);

    if (outer == 0 && lct_check_is(k, "phi3"))
        outer = 4096;
    if (inner == 0 || outer == 0 || inner == outer || e->layers[0] != '\0')
        return;
    LCT_FIND(k, e, ID(L08), R(inner), R(outer),
             I(!lct_check_has(k->text, "original_max_position_embeddings")));
}

/* ------------------------------------------------------------------ dynamic */

/* L12, L13, X09 */
static void dynamic(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double M = (double)k->M;
    struct lct_draft *f;

    if (e->original > 0 && M > e->original) {
        f = LCT_FIND(k, e, ID(L12), R(M));
        lct_check_fix(f, "max_position_embeddings",
                      json_integer((json_int_t)e->original));
    }
    LCT_FIND(k, e, ID(X09));
    if (!lct_check_bool(k->text, "use_cache", true))
        return;
    LCT_FIND(k, e, ID(L13));
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
    LCT_FIND(k, NULL, ID(L21), R(M), R(original), R(M / original));
}

static const double TURN = 6.283185307179586; /* 2 pi */

/* L20, L21 */
static void unscaled(struct lct_check *k)
{
    const double M = given_length(k);
    const struct lct_rope_entry *e = unscaled_entry(k);
    const json_t *theta = json_object_get(k->text, "rope_theta");
    double original, longest;

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
    LCT_FIND(k, e, ID(L20), R(longest), R(M),
             R(ceil(pow(M / TURN, (double)e->rot / (double)(e->rot - 2)))));
}

/* L22; the configuration of Command-R says it too */
static void tokenizer_length(struct lct_check *k)
{
    const double M = given_length(k);
    const double other =
        lct_check_real(k->text, "model_max_length",
                       lct_check_real(k->tokenizer, "model_max_length", 0));

    if (M <= 0 || other <= 0 || other > 1e9 || other == M)
        return;
    LCT_FIND(k, NULL, ID(L22), R(other), R(M), R(fmax(M, other)));
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
