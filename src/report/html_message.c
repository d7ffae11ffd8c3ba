/*
 * html_message.c - messages of the page in English and Chinese.
 *
 * The file has both, <span class="en"> beside <span class="zh">, and the
 * browser shows one.  Two radio buttons before <main>, #lang-en and #lang-zh,
 * select it by CSS rules for what follows the checked button, without a script.
 * A script that wants the other language (for ?lang=zh, or navigator.language)
 * clicks its button and sets <html lang>; setting <html lang="zh..."> is
 * enough.  CSS cannot choose an aria-label, so its Chinese is in data-zh for
 * the script.
 */
#include "html_message.h"
#include "page.h"
#include <stdio.h>
#include <string.h>

const char lct_html_message_switch[] =
    "<input class=\"lang\" type=\"radio\" name=\"lang\" id=\"lang-en\" checked>"
    "<label class=\"lang\" for=\"lang-en\" lang=\"en\">English</label>"
    "<input class=\"lang\" type=\"radio\" name=\"lang\" id=\"lang-zh\">"
    "<label class=\"lang\" for=\"lang-zh\" lang=\"zh-CN\">中文</label>\n";

const char lct_html_message_style[] =
    "html:not([lang|=zh]) #lang-en:checked~main .zh,"
    "html[lang|=zh] main .en,#lang-zh:checked~main .en{display:none}"
    "input.lang{position:absolute;opacity:0}"
    "label.lang{float:right;cursor:pointer;padding:.3rem .8rem;margin:.6rem 0;"
    "position:relative;z-index:1;"
    "border:1px solid var(--line);background:var(--card);color:var(--link)}"
    "label.lang[for=lang-en]{border-radius:0 1rem 1rem 0;margin-right:1rem;"
    "border-left:0}"
    "label.lang[for=lang-zh]{border-radius:1rem 0 0 1rem}"
    "input.lang:checked+label{background:var(--link);color:var(--page)}"
    "input.lang:focus-visible+label{outline:3px solid var(--soft)}"
    "@media print{.lang{display:none}}";

void lct_html_message_open(struct lct_html *h, enum lct_language language)
{
    lct_html_raw(h, language == LCT_ZH ? "<span class=\"zh\" lang=\"zh-CN\">"
                                       : "<span class=\"en\">");
}

void lct_html_message_close(struct lct_html *h)
{
    lct_html_raw(h, "</span>");
}

/* Writes the text once if both languages have the same. */
static void put_both(struct lct_html *h, const char *en, const char *zh)
{
    if (strcmp(en, zh) == 0) {
        lct_html_text(h, en);
        return;
    }
    lct_html_message_open(h, LCT_EN);
    lct_html_text(h, en);
    lct_html_message_close(h);
    lct_html_message_open(h, LCT_ZH);
    lct_html_text(h, zh);
    lct_html_message_close(h);
}

void lct_html_message(struct lct_html *h, enum lct_message id)
{
    put_both(h, lct_messages_of(id, LCT_EN, h->tokens),
             lct_messages_of(id, LCT_ZH, h->tokens));
}

void lct_html_message_in(struct lct_html *h, const char *before,
                         enum lct_message id, const char *after)
{
    lct_html_raw(h, before);
    lct_html_message(h, id);
    lct_html_raw(h, after);
}

void lct_html_message_translated(struct lct_html *h, const char *en)
{
    const char *zh = locant_chinese(en);

    if (zh)
        put_both(h, en, zh);
    else
        lct_html_text(h, en);
}

void lct_html_message_label(struct lct_html *h, enum lct_message id)
{
    lct_html_label(h, lct_messages_of(id, LCT_EN, h->tokens),
                   lct_messages_of(id, LCT_ZH, h->tokens));
}

/* ------------------------------------------------------------------ values */

/* A message and the values that fill it. */
struct message {
    struct lct_html *h;
    const struct lct_results *r;
    const char *at;          /* path before {*} */
    const char *const *text; /* $1 .. $9 */
    enum lct_language language;
};

