/* Figures: formats, same bytes for the same figure, gaps, refusals. */
/* needs: lab */
#define _GNU_SOURCE
#include "figure_case.h"
#include "figure/figure.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of its own for each test, removed with what it holds. */
static char folder[256];

static int make_folder(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(folder, sizeof folder, "%.200s/figureXXXXXX", tmp ? tmp : ".");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = { "f.svg", "f.png", "f.pdf" };
    char path[300];

    (void)state;
    for (size_t i = 0; i < LEN(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static void check_signature(const char *name, const char *signature)
{
    char path[300], start[16] = "";
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK(fread(start, 1, sizeof start, file) == sizeof start);
    CHECK(fclose(file) == 0);
    CHECK(memcmp(start, signature, strlen(signature)) == 0);
}

TEST_WITH(make_folder, remove_folder, writes_every_format_of_every_kind)
{
    static const char *const names[] = { "f.svg", "f.png", "f.pdf" };
    static const char *const signatures[] = { "<?xml", "\x89PNG\r\n\x1a\n",
                                              "%PDF-" };

    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < LEN(names); i++) {
            locant_figure f = a_figure((locant_figure_kind)kind);
            char path[300];
            snprintf(path, sizeof path, "%s/%s", folder, names[i]);
            CHECK_OK(locant_figure_write(&f, path));
            check_signature(names[i], signatures[i]);
        }
}

static char *svg_of(const locant_figure *f)
{
    char *svg;
    size_t size;

    CHECK_OK(locant_figure_svg(&svg, &size, f));
    CHECK(strlen(svg) == size);
    CHECK(strcmp(svg + size - 7, "</svg>\n") == 0);
    return svg;
}

TEST(same_figure_same_bytes)
{
    for (int kind = 0; kind < KINDS; kind++) {
        locant_figure f = a_figure((locant_figure_kind)kind);
        locant_figure other = a_figure(LOCANT_FIGURE_HEATMAP);
        char *first = svg_of(&f), *between = svg_of(&other);
        FREED_BY(release_memory) char *second = svg_of(&f);
        if (strcmp(first, second) != 0)
            FAIL("kind %d differs the second time", kind);
        locant_release(first);
        locant_release(between);
    }
}

/* A large matrix is one picture: no more elements than a small one. */
TEST(large_matrix_is_one_image)
{
    enum { N = 600 };
    locant_figure f = a_figure(LOCANT_FIGURE_HEATMAP);
    FREED_BY(free_memory) double *large = calloc((size_t)N * N, sizeof *large);
    char *svg;

    CHECK(large != NULL);
    for (int i = 0; i < N * N; i++)
        large[i] = i % 13;
    f.cells = large;
    f.rows = f.cols = N;
    svg = svg_of(&f);
    CHECK(count(svg, "<image") == 2); /* the map and its colour bar */
    CHECK(count(svg, "<path") < 300);
    CHECK(strlen(svg) < 200000);
    locant_release(svg);
}

/* Number of pieces of the dark blue line, each "M" of a stroked path. */
static size_t pieces(const char *svg)
{
    const char *path = strstr(svg, "stroke:rgb(0%,44.705882%,69.803922%)");
    const char *end;
    size_t n = 0;

    while (path) {
        path = strstr(path, " d=\"");
        end = strchr(path + 4, '"');
        for (const char *p = path; p < end; p++)
            n += *p == 'M';
        path = strstr(end, "stroke:rgb(0%,44.705882%,69.803922%)");
    }
    return n;
}

TEST(nan_leaves_a_gap)
{
    double whole[5] = { 2, 3, 4, 5, 6 }, gap[5] = { 2, 3, NAN, 5, 6 };
    locant_figure f = a_figure(LOCANT_FIGURE_CURVES);
    char *a, *b;

    lines[0] = (locant_series){ .n = 5, .x = x5, .y = whole, .color = 0 };
    f.n_series = 1;
    a = svg_of(&f);
    lines[0].y = gap;
    b = svg_of(&f);
    CHECK(pieces(b) == pieces(a) + 1);
    locant_release(a);
    locant_release(b);
}

TEST(hostile_labels_stay_text)
{
    static const char hostile[] = "<script>&\"'\x01\xff</title>";
    locant_figure f = a_figure(LOCANT_FIGURE_CURVES);
    char *svg;

    f.title = f.x_label = f.y_label = hostile;
    lines[0].label = hostile;
    marks[0].label = hostile;
    svg = svg_of(&f);
    CHECK(!strstr(svg, "<script"));
    CHECK(strstr(svg, "<title>&lt;script&gt;&amp;&quot;"));
    CHECK(count(svg, "</title>") == 1);
    CHECK(!strchr(svg, '\x01') && !strchr(svg, '\xff'));
    locant_release(svg);
    marks[0].label = "trained length";
}

TEST(draws_any_script)
{
    locant_figure f = a_figure(LOCANT_FIGURE_BARS);
    char *svg;

    f.title = "\xe4\xbd\x8d\xe7\xbd\xae\xe7\xbc\x96\xe7\xa0\x81";
    svg = svg_of(&f);
    CHECK(strstr(svg, f.title));
    locant_release(svg);
}

TEST(degenerate_data_is_drawn)
{
    double one[1] = { 5 }, huge[2] = { -1e150, 1e150 }, x[2] = { 1, 1 };
    double zero[4] = { 0, 0, 0, 0 };
    locant_figure f = a_figure(LOCANT_FIGURE_CURVES);

    lines[0] = (locant_series){ .label = "", .n = 1, .x = one, .y = one };
    f.n_series = 1;
    locant_release(svg_of(&f));
    lines[0] = (locant_series){ .label = "huge", .n = 2, .x = x, .y = huge };
    locant_release(svg_of(&f));
    f.log_x = 0;
    f.n_marks = 0;
    lines[0] = (locant_series){ .label = "huge", .n = 2, .x = huge, .y = huge };
    locant_release(svg_of(&f));
    f = a_figure(LOCANT_FIGURE_HEATMAP);
    f.cells = zero;
    f.rows = f.cols = 2;
    for (f.diverging = 0; f.diverging < 2; f.diverging++)
        locant_release(svg_of(&f));
    f.cells = huge;
    f.rows = 1;
    locant_release(svg_of(&f));
}

static void refuse(const locant_figure *f, locant_status status,
                   const char *sentence)
{
    char *out = NULL;
    size_t size = 77;

    CHECK_REFUSED(locant_figure_svg(&out, &size, f), status, sentence);
    CHECK(out == NULL && size == 77);
}

TEST(refuses_bad_lines)
{
    const double none[5] = { NAN, NAN, INFINITY, NAN, NAN };
    const double below[5] = { 1, 0, 2, 3, 4 }, large[5] = { 1e200 };
    locant_figure f = a_figure(LOCANT_FIGURE_CURVES);

    f.n_series = 0;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: 0 series, expected 1 to 256");
    f.n_series = 2;
    lines[1].n = 0;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: series 1 has 0 values, "
           "expected 1 to 1048576");
    f = a_figure(LOCANT_FIGURE_CURVES);
    lines[0].y = NULL;
    refuse(&f, LOCANT_ERR_NULL, "locant_figure_svg: series 0: y is NULL");
    f = a_figure(LOCANT_FIGURE_CURVES);
    lines[1].x = below;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: series 1: x[1] is 0, expected a value > 0 on a "
           "logarithmic axis");
    f = a_figure(LOCANT_FIGURE_CURVES);
    lines[1].y = large;
    lines[1].n = 1;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: series 1: y[0] is 1e+200, expected a magnitude "
           "of at most 1e+150");
    f = a_figure(LOCANT_FIGURE_CURVES);
    lines[0].high = NULL;
    refuse(&f, LOCANT_ERR_NULL,
           "locant_figure_svg: series 0 has only one edge of its band");
    f = a_figure(LOCANT_FIGURE_CURVES);
    lines[0] = lines[1] = (locant_series){ .n = 5, .x = x5, .y = none };
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: no series has a finite value to draw");
    f = a_figure(LOCANT_FIGURE_CURVES);
    lines[0].color = 10;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: series 0: color is 10, expected -1 to 9");
    f = a_figure(LOCANT_FIGURE_CURVES);
    f.y_min = 3;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: y runs from 3 to 0, expected y_min < y_max "
           "(both 0: from the data)");
    f = a_figure(LOCANT_FIGURE_CURVES);
    marks[0].x = -1;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: mark 0 is at -1, expected a finite value > 0");
    marks[0].x = 128;
}

