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

/* W02: rounding cuts a whole product off to a number below it. */
static void cut_below(struct lct_check *k, const char *key, double p,
                      double nearest)
{
    const int64_t cut = lct_check_channels(k->d, p);
    struct lct_draft *f = lct_check_report(
        k, LCT_CHECK_W02, key,
        "%lld x %.17g is %.17g, which is cut off to %lld "
        "rotated channels instead of %.0f",
        (long long)k->d, p, (double)k->d * p, (long long)cut, nearest);

    if (lct_check_class_has(k, LCT_CLASS_PARTIAL))
        lct_check_says(f, LCT_HF,
                       "%lld frequencies for %lld channels: sizes that do "
                       "not fit",
                       (long long)((cut + 1) / 2), (long long)cut);
    lct_check_says(f, LCT_VLLM | LCT_MLX | LCT_LLAMA_CPP, "%lld channels",
                   (long long)cut);
    lct_check_mend(f, "%.17g, whose product is not below %.0f",
                   safe_partial((int64_t)nearest, k->d), nearest);
    lct_check_fix(f, key, json_real(safe_partial((int64_t)nearest, k->d)));
}

/* W01 */
static void odd_channels(struct lct_check *k, const char *key, double p)
{
    const int64_t cut = lct_check_channels(k->d, p);
    struct lct_draft *f = lct_check_report(
        k, LCT_CHECK_W01, key, "%.10g of %lld channels are %lld, an odd number",
        p, (long long)k->d, (long long)cut);

    lct_check_says(f, LCT_HF,
                   "%lld frequencies for %lld channels: sizes that do not "
                   "fit",
                   (long long)((cut + 1) / 2), (long long)cut);
    lct_check_says(f, LCT_VLLM | LCT_MLX, "rotates %lld channels",
                   (long long)cut);
    lct_check_says(f, LCT_LLAMA_CPP, "rope.dimension_count %lld",
                   (long long)cut);
    lct_check_mend(f,
                   "a factor whose product is even: %lld or %lld "
                   "channels",
                   (long long)cut - 1, (long long)cut + 1);
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

    if (key == NULL || k->d <= 0 || !(p > 0 && p < 1) || k->class == NULL ||
        lct_check_class_has(k, LCT_CLASS_MLA) ||
        strcmp(e->kind, "proportional") == 0)
        return;
    if (whole && fmod(nearest, 2) == 0 && cut != (int64_t)nearest)
        cut_below(k, key, p, nearest);
    else if (cut % 2 != 0 && lct_check_class_has(k, LCT_CLASS_PARTIAL))
        odd_channels(k, key, p);
}

/* W03 */
static void ignored_partial(struct lct_check *k, const struct lct_rope_entry *e)
{
    const double p = partial_of(k, e);
    const bool scaled = strcmp(e->kind, "default") != 0;
    char buffer[LCT_PATH_BYTES];
    const char *key = partial_key(k, e, buffer);
    struct lct_draft *f;

    if (key == NULL || k->class == NULL || p == 1 || k->d <= 0 ||
        (k->class->traits &
         (LCT_CLASS_PARTIAL | LCT_CLASS_MLA | LCT_CLASS_NO_ROPE)) ||
        strcmp(e->kind, "proportional") == 0)
        return;
    f = lct_check_report(k, LCT_CHECK_W03, key,
                         "partial_rotary_factor is %.10g, and the class of "
                         "'%s' has no partial rotation",
                         p, k->type);
    if (scaled)
        lct_check_says(f, LCT_HF5,
                       "%lld frequencies for %lld channels: sizes that do not "
                       "fit",
                       (long long)(lct_check_channels(k->d, p) / 2),
                       (long long)k->d);
    else
        lct_check_says(f, LCT_HF5, "rotates all %lld channels",
                       (long long)k->d);
    lct_check_says(f, LCT_VLLM, "rotates %lld of %lld channels",
                   (long long)lct_check_channels(k->d, p), (long long)k->d);
    lct_check_says(f, LCT_HF4 | LCT_MLX, "rotates all %lld channels",
                   (long long)k->d);
    lct_check_says(f, LCT_LLAMA_CPP,
                   "as the converter of this architecture "
                   "writes rope.dimension_count");
    lct_check_mend(f, "remove it, or use a model_type whose class reads it "
                      "(GPT-NeoX, Phi, StableLM, GLM, Nemotron)");
}

