/*
 * test_sections.c - the numbers that the store keeps of a report's long jobs:
 * figures are of the report that was made last, and of nothing that a damaged
 * or hostile store says.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "store_case.h"

#include "measure/results.h"
#include "measure/surface.h"
#include "locant/figure.h"
#include <jansson.h>

/* clang-format off */
static const char good[] =
    "{\"trained\":[64,128],\"lengths\":[64,128,256],\"encodings\":["
    "{\"encoding\":\"alibi\",\"loss\":{\"64\":{\"64\":{\"mean\":%g},"
    "\"128\":{\"mean\":3}}}}]}";

static locant_status take_cell(const locant_figure *f, const char *alt,
                               const char *caption, void *context)
{
    (void)alt;
    (void)caption;
    *(double *)context = f->cells[0];
    return LOCANT_OK;
}

static locant_status draw(double *cell, locant_store *s, const char *name,
                          const int64_t *runs, size_t n)
{
    const locant_figure_view view = LOCANT_FIGURE_VIEW_INIT;

    return locant_figure_of_runs(name, s, runs, n, &view, take_cell, cell);
}

/* ----------------------------------------------------------------- the last */

/* A report whose surface began from 'run' and says 'loss'. */
static void report(locant_store *s, int64_t run, double loss)
{
    struct lct_surface_encoding one = { .run = { { run } } };
    struct lct_surface x = { .n = 1, .encodings = &one };
    struct lct_results r = { .surface = &x };
    char text[sizeof good + 32];

    snprintf(text, sizeof text, good, loss);
    r.numbers = json_pack("{s:o}", "surface", json_loads(text, 0, NULL));
    CHECK(r.numbers != NULL);
    CHECK_OK(lct_sections_keep(s, &r));
    json_decref(r.numbers);
}

/* A, B and A again: B has the higher run, A is what was asked for last. */
IN_SCRATCH(the_last_report_is_drawn)
{
    OWNED(locant_store) *s = open_store();
    const int64_t runs[] = { add_run(s, "a"), add_run(s, "b") };
    double cell = 0;

    CHECK(runs[0] < runs[1]);
    report(s, runs[0], 1);
    report(s, runs[1], 2);
    CHECK_OK(draw(&cell, s, "surface", runs, 2));
    CHECK(cell == 2);
    report(s, runs[0], 4);
    CHECK_OK(draw(&cell, s, "surface", runs, 2));
    CHECK(cell == 4);
    CHECK_OK(draw(&cell, s, "surface", runs + 1, 1)); /* asked for by its run */
    CHECK(cell == 2);
}

/* As many encodings as a report takes: all of them are read back. */
IN_SCRATCH(every_encoding_is_read)
{
    enum { MANY = LCT_MOST_ENCODINGS };
    OWNED(locant_store) *s = open_store();
    const int64_t run = add_run(s, "a");
    struct lct_surface_encoding one = { .run = { { run } } };
    struct lct_surface x = { .n = 1, .encodings = &one };
    struct lct_results r = { .surface = &x };
    json_t *list = json_array(), *first, *read;

    r.numbers = json_pack("{s:{s:[i],s:[i],s:o}}", "surface", "trained", 64,
                          "lengths", 64, "encodings", list);
    for (int i = 0; i < MANY; i++)
        json_array_append_new(list, json_pack("{s:s}", "encoding", "alibi"));
    CHECK_OK(lct_sections_keep(s, &r));
    CHECK_OK(lct_section_read(&read, s, "surface", &run, 1));
    first = json_object_get(json_object_get(read, "surface"), "encodings");
    CHECK(json_array_size(first) == MANY);
    json_decref(read);
    json_decref(r.numbers);
}

/* Where every run failed, that is what is said. */
IN_SCRATCH(nothing_to_show_is_said)
{
    OWNED(locant_store) *s = open_store();
    const int64_t run = add_run(s, "a");
    double cell;

    CHECK_OK(lct_store_keep_probe(
        s, run, "section, nats", "surface",
        "{\"trained\":[64],\"lengths\":[64],\"encodings\":[{\"encoding\":"
        "\"alibi\",\"loss\":{\"64\":{\"64\":{\"mean\":null}}}}]}"));
    CHECK_REFUSED(draw(&cell, s, "surface", &run, 1), LOCANT_ERR_PARAM,
                  "locant_figure_of_runs: 'surface' has nothing to show: the "
                  "loss of every run stopped being finite");
}

/* ------------------------------------------------------------------- damage */

static const char *const hostile[][3] = {
    { "surface", "{\"trained\":[1e300],\"lengths\":[64],\"encodings\":[]}",
      "a number beyond 1e15 is not what a report writes" },
    { "surface", "{\"trained\":[64],\"lengths\":[1e12],\"encodings\":"
      "[{\"encoding\":\"alibi\"}]}", "lengths is not what a report writes" },
    { "surface", "{\"trained\":[64],\"lengths\":[-64,64],\"encodings\":"
      "[{\"encoding\":\"alibi\"}]}", "lengths is not what a report writes" },
    { "surface", "{\"trained\":[128,64],\"lengths\":[64],\"encodings\":"
      "[{\"encoding\":\"alibi\"}]}", "trained is not what a report writes" },
    { "surface", "{\"trained\":[64],\"lengths\":[64],\"encodings\":[{}]}",
      "encodings is not what a report writes" },
    { "surface", "{\"trained\":[64],\"lengths\":[64],\"encodings\":"
      "[{\"encoding\":\"alibi\",\"loss\":{\"64\":{\"64\":{\"mean\":1e308}}}}]}",
      "a number beyond 1e15 is not what a report writes" },
    { "surface", "[]", "trained is not what a report writes" },
    { "surface", "{\"trained\":[64", "cannot be used: byte " },
    { "extension", "{\"lengths\":[256,512,1024,2048,4096]}",
      "lengths is not what a report writes" },
    { "extension", "{\"lengths\":[256],\"methods\":[{}],\"tuned\":[{}]}",
      "methods is not what a report writes" },
    { "extension", "{\"lengths\":[256],\"methods\":[{\"title\":\"a\",\"spec\":"
      "\"rope\"}],\"tuned\":7}", "tuned is not what a report writes" },
};
/* clang-format on */

IN_SCRATCH(what_no_report_wrote_is_one_sentence)
{
    OWNED(locant_store) *s = open_store();
    const int64_t run = add_run(s, "a");
    double cell;

    for (size_t i = 0; i < LEN(hostile); i++) {
        CHECK_OK(lct_store_keep_probe(s, run, "section, nats", hostile[i][0],
                                      hostile[i][1]));
        CHECK(draw(&cell, s, hostile[i][0], &run, 1) == LOCANT_ERR_FORMAT);
        CHECK(strstr(locant_last_error(), hostile[i][2]) != NULL);
        CHECK(strstr(locant_last_error(), "run 1: ") != NULL &&
              strstr(locant_last_error(), "writes it again") != NULL);
        CHECK(strchr(locant_last_error(), '\n') == NULL);
    }
    report(s, run, 5); /* and another report mends it */
    CHECK_OK(draw(&cell, s, "surface", &run, 1));
    CHECK(cell == 5);
}
