/* Figures as text: terminals, JSON, CSV; and the list of them by name. */
/* needs: lab, glib */
#include "figure_case.h"
#include "figure/data.h"
#include <glib.h>
#include <jansson.h>
#include <stdio.h>

static char *text; /* of the last figure */

static void draw(const locant_figure *f, int columns, locant_terminal colors)
{
    size_t size;

    locant_release(text);
    CHECK_OK(locant_figure_terminal(&text, &size, f, columns, colors));
    CHECK(strlen(text) == size);
}

/* ----------------------------------------------------------------- terminal */

/* Columns of a line, without escapes; every escape is one of colours. */
static int columns_of(const char *line, const char *end)
{
    int columns = 0;

    while (line < end) {
        if (*line == '\x1b') {
            CHECK(line[1] == '[');
            line += 2 + strspn(line + 2, "0123456789;");
            CHECK(*line == 'm');
        } else {
            columns += (*line & 0xc0) != 0x80;
        }
        line++;
    }
    return columns;
}

static void check_lines(int kind, int width, int colors)
{
    locant_figure f = a_figure((locant_figure_kind)kind);

    draw(&f, width, (locant_terminal)colors);
    for (const char *p = text, *end; *p; p = end + 1) {
        end = strchr(p, '\n');
        CHECK(end != NULL);
        if (columns_of(p, end) > width)
            FAIL("kind %d, %d columns: %.*s", kind, width, (int)(end - p), p);
    }
    CHECK((strchr(text, '\x1b') != NULL) == (colors > 0));
    for (const char *p = text; colors == 0 && *p; p++)
        CHECK(*p == '\n' || (*p >= ' ' && *p <= '~'));
}

TEST(lines_fit_every_terminal)
{
    static const int widths[] = { 40, 41, 80, 200 };

    for (int kind = 0; kind < KINDS; kind++)
        for (size_t w = 0; w < LEN(widths); w++)
            for (int colors = 0; colors < 4; colors++)
                check_lines(kind, widths[w], colors);
}

TEST(labels_carry_no_escapes)
{
    static const char hostile[] = "a\x1b[31m\x07\nb\xff\xc2\x9b";

    for (int kind = 0; kind < KINDS; kind++)
        for (int colors = 0; colors < 4; colors += 3) {
            locant_figure f = a_figure((locant_figure_kind)kind);
            f.title = f.x_label = f.y_label = hostile;
            lines[0].label = marks[0].label = hostile;
            draw(&f, 80, (locant_terminal)colors);
            CHECK(!strstr(text, "[31m\x07") && !strchr(text, '\x07'));
            CHECK(!strstr(text, "\x1b[31ma") && !strchr(text, '\xff'));
            CHECK(!strstr(text, "\xc2\x9b") && !strstr(text, "a\x1b"));
            marks[0].label = "trained length";
        }
}

/* The pixels of a small map are its cells, in the colours of the page. */
TEST(map_shows_its_cells)
{
    double two[4] = { -1, 1, 0, NAN };
    struct lct_color low = lct_diverging(-1, false);
    locant_figure f = a_figure(LOCANT_FIGURE_HEATMAP);
    char want[64];

    f.cells = two;
    f.rows = f.cols = 2;
    f.diverging = 1;
    f.title = f.x_label = f.y_label = NULL;
    draw(&f, 80, LOCANT_TERMINAL_ASCII);
    CHECK(!test_differs(text, " 0+NNN@@@\n"
                              "  |NNN@@@\n"
                              " 1+...\n"
                              "  |...\n"
                              "  +------\n"
                              "    0  1\n"
                              "  -1 [NmLc-.+*o#@] 1\n"));
    f.title = "θ 查询";
    draw(&f, 80, LOCANT_TERMINAL_PLAIN);
    CHECK(strncmp(text, "θ 查询\n 0+NNN@@@\n", 20) == 0);
    draw(&f, 80, LOCANT_TERMINAL_ASCII);
    CHECK(strncmp(text, "? ??\n 0+", 8) == 0);
    f.title = NULL;
    draw(&f, 80, LOCANT_TERMINAL_24);
    snprintf(want, sizeof want, "\x1b[38;2;%d;%d;%dm\xe2\x96\x88",
             (int)lrint(low.r * 255), (int)lrint(low.g * 255),
             (int)lrint(low.b * 255));
    CHECK(strstr(text, want));
    draw(&f, 80, LOCANT_TERMINAL_256);
    CHECK(strstr(text, "\x1b[38;5;"));
    draw(&f, 80, LOCANT_TERMINAL_16);
    CHECK(!strstr(text, "[38;") && strstr(text, "\x1b[9"));
}

