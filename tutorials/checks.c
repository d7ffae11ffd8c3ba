/* checks.c - checks what a row found; reports errors of the tutorial. */
#include "checks.h"

#include <math.h>
#include <string.h>

#include "lines.h"
#include "tutorial.h"

enum { FIELD_AT = 11 }; /* the column of what is wrong, right, and why */

static void record(const char *what, int holds, json_t *check)
{
    running->checks++;
    running->failed += !holds;
    json_object_set_new(check, "holds", json_boolean(holds));
    json_object_set_new(check, "what", json_string(what));
    json_array_append_new(json_object_get(running->json, "checks"), check);
}

void check(const char *what, double got, double expected, double tolerance)
{
    int holds = isfinite(got) && isfinite(expected) &&
                fabs(got - expected) <= tolerance;

    record(what, holds,
           json_pack("{s:o, s:o, s:o}", "got", number_json(got), "expected",
                     number_json(expected), "tolerance",
                     number_json(tolerance)));
    if (!holds)
        fprintf(stderr, "locant: %s: %s: is %.12g, expected %.12g within %g\n",
                running->row->id, what, got, expected, tolerance);
}

void compare(const char *what, locant_tensor got, locant_tensor expected,
             double tolerance)
{
    check(what, difference(got, expected), 0, tolerance);
}

void claim(const char *what, int holds)
{
    record(what, holds, json_object());
    if (!holds)
        fprintf(stderr, "locant: %s: does not hold: %s\n", running->row->id,
                what);
}

void expect(const char *name, double got, double expected, double tolerance)
{
    show(name, got);
    check(name, got, expected, tolerance);
}

void expect_count(const char *name, int64_t got, int64_t expected)
{
    show_count(name, got);
    check(name, got, expected, 0);
}

void expect_list(const char *name, const char *format, locant_tensor got,
                 locant_tensor expected, double tolerance)
{
    show_list(name, format, got);
    compare(name, got, expected, tolerance);
}

static void print_field(enum language l, const char *name, const char *text)
{
    char room[LONGEST];
    int width;

    name = text_in(l, room, name);
    width = columns_of(name, strlen(name));
    fprintf(running->out[l], "  %s%*s", name, FIELD_AT - 2 - width, "");
    wrap(running->out[l], text_in(l, room, text), FIELD_AT, FIELD_AT, 0);
}

static void print_mistake(enum language l, const char *id, const char *what,
                          const char *const fields[3])
{
    FILE *out = running->out[l];
    char head[LONGEST], room[LONGEST];

    if (out == NULL)
        return;
    snprintf(head, sizeof head, "wrong in the tutorial (%s): %s", id, what);
    wrap(out, text_in(l, room, head), 0, 2, 0);
    print_field(l, "tutorial", fields[0]);
    print_field(l, "right", fields[1]);
    print_field(l, "why", fields[2]);
}

/* 'json' holds the tutorial's number and the right one. */
static void record_mistake(const char *id, const char *what, json_t *json,
                           const char *theirs, const char *right,
                           const char *why)
{
    const char *const fields[3] = { theirs, right, why };

    end_table();
    running->mistakes++;
    if (running->muted) {
        json_decref(json);
        return;
    }
    json_object_set_new(json, "mistake", json_string(id));
    json_object_set_new(json, "what", json_string(what));
    json_object_set_new(json, "why", json_string(why));
    json_array_append_new(json_object_get(running->json, "wrong"), json);
    print_mistake(ENGLISH, id, what, fields);
    print_mistake(CHINESE, id, what, fields);
}

void mistake_in_words(const char *id, const char *what, const char *theirs,
                      const char *right, const char *why)
{
    json_t *json = json_pack("{s:s, s:s}", "tutorial", theirs, "right", right);

    record_mistake(id, what, json, theirs, right, why);
}

void mistake(const char *id, const char *what, double theirs, double right,
             const char *why)
{
    json_t *json = json_pack("{s:o, s:o}", "tutorial", number_json(theirs),
                             "right", number_json(right));
    char a[64], b[64];

    snprintf(a, sizeof a, "%.10g", theirs);
    snprintf(b, sizeof b, "%.10g", right);
    record_mistake(id, what, json, a, b, why);
}

void check_promises(const struct tutorial *t)
{
    const char *kind = t->row->kind;

    if (t->figures != t->row->figures)
        check("figures drawn", t->figures, t->row->figures, 0);
    if ((t->mistakes > 0) != (t->row->wrong != NULL))
        claim("says where the tutorial is wrong, and only there", 0);
    if (t->checks == 0 && strcmp(kind, "text") && strcmp(kind, "names"))
        claim("has a check", 0);
}
