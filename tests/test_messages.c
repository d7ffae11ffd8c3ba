/* test_messages.c - messages in both languages, and the page in Chinese:
   nothing is left in English but names */
/* needs: lab */
#define _GNU_SOURCE
#include "testing.h"
#include "chinese.h"
#include "page_results.h"
#include "model_specs.h"
#include "report/page.h"
#include "report/gate_text.h"
#include "report/messages.h"
#include <jansson.h>
#include <ctype.h>

/* -------------------------------------------------------------------- list */

/* Every {path} of 'from' is in 'to' as well. */
static void same_paths(const char *from, const char *to)
{
    for (const char *p = from; (p = strchr(p, '{')) != NULL; p++) {
        size_t n = strcspn(p, "}") + 1;

        if (!memmem(to, strlen(to), p, n))
            FAIL("'%.*s' is in '%s', not in '%s'", (int)n, p, from, to);
    }
}

static void same_values(const char *en, const char *zh)
{
    for (const char *p = "$@\\"; *p; p++)
        for (char digit = '1'; digit <= '9'; digit++) {
            const char one[3] = { *p, digit, '\0' };

            if (count(en, one) != count(zh, one))
                FAIL("'%s' and '%s' differ in %s", en, zh, one);
        }
    same_paths(en, zh);
    same_paths(zh, en);
}

static void is_english(const char *en)
{
    for (const char *p = en; *p; p++)
        if ((unsigned char)*p >= 128 && strncmp(p, "\xc2\xb1", 2) != 0 &&
            (unsigned char)*p != 0xb1)
            FAIL("'%s' is not English", en);
}

TEST(both_languages_say_the_same)
{
    for (int id = MSG_NONE + 1; id < LCT_MESSAGES; id++) {
        const char *en = lct_messages_text((enum lct_message)id, LCT_EN);
        const char *zh = lct_messages_text((enum lct_message)id, LCT_ZH);

        /* a terminal has its own colours, or none */
        CHECK(!strstr(en, "Grey") && !strstr(en, "grey") &&
              !strstr(en, "Blue"));
        CHECK(strlen(en) < LCT_MESSAGE_BYTES && strlen(zh) < LCT_MESSAGE_BYTES);
        same_values(en, zh);
        is_english(en);
        for (int k = MSG_NONE + 1; k < id && strlen(en) > 20; k++)
            if (!strcmp(en, lct_messages_text((enum lct_message)k, LCT_EN)))
                FAIL("'%s' stands twice", en);
    }
    assert_null(lct_messages_text(MSG_NONE, LCT_EN));
}

/* What other folders say is said once, and known as it is said. */
TEST(translations_have_one_key)
{
    static const char *const list[] = {
#define TRANSLATION(en, zh) en,
#include "report/translations.def"
    };

    for (size_t i = 0; i < LEN(list); i++) {
        is_english(list[i]);
        assert_non_null(locant_chinese(list[i]));
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(list[i], list[k]) != 0);
    }
    assert_null(locant_chinese("rope"));
    assert_null(locant_chinese(NULL));
}

/* Whether the text is more than names and formulas: two words of small letters
   stand side by side. */
static bool has_words(const char *text)
{
    static const char small[] = "abcdefghijklmnopqrstuvwxyz";
    int words = 0;

    for (const char *p = text; *p; p += strcspn(p, " "), p += *p == ' ') {
        const size_t n = strspn(p, small);

        words = n > 1 && strchr(" ,;:.", p[n]) ? words + 1 : 0;
        if (words == 2)
            return true;
        if (p[n] != ' ')
            words = 0;
    }
    return false;
}

static void needs_chinese(const char *text)
{
    if (text && has_words(text) && !locant_chinese(text))
        FAIL("no Chinese of '%s'", text);
}

static void has_chinese(const char *text)
{
    if (!locant_chinese(text))
        FAIL("no Chinese of '%s'", text);
}

/* What 'locant show --lang zh' prints. */
TEST(every_text_of_the_registry_has_its_chinese)
{
    const locant_encoding_info *info;

    CHECK(has_words("none: as it is") && !has_words("dq_i <- tau(p_i) dq_i"));
    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        locant_key_info key;
        locant_param_info p;
        locant_encoding *e;

        has_chinese(info->title);
        needs_chinese(info->pitfalls);
        needs_chinese(info->used_by);
        needs_chinese(info->gradient);
        for (int k = 0; locant_encoding_key(&key, info->name, k); k++) {
            has_chinese(key.kind);
            has_chinese(key.doc);
            needs_chinese(key.range);
        }
        for (const locant_variant *v = info->variants; v && v->spec; v++) {
            needs_chinese(v->title);
            needs_chinese(v->used_by);
        }
        CHECK_OK(locant_encoding_create(&e, info->name));
        for (int k = 0; locant_encoding_param(&p, e, k, NULL); k++)
            has_chinese(p.doc);
        locant_encoding_free(e);
    }
}