/* W05 */
static void two_widths(struct lct_check *k, int64_t r, double p)
{
    const int64_t other = lct_check_channels(k->d, p);
    struct lct_draft *f =
        lct_check_report(k, LCT_CHECK_W05, "rotary_dim",
                         "rotary_dim is %lld, and partial_rotary_factor "
                         "%.10g of %lld channels is %lld",
                         (long long)r, p, (long long)k->d, (long long)other);

    lct_check_says(f, LCT_HF5 | LCT_MLX, "rotates %lld channels",
                   (long long)other);
    lct_check_says(f, LCT_LLAMA_CPP, "rotates %lld channels", (long long)r);
    lct_check_says(f, LCT_VLLM, "older versions apply both: %lld channels",
                   (long long)lct_check_channels(r, p));
    lct_check_mend(f, "partial_rotary_factor %.10g if rotary_dim is right",
                   (double)r / (double)k->d);
}

/* W04 */
static void width_without_factor(struct lct_check *k, int64_t r)
{
    const bool minimax = lct_check_is(k, "minimax_m2");
    struct lct_draft *f =
        lct_check_report(k, LCT_CHECK_W04, "rotary_dim",
                         "rotary_dim %lld stands without "
                         "partial_rotary_factor, which is what readers of "
                         "'%s' look at",
                         (long long)r, k->type);

    lct_check_says(f, LCT_HF5,
                   minimax ? "%lld of %lld channels from 5.17 on, all from "
                             "5.12 to 5.16 (a KL divergence of 13)"
                           : "ignored: rotates all of %lld channels, not "
                             "%lld",
                   (long long)(minimax ? r : k->d),
                   (long long)(minimax ? k->d : r));
    lct_check_says(f, LCT_VLLM,
                   "%lld channels, or %lld before #30384, which applied the "
                   "factor twice",
                   (long long)r, (long long)(r * r / k->d));
    lct_check_mend(f, "add partial_rotary_factor %.10g", safe_partial(r, k->d));
    if (minimax)
        lct_check_fix(f, "partial_rotary_factor",
                      json_real(safe_partial(r, k->d)));
}

/* W04, W05: rotary_dim */
static void rotary_dim(struct lct_check *k, const struct lct_rope_entry *e)
{
    const int64_t r = lct_check_integer(k->text, "rotary_dim", 0);
    char buffer[LCT_PATH_BYTES];
    const char *key = partial_key(k, e, buffer);
    const double p = partial_of(k, e);

    if (r <= 0 || r > k->d || k->class == NULL || k->d <= 0 ||
        lct_check_is(k, "gptj") || lct_check_is(k, "codegen"))
        return;
    if (key != NULL && lct_check_channels(k->d, p) != r)
        two_widths(k, r, p);
    else if (key == NULL && r != k->d)
        width_without_factor(k, r);
}

/* G13 */
static void minimax_without_rotary_dim(struct lct_check *k)
{
    struct lct_draft *f;

    if (!lct_check_is(k, "minimax_m2") || lct_check_has(k->text, "rotary_dim"))
        return;
    f = lct_check_report(k, LCT_CHECK_G13, "rotary_dim",
                         "rotary_dim is absent, as in a configuration that "
                         "transformers 5 saved again");
    lct_check_says(f, LCT_LLAMA_CPP,
                   "the converter fails, or writes no rope.dimension_count: "
                   "%lld of %lld channels are rotated",
                   (long long)k->d, (long long)k->d);
    lct_check_mend(f, "add rotary_dim %lld beside partial_rotary_factor",
                   (long long)(k->n_entries > 0 ? k->entries[0].rot : 64));
    if (k->n_entries > 0 && k->entries[0].rot != k->d)
        lct_check_fix(f, "rotary_dim",
                      json_integer((json_int_t)k->entries[0].rot));
}

/* -------------------------------------------------------------------- heads */

