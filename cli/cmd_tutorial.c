/* cmd_tutorial.c - locant tutorial: list and run rows of the tutorials. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli.h"
#include "course.h"
#include "homework.h"
#include "language.h"
#include "tutorial_rows.h"

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

/* Run the row; returns an exit status. */
static int run(struct tutorial *t)
{
    locant_status s = tutorial_run(t);

    if (s == LOCANT_OK)
        return t->failed ? CLI_NO : CLI_OK;
    return cli_fail(s == LOCANT_ERR_INTERRUPTED ? CLI_RESUMABLE
                    : s == LOCANT_ERR_IO || s == LOCANT_ERR_NOMEM ||
                            s == LOCANT_ERR_FORMAT
                        ? CLI_INPUT
                        : CLI_NO,
                    "%s: %s", t->row->id, locant_last_error());
}

/* End a stream into *text.  Returns 'status', which says how the run ended, or
   an error if there was no memory for the text, which is then NULL. */
static int end_text(FILE *stream, char **text, int status)
{
    if (fclose(stream) != 0) {
        free(*text);
        *text = NULL;
    }
    if (*text == NULL && status <= CLI_NO)
        return cli_fail(CLI_INPUT, "out of memory");
    return status;
}

/* Run the row with its output in text[l], which the caller frees, for each
   language l from 'first' to 'last'; the others are NULL. */
static int run_into_text(struct tutorial *t, char *text[LANGUAGES],
                         enum language first, enum language last)
{
    size_t size[LANGUAGES];
    int status = CLI_OK;

    memset(text, 0, LANGUAGES * sizeof *text);
    for (enum language l = first; l <= last; l++) {
        t->out[l] = open_memstream(&text[l], &size[l]);
        if (t->out[l] == NULL)
            status = cli_fail(CLI_INPUT, "out of memory");
    }
    if (status == CLI_OK)
        status = run(t);
    for (enum language l = first; l <= last; l++)
        if (t->out[l] != NULL)
            status = end_text(t->out[l], &text[l], status);
    return status;
}

/* Run the row, and print it only if it has the part that is asked for. */
static int run_part(struct tutorial *t, int as_json)
{
    char *text[LANGUAGES];
    const int status = run_into_text(t, text, t->language, t->language);
    int printed = status <= CLI_NO ? check_part(t) : CLI_OK;

    if (printed == CLI_OK && !as_json && text[t->language] != NULL)
        fputs(text[t->language], stdout);
    if (printed == CLI_OK && as_json && status <= CLI_NO)
        printed = cli_json(json_incref(t->json));
    free(text[t->language]);
    return printed != CLI_OK ? printed : status;
}

static enum language language(void)
{
    return cli_chinese() ? CHINESE : ENGLISH;
}

/* ---------------------------------------------------------------- every row */

/* Print a line about the row or, if 'log' is not NULL, add it to that. */
static void report(const struct tutorial *t, int status, json_t *log)
{
    if (log != NULL)
        json_array_append_new(log, json_pack("{s:s, s:b, s:i, s:i, s:i}", "row",
                                             t->row->id, "ok", status == CLI_OK,
                                             "checks", t->checks, "failed",
                                             t->failed, "figures", t->figures));
    else if (status == CLI_OK)
        printf("ok   %-6s %3d checks, %d figures\n", t->row->id, t->checks,
               t->figures);
    else
        printf("FAIL %-6s %s\n", t->row->id,
               t->failed ? "a check failed" : "did not finish");
    fflush(stdout);
}

/* path = folder/S0.1.txt */
static int make_path(char path[4096], const char *folder, const char *row,
                     const char *ending)
{
    return snprintf(path, 4096, "%s/%s.%s", folder, row, ending) < 4096
               ? CLI_OK
               : cli_fail(CLI_INPUT, "%s: the path is too long", folder);
}

/* Write 'text' to the row's file with this ending; NULL: there was no memory
   for it. */
static int write_text(const char *folder, const char *row, const char *ending,
                      const char *text)
{
    char path[4096];
    int status = make_path(path, folder, row, ending);

    if (status == CLI_OK && text == NULL)
        status = cli_fail(CLI_INPUT, "%s: out of memory", row);
    if (status == CLI_OK)
        status = cli_status_input(locant_file_write(path, text, strlen(text)));
    return status;
}

/* Write folder/S0.1.txt and .json of a row that has run. */
static int write_files(const struct tutorial *t, const char *folder,
                       const char *text)
{
    char *json;
    int status;

    CLI_TRY(write_text(folder, t->row->id, "txt", text));
    json = json_dumps(t->json, JSON_INDENT(2));
    status = write_text(folder, t->row->id, "json", json);
    free(json);
    return status;
}

/* Run a row into the page and, unless 'folder' is NULL, into
   folder/S0.1.txt, .json and figures. */
