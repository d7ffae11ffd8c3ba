/* export_tex.c - the main table, the pairs and the cited works, for LaTeX with
   booktabs */
#include "../files/decimal.h"
#include "export.h"
#include "page.h"
#include "references.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void lct_export_tex(struct lct_html *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '\\')
            lct_html_raw(to, "\\textbackslash{}");
        else if (*text == '~')
            lct_html_raw(to, "\\textasciitilde{}");
        else if (*text == '^')
            lct_html_raw(to, "\\textasciicircum{}");
        else if (strchr("#$%&_{}", *text))
            lct_html_format(to, "\\%c", *text);
        else
            lct_html_append(to, text, 1);
    }
}

/* A number in a formula; "--" if it is undefined. */
static void put_number(struct lct_html *to, double value, const char *before,
                       const char *after)
{
    char text[LCT_DECIMAL_BYTES];

    /* without the sign of what rounds to 0 */
    lct_decimal(text, fabs(value) < .0005 ? 0 : value, 3);
    if (isfinite(value))
        lct_html_format(to, "%s%s%s", before, text, after);
    else
        lct_html_raw(to, "--");
}

/* "$2.149 \pm 0.038$"; without an interval for one seed. */
static void put_half(struct lct_html *to, double mean, double half)
{
    if (!isfinite(mean) || !isfinite(half)) {
        put_number(to, mean, "$", "$");
        return;
    }
    put_number(to, mean, "$", "");
    put_number(to, half, " \\pm ", "$");
}

static void put_p(struct lct_html *to, double p)
{
    if (p < .001)
        lct_html_raw(to, "$<0.001$");
    else
        put_number(to, p, "$", "$");
}

/* "mean over 3 seeds on the same blocks", and that an interval follows. */
static void put_seeds(struct lct_html *to, const struct lct_results *r,
                      const char *on)
{
    const size_t seeds = lct_losses_seeds(r);

    if (seeds > 1)
        lct_html_format(
            to,
            "mean over %zu seeds%s $\\pm$ half of the 95\\,\\%% $t$ "
            "interval",
            seeds, on);
    else
        lct_html_format(to, "one seed%s", on);
}

/* What lengths count. */
static const char *unit_of(const struct lct_results *r)
{
    return r->vocabulary ? "tokens" : "bytes";
}

static void put_spec(struct lct_html *to, const char *spec)
{
    lct_html_raw(to, "\\texttt{");
    lct_export_tex(to, spec);
    lct_html_raw(to, "}");
}

/* ------------------------------------------------------------------- table */

/* The spec and the works that it is from. */
static locant_status put_cited(struct lct_html *to, const char *spec)
{
    struct lct_works works = { .n = 0 };

    LCT_TRY(lct_references_of(&works, spec));
    put_spec(to, spec);
    for (size_t i = 0; i < works.n; i++)
        lct_html_format(to, "%s%s", i ? "," : "~\\cite{", works.at[i].key);
    lct_html_raw(to, works.n > 0 ? "}" : "");
    return LOCANT_OK;
}

static locant_status put_row(struct lct_html *to, const struct lct_results *r,
                             size_t i)
{
    LCT_TRY(put_cited(to, r->groups[i].spec));
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        const long long length = lct_length(r, k);

        lct_html_raw(to, " & ");
        put_half(
            to, lct_page_value(r, "rows.%zu.lengths.%lld.loss", i, length),
            lct_page_value(r, "rows.%zu.lengths.%lld.half_width", i, length));
    }
    lct_html_raw(to, " & ");
    put_number(to, lct_page_value(r, "rows.%zu.gain", i), "$", "$");
    lct_html_format(
        to, " & %lld \\\\\n",
        (long long)lct_page_value(r, "rows.%zu.encoding_parameters", i));
    return LOCANT_OK;
}

