/* check_widths.c - checks W01 to W08, W14 to W16 and G13: widths and heads */
#include "check.h"
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------ rotated width */

/* Where the partial factor stands; NULL if it does not. */
static const char *partial_key(const struct lct_check *k,
                               const struct lct_rope_entry *e,
                               char out[LCT_PATH_BYTES])
{
    static const char *const names[] = { "partial_rotary_factor",
                                         "rotary_pct" };

    if (lct_check_has(e->dict, names[0]))
        return lct_check_path(out, e, names[0]);
    for (int i = 0; i < 2; i++)
        if (lct_check_has(k->text, names[i]) &&
            (i == 0 || lct_check_is(k, "gpt_neox")))
            return names[i];
    return NULL;
}

static double partial_of(const struct lct_check *k,
                         const struct lct_rope_entry *e)
{
    return lct_check_real(e->dict, "partial_rotary_factor", k->partial);
}

/* The least partial factor whose product with the width is cut off to r. */
static double safe_partial(int64_t r, int64_t d)
{
    double p = (double)r / (double)d;

    while (lct_check_channels(d, p) < r)
        p = nextafter(p, 2);
    return p;
}

/* W01, W02 */
static void odd_width(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double p = partial_of(k, e), exact = (double)k->d * p;
    const double nearest = floor(exact + 0.5);
    const bool whole = fabs(exact - nearest) < 1e-6 * nearest;
    char buffer[LCT_PATH_BYTES];
    const char *key = partial_key(k, e, buffer);
    const int64_t cut = lct_check_channels(k->d, p);
    struct lct_draft *f;

    if (key == NULL || k->d <= 0 || !(p > 0 && p < 1) || k->class == NULL ||
        lct_check_class_has(k, LCT_CLASS_MLA) ||
        strcmp(e->kind, "proportional") == 0)
        return;
    if (whole && fmod(nearest, 2) == 0 && cut != (int64_t)nearest) {
        f = LCT_FIND(k, NULL, ID(W02), S(key), R(p), R(exact), I(cut),
                     R(nearest), I(lct_check_class_has(k, LCT_CLASS_PARTIAL)),
                     I((cut + 1) / 2), R(safe_partial((int64_t)nearest, k->d)));
        lct_check_fix(f, key, json_real(safe_partial((int64_t)nearest, k->d)));
    } else if (cut % 2 != 0 && lct_check_class_has(k, LCT_CLASS_PARTIAL)) {
        LCT_FIND(k, NULL, ID(W01), S(key), R(p), I(cut), I((cut + 1) / 2),
                 I(cut - 1), I(cut + 1));
    }
}

/* W03 */
static void ignored_partial(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double p = partial_of(k, e);
    const bool scaled = strcmp(e->kind, "default") != 0;
    const int64_t read = lct_check_channels(k->d, p);
    char buffer[LCT_PATH_BYTES];
    const char *key = partial_key(k, e, buffer);

    if (key == NULL || k->class == NULL || p == 1 || k->d <= 0 ||
        (k->class->traits &
         (LCT_CLASS_PARTIAL | LCT_CLASS_MLA | LCT_CLASS_NO_ROPE)) ||
        strcmp(e->kind, "proportional") == 0)
        return;
    LCT_FIND(k, NULL, ID(W03), S(key), R(p), I(scaled), I(read / 2), I(read));
}

/* W04, W05 and G13: rotary_dim */
static void rotary_dim(struct lct_check *k, const struct lct_rope_entry *e)
{
    const int64_t r = lct_check_integer(k->text, "rotary_dim", 0);
    const bool minimax = lct_check_is(k, "minimax_m2");
    char buffer[LCT_PATH_BYTES];
    const char *key = partial_key(k, e, buffer);
    const double p = partial_of(k, e);
    struct lct_draft *f;

    if (r <= 0 || r > k->d || k->class == NULL || k->d <= 0 ||
        lct_check_is(k, "gptj codegen"))
        return;
    if (key != NULL && lct_check_channels(k->d, p) != r) {
        LCT_FIND(k, NULL, ID(W05), I(r), R(p), I(lct_check_channels(k->d, p)),
                 I(lct_check_channels(r, p)), R((double)r / (double)k->d));
    } else if (key == NULL && r != k->d) {
        f = LCT_FIND(k, NULL, ID(W04), I(r), I(minimax ? r : k->d),
                     I(minimax ? k->d : r), I(minimax), I(r * r / k->d),
                     R(safe_partial(r, k->d)));
        if (minimax)
            lct_check_fix(f, "partial_rotary_factor",
                          json_real(safe_partial(r, k->d)));
    }
}