/* Names in place of numbers: in the terminal, in JSON, in CSV. */
TEST(rows_of_maps_have_names)
{
    static const char *const rows[] = { "rope(base=128)", "a\x1b[31m,b" };
    static const char *const cols[] = { "128", "256, dense", NULL };
    double four[4] = { 0, 1, 1, 0 };
    locant_figure f = a_figure(LOCANT_FIGURE_HEATMAP);
    char *out;
    size_t size;

    f.cells = four;
    f.rows = f.cols = 2;
    f.diverging = 0;
    f.title = f.x_label = f.y_label = NULL;
    f.row_names = rows;
    f.col_names = cols;
    draw(&f, 80, LOCANT_TERMINAL_ASCII);
    CHECK(strstr(text, "rope(base=128)+..........."));
    CHECK(strstr(text, "  256, dense\n") && strstr(text, "  128  "));
    CHECK(!strchr(text, '\x1b'));
    draw(&f, 40, LOCANT_TERMINAL_24);
    CHECK(strstr(text, "rope(base=128)"));
    CHECK_OK(locant_figure_json(&out, &size, &f));
    CHECK(strstr(out, "\"row_names\":[\"rope(base=128)\",\"a\\u001b[31m,b\"],"
                      "\"col_names\":[\"128\",\"256, dense\"]"));
    locant_release(out);
    CHECK_OK(locant_figure_csv(&out, &size, &f));
    CHECK(strstr(out, "row,column,value\nrope(base=128),128,0\n"
                      "rope(base=128),\"256, dense\",1\n"));
    locant_release(out);
    CHECK_OK(locant_figure_svg(&out, &size, &f));
    locant_release(out);
    f.col_names = cols + 1; /* the second is NULL */
    REFUSES(NULL, locant_figure_csv(&out, &size, &f), "col_names[1] is NULL");
}

TEST(refuses)
{
    locant_figure f = a_figure(LOCANT_FIGURE_CURVES);
    char *out = NULL;
    size_t size = 77;

    REFUSES(PARAM, locant_figure_terminal(&out, &size, &f, 39, 0),
            "39 columns, expected 40 to 1000");
    REFUSES(PARAM,
            locant_figure_terminal(&out, &size, &f, 80, (locant_terminal)5),
            "colors is 5, expected 0 to 4");
    REFUSES(NULL, locant_figure_json(NULL, &size, &f), "out is NULL");
    f.n_series = 0;
    REFUSES(PARAM, locant_figure_csv(&out, &size, &f),
            "0 series, expected 1 to 256");
    CHECK(out == NULL && size == 77);
}

/* ------------------------------------------------------------------ numbers */

/* Doubles of every size, some of them not finite. */
static double any_double(int i)
{
    static const double special[] = { 0.1,        -0.0,    NAN,      1e-300,
                                      12345678.9, 1.0 / 3, -2.5e149, 5e-324 };

    return i < (int)LEN(special)
               ? special[i]
               : ldexp(test_uniform() - 0.5, (int)(400 * test_uniform()) - 200);
}

static void same(double got, double want)
{
    if (isfinite(want) ? got != want : isfinite(got))
        FAIL("got %.17g, want %.17g", got, want);
}

/* A field of a line that ends at ',' or '\n'; NAN if it is empty. */
static double field(const char **p)
{
    char *end;
    double value = **p == ',' || **p == '\n' ? NAN : strtod(*p, &end);

    if (**p != ',' && **p != '\n')
        *p = end;
    CHECK(**p == ',' || **p == '\n');
    (*p)++;
    return value;
}

