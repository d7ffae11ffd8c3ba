/* figure_case.h - a figure of each kind, for tests of drawing */
#ifndef FIGURE_CASE_H
#define FIGURE_CASE_H
#include "testing.h"
#include "locant/figure.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 6 };

static const double x5[5] = { 128, 256, 512, 1024, 2048 };
static const double y5[5] = { 2.2, 2.3, NAN, 3.1, 4.5 };
static const double low5[5] = { 2.1, 2.2, NAN, 3.0, 4.0 };
static const double high5[5] = { 2.3, 2.4, NAN, 3.2, 5.0 };
static double cells[30 * 20];

static locant_figure panels[3];
static locant_series lines[2];
static locant_mark marks[2] = { { .x = 128, .label = "trained length" },
                                { .x = 140, .label = "<near>" } };

static inline locant_figure a_figure(locant_figure_kind kind)
{
    locant_figure f = LOCANT_FIGURE_INIT;

    lines[0] = (locant_series){ .label = "first",
                                .n = 5,
                                .x = x5,
                                .y = y5,
                                .low = low5,
                                .high = high5,
                                .marks = 1,
                                .color = -1 };
    lines[1] = (locant_series){
        .label = "second", .n = 5, .x = x5, .y = low5, .dashed = 1, .color = 9
    };
    for (int i = 0; i < 30 * 20; i++)
        cells[i] = i % 7 ? sin(i * 0.1) : NAN;
    f.kind = kind;
    f.title = "A title";
    f.x_label = "x";
    f.y_label = "y";
    f.series = lines;
    f.n_series = 2;
    if (kind == LOCANT_FIGURE_CURVES) {
        f.log_x = 1;
        f.marks = marks;
        f.n_marks = 2;
    }
    f.cells = cells;
    f.rows = 30;
    f.cols = 20;
    for (int i = 0; i < 3; i++)
        panels[i] = (locant_figure){ .kind = LOCANT_FIGURE_HEATMAP,
                                     .title = i > 0 ? "panel" : NULL,
                                     .x_label = i > 1 ? "x" : NULL,
                                     .y_label = i > 0 ? "y" : NULL,
                                     .cells = cells,
                                     .rows = 10 + 10 * i,
                                     .cols = 20 };
    f.panels = panels;
    f.n_panels = 3;
    return f;
}

static inline size_t count(const char *text, const char *what)
{
    size_t n = 0;

    for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
        n++;
    return n;
}

/* ----------------------------------------------------- memory that runs out */

/* 'draw' each kind while all but k allocations fail, for k = 0, 1, .. until it
 * succeeds. */
static inline void survive_lack_of_memory(
    locant_status (*draw)(char **, size_t *, const locant_figure *))
{
    for (int kind = 0; kind < KINDS; kind++) {
        locant_status status = LOCANT_ERR_NOMEM;
        for (int k = 0; status != LOCANT_OK; k++) {
            locant_figure figure = a_figure((locant_figure_kind)kind);
            char *out = NULL;
            size_t size = 0;
            test_memory_fail_from(k + 1);
            status = draw(&out, &size, &figure);
            locant_release(out);
            CHECK(status == LOCANT_OK || status == LOCANT_ERR_NOMEM);
            CHECK(test_memory_held() == 0);
            test_memory_end();
            CHECK(status != LOCANT_OK || k > 0);
            CHECK(k < 1000);
        }
    }
}
#endif
