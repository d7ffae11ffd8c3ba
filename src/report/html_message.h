/* html_message.h - writes messages of the page in both languages */
#ifndef LCT_HTML_MESSAGE_H
#define LCT_HTML_MESSAGE_H
#include "../files/html.h"
#include "../measure/numbers.h"
#include "messages.h"

/* A message without values, as text; also between two pieces of markup. */
void lct_html_message(struct lct_html *h, enum lct_message id);
void lct_html_message_in(struct lct_html *h, const char *before,
                         enum lct_message id, const char *after);

/* An English text of another folder, and its Chinese if it has one. */
void lct_html_message_translated(struct lct_html *h, const char *en);

/* ' aria-label="message"', with the Chinese in data-zh for the script. */
void lct_html_message_label(struct lct_html *h, enum lct_message id);

/* A message with values; messages.def explains their syntax. */
void lct_html_message_values(struct lct_html *h, const struct lct_results *r,
                             enum lct_message id, const char *const *text);
/* Writes n messages in each language; {*} is a path below 'at'. */
void lct_html_message_all(struct lct_html *h, const struct lct_results *r,
                          const char *at, const enum lct_message *ids, int n,
                          const char *const *text);

/* A blank and a message, if the number at.key is above 0. */
void lct_html_message_if_some(struct lct_html *h, const struct lct_results *r,
                              const char *at, const char *key,
                              enum lct_message id);

/* Opens an element for text in one language. */
void lct_html_message_open(struct lct_html *h, enum lct_language language);
void lct_html_message_close(struct lct_html *h);

/* The radio buttons, first in <body>, and their CSS rules. */
extern const char lct_html_message_switch[], lct_html_message_style[];
#endif