TEST(refuses_bad_maps)
{
    double none[4] = { NAN, NAN, NAN, NAN };
    locant_figure f = a_figure(LOCANT_FIGURE_HEATMAP);

    f.rows = 0;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: 0 x 20 cells, expected at least 1 x 1 and at "
           "most 67108864 in all");
    f.rows = INT64_MAX;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: 9223372036854775807 x 20 cells, expected at "
           "least 1 x 1 and at most 67108864 in all");
    f.rows = f.cols = 2;
    f.cells = none;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: no cell has a finite value to draw");
    f.cells = NULL;
    refuse(&f, LOCANT_ERR_NULL, "locant_figure_svg: cells is NULL");
    f = a_figure(LOCANT_FIGURE_HEATMAP);
    f.log_x = 1;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: log_x is set, but only "
           "curves have a logarithmic axis");
    f = a_figure(LOCANT_FIGURE_HEATMAP);
    f.y_step = NAN;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: the first value or step of an axis is not a "
           "number of at most 1e+150");
}

TEST_WITH(make_folder, remove_folder, refuses_bad_frames)
{
    locant_figure f = a_figure(LOCANT_FIGURE_CURVES);
    char sentence[160], path[300];
    char *out;
    size_t size;
    struct stat st;

    REFUSES(NULL, locant_figure_svg(NULL, &size, &f), "out is NULL");
    REFUSES(NULL, locant_figure_svg(&out, NULL, &f), "size is NULL");
    refuse(NULL, LOCANT_ERR_NULL, "locant_figure_svg: figure is NULL");
    f.width = 9000;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: width is 9000 points, expected 0 or 60 to 8192");
    f.width = 60;
    f.height = 60;
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure: 60 x 60 points leave no room for the plot beside "
           "its labels");
    f.struct_size = 8;
    snprintf(sentence, sizeof sentence,
             "locant_figure_svg: struct_size is 8, expected %zu: start from "
             "LOCANT_FIGURE_INIT",
             sizeof f);
    refuse(&f, LOCANT_ERR_PARAM, sentence);
    f = a_figure((locant_figure_kind)9);
    refuse(&f, LOCANT_ERR_PARAM,
           "locant_figure_svg: kind is 9, expected "
           "curves, heat map, bars, strips, points or panels");
    f = a_figure(LOCANT_FIGURE_CURVES);
    REFUSES(NULL, locant_figure_write(&f, NULL), "path is NULL");
    REFUSES(PARAM, locant_figure_write(&f, "picture.gif"),
            "path is 'picture.gif', expected an ending .svg, .png or .pdf");
    snprintf(path, sizeof path, "%s/none/f.svg", folder);
    CHECK(locant_figure_write(&f, path) == LOCANT_ERR_IO);
    /* what is refused is not written */
    snprintf(path, sizeof path, "%s/f.svg", folder);
    f.n_series = 0;
    CHECK(locant_figure_write(&f, path) == LOCANT_ERR_PARAM);
    CHECK(stat(path, &st) != 0);
}

