/* print.c - prints the results of a row as text and as JSON. */
#define _GNU_SOURCE
#include "print.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "chinese.h"
#include "course.h"
#include "lines.h"
#include "tutorial.h"

json_t *member(const char *name, json_t *(*make)(void))
{
    if (json_object_get(running->part, name) == NULL)
        json_object_set_new(running->part, name, make());
    return json_object_get(running->part, name);
}

const char *text_in(enum language l, char room[LONGEST], const char *text)
{
    return l == CHINESE ? to_chinese(room, text, running->row) : text;
}

void part(char letter, const char *title)
{
    struct tutorial *t = running;
    char id[32], room[LONGEST];
    json_t *parts = json_object_get(t->json, "parts");

    end_table();
    t->muted = t->only != 0 && t->only != letter;
    if (t->muted)
        return;
    snprintf(id, sizeof id, "%s%c", t->row->id, letter);
    json_array_append_new(parts,
                          json_pack("{s:s, s:s}", "part", id, "title", title));
    t->part = json_array_get(parts, json_array_size(parts) - 1);
    for (enum language l = ENGLISH; l < LANGUAGES; l++)
        if (t->out[l] != NULL)
            fprintf(t->out[l], "\n%s %s\n", id, text_in(l, room, title));
}

void say(const char *format, ...)
{
    char text[LONGEST], room[LONGEST];
    va_list args;

    end_table();
    if (running->muted)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(member("text", json_array), json_string(text));
    for (enum language l = ENGLISH; l < LANGUAGES; l++)
        if (running->out[l] != NULL)
            wrap(running->out[l], text_in(l, room, text), 0, 0, 0);
}

static void print_value(enum language l, const char *name, const char *text)
{
    FILE *out = running->out[l];
    char room[LONGEST];
    int column;

    if (out == NULL)
        return;
    name = text_in(l, room, name);
    fprintf(out, "%s%s", name, l == CHINESE ? "：" : ":");
    column = columns_of(name, strlen(name)) + (l == CHINESE ? 2 : 1);
    wrap(out, text_in(l, room, text), column, 2, l != CHINESE);
}

/* Prints "name: text", where 'format' makes the text. */
LOCANT_PRINTF(3, 4)
static void value(const char *name, json_t *json, const char *format, ...)
{
    char text[LONGEST];
    va_list args;

    end_table();
    if (running->muted) {
        json_decref(json);
        return;
    }
    json_object_set_new(member("values", json_object), name, json);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_value(ENGLISH, name, text);
    print_value(CHINESE, name, text);
}

json_t *number_json(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

void show(const char *name, double x)
{
    value(name, number_json(x), "%.6g", x);
}

void show_count(const char *name, int64_t n)
{
    value(name, json_integer(n), "%lld", (long long)n);
}

void show_text(const char *name, const char *text)
{
    value(name, json_string(text), "%s", text);
}

void show_shape(const char *name, locant_tensor t)
{
    char text[160] = "[";
    json_t *shape = json_array();
    size_t n = 1;

    for (int i = 0; i < t.rank; i++) {
        json_array_append_new(shape, json_integer(t.shape[i]));
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%lld",
                              i ? ", " : "", (long long)t.shape[i]);
    }
    snprintf(text + n, sizeof text - n, "]");
    value(name, shape, "%s", text);
}

/* Formats are literals in a row, such as "%.3f". */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int put_number(char out[32], const char *format, double x)
{
    return snprintf(out, 32, format, x);
}
#pragma GCC diagnostic pop

static json_t *list_json(locant_tensor x)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < count(x); i++)
        json_array_append_new(list, number_json(data(x)[i]));
    return list;
}

void show_list(const char *name, const char *format, locant_tensor x)
{
    char *text = memory(count(x) * 33 + 1, 1);
    size_t at = 0;

    for (int64_t i = 0; i < count(x); i++) {
        at += (size_t)put_number(text + at, format, data(x)[i]);
        text[at++] = ' ';
    }
    text[at - 1] = '\0';
    value(name, list_json(x), "%s", text);
}

void show_lists(const char *const *names, const char *format, locant_tensor x,
                int64_t n)
{
    for (int64_t i = 0; i < count(x) / width_of(x); i++)
        show_list(names[i], format, RESHAPED(row(x, i), n));
}

static void print_matrix(FILE *out, const char *format, locant_tensor x)
{
    int64_t cols = width_of(x);
    int width = 0;
    char one[32];

    for (int64_t i = 0; i < count(x); i++) {
        int n = put_number(one, format, data(x)[i]);

        width = n > width ? n : width;
    }
    for (int64_t i = 0; i < count(x); i++) {
        put_number(one, format, data(x)[i]);
        fprintf(out, "  %*s%s", width, one, i % cols == cols - 1 ? "\n" : "");
    }
}

void show_matrix(const char *name, const char *format, locant_tensor x)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < count(x) / width_of(x); i++)
        json_array_append_new(list, list_json(row(x, i)));
    value(name, list, "%s", "");
    for (enum language l = ENGLISH; l < LANGUAGES; l++)
        if (running->out[l] != NULL && !running->muted)
            print_matrix(running->out[l], format, x);
}

static void print_head(const struct tutorial *t)
{
    const struct tutorial_row *row = t->row;
    const char *gap = t->muted ? "" : "\n";

    if (t->out[ENGLISH] != NULL)
        fprintf(t->out[ENGLISH], "%s %s: %s (lines %s)\n%s", row->id, row->kind,
                row->title, row->lines, gap);
    if (t->out[CHINESE] != NULL)
        fprintf(t->out[CHINESE], "%s %s：%s（第 %s 行）\n%s", row->id,
                tutorial_kind_zh(row->kind), tutorial_claim(row)->title_zh,
                row->lines, gap);
}

int print_begin(struct tutorial *t)
{
    const struct tutorial_row *row = t->row;

    t->json =
        json_pack("{s:s, s:s, s:s, s:s, s:[], s:[], s:[], s:[]}", "row",
                  row->id, "kind", row->kind, "title", row->title, "lines",
                  row->lines, "parts", "wrong", "checks", "figures");
    t->part = t->json;
    t->columns[ENGLISH] = t->cells[ENGLISH] = NULL;
    t->muted = t->only != 0;
    if (t->json != NULL)
        print_head(t);
    return t->json != NULL;
}

/* Print a line about the whole row. */
LOCANT_PRINTF(1, 2)
static void last_line(const char *format, ...)
{
    char text[LONGEST], room[LONGEST];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (enum language l = ENGLISH; l < LANGUAGES; l++)
        if (running->out[l] != NULL)
            fprintf(running->out[l], "%s\n", text_in(l, room, text));
}

void print_end(const struct tutorial *t)
{
    end_table();
    last_line("%s", "");
    if (t->random)
        last_line("random numbers: locant_random, seed 42");
    if (t->failed)
        last_line("checks: %d, %d FAILED", t->checks, t->failed);
    else if (t->checks > 0)
        last_line("checks: %d, all hold", t->checks);
}
