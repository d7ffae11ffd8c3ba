/* say.h - messages on the page, in both languages; see say.c */
#ifndef LCT_SAY_H
#define LCT_SAY_H
#include "../files/html.h"
#include "../measure/claims.h"
#include "../measure/gates.h"
#include "../measure/numbers.h"
#include "messages.h"

/* A message without values, as text. */
void lct_say(struct lct_html *h, enum lct_message id);

/* What another folder says in English, and its Chinese where there is one. */
void lct_say_translated(struct lct_html *h, const char *en);

/* ' aria-label="message"', with the Chinese in data-zh for a script. */
void lct_say_label(struct lct_html *h, enum lct_message id);

/* A message with the values that messages.def tells of. */
void lct_say_values(struct lct_html *h, const struct lct_results *r,
                    enum lct_message id, const char *const *text);
/* n messages, one after another in each language; {*} is below 'at'. */
void lct_say_all(struct lct_html *h, const struct lct_results *r,
                 const char *at, const enum lct_message *ids, int n,
                 const char *const *text);

/* One text in one language: of gates. */
void lct_say_open(struct lct_html *h, enum lct_language language);
void lct_say_close(struct lct_html *h);

/* The radio buttons, first in <body>, and the rules that make them work. */
extern const char lct_say_switch[], lct_say_style[];
#endif
