/* cmd_study.c - locant study: export and import reports, to repeat them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "locant/study.h"
#include "job.h"
#include "runs.h"
#include "study_compare.h"

struct options {
    const char *dir, *out;
    int with_text;
};

static const struct cli_option options[] = {
    OPT_DIR(dir),
    OPT_FILE("output", out, "FILE",
             "of 'export' (locant-study.json), the page of 'compare' "
             "(locant-compare.html)",
             .letter = 'o', .actions = "export|compare"),
    OPT_FLAG("with-text", with_text, "'export' includes the text itself",
             .actions = "export"),
    OPT_END
};

/* ---------------------------------------------------------------- printing */

static void print_command(const locant_study *study, const char *dir)
{
    printf("%s --dir %s\n", study->command, cli_quoted(dir));
}

static json_t *study_json(const locant_study *study)
{
    return json_pack(
        "{s:I, s:s, s:s, s:I, s:I, s:s}", "study", (json_int_t)study->id,
        "made", study->made, "corpus_sha256", study->corpus.sha256,
        "text_bytes", (json_int_t)study->corpus.bytes, "packed_bytes",
        (json_int_t)study->packed_bytes, "command", study->command);
}

/* ----------------------------------------------------------------- actions */

static int add_id(int n, const char *const *names, const char *const *values,
                  const char *kinds, void *context)
{
    (void)n;
    (void)names;
    (void)kinds;
    return runs_add_id(context, strtoll(values[0], NULL, 10));
}

static int list(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct runs_ids ids = { 0 };
    json_t *rows = cli->json ? json_array() : NULL;
    locant_store *store;
    locant_study study;
    locant_status s;

    CLI_TRY(cli_store_open(&store, o->dir, CLI_READ));
    s = locant_store_sql(store, "SELECT id FROM studies ORDER BY id", add_id,
                         &ids);
    for (size_t i = 0; i < ids.n && s == LOCANT_OK; i++) {
        s = locant_store_study(&study, store, ids.at[i]);
        if (s != LOCANT_OK)
            break;
        if (rows != NULL) {
            json_array_append_new(rows, study_json(&study));
        } else {
            printf("%" PRId64 "  %s\n   ", study.id, study.made);
            print_command(&study, o->dir);
        }
        locant_study_free(&study);
    }
    free(ids.at);
    if (s == LOCANT_OK && ids.status == CLI_OK)
        return rows ? cli_json(rows) : CLI_OK;
    json_decref(rows);
    return ids.status ? ids.status : cli_status_input(s);
}

/* Warn that the file will contain the text. */
static void warn_of_text(const locant_study *study, const char *path)
{
    fprintf(stderr,
            "locant: %s will hold the text itself: %zu bytes (%zu "
            "compressed) of %zu file%s, from %s\n",
            cli_safe(path), study->corpus.bytes, study->packed_bytes,
            study->corpus.files, study->corpus.files == 1 ? "" : "s",
            study->sources[0] ? cli_safe(study->sources) : "an unknown place");
}

/* Warn that the file lacks the text, which repeating the report needs. */
static void warn_of_no_text(const locant_study *study, const char *path)
{
    if (study->corpus.kind != LOCANT_CORPUS_GENERATED)
        fprintf(stderr, "locant: %s holds only the SHA-256 of the text: %s\n",
                cli_safe(path),
                study->packed_bytes > 0 ? "--with-text includes it"
                                        : "the store does not keep it");
}

static int export_study(const struct cli *cli, locant_store *store,
                        const locant_study *study, const char *path)
{
    const struct options *o = cli->options;
    const int text =
        o->with_text && study->corpus.kind != LOCANT_CORPUS_GENERATED;

    if (text && study->packed_bytes > 0)
        warn_of_text(study, path);
    CLI_TRY(
        cli_status_input(locant_study_export(store, study->id, path, text)));
    if (!text)
        warn_of_no_text(study, path);
    if (cli->json)
        return cli_json(study_json(study));
    printf("study %" PRId64 " of %s: %s\n", study->id, o->dir, path);
    return CLI_OK;
}

static int export(const struct cli *cli)
{
    const struct options *o = cli->options;
    const char *path = o->out ? o->out : "locant-study.json";
    locant_store *store;
    locant_study study;
    int64_t id = 0;
    int status;

    if (cli->n_words > 1)
        CLI_TRY(cli_run_id(&id, "study", cli->words[1]));
    CLI_TRY(cli_check_output(path));
    CLI_TRY(cli_store_open(&store, o->dir, CLI_READ));
    CLI_TRY(cli_status_input(locant_store_study(&study, store, id)));
    status = export_study(cli, store, &study, path);
    locant_study_free(&study);
    return status;
}

/* Import a study, and print the command that repeats it. */
static int import(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_store *store;
    locant_study study;
    int64_t id;
    int status = CLI_OK;

    CLI_TRY(cli_status_input(locant_study_import(&id, o->dir, cli->words[1])));
    CLI_TRY(cli_store_open(&store, o->dir, CLI_READ));
    CLI_TRY(cli_status_input(locant_store_study(&study, store, id)));
    if (study.packed_bytes == 0)
        warn_of_no_text(&study, cli->words[1]);
    if (cli->json)
        status = cli_json(study_json(&study));
    else
        print_command(&study, o->dir);
    locant_study_free(&study);
    return status;
}

static int compare(const struct cli *cli)
{
    const struct options *o = cli->options;

    return cli_study_compare(cli, o->dir,
                             o->out ? o->out : "locant-compare.html");
}

static const struct cli_action actions[] = { { "list", NULL, list },
                                             { "export", "[ID]", export },
                                             { "import", "STUDY.json", import },
                                             { "compare", "A B", compare },
                                             { NULL, NULL, NULL } };

const struct cli_command cli_study = {
    .name = "study",
    .summary = "a report in one file, to repeat or compare it",
    .usage = "list [--dir DIR]\n"
             "export [ID] [--with-text] [--dir DIR] [-o STUDY.json]\n"
             "import STUDY.json [--dir DIR]\n"
             "compare A B [--dir DIR] [-o PAGE.html]",
    .doc = "A finished report leaves a study in its store: preset, encodings "
           "and seeds, the\nSHA-256 of its text, checksums of its batches, "
           "and its numbers.  'export'\nwrites the last study, or study ID, "
           "into one file; with --with-text it includes\nthe text, whose size "
           "and origin are printed first.  'import' takes such a file\ninto a "
           "store and prints the command that repeats the report there.  That "
           "report\nthen compares its losses with those of the study."
           "\n\n'compare' takes two studies, each a file or the number of one "
           "in the store, and\nwrites one page: which settings differ; for "
           "each encoding of both the losses at\neach length and their "
           "difference B - A, with its interval and p; and how far the\norders "
           "of the encodings agree (Kendall's tau).  Runs are paired by seed "
           "where\nthe seeds match and both read the same tokens; otherwise "
           "the test is Welch's.  p\nis corrected by Holm for the whole table, "
           "and only what is then below 0.05 is\nclaimed.  Of different texts "
           "only the orders are compared.",
    .examples = "locant study export --with-text -o study.json\n"
                "locant study import study.json --dir repeated\n"
                "locant study compare 1 2 -o compare.html\n"
                "locant study compare adamw.json muon.json --json",
    CLI_OPTIONS,
    .actions = actions
};
