/*
 * gate_text.c - what a gate found, as a form with values in it.
 *
 * Another language is another table of forms for the same names.
 */
#include "../figure/figure.h"
#include "lab.h"
#include <string.h>

static const struct {
    const char *text, *form;
} forms[] = {
    { "g1.hold", "all {0} encodings have the properties they declare" },
    { "g1.lacks", "{a}" },
    { "g2.best",
      "the best loss at {0} is {1.3} nats/byte ({a}); an order-{2} n-gram on"
      " the same training bytes has {3.3}" },
    { "g3.shuffle",
      "shuffling all but the last {5} bytes costs {0.1} nats/byte or more in"
      " {1} of {2} encodings; {3} are needed (the most is {4.2})" },
    { "g4.exact", "later bytes change no earlier loss" },
    { "g4.change",
      "later bytes change earlier losses by at most {0g} nats, by {a}; {1g} is"
      " allowed" },
    { "g5.finite", "all {0} runs have finite losses" },
    { "g5.bad",
      "{0} of {1} runs have no finite loss, the last of them with {a}" },
    { "g6.same", "runs of one seed were trained on the same batches" },
    { "g6.other",
      "{0} runs were trained on other batches than the first encoding of their"
      " seed" },
    { "g7.one",
      "there is one seed an encoding, so the spread of seeds is not known" },
    { "g7.none", "at {0} no two encodings can be told apart" },
    { "g7.claims",
      "differences claimed between neighbouring ranks at {0}: {1}; no larger"
      " than between two seeds of one encoding: {2}; the closest is {3.3}"
      " nats/byte ({b} over {a}), seeds {4.3}" },
};

const char *lct_gate_form(const char *text)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i].text, text) == 0)
            return forms[i].form;
    return "{a}"; /* a gate that speaks for itself */
}

/* "{0.3}", "{1g}", "{2}" at p, p[0] == '{'. */
static void expand_value(const locant_report_gate *g, const char *p,
                         lct_gate_piece piece, void *context)
{
    char number[LCT_NUMBER_BYTES];
    int i = p[1] - '0';

    if (i < 0 || i >= LOCANT_GATE_VALUES)
        return;
    if (p[2] == 'g')
        lct_number_short(number, g->value[i]);
    else
        lct_number(number, g->value[i], p[2] == '.' ? p[3] - '0' : 0);
    piece(context, number, strlen(number), i);
}

void lct_gate_expand(const locant_report_gate *g, const char *form,
                     lct_gate_piece piece, void *context)
{
    while (*form) {
        size_t plain = strcspn(form, "{");
        const char *end;

        if (plain > 0)
            piece(context, form, plain, -1);
        form += plain;
        end = strchr(form, '}');
        if (end == NULL)
            return;
        if (form[1] == 'a' || form[1] == 'b') {
            const char *spec = g->spec[form[1] - 'a'];

            piece(context, spec, strlen(spec), -1);
        } else {
            expand_value(g, form, piece, context);
        }
        form = end + 1;
    }
}

struct sentence {
    char *text;
    size_t used, size;
};

/* What does not fit is cut. */
static void append(void *context, const char *text, size_t bytes, int value)
{
    struct sentence *s = context;
    size_t room = s->size - 1 - s->used;

    (void)value;
    if (bytes > room)
        bytes = room;
    memcpy(s->text + s->used, text, bytes);
    s->used += bytes;
    s->text[s->used] = '\0';
}

void lct_gate_say(locant_report_gate *g)
{
    struct sentence s = { .text = g->sentence, .size = sizeof g->sentence };

    lct_gate_expand(g, lct_gate_form(g->text), append, &s);
}
