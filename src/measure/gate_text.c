/*
 * gate_text.c - the message of a gate: a template with values, in English and
 * in Chinese
 */
#include "gates.h"
#include "../files/decimal.h"
#include <stdbool.h>
#include <string.h>

static const struct {
    const char *text, *form, *zh;
} forms[] = {
    { "g1.hold", "all {0} encodings have the properties they declare",
      "全部 {0} 种编码都具有其声明的数学性质" },
    { "g1.lacks", "{a}", "性质不成立：{a}" },
    { "g2.best",
      "the best loss at {0} is {1.3} nats/byte ({a}); an order-{2} n-gram on"
      " the same training bytes has {3.3}",
      "长度 {0} 处的最低损失为 {1.3} 奈特/字节（{a}）；在相"
      "同训练字节上统计的 {2} 阶 n-gram 为 {3.3}" },
    { "g3.shuffle",
      "shuffling all but the last {5} bytes costs {0.1} nats/byte or more in"
      " {1} of {2} encodings; {3} are needed (the most is {4.2})",
      "打乱除最后 {5} 个字节以外的内容后，损失增加不少于 {0.1} "
      "奈特/字节的编码有 {1} 种（共 {2} 种，至少需要 {3} 种"
      "；最大增幅 {4.2}）" },
    { "g4.exact", "later bytes change no earlier loss",
      "后面的字节不改变前面的任何损失" },
    { "g4.change",
      "later bytes change earlier losses by at most {0g} nats, by {a}; {1g} is"
      " allowed",
      "后面的字节使前面的损失最多改变 {0g} 奈特（{a}）；允许值为 "
      "{1g}" },
    { "g5.finite", "all {0} runs have finite losses",
      "全部 {0} 次训练的损失都是有限值" },
    { "g5.bad",
      "{0} of {1} runs have no finite loss, the last of them with {a}",
      "{1} 次训练中有 {0} 次损失不是有限值，最后一次为 {a}" },
    { "g6.same", "runs of one seed were trained on the same batches",
      "种子相同的训练使用了相同的批次" },
    { "g6.other",
      "{0} runs were trained on other batches than the first encoding of their"
      " seed",
      "有 {0} 次训练的批次与同一种子下第一种编码的批次不同" },
    { "g7.few",
      "with fewer than {3} seeds the page claims nothing, and only says what"
      " all runs have in common",
      "种子不足 {3} 个时，本页不作任何声明，只陈述各次训练的共同点" },
    { "g7.none", "no test shows anything, so nothing is claimed",
      "没有任何检验显示差异，因此本页不作声明" },
    { "g7.claims",
      "claims of the verdict: {0}, each with a corrected p below {2.2}; the"
      " largest is {1.3} ({a})",
      "结论中的声明有 {0} 个，校正后的 p 都低于 {2.2}；最大为 {1.3}（{a}）" },
};

static const char *form_of(const char *text, bool zh)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i].text, text) == 0)
            return zh ? forms[i].zh : forms[i].form;
    return "{a}"; /* the gate has a text of its own */
}

const char *lct_gate_form(const char *text)
{
    return form_of(text, false);
}

const char *lct_gate_form_zh(const char *text)
{
    return form_of(text, true);
}

/* "{0.3}", "{1g}", "{2}" at p, p[0] == '{'. */
static void expand_value(const locant_report_gate *g, const char *p,
                         lct_gate_piece piece, void *context)
{
    char number[LCT_DECIMAL_BYTES];
    int i = p[1] - '0';

    if (i < 0 || i >= LOCANT_GATE_VALUES)
        return;
    if (p[2] == 'g')
        lct_decimal_short(number, g->value[i]);
    else
        lct_decimal(number, g->value[i], p[2] == '.' ? p[3] - '0' : 0);
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

struct message {
    char *text;
    size_t used, size;
};

/* Text that does not fit is cut off. */
static void append(void *context, const char *text, size_t bytes, int value)
{
    struct message *s = context;
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
    struct message s = { .text = g->sentence, .size = sizeof g->sentence };

    lct_gate_expand(g, lct_gate_form(g->text), append, &s);
}
