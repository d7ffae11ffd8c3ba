/* data.c - the numbers of a figure as JSON and as CSV */
#include "data.h"
#include "inline.h"
#include "../files/utf8.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const lct_figure_data_kinds[] = { "curves", "heatmap", "bars",
                                              "strips", "points",  "panels" };

/*
 * -------------------------------------------------------------------- JSON
 *
 * jansson does not build this JSON.  Numbers here have six digits or the fewest
 * that read back, while jansson's have a fixed number; jansson does not escape
 * "<", which could end the <script>; and its tree takes 40 bytes a cell.
 */

/*
 * A string for use inside <script>: "<" and the line separators of JavaScript
 * are escaped, and bytes that are not UTF-8 become U+FFFD.
 */
static void put_string(struct lct_html *h, const char *text)
{
    lct_html_raw(h, "\"");
    while (*text) {
        const char *from = text;
        int32_t c = lct_utf8_next(&text);
        char escape[16];

        if (c < 0) {
            lct_html_raw(h, "\xef\xbf\xbd");
        } else if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' ||
                   c == '&' || c == 0x7f || c == 0x2028 || c == 0x2029) {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
            lct_html_raw(h, escape);
        } else {
            lct_html_append(h, from, (size_t)(text - from));
        }
    }
    lct_html_raw(h, "\"");
}

static void put_text(struct lct_html *h, const char *key, const char *text)
{
    if (!text)
        return;
    lct_html_print(h, ",\"%s\":", key);
    put_string(h, text);
}

static void put_number(struct lct_html *h, double value, bool packed)
{
    char text[LCT_DECIMAL_BYTES] = "null";

    if (isfinite(value) && packed)
        lct_decimal_digits(text, value, 6);
    else if (isfinite(value))
        lct_decimal_exact(text, value);
    lct_html_raw(h, text);
}

static void put_value(struct lct_html *h, const char *key, double value)
{
    lct_html_print(h, ",\"%s\":", key);
    put_number(h, value, false);
}

/* "[1,2]" */
static void put_list(struct lct_html *h, const double *x, size_t n, bool packed)
{
    for (size_t i = 0; i < n; i++) {
        lct_html_raw(h, i ? "," : "[");
        put_number(h, x[i], packed);
    }
    lct_html_raw(h, n ? "]" : "[]");
}

static void put_array(struct lct_html *h, const char *key, const double *x,
                      size_t n, bool packed)
{
    if (!x)
        return;
    lct_html_print(h, ",\"%s\":", key);
    put_list(h, x, n, packed);
}

/* Whether series i has the x of the previous series; the page then reads x from
   there. */
static bool same_x(const locant_figure *f, size_t i)
{
    const locant_series *a = &f->series[i];

    return i > 0 && a->n == a[-1].n &&
           memcmp(a->x, a[-1].x, a->n * sizeof *a->x) == 0;
}

static void put_series(struct lct_html *h, const locant_figure *f, size_t i,
                       bool packed)
{
    const locant_series *s = &f->series[i];
    size_t n = f->kind == LOCANT_FIGURE_BARS ? 1 : s->n;

    lct_html_print(h, "%s{\"color\":%d,\"dashed\":%d,\"marks\":%s",
                   i ? "," : "", lct_series_color(f, i), s->dashed,
                   s->marks ? "true" : "false");
    put_text(h, "label", s->label);
    put_text(h, "label_zh", s->label_zh);
    if (f->kind == LOCANT_FIGURE_CURVES && !(packed && same_x(f, i)))
        put_array(h, "x", s->x, n, packed);
    put_array(h, "y", s->y, n, packed);
    put_array(h, "low", s->low, n, packed);
    put_array(h, "high", s->high, n, packed);
    lct_html_raw(h, "}");
}

static void put_lines(struct lct_html *h, const locant_figure *f, bool packed)
{
    if (f->y_min < f->y_max) {
        put_value(h, "y_min", f->y_min);
        put_value(h, "y_max", f->y_max);
    }
    lct_html_raw(h, ",\"series\":[");
    for (size_t i = 0; i < f->n_series; i++)
        put_series(h, f, i, packed);
    lct_html_raw(h, "],\"marks\":[");
    for (size_t i = 0; i < f->n_marks; i++) {
        lct_html_raw(h, i ? ",{\"x\":" : "{\"x\":");
        put_number(h, f->marks[i].x, false);
        put_text(h, "label", f->marks[i].label);
        put_text(h, "label_zh", f->marks[i].label_zh);
        lct_html_raw(h, "}");
    }
    lct_html_raw(h, "]");
}

static void put_names(struct lct_html *h, const char *key,
                      const char *const *names, int64_t n)
{
    if (!names)
        return;
    lct_html_print(h, ",\"%s\":[", key);
    for (int64_t i = 0; i < n; i++) {
        lct_html_raw(h, i ? "," : "");
        put_string(h, names[i]);
    }
    lct_html_raw(h, "]");
}