/* G13 */
static void minimax_without_rotary_dim(struct lct_check *k)
{
    struct lct_draft *f;

    if (!lct_check_is(k, "minimax_m2") || lct_check_has(k->text, "rotary_dim"))
        return;
    f = LCT_FIND(k, NULL, ID(G13),
                 I(k->n_entries > 0 ? k->entries[0].rot : 64));
    if (k->n_entries > 0 && k->entries[0].rot != k->d)
        lct_check_fix(f, "rotary_dim",
                      json_integer((json_int_t)k->entries[0].rot));
}

/* -------------------------------------------------------------------- heads */

/* W06 */
static void odd_head(struct lct_check *k, const struct lct_rope_entry *e)
{
    if (k->d <= 4 || k->d % 2 == 0 || e->rot != k->d ||
        lct_check_class_has(k, LCT_CLASS_NO_ROPE) || k->class == NULL)
        return;
    LCT_FIND(k, NULL, ID(W06));
}

/* W07, W08 */
static void heads(struct lct_check *k)
{
    if (k->class != NULL && k->class->head_dim > 0 && k->D > 0 && k->H > 0 &&
        !lct_check_has(k->text, "head_dim") &&
        k->D / k->H != k->class->head_dim)
        LCT_FIND(k, NULL, ID(W07_CLASS), I(k->class->head_dim), I(k->D / k->H));
    if (k->K > 0 && k->H > 0 && k->H % k->K != 0)
        LCT_FIND(k, NULL, ID(W08_CONFIG));
}

/* ---------------------------------------------------------------------- MLA */

/* W14, W15 */
static void latent(struct lct_check *k)
{
    const int64_t rope = lct_check_integer(k->text, "qk_rope_head_dim", 64);
    const int64_t head = lct_check_integer(k->text, "head_dim", rope);
    const double p =
        k->n_entries > 0
            ? lct_check_real(
                  k->entries[0].dict, "partial_rotary_factor",
                  lct_check_real(k->text, "partial_rotary_factor", 1))
            : 1;
    const int64_t read = lct_check_channels(head, p + 1e-12);

    if (!lct_check_class_has(k, LCT_CLASS_MLA))
        return;
    if (read != rope)
        LCT_FIND(k, NULL, ID(W14_MLA),
                 S(head != rope ? "head_dim" : "partial_rotary_factor"),
                 I(head), R(p), I(read), I(rope), I(read / 2));
    if (!lct_check_bool(k->text, "rope_interleave", true))
        LCT_FIND(k, NULL, ID(W15), I(rope / 2));
}

/* W16 */
static void never_rotates(struct lct_check *k)
{
    static const char *const keys[] = { "rope_theta", "rope_scaling",
                                        "rope_parameters" };
    struct lct_draft *f;

    for (size_t i = 0; i < 3 && lct_check_class_has(k, LCT_CLASS_NO_ROPE);
         i++) {
        if (!lct_check_has(k->text, keys[i]))
            continue;
        f = LCT_FIND(k, NULL, ID(W16), S(keys[i]));
        lct_check_remove(f, keys[i]);
    }
}

void lct_check_widths(struct lct_check *k)
{
    heads(k);
    latent(k);
    never_rotates(k);
    minimax_without_rotary_dim(k);
    for (int i = 0; i < k->n_entries; i++) {
        odd_width(k, &k->entries[i]);
        ignored_partial(k, &k->entries[i]);
        odd_head(k, &k->entries[i]);
    }
    if (k->n_entries > 0)
        rotary_dim(k, &k->entries[0]);
}