TEST(csv_reads_back)
{
    enum { N = 200 };
    static double x[N], y[N];
    locant_figure f = a_figure(LOCANT_FIGURE_CURVES);
    size_t size;
    const char *p;

    for (int i = 0; i < N; i++) {
        x[i] = any_double(i + 8);
        y[i] = any_double(i);
    }
    lines[0] = (locant_series){
        .label = "a \"name\", of two\nlines", .n = N, .x = x, .y = y
    };
    f.n_series = 1;
    f.n_marks = 0;
    f.log_x = 0;
    locant_release(text);
    CHECK_OK(locant_figure_csv(&text, &size, &f));
    CHECK(strncmp(text, "series,x,y\n", 11) == 0);
    p = text + 11;
    for (int i = 0; i < N; i++) {
        static const char label[] = "\"a \"\"name\"\", of two\nlines\",";
        CHECK(strncmp(p, label, sizeof label - 1) == 0);
        p += sizeof label - 1;
        same(field(&p), x[i]);
        same(field(&p), y[i]);
    }
    CHECK(*p == '\0');
    /* and a map, with its places */
    f = a_figure(LOCANT_FIGURE_HEATMAP);
    f.cells = y;
    f.rows = 20;
    f.cols = 10;
    f.x_first = 0.5;
    f.x_step = 0.25;
    locant_release(text);
    CHECK_OK(locant_figure_csv(&text, &size, &f));
    p = text + strlen("y,x,value\n");
    for (int i = 0; i < 200; i++) {
        same(field(&p), i / 10);
        same(field(&p), 0.5 + 0.25 * (i % 10));
        same(field(&p), y[i]);
    }
    CHECK(*p == '\0');
}

