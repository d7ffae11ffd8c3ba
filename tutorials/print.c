/* print.c - what a row says, as text and as JSON at once. */
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

enum { COLUMNS = 80, LONGEST = 4096 };

/* The member of the part, made when missing. */
static json_t *member(struct seed *s, const char *name, int is_object)
{
    if (json_object_get(s->part, name) == NULL)
        json_object_set_new(s->part, name,
                            is_object ? json_object() : json_array());
    return json_object_get(s->part, name);
}

/* Letters, not bytes. */
static int letters(const char *text, size_t n)
{
    int count = 0;

    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/*
 * Print words, breaking lines before column 80, later ones indented.  'gap'
 * blanks stand before the first word; blanks at a break are dropped.
 */
static void wrap(FILE *out, const char *text, int column, int indent, int gap)
{
    while (*text != '\0') {
        size_t n = strcspn(text, " \n");
        int    width = letters(text, n);

        if (n > 0 && gap > 0 && column + gap + width > COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            gap = 0;
        }
        if (n > 0) {
            fprintf(out, "%*s%.*s", gap, "", (int)n, text);
            column += gap + width;
            gap = 0;
        }
        text += n;
        gap += *text == ' ';
        if (*text == '\n') {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            gap = 0;
        }
        text += *text != '\0';
    }
    fputc('\n', out);
}

void seed_part(struct seed *s, char letter, const char *title)
{
    char    id[32];
    json_t *parts = json_object_get(s->json, "parts");

    s->muted = s->only != 0 && s->only != letter;
    if (s->muted)
        return;
    snprintf(id, sizeof id, "%s%c", s->row->id, letter);
    json_array_append_new(parts, json_pack("{s:s, s:s}", "part", id, "title",
                                           title));
    s->part = json_array_get(parts, json_array_size(parts) - 1);
    if (s->out != NULL)
        fprintf(s->out, "\n%s %s\n", id, title);
}

void seed_say(struct seed *s, const char *format, ...)
{
    char    text[LONGEST];
    va_list args;

    if (s->muted)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(member(s, "text", 0), json_string(text));
    if (s->out != NULL)
        wrap(s->out, text, 0, 0, 0);
}

/* ------------------------------------------------------------------- values */

static void value(struct seed *s, const char *name, json_t *json,
                  const char *text)
{
    if (s->muted) {
        json_decref(json);
        return;
    }
    json_object_set_new(member(s, "values", 1), name, json);
    if (s->out == NULL)
        return;
    fprintf(s->out, "%s:", name);
    wrap(s->out, text, letters(name, strlen(name)) + 1, 2, 1);
}

void seed_real(struct seed *s, const char *name, double x)
{
    char text[64];

    snprintf(text, sizeof text, "%.6g", x);
    value(s, name, cli_real(x), text);
}

void seed_integer(struct seed *s, const char *name, int64_t x)
{
    char text[64];

    snprintf(text, sizeof text, "%lld", (long long)x);
    value(s, name, json_integer(x), text);
}

void seed_text(struct seed *s, const char *name, const char *text)
{
    value(s, name, json_string(text), text);
}

void seed_shape(struct seed *s, const char *name, const locant_tensor *t)
{
    char text[160];

    cli_shape_text(text, sizeof text, t);
    value(s, name, cli_shape(t), text);
}

/* Formats come from the table of a row, a literal "%.3f" each. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int put_number(char *out, size_t size, const char *format, double x)
{
    return snprintf(out, size, format, x);
}
#pragma GCC diagnostic pop

static json_t *numbers_json(const double *x, int64_t n)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < n; i++)
        json_array_append_new(list, cli_real(x[i]));
    return list;
}

void seed_numbers(struct seed *s, const char *name, const char *format,
                  const double *x, int64_t n)
{
    char  *text = seed_new(s, n * 32 + 1, 1);
    size_t at = 0;

    for (int64_t i = 0; i < n; i++) {
        char one[32];

        put_number(one, sizeof one, format, x[i]);
        at += (size_t)sprintf(text + at, "%s%s", i ? " " : "", one);
    }
    value(s, name, numbers_json(x, n), text);
}

void seed_matrix(struct seed *s, const char *name, const char *format,
                 const double *x, int64_t rows, int64_t cols)
{
    json_t *list;
    int     width = 0;
    char    one[32];

    if (s->muted)
        return;
    list = json_array();
    for (int64_t i = 0; i < rows; i++)
        json_array_append_new(list, numbers_json(x + i * cols, cols));
    json_object_set_new(member(s, "values", 1), name, list);
    if (s->out == NULL)
        return;
    fprintf(s->out, "%s:\n", name);
    for (int64_t i = 0; i < rows * cols; i++) {
        int n = put_number(one, sizeof one, format, x[i]);

        width = n > width ? n : width;
    }
    for (int64_t i = 0; i < rows * cols; i++) {
        put_number(one, sizeof one, format, x[i]);
        fprintf(s->out, "  %*s%s", width, one,
                i % cols == cols - 1 ? "\n" : "");
    }
}

/* ------------------------------------------------------------------- tables */

/* The cells of a line as strings. */
static json_t *split(const char *line)
{
    json_t *cells = json_array();

    for (;;) {
        size_t n = strcspn(line, "|");

        json_array_append_new(cells, json_stringn(line, n));
        if (line[n] == '\0')
            return cells;
        line += n + 1;
    }
}

void seed_columns(struct seed *s, const char *name, const char *columns)
{
    json_t *tables, *table;

    if (s->muted)
        return;
    tables = member(s, "tables", 0);
    json_array_append_new(tables, json_pack(
        "{s:s, s:o, s:[]}", "name", name, "columns", split(columns), "rows"));
    table = json_array_get(tables, json_array_size(tables) - 1);
    s->columns = json_object_get(table, "columns");
    s->cells   = json_object_get(table, "rows");
}

void seed_cells(struct seed *s, const char *format, ...)
{
    char    text[LONGEST];
    va_list args;

    if (s->muted)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(s->cells, split(text));
}

static int is_number(const char *text, double *x)
{
    char *end;

    *x = strtod(text, &end);
    return *text != '\0' && *end == '\0' && isfinite(*x) &&
           !isspace((unsigned char)*text) && strpbrk(text, "xX") == NULL;
}

static int cell_width(const json_t *row, size_t i)
{
    const char *text = json_string_value(json_array_get(row, i));

    return text ? letters(text, strlen(text)) : 0;
}

static int column_width(struct seed *s, size_t i)
{
    int     width = cell_width(s->columns, i);
    size_t  r;
    json_t *row;

    json_array_foreach(s->cells, r, row) {
        int n = cell_width(row, i);

        width = n > width ? n : width;
    }
    return width;
}

/* Numbers to the right, words to the left. */
static void print_row(struct seed *s, const json_t *row)
{
    size_t last = json_array_size(row) - 1;

    for (size_t i = 0; i <= last; i++) {
        const char *text = json_string_value(json_array_get(row, i));
        int    blanks = column_width(s, i) - cell_width(row, i);
        double x;
        int    right = is_number(text, &x);

        fprintf(s->out, "%*s%s", i ? 2 + (right ? blanks : 0)
                                   : right ? blanks : 0, "", text);
        if (!right && i < last)
            fprintf(s->out, "%*s", blanks, "");
    }
    fputc('\n', s->out);
}

void seed_table_end(struct seed *s)
{
    size_t  r, i;
    json_t *row, *cell;
    double  x;

    if (s->muted || cli_no_memory()) /* else each cell has a text */
        return;
    if (s->out != NULL) {
        print_row(s, s->columns);
        json_array_foreach(s->cells, r, row)
            print_row(s, row);
    }
    json_array_foreach(s->cells, r, row) {
        json_array_foreach(row, i, cell) {
            if (is_number(json_string_value(cell), &x))
                json_array_set_new(row, i, json_real(x));
        }
    }
    s->columns = s->cells = NULL;
}

/* ------------------------------------------------------------ wrong in seed */

static void field(FILE *out, const char *name, const char *text)
{
    fprintf(out, "  %-6s ", name);
    wrap(out, text, 9, 9, 0);
}

static void record_wrong(struct seed *s, const char *id, const char *what,
                         json_t *json)
{
    s->wrongs++;
    if (s->muted) {
        json_decref(json);
        return;
    }
    json_object_set_new(json, "erratum", json_string(id));
    json_object_set_new(json, "what", json_string(what));
    json_array_append_new(json_object_get(s->json, "wrong"), json);
    if (s->out != NULL) {
        fputs("wrong in the seed ", s->out);
        fprintf(s->out, "(%s):", id);
        wrap(s->out, what, 21 + (int)strlen(id), 2, 1);
    }
}

void seed_wrong_text(struct seed *s, const char *id, const char *what,
                     const char *seed, const char *right, const char *why)
{
    record_wrong(s, id, what, json_pack("{s:s, s:s, s:s}", "seed", seed,
                                        "right", right, "why", why));
    if (s->out == NULL || s->muted)
        return;
    field(s->out, "seed", seed);
    field(s->out, "right", right);
    field(s->out, "why", why);
}

void seed_wrong(struct seed *s, const char *id, const char *what, double seed,
                double right, const char *why)
{
    char a[64], b[64];

    record_wrong(s, id, what, json_pack("{s:o, s:o, s:s}", "seed",
                                        cli_real(seed), "right",
                                        cli_real(right), "why", why));
    if (s->out == NULL || s->muted)
        return;
    snprintf(a, sizeof a, "%.10g", seed);
    snprintf(b, sizeof b, "%.10g", right);
    field(s->out, "seed", a);
    field(s->out, "right", b);
    field(s->out, "why", why);
}
