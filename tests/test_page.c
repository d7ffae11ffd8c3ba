/* The page: self-contained, escaped, honest about what is undefined. */
/* needs: lab */
#define _GNU_SOURCE
#include "testing.h"
#include "page_results.h"
#include "locant/figure.h"
#include "files/html.h"
#include "figure/inline.h"
#include "report/page.h"
#include "report/page_script.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIGURE "<svg class=\"fig\""

static const char hostile[] = "<script>alert('x')</script>\"&\x01\xff";

TEST_WITH(make_folder, remove_folder, needs_no_network)
{
    FREED_BY(free_results) struct lct_results r;
    char *page;

    make_results(&r);
    page = page_of(&r);
    CHECK(strstr(page, "<html lang=\"en\">"));
    CHECK(strstr(page, "default-src 'none'; s"));
    CHECK(strstr(page, "style-src 'unsafe-inline'; base-uri 'none'; "
                       "form-action 'none'\">"));
    CHECK(!strstr(page, "http:") && !strstr(page, "https:"));
    CHECK(!strstr(page, "<script") && !strstr(page, "<link"));
    CHECK(!strstr(page, "<iframe") && !strstr(page, "@import"));
    CHECK(!strstr(page, "url("));
    CHECK(count(page, "src=") == 0 && count(page, "data:") == 0);
    CHECK(count(page, "xlink") == 0 && count(page, " style=") == 0);
    CHECK(count(page, "href=") == count(page, "href=\"#"));
    free(page);
}

TEST_WITH(make_folder, remove_folder, every_picture_has_words)
{
    FREED_BY(free_results) struct lct_results r;
    char *page;

    make_results(&r);
    page = page_of(&r);
    /* four measured figures and the pictures of the encodings */
    CHECK(count(page, FIGURE) > 20);
    CHECK(count(page, FIGURE) == count(page, " role=\"img\""));
    CHECK(count(page, FIGURE) == count(page, "</svg>\n<figcaption>"));
    CHECK(!strstr(page, " aria-label=\"\""));
    CHECK(count(page, "<figcaption>") == count(page, FIGURE));
    CHECK(count(page, "<table") == count(page, "<caption>"));
    CHECK(count(page, "<td") > 0 && count(page, "scope=\"row\"") >= GROUPS);
    CHECK(!strstr(page, "No figures: "));
    free(page);
}

/* 'locant figure' can draw all that the page draws. */
TEST_WITH(make_folder, remove_folder, every_picture_has_a_name)
{
    FREED_BY(free_results) struct lct_results r;
    char *page;
    size_t named = 0;

    make_results(&r);
    page = page_of(&r);
    for (int i = 0; locant_figure_at(i); i++) {
        char name[60];
        snprintf(name, sizeof name, " data-name=\"%s\"",
                 locant_figure_at(i)->name);
        named += count(page, name);
    }
    CHECK(named == count(page, FIGURE));
    CHECK(strlen(page) < 1000000);
    free(page);
}

TEST_WITH(make_folder, remove_folder, elements_are_closed)
{
    static const char *const names[] = { "section", "figure", "table", "div",
                                         "p",       "ul",     "dl",    "dd",
                                         "dt",      "td",     "tr",    "small",
                                         "code",    "nav",    "main",  "span",
                                         "li",      "a",      "h2",    "h3" };
    FREED_BY(free_results) struct lct_results r;
    char *page;

    make_results(&r);
    page = page_of(&r);
    for (size_t i = 0; i < LEN(names); i++) {
        char bare[32], with[32], close[32];
        snprintf(bare, sizeof bare, "<%s>", names[i]);
        snprintf(with, sizeof with, "<%s ", names[i]);
        snprintf(close, sizeof close, "</%s>", names[i]);
        if (count(page, bare) + count(page, with) != count(page, close))
            FAIL("%s: %zu opened, %zu closed", names[i],
                 count(page, bare) + count(page, with), count(page, close));
    }
    free(page);
}

