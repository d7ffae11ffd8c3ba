/* tutorial_rows.c - lists of the rows of the tutorials. */
#include "tutorial_rows.h"

#include "../tutorials/course.h"
#include "cli.h"

void tutorial_rows_text(int chinese)
{
    for (const struct tutorial_row *r = tutorial_rows; r->id != NULL; r++) {
        if (tutorial_begins_document(r))
            printf("%s%s\n", r == tutorial_rows ? "" : "\n",
                   chinese ? tutorial_document_zh(r) : tutorial_document(r));
        if (chinese)
            printf("%-6s %s（%s）%s\n", r->id, tutorial_claim(r)->title_zh,
                   tutorial_kind_zh(r->kind), r->wrong ? "［教程有误］" : "");
        else
            printf("%-6s %-10s %s%s\n", r->id, r->kind, r->title,
                   r->wrong ? " [wrong in the tutorial]" : "");
    }
}

int tutorial_rows_json(void)
{
    json_t *rows = json_array();

    for (const struct tutorial_row *r = tutorial_rows; r->id != NULL; r++)
        json_array_append_new(
            rows, json_pack("{s:s, s:s, s:s, s:s, s:i, s:s?, s:s}", "row",
                            r->id, "kind", r->kind, "title", r->title, "lines",
                            r->lines, "figures", r->figures, "wrong", r->wrong,
                            "claim", tutorial_claim(r)->text));
    return cli_json(rows);
}

void tutorial_rows_markdown(void)
{
    printf("# The rows of the tutorials\n\n"
           "Written by `locant tutorial --markdown`; a test compares.  Every "
           "row is run, and its\nchecks judged, by `tests/tutorial_rows.sh`.  "
           "E-2.3 is the third mistake found in S2;\nthe command of its row "
           "says what is wrong and why.  Rows with figures take\n`-o "
           "OUT.svg`.\n");
    for (const struct tutorial_row *r = tutorial_rows; r->id != NULL; r++) {
        if (tutorial_begins_document(r))
            printf("\n## %s\n\n| row | kind | what | figures | wrong in the "
                   "tutorial | command | test |\n|---|---|---|---|---|---|"
                   "---|\n",
                   tutorial_document(r));
        printf("| %s | %s | %s | %d | %s | `locant tutorial %s` | "
               "`tutorial_rows.sh` |\n",
               r->id, r->kind, r->title, r->figures, r->wrong ? r->wrong : "",
               r->id);
    }
}
