/* cmd_tutorial.c - locant tutorial: list and run rows of the tutorials. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "homework.h"
#include "language.h"
#include "tutorial_rows.h"
#include "tutorial_runs.h"

struct options {
    const char *out;
    int all, check, markdown, homework, answers;
};

static const struct cli_option options[] = {
    OPT_FILE("output", out, "OUT",
             "OUT.svg, .png or .pdf for a row's figures, OUT.html for a page; "
             "with --all a folder or a page",
             .letter = 'o'),
    OPT_FLAG("all", all,
             "run every row; write text, JSON, figures and index.html into a "
             "folder, or one page"),
    OPT_FLAG("check", check,
             "run every row and judge its checks; write nothing"),
    OPT_FLAG("markdown", markdown, "print docs/tutorials.md"),
    OPT_FLAG("homework", homework,
             "print questions with blanks: of all documents, or of one, 0 to "
             "4"),
    OPT_FLAG("answers", answers,
             "with --homework: hints, and answers that are computed now"),
    OPT_END
};

/* ------------------------------------------------------------------ one row */

/* Find the row of "S0.10", "s0.10" or "S0.10b" (*part is 'b'), or NULL. */
static const struct tutorial_row *find(const char *word, char *part)
{
    const struct tutorial_row *r = tutorial_rows;
    size_t n = strlen(word);

    *part = 0;
    if (n > 0 && word[n - 1] >= 'a' && word[n - 1] <= 'z')
        *part = word[--n];
    while (r->id != NULL &&
           (strlen(r->id) != n || strncasecmp(r->id, word, n) != 0))
        r++;
    return r->id != NULL ? r : NULL;
}

static int unknown_row(const char *word)
{
    const char *names[256] = { NULL };

    for (int i = 0; tutorial_rows[i].id != NULL && i < 255; i++)
        names[i] = tutorial_rows[i].id;
    return cli_unknown("row", word, names, "locant tutorial");
}

/* Check before long work that figures can be written. */
static int check_figures(const struct tutorial_row *row, const char *path)
{
    const char *dot = strrchr(path, '.');

    if (row->figures == 0)
        return cli_refuse("-o: row %s draws no figure", row->id);
    if (dot == NULL ||
        (strcmp(dot, ".svg") && strcmp(dot, ".png") && strcmp(dot, ".pdf")))
        return cli_refuse("-o '%s': expected a name that ends in .svg, .png or "
                          ".pdf",
                          path);
    return cli_check_output(path);
}

static size_t count_of(const struct tutorial *t, const char *what)
{
    return json_array_size(json_object_get(t->json, what));
}

/* Only after the run it is known which parts exist, and which of them draw. */
static int check_part(const struct tutorial *t)
{
    if (t->only && count_of(t, "parts") == 0)
        return cli_refuse("row %s has no part '%c'", t->row->id, t->only);
    if (t->path != NULL && count_of(t, "figures") == 0)
        return cli_refuse("-o: part %s%c draws no figure", t->row->id, t->only);
    return CLI_OK;
}

/* Run the row, and print it only if it has the part that is asked for. */
static int run_part(struct tutorial *t, int as_json)
{
    char *text[LANGUAGES];
    const int status = tutorial_runs_text(t, text, t->language, t->language);
    int printed = status <= CLI_NO ? check_part(t) : CLI_OK;

    if (printed == CLI_OK && !as_json && text[t->language] != NULL)
        fputs(text[t->language], stdout);
    if (printed == CLI_OK && as_json && status <= CLI_NO)
        printed = cli_json(json_incref(t->json));
    free(text[t->language]);
    return printed != CLI_OK ? printed : status;
}

static int run_row_to_page(const struct cli *cli, const struct tutorial *t)
{
    const struct options *o = cli->options;

    if (t->only)
        return cli_refuse("-o: a page shows a whole row, not a part of it");
    CLI_TRY(cli_check_output(o->out));
    return tutorial_runs_page(cli, t->row, t->row, o->out, NULL);
}

