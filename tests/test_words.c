/* test_words.c - the page in Chinese: nothing is left in English but names */
/* needs: lab */
#define _GNU_SOURCE
#include "testing.h"
#include "chinese.h"
#include "page_results.h"
#include "model_specs.h"
#include "report/page.h"
#include "report/words.h"
#include <ctype.h>

/* -------------------------------------------------------------------- list */

/* Every {path} of 'from' is in 'to' as well. */
static void same_numbers(const char *from, const char *to)
{
    for (const char *p = from; (p = strchr(p, '{')) != NULL; p++) {
        size_t n = strcspn(p, "}") + 1;

        if (!memmem(to, strlen(to), p, n))
            FAIL("'%.*s' is in '%s', not in '%s'", (int)n, p, from, to);
    }
}

TEST(both_languages_say_the_same)
{
    const char *en, *zh;
    int i;

    for (i = 0; lct_word_at(i, &en, &zh); i++) {
        /* a terminal has its own colours, or none */
        CHECK(!strstr(en, "Grey") && !strstr(en, "grey") &&
              !strstr(en, "Blue"));
        CHECK(*en && *zh && strlen(zh) < LCT_WORD_BYTES);
        for (const char *p = "#@$\\"; *p; p++) {
            const char one[2] = { *p, '\0' };
            if (count(en, one) != count(zh, one))
                FAIL("'%s' and '%s' differ in %s", en, zh, one);
        }
        same_numbers(en, zh);
        same_numbers(zh, en);
        for (const char *p = en; *p; p++)
            if ((unsigned char)*p >= 128 && strncmp(p, "\xc2\xb1", 2) != 0 &&
                (unsigned char)*p != 0xb1)
                FAIL("'%s' is not English", en);
        for (int k = 0; k < i; k++) {
            const char *other, *unused;
            CHECK(lct_word_at(k, &other, &unused));
            if (strcmp(en, other) == 0)
                FAIL("'%s' is listed twice", en);
        }
    }
    CHECK(i > 250);
}

TEST(numbers_go_over)
{
    char zh[LCT_WORD_BYTES];

    CHECK(lct_word_zh(zh, sizeof zh, "head 12"));
    CHECK(strcmp(zh, "第 12 头") == 0);
    CHECK(lct_word_zh(zh, sizeof zh, "Wavelengths extended 2.5 times"));
    CHECK(strcmp(zh, "扩展 2.5 倍后的波长") == 0);
    CHECK(!lct_word_zh(zh, sizeof zh, "head twelve"));
    CHECK(!lct_word_zh(zh, sizeof zh, "head 12 "));
    CHECK(!lct_word_zh(zh, sizeof zh, "<script>"));
    /* cut, not overrun */
    CHECK(lct_word_zh(zh, 4, "trained"));
    CHECK(strlen(zh) == 3);
}

/* -------------------------------------------------------------------- page */

/* Real sentences of gates, where the made-up results have none. */
static void judge(struct lct_results *r)
{
    static const char *const texts[7] = {
        "g1.hold", "g2.best", "g3.shuffle", "g4.change", "g5.bad", "g6.other",
        "g7.claims",
    };

    for (int i = 0; i < 7; i++) {
        locant_report_gate *g = &r->gates[i];
        snprintf(g->text, sizeof g->text, "%s", texts[i]);
        snprintf(g->spec[0], sizeof g->spec[0], "rope");
        snprintf(g->spec[1], sizeof g->spec[1], "alibi");
        g->passed = i % 2;
        lct_gate_say(g);
    }
}

TEST_WITH(make_folder, remove_folder, the_page_is_in_chinese)
{
    struct lct_results r;
    char *page;

    CHECK(english("\nthe page is here\n") && !english("rope, T5 and ALiBi"));
    make_results(&r);
    judge(&r);
    page = page_of(&r);
    check_chinese(page, "page");
    CHECK(count(page, "<span class=\"en\">") > 150);
    CHECK(count(page, "<span class=\"en\">") ==
          count(page, "<span class=\"zh\" lang=\"zh-CN\">"));
    /* a label without its Chinese is a name */
    CHECK(count(page, "aria-label=") - count(page, "data-zh=") == 0);
    /* the switch stands in front of what it switches, and needs no script */
    CHECK(strstr(page, "id=\"lang-zh\"") < strstr(page, "<main>"));
    CHECK(strstr(page, "#lang-zh:checked~main .en{display:none}"));
    CHECK(count(page, ".zh,") == 1 && count(page, ".zh{") == 0);
    free(page);
    free_results(&r);
}

TEST(every_encoding_is_in_chinese)
{
    const char *spec;

    if (TEST_SANITIZED)
        skip(); /* test_pictures draws them all there */
    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        struct lct_group g = { .n = 0 };
        struct lct_results r = { .groups = &g, .n = 1, .layers = 4,
                                 .heads = HEADS, .width = WIDTH,
                                 .trained_length = 32 };
        struct lct_html h = { .data = NULL };

        make_encoding(&g, spec, 32);
        CHECK_OK(lct_page_encodings(&h, &r));
        lct_html_append(&h, "", 1);
        CHECK_OK(lct_html_status(&h));
        check_chinese(h.data, spec);
        lct_html_free(&h);
        for (int k = 0; k < g.n_params; k++)
            free(g.params[k].data);
    }
}

/* fontconfig keeps one block of its configuration to the end of the process. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}
