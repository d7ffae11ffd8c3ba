/* test_page_data.c - the numbers of a figure as text below it */
/* needs: lab */
#include "testing.h"
#include "report/page.h"
#include <stdlib.h>
#include <string.h>

/* The text of a map whose cell in row i, column j is 100 i + j. */
static char *text_of_map(int64_t rows, int64_t cols)
{
    const struct lct_results r = { .n = 0 };
    struct lct_html h = { .data = NULL };
    double *cells = calloc((size_t)(rows * cols), sizeof *cells);
    const locant_figure f = { .struct_size = sizeof f,
                              .kind = LOCANT_FIGURE_HEATMAP,
                              .rows = rows,
                              .cols = cols,
                              .cells = cells };
    char *text;

    for (int64_t i = 0; i < rows * cols; i++)
        cells[i] = (double)(100 * (i / cols) + i % cols);
    lct_page_data(&h, &r, &f);
    CHECK_OK(lct_html_status(&h));
    text = calloc(h.size + 1, 1);
    memcpy(text, h.data, h.size);
    lct_html_free(&h);
    free(cells);
    return text;
}

static size_t lines(const char *text)
{
    size_t n = 0;

    for (const char *p = strstr(text, "<pre>"); p && *p; p++)
        n += *p == '\n';
    return n;
}

/* Every second row and column of 18 x 20, and the last of each, 17 and 19. */
TEST(long_maps_show_their_last_row_and_column)
{
    FREED_BY(free_memory) char *text = text_of_map(18, 20);

    CHECK(strstr(text, "<pre>row \\ column,0,2,4,6,8,10,12,14,16,18,19\n"));
    CHECK(strstr(text, "\n0,0,2,4,6,8,10,12,14,16,18,19\n"));
    CHECK(strstr(text, "\n16,1600,1602,"));
    CHECK(strstr(text, "\n17,1700,1702,1704,1706,1708,1710,1712,1714,1716,"
                       "1718,1719\n</pre>"));
    assert_int_equal(lines(text), 11);
}

TEST(short_maps_show_every_row_and_column)
{
    FREED_BY(free_memory) char *text = text_of_map(16, 3);

    CHECK(strstr(text, "<pre>row \\ column,0,1,2\n0,0,1,2\n1,100,101,102\n"));
    CHECK(strstr(text, "\n15,1500,1501,1502\n</pre>"));
    assert_int_equal(lines(text), 17);
}
