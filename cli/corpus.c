/*
 * corpus.c - the text that a command reads: files, generated text, or C
 * headers, of this machine or from the store.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static void report_unreadable(const locant_corpus_info *info)
{
    if (info->unreadable > 0)
        fprintf(stderr,
                "locant: left out %zu unreadable file%s or folder%s of "
                "the text; the first is '%s'\n",
                info->unreadable, info->unreadable == 1 ? "" : "s",
                info->unreadable == 1 ? "" : "s", info->unreadable_path);
}

/* Read the text that 'options' choose. */
static int read_text(locant_corpus **out, const struct cli_corpus *options)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    locant_status s;

    o.kind = LOCANT_CORPUS_HEADERS;
    if (options->generated)
        o.kind = LOCANT_CORPUS_GENERATED;
    if (options->text.n > 0) {
        o.kind = LOCANT_CORPUS_FILES;
        o.keep = LOCANT_KEEP_TEXT;
    }
    if (options->no_keep)
        o.keep = LOCANT_KEEP_HASH;
    o.paths = options->text.items;
    o.n_paths = options->text.n;
    s = locant_corpus_create(out, &o);
    if (s != LOCANT_OK)
        return cli_error_input(s);
    report_unreadable(locant_corpus_info_of(*out));
    return CLI_OK;
}

/* ------------------------------------------------------------- kept texts */

static int has_store(const char *dir)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/runs.db", dir);
    return access(path, F_OK) == 0;
}

/* Warn if this machine's headers differ from the kept ones. */
static void compare_headers(const locant_corpus *kept, const char *dir)
{
    const locant_corpus_options o = LOCANT_CORPUS_INIT;
    const locant_corpus_info *then = locant_corpus_info_of(kept), *now = NULL;
    locant_corpus *corpus = NULL;
    char fresh[64] = "this machine has none";

    if (locant_corpus_create(&corpus, &o) == LOCANT_OK) {
        now = locant_corpus_info_of(corpus);
        snprintf(fresh, sizeof fresh, "--fresh-text reads the %zu files here",
                 now->files);
    }
    if (now == NULL || strcmp(then->sha256, now->sha256) != 0)
        fprintf(stderr,
                "locant: using the C headers kept in %s (%zu file%s, "
                "SHA-256 %.12s..), which differ from those of this machine; "
                "%s\n",
                dir, then->files, then->files == 1 ? "" : "s", then->sha256,
                fresh);
    locant_corpus_free(corpus);
}

/* The C headers kept in the store; NULL if there are none. */
static int kept_headers(locant_corpus **out, const char *dir)
{
    locant_store *store = NULL;
    locant_status s;

    if (dir == NULL || !has_store(dir))
        return CLI_OK;
    s = locant_store_open_readonly(&store, dir);
    if (s == LOCANT_OK)
        s = locant_store_headers(out, store);
    locant_store_close(store);
    if (s != LOCANT_OK)
        return cli_error(s);
    if (*out != NULL)
        compare_headers(*out, dir);
    return CLI_OK;
}

static int kept_text(locant_corpus **out, const char *sha256, const char *dir)
{
    locant_store *store = NULL;
    int status = cli_check_store(dir);
    locant_status s;

    if (status != CLI_OK)
        return status;
    s = locant_store_open_readonly(&store, dir);
    if (s == LOCANT_OK)
        s = locant_store_kept_text(out, store, sha256);
    locant_store_close(store);
    return s == LOCANT_OK ? CLI_OK : cli_error_input(s);
}

/* Check that the options select no more than one text. */
static int check_options(const struct cli_corpus *o)
{
    if (o->generated && o->text.n > 0)
        return cli_fail(CLI_USAGE, "--text and --generated both choose the "
                                   "text; give only one");
    if (o->kept && (o->generated || o->text.n > 0 || o->fresh || o->no_keep))
        return cli_fail(CLI_USAGE,
                        "--kept-text chooses a kept text; it cannot "
                        "be combined with other options about the text");
    if (o->fresh && (o->generated || o->text.n > 0))
        return cli_fail(CLI_USAGE,
                        "--fresh-text is for the C headers; %s "
                        "always reads its text again",
                        o->generated ? "--generated" : "--text");
    return CLI_OK;
}

int cli_corpus_open(locant_corpus **out, const struct cli_corpus *options,
                    const char *dir)
{
    int status = check_options(options);

    *out = NULL;
    if (status == CLI_OK && options->kept)
        return kept_text(out, options->kept, dir);
    if (status == CLI_OK && !options->generated && options->text.n == 0 &&
        !options->fresh)
        status = kept_headers(out, dir);
    if (status != CLI_OK || *out != NULL)
        return status;
    return read_text(out, options);
}

int cli_check_store(const char *dir)
{
    if (has_store(dir))
        return CLI_OK;
    return cli_fail(CLI_INPUT,
                    "%s: there is no run store; 'locant train' and "
                    "'locant report' make one, --dir chooses a folder",
                    dir);
}
