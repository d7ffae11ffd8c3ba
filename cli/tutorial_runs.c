/*
 * tutorial_runs.c - run rows of the tutorials: one into texts; several, with a
 * line about each, into a page and files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tutorial_runs.h"
#include "course.h"
#include "language.h"

/* ------------------------------------------------------------------ one row */

int tutorial_runs_row(struct tutorial *t)
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

int tutorial_runs_text(struct tutorial *t, char *text[LANGUAGES],
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
        status = tutorial_runs_row(t);
    for (enum language l = first; l <= last; l++)
        if (t->out[l] != NULL)
            status = end_text(t->out[l], &text[l], status);
    return status;
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
    status = tutorial_runs_text(t, text, ENGLISH, CHINESE);
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
        struct tutorial t = { .row = r,
                              .draw = 1,
                              .verbose = page != NULL,
                              .language = cli_chinese() ? CHINESE : ENGLISH };

        if (page != NULL)
            fprintf(stderr, "%s, row %d of %d\n", r->id, (int)(r - first) + 1,
                    n);
        status = page != NULL ? run_into_page(&t, page, folder)
                              : tutorial_runs_row(&t);
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

int tutorial_runs_page(const struct cli *cli, const struct tutorial_row *first,
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

int tutorial_runs_is_page(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL && strcmp(dot, ".html") == 0;
}

int tutorial_runs_all(const struct cli *cli, const char *out)
{
    const struct tutorial_row *last = tutorial_rows;
    char path[4096];

    while (last[1].id != NULL)
        last++;
    if (out == NULL)
        return run_rows(cli, tutorial_rows, last, NULL, NULL);
    if (tutorial_runs_is_page(out)) {
        CLI_TRY(cli_check_output(out));
        return tutorial_runs_page(cli, tutorial_rows, last, out, NULL);
    }
    CLI_TRY(cli_check_folder(out));
    CLI_TRY(make_path(path, out, "index", "html"));
    if (mkdir(out, 0777) != 0 && errno != EEXIST)
        return cli_fail(CLI_INPUT, "%s: %s", out, strerror(errno));
    return tutorial_runs_page(cli, tutorial_rows, last, path, out);
}
