/* messages.c - messages, their translations, labels with values */
#include "messages.h"
#include "locant/figure.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MESSAGE(id, en, zh) [MSG_##id] = { en, zh },

#define UNIT     "byte"
#define UNITS    "bytes"
#define UNITS_ZH "字节"
static const char *const of_bytes[LCT_MESSAGES][2] = {
#include "messages.def"
};
#undef UNIT
#undef UNITS
#undef UNITS_ZH

#define UNIT     "token"
#define UNITS    "tokens"
#define UNITS_ZH "词元"
static const char *const of_tokens[LCT_MESSAGES][2] = {
#include "messages.def"
};
#undef MESSAGE

#define MESSAGE(id, en, zh)                                                    \
    _Static_assert(sizeof en > 1 && sizeof zh > 1, #id " lacks a text");
#include "messages.def"
#undef MESSAGE

static const char *const translations[][2] = {
#define TRANSLATION(en, zh) { en, zh },
#include "translations.def"
#undef TRANSLATION
};

const char *lct_messages_of(enum lct_message id, enum lct_language language,
                            bool tokens)
{
    return (tokens ? of_tokens : of_bytes)[id][language];
}

const char *lct_messages_text(enum lct_message id, enum lct_language language)
{
    return lct_messages_of(id, language, false);
}

/* The English of translations.def is that of other folders. */
const char *locant_chinese(const char *en)
{
    for (size_t i = 0; en && i < sizeof translations / sizeof translations[0];
         i++)
        if (strcmp(translations[i][0], en) == 0)
            return translations[i][1];
    return NULL;
}

void lct_messages_fill(char *out, int size, const char *from,
                       const char *const *text)
{
    int used = 0;

    *out = '\0';
    while (*from && used < size - 1) {
        const bool value = from[0] == '$' && from[1] >= '1' && from[1] <= '9';
        const int plain = (int)strcspn(from + 1, "$") + 1;

        if (value)
            used += snprintf(out + used, (size_t)(size - used), "%s",
                             text[from[1] - '1']);
        else
            used += snprintf(out + used, (size_t)(size - used), "%.*s", plain,
                             from);
        from += value ? 2 : plain;
    }
}

void lct_messages_label(struct lct_label *out, enum lct_message id,
                        const char *const *text)
{
    lct_messages_fill(out->en, sizeof out->en, lct_messages_text(id, LCT_EN),
                      text);
    lct_messages_fill(out->zh, sizeof out->zh, lct_messages_text(id, LCT_ZH),
                      text);
}

void lct_messages_number(struct lct_label *out, enum lct_message id,
                         double value)
{
    char text[40];
    const char *const list[] = { text };

    snprintf(text, sizeof text, value == floor(value) ? "%.0f" : "%.6g", value);
    lct_messages_label(out, id, list);
}
