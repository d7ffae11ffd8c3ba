/* run.c - runs a row: its resources, checks and figures. */
#define _GNU_SOURCE
#include "run.h"

#include <ftw.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tutorial.h"

const struct tutorial_row tutorial_rows[] = {
#define ROW(id, kind, run, lines, figures, wrong, title)                       \
    { id, kind, run, lines, figures, wrong, title },
#include "rows.def"
#undef ROW
    { NULL, NULL, NULL, NULL, 0, NULL, NULL }
};

struct tutorial *running;

const char *tutorial_document(const struct tutorial_row *row)
{
    static const char *const documents[] = {
        "S0: a notebook in Chinese, PyTorch",
        "S1: a notebook in three sections", "S2: a chapter in Chinese, Java",
        "S3: a blog article", "S4: a course page in Chinese and English"
    };

    return documents[row->id[1] - '0'];
}

struct resource {
    void (*release)(void *);
    void *what;
    struct resource *next;
};

void must(locant_status status)
{
    if (status == LOCANT_OK)
        return;
    running->status = status;
    longjmp(running->leave, 1);
}

const char *refusal(locant_status status)
{
    if (status == LOCANT_OK)
        must(locant_fail(LOCANT_ERR_PARAM, "a call was expected to fail, but "
                                           "succeeded"));
    return locant_last_error();
}

void defer(void (*release)(void *), void *what)
{
    struct resource *r = locant_alloc(sizeof *r);

    if (r == NULL) {
        release(what);
        must(locant_fail(LOCANT_ERR_NOMEM, "out of memory"));
    }
    *r = (struct resource){ release, what, running->resources };
    running->resources = r;
}

static void release_all(struct tutorial *t)
{
    while (t->resources != NULL) {
        struct resource *r = t->resources;

        t->resources = r->next;
        r->release(r->what);
        locant_release(r);
    }
}

void *memory(int64_t n, size_t size)
{
    size_t bytes;
    void *p = NULL;

    if (!__builtin_mul_overflow((size_t)n, size, &bytes))
        p = locant_alloc(bytes ? bytes : 1);
    if (p == NULL)
        must(locant_fail(LOCANT_ERR_NOMEM,
                         "no memory for %lld elements of "
                         "%zu bytes",
                         (long long)n, size));
    defer(locant_release, p);
    return p;
}

static int remove_entry(const char *path, const struct stat *st, int kind,
                        struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

/* Remove a folder and all it contains; do not follow links. */
static void remove_folder(void *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    locant_release(path);
}

const char *temporary_folder(void)
{
    const char *parent = getenv("TMPDIR");
    char *path = locant_alloc(4096);

    if (parent == NULL || *parent == '\0')
        parent = P_tmpdir;
    if (path != NULL)
        snprintf(path, 4096, "%s/locant-tutorial-XXXXXX", parent);
    if (path == NULL || mkdtemp(path) == NULL) {
        locant_release(path);
        must(locant_fail(LOCANT_ERR_IO, "cannot make a folder in %s", parent));
    }
    defer(remove_folder, path);
    return path;
}

void progress(const char *format, ...)
{
    va_list args;

    if (!running->talk)
        return;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

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

void expect_list(const char *name, const char *format, const double *got,
                 int64_t n, const double *expected, double tolerance)
{
    show_list(name, format, got, n);
    check(name, max_difference(got, expected, n), 0, tolerance);
}

/* Check that the row did what the table says: figures, mistakes, a check. */
static void check_promises(const struct tutorial *t)
{
    const char *kind = t->row->kind;

    if (t->figures != t->row->figures)
        check("figures drawn", t->figures, t->row->figures, 0);
    if ((t->mistakes > 0) != (t->row->wrong != NULL))
        claim("says where the tutorial is wrong, and only there", 0);
    if (t->checks == 0 && strcmp(kind, "text") && strcmp(kind, "names"))
        claim("has a check", 0);
}

/* Makes "out-b.svg" from "out.svg" and 'b'. */
static void name_figure(char *out, size_t size, char letter)
{
    const char *path = running->path, *dot = strrchr(path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);

    if (letter)
        snprintf(out, size, "%.*s-%c%s", stem, path, letter, dot ? dot : "");
    else
        snprintf(out, size, "%s", path);
}

void draw(char letter, locant_figure figure)
{
    char name[4096], *svg = NULL;
    size_t size = 0;

    figure.struct_size = sizeof figure;
    running->figures++;
    if (running->muted)
        return;
    if (running->path != NULL) {
        name_figure(name, sizeof name, letter);
        must(locant_figure_write(&figure, name));
        wrote_figure(name);
    } else if (running->draw) {
        must(locant_figure_svg(&svg, &size, &figure));
        locant_release(svg);
        claim("a figure is drawn", size > 0);
    }
}

void heat_map(char letter, const char *title, const char *x_label,
              const char *y_label, const double *cells, int64_t rows,
              int64_t cols)
{
    draw(letter, (locant_figure){ .kind = LOCANT_FIGURE_HEATMAP,
                                  .title = title,
                                  .x_label = x_label,
                                  .y_label = y_label,
                                  .cells = cells,
                                  .rows = rows,
                                  .cols = cols,
                                  .diverging = 1 });
}

void curves(char letter, const char *title, const char *x_label,
            const char *y_label, const char *const *labels, const double *y,
            int64_t n_lines, int64_t n)
{
    locant_series *series = memory(n_lines, sizeof *series);
    double *x = reals(n);

    for (int64_t i = 0; i < n; i++)
        x[i] = i;
    for (int64_t i = 0; i < n_lines; i++)
        series[i] = (locant_series){ .label = labels ? labels[i] : NULL,
                                     .n = n,
                                     .x = x,
                                     .y = y + i * n,
                                     .marks = n <= 32,
                                     .color = -1 };
    draw(letter, (locant_figure){ .title = title,
                                  .x_label = x_label,
                                  .y_label = y_label,
                                  .series = series,
                                  .n_series = n_lines });
}

locant_status tutorial_run(struct tutorial *t)
{
    running = t;
    t->figures = t->checks = t->failed = t->mistakes = t->random = 0;
    t->status = LOCANT_OK;
    if (!print_begin(t))
        return locant_fail(LOCANT_ERR_NOMEM, "out of memory");
    if (setjmp(t->leave) == 0) {
        t->row->run();
        check_promises(t);
        print_end(t);
    }
    release_all(t);
    json_object_set_new(t->json, "failed", json_integer(t->failed));
    running = NULL;
    return t->status;
}
