/* The cells of the page: escaped texts, grouped counts, one precision each. */
/* needs: lab */
#include "testing.h"
#include "files/html.h"
#include "report/cell.h"
#include "report/page.h"
#include <jansson.h>
#include <string.h>

TEST(base64_matches_rfc4648)
{
    static const char *const want[] = {
        "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"
    };

    for (size_t n = 0; n < LEN(want); n++) {
        FREED_BY(lct_html_free) struct lct_html h = { .data = NULL };
        lct_html_base64(&h, "foobar", n);
        lct_html_text(&h, "|");
        CHECK_OK(lct_html_status(&h));
        CHECK(h.size == strlen(want[n]) + 1);
        CHECK(memcmp(h.data, want[n], h.size - 1) == 0);
    }
}

TEST(printed_texts_are_escaped)
{
    static const char want[] = "<b title=\"&lt;i&gt;&quot;\">-7 8 "
                               "9000000000 10</b>";
    struct lct_html h = { .data = NULL };

    lct_html_print(&h, "<b title=\"%s\">%d %zu %lld %ld</b>", "<i>\"", -7,
                   (size_t)8, 9000000000LL, 10L);
    CHECK_OK(lct_html_status(&h));
    CHECK(h.size == strlen(want) && memcmp(h.data, want, h.size) == 0);
    lct_html_free(&h);
}

TEST(counts_are_grouped)
{
    FREED_BY(lct_html_free) struct lct_html h = { .data = NULL };

    lct_page_put_count(&h, 1234567);
    lct_html_raw(&h, " ");
    lct_page_put_count(&h, -123);
    lct_html_raw(&h, " ");
    lct_page_put_count(&h, 999);
    CHECK(h.size == strlen("1&#8239;234&#8239;567 -123 999"));
    CHECK(!memcmp(h.data, "1&#8239;234&#8239;567 -123 999", h.size));
}

/* One precision a cell, by the width of its interval; no exponent; what rounds
   to zero keeps its sign. */
TEST(intervals_have_one_precision)
{
    static const struct {
        double mean, low, high;
        const char *cell;
    } cases[] = {
        { -0.0009, -0.0018, -1.797e-6,
          "\xe2\x88\x92"
          "0.0009\n[\xe2\x88\x92"
          "0.0018, \xe2\x88\x92"
          "0.0000]" },
        { 3e-6, 1e-6, 0.0005, "0.0000\n[+0.0000, 0.0005]" },
        { 0.012, 0, 0.031, "+0.012\n[0.000, 0.031]" },
        { 2.5, 1, 4, "+2.500\n[1.000, 4.000]" },
    };
    struct lct_results r = { .groups = NULL };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct lct_html h = { .data = NULL };

        r.numbers = json_pack("{s:{s:f,s:f,s:f}}", "a", "mean", cases[i].mean,
                              "low", cases[i].low, "high", cases[i].high);
        lct_cell_interval(&h, &r, true, "a", "a");
        lct_html_append(&h, "", 1);
        CHECK_OK(lct_html_status(&h));
        if (!strstr(h.data, cases[i].cell))
            FAIL("got %s, want %s", h.data, cases[i].cell);
        lct_html_free(&h);
        json_decref(r.numbers);
    }
}