static double json_at(const json_t *array, size_t i)
{
    const json_t *value = json_array_get(array, i);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

TEST(json_reads_back)
{
    static double x[200], y[200];
    locant_figure f = a_figure(LOCANT_FIGURE_POINTS);
    json_t *root, *series;
    size_t size;

    for (int i = 0; i < 200; i++) {
        y[i] = any_double(i);
        x[i] = any_double(i + 8);
    }
    f.title = "</script>\"\\\xe2\x80\xa8\x01";
    lines[0] =
        (locant_series){ .label = "a", .n = 200, .y = y, .low = x, .high = x };
    locant_release(text);
    CHECK_OK(locant_figure_json(&text, &size, &f));
    CHECK(!strstr(text, "</") && !strstr(text, "\xe2\x80\xa8"));
    root = json_loads(text, 0, NULL);
    CHECK(root != NULL);
    CHECK(!test_differs(json_string_value(json_object_get(root, "title")),
                        f.title));
    series = json_array_get(json_object_get(root, "series"), 0);
    for (size_t i = 0; i < 200; i++) {
        same(json_at(json_object_get(series, "y"), i), y[i]);
        same(json_at(json_object_get(series, "high"), i), x[i]);
    }
    json_decref(root);
    f = a_figure(LOCANT_FIGURE_HEATMAP);
    locant_release(text);
    CHECK_OK(locant_figure_json(&text, &size, &f));
    root = json_loads(text, 0, NULL);
    for (size_t i = 0; i < 600; i++)
        same(json_at(json_array_get(json_object_get(root, "cells"), i / 20),
                     i % 20),
             cells[i]);
    json_decref(root);
}

/* For the page: two bytes a cell, within half a step of 1 / 65534 of the
   range, which is 2 nearly. */
TEST(packed_maps_are_near)
{
    locant_figure f = a_figure(LOCANT_FIGURE_HEATMAP);
    FREED_BY(lct_html_free) struct lct_html h = { .data = NULL };
    const char *at;
    size_t size;
    unsigned char *bytes;
    json_t *root;
    double low, high;

    CHECK_OK(lct_figure_data(&h, &f, true));
    lct_html_append(&h, "", 1);
    root = json_loads(h.data, 0, NULL);
    low = json_number_value(json_object_get(root, "low"));
    high = json_number_value(json_object_get(root, "high"));
    at = json_string_value(json_object_get(root, "u16"));
    bytes = g_base64_decode(at, &size);
    CHECK(size == 2 * 600);
    for (int i = 0; i < 600; i++) {
        unsigned u = bytes[2 * i] | (unsigned)bytes[2 * i + 1] << 8;
        CHECK((u == 0) == isnan(cells[i]));
        if (u > 0 && fabs(low + (u - 1) / 65534.0 * (high - low) - cells[i]) >
                         (high - low) / 65534 * 0.5001)
            FAIL("cell %d: %u for %g", i, u, cells[i]);
    }
    g_free(bytes);
    json_decref(root);
}

static locant_status as_text(char **out, size_t *size, const locant_figure *f)
{
    return locant_figure_terminal(out, size, f, 60, LOCANT_TERMINAL_24);
}

TEST(survives_lack_of_memory)
{
    survive_lack_of_memory(as_text);
    survive_lack_of_memory(locant_figure_json);
    survive_lack_of_memory(locant_figure_csv);
}

/* ------------------------------------------------------------------ by name */

/* Names of methods and specs are the same in both languages. */
static void check_zh(const char *en, const char *zh)
{
    static const char *const names[] = { "PI", "NTK", "YaRN" };

    for (size_t i = 0; i < LEN(names); i++)
        if (en && strcmp(en, names[i]) == 0)
            return;
    if (en && !zh)
        FAIL("'%s' has no Chinese", en);
}

static locant_status keep(const locant_figure *f, const char *alt,
                          const char *caption, void *context)
{
    int *taken = context;

    CHECK(f->name && f->title && *alt && *caption);
    check_zh(f->title, f->title_zh);
    check_zh(f->x_label, f->x_label_zh);
    check_zh(f->y_label, f->y_label_zh);
    for (size_t i = 0; f->kind != LOCANT_FIGURE_HEATMAP && i < f->n_series; i++)
        check_zh(f->series[i].label, f->series[i].label_zh);
    for (size_t i = 0; i < f->n_marks; i++)
        check_zh(f->marks[i].label, f->marks[i].label_zh);
    ++*taken;
    return LOCANT_OK;
}

/* Each figure of an encoding is one of these encodings at least. */
TEST(every_figure_can_be_had)
{
    static const char *const specs[] = {
        "sinusoidal",
        "rope",
        "rope2d(height=8,width=8)",
        "t5",
        "alibi",
        "shaw(distance=4)",
        "randomized(length=64)+rope",
        "window(size=4)+rope",
        "temperature(floor=4)+rope",
        "transformer-xl",
    };
    const locant_figure_info *info;

    for (int i = 0; (info = locant_figure_at(i)) != NULL; i++) {
        locant_figure_view view = LOCANT_FIGURE_VIEW_INIT;
        int taken = 0;

        CHECK(info->title_zh[0] != '\0');
        view.trained = view.length = 16;
        for (size_t k = 0; k < LEN(specs) && taken == 0; k++) {
            OWNED(locant_encoding) *e = test_create(specs[k]);
            locant_status status;

            status =
                locant_figure_of_encoding(info->name, e, &view, keep, &taken);
            CHECK((status == LOCANT_OK) == (taken > 0));
            CHECK(status == LOCANT_OK || status == LOCANT_ERR_PARAM);
        }
        /* what only training makes is of runs */
        if (taken == 0 && strcmp(info->of, "runs") != 0 &&
            strcmp(info->of, "report") != 0 &&
            strcmp(info->name, "bias-initial") != 0)
            FAIL("no encoding has the figure %s", info->name);
    }
}

static locant_status refuse(const char *name, const char *spec,
                            const locant_figure_view *view)
{
    OWNED(locant_encoding) *e = test_create(spec);
    locant_status status;
    int taken = 0;

    status = locant_figure_of_encoding(name, e, view, keep, &taken);
    CHECK(taken == 0);
    return status;
}

TEST(views_are_checked)
{
    locant_figure_view view = LOCANT_FIGURE_VIEW_INIT;

    CHECK_REFUSED(refuse("tabel", "rope", &view), LOCANT_ERR_PARAM,
                  "locant_figure_of_encoding: there is no figure 'tabel'");
    CHECK_REFUSED(refuse("table", "rope", &view), LOCANT_ERR_PARAM,
                  "locant_figure_of_encoding: 'table' is not a figure of rope: "
                  "it is of encodings that add vectors to the input");
    CHECK_REFUSED(refuse("length", "rope", &view), LOCANT_ERR_PARAM,
                  "locant_figure_of_encoding: 'length' is a figure of runs, "
                  "not of an encoding");
    view.head = 5;
    CHECK_REFUSED(refuse("bias", "alibi", &view), LOCANT_ERR_PARAM,
                  "locant_figure_of_encoding: head is 5, expected 0 to 3, "
                  "or -1 for all");
    view.head = -1;
    view.length = 1;
    CHECK_REFUSED(refuse("bias", "alibi", &view), LOCANT_ERR_PARAM,
                  "locant_figure_of_encoding: length is 1, expected 0 or 2 to "
                  "4096");
    view.length = 0;
    view.width = 66;
    CHECK_REFUSED(refuse("bias", "alibi", &view), LOCANT_ERR_PARAM,
                  "locant_figure_of_encoding: width is 66, expected a multiple "
                  "of 4 heads");
}
