/*
 * words.c - the words of the page in English and Chinese.
 *
 * Both are in the file, <span class="en"> beside <span class="zh">, and one of
 * them is displayed.  Which, is up to two radio buttons in front of <main>,
 * #lang-en and #lang-zh, and rules about what follows a button that is checked:
 * that works without a script.  A script that wants the other language (for
 * ?lang=zh, or navigator.language) clicks the button and sets <html lang>;
 * <html lang="zh..."> alone does too.  What cannot be hidden by a rule, an
 * aria-label, has its Chinese beside it in data-zh, for a script to swap.
 *
 * English is the key: code says what it wants to say, and words.def (sentences)
 * and labels.def (labels of figures) know the Chinese of it.  What they do not
 * know is left in English; tests/test_words.c finds that.
 */
#include "words.h"
#include "page.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LCT_LABEL(en, zh) { en, zh },
#define LCT_WORD(en, zh) { en, zh },
static const struct {
    const char *en, *zh;
} list[] = {
#include "labels.def"
#include "registry.def"
#include "words.def"
};
#undef LCT_LABEL
#undef LCT_WORD
enum { WORDS = sizeof list / sizeof list[0], NUMBERS = 8 };

const char lct_language_switch[] =
    "<input class=\"lang\" type=\"radio\" name=\"lang\" id=\"lang-en\" checked>"
    "<label class=\"lang\" for=\"lang-en\" lang=\"en\">English</label>"
    "<input class=\"lang\" type=\"radio\" name=\"lang\" id=\"lang-zh\">"
    "<label class=\"lang\" for=\"lang-zh\" lang=\"zh-CN\">中文</label>\n";

const char lct_language_style[] =
    "html:not([lang|=zh]) #lang-en:checked~main .zh,"
    "html[lang|=zh] main .en,#lang-zh:checked~main .en{display:none}"
    "input.lang{position:absolute;opacity:0}"
    "label.lang{float:right;cursor:pointer;padding:.3rem .8rem;margin:.6rem 0;"
    "border:1px solid var(--line);background:var(--card);color:var(--link)}"
    "label.lang[for=lang-en]{border-radius:0 1rem 1rem 0;margin-right:1rem;"
    "border-left:0}"
    "label.lang[for=lang-zh]{border-radius:1rem 0 0 1rem}"
    "input.lang:checked+label{background:var(--link);color:var(--page)}"
    "input.lang:focus-visible+label{outline:3px solid var(--soft)}"
    "main{clear:both}@media print{.lang{display:none}}";

/* -------------------------------------------------------------------- list */

/* Bytes of the number at 'text': "12", "0.5", "-3", "1e-12". */
static size_t number_at(const char *text)
{
    size_t sign = *text == '-';
    size_t n = strspn(text + sign, "0123456789"), e;

    if (n == 0)
        return 0;
    n += sign;
    if (text[n] == '.' && isdigit((unsigned char)text[n + 1]))
        n += 1 + strspn(text + n + 1, "0123456789");
    e = n + 1 + (text[n] == 'e' && (text[n + 1] == '-' || text[n + 1] == '+'));
    if (text[n] == 'e' && isdigit((unsigned char)text[e]))
        n = e + strspn(text + e, "0123456789");
    return n;
}

struct number {
    const char *text;
    size_t size;
};

/* Does 'text' read 'pattern', its # any number?  Those numbers, in order. */
static bool reads(const char *text, const char *pattern, struct number *number)
{
    int n = 0;

    for (; *pattern; pattern++) {
        if (*pattern != '#') {
            if (*text++ != *pattern)
                return false;
            continue;
        }
        if (n == NUMBERS || number_at(text) == 0)
            return false;
        number[n].text = text;
        number[n].size = number_at(text);
        text += number[n++].size;
    }
    return *text == '\0';
}

static void fill(char *out, size_t size, const char *zh,
                 const struct number *number)
{
    size_t used = 0;

    for (; *zh && used + 1 < size; zh++) {
        size_t n = *zh == '#' ? number->size : 1;

        if (n > size - 1 - used)
            n = size - 1 - used;
        memcpy(out + used, *zh == '#' ? (number++)->text : zh, n);
        used += n;
    }
    out[used] = '\0';
}

bool lct_word_zh(char *out, size_t size, const char *en)
{
    struct number number[NUMBERS];

    for (size_t i = 0; en && i < WORDS; i++)
        if (reads(en, list[i].en, number)) {
            fill(out, size, list[i].zh, number);
            return true;
        }
    return false;
}

bool lct_word_at(int i, const char **en, const char **zh)
{
    if (i < 0 || i >= WORDS)
        return false;
    *en = list[i].en;
    *zh = list[i].zh;
    return true;
}

