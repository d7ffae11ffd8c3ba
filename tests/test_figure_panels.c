/* Figures of several heat maps on one scale. */
/* needs: lab */
#include "figure_case.h"
#include "figure/figure.h"
#include <jansson.h>
#include <stdio.h>

static const double first[4] = { 0, 0.25, 1.0 / 3, NAN };
static const double second[2] = { -2, 8 };
static const char *const names[] = { "the", "the" };

/* Two panels whose ranges differ; the second is named. */
static locant_figure two_panels(locant_figure maps[2])
{
    locant_figure f = LOCANT_FIGURE_INIT;

    maps[0] = (locant_figure){ .kind = LOCANT_FIGURE_HEATMAP,
                               .title = "one",
                               .cells = first,
                               .rows = 2,
                               .cols = 2 };
    maps[1] = (locant_figure){ .kind = LOCANT_FIGURE_HEATMAP,
                               .title = "a, b",
                               .cells = second,
                               .rows = 1,
                               .cols = 2,
                               .col_names = names };
    f.kind = LOCANT_FIGURE_PANELS;
    f.title = "both";
    f.x_label = "key";
    f.panels = maps;
    f.n_panels = 2;
    return f;
}

TEST(all_panels_have_the_scale_of_all)
{
    locant_figure maps[2], f = two_panels(maps);
    struct lct_scale m = lct_scale_of(&f);
    json_t *root, *list;
    char *out;
    size_t size;

    CHECK(m.low == -2 && m.high == 8);
    CHECK_OK(locant_figure_json(&out, &size, &f));
    root = json_loads(out, 0, NULL);
    list = json_object_get(root, "panels");
    CHECK(json_array_size(list) == 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *panel = json_array_get(list, i);
        CHECK(json_number_value(json_object_get(panel, "low")) == -2);
        CHECK(json_number_value(json_object_get(panel, "high")) == 8);
    }
    json_decref(root);
    locant_release(out);
    f.diverging = 1;
    m = lct_scale_of(&f);
    CHECK(m.low == -8 && m.high == 8 && m.diverging);
    f.diverging = 0;
    f.y_min = -3;
    f.y_max = 1;
    m = lct_scale_of(&f);
    CHECK(m.low == -3 && m.high == 1);
}

/* Rows are numbered, for names may repeat; numbers read back. */
TEST(csv_tells_cells_of_the_same_name_apart)
{
    locant_figure maps[2], f = two_panels(maps);
    char *out;
    size_t size;

    CHECK_OK(locant_figure_csv(&out, &size, &f));
    CHECK(!test_differs(out, "panel,row,column,row name,column name,value\n"
                             "one,0,0,0,0,0\n"
                             "one,0,1,0,1,0.25\n"
                             "one,1,0,1,0,0.3333333333333333\n"
                             "one,1,1,1,1,\n"
                             "\"a, b\",0,0,0,the,-2\n"
                             "\"a, b\",0,1,0,the,8\n"));
    locant_release(out);
}

TEST(a_terminal_shows_the_scale_once)
{
    locant_figure maps[2], f = two_panels(maps);
    char *out;
    size_t size;

    CHECK_OK(locant_figure_terminal(&out, &size, &f, 40, 0));
    CHECK(count(out, "  -2 [.:-=+*#%@] 8\n") == 1);
    CHECK(count(out, "key") == 2 && count(out, "both\none\n") == 1);
    locant_release(out);
}

/* Every panel has its title and its cells, the figure one colour bar. */
TEST(a_page_shows_one_colour_bar)
{
    locant_figure maps[2], f = two_panels(maps);
    char *out;
    size_t size;

    for (f.panel_cols = 0; f.panel_cols < 4; f.panel_cols++) {
        CHECK_OK(locant_figure_inline(&out, &size, &f, NULL));
        CHECK(count(out, "class=\"cells\"") == 3);
        CHECK(strstr(out, ">one</text>") && strstr(out, ">a, b</text>"));
        CHECK(count(out, ">key</text>") == 1);
        locant_release(out);
    }
}

/* More than 32 names, as words in a sentence: each has its label where there is
   room, and labels do not touch where there is none. */
TEST(rows_have_as_many_names_as_fit)
{
    enum { N = 60 };
    static char word[N][8];
    static const char *list[N];
    static double map[N * 1];
    locant_figure f = LOCANT_FIGURE_INIT;
    char *out;
    size_t size;

    for (int i = 0; i < N; i++) {
        snprintf(word[i], sizeof word[i], "w%d", i);
        list[i] = word[i];
        map[i] = i;
    }
    f.kind = LOCANT_FIGURE_HEATMAP;
    f.cells = map;
    f.rows = N;
    f.cols = 1;
    f.row_names = list;
    f.height = 1000;
    CHECK_OK(locant_figure_inline(&out, &size, &f, NULL));
    CHECK(count(out, ">w") == N);
    locant_release(out);
    f.height = 200;
    CHECK_OK(locant_figure_inline(&out, &size, &f, NULL));
    CHECK(count(out, ">w") > 8 && count(out, ">w") <= 160 / 11 + 1);
    locant_release(out);
}

TEST(refuses_what_is_no_panel)
{
    locant_figure maps[2], f = two_panels(maps);
    char *out;
    size_t size;

    f.n_panels = 65;
    REFUSES(PARAM, locant_figure_csv(&out, &size, &f),
            "65 panels, expected 1 to 64");
    f.n_panels = 2;
    f.panel_cols = -1;
    REFUSES(PARAM, locant_figure_csv(&out, &size, &f),
            "panel_cols is -1, expected at least 0");
    f.panel_cols = 0;
    maps[1].rows = 0;
    REFUSES(PARAM, locant_figure_csv(&out, &size, &f),
            "panel 1: 0 x 2 cells, expected at least 1 x 1 and at most "
            "67108864 in all");
    maps[1].kind = LOCANT_FIGURE_PANELS;
    REFUSES(PARAM, locant_figure_csv(&out, &size, &f),
            "panel 1: kind is 5, expected a heat map");
    f.panels = NULL;
    REFUSES(NULL, locant_figure_csv(&out, &size, &f), "panels is NULL");
    f = two_panels(maps);
    f.width = 60;
    CHECK(locant_figure_inline(&out, &size, &f, NULL) == LOCANT_ERR_PARAM);
    CHECK(!test_differs(locant_last_error(),
                        "locant_figure: 60 x 400 points leave no room for 1 x "
                        "2 panels beside their labels"));
}
