/*
 * page.c - writes the page: one file that needs no network.
 *
 * The policy in its head forbids a browser to fetch anything, or to run
 * anything but the page's own script.  So a string that was not escaped could
 * neither send data nor act.
 */
#include "../files/io.h"
#include "../figure/inline.h"
#include "page.h"
#include "page_script.h"
#include "html_message.h"
#include <jansson.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\""
    "default-src 'none'; ";

static const char head_after[] =
    "style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, "
    "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>";

void lct_page_open(struct lct_html *h, const char *title)
{
    lct_html_raw(h, head);
    if (h->figures != NULL)
        lct_page_policy(h);
    lct_html_raw(h, head_after);
    lct_html_text(h, title);
    lct_html_raw(h, "</title>\n<style>");
    lct_figure_style(h);
    lct_html_raw(h, lct_page_style);
    lct_html_raw(h, lct_page_style_sections);
    lct_html_raw(h, lct_page_style_media);
    lct_html_raw(h, lct_html_message_style);
    lct_html_raw(h, "</style>\n</head>\n<body>\n");
    lct_html_message_in(h, "<a class=\"skip\" href=\"#main\">", MSG_SKIP,
                        "</a>\n");
    lct_html_raw(h, lct_html_message_switch);
}

static void introduction(struct lct_html *h, const struct lct_results *r)
{
    lct_html_message_in(h, "<header><h1>", MSG_HEADING,
                        "</h1>\n<p class=\"lead\">");
    lct_html_message_values(h, r, MSG_LEAD, NULL);
    if (r->vocabulary) {
        lct_html_raw(h, " ");
        lct_html_message_values(h, r, MSG_LEAD_VOCABULARY, NULL);
    }
    lct_html_raw(h, "</p></header>\n");
}

/* Links to the encodings, then the encodings. */
static locant_status encodings(struct lct_html *h, const struct lct_results *r)
{
    lct_html_raw(h, "<ul class=\"links\">");
    for (size_t g = 0; g < r->n; g++)
        lct_html_print(h, "<li><a href=\"#encoding-%zu\">%s</a></li>", g + 1,
                       r->groups[g].spec);
    lct_html_raw(h, "</ul>\n");
    return lct_page_encodings(h, r);
}

static locant_status gates(struct lct_html *h, const struct lct_results *r)
{
    lct_page_banners(h, r, false);
    return lct_page_gates(h, r);
}

/*
 * The sections of the page from top to bottom.  A row has an id for links and
 * scripts, a heading, a function that draws the section, and one that tells
 * whether there is anything to show (NULL: always).
 */
static const struct lct_section sections[] = {
    { "verdict", MSG_SECTION_VERDICT, lct_page_verdict, lct_page_has_runs },
    { "length", MSG_SECTION_LENGTH, lct_page_close_up, NULL },
    { "numbers", MSG_SECTION_NUMBERS, lct_page_tables, NULL },
    { "pairs", MSG_SECTION_PAIRS, lct_page_pairs, lct_page_has_pairs },
    { "compare", MSG_COMPARE, lct_page_compare, NULL },
    { "position", MSG_SECTION_POSITION, lct_page_positions, NULL },
    { "protocols", MSG_SECTION_PROTOCOLS, lct_page_protocols, NULL },
    { "tasks", MSG_SECTION_TASKS, lct_page_tasks, lct_page_has_tasks },
    { "extension", MSG_SECTION_EXTENSION, lct_page_extension,
      lct_page_has_extension },
    { "surface", MSG_SECTION_SURFACE, lct_page_surface, lct_page_has_surface },
    { "models", MSG_SECTION_MODELS, lct_page_probes, lct_page_probed },
    { "encodings", MSG_SECTION_ENCODINGS, encodings, NULL },
    { "training", MSG_SECTION_TRAINING, lct_page_training, NULL },
    { "gates", MSG_SECTION_GATES, gates, NULL },
    { "identities", MSG_SECTION_IDENTITIES, lct_page_identities,
      lct_page_has_identities },
    { "reading", MSG_SECTION_READING, lct_page_reading, NULL },
    { "provenance", MSG_SECTION_PROVENANCE, lct_page_provenance, NULL },
    { "quote", MSG_SECTION_QUOTE, lct_page_quote, NULL },
};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

static bool shown(const struct lct_section *s, const struct lct_results *r)
{
    return s->shown == NULL || s->shown(r);
}

static void contents(struct lct_html *h, const struct lct_results *r)
{
    lct_html_raw(h, "<nav");
    lct_html_message_label(h, MSG_CONTENTS);
    lct_html_raw(h, "><ul class=\"links\">");
    for (size_t i = 0; i < SECTIONS; i++) {
        if (!shown(&sections[i], r))
            continue;
        lct_html_print(h, "<li><a href=\"#%s\">", sections[i].id);
        lct_html_message_in(h, "", sections[i].heading, "</a></li>");
    }
    lct_html_raw(h, "</ul></nav>\n");
}

/*
 * The first screen, the contents, and the sections, each collapsed.  The id of
 * a section is inside its <details>, so that a browser opens it to show the
 * target of a link, with or without the script.
 */
static locant_status body(struct lct_html *h, const struct lct_results *r)
{
    introduction(h, r);
    lct_page_banners(h, r, true);
    LCT_TRY(lct_page_summary(h, r));
    contents(h, r);
    for (size_t i = 0; i < SECTIONS; i++) {
        if (!shown(&sections[i], r))
            continue;
        lct_html_message_in(h, "<details class=\"part\"><summary><h2>",
                            sections[i].heading, "</h2></summary>\n");
        lct_html_print(h, "<div id=\"%s\">\n", sections[i].id);
        LCT_TRY(sections[i].draw(h, r));
        lct_html_raw(h, "</div></details>\n");
    }
    return lct_html_status(h);
}

static locant_status write_page(const char *path, const struct lct_results *r)
{
    struct lct_html figures = { .data = NULL };
    struct lct_html h = { .tokens = r->vocabulary != 0, .figures = &figures };
    locant_status status;

    lct_page_open(&h, "Positional encodings compared · 位置编码对比");
    lct_html_raw(&h, "<main id=\"main\" tabindex=\"-1\">\n");
    status = body(&h, r);
    lct_html_raw(&h, "</main>\n");
    lct_page_script(&h, r);
    lct_html_raw(&h, "</body>\n</html>\n");
    if (status == LOCANT_OK)
        status = lct_html_status(&h);
    if (status == LOCANT_OK)
        status = lct_write_file(path, &(struct lct_piece){ h.data, h.size }, 1);
    lct_html_free(&h);
    lct_html_free(&figures);
    return status;
}

locant_status lct_page_write(const char *path, const struct lct_results *r)
{
    struct lct_results own;
    locant_status status;

    if (!path || !r)
        return locant_fail(LOCANT_ERR_NULL, "lct_page_write: %s is NULL",
                           path ? "r" : "path");
    if (r->numbers)
        return write_page(path, r);
    own = *r;
    LCT_TRY(lct_numbers_create(&own.numbers, r));
    status = write_page(path, &own);
    json_decref(own.numbers);
    return status;
}