static void put_cells(struct lct_html *h, const locant_figure *f)
{
    lct_html_raw(h, ",\"cells\":[");
    for (int64_t r = 0; r < f->rows; r++) {
        lct_html_raw(h, r ? "," : "");
        put_list(h, f->cells + r * f->cols, (size_t)f->cols, false);
    }
    lct_html_raw(h, "]");
}

/*
 * The cells for the page, pooled as in its drawing.  The page interpolates
 * tables to other lengths, so these are pooled only to LCT_PAGE_CELLS a side.
 */
static locant_status put_packed_cells(struct lct_html *h,
                                      const locant_figure *f,
                                      const struct lct_scale *map)
{
    const bool table = f->name != NULL && strcmp(f->name, "table") == 0;
    struct lct_pooled d;
    locant_status status =
        lct_pool(&d, f, LCT_PAGE_CELLS, map, table ? NULL : lct_inline_fits);
    size_t n = (size_t)(d.rows * d.cols);
    /* a map has at most LCT_PAGE_CELLS squared: no overflow */
    unsigned char *bytes = status == LOCANT_OK ? locant_alloc(2 * n) : NULL;

    if (bytes) {
        const double pooled[2] = { (double)d.by[0], (double)d.by[1] };
        for (size_t i = 0; i < n; i++) {
            int u = 1 + lct_shade(map, d.cells[i], 65535);
            bytes[2 * i] = (unsigned char)(u & 255);
            bytes[2 * i + 1] = (unsigned char)(u >> 8);
        }
        put_array(h, "pooled", pooled, 2, true);
        lct_html_raw(h, ",\"u16\":\"");
        lct_html_base64(h, bytes, 2 * n);
        lct_html_raw(h, "\"");
    } else if (status == LOCANT_OK) {
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "locant_figure: no memory for %zu cells", n);
    }
    locant_release(bytes);
    locant_release(d.memory);
    return status;
}

static locant_status put_map(struct lct_html *h, const locant_figure *f,
                             bool packed)
{
    struct lct_scale map = lct_scale_of(f);

    put_value(h, "rows", (double)f->rows);
    put_value(h, "cols", (double)f->cols);
    put_value(h, "x_first", f->x_step != 0 ? f->x_first : 0);
    put_value(h, "x_step", f->x_step != 0 ? f->x_step : 1);
    put_value(h, "y_first", f->y_step != 0 ? f->y_first : 0);
    put_value(h, "y_step", f->y_step != 0 ? f->y_step : 1);
    put_names(h, "row_names", f->row_names, f->rows);
    put_names(h, "col_names", f->col_names, f->cols);
    lct_html_raw(h, f->numbers ? ",\"numbers\":true" : "");
    lct_html_raw(h,
                 f->diverging ? ",\"diverging\":true" : ",\"diverging\":false");
    put_value(h, "low", map.low);
    put_value(h, "high", map.high);
    if (packed)
        return put_packed_cells(h, f, &map);
    put_cells(h, f);
    return LOCANT_OK;
}

/* The object of a figure that was checked. */
static locant_status put_figure(struct lct_html *h, const locant_figure *f,
                                bool packed);

static locant_status put_panels(struct lct_html *h, const locant_figure *f,
                                bool packed)
{
    const struct lct_scale m = lct_scale_of(f);

    lct_html_raw(h, ",\"panels\":[");
    for (size_t i = 0; i < f->n_panels; i++) {
        const locant_figure panel = lct_panel(f, i, &m);

        lct_html_raw(h, i ? ",\n" : "");
        LCT_TRY(put_figure(h, &panel, packed));
    }
    lct_html_raw(h, "]");
    return LOCANT_OK;
}

static locant_status put_figure(struct lct_html *h, const locant_figure *f,
                                bool packed)
{
    locant_status status = LOCANT_OK;

    lct_html_print(h, "{\"kind\":\"%s\"", lct_figure_data_kinds[f->kind]);
    put_text(h, "name", f->name);
    put_text(h, "title", f->title);
    put_text(h, "title_zh", f->title_zh);
    put_text(h, "x_label", f->x_label);
    put_text(h, "x_label_zh", f->x_label_zh);
    put_text(h, "y_label", f->y_label);
    put_text(h, "y_label_zh", f->y_label_zh);
    lct_html_raw(h, f->log_x ? ",\"log_x\":true" : ",\"log_x\":false");
    if (f->kind == LOCANT_FIGURE_HEATMAP)
        status = put_map(h, f, packed);
    else if (f->kind == LOCANT_FIGURE_PANELS)
        status = put_panels(h, f, packed);
    else
        put_lines(h, f, packed);
    lct_html_raw(h, "}");
    return status;
}

