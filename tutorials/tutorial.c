/* tutorial.c - run a row: its resources, its checks, its figures. */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

/* ---------------------------------------------------------- leaving, memory */

static void leave(struct seed *s, int exit_status)
{
    s->status = exit_status;
    longjmp(s->leave, 1);
}

void seed_try(struct seed *s, locant_status status)
{
    if (status == LOCANT_OK)
        return;
    (void)cli_fail(CLI_NO, "%s: %s", s->row->id, locant_last_error());
    leave(s, status == LOCANT_ERR_INTERRUPTED ? CLI_RESUMABLE
             : status == LOCANT_ERR_IO || status == LOCANT_ERR_NOMEM ||
               status == LOCANT_ERR_FORMAT ? CLI_INPUT : CLI_NO);
}

void seed_fail(struct seed *s, int exit_status, const char *format, ...)
{
    char    text[5000]; /* a path of 4096 bytes in it */
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)cli_fail(exit_status, "%s: %s", s->row->id, text);
    leave(s, exit_status);
}

void seed_defer(struct seed *s, void (*release)(void *), void *what)
{
    struct seed_resource *r = locant_alloc(sizeof *r);

    if (r == NULL) {
        release(what);
        seed_fail(s, CLI_INPUT, "no memory");
    }
    *r = (struct seed_resource){ release, what, s->resources };
    s->resources = r;
}

static void release_all(struct seed *s)
{
    while (s->resources != NULL) {
        struct seed_resource *r = s->resources;

        s->resources = r->next;
        r->release(r->what);
        locant_release(r);
    }
}

locant_tensor seed_array(struct seed *s, locant_dtype dtype, int rank,
                         const int64_t *shape)
{
    locant_array array;
    int          failed = cli_new(&array, dtype, rank, shape);

    if (failed)
        leave(s, failed);
    if (array.memory != NULL)
        seed_defer(s, locant_release, array.memory);
    return array.tensor;
}

void *seed_new(struct seed *s, int64_t n, size_t size)
{
    size_t bytes;
    void  *memory = NULL;

    if (!__builtin_mul_overflow((size_t)n, size, &bytes))
        memory = locant_alloc(bytes ? bytes : 1);
    if (memory == NULL)
        seed_fail(s, CLI_INPUT, "no memory for %lld elements of %zu bytes",
                  (long long)n, size);
    seed_defer(s, locant_release, memory);
    return memory;
}

double *seed_reals(struct seed *s, int64_t n)
{
    return seed_new(s, n, sizeof(double));
}

int64_t seed_count(const locant_tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= t->shape[i];
    return n;
}

/* ------------------------------------------------------------------ folders */

/* Remove a folder and what is in it, following no link. */
static void remove_tree(const char *path)
{
    DIR           *dir = opendir(path);
    struct dirent *entry;
    char           inner[4096];

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (entry->d_type == DT_DIR)
            remove_tree(inner);
        else
            unlink(inner);
    }
    if (dir != NULL)
        closedir(dir);
    rmdir(path);
}

static void remove_folder(void *path)
{
    remove_tree(path);
    locant_release(path);
}

const char *seed_folder(struct seed *s)
{
    const char *parent = getenv("TMPDIR");
    char       *path = locant_alloc(4096);

    if (parent == NULL || *parent == '\0')
        parent = P_tmpdir;
    if (path != NULL)
        snprintf(path, 4096, "%s/locant-seed-XXXXXX", parent);
    if (path == NULL || mkdtemp(path) == NULL) {
        locant_release(path);
        seed_fail(s, CLI_INPUT, "no folder could be made in %s", parent);
    }
    seed_defer(s, remove_folder, path);
    return path;
}