static int run_into_page(struct tutorial *t, struct course *page,
                         const char *folder)
{
    char path[4096], *figures = NULL, *text[LANGUAGES];
    int status, written = CLI_OK;
    size_t size;

    if (folder != NULL)
        CLI_TRY(make_path(path, folder, t->row->id, "svg"));
    t->path = folder != NULL ? path : NULL;
    t->page = open_memstream(&figures, &size);
    if (t->page == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    status = run_into_text(t, text, ENGLISH, CHINESE);
    status = end_text(t->page, &figures, status);
    if (status <= CLI_NO && folder != NULL)
        written = write_files(t, folder, text[t->language]);
    if (status <= CLI_NO)
        course_row(page, t, text, figures);
    free(figures);
    free(text[ENGLISH]);
    free(text[CHINESE]);
    return written != CLI_OK ? written : status;
}

/* Run rows and print a line about each; write them to the page unless it is
   NULL, and to files unless 'folder' is NULL. */
static int run_rows(const struct cli *cli, const struct tutorial_row *first,
                    const struct tutorial_row *last, struct course *page,
                    const char *folder)
{
    json_t *log = cli->json ? json_array() : NULL;
    int n = (int)(last - first) + 1, failed_rows = 0, status;

    for (const struct tutorial_row *r = first; r <= last; r++) {
        const int ends = r[1].id == NULL || tutorial_begins_document(r + 1);
        struct tutorial t = {
            .row = r, .draw = 1, .verbose = page != NULL, .language = language()
        };

        if (page != NULL)
            fprintf(stderr, "%s, row %d of %d\n", r->id, (int)(r - first) + 1,
                    n);
        status = page != NULL ? run_into_page(&t, page, folder) : run(&t);
        report(&t, status, log);
        json_decref(t.json);
        failed_rows += status != CLI_OK;
        if (page != NULL && first != last && ends)
            CLI_TRY(course_homework(page, r->id[1] - '0'));
    }
    status = CLI_OK;
    if (cli->json)
        status = cli_json(
            json_pack("{s:o, s:i}", "rows", log, "wrong", failed_rows));
    else
        printf("%d rows, %d wrong\n", n, failed_rows);
    return status == CLI_OK && failed_rows > 0 ? CLI_NO : status;
}

/* Run rows into the page 'path' and, unless 'folder' is NULL, into files. */
static int run_to_page(const struct cli *cli, const struct tutorial_row *first,
                       const struct tutorial_row *last, const char *path,
                       const char *folder)
{
    struct course page = { .first = first,
                           .last = last,
                           .chinese = cli_chinese() };
    int status, written;

    CLI_TRY(course_begin(&page));
    status = run_rows(cli, first, last, &page, folder);
    written = course_end(&page, path);
    if (written == CLI_OK && folder == NULL)
        fprintf(stderr, "wrote %s\n", path);
    return written != CLI_OK ? written : status;
}

static int is_page(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL && strcmp(dot, ".html") == 0;
}

/* Run all rows; 'out' is a page, a folder, or NULL: write nothing. */
static int run_all(const struct cli *cli, const char *out)
{
    const struct tutorial_row *last = tutorial_rows;
    char path[4096];

    while (last[1].id != NULL)
        last++;
    if (out == NULL)
        return run_rows(cli, tutorial_rows, last, NULL, NULL);
    if (is_page(out)) {
        CLI_TRY(cli_check_output(out));
        return run_to_page(cli, tutorial_rows, last, out, NULL);
    }
    CLI_TRY(cli_check_folder(out));
    CLI_TRY(make_path(path, out, "index", "html"));
    if (mkdir(out, 0777) != 0 && errno != EEXIST)
        return cli_fail(CLI_INPUT, "%s: %s", out, strerror(errno));
    return run_to_page(cli, tutorial_rows, last, path, out);
}

static int run_row_to_page(const struct cli *cli, const struct tutorial *t)
{
    const struct options *o = cli->options;

    if (t->only)
        return cli_refuse("-o: a page shows a whole row, not a part of it");
    CLI_TRY(cli_check_output(o->out));
    return run_to_page(cli, t->row, t->row, o->out, NULL);
}

static int run_row(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct tutorial t = { .language = language(),
                          .verbose = 1,
                          .path = o->out };
    int status;

    t.out[t.language] = stdout;
    t.row = find(cli->words[0], &t.only);
    if (t.row == NULL)
        return unknown_row(cli->words[0]);
    if (o->out != NULL && is_page(o->out))
        return run_row_to_page(cli, &t);
    if (o->out != NULL)
        CLI_TRY(check_figures(t.row, o->out));
    status = t.only || cli->json ? run_part(&t, cli->json) : run(&t);
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
        return run_all(cli, o->all ? o->out : NULL);
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
