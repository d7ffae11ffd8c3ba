/* gate_text.c - what gates found, as messages */
#include "gate_text.h"
#include "../files/decimal.h"
#include <stdio.h>
#include <string.h>

enum lct_message lct_gate_text_id(const char *text)
{
    static const struct {
        const char *text;
        enum lct_message id;
    } found[] = {
        { "g1.hold", MSG_FOUND_G1_HOLD },
        { "g1.lacks", MSG_FOUND_G1_LACKS },
        { "g2.best", MSG_FOUND_G2_BEST },
        { "g3.replaced", MSG_FOUND_G3_REPLACED },
        { "g3.one", MSG_FOUND_G3_ONE },
        { "g3.unmeasured", MSG_FOUND_G3_UNMEASURED },
        { "g4.exact", MSG_FOUND_G4_EXACT },
        { "g4.change", MSG_FOUND_G4_CHANGE },
        { "g5.finite", MSG_FOUND_G5_FINITE },
        { "g5.bad", MSG_FOUND_G5_BAD },
        { "g6.same", MSG_FOUND_G6_SAME },
        { "g6.other", MSG_FOUND_G6_OTHER },
        { "g7.few", MSG_FOUND_G7_FEW },
        { "g7.none", MSG_FOUND_G7_NONE },
        { "g7.claims", MSG_FOUND_G7_CLAIMS },
    };

    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
        if (strcmp(found[i].text, text) == 0)
            return found[i].id;
    return MSG_NONE;
}

/* Write the value of "{*.values.N:3}" or "{*.values.N:g}" at 'form'. */
static void write_value(char out[LCT_DECIMAL_BYTES],
                        const locant_report_gate *g, const char *form)
{
    const size_t at = sizeof "{*.values." - 1;
    const double value = g->value[form[at] - '0'];

    if (form[at + 2] == 'g')
        lct_decimal_short(out, value);
    else
        lct_decimal(out, value, form[at + 2] - '0');
}

void lct_gate_text_say(locant_report_gate *g)
{
    const enum lct_message id = lct_gate_text_id(g->text);
    const char *form = id ? lct_messages_text(id, LCT_EN) : "$1";
    const size_t size = sizeof g->sentence;
    size_t used = 0;

    g->sentence[0] = '\0';
    while (*form && used < size) {
        const int plain = (int)strcspn(form + 1, "{$") + 1;
        char value[LCT_DECIMAL_BYTES];

        if (*form == '{') {
            write_value(value, g, form);
            used +=
                (size_t)snprintf(g->sentence + used, size - used, "%s", value);
            form += strcspn(form, "}") + 1;
        } else if (*form == '$') {
            used += (size_t)snprintf(g->sentence + used, size - used, "%s",
                                     g->spec[form[1] - '1']);
            form += 2;
        } else {
            used += (size_t)snprintf(g->sentence + used, size - used, "%.*s",
                                     plain, form);
            form += plain;
        }
    }
}
