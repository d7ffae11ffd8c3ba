/* cmd_tutorial.c - locant tutorial ROW: the rows of the seed documents. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli.h"
#include "../tutorials/state.h"

struct options {
    const char *out;
    int         all, check, markdown;
};

static const struct cli_option options[] = {
    { "output", 'o', CLI_FILE, offsetof(struct options, out), "OUT", NULL, 0, 0,
      0, "OUT.svg, .png or .pdf for a row's figures; with --all a folder" },
    { "all", 0, CLI_FLAG, offsetof(struct options, all), NULL, NULL, 0, 0, 0,
      "every row: text, JSON and figures into the folder" },
    { "check", 0, CLI_FLAG, offsetof(struct options, check), NULL, NULL, 0, 0,
      0, "run every row and say only which are wrong" },
    { "markdown", 0, CLI_FLAG, offsetof(struct options, markdown), NULL, NULL,
      0, 0, 0, "print docs/tutorials.md" },
    { NULL, 0, CLI_FLAG, 0, NULL, NULL, 0, 0, 0, NULL }
};

static const struct document {
    const char            *name;
    const struct seed_row *rows;
} documents[] = {
    { "S0: a notebook in Chinese, PyTorch", seed_rows_s0 },
    { "S1: a notebook in three sections", seed_rows_s1 },
    { "S2: a chapter in Chinese, Java", seed_rows_s2 },
    { "S3: a blog article", seed_rows_s3 },
    { "S4: a course page in Chinese and English", seed_rows_s4 }
};
enum { DOCUMENTS = sizeof documents / sizeof *documents };

/* Row i of all documents; NULL past the end. */
static const struct seed_row *row_at(int i)
{
    for (int d = 0; d < DOCUMENTS; d++) {
        for (const struct seed_row *r = documents[d].rows; r->id; r++) {
            if (i-- == 0)
                return r;
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------ listing */

static void list_text(void)
{
    for (int d = 0; d < DOCUMENTS; d++) {
        printf("%s%s\n", d ? "\n" : "", documents[d].name);
        for (const struct seed_row *r = documents[d].rows; r->id; r++)
            printf("%-6s %-10s %s%s\n", r->id, r->kind, r->title,
                   r->wrong ? " [wrong in the seed]" : "");
    }
}

static int list_json(void)
{
    const struct seed_row *r;
    json_t *rows = json_array();

    for (int i = 0; (r = row_at(i)) != NULL; i++)
        json_array_append_new(rows, json_pack(
            "{s:s, s:s, s:s, s:s, s:i, s:s?}", "row", r->id, "kind", r->kind,
            "title", r->title, "lines", r->lines, "figures", r->figures,
            "wrong", r->wrong));
    return cli_json(rows);
}

static void print_markdown(void)
{
    printf("# The rows of the seed documents\n\n"
           "Written by `locant tutorial --markdown`; a test compares.  Every row "
           "is run, and its\nchecks judged, by `tests/tutorial_rows.sh`.  E-2.3 "
           "is the third mistake found in S2;\nthe command of its row says "
           "what is wrong and why.  Rows with figures take\n`-o OUT.svg`.\n");
    for (int d = 0; d < DOCUMENTS; d++) {
        printf("\n## %s\n\n| row | kind | what | figures | wrong in the seed "
               "| command | test |\n|---|---|---|---|---|---|---|\n",
               documents[d].name);
        for (const struct seed_row *r = documents[d].rows; r->id; r++)
            printf("| %s | %s | %s | %d | %s | `locant tutorial %s` | "
                   "`tutorial_rows.sh` |\n", r->id, r->kind, r->title, r->figures,
                   r->wrong ? r->wrong : "", r->id);
    }
}

/* ------------------------------------------------------------------ one row */

/* The row of "S0.10", "s0.10" or "S0.10b", whose part is 'b'. */
static const struct seed_row *find(const char *word, char *part)
{
    const struct seed_row *r;
    size_t n = strlen(word);

    *part = 0;
    if (n > 0 && word[n - 1] >= 'a' && word[n - 1] <= 'z') {
        *part = word[n - 1];
        n--;
    }
    for (int i = 0; (r = row_at(i)) != NULL; i++) {
        if (strlen(r->id) == n && strncasecmp(r->id, word, n) == 0)
            return r;
    }
    return NULL;
}

static int unknown_row(const char *word)
{
    const char *names[256] = { NULL }, *nearest;

    for (int i = 0; row_at(i) != NULL && i < 255; i++)
        names[i] = row_at(i)->id;
    nearest = cli_nearest(word, names);
    if (nearest != NULL)
        return cli_fail(CLI_USAGE, "'%s' is not a row of the seeds; did you "
                        "mean %s?", word, nearest);
    return cli_fail(CLI_USAGE, "'%s' is not a row of the seeds; 'locant tutorial' "
                    "lists them", word);
}

/* Before long work: can the figures be written? */
static int check_figures(const struct seed_row *row, const char *path)
{
    const char *dot = strrchr(path, '.');

    if (row->figures == 0)
        return cli_fail(CLI_USAGE, "row %s draws no figure, so -o has no use",
                        row->id);
    if (dot == NULL || (strcmp(dot, ".svg") && strcmp(dot, ".png") &&
                        strcmp(dot, ".pdf")))
        return cli_fail(CLI_USAGE, "-o '%s': expected an ending .svg, .png or "
                        ".pdf", path);
    return cli_check_output(path);
}

static size_t count_of(const struct seed *s, const char *what)
{
    return json_array_size(json_object_get(s->json, what));
}

/* Only the run tells which parts there are, and what they draw. */
static int check_part(const struct seed *s)
{
    if (s->only && count_of(s, "parts") == 0)
        return cli_fail(CLI_USAGE, "row %s has no part '%c'", s->row->id,
                        s->only);
    if (s->path != NULL && count_of(s, "figures") == 0)
        return cli_fail(CLI_USAGE, "part %s%c draws no figure, so -o has no "
                        "use", s->row->id, s->only);
    return CLI_OK;
}

/* Run, and print what was said once it is known that it was said. */
static int run_part(struct seed *s, int as_json)
{
    char  *text = NULL;
    size_t size = 0;
    int    status, failed = CLI_OK;

    s->out = open_memstream(&text, &size);
    if (s->out == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    status = seed_run(s);
    fclose(s->out);
    if (status <= CLI_NO)
        failed = check_part(s);
    if (status <= CLI_NO && failed == CLI_OK && as_json)
        failed = cli_json(json_incref(s->json));
    else if (failed == CLI_OK && !as_json)
        fputs(text, stdout);
    free(text);
    return failed ? failed : status;
}

static int run_row(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct seed s = { .out = stdout, .talk = 1, .path = o->out };
    int         status = CLI_OK;

    s.row = find(cli->words[0], &s.only);
    if (s.row == NULL)
        return unknown_row(cli->words[0]);
    if (o->out != NULL)
        status = check_figures(s.row, o->out);
    if (status != CLI_OK)
        return status;
    status = s.only || cli->json ? run_part(&s, cli->json) : seed_run(&s);
    json_decref(s.json);
    return status;
}

/* ---------------------------------------------------------------- every row */

/* A line of the log, or a member of it. */
static void report(const struct seed *s, int status, json_t *log)
{
    if (log != NULL)
        json_array_append_new(log, json_pack(
            "{s:s, s:b, s:i, s:i, s:i}", "row", s->row->id, "ok",
            status == CLI_OK, "checks", s->checks, "failed", s->failed,
            "figures", s->figures));
    else if (status == CLI_OK)
        printf("ok   %-6s %3d checks, %d figures\n", s->row->id, s->checks,
               s->figures);
    else
        printf("FAIL %-6s %s\n", s->row->id, s->failed ? "a check failed"
                                                       : "did not finish");
    fflush(stdout);
}

/* folder/S0.1.txt */
static int name_file(char path[4096], const char *folder, const char *row,
                     const char *ending)
{
    return snprintf(path, 4096, "%s/%s.%s", folder, row, ending) < 4096
               ? CLI_OK : cli_fail(CLI_INPUT, "%s: too long a path", folder);
}

/* Put 'text', which is released, in the place of such a file. */
static int replace(const char *folder, const char *row, const char *ending,
                   char *text)
{
    char          path[4096];
    int           status = name_file(path, folder, row, ending);
    locant_status s;

    if (status == CLI_OK && text == NULL)
        status = cli_fail(CLI_INPUT, "%s: out of memory", row);
    if (status == CLI_OK) {
        s = locant_file_write(path, text, strlen(text));
        status = s == LOCANT_OK ? CLI_OK : cli_error_input(s);
    }
    free(text);
    return status;
}

/* Run a row into folder/S0.1.txt, .json and figures. */
static int run_into(struct seed *s, const char *folder)
{
    char   path[4096], *text = NULL;
    size_t size = 0;
    int    failed = name_file(path, folder, s->row->id, "svg"), status;

    if (failed)
        return failed;
    s->path = path;
    s->out  = open_memstream(&text, &size);
    if (s->out == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    status = seed_run(s);
    fclose(s->out);
    if (status > CLI_NO) {
        free(text);
        return status;
    }
    failed = replace(folder, s->row->id, "txt", text);
    if (failed == CLI_OK)
        failed = replace(folder, s->row->id, "json",
                         json_dumps(s->json, JSON_INDENT(2)));
    return failed ? failed : status;
}

/* Row r into files, or with folder NULL only run. */
static int run_one(const struct seed_row *r, const char *folder, json_t *log)
{
    struct seed s = { .row = r, .draw = 1 };
    int status = folder != NULL ? run_into(&s, folder) : seed_run(&s);

    report(&s, status, log);
    json_decref(s.json);
    return status;
}

static int run_all(const struct cli *cli, const char *folder)
{
    const struct seed_row *r;
    json_t *log;
    int     rows = 0, wrong = 0, status = CLI_OK;

    if (folder != NULL)
        status = cli_check_folder(folder);
    if (status != CLI_OK)
        return status;
    if (folder != NULL && mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_fail(CLI_INPUT, "%s: %s", folder, strerror(errno));
    log = cli->json ? json_array() : NULL;
    for (; (r = row_at(rows)) != NULL; rows++)
        wrong += run_one(r, folder, log) != CLI_OK;
    if (cli->json)
        status = cli_json(json_pack("{s:o, s:i}", "rows", log, "wrong",
                                    wrong));
    else
        printf("%d rows, %d wrong\n", rows, wrong);
    return status ? status : wrong ? CLI_NO : CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    int chosen = o->all + o->check + o->markdown + (cli->n_words > 0);

    if (chosen > 1)
        return cli_fail(CLI_USAGE, "expected one of ROW, --all, --check, "
                        "--markdown");
    if (o->all && o->out == NULL)
        return cli_fail(CLI_USAGE, "--all: expected -o DIR");
    if (o->all || o->check)
        return run_all(cli, o->all ? o->out : NULL);
    if (cli->n_words > 0)
        return run_row(cli);
    if (o->out != NULL)
        return cli_fail(CLI_USAGE, "-o: expected a row, or --all");
    if (o->markdown)
        print_markdown();
    else if (cli->json)
        return list_json();
    else
        list_text();
    return CLI_OK;
}

const struct cli_command cli_tutorial = {
    .name = "tutorial", .summary = "a row of the seed documents, put right",
    .usage = "[ROW] [-o OUT.(svg|png|pdf)] [--json]\n--all -o DIR\n--check\n"
             "--markdown",
    .doc = "Five documents about positional encodings are the seeds of this\n"
           "project.  Every class, function, figure, experiment and table of\n"
           "theirs is a row, computed here; where the document is wrong, both\n"
           "its number and the right one are shown.  Without ROW, the rows.\n"
           "Exit status 1 when a check of a row fails.",
    .examples = "locant tutorial\nlocant tutorial S0.10 -o waves.svg\n"
                "locant tutorial S0.10b --json\nlocant tutorial --all -o seeds",
    .options = options, .options_size = sizeof(struct options),
    .min_words = 0, .max_words = 1, .computes = 1, .run = run
};
