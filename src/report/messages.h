/* messages.h - the texts of the page, by id, in English and Chinese */
#ifndef LCT_MESSAGES_H
#define LCT_MESSAGES_H
#include <stdbool.h>

/* A message is a row of messages.def, which must have both texts. */
enum lct_message {
    MSG_NONE,
#define MESSAGE(id, en, zh) MSG_##id,
#include "messages.def"
#undef MESSAGE
    LCT_MESSAGES,
    /* these figures share the texts of another */
    MSG_MASK_LAST_TITLE = MSG_MASK_TITLE,
    MSG_MASK_LAST_ALT = MSG_MASK_ALT,
    MSG_MASK_LAST_CAPTION = MSG_MASK_CAPTION,
    MSG_EXTENSION_NEEDLE_TUNED_ALT = MSG_EXTENSION_NEEDLE_ALT,
    MSG_EXTENSION_NEEDLE_TUNED_CAPTION = MSG_EXTENSION_NEEDLE_CAPTION,
    MSG_BIAS_INITIAL_ALT = MSG_BIAS_ALT,
    MSG_TASK_PLACES_TITLE = MSG_TASK_SCORES_TITLE
};

enum lct_language { LCT_EN, LCT_ZH };

/* Bytes of the longest filled message, and of the longest label. */
enum { LCT_MESSAGE_BYTES = 2000, LCT_LABEL_BYTES = 320 };

/* The text in messages.def, NULL for MSG_NONE: where lengths count tokens of a
   vocabulary, or bytes. */
const char *lct_messages_of(enum lct_message id, enum lct_language language,
                            bool tokens);
/* The same for bytes: enough for a message that does not name its unit. */
const char *lct_messages_text(enum lct_message id, enum lct_language language);

/* Fill the text 'from' of a message whose only values are the texts $1 .. $9;
   cut at 'size'. */
void lct_messages_fill(char *out, int size, const char *from,
                       const char *const *text);

/* A filled label of a figure, in both languages. */
struct lct_label {
    char en[LCT_LABEL_BYTES], zh[LCT_LABEL_BYTES];
};

void lct_messages_label(struct lct_label *out, enum lct_message id,
                        const char *const *text);
/* The same with one number, in at most six digits unless it is whole. */
void lct_messages_number(struct lct_label *out, enum lct_message id,
                         double value);

/* Both labels of a series or mark, from a message or from a filled label. */
#define LCT_LABEL(id)                                                          \
    .label = lct_messages_text(id, LCT_EN),                                    \
    .label_zh = lct_messages_text(id, LCT_ZH)
#define LCT_FILLED(it) .label = (it).en, .label_zh = (it).zh
#endif
