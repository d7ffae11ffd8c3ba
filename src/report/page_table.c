/* page_table.c - the tables: loss by length, changes at longer text, cost */
#include "../core/size.h"
#include "page.h"
#include "html_table.h"
#include <math.h>

#define LENGTHS .each = "protocol.lengths"
#define COUNT   .cell = LCT_CELL_COUNT

static const struct lct_column losses[] = {
    { LENGTHS, .path = "loss.*", .cell = LCT_CELL_INTERVAL },
    { MSG_RANK, .path = "rank", COUNT },
    { MSG_MEAN_RECIPROCAL_RANK, .path = "mean_reciprocal_rank", .decimals = 2 },
};

static const struct lct_column changes[] = {
    { LENGTHS, .first = 1, .path = "change.*", .cell = LCT_CELL_CHANGE },
    { MSG_OWN_WINDOW, .path = "own_window", .decimals = 3 },
    { MSG_GAIN_AT_LONGEST, .path = "gain", .cell = LCT_CELL_SIGNED,
      .decimals = 3 },
};

/* The best encoding has a loss but is behind no other, so its cell is empty. */
static const struct lct_column tests[] = {
    { MSG_CHANGE_AT, LENGTHS, .only = lct_claims_lengths + 1,
      .n_only = LCT_CLAIMS_LENGTHS - 1, .path = "change.*",
      .cell = LCT_CELL_TEST },
    { MSG_BEHIND_AT, LENGTHS, .only = lct_claims_lengths,
      .n_only = LCT_CLAIMS_LENGTHS, .path = "behind.*", .cell = LCT_CELL_TEST,
      .missing = "", .where = "loss.*.mean" },
};

/* Of the first screen: the trained length, and the change at the longest. */
static const int ends[] = { 0, LOCANT_EVAL_LENGTHS - 1 };
static const struct lct_column summary[] = {
    { MSG_LOSS_AT, LENGTHS, .only = ends, .n_only = 2, .path = "loss.*.mean",
      .decimals = 3 },
    { MSG_CHANGE_AT, LENGTHS, .only = ends + 1, .n_only = 1, .path = "change.*",
      .cell = LCT_CELL_CHANGE },
};

#define DECLARED .each = "declared.length"
static const struct lct_column declared[] = {
    { MSG_CHANGE, .path = "declared.mean", .other = "declared.half",
      .cell = LCT_CELL_HALF_CHANGE },
    { MSG_P, .path = "declared.p", .decimals = 3 },
    { MSG_P_HOLM, .path = "declared.holm", .decimals = 3 },
    { MSG_POWER, .path = "declared.power", .decimals = 2 },
    { MSG_SEEDS_FOR_POWER, .path = "declared.seeds", COUNT,
      .missing = "" }, /* more seeds than a report takes */
    { MSG_ERROR_OF_SEEDS, DECLARED, .path = "change.*.seed_error",
      .decimals = 3 },
    { MSG_ERROR_OF_BLOCKS, DECLARED, .path = "change.*.data_error",
      .decimals = 3 },
};

static const struct lct_column spreads[] = {
    { LENGTHS, .path = "lengths.*.loss", .other = "lengths.*.half_width",
      .cell = LCT_CELL_HALF },
    { MSG_SEEDS, .path = "seeds", COUNT },
};

static const struct lct_column costs[] = {
    { MSG_EXTRA_PARAMETERS, .path = "encoding_parameters", COUNT },
    { MSG_TRAIN_SPEED, .path = "train_tokens_per_second", COUNT },
    { MSG_EVAL_SPEED, .path = "eval_tokens_per_second", COUNT },
    { MSG_FORWARD_MS, .path = "forward_ms", .decimals = 4 },
    { MSG_BACKWARD_MS, .path = "backward_ms", .decimals = 4 },
    { MSG_MEMORY, .path = "bytes", .scale = 0x1p-20, .decimals = 1 },
    { MSG_SECONDS, .path = "seconds", .decimals = 1 },
};

/* clang-format off */
#define TABLE(name, columns)                                                  \
    { MSG_##name, MSG_##name##_CAPTION, NULL, MSG_ENCODING,                   \
      LCT_COLUMNS(columns) }
/* clang-format on */
static const struct lct_html_table tables[] = {
    TABLE(LOSS, losses),       TABLE(CHANGES, changes), TABLE(TESTS, tests),
    TABLE(DECLARED, declared), TABLE(SPREADS, spreads), TABLE(COSTS, costs),
};
static const struct lct_html_table summary_table = { MSG_SUMMARY,
                                                     MSG_SUMMARY_CAPTION,
                                                     "brief", MSG_ENCODING,
                                                     LCT_COLUMNS(summary) };

/* Orders groups by loss at the judged length; undefined losses come last. */
static void sort(size_t *order, const struct lct_results *r)
{
    const long long last = lct_length(r, lct_losses_ranked_index(r));

    for (size_t i = 0; i < r->n; i++) {
        double own = lct_page_value(r, "rows.%zu.loss.%lld.mean", i, last);
        size_t at = i;

        for (; at > 0 && !isnan(own); at--) {
            double before = lct_page_value(r, "rows.%zu.loss.%lld.mean",
                                           order[at - 1], last);

            if (before <= own)
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

/* Writes n tables whose rows are in the order of sort(). */
static locant_status put_tables(struct lct_html *h, const struct lct_results *r,
                                const struct lct_html_table *table, size_t n)
{
    size_t bytes, *order = NULL;

    if (lct_mul(&bytes, r->n + 1, sizeof *order))
        order = locant_alloc(bytes);
    if (!order)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory to order %zu groups", r->n);
    sort(order, r);
    for (size_t i = 0; i < n; i++)
        lct_html_table_groups(h, r, &table[i], order);
    locant_release(order);
    return LOCANT_OK;
}

locant_status lct_page_tables(struct lct_html *h, const struct lct_results *r)
{
    return put_tables(h, r, tables, sizeof tables / sizeof tables[0]);
}

locant_status lct_page_summary_table(struct lct_html *h,
                                     const struct lct_results *r)
{
    return put_tables(h, r, &summary_table, 1);
}