void seed_progress(struct seed *s, const char *format, ...)
{
    va_list args;

    if (!s->talk)
        return;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* ------------------------------------------------------------------- checks */

static void record_check(struct seed *s, const char *what, int holds,
                         json_t *check)
{
    json_t *checks = json_object_get(s->json, "checks");

    s->checks++;
    s->failed += !holds;
    json_object_set_new(check, "holds", json_boolean(holds));
    json_object_set_new(check, "what", json_string(what));
    json_array_append_new(checks, check);
}

void seed_check(struct seed *s, const char *what, double got, double expected,
                double tolerance)
{
    int holds = isfinite(got) && isfinite(expected) &&
                fabs(got - expected) <= tolerance;

    record_check(s, what, holds, json_pack(
        "{s:o, s:o, s:o}", "got", cli_real(got), "expected",
        cli_real(expected), "tolerance", cli_real(tolerance)));
    if (!holds)
        fprintf(stderr, "locant: %s: %s: is %.12g, expected %.12g within %g\n",
                s->row->id, what, got, expected, tolerance);
}

void seed_claim(struct seed *s, const char *what, int holds)
{
    record_check(s, what, holds, json_object());
    if (!holds)
        fprintf(stderr, "locant: %s: does not hold: %s\n", s->row->id, what);
}

/* What a row promises in its table is checked like what it computes. */
static void check_promises(struct seed *s)
{
    const char *kind = s->row->kind;

    if (s->figures != s->row->figures)
        seed_check(s, "figures drawn", s->figures, s->row->figures, 0);
    if ((s->wrongs > 0) != (s->row->wrong != NULL))
        seed_claim(s, "says where the seed is wrong, and only then", 0);
    if (s->checks == 0 && strcmp(kind, "text") && strcmp(kind, "names"))
        seed_claim(s, "has a check", 0);
}

/* ------------------------------------------------------------------ figures */

/* "out.svg" and 'b' to "out-b.svg". */
static void name_figure(char *out, size_t size, const char *path, char letter)
{
    const char *dot = strrchr(path, '.');
    int         stem = dot ? (int)(dot - path) : (int)strlen(path);

    if (letter)
        snprintf(out, size, "%.*s-%c%s", stem, path, letter, dot ? dot : "");
    else
        snprintf(out, size, "%s", path);
}

static void try_figure(struct seed *s, const locant_figure *figure)
{
    char *svg = NULL;
    size_t size = 0;

    seed_try(s, locant_figure_svg(&svg, &size, figure));
    locant_release(svg);
    seed_claim(s, "a figure is drawn", size > 0);
}

void seed_figure(struct seed *s, char letter, const locant_figure *figure)
{
    locant_figure f = *figure;
    char          name[4096];
    json_t       *figures = json_object_get(s->json, "figures");

    f.struct_size = sizeof f;
    s->figures++;
    if (s->muted)
        return;
    if (s->path == NULL) {
        if (s->draw)
            try_figure(s, &f);
        return;
    }
    name_figure(name, sizeof name, s->path, letter);
    seed_try(s, locant_figure_write(&f, name));
    json_array_append_new(figures, json_string(name));
    if (s->out != NULL)
        fprintf(s->out, "wrote %s\n", name);
}

void seed_heat(struct seed *s, char letter, const struct seed_map *m)
{
    locant_figure f = LOCANT_FIGURE_INIT;
    double       *cells = seed_reals(s, m->rows * m->cols);

    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t j = 0; j < m->cols; j++)
            cells[m->turned ? j * m->rows + i : i * m->cols + j] =
                m->cells[i * m->cols + j];
    }
    f.kind      = LOCANT_FIGURE_HEATMAP;
    f.title     = m->title;
    f.x_label   = m->x_label;
    f.y_label   = m->y_label;
    f.cells     = cells;
    f.rows      = m->turned ? m->cols : m->rows;
    f.cols      = m->turned ? m->rows : m->cols;
    f.diverging = m->diverging;
    seed_figure(s, letter, &f);
}

void seed_curves(struct seed *s, char letter, const struct seed_plot *p)
{
    locant_figure  f = LOCANT_FIGURE_INIT;
    locant_series *series = seed_new(s, p->lines, sizeof *series);
    double        *x = seed_reals(s, p->n);

    for (int64_t i = 0; i < p->n; i++)
        x[i] = p->x != NULL ? p->x[i] : (double)i;
    for (int64_t i = 0; i < p->lines; i++) {
        series[i] = (locant_series){
            .label = p->labels ? p->labels[i] : NULL, .n = (size_t)p->n,
            .x = x, .y = p->y + i * p->n, .marks = p->n <= 32, .color = -1
        };
    }
    f.kind     = LOCANT_FIGURE_CURVES;
    f.title    = p->title;
    f.x_label  = p->x_label;
    f.y_label  = p->y_label;
    f.series   = series;
    f.n_series = (size_t)p->lines;
    seed_figure(s, letter, &f);
}

/* ---------------------------------------------------------------------- run */

static void begin(struct seed *s)
{
    const struct seed_row *row = s->row;

    s->json = json_pack("{s:s, s:s, s:s, s:s, s:[], s:[], s:[], s:[]}",
                        "row", row->id, "kind", row->kind, "title", row->title,
                        "lines", row->lines, "parts", "wrong", "checks",
                        "figures");
    s->part = s->json;
    s->muted = s->only != 0;
    if (s->out != NULL)
        fprintf(s->out, "%s %s: %s (seed lines %s)\n%s", row->id, row->kind,
                row->title, row->lines, s->muted ? "" : "\n");
}

static void conclude(struct seed *s)
{
    if (s->out == NULL)
        return;
    fputc('\n', s->out);
    if (s->random)
        fputs("random numbers: locant_random, seed 42\n", s->out);
    if (s->failed)
        fprintf(s->out, "checks: %d, %d FAILED\n", s->checks, s->failed);
    else if (s->checks > 0)
        fprintf(s->out, "checks: %d, all hold\n", s->checks);
}

int seed_run(struct seed *s)
{
    s->figures = s->checks = s->failed = s->wrongs = s->random = 0;
    s->status  = CLI_OK;
    begin(s);
    if (s->json == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    if (setjmp(s->leave) == 0) {
        s->row->run(s);
        check_promises(s);
        conclude(s);
    }
    release_all(s);
    json_object_set_new(s->json, "failed", json_integer(s->failed));
    return s->status != CLI_OK ? s->status : s->failed ? CLI_NO : CLI_OK;
}