locant_status lct_export_table(struct lct_html *to, const struct lct_results *r)
{
    const long long last = lct_length(r, LOCANT_EVAL_LENGTHS - 1);
    const long long trained = r->trained_length;

    lct_html_raw(to, "% needs \\usepackage{booktabs} and references.bib\n"
                     "\\begin{table*}[t]\n\\centering\n\\caption{");
    lct_html_format(
        to,
        "Loss in nats per byte by length of context in %s, on the same "
        "targets, after training on texts of %lld %s: ",
        unit_of(r), trained, unit_of(r));
    put_seeds(to, r, "");
    lct_html_format(
        to,
        ". $G(%lld)$ is the loss of a "
        "sliding window of %lld %s minus the loss at %lld %s.}\n"
        "\\label{tab:locant-loss}\n\\begin{tabular}{l*{%d}{r}rr}\n\\toprule\n"
        "encoding",
        last, trained, unit_of(r), last, unit_of(r), LOCANT_EVAL_LENGTHS);
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        lct_html_format(to, " & %lld", (long long)lct_length(r, k));
    lct_html_format(to, " & $G(%lld)$ & parameters \\\\\n\\midrule\n", last);
    for (size_t i = 0; i < r->n; i++)
        LCT_TRY(put_row(to, r, i));
    lct_html_raw(to, "\\bottomrule\n\\end{tabular}\n\\end{table*}\n");
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- pairs */

/* The test of i and j < r->n: 'name' of pairs.measure.length. */
static double test_of(const struct lct_results *r, const char *measure,
                      long long length, size_t i, size_t j, const char *name)
{
    return lct_page_value(r, "pairs.%s.%lld.pairs.%zu.%s", measure, length,
                          lct_claims_pair(r, i, j), name);
}

/* Two lines: differences and, below the diagonal, p; half widths. */
static void put_pairs_row(struct lct_html *to, const struct lct_results *r,
                          const char *measure, long long length, size_t i)
{
    lct_html_format(to, "%zu\\enspace ", i + 1);
    put_spec(to, r->groups[i].spec);
    for (size_t j = 0; j < r->n; j++) {
        lct_html_raw(to, " & ");
        if (j > i)
            put_number(to, test_of(r, measure, length, i, j, "mean"), "$", "$");
        else if (j < i)
            put_p(to, test_of(r, measure, length, j, i, "corrected"));
    }
    lct_html_raw(to, " \\\\\n");
    for (size_t j = 0; j < r->n; j++) {
        const double half =
            j > i ? test_of(r, measure, length, i, j, "half") : NAN;

        lct_html_raw(to, " & ");
        if (isfinite(half))
            put_number(to, half, "{\\scriptsize $\\pm ", "$}");
    }
    lct_html_raw(to, i + 1 < r->n ? " \\\\[2pt]\n" : " \\\\\n");
}

static void put_pairs(struct lct_html *to, const struct lct_results *r,
                      const char *measure, long long length)
{
    const bool gain = strcmp(measure, "gain") == 0;

    lct_html_format(
        to,
        "\\begin{table*}[t]\n\\centering\\small\n\\caption{Paired differences "
        "of %s %lld %s, in nats per byte. Above the diagonal: row minus "
        "column, ",
        gain ? "the gain $G$ at" : "losses at", length, unit_of(r));
    put_seeds(to, r, " on the same blocks of text");
    lct_html_format(
        to,
        ". Below the diagonal: $p$ of the paired $t$ "
        "test, corrected by Holm for all %lld comparisons of the page.}\n"
        "\\label{tab:locant-pairs-%s-%lld}\n\\begin{tabular}{l*{%zu}{r}}\n"
        "\\toprule\nencoding",
        (long long)lct_page_value(r, "claims.comparisons"), measure, length,
        r->n);
    for (size_t j = 0; j < r->n; j++)
        lct_html_format(to, " & %zu", j + 1);
    lct_html_raw(to, " \\\\\n\\midrule\n");
    for (size_t i = 0; i < r->n; i++)
        put_pairs_row(to, r, measure, length, i);
    lct_html_raw(to, "\\bottomrule\n\\end{tabular}\n\\end{table*}\n");
}

locant_status lct_export_pairs(struct lct_html *to, const struct lct_results *r)
{
    lct_html_raw(to, "% needs \\usepackage{booktabs}\n");
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        put_pairs(to, r, "loss", lct_length(r, k));
    if (lct_page_at(r, "pairs.gain"))
        put_pairs(to, r, "gain", lct_length(r, LOCANT_EVAL_LENGTHS - 1));
    return LOCANT_OK;
}

/* -------------------------------------------------------------- references */

static void put_field(struct lct_html *to, const char *name, const char *value)
{
    if (*value)
        lct_html_format(to, "  %s = {%s},\n", name, value);
}

static void put_work(struct lct_html *to, const struct lct_work *w)
{
    lct_html_format(to, "\n@misc{%s,\n", w->key);
    put_field(to, "author", w->authors);
    lct_html_raw(to, "  title = {{");
    if (w->title[0]) /* as BibTeX has it */
        lct_html_raw(to, w->title);
    else
        lct_export_tex(to, w->key);
    lct_html_raw(to, "}},\n");
    put_field(to, "year", w->year);
    if (w->arxiv[0]) {
        put_field(to, "eprint", w->arxiv);
        put_field(to, "archiveprefix", "arXiv");
    }
    if (w->url[0])
        lct_html_format(to, "  howpublished = {\\texttt{%s}},\n", w->url);
    lct_html_raw(to, "}\n");
}

locant_status lct_export_references(struct lct_html *to,
                                    const struct lct_results *r)
{
    struct lct_works works = { .n = 0 };

    lct_html_raw(to, "\n@misc{locant,\n  author = {{The locant authors}},\n"
                     "  title = {{locant: positional encodings for "
                     "Transformers, in C}},\n");
    if (strspn(r->date, "0123456789") == 4)
        lct_html_format(to, "  year = {%.4s},\n", r->date);
    lct_html_format(to, "  note = {Version %s, commit ", locant_version());
    lct_export_tex(to, r->commit);
    lct_html_raw(to, "},\n}\n");
    for (size_t i = 0; i < r->n; i++)
        LCT_TRY(lct_references_of(&works, r->groups[i].spec));
    for (size_t i = 0; i < works.n; i++)
        put_work(to, &works.at[i]);
    return LOCANT_OK;
}