static int run_row(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct tutorial t = { .language = cli_chinese() ? CHINESE : ENGLISH,
                          .verbose = 1,
                          .path = o->out };
    int status;

    t.out[t.language] = stdout;
    t.row = find(cli->words[0], &t.only);
    if (t.row == NULL)
        return unknown_row(cli->words[0]);
    if (o->out != NULL && tutorial_runs_is_page(o->out))
        return run_row_to_page(cli, &t);
    if (o->out != NULL)
        CLI_TRY(check_figures(t.row, o->out));
    status =
        t.only || cli->json ? run_part(&t, cli->json) : tutorial_runs_row(&t);
    json_decref(t.json);
    return status;
}

/* Print the homework of all documents, or of "3" or "S3". */
static int run_homework(const struct cli *cli)
{
    const struct options *o = cli->options;
    const char *word = cli->n_words > 0 ? cli->words[0] : NULL;
    int document = -1;

    if (word != NULL) {
        word += word[0] == 'S' || word[0] == 's';
        if (word[0] < '0' || word[0] > '4' || word[1] != '\0')
            return cli_refuse("--homework '%s': expected a document, 0 to 4",
                              cli->words[0]);
        document = word[0] - '0';
    }
    if (o->out != NULL)
        return cli_refuse("-o: the page of --all has the homework");
    return cli->json ? homework_print_json(document, o->answers)
                     : homework_print(document, o->answers, cli_chinese());
}

static int run_command(const struct cli *cli)
{
    const struct options *o = cli->options;
    int chosen =
        o->all + o->check + o->markdown + (o->homework || cli->n_words > 0);

    if (chosen > 1)
        return cli_refuse("expected one of ROW, --all, --check, --markdown, "
                          "--homework");
    if (o->answers && !o->homework)
        return cli_refuse("--answers: expected --homework");
    if (o->homework)
        return run_homework(cli);
    if (o->all && o->out == NULL)
        return cli_refuse("--all: expected -o DIR or -o PAGE.html");
    if (o->all || o->check)
        return tutorial_runs_all(cli, o->all ? o->out : NULL);
    if (cli->n_words > 0)
        return run_row(cli);
    if (o->out != NULL)
        return cli_refuse("-o: expected a row, or --all");
    if (o->markdown)
        tutorial_rows_markdown();
    else if (cli->json)
        return tutorial_rows_json();
    else
        tutorial_rows_text(cli_chinese());
    return CLI_OK;
}

/* clang-format off */
const struct cli_command cli_tutorial = {
    .name = "tutorial", .summary = "run a row of the five tutorials",
    .usage = "[ROW] [-o OUT.(svg|png|pdf|html)] [--json]\n"
             "--all -o (DIR|PAGE.html) [--lang en|zh]\n"
             "--homework [DOCUMENT] [--answers] [--json]\n--check\n--markdown",
    .doc = "locant grew from five tutorials about positional encodings.  Each "
           "class,\nfunction, figure, experiment and table of the tutorials "
           "is a row, which this\ncommand computes.  Where a tutorial is "
           "wrong, its row shows both numbers, the\nwrong and the right one.  "
           "Without ROW, lists the rows.  A page shows of each\nrow what the "
           "document says, what locant computes, where the document is\nwrong, "
           "and the C and the Python that does it; the page of all "
           "rows closes each\ndocument with homework.  Exit 1 if a check of a "
           "row fails.",
    .examples = "locant tutorial\nlocant tutorial S0.10 -o waves.svg\n"
                "locant tutorial S0.10b --json\n"
                "locant tutorial --homework 0 --answers\n"
                "locant tutorial --all -o tutorials\n"
                "locant tutorial --all -o course.html",
    CLI_OPTIONS,
    .min_words = 0, .max_words = 1, .computes = 1, .run = run_command
};
/* clang-format on */
