/* words.h - what a reader sees, in the languages of the page; see words.c */
#ifndef LCT_WORDS_H
#define LCT_WORDS_H
#include "../measure/claims.h"
#include "../measure/gates.h"
#include "../measure/numbers.h"
#include "../files/html.h"
#include "locant/figure.h"
#include <stdbool.h>

/* The longest words in one piece, with their end. */
enum { LCT_WORD_BYTES = 1200, LCT_LABEL_BYTES = 96 };

/*
 * The Chinese of words that are listed; false if they are not.  Each # of the
 * list stands for any number.  What does not fit into 'size' is cut.
 */
bool lct_word_zh(char *out, size_t size, const char *en);

/* The i-th of the list; false beyond its end. */
bool lct_word_at(int i, const char **en, const char **zh);

/* Words in both languages, as text; in English where no Chinese is listed. */
void lct_html_word(struct lct_html *h, const char *en);

/* ' aria-label="words"', with the Chinese in data-zh for a script. */
void lct_html_spoken(struct lct_html *h, const char *en);

/*
 * A form in both languages:
 *   {path}     the count that r->numbers has there      {path:3}  3 decimals
 *   {path:+3}  with its sign                            {path:M}  in millions
 *   $1 .. $9   text[0] ..                               @1 .. @9  specs, one a
 *              line of text[..], as code in a row       \1 .. \9  words of the
 *              list
 */
void lct_page_say(struct lct_html *h, const struct lct_results *r,
                  const char *form, const char *const *text);
/* n forms, one after another in each language. */
void lct_page_say_all(struct lct_html *h, const struct lct_results *r,
                      const char *const *forms, size_t n,
                      const char *const *text);

/* One form in one language, which is not looked up: of gates. */
enum lct_language { LCT_EN = 0, LCT_ZH = 1 };
void lct_html_open_language(struct lct_html *h, enum lct_language language);
void lct_html_close_language(struct lct_html *h);

/* The radio buttons, first in <body>, and the rules that make them work. */
extern const char lct_language_switch[], lct_language_style[];

/* A figure whose labels have their Chinese where the list knows it. */
struct lct_translated {
    locant_figure f;
    locant_series *series; /* memory of all; to be released */
    locant_mark *marks;
};

locant_status lct_translate(struct lct_translated *out, const locant_figure *f);
#endif