/* Sections of jobs that the made-up results do not have. */
static bool is_elsewhere(const char *where)
{
    return strncmp(where, "extension.", 10) == 0 ||
           strncmp(where, "surface.", 8) == 0 ||
           strncmp(where, "forecast.", 9) == 0 ||
           strncmp(where, "cache.", 6) == 0 || where[0] == '*';
}

/* A where that nothing lies at would say "undefined" on every page. */
TEST(paths_are_of_the_document)
{
    FREED_BY(free_results) struct lct_results r;
    json_t *numbers;

    make_results(&r);
    r.vocabulary = 512;
    r.bytes_per_token = 1.7;
    CHECK_OK(lct_numbers_create(&numbers, &r));
    for (int id = MSG_NONE + 1; id < LCT_MESSAGES; id++) {
        const char *p = lct_messages_text((enum lct_message)id, LCT_EN);
        /* these have another document; see test_study_compare */
        const bool studies =
            id >= MSG_STUDIES_HEADING && id <= MSG_STUDIES_OPPOSED;

        while (!studies && (p = strchr(p, '{')) != NULL) {
            char where[64];

            p++;
            snprintf(where, sizeof where, "%.*s", (int)strcspn(p, ":}"), p);
            if (!is_elsewhere(where) && !lct_numbers_at(numbers, where))
                FAIL("nothing lies at %s", where);
        }
    }
    json_decref(numbers);
}

TEST(labels_have_their_values)
{
    const char *const two[] = { "3", "8" };
    struct lct_label label;
    char cut[4];

    lct_messages_number(&label, MSG_HEAD, 12);
    assert_string_equal(label.en, "head 12");
    assert_string_equal(label.zh, "第 12 头");
    lct_messages_number(&label, MSG_SCALINGS_TITLE, 2.5);
    assert_string_equal(label.en, "Wavelengths extended 2.5 times");
    assert_string_equal(label.zh, "扩展 2.5 倍后的波长");
    lct_messages_number(&label, MSG_BASE, 1e7);
    assert_string_equal(label.en, "base 10000000");
    lct_messages_label(&label, MSG_PAIRS_TURN_ONCE, two);
    CHECK(strstr(label.en, "3") && strstr(label.en, "8"));
    /* cut, not overrun */
    lct_messages_fill(cut, sizeof cut,
                      lct_messages_text(MSG_PAIRS_TURN_ONCE, LCT_ZH), two);
    CHECK(strlen(cut) == 3);
}

/* -------------------------------------------------------------------- page */

/* Real sentences of gates, where the made-up results have none. */
static void judge(struct lct_results *r)
{
    static const char *const texts[7] = {
        "g1.hold", "g2.best",  "g3.replaced", "g4.change",
        "g5.bad",  "g6.other", "g7.claims",
    };

    for (int i = 0; i < 7; i++) {
        locant_report_gate *g = &r->gates[i];
        snprintf(g->text, sizeof g->text, "%s", texts[i]);
        snprintf(g->spec[0], sizeof g->spec[0], "rope");
        snprintf(g->spec[1], sizeof g->spec[1], "alibi");
        g->passed = i % 2;
        lct_gate_text_say(g);
    }
}

TEST_WITH(make_folder, remove_folder, the_page_is_in_chinese)
{
    FREED_BY(free_results) struct lct_results r;
    char *page;

    CHECK(english("\nthe page is here\n") && !english("rope, T5 and ALiBi"));
    make_results(&r);
    judge(&r);
    page = page_of(&r);
    check_chinese(page, "page");
    CHECK(count(page, "<span class=\"en\">") > 150);
    CHECK(count(page, "<span class=\"en\">") ==
          count(page, "<span class=\"zh\" lang=\"zh-CN\">"));
    /* every label has its Chinese */
    CHECK(count(page, "aria-label=") - count(page, "data-zh=") == 0);
    /* the switch stands in front of what it switches, and needs no script */
    CHECK(strstr(page, "id=\"lang-zh\"") < strstr(page, "<main "));
    CHECK(strstr(page, "#lang-zh:checked~main .en{display:none}"));
    CHECK(count(page, ".zh,") == 1 && count(page, ".zh{") == 0);
    free(page);
}

TEST(every_encoding_is_in_chinese)
{
    const char *spec;

    if (TEST_SANITIZED)
        skip(); /* test_pictures draws them all there */
    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        struct lct_group g = { .n = 0 };
        struct lct_results r = { .groups = &g,
                                 .n = 1,
                                 .layers = 4,
                                 .heads = HEADS,
                                 .width = WIDTH,
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
