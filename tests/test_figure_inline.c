/* Figures in a page: well formed, quiet, small, and faithful to their data. */
/* needs: lab, glib */
#include "figure_case.h"
#include "figure/inline.h"
#include <glib.h>
#include <stdio.h>

/* Static: gcc 12 takes what strtod() writes for the address of a local. */
static char *svg_out;

static char *inline_of(const locant_figure *f)
{
    size_t size;

    CHECK_OK(locant_figure_inline(&svg_out, &size, f, NULL));
    CHECK(strlen(svg_out) == size);
    return svg_out;
}

/* ------------------------------------------------------------- well formed */

static void no_such(const char *svg)
{
    static const char *const banned[] = {
        "<script", "http",  "url(",   " id=",  " style=", " on",
        "href",    "data:", "<image", "nan\"", "inf\""
    };

    for (size_t i = 0; i < LEN(banned); i++)
        if (strstr(svg, banned[i]))
            FAIL("'%s' in %.60s", banned[i], strstr(svg, banned[i]));
}

/* glib's parser: nesting, quotes, entities, UTF-8. */
static void parse(const char *svg)
{
    static const GMarkupParser nothing = { 0 };
    GMarkupParseContext *c =
        g_markup_parse_context_new(&nothing, 0, NULL, NULL);
    GError *error = NULL;
    bool ok = g_markup_parse_context_parse(c, svg, -1, &error) &&
              g_markup_parse_context_end_parse(c, &error);

    if (!ok)
        FAIL("%s in %.200s", error->message, svg);
    g_markup_parse_context_free(c);
}

TEST(every_kind_is_well_formed)
{
    for (int kind = 0; kind < KINDS; kind++) {
        locant_figure f = a_figure((locant_figure_kind)kind);
        char *svg = inline_of(&f), *again = inline_of(&f);

        no_such(svg);
        parse(svg);
        CHECK(!test_differs(svg, again));
        CHECK(count(svg, "aria-label=\"A title\"") == 1);
        CHECK(strstr(svg, "data-box=\"") && strstr(svg, "data-x=\""));
        locant_release(svg);
        locant_release(again);
    }
}

TEST(hostile_labels_stay_text)
{
    static const char hostile[] =
        "<script>alert(1)</script>&\"'\x01\xff</text></svg><img onerror=x>"
        "a name that is far too long for the margin of the figure it is in";

    for (int kind = 0; kind < KINDS; kind++) {
        locant_figure f = a_figure((locant_figure_kind)kind);
        char *svg;

        f.title = f.x_label = f.y_label = f.title_zh = f.x_label_zh = hostile;
        lines[0].label = lines[1].label_zh = hostile;
        marks[0].label = hostile;
        svg = inline_of(&f);
        CHECK(!strstr(svg, "<script") && !strstr(svg, "<img"));
        CHECK(!strchr(svg, '\x01') && !strchr(svg, '\xff'));
        parse(svg);
        locant_release(svg);
        marks[0].label = "trained length";
    }
}

/* What the classes of a figure are called, its style sheet defines. */
TEST(every_class_is_defined)
{
    char *css;
    size_t size;

    CHECK_OK(locant_figure_css(&css, &size));
    no_such(css);
    CHECK(strstr(css, "prefers-color-scheme:dark"));
    CHECK(count(css, "{") == count(css, "}"));
    for (int kind = 0; kind < KINDS; kind++) {
        locant_figure f = a_figure((locant_figure_kind)kind);
        FREED_BY(release_memory) char *svg = inline_of(&f);

        for (const char *p = svg; (p = strstr(p, " class=\""));) {
            char name[16], rule[20];
            for (p += 8; *p != '"'; p += *p == ' ') {
                size_t n = strcspn(p, " \"");
                CHECK(n > 0 && n < sizeof name);
                snprintf(name, sizeof name, "%.*s", (int)n, p);
                snprintf(rule, sizeof rule, ".%s{", name);
                if (!strstr(css, rule) && strcmp(name, "fig") != 0 &&
                    strcmp(name, "cells") != 0)
                    FAIL("kind %d: class %s has no rule", kind, name);
                p += n;
            }
        }
    }
    locant_release(css);
}

