/* html_table.c - writes tables as HTML; see html_table.h */
#include "html_table.h"
#include "../figure/figure.h"
#include "cell.h"
#include "page.h"
#include "html_message.h"
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 128 };

/* ------------------------------------------------------------------- frame */

/* Opens a frame that scrolls if the table is wider than the page. */
void lct_html_table_begin(struct lct_html *h, enum lct_message label,
                          const char *kind)
{
    lct_html_raw(h, "<div class=\"scroll\" role=\"region\" tabindex=\"0\"");
    lct_html_message_label(h, label);
    lct_html_raw(h, "><table");
    if (kind)
        lct_html_print(h, " class=\"%s\"", kind);
    lct_html_raw(h, ">\n<caption><span>");
}

void lct_html_table_columns(struct lct_html *h)
{
    lct_html_raw(h, "</span></caption>\n<thead><tr>");
}

void lct_html_table_heading(struct lct_html *h, enum lct_message heading)
{
    lct_html_message_in(h, "<th scope=\"col\">", heading, "</th>");
}

void lct_html_table_rows(struct lct_html *h)
{
    lct_html_raw(h, "</tr></thead><tbody>\n");
}

void lct_html_table_close(struct lct_html *h)
{
    lct_html_raw(h, "</tbody></table></div>\n");
}

/* In a narrow column a spec may be broken after a bracket or a comma. */
static void put_spec(struct lct_html *h, const char *spec)
{
    for (size_t n; *spec; spec += n) {
        char part[80];

        n = strcspn(spec, "(,");
        n = n + (spec[n] != 0) < sizeof part ? n + (spec[n] != 0)
                                             : sizeof part - 1;
        memcpy(part, spec, n);
        part[n] = 0;
        lct_html_text(h, part);
        if (spec[n])
            lct_html_raw(h, "<wbr>");
    }
}

void lct_html_table_group(struct lct_html *h, const struct lct_results *r,
                          size_t i)
{
    lct_html_print(h, "<tr><th scope=\"row\"><span class=\"chip c%d\"></span>",
                   (int)(i % LCT_GREY));
    put_spec(h, r->groups[i].spec);
    lct_html_raw(h, "</th>");
}

void lct_html_table_head(struct lct_html *h, const char *text, const char *spec,
                         const char *source)
{
    lct_html_raw(h, "<tr><th scope=\"row\">");
    lct_html_message_translated(h, text);
    if (spec) {
        lct_html_print(h, "<small><code>%s</code>", spec);
        lct_html_message_translated(h, source);
        lct_html_raw(h, "</small>");
    }
    lct_html_raw(h, "</th>");
}

/* ----------------------------------------------------------------- columns */

/* How many columns 'c' stands for: one for each number of its list. */
static int columns_of(const struct lct_results *r, const struct lct_column *c)
{
    const json_t *list = c->each ? lct_numbers_at(r->numbers, c->each) : NULL;

    if (c->only)
        return c->n_only;
    return json_is_array(list) ? (int)json_array_size(list) - c->first : 1;
}

static int index_of(const struct lct_column *c, int k)
{
    return c->only ? c->only[k] : c->first + k;
}

static bool is_list(const struct lct_results *r, const struct lct_column *c)
{
    return json_is_array(lct_numbers_at(r->numbers, c->each));
}

/* The path of the number that heads the k-th column of 'c'. */
static void number_path(char out[PATH_BYTES], const struct lct_results *r,
                        const struct lct_column *c, int k)
{
    if (is_list(r, c))
        snprintf(out, PATH_BYTES, "%s.%d%s%s", c->each, index_of(c, k),
                 c->of ? "." : "", c->of ? c->of : "");
    else
        snprintf(out, PATH_BYTES, "%s", c->each);
}

static void put_headings(struct lct_html *h, const struct lct_results *r,
                         const struct lct_column *c)
{
    const int n = columns_of(r, c);

    for (int k = 0; k < n; k++) {
        char at[PATH_BYTES];

        lct_html_raw(h, "<th scope=\"col\">");
        if (c->heading)
            lct_html_message_values(h, r, c->heading, NULL);
        if (c->each && (is_list(r, c) || !c->heading)) {
            lct_html_raw(h, c->heading ? " " : "");
            number_path(at, r, c, k);
            if (c->of)
                lct_page_number(h, r, 4, "%s", at);
            else
                lct_page_count(h, r, "%s", at);
        }
        lct_html_raw(h, "</th>");
    }
}

void lct_html_table_open(struct lct_html *h, const struct lct_results *r,
                         const struct lct_html_table *t,
                         const char *const *text)
{
    lct_html_table_begin(h, t->label, t->kind);
    lct_html_message_values(h, r, t->caption, text);
    lct_html_table_columns(h);
    lct_html_table_heading(h, t->row_heading);
    for (int k = 0; k < t->n; k++)
        put_headings(h, r, &t->columns[k]);
    lct_html_table_rows(h);
}

/* ------------------------------------------------------------------- cells */

/* Prints row.path with * and # replaced. */
static void expand(char out[PATH_BYTES], const struct lct_results *r,
                   const char *row, const char *path,
                   const struct lct_column *c, int k)
{
    char at[PATH_BYTES] = "";
    size_t n = (size_t)snprintf(out, PATH_BYTES, "%s", row);

    if (c->each)
        number_path(at, r, c, k);
    if (*path && n > 0 && n < PATH_BYTES)
        n += (size_t)snprintf(out + n, PATH_BYTES - n, ".");
    for (; *path && n < PATH_BYTES; path++)
        if (*path == '*')
            n += (size_t)snprintf(out + n, PATH_BYTES - n, "%" PRId64,
                                  (int64_t)lct_page_value(r, "%s", at));
        else if (*path == '#')
            n +=
                (size_t)snprintf(out + n, PATH_BYTES - n, "%d", index_of(c, k));
        else
            n += (size_t)snprintf(out + n, PATH_BYTES - n, "%c", *path);
}

