/* tables.c - prints tables of a row as text and as JSON. */
#include "tables.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "chinese.h"
#include "lines.h"
#include "tutorial.h"

/* The cells of a line, as JSON strings. */
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

static int is_number(const char *text, double *x)
{
    char *end;

    *x = strtod(text, &end);
    return *text != '\0' && *end == '\0' && isfinite(*x) &&
           !isspace((unsigned char)*text) && strpbrk(text, "xX") == NULL;
}

/* The text of cell i; "" if there was no memory for it. */
static const char *cell_text(const json_t *row, size_t i)
{
    const char *text = json_string_value(json_array_get(row, i));

    return text ? text : "";
}

static int cell_width(const json_t *row, size_t i)
{
    return columns_of(cell_text(row, i), strlen(cell_text(row, i)));
}

static int column_width(enum language l, size_t i)
{
    int width = cell_width(running->columns[l], i);
    size_t r;
    json_t *row;

    json_array_foreach(running->cells[l], r, row)
        width = cell_width(row, i) > width ? cell_width(row, i) : width;
    return width;
}

/* Numbers are aligned right, words left. */
static void print_row(enum language l, const json_t *row)
{
    FILE *out = running->out[l];
    size_t n = json_array_size(row);

    for (size_t i = 0; i < n; i++) {
        const char *text = cell_text(row, i);
        int blanks = column_width(l, i) - cell_width(row, i);
        double x;
        int right = is_number(text, &x);

        fprintf(out, "%*s%s", (i ? 2 : 0) + (right ? blanks : 0), "", text);
        if (!right && i + 1 < n)
            fprintf(out, "%*s", blanks, "");
    }
    fputc('\n', out);
}

static void print_table(enum language l)
{
    size_t r;
    json_t *row;

    if (running->out[l] == NULL)
        return;
    print_row(l, running->columns[l]);
    json_array_foreach(running->cells[l], r, row)
        print_row(l, row);
}

void end_table(void)
{
    size_t r, i;
    json_t *row, *cell;
    double x;

    if (running->columns[ENGLISH] == NULL)
        return;
    print_table(ENGLISH);
    print_table(CHINESE);
    json_array_foreach(running->cells[ENGLISH], r, row) {
        json_array_foreach(row, i, cell) {
            if (is_number(cell_text(row, i), &x))
                json_array_set_new(row, i, json_real(x));
        }
    }
    running->columns[ENGLISH] = running->cells[ENGLISH] = NULL;
}

static void free_json(void *json)
{
    json_decref(json);
}

static json_t *until_row_ends(json_t *json)
{
    defer(free_json, json);
    return json;
}

void table(const char *name, const char *columns)
{
    char room[LONGEST];
    json_t *tables, *last;

    end_table();
    if (running->muted)
        return;
    tables = member("tables", json_array);
    json_array_append_new(tables, json_pack("{s:s, s:o, s:[]}", "name", name,
                                            "columns", split(columns), "rows"));
    last = json_array_get(tables, json_array_size(tables) - 1);
    running->columns[ENGLISH] = json_object_get(last, "columns");
    running->cells[ENGLISH] = json_object_get(last, "rows");
    if (running->out[CHINESE] == NULL)
        return;
    running->columns[CHINESE] =
        until_row_ends(split(line_to_chinese(room, columns, running->row)));
    running->cells[CHINESE] = until_row_ends(json_array());
}

void table_row(const char *format, ...)
{
    char text[LONGEST], room[LONGEST];
    va_list args;

    if (running->muted)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(running->cells[ENGLISH], split(text));
    if (running->out[CHINESE] != NULL)
        json_array_append_new(running->cells[CHINESE],
                              split(line_to_chinese(room, text, running->row)));
}

/* Copies the first of the lines; returns the others. */
static const char *take_line(char line[LONGEST], const char *lines)
{
    size_t n = strcspn(lines, "\n");

    snprintf(line, LONGEST, "%.*s", (int)n, lines);
    return lines + n + (lines[n] == '\n');
}

void table_of_text(const char *name, const char *lines)
{
    char line[LONGEST];

    lines = take_line(line, lines);
    table(name, line);
    while (*lines != '\0') {
        lines = take_line(line, lines);
        table_row("%s", line);
    }
}

void table_of_rows(const char *lines)
{
    char line[LONGEST];
    int n = 0, found = 0;

    table_of_text("index", lines);
    lines = take_line(line, lines); /* the head */
    while (*lines != '\0') {
        const struct tutorial_row *r = tutorial_rows;

        lines = take_line(line, lines);
        while (r->id != NULL && strcmp(r->id, strchr(line, '|') + 1) != 0)
            r++;
        found += r->id != NULL;
        n++;
    }
    check("rows that exist", found, n, 0);
}
