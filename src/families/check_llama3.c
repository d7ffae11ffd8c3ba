/* check_llama3.c - checks L05 and L07: the bands of llama3 */
#include "check.h"
#include <math.h>
#include <string.h>

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

    if (!absent &&
        (lct_check_real(k->text, "max_position_embeddings", 0) <= 0 ||
         e->original < M))
        return;
    f = lct_check_report(
        k, LCT_CHECK_L05, LCT_CHECK_PATH(e, "original_max_position_embeddings"),
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
        lct_check_fix(f, LCT_CHECK_PATH(e, "original_max_position_embeddings"),
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
    f = lct_check_report(k, LCT_CHECK_L07,
                         LCT_CHECK_PATH(e, "high_freq_factor"),
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
        lct_check_fix(f, LCT_CHECK_PATH(e, "high_freq_factor"), json_real(low));
        lct_check_fix(f, LCT_CHECK_PATH(e, "low_freq_factor"), json_real(high));
    }
    lct_check_mend(f, "low_freq_factor 1 and high_freq_factor 4 are those of "
                      "Llama 3.1");
    /* published so, and every stack switches hard */
    if (high == low && lct_check_is(k, "llama4_text"))
        lct_check_severity(f, LOCANT_FINDING_WARNING);
}

void lct_check_llama3(struct lct_check *k)
{
    for (int i = 0; i < k->n_entries; i++) {
        if (strcmp(k->entries[i].kind, "llama3") != 0)
            continue;
        llama3_original(k, &k->entries[i]);
        llama3_band(k, &k->entries[i]);
    }
}
