/*
 * page_extension.c - the section about reading beyond the trained length (job
 * 'report --with extension').  It shows the numbers that --json prints.
 */
#include "page_extension.h"
#include "cell.h"
#include "html_message.h"
#include "html_table.h"
#include <stdio.h>

bool lct_page_has_extension(const struct lct_results *r)
{
    return r->extension != NULL;
}

/* ------------------------------------------------------------------- tables */

#define LENGTHS .each = "extension.lengths"
#define TRAINED .each = "extension.trained_length"

/* The trained length has a column of its own. */
static const struct lct_column losses[] = {
    { LENGTHS, .path = "loss.*", .cell = LCT_CELL_INTERVAL },
    { TRAINED, .path = "short", .cell = LCT_CELL_INTERVAL },
    { MSG_SHORT_ABOVE_NONE, .path = "short_above_none",
      .cell = LCT_CELL_CHANGE },
};
static const struct lct_column above_crop[] = {
    { LENGTHS, .path = "above_crop.*", .cell = LCT_CELL_CHANGE },
    { MSG_TOKENS_PER_SECOND, .path = "tokens_per_second",
      .cell = LCT_CELL_COUNT },
    { MSG_COST, .path = "cost", .decimals = 2 },
};
/* At the trained length only the unchanged model was tested. */
static const char needles_trained[] = "extension.needle_trained";
static const struct lct_column needles[] = {
    { TRAINED, .path = needles_trained, .cell = LCT_CELL_SHARE },
    { LENGTHS, .path = "needle.*", .cell = LCT_CELL_SHARE },
};
static const struct lct_column tuned_needles[] = {
    { TRAINED, .path = "needle_short", .cell = LCT_CELL_SHARE },
    { LENGTHS, .path = "needle.*", .cell = LCT_CELL_SHARE },
};
static const struct lct_column orderings[] = {
    { MSG_EXPECTED, .path = "expected", .cell = LCT_CELL_CODE },
    { MSG_MEASURED, .path = "measured", .cell = LCT_CELL_CODE },
    { MSG_EVIDENCE, .path = "evidence", .cell = LCT_CELL_CODE },
};

static const struct {
    const char *list; /* path of the rows in the document */
    const char *head; /* key of a row's name */
    bool source;      /* the source stands below it */
    struct lct_html_table table;
} tables[] = {
#define TABLE(label, caption, heading, columns)                                \
    {                                                                          \
        MSG_##label, MSG_##caption##_CAPTION, NULL, MSG_##heading,             \
            LCT_COLUMNS(columns)                                               \
    }
    { "methods", "title", true,
      TABLE(EXTENSION_TITLE, ZERO_SHOT, METHOD, losses) },
    { "methods", "title", false,
      TABLE(ABOVE_CROP, ABOVE_CROP, METHOD, above_crop) },
    { "tuned", "title", true,
      TABLE(EXTENSION_TUNED_TITLE, TUNED, TUNED_WITH, losses) },
    { "tuned", "title", false,
      TABLE(TUNED_ABOVE_CROP, TUNED_ABOVE_CROP, TUNED_WITH, above_crop) },
    { "methods", "title", false,
      TABLE(EXTENSION_NEEDLE_TITLE, NEEDLES, METHOD, needles) },
    { "tuned", "title", false,
      TABLE(EXTENSION_NEEDLE_TUNED_TITLE, TUNED_NEEDLES, TUNED_WITH,
            tuned_needles) },
    { "orderings",
      "setting",
      false,
      { MSG_ORDERINGS, MSG_ORDERINGS_CAPTION, "words", MSG_SETTING,
        LCT_COLUMNS(orderings) } },
};

/* In the zero-shot table of needles, writes the cell of the trained length,
   which only the first row fills, and returns a table of the other columns. */
static struct lct_html_table put_trained(struct lct_html *h,
                                         const struct lct_results *r,
                                         struct lct_html_table t, int row)
{
    if (t.columns != needles)
        return t;
    lct_html_raw(h, "<td class=\"i\">");
    if (row == 0)
        lct_cell_share(h, r, true, needles_trained, "share");
    lct_html_raw(h, "</td>");
    t.columns++;
    t.n--;
    return t;
}

static void put_table(struct lct_html *h, const struct lct_results *r, int k)
{
    static const char *const signs[] = { "\xe2\x89\x88", "=" };
    const char *list = tables[k].list;

    lct_html_table_open(h, r, &tables[k].table, signs);
    for (int i = 0; i < (int)lct_page_size(r, "extension.%s", list); i++) {
        struct lct_html_table cells;
        char row[64];

        snprintf(row, sizeof row, "extension.%s.%d", list, i);
        lct_html_table_head(
            h, lct_page_text(r, "%s.%s", row, tables[k].head),
            lct_page_text(r, "%s.spec", row),
            tables[k].source ? lct_page_text(r, "%s.source", row) : NULL);
        cells = put_trained(h, r, tables[k].table, i);
        lct_html_table_cells(h, r, &cells, row);
    }
    lct_html_table_close(h);
}

locant_status lct_page_extension(struct lct_html *h,
                                 const struct lct_results *r)
{
    const char *const model[] = { lct_page_text(r, "extension.model") };

    lct_html_raw(h, "<p>");
    lct_html_message_values(h, r, MSG_EXTENSION_LEAD, model);
    lct_html_message_if_some(h, r, "extension", "failures", MSG_FAILURES);
    lct_html_raw(h, "</p>\n");
    LCT_TRY(lct_page_extension_figures(h, r));
    for (int k = 0; k < (int)(sizeof tables / sizeof tables[0]); k++)
        put_table(h, r, k);
    return lct_html_status(h);
}