/* The difference and, below it, its corrected p. */
static void put_test(struct lct_html *h, const struct lct_results *r,
                     const char *path)
{
    char mean[PATH_BYTES + 8], half[PATH_BYTES + 8];

    snprintf(mean, sizeof mean, "%s.mean", path);
    snprintf(half, sizeof half, "%s.half", path);
    lct_cell_half(h, r, true, mean, half);
    if (isnan(lct_page_value(r, "%s.p", path)))
        return;
    lct_html_raw(h, "<br><small>p ");
    lct_page_number(h, r, 3, "%s.corrected", path);
    lct_html_raw(h, "</small>");
}

static void put_text(struct lct_html *h, const struct lct_results *r,
                     const char *path, bool code)
{
    const char *text = json_string_value(lct_numbers_at(r->numbers, path));

    if (code)
        lct_html_print(h, "<code>%s</code>", text);
    else
        lct_html_message_translated(h, text);
}

static void put_shown(struct lct_html *h, const json_t *value)
{
    if (json_is_boolean(value))
        lct_html_message(h, json_is_true(value) ? MSG_YES : MSG_NOT_SHOWN);
    else
        lct_html_raw(h, "\xe2\x80\x93");
}

/* Writes a cell with more than one number, whose parts need elements of
   their own. */
static void put_open_cell(struct lct_html *h, const struct lct_results *r,
                          const struct lct_column *c, const char *path,
                          const char *other)
{
    const bool text = c->cell == LCT_CELL_CODE || c->cell == LCT_CELL_TEXT;

    lct_html_raw(h, text                        ? "<td class=\"text\">"
                    : c->cell == LCT_CELL_SHARE ? "<td class=\"i\">"
                                                : "<td>");
    if (c->cell == LCT_CELL_HALF || c->cell == LCT_CELL_HALF_CHANGE)
        lct_cell_half(h, r, c->cell == LCT_CELL_HALF_CHANGE, path, other);
    else if (c->cell == LCT_CELL_TEST)
        put_test(h, r, path);
    else if (c->cell == LCT_CELL_SHARE)
        lct_cell_share(h, r, true, path, "share");
    else if (c->cell == LCT_CELL_SHOWN)
        put_shown(h, lct_numbers_at(r->numbers, path));
    else
        put_text(h, r, path, c->cell == LCT_CELL_CODE);
    lct_html_raw(h, "</td>");
}

/* Whether the path has no number, and no object with a mean. */
static bool is_missing(const struct lct_results *r, const char *path)
{
    const json_t *at = lct_numbers_at(r->numbers, path);

    return at == NULL || json_is_null(at) ||
           (json_is_object(at) && json_is_null(json_object_get(at, "mean")));
}

static void put_cell(struct lct_html *h, const struct lct_results *r,
                     const struct lct_column *c, const char *row, int k)
{
    char path[PATH_BYTES], other[PATH_BYTES], where[PATH_BYTES];
    const double scale = c->scale != 0 ? c->scale : 1;

    expand(path, r, row, c->path, c, k);
    expand(other, r, row, c->other ? c->other : c->path, c, k);
    expand(where, r, row, c->where ? c->where : "", c, k);
    if (c->missing && is_missing(r, path) && !is_missing(r, where)) {
        lct_html_print(h, "<td>%s</td>", c->missing);
        return;
    }
    switch (c->cell) {
    case LCT_CELL_NUMBER:
        lct_page_cell(h, r, scale, c->decimals, "%s", path);
        break;
    case LCT_CELL_SIGNED:
        lct_page_cell(h, r, scale, LCT_WITH_SIGN + c->decimals, "%s", path);
        break;
    case LCT_CELL_COUNT:
        lct_page_cell(h, r, scale, LCT_NO_DECIMALS, "%s", path);
        break;
    case LCT_CELL_INTERVAL:
    case LCT_CELL_CHANGE:
        lct_cell_interval(h, r, c->cell == LCT_CELL_CHANGE, path, other);
        break;
    default: put_open_cell(h, r, c, path, other);
    }
}

void lct_html_table_cell(struct lct_html *h, const struct lct_results *r,
                         const struct lct_column *c, const char *row)
{
    put_cell(h, r, c, row, 0);
}

void lct_html_table_cells(struct lct_html *h, const struct lct_results *r,
                          const struct lct_html_table *t, const char *row)
{
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < columns_of(r, &t->columns[i]); k++)
            put_cell(h, r, &t->columns[i], row, k);
    lct_html_raw(h, "</tr>\n");
}

void lct_html_table_groups(struct lct_html *h, const struct lct_results *r,
                           const struct lct_html_table *t, const size_t *order)
{
    lct_html_table_open(h, r, t, NULL);
    for (size_t i = 0; i < r->n; i++) {
        const size_t at = order ? order[i] : i;
        char row[32];

        snprintf(row, sizeof row, "rows.%zu", at);
        lct_html_table_group(h, r, at);
        lct_html_table_cells(h, r, t, row);
    }
    lct_html_table_close(h);
}