TEST(survives_lack_of_memory)
{
    survive_lack_of_memory(locant_figure_svg);
}

/* ------------------------------------------------------------------ numbers */

TEST(numbers_are_plain)
{
    static const struct {
        double value;
        int decimals;
        const char *text;
    } table[] = { { 1.5, 2, "1.50" },       { -0.0004, 2, "0.00" },
                  { -2.25, 1, "-2.2" },     { 1e7, 0, "1e7" },
                  { 1.5e-6, 3, "1.5e-6" },  { 128, 0, "128" },
                  { NAN, 2, "undefined" },  { -INFINITY, 0, "-infinity" },
                  { 9999999, 0, "9999999" } };
    char text[LCT_DECIMAL_BYTES];

    for (size_t i = 0; i < LEN(table); i++) {
        lct_decimal(text, table[i].value, table[i].decimals);
        if (test_differs(text, table[i].text))
            FAIL("row %zu: got %s, want %s", i, text, table[i].text);
    }
    lct_decimal_short(text, 0.0123456);
    CHECK(!test_differs(text, "0.0123"));
    lct_decimal_short(text, 1200);
    CHECK(!test_differs(text, "1200"));
    lct_decimal_short(text, 2.5);
    CHECK(!test_differs(text, "2.5"));
}

/* Locales that write 1,5: whichever this machine has. */
TEST(numbers_ignore_the_locale)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8",
                                         "ru_RU.UTF-8", "nl_NL.UTF-8" };
    char text[LCT_DECIMAL_BYTES];
    size_t found = 0;

    for (size_t i = 0; i < LEN(names); i++) {
        if (!setlocale(LC_NUMERIC, names[i]))
            continue;
        found++;
        lct_decimal(text, 1.5, 2);
        CHECK(!test_differs(text, "1.50"));
    }
    setlocale(LC_NUMERIC, "C");
    if (found == 0)
        skip();
}