/* W06 */
static void odd_head(struct lct_check *k, const struct lct_rope_entry *e)
{
    struct lct_draft *f;

    if (k->d <= 4 || k->d % 2 == 0 || e->rot != k->d ||
        lct_check_class_has(k, LCT_CLASS_NO_ROPE) || k->class == NULL)
        return;
    f = lct_check_report(k, LCT_CHECK_W06, "head_dim",
                         "the width of a head is %lld, an odd number",
                         (long long)k->d);
    lct_check_says(f, LCT_HF5, "ValueError: RoPE requires an even width");
    lct_check_says(f, LCT_HF4 | LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX,
                   "sizes that do not fit, or one channel without a partner");
    lct_check_mend(f, "heads of an even width");
}

/* W07, W08 */
static void heads(struct lct_check *k)
{
    struct lct_draft *f;

    if (k->class != NULL && k->class->head_dim > 0 && k->D > 0 && k->H > 0 &&
        !lct_check_has(k->text, "head_dim") &&
        k->D / k->H != k->class->head_dim) {
        f = lct_check_report(k, LCT_CHECK_W07, "head_dim",
                             "head_dim is absent; the class of '%s' has %lld, "
                             "and hidden_size / heads is %lld / %lld = %lld",
                             k->type, (long long)k->class->head_dim,
                             (long long)k->D, (long long)k->H,
                             (long long)(k->D / k->H));
        lct_check_says(f, LCT_HF5 | LCT_VLLM, "heads of %lld channels",
                       (long long)k->class->head_dim);
        lct_check_says(f, LCT_LLAMA_CPP, "heads of %lld channels",
                       (long long)(k->D / k->H));
        lct_check_mend(f, "add head_dim, the rows of q_proj over the heads");
    }
    if (k->K > 0 && k->H > 0 && k->H % k->K != 0) {
        f = lct_check_report(k, LCT_CHECK_W08, "num_key_value_heads",
                             "%lld query heads are no multiple of %lld key "
                             "heads",
                             (long long)k->H, (long long)k->K);
        lct_check_says(f, LCT_EVERY_STACK,
                       "keys cannot be repeated for the "
                       "queries: sizes that do not fit");
        lct_check_mend(f, "num_key_value_heads, the rows of k_proj over the "
                          "width of a head");
    }
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
    struct lct_draft *f;

    if (!lct_check_class_has(k, LCT_CLASS_MLA))
        return;
    if (read != rope) {
        f = lct_check_report(
            k, LCT_CHECK_W14,
            head != rope ? "head_dim" : "partial_rotary_factor",
            "head_dim %lld times the partial factor %.10g is "
            "%lld, and the rotated part is qk_rope_head_dim "
            "%lld",
            (long long)head, p, (long long)read, (long long)rope);
        lct_check_says(f, LCT_HF5,
                       "%lld frequencies for %lld channels: sizes that do not "
                       "fit",
                       (long long)(read / 2), (long long)rope);
        lct_check_says(f, LCT_VLLM | LCT_LLAMA_CPP, "rotates %lld channels",
                       (long long)rope);
        lct_check_mend(f,
                       "remove head_dim and partial_rotary_factor, or "
                       "head_dim %lld",
                       (long long)rope);
    }
    if (!lct_check_bool(k->text, "rope_interleave", true)) {
        f = lct_check_report(k, LCT_CHECK_W15, "rope_interleave",
                             "rope_interleave is false, and the weights of "
                             "'%s' are interleaved",
                             k->type);
        lct_check_says(f, LCT_HF,
                       "rotates channel i with i + %lld: wrong "
                       "scores from position 1 on",
                       (long long)(rope / 2));
        lct_check_says(f, LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX,
                       "rotates neighbours, whatever the key says");
        lct_check_mend(f, "remove it, unless the weights were converted");
    }
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
        f = lct_check_report(k, LCT_CHECK_W16, keys[i],
                             "'%s' never rotates, and %s must not be applied",
                             k->type, keys[i]);
        lct_check_says(f, LCT_HF | LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX,
                       "ignored, and a generic reader that applies it is wrong "
                       "from position 1 on");
        lct_check_mend(f, "remove it");
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
