/* messages.h - what the page says, by id, in English and Chinese */
#ifndef LCT_MESSAGES_H
#define LCT_MESSAGES_H
#include <stdbool.h>

/* A message is a row of messages.def; without both texts it does not
   compile. */
enum lct_message {
    MSG_NONE,
#define MESSAGE(id, en, zh) MSG_##id,
#include "messages.def"
#undef MESSAGE
    LCT_MESSAGES
};

enum lct_language { LCT_EN, LCT_ZH };

/* The longest text with its values and its end; and that of a label. */
enum { LCT_MESSAGE_BYTES = 2000, LCT_LABEL_BYTES = 320 };

/* As it stands in messages.def; NULL for MSG_NONE. */
const char *lct_messages_text(enum lct_message id, enum lct_language language);

/* The Chinese of what other folders say in English (translations.def); NULL
   where there is none, as of names and formulas. */
const char *lct_messages_translate(const char *en);

/* A message whose only values are $1 .. $9, as text; what does not fit is
   cut. */
void lct_messages_fill(char *out, int size, enum lct_message id,
                       enum lct_language language, const char *const *text);

/* A label of a figure with values, in both languages. */
struct lct_label {
    char en[LCT_LABEL_BYTES], zh[LCT_LABEL_BYTES];
};

void lct_messages_label(struct lct_label *out, enum lct_message id,
                        const char *const *text);
/* The same with one number, of at most six digits unless it is whole. */
void lct_messages_number(struct lct_label *out, enum lct_message id,
                         double value);

/* Both labels of a series or of a mark: of a message, or of a filled one. */
#define LCT_LABEL(id)                                                         \
    .label = lct_messages_text(id, LCT_EN),                                   \
    .label_zh = lct_messages_text(id, LCT_ZH)
#define LCT_FILLED(it) .label = (it).en, .label_zh = (it).zh
#endif