TEST_WITH(make_folder, remove_folder, hostile_strings_stay_text)
{
    locant_encoding_info info;
    FREED_BY(free_results) struct lct_results r;
    char *page;

    make_results(&r);
    info = *r.groups[0].info;
    info.title = info.formula = info.source = hostile;
    info.used_by = info.pitfalls = hostile;
    r.groups[0].info = &info;
    snprintf(r.groups[0].spec, sizeof r.groups[0].spec, "%s", hostile);
    snprintf(r.groups[0].results[0].run.model,
             sizeof r.groups[0].results[0].run.model, "%s", hostile);
    snprintf(r.cpu, sizeof r.cpu, "%s", hostile);
    snprintf(r.commit, sizeof r.commit, "%s", hostile);
    snprintf(r.compiler, sizeof r.compiler, "%s", hostile);
    snprintf(r.isa, sizeof r.isa, "<b>");
    snprintf(r.date, sizeof r.date, "<script>");
    snprintf(r.corpus.sha256, sizeof r.corpus.sha256, "%s", hostile);
    snprintf(r.gates[2].name, sizeof r.gates[2].name, "<i>");
    snprintf(r.gates[2].sentence, sizeof r.gates[2].sentence, "%s", hostile);
    r.gates[2].passed = 0;
    r.preset = hostile;
    page = page_of(&r);
    CHECK(!strstr(page, "<script") && !strstr(page, "<b>"));
    CHECK(!strstr(page, "<i>"));
    CHECK(!strchr(page, '\x01') && !strchr(page, '\xff'));
    CHECK(strstr(page, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"
                       "&quot;&amp;\xef\xbf\xbd\xef\xbf\xbd"));
    /* the group that is no encoding has no pictures, and the page stands */
    CHECK(count(page, "No figures: ") == 1);
    free(page);
}

/* The cell after the head of the row of 'spec', in the n-th table. */
static const char *row(const char *page, const char *table, const char *spec)
{
    const char *at = strstr(page, table);
    char head[300] = "</span>";
    size_t n = strlen(head);

    CHECK(at != NULL);
    for (; *spec; spec++) /* where it may be broken */
        n += (size_t)snprintf(head + n, sizeof head - n, "%c%s", *spec,
                              *spec == '(' || *spec == ',' ? "<wbr>" : "");
    snprintf(head + n, sizeof head - n, "</th>");
    at = strstr(at, head);
    CHECK(at != NULL);
    return at + strlen(head);
}

/* The number of paragraphs of the page's scope with gate g3 as given. */
static size_t scopes(struct lct_results *r, const char *text, int passed)
{
    char *page;
    size_t n;

    r->gates[2] = (locant_report_gate){ .name = "g3",
                                        .passed = passed,
                                        .value = { .2, 1, 7, 4, .3, 8 } };
    snprintf(r->gates[2].text, sizeof r->gates[2].text, "%s", text);
    page = page_of(r);
    n = count(page, "<p class=\"scope\">");
    CHECK(!strstr(page, "role=\"alert\""));
    free(page);
    return n;
}

/* That models do not use their context is no fault of the page. */
TEST_WITH(make_folder, remove_folder, scope_is_said_without_alarm)
{
    FREED_BY(free_results) struct lct_results r;

    make_results(&r);
    CHECK(scopes(&r, "g3.replaced", 0) == 1);
    CHECK(scopes(&r, "g3.replaced", 1) == 0);
    CHECK(scopes(&r, "g3.one", 1) == 1);
    CHECK(scopes(&r, "g3.unmeasured", 1) == 1);
}

TEST_WITH(make_folder, remove_folder, undefined_is_said)
{
    FREED_BY(free_results) struct lct_results r;
    size_t limited = GROUPS;
    char *page, *cells;
    const char *end;

    make_results(&r);
    for (size_t i = 0; i < GROUPS; i++)
        if (r.groups[i].info->traits & LOCANT_TRAIT_LIMIT && limited == GROUPS)
            limited = i;
    CHECK(limited < GROUPS);
    page = page_of(&r);
    cells = strdup(row(page, "aria-label=\"Loss by context length\"",
                       r.groups[limited].spec));
    end = strstr(cells, "</tr>");
    CHECK(end != NULL);
    cells[end - cells] = '\0';
    /* four lengths beyond its table, and the rank */
    CHECK(count(cells, ">undefined</span>") == 5);
    CHECK(!strstr(page, ">nan") && !strstr(page, ">-nan"));
    free(cells);
    free(page);
}