/* Writes "{path}", "{path:3}", "{path:+3}", "{path:M}" or "{path:g}"; returns
   the rest. */
static const char *put_number(const struct message *s, const char *form)
{
    size_t colon = strcspn(form, ":}"), end = strcspn(form, "}");
    const char *how = form + colon + 1;
    const bool below = form[1] == '*';
    char name[128];

    snprintf(name, sizeof name, "%s%.*s", below ? s->at : "",
             (int)colon - 1 - below, form + 1 + below);
    if (colon == end)
        lct_page_count(s->h, s->r, "%s", name);
    else if (*how == 'M')
        lct_page_scaled(s->h, s->r, 1e-6, 2, "%s", name);
    else if (*how == '+')
        lct_page_signed(s->h, s->r, how[1] - '0', "%s", name);
    else
        lct_page_number(s->h, s->r, *how == 'g' ? LCT_SHORT : *how - '0', "%s",
                        name);
    lct_html_raw(s->h, colon < end && *how == 'M' ? "M" : "");
    return form + end + (form[end] == '}');
}

/* Writes each line of 'lines' as code. */
static void put_specs(const struct message *s, const char *lines)
{
    char spec[300];

    while (lines && *lines) {
        size_t n = strcspn(lines, "\n");

        snprintf(spec, sizeof spec, "%.*s", (int)n, lines);
        lct_html_print(s->h, "<code>%s</code>", spec);
        lines += n + (lines[n] == '\n');
        if (*lines)
            lct_html_raw(s->h, s->language == LCT_ZH ? "、" : ", ");
    }
}

static void put_text(const struct message *s, char kind, const char *text)
{
    const char *zh =
        kind == '\\' && s->language == LCT_ZH ? locant_chinese(text) : NULL;

    if (kind == '@')
        put_specs(s, text);
    else
        lct_html_text(s->h, zh ? zh : text);
}

static void put(const struct message *s, const char *form)
{
    while (*form) {
        const size_t plain = strcspn(form, "{$@\\");

        if (plain > 0) {
            char piece[LCT_MESSAGE_BYTES];

            snprintf(piece, sizeof piece, "%.*s", (int)plain, form);
            lct_html_text(s->h, piece);
            form += plain;
        } else if (*form == '{') {
            form = put_number(s, form);
        } else {
            put_text(s, form[0], s->text ? s->text[form[1] - '1'] : NULL);
            form += 2;
        }
    }
}

void lct_html_message_all(struct lct_html *h, const struct lct_results *r,
                          const char *at, const enum lct_message *ids, int n,
                          const char *const *text)
{
    for (int l = LCT_EN; l <= LCT_ZH; l++) {
        const struct message s = { h, r, at, text, (enum lct_language)l };

        lct_html_message_open(h, s.language);
        for (int i = 0; i < n; i++)
            if (ids[i] != MSG_NONE)
                put(&s, lct_messages_of(ids[i], s.language, h->tokens));
        lct_html_message_close(h);
    }
}

void lct_html_message_values(struct lct_html *h, const struct lct_results *r,
                             enum lct_message id, const char *const *text)
{
    const struct message s = { h, r, "", text, LCT_EN };
    const char *en = lct_messages_of(id, LCT_EN, h->tokens);

    if (strcmp(en, lct_messages_of(id, LCT_ZH, h->tokens)) == 0)
        put(&s, en);
    else
        lct_html_message_all(h, r, "", &id, 1, text);
}

void lct_html_message_if_some(struct lct_html *h, const struct lct_results *r,
                              const char *at, const char *key,
                              enum lct_message id)
{
    if (!(lct_page_value(r, "%s.%s", at, key) > 0))
        return;
    lct_html_raw(h, " ");
    lct_html_message_all(h, r, at, &id, 1, NULL);
}
