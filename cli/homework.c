/* homework.c - the homework of the tutorials on a terminal and as JSON. */
#include "homework.h"

#include <string.h>

#include "../tutorials/course.h"

int homework_find_answer(double *out, const struct homework *q)
{
    if (homework_answer(out, q) == LOCANT_OK)
        return CLI_OK;
    return cli_fail(CLI_NO, "homework %s: %s", q->name, locant_last_error());
}

/* The first row of document 0 .. 4. */
static const struct tutorial_row *first_row(int document)
{
    const struct tutorial_row *r = tutorial_rows;

    while (r->id[1] - '0' != document)
        r++;
    return r;
}

/* Words go on below the first one; Chinese has none, so the terminal wraps. */
static void put_lines(const char *label, const char *text, int chinese)
{
    fputs(label, stdout);
    if (chinese)
        printf(" %s", text);
    else
        cli_wrap(text, strlen(label), 3, (size_t)cli_columns());
    putchar('\n');
}

static int print_answer(const struct homework *q, int chinese)
{
    double answer;

    if (chinese)
        printf("   提示：%s\n", q->hint_zh);
    else
        put_lines("   Hint:", q->hint, 0);
    CLI_TRY(homework_find_answer(&answer, q));
    printf(chinese ? "   答案：" : "   Answer: ");
    printf(q->format, answer);
    printf(chinese ? "（locant tutorial %s）\n" : " (locant tutorial %s)\n",
           q->row);
    return CLI_OK;
}

int homework_print(int document, int answers, int chinese)
{
    const struct homework *last = NULL;

    for (const struct homework *q = homework; q->name != NULL; q++) {
        const struct tutorial_row *row = first_row(q->document);
        char number[16];

        if (document >= 0 && q->document != document)
            continue;
        if (last == NULL || last->document != q->document)
            printf("%s%s\n", last ? "\n" : "",
                   chinese ? tutorial_document_zh(row)
                           : tutorial_document(row));
        putchar('\n');
        snprintf(number, sizeof number, "%d.", q->number);
        put_lines(number, chinese ? q->question_zh : q->question, chinese);
        if (answers)
            CLI_TRY(print_answer(q, chinese));
        last = q;
    }
    return CLI_OK;
}

int homework_print_json(int document, int answers)
{
    json_t *list = json_array();

    for (const struct homework *q = homework; q->name != NULL; q++) {
        json_t *one;
        double answer;

        if (document >= 0 && q->document != document)
            continue;
        one = json_pack("{s:i, s:i, s:s, s:s, s:s, s:s, s:s, s:s}", "document",
                        q->document, "number", q->number, "name", q->name,
                        "row", q->row, "question", q->question, "question_zh",
                        q->question_zh, "hint", q->hint, "hint_zh", q->hint_zh);
        json_array_append_new(list, one);
        if (!answers)
            continue;
        if (homework_find_answer(&answer, q) != CLI_OK) {
            json_decref(list);
            return CLI_NO;
        }
        json_object_set_new(one, "answer", json_real(answer));
    }
    return cli_json(list);
}