/* The loss of group i at the trained length, and both ends of its interval. */
static void check_loss_cell(const char *cell, int i, const char *loss)
{
    char want[300];

    snprintf(want, sizeof want,
             "<td class=\"i\" data-number=\"rows.%d.loss.128.mean low high\">"
             "%s\n[%s, %s]</td>",
             i, loss, loss, loss);
    if (strncmp(cell, want, strlen(want)) != 0)
        FAIL("got %.200s, want %s", cell, want);
}

TEST_WITH(make_folder, remove_folder, shows_losses_and_order)
{
    static const char change[] =
        "<td class=\"i\" data-number=\"rows.0.change.256.mean low high\">"
        "0.000\n";
    FREED_BY(free_results) struct lct_results r;
    const char *best, *worst;
    char *page;

    make_results(&r);
    /* 2 nats everywhere in the first group, 3 in the fourth */
    for (int s = 0; s < SEEDS; s++)
        for (int i = 0; i < LOCANT_EVAL_LENGTHS * BLOCKS; i++) {
            r.groups[0].results[s].block_loss[i] = 2;
            r.groups[3].results[s].block_loss[i] = 3;
        }
    page = page_of(&r);
    best = row(page, "aria-label=\"Loss by context length\"", r.groups[0].spec);
    worst =
        row(page, "aria-label=\"Loss by context length\"", r.groups[3].spec);
    check_loss_cell(best, 0, "2.000");
    check_loss_cell(worst, 3, "3.000");
    CHECK(best < worst);
    best = row(page, "aria-label=\"Change of loss beyond the trained length\"",
               r.groups[0].spec);
    CHECK(!strncmp(best, change, strlen(change)));
    free(page);
}

TEST_WITH(make_folder, remove_folder, says_which_rates_were_tried)
{
    static const char want[] =
        "<td data-number=\"rows.2.rates.0.valid\">3.500</td>"
        "<td data-number=\"rows.2.rates.1.valid\">3.250</td>"
        "<td data-number=\"rows.2.rate\">0.0040</td>";
    FREED_BY(free_results) struct lct_results r;
    const char *own;
    char *page;

    make_results(&r);
    r.n_rates = 2;
    r.rates[0] = .001;
    r.rates[1] = .004;
    for (int i = 0; i < GROUPS; i++) {
        r.groups[i].rate = .004;
        r.groups[i].valid[0] = 1.5 + i;
        r.groups[i].valid[1] = 1.25 + i;
    }
    page = page_of(&r);
    own = row(page, "aria-label=\"Learning rates tried\"", r.groups[2].spec);
    CHECK(!strncmp(own, want, strlen(want)));
    free(page);
}

/* With a vocabulary the page says what a token is, and axes name tokens;
   n-grams and losses stay by bytes. */
TEST_WITH(make_folder, remove_folder, says_what_tokens_are)
{
    FREED_BY(free_results) struct lct_results r;
    char *page;

    make_results(&r);
    page = page_of(&r);
    CHECK(strstr(page, " --vocabulary bytes") && !strstr(page, "byte-pair"));
    CHECK(!strstr(page, "(tokens)") && strstr(page, "length (bytes)"));
    free(page);
    r.vocabulary = 512;
    r.bytes_per_token = 1.72;
    page = page_of(&r);
    CHECK(strstr(page, "data-number=\"protocol.vocabulary\">512<"));
    CHECK(strstr(page, "data-number=\"protocol.bytes_per_token\">1.72<"));
    CHECK(strstr(page, "data-number=\"protocol.trained_bytes\">220<"));
    CHECK(strstr(page, " --vocabulary 512"));
    CHECK(!strstr(page, "length (bytes)") && strstr(page, "length (tokens)"));
    CHECK(strstr(page, "by tokens of context") &&
          !strstr(page, "by bytes of context"));
    CHECK(strstr(page, "loss (nats/byte)"));
    free(page);
}

TEST_WITH(make_folder, remove_folder, equal_encodings_share_a_rank)
{
    FREED_BY(free_results) struct lct_results r;
    char *page;
    const char *a, *b;

    make_results(&r);
    for (int s = 0; s < SEEDS; s++)
        for (int i = 0; i < LOCANT_EVAL_LENGTHS * BLOCKS; i++) {
            r.groups[0].results[s].block_loss[i] = 0.5;
            /* as often above as below, within every seed */
            r.groups[1].results[s].block_loss[i] = i % 2 ? 0.4 : 0.6;
        }
    page = page_of(&r);
    a = row(page, "aria-label=\"Loss by context length\"", r.groups[0].spec);
    b = row(page, "aria-label=\"Loss by context length\"", r.groups[1].spec);
    CHECK(strstr(a, "rows.0.rank\">1</span>") < strstr(a, "</tr>"));
    CHECK(strstr(b, "rows.1.rank\">1</span>") < strstr(b, "</tr>"));
    free(page);
}