locant_status lct_figure_data(struct lct_html *h, const locant_figure *f,
                              bool packed)
{
    LCT_TRY(lct_figure_check("locant_figure_json", f));
    LCT_TRY(put_figure(h, f, packed));
    return lct_html_status(h);
}

/* --------------------------------------------------------------------- CSV */

/* ",1.5"; NaN is an empty field. */
static void put_csv_number(struct lct_html *h, double value)
{
    char text[LCT_DECIMAL_BYTES];

    lct_html_raw(h, ",");
    if (isnan(value))
        return;
    lct_decimal_exact(text, value);
    lct_html_raw(h, text);
}

static void csv_lines(struct lct_html *h, const locant_figure *f)
{
    bool band = false, curves = f->kind == LOCANT_FIGURE_CURVES;

    for (size_t i = 0; i < f->n_series; i++)
        band |= f->series[i].low != NULL;
    lct_html_raw(h, curves ? "series,x,y" : "series,index,y");
    lct_html_raw(h, band ? ",low,high\n" : "\n");
    for (size_t i = 0; i < f->n_series; i++) {
        const locant_series *s = &f->series[i];
        size_t n = f->kind == LOCANT_FIGURE_BARS ? 1 : s->n;
        char index[24];

        snprintf(index, sizeof index, "%zu", i + 1);
        for (size_t k = 0; k < n; k++) {
            lct_html_csv_text(h, s->label ? s->label : index);
            put_csv_number(h, curves ? s->x[k] : (double)k);
            put_csv_number(h, s->y[k]);
            if (band) {
                put_csv_number(h, s->low ? s->low[k] : NAN);
                put_csv_number(h, s->high ? s->high[k] : NAN);
            }
            lct_html_raw(h, "\n");
        }
    }
}

/* The name of a row or column, or its number. */
static void put_index(struct lct_html *h, const char *const *names, int64_t i,
                      double first, double step)
{
    char text[LCT_DECIMAL_BYTES];

    if (names) {
        lct_html_csv_text(h, names[i]);
        return;
    }
    lct_decimal_exact(text, step != 0 ? first + step * (double)i : (double)i);
    lct_html_raw(h, text);
}

/* Rows and columns have their numbers too: names may repeat, as words in a
   sentence do. */
static void csv_panels(struct lct_html *h, const locant_figure *f)
{
    lct_html_raw(h, "panel,row,column,row name,column name,value\n");
    for (size_t k = 0; k < f->n_panels; k++) {
        const locant_figure *p = &f->panels[k];
        char index[24];

        snprintf(index, sizeof index, "%zu", k + 1);
        for (int64_t i = 0; i < p->rows * p->cols; i++) {
            lct_html_csv_text(h, p->title ? p->title : index);
            lct_html_print(h, ",%lld,%lld,", (long long)(i / p->cols),
                           (long long)(i % p->cols));
            put_index(h, p->row_names, i / p->cols, p->y_first, p->y_step);
            lct_html_raw(h, ",");
            put_index(h, p->col_names, i % p->cols, p->x_first, p->x_step);
            put_csv_number(h, p->cells[i]);
            lct_html_raw(h, "\n");
        }
    }
}

static void csv_map(struct lct_html *h, const locant_figure *f)
{
    lct_html_csv_text(h, f->y_label ? f->y_label : "row");
    lct_html_raw(h, ",");
    lct_html_csv_text(h, f->x_label ? f->x_label : "column");
    lct_html_raw(h, ",value\n");
    for (int64_t i = 0; i < f->rows * f->cols; i++) {
        put_index(h, f->row_names, i / f->cols, f->y_first, f->y_step);
        lct_html_raw(h, ",");
        put_index(h, f->col_names, i % f->cols, f->x_first, f->x_step);
        put_csv_number(h, f->cells[i]);
        lct_html_raw(h, "\n");
    }
}

/* ------------------------------------------------------------------ public */

locant_status locant_figure_json(char **out, size_t *size,
                                 const locant_figure *figure)
{
    struct lct_html h = { .data = NULL };

    if (!out || !size)
        return locant_fail(LOCANT_ERR_NULL, "locant_figure_json: %s is NULL",
                           out ? "size" : "out");
    return lct_html_finish(out, size, &h, lct_figure_data(&h, figure, false));
}

locant_status locant_figure_csv(char **out, size_t *size,
                                const locant_figure *figure)
{
    struct lct_html h = { .data = NULL };

    if (!out || !size)
        return locant_fail(LOCANT_ERR_NULL, "locant_figure_csv: %s is NULL",
                           out ? "size" : "out");
    LCT_TRY(lct_figure_check("locant_figure_csv", figure));
    if (figure->kind == LOCANT_FIGURE_HEATMAP)
        csv_map(&h, figure);
    else if (figure->kind == LOCANT_FIGURE_PANELS)
        csv_panels(&h, figure);
    else
        csv_lines(&h, figure);
    return lct_html_finish(out, size, &h, LOCANT_OK);
}