TEST(both_languages_are_there)
{
    locant_figure f = a_figure(LOCANT_FIGURE_CURVES);
    char *svg;

    f.title_zh = "\xe6\xa0\x87\xe9\xa2\x98";
    lines[1].label_zh = "\xe7\xac\xac\xe4\xba\x8c";
    svg = inline_of(&f);
    CHECK(count(svg, " zh\"") == 2 && count(svg, " en\"") == 2);
    CHECK(strstr(svg, f.title_zh) && strstr(svg, lines[1].label_zh));
    locant_release(svg);
}

/* ---------------------------------------------------------------- faithful */

/*
 * Paint the runs of a map back into cells: row by row, the class of each.
 * 'painted' holds rows * cols classes.
 */
static void paint(char (*painted)[4], const char *svg, int64_t rows,
                  int64_t cols)
{
    const char *g = strstr(svg, "<g class=\"cells\""), *end = strstr(g, "</g>");
    char name[4];

    CHECK(sscanf(strstr(g, "<rect class=\""), "<rect class=\"%3[a-z0-9]",
                 name) == 1);
    for (int64_t i = 0; i < rows * cols; i++)
        memcpy(painted[i], name, 4);
    while ((g = strstr(g, "<path class=\"")) && g < end) {
        long x = 0, y = 0;
        const char *p = strstr(g, " d=\"M") + 5;
        CHECK(sscanf(g, "<path class=\"%3[a-z0-9]", name) == 1);
        for (p += strcspn(p, "m"); *p == 'm';) {
            char *next, way;
            long n;
            x += strtol(p + 1, &next, 10);
            y += strtol(next, &next, 10);
            way = *next;
            n = strtol(next + 1, &next, 10);
            CHECK((way == 'h' || way == 'v') && n > 0);
            for (long k = 0; k < n; k++) {
                CHECK(x >= 0 && x < cols && y >= 0 && y < rows);
                memcpy(painted[y * cols + x], name, 4);
                x += way == 'h';
                y += way == 'v';
            }
            p = next;
        }
        g++;
    }
}

/* Every cell has the shade of its value, both ways runs can go. */
TEST(maps_hold_every_cell)
{
    enum { ROWS = 30, COLS = 20 };
    static char painted[ROWS * COLS][4];

    for (int turn = 0; turn < 2; turn++) {
        locant_figure f = a_figure(LOCANT_FIGURE_HEATMAP);
        struct lct_scale map;
        char *svg;

        for (int i = 0; turn && i < ROWS * COLS; i++)
            cells[i] = i % COLS + (i / COLS == 3 ? NAN : 0);
        f.diverging = turn;
        map = lct_scale_of(&f);
        svg = inline_of(&f);
        paint(painted, svg, ROWS, COLS);
        for (int i = 0; i < ROWS * COLS; i++) {
            int shade = lct_shade(&map, cells[i], LCT_PAGE_SHADES);
            char want[16];
            snprintf(want, sizeof want, "%c%d", turn ? 'd' : 'q', shade);
            if (test_differs(painted[i], shade < 0 ? "qn" : want))
                FAIL("cell %d: %s, expected %s", i, painted[i],
                     shade < 0 ? "qn" : want);
        }
        locant_release(svg);
    }
}

/* Panels that share a range share their colours. */
TEST(diverging_maps_reach_to_the_larger_bound)
{
    locant_figure f = a_figure(LOCANT_FIGURE_HEATMAP);
    struct lct_scale map;

    f.diverging = 1;
    f.y_min = -800;
    f.y_max = 400;
    map = lct_scale_of(&f);
    CHECK(map.low == -800 && map.high == 800);
    f.diverging = 0;
    map = lct_scale_of(&f);
    CHECK(map.low == -800 && map.high == 400);
}

/* A spike in a large map is seen, and that cells were pooled is said. */
TEST(large_maps_are_pooled)
{
    enum { N = 600, SHOWN = 120 };
    static char painted[SHOWN * SHOWN][4];
    locant_figure f = a_figure(LOCANT_FIGURE_HEATMAP);
    FREED_BY(free_memory) double *large = calloc((size_t)N * N, sizeof *large);
    char *svg;

    CHECK(large != NULL);
    large[37 * N + 599] = -5;
    f.cells = large;
    f.rows = f.cols = N;
    f.diverging = 1;
    svg = inline_of(&f);
    CHECK(strstr(svg, "largest magnitude of 5 \xc3\x97 5"));
    paint(painted, svg, SHOWN, SHOWN);
    for (int i = 0; i < SHOWN * SHOWN; i++)
        CHECK(!test_differs(painted[i], i == 7 * SHOWN + 119 ? "d0" : "d16"));
    locant_release(svg);
    /* and noise, which has no runs, is pooled further */
    for (int i = 0; i < N * N; i++)
        large[i] = test_uniform();
    svg = inline_of(&f);
    if (strlen(svg) > 30000)
        FAIL("%zu bytes", strlen(svg));
    locant_release(svg);
}