TEST_WITH(make_folder, remove_folder, banners_for_failed_gates_only)
{
    FREED_BY(free_results) struct lct_results r;
    char *page;

    make_results(&r);
    page = page_of(&r);
    CHECK(count(page, "class=\"banner\"") == 0);
    CHECK(count(page, "class=\"passed\"><span class=\"en\">passed") == 7);
    free(page);
    r.gates[1].passed = 0;
    r.gates[6].passed = 0;
    page = page_of(&r);
    CHECK(count(page, "class=\"banner\"") == 2);
    CHECK(strstr(page, "Gate g2 failed:</span>"));
    CHECK(strstr(page, "</strong> Found number 2."));
    CHECK(strstr(page, "</strong> Found number 7."));
    CHECK(count(page, "class=\"failed\"><span class=\"en\">failed") == 2);
    free(page);
}

TEST_WITH(make_folder, remove_folder, same_results_same_bytes)
{
    FREED_BY(free_results) struct lct_results r;
    char *a, *b;

    make_results(&r);
    a = page_of(&r);
    b = page_of(&r);
    CHECK(strcmp(a, b) == 0);
    free(a);
    free(b);
}

TEST_WITH(make_folder, remove_folder, refuses_bad_arguments)
{
    FREED_BY(free_results) struct lct_results r;

    make_results(&r);
    REFUSES(NULL, lct_page_write(NULL, &r), "path is NULL");
    REFUSES(NULL, lct_page_write(path, NULL), "r is NULL");
    CHECK(lct_page_write("no/such/folder/page.html", &r) == LOCANT_ERR_IO);
}

/* ------------------------------------------------- readers of all kinds */

TEST_WITH(make_folder, remove_folder, begins_with_a_summary)
{
    FREED_BY(free_results) struct lct_results r;
    const char *links, *summary, *part;
    char *page;

    make_results(&r);
    r.gates[1].passed = 0;
    page = page_of(&r);
    links = strstr(page, "<a ");
    summary = strstr(page, "<section id=\"summary\">");
    part = strstr(page, "<details class=\"part\">");
    /* the first link skips what is before the content */
    CHECK(links && !strncmp(links, "<a class=\"skip\" href=\"#main\">", 29));
    CHECK(strstr(page, "<main id=\"main\""));
    CHECK(summary && part && summary < strstr(page, "<nav") &&
          strstr(page, "<nav") < part);
    CHECK(count(summary, FIGURE) - count(part, FIGURE) == 1);
    CHECK(count(summary, "<table") - count(part, "<table") == 1);
    CHECK(count(page, "class=\"finding\"") == 1);
    CHECK(strstr(summary, "class=\"limits\"") < part);
    CHECK(strstr(summary, "the failed checks g2") < part);
    /* no section is open, and no link leads nowhere */
    CHECK(!strstr(page, "<details class=\"part\" open"));
    for (const char *at = page; (at = strstr(at, "href=\"#")) != NULL; at++) {
        char id[80];
        snprintf(id, sizeof id, " id=\"%.*s\"", (int)strcspn(at + 7, "\""),
                 at + 7);
        if (!strstr(page, id))
            FAIL("no%s", id);
    }
    free(page);
}

/* If a number may be wrong, the page claims nothing and says so first. */
TEST_WITH(make_folder, remove_folder, no_finding_without_trust)
{
    FREED_BY(free_results) struct lct_results r;
    char *page;

    make_results(&r);
    r.gates[0].passed = 0;
    page = page_of(&r);
    CHECK(strstr(page, "class=\"banner\"") < strstr(page, "id=\"summary\""));
    CHECK(count(page, "class=\"banner\"") == 1);
    CHECK(strstr(strstr(page, "class=\"finding\""), "No verdict: gate g1") <
          strstr(page, "<nav"));
    free(page);
}

