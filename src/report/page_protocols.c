/*
 * page_protocols.c - the same models under other protocols, and evaluated with
 * other specs than they were trained with.
 */
#include "figures.h"
#include "lines.h"
#include "page.h"
#include "html_message.h"
#include "html_table.h"
#include <math.h>
#include <stdio.h>

enum { N = LOCANT_EVAL_LENGTHS, POLICIES = 3 };

/* ------------------------------------------------------------------ tables */

#define LENGTHS .each = "protocol.lengths"

/* clang-format off */
static const struct lct_column windows[] = {
    { LENGTHS, .path = "non_overlapping.*", .cell = LCT_CELL_INTERVAL } };
static const struct lct_column gains[] = {
    { LENGTHS, .path = "gains.*", .cell = LCT_CELL_CHANGE } };
static const struct lct_column context[] = {
    { MSG_REPLACED, .path = "context.replaced", .cell = LCT_CELL_CHANGE },
    { MSG_SHUFFLED, .path = "context.shuffled", .cell = LCT_CELL_CHANGE },
    { MSG_TRUNCATED, .path = "context.truncated", .cell = LCT_CELL_CHANGE },
    { MSG_USES_CONTEXT, .path = "context.uses", .cell = LCT_CELL_SHOWN } };
static const struct lct_column logn[] = {
    { LENGTHS, .first = 1, .path = "logn.*", .other = "logn_change.*",
      .cell = LCT_CELL_INTERVAL } };
static const struct lct_column rates[] = {
    { .each = "rows.0.rates", .of = "rate", .path = "rates.#.valid",
      .decimals = 3 },
    { MSG_CHOSEN, .path = "rate", .decimals = 4 } };
static const struct lct_column cache[] = {
    { LENGTHS, .path = "cache.*", .decimals = 3 } };

#define TABLE(name, columns)                                                  \
    { MSG_##name, MSG_##name##_CAPTION, NULL, MSG_ENCODING,                   \
      LCT_COLUMNS(columns) }
static const struct {
    enum lct_measure measure; /* shown if runs have this measure */
    struct lct_html_table table;
} tables[] = {
    { LCT_P3, TABLE(WINDOWS, windows) },
    { LCT_P4, TABLE(GAINS, gains) },
    { LCT_LOGN, TABLE(LOGN, logn) },
};
/* clang-format on */
static const struct lct_html_table context_table = TABLE(CONTEXT, context);
static const struct lct_html_table rates_table = TABLE(RATES, rates);
static const struct lct_html_table cache_table = TABLE(CACHE, cache);

/* A row for each way to read beyond the end of a learned table. */
/* clang-format off */
static const struct {
    const char *name;
    enum lct_measure measure;
    struct lct_column column;
} policies[POLICIES] = {
#define POLICY(name, measure)                                                 \
    { #name, measure, { LENGTHS, .first = 1, .path = #name ".*",              \
                        .cell = LCT_CELL_INTERVAL } }
    POLICY(clamp, LCT_CLAMP), POLICY(wrap, LCT_WRAP),
    POLICY(resample, LCT_RESAMPLE),
};
/* clang-format on */

static void put_policies(struct lct_html *h, const struct lct_results *r)
{
    static const struct lct_column columns[] = { { .heading = MSG_POLICY },
                                                 { LENGTHS, .first = 1 } };
    static const struct lct_html_table table = TABLE(POLICIES, columns);

    lct_html_table_open(h, r, &table, NULL);
    for (size_t i = 0; i < r->n; i++)
        for (int p = 0; p < POLICIES; p++) {
            const struct lct_html_table row = { .columns = &policies[p].column,
                                                .n = 1 };
            char path[32];

            if (r->groups[i].n == 0 ||
                !r->groups[i].results[0].more[policies[p].measure])
                continue;
            lct_html_table_group(h, r, i);
            lct_html_print(h, "<td>%s</td>", policies[p].name);
            snprintf(path, sizeof path, "rows.%zu", i);
            lct_html_table_cells(h, r, &row, path);
        }
    lct_html_table_close(h);
}

static void put_cache(struct lct_html *h, const struct lct_results *r)
{
    lct_html_table_open(h, r, &cache_table, NULL);
    lct_html_message_in(h, "<tr><th scope=\"row\">", MSG_NGRAM_WITH_CACHE,
                        "</th>");
    lct_html_table_cells(h, r, &cache_table, "");
    lct_html_table_close(h);
}

/* The last row: what an n-gram gains from the same bytes. */
static void put_context(struct lct_html *h, const struct lct_results *r)
{
    lct_html_table_open(h, r, &context_table, NULL);
    for (size_t i = 0; i < r->n; i++) {
        char row[32];

        snprintf(row, sizeof row, "rows.%zu", i);
        lct_html_table_group(h, r, i);
        lct_html_table_cells(h, r, &context_table, row);
    }
    if (!isnan(lct_page_value(r, "context.ngram"))) {
        lct_html_message_in(h, "<tr><th scope=\"row\">", MSG_GAIN_OF_CACHE,
                            "</th>");
        lct_page_cell(h, r, 1, LCT_WITH_SIGN + 3, "context.ngram");
        lct_html_raw(h, "<td>–</td><td>–</td><td>–</td></tr>\n");
    }
    lct_html_table_close(h);
}

/* ------------------------------------------------------------------ figure */

static locant_status draw_protocols(struct lct_html *h,
                                    const struct lct_results *r)
{
    locant_mark mark = lct_trained_mark(r);
    locant_figure f;
    struct lct_lines l;
    locant_status status;

    if (r->n == 0)
        return LOCANT_OK;
    LCT_TRY(lct_lines_make(&l, 2 * r->n + 1, 0, 4 * N * r->n + 2));
    for (size_t i = 0; i < r->n; i++) {
        lct_lines_losses(&l, r, i, "loss")->label = r->groups[i].spec;
        lct_lines_losses(&l, r, i, "non_overlapping")->dashed = 1;
    }
    lct_lines_dashed(&l, (double)lct_length(r, 0), MSG_DASHED_WINDOWS);
    f = lct_lines_figure(&l, FIG_PROTOCOLS);
    lct_figures_marks(&f, &mark, 1);
    status = lct_page_figure(h, r, FIG_PROTOCOLS, &f);
    lct_lines_free(&l);
    return status;
}

/* ----------------------------------------------------------------- section */

locant_status lct_page_protocols(struct lct_html *h,
                                 const struct lct_results *r)
{
    if (lct_losses_has(r, LCT_P3))
        LCT_TRY(draw_protocols(h, r));
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (lct_losses_has(r, tables[i].measure))
            lct_html_table_groups(h, r, &tables[i].table, NULL);
    if (lct_losses_has(r, LCT_REPLACED))
        put_context(h, r);
    if (lct_losses_has(r, LCT_CLAMP))
        put_policies(h, r);
    if (r->n_rates > 0 && r->n > 0)
        lct_html_table_groups(h, r, &rates_table, NULL);
    if (r->cache_order > 0)
        put_cache(h, r);
    return lct_html_status(h);
}
