/* export_csv.c - the numbers of the main table and of the pairs, all digits, as
   CSV (RFC 4180); an empty field is undefined */
#include "../files/decimal.h"
#include "export.h"
#include "page.h"
#include <math.h>

static void put_real(struct lct_html *to, double value)
{
    char text[LCT_DECIMAL_BYTES] = "";

    if (isfinite(value))
        lct_decimal_exact(text, value);
    lct_html_format(to, ",%s", text);
}

static void put_length(struct lct_html *to, const struct lct_results *r,
                       size_t i, long long length)
{
    lct_html_csv_text(to, r->groups[i].spec);
    lct_html_format(to, ",%zu,%lld", r->groups[i].n, length);
    put_real(to, lct_page_value(r, "rows.%zu.lengths.%lld.loss", i, length));
    put_real(to,
             lct_page_value(r, "rows.%zu.lengths.%lld.half_width", i, length));
    put_real(to, lct_page_value(r, "rows.%zu.loss.%lld.low", i, length));
    put_real(to, lct_page_value(r, "rows.%zu.loss.%lld.high", i, length));
    put_real(to, lct_page_value(r, "rows.%zu.gains.%lld.mean", i, length));
    lct_html_format(
        to, ",%lld\n",
        (long long)lct_page_value(r, "rows.%zu.encoding_parameters", i));
}

locant_status lct_export_results_csv(struct lct_html *to,
                                     const struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
            put_length(to, r, i, lct_length(r, k));
    return LOCANT_OK;
}

static void put_pairs(struct lct_html *to, const struct lct_results *r,
                      const char *measure, long long length)
{
    static const char *const names[] = { "mean", "half", "p", "corrected" };

    for (size_t i = 0; i < r->n; i++)
        for (size_t j = i + 1; j < r->n; j++) {
            lct_html_format(to, "%s,%lld,", measure, length);
            lct_html_csv_text(to, r->groups[i].spec);
            lct_html_raw(to, ",");
            lct_html_csv_text(to, r->groups[j].spec);
            for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
                put_real(to, lct_page_value(
                                 r, "pairs.%s.%lld.pairs.%zu.%s", measure,
                                 length, lct_claims_pair(r, i, j), names[k]));
            lct_html_raw(to, "\n");
        }
}

locant_status lct_export_pairs_csv(struct lct_html *to,
                                   const struct lct_results *r)
{
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        put_pairs(to, r, "loss", lct_length(r, k));
    if (lct_page_at(r, "pairs.gain"))
        put_pairs(to, r, "gain", lct_length(r, LOCANT_EVAL_LENGTHS - 1));
    return LOCANT_OK;
}