/* The only live region is the script's. */
TEST_WITH(make_folder, remove_folder, speaks_with_one_voice)
{
    FREED_BY(free_results) struct lct_results r;
    char *page;

    make_results(&r);
    page = page_with_script(&r);
    CHECK(count(page, "aria-live") == (lct_page_bundle_size > 0));
    CHECK(count(page, "\"status\"") == 0 && count(page, "\"alert\"") == 0);
    CHECK(count(page, "<output") == 0 && count(page, "\"output\"") == 0);
    free(page);
}

/* The colour #rgb or #rrggbb of --name in a style sheet, as its luminance by
   WCAG 2. */
static double luminance(const char *style, const char *name)
{
    char key[24];
    const char *at;
    unsigned long c;
    double part[3];

    snprintf(key, sizeof key, "--%s:#", name);
    at = strstr(style, key);
    CHECK(at != NULL);
    at += strlen(key);
    c = strtoul(at, NULL, 16);
    if (strspn(at, "0123456789abcdef") == 3)
        c = (c >> 8) * 0x110000 + (c >> 4 & 15) * 0x1100 + (c & 15) * 0x11;
    for (int i = 0; i < 3; i++) {
        part[i] = (double)(c >> (16 - 8 * i) & 255) / 255;
        part[i] = part[i] <= 0.04045 ? part[i] / 12.92
                                     : pow((part[i] + 0.055) / 1.055, 2.4);
    }
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
}

static void check_contrast(const char *style, const char *theme,
                           const char *ink, const char *ground, double least)
{
    double a = luminance(style, ink), b = luminance(style, ground);
    double contrast = (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);

    if (contrast < least)
        FAIL("%s: --%s on --%s has a contrast of %.2f, expected %.1f", theme,
             ink, ground, contrast, least);
}

/* Text by 4.5 on all it stands on, lines and their chips by 3. */
TEST(colours_can_be_told_apart)
{
    static const char *const text[] = { "ink", "soft", "link", "bad", "good" };
    static const char *const grounds[] = { "page", "card" };
    static const char dark_page[] = "prefers-color-scheme:dark){:root{--ink";
    static const char dark_figures[] = "prefers-color-scheme:dark){:root{--c0";
    struct lct_html h = { .data = NULL };

    lct_figure_style(&h);
    lct_html_append(&h, "", 1);
    for (int dark = 0; dark < 2; dark++) {
        const char *theme = dark ? "dark" : "light", *page = lct_page_style;
        const char *figures = h.data;
        char both[6000], name[8];

        if (dark) {
            page = strstr(page, dark_page);
            figures = strstr(figures, dark_figures);
        }
        CHECK(page && figures);
        snprintf(both, sizeof both, "%.500s%.2000s", page, figures);
        for (size_t g = 0; g < LEN(grounds); g++) {
            for (size_t i = 0; i < LEN(text); i++)
                check_contrast(both, theme, text[i], grounds[g], 4.5);
            check_contrast(both, theme, "ci", grounds[g], 4.5);
            check_contrast(both, theme, "ct", grounds[g], 4.5);
            for (int c = 0; c < 10; c++) {
                snprintf(name, sizeof name, "c%d", c);
                check_contrast(both, theme, name, grounds[g], 3);
            }
        }
        check_contrast(both, theme, "bad", "badbg", 4.5);
        check_contrast(both, theme, "page", "link", 4.5); /* the language */
        check_contrast(both, theme, "card", "link", 4.5); /* a pressed tool */
    }
    lct_html_free(&h);
}

/* ----------------------------------------------------- memory that runs out */

/* Allocations fail from the k-th on, for k spread over all of a page. */
TEST_WITH(make_folder, remove_folder, survives_lack_of_memory)
{
    FREED_BY(free_results) struct lct_results r;
    locant_status status = LOCANT_ERR_NOMEM;

    make_results(&r);
    for (long k = 0; status != LOCANT_OK; k += 1 + k) {
        test_memory_fail_from(k + 1);
        status = lct_page_write(path, &r);
        CHECK(test_memory_held() == 0);
        test_memory_end();
        if (status != LOCANT_OK && status != LOCANT_ERR_NOMEM)
            FAIL("allocation %ld: %s", k, locant_last_error());
        CHECK(access(path, F_OK) == (status == LOCANT_OK ? 0 : -1));
        CHECK(k < 1000000);
    }
}