/* The path of a curve passes every point within a fifth of a point. */
TEST(curves_pass_their_points)
{
    enum { N = 2000 };
    static double x[N], y[N];
    locant_figure f = a_figure(LOCANT_FIGURE_CURVES);
    double box[4], low, high, at_x, at_y, next_x, next_y;
    const char *p;
    char *svg;
    int k = 0;

    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = sin(i * 0.005) * i;
    }
    lines[0] = (locant_series){ .n = N, .x = x, .y = y, .color = 0 };
    f.n_series = 1;
    f.log_x = 0;
    f.n_marks = 0;
    svg = inline_of(&f);
    CHECK(strlen(svg) < 6000);
    CHECK(sscanf(strstr(svg, "data-box=\""), "data-box=\"%lf %lf %lf %lf",
                 &box[0], &box[1], &box[2], &box[3]) == 4);
    CHECK(sscanf(strstr(svg, "data-y=\""), "data-y=\"%lf %lf", &low, &high) ==
          2);
    p = strstr(strstr(svg, "class=\"l c0\""), " d=\"M") + 5;
    at_x = strtod(p, (char **)&p);
    at_y = strtod(p, (char **)&p);
    while (*p != '"') {
        char way = *p++;
        next_x = at_x + (way != 'v' ? strtod(p, (char **)&p) : 0);
        next_y = at_y + (way != 'h' ? strtod(p, (char **)&p) : 0);
        for (; k < N && box[0] + box[2] * k / (N - 1) <= next_x + 0.06; k++) {
            double want = box[1] + box[3] * (1 - (y[k] - low) / (high - low));
            double here = box[0] + box[2] * k / (N - 1);
            double part = (here - at_x) / (next_x - at_x);
            double is = at_y + fmin(fmax(part, 0), 1) * (next_y - at_y);
            /* 0.1 of the sleeve, 0.05 of rounding in y, and 0.05 in x times
               the slope, here at most 1.5 */
            if (fabs(is - want) > 0.1 + 0.05 + 0.05 * 1.5)
                FAIL("point %d: %g, expected %g", k, is, want);
        }
        at_x = next_x;
        at_y = next_y;
    }
    CHECK(k == N);
    locant_release(svg);
}

/* Eight curves of 100 points, as the page has them. */
TEST(figures_are_small)
{
    enum { N = 100, CURVES = 8 };
    static double x[N], y[CURVES][N];
    static locant_series many[CURVES];
    locant_figure f = a_figure(LOCANT_FIGURE_CURVES);
    char *svg;

    for (int s = 0; s < CURVES; s++) {
        for (int i = 0; i < N; i++) {
            x[i] = i + 1;
            y[s][i] = test_uniform();
        }
        many[s] = (locant_series){
            .label = "a name", .n = N, .x = x, .y = y[s], .color = s
        };
    }
    f.series = many;
    f.n_series = CURVES;
    svg = inline_of(&f);
    if (strlen(svg) > 15000)
        FAIL("%zu bytes", strlen(svg));
    locant_release(svg);
}

static locant_status without_words(char **out, size_t *size,
                                   const locant_figure *f)
{
    return locant_figure_inline(out, size, f, NULL);
}

TEST(survives_lack_of_memory)
{
    survive_lack_of_memory(without_words);
}

TEST(refuses)
{
    locant_figure f = a_figure(LOCANT_FIGURE_CURVES);
    char *out = NULL;
    size_t size = 77;

    REFUSES(NULL, locant_figure_inline(NULL, &size, &f, NULL), "out is NULL");
    REFUSES(NULL, locant_figure_css(&out, NULL), "size is NULL");
    f.n_series = 0;
    REFUSES(PARAM, locant_figure_inline(&out, &size, &f, NULL),
            "0 series, expected 1 to 256");
    f = a_figure(LOCANT_FIGURE_STRIPS);
    lines[0].dashed = 5;
    REFUSES(PARAM, locant_figure_inline(&out, &size, &f, NULL),
            "series 0: dashed is 5, expected 0 to 4");
    CHECK(out == NULL && size == 77);
}