/* -------------------------------------------------------------------- HTML */

void lct_html_open_language(struct lct_html *h, enum lct_language language)
{
    lct_html_raw(h, language == LCT_ZH ? "<span class=\"zh\" lang=\"zh-CN\">"
                                       : "<span class=\"en\">");
}

void lct_html_close_language(struct lct_html *h)
{
    lct_html_raw(h, "</span>");
}

void lct_html_word(struct lct_html *h, const char *en)
{
    char zh[LCT_WORD_BYTES];

    if (!lct_word_zh(zh, sizeof zh, en)) {
        lct_html_text(h, en);
        return;
    }
    lct_html_open_language(h, LCT_EN);
    lct_html_text(h, en);
    lct_html_close_language(h);
    lct_html_open_language(h, LCT_ZH);
    lct_html_text(h, zh);
    lct_html_close_language(h);
}

void lct_html_spoken(struct lct_html *h, const char *en)
{
    char zh[LCT_WORD_BYTES];

    lct_html_label(h, en, lct_word_zh(zh, sizeof zh, en) ? zh : NULL);
}

/* ------------------------------------------------------------------- forms */

/* A form being said. */
struct saying {
    struct lct_html *h;
    const struct lct_results *r;
    const char *const *text;
    enum lct_language language;
};

/* "{path}", "{path:3}", "{path:+3}", "{path:M}"; returns what follows. */
static const char *say_number(const struct saying *s, const char *form)
{
    size_t path = strcspn(form, ":}"), all = strcspn(form, "}");
    const char *how = form + path + 1;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)path - 1, form + 1);
    if (path == all)
        lct_page_count(s->h, s->r, "%s", name);
    else if (*how == 'M')
        lct_page_scaled(s->h, s->r, 1e-6, 2, "%s", name);
    else if (*how == '+')
        lct_page_signed(s->h, s->r, how[1] - '0', "%s", name);
    else
        lct_page_number(s->h, s->r, *how - '0', "%s", name);
    lct_html_raw(s->h, path < all && *how == 'M' ? "M" : "");
    return form + all + (form[all] == '}');
}

/* Lines, each as code. */
static void say_specs(const struct saying *s, const char *lines)
{
    char spec[300];

    while (*lines) {
        size_t n = strcspn(lines, "\n");

        snprintf(spec, sizeof spec, "%.*s", (int)n, lines);
        lct_html_raw(s->h, "<code>");
        lct_html_text(s->h, spec);
        lct_html_raw(s->h, "</code>");
        lines += n + (lines[n] == '\n');
        if (*lines)
            lct_html_raw(s->h, s->language == LCT_ZH ? "、" : ", ");
    }
}

static void say_word(const struct saying *s, const char *en)
{
    char zh[LCT_WORD_BYTES];
    bool known = s->language == LCT_ZH && lct_word_zh(zh, sizeof zh, en);

    lct_html_text(s->h, known ? zh : en);
}

static void say(const struct saying *s, const char *form)
{
    char plain[2] = "";

    while (*form) {
        bool given = isdigit((unsigned char)form[1]) && s->text;

        if (*form == '{') {
            form = say_number(s, form);
        } else if (given && strchr("$@\\", *form)) {
            const char *text = s->text[form[1] - '1'];
            if (*form == '@')
                say_specs(s, text);
            else if (*form == '\\')
                say_word(s, text);
            else
                lct_html_text(s->h, text);
            form += 2;
        } else if ((unsigned char)*form < 128) {
            plain[0] = *form++;
            lct_html_text(s->h, plain);
        } else {
            lct_html_append(s->h, form++, 1); /* of a Chinese character */
        }
    }
}

void lct_page_say_all(struct lct_html *h, const struct lct_results *r,
                      const char *const *forms, size_t n,
                      const char *const *text)
{
    struct saying s = { h, r, text, LCT_EN };
    char zh[LCT_WORD_BYTES];
    bool known = true;

    for (size_t i = 0; i < n; i++)
        known &= lct_word_zh(zh, sizeof zh, forms[i]);
    if (known)
        lct_html_open_language(h, LCT_EN);
    for (size_t i = 0; i < n; i++)
        say(&s, forms[i]);
    if (!known)
        return;
    lct_html_close_language(h);
    lct_html_open_language(h, LCT_ZH);
    s.language = LCT_ZH;
    for (size_t i = 0; i < n && lct_word_zh(zh, sizeof zh, forms[i]); i++)
        say(&s, zh);
    lct_html_close_language(h);
}

void lct_page_say(struct lct_html *h, const struct lct_results *r,
                  const char *form, const char *const *text)
{
    lct_page_say_all(h, r, &form, 1, text);
}
