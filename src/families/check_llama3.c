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
    f = LCT_FIND(k, e, ID(L05), R(M), I(absent), R(absent ? M : e->original),
                 I(divided_pairs(e, absent ? M : e->original)),
                 I(divided_pairs(e, 8192)));
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
    f = LCT_FIND(k, e, ID(L07), R(high), R(low), I(high == low));
    if (high < low) {
        lct_check_fix(f, LCT_CHECK_PATH(e, "high_freq_factor"), json_real(low));
        lct_check_fix(f, LCT_CHECK_PATH(e, "low_freq_factor"), json_real(high));
    }
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