TEST(ticks_are_round_and_inside)
{
    for (int i = 0; i < 2000; i++) {
        double size = pow(10, 12 * test_uniform());
        double low = size * test_uniform();
        double high = low + size * (test_uniform() + 1.001);
        struct lct_axis a;
        lct_axis_linear(&a, low, high, 8);
        CHECK(a.n >= 2 && a.n <= 10);
        for (int k = 0; k < a.n; k++) {
            /* 1e-9 of a step is what the axis itself allows */
            double slack = 1e-8 * (high - low);
            CHECK(a.tick[k] >= low - slack && a.tick[k] <= high + slack);
            CHECK(k == 0 || test_differs(a.label[k], a.label[k - 1]));
        }
    }
}

/* Lightness falls along the map for magnitudes; signs mirror in lightness. */
static double lightness(struct lct_color c)
{
    return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

TEST(maps_are_ordered)
{
    for (int dark = 0; dark < 2; dark++)
        for (int i = 0; i < 100; i++) {
            double sign = dark ? 1 : -1, a = i / 100.0, b = (i + 1) / 100.0;
            CHECK(sign * lightness(lct_sequential(b, dark)) >
                  sign * lightness(lct_sequential(a, dark)));
            CHECK(sign * lightness(lct_diverging(b, dark)) >
                  sign * lightness(lct_diverging(a, dark)));
            CHECK(sign * lightness(lct_diverging(-b, dark)) >
                  sign * lightness(lct_diverging(-a, dark)));
        }
    CHECK(lct_diverging(-1, false).b > lct_diverging(-1, false).r);
    CHECK(lct_diverging(1, false).r > lct_diverging(1, false).b);
}

/* Contrast as WCAG 2 defines it: (L1 + 0.05) / (L2 + 0.05) of linear light. */
static double luminance(struct lct_color c)
{
    double part[3] = { c.r, c.g, c.b };

    for (int i = 0; i < 3; i++)
        part[i] = part[i] <= 0.04045 ? part[i] / 12.92
                                     : pow((part[i] + 0.055) / 1.055, 2.4);
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
}

/* Lines stand out from the page by 3 at least, on white and on #1e2125. */
TEST(lines_can_be_seen)
{
    const struct lct_color ground = { 30 / 255.0, 33 / 255.0, 37 / 255.0 };

    for (int i = 0; i < LCT_COLORS; i++) {
        double light = 1.05 / (luminance(lct_palette(i)) + 0.05);
        double dark = (luminance(lct_palette_dark(i)) + 0.05) /
                      (luminance(ground) + 0.05);
        if (light < 3 || dark < 3)
            FAIL("colour %d: contrast %g on white, %g on dark", i, light, dark);
    }
}
