/*
 * corpus.c - the text that a verb reads: files, generated text, the C headers
 * of this machine or those that the store keeps.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static void say_unreadable(const locant_corpus_info *info)
{
    if (info->unreadable > 0)
        fprintf(stderr, "locant: %zu folder%s or file%s of the text may not be "
                "read, and %s left out; the first is '%s'\n", info->unreadable,
                info->unreadable == 1 ? "" : "s",
                info->unreadable == 1 ? "" : "s",
                info->unreadable == 1 ? "is" : "are", info->unreadable_path);
}

/* What 'options' say to read now. */
static int read_text(locant_corpus **out, const struct cli_corpus *options)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    locant_status         s;

    o.kind = LOCANT_CORPUS_HEADERS;
    if (options->generated)
        o.kind = LOCANT_CORPUS_GENERATED;
    if (options->text.n > 0) {
        o.kind = LOCANT_CORPUS_FILES;
        o.keep = LOCANT_KEEP_TEXT;
    }
    if (options->no_keep)
        o.keep = LOCANT_KEEP_HASH;
    o.paths   = options->text.items;
    o.n_paths = options->text.n;
    s = locant_corpus_create(out, &o);
    if (s != LOCANT_OK)
        return cli_error_input(s);
    say_unreadable(locant_corpus_info_of(*out));
    return CLI_OK;
}

/* ------------------------------------------------------------- kept texts */

static int has_store(const char *dir)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/runs.db", dir);
    return access(path, F_OK) == 0;
}

/* Are the headers of this machine no longer those of 'kept'?  Say so. */
static void compare_headers(const locant_corpus *kept, const char *dir)
{
    const locant_corpus_options o = LOCANT_CORPUS_INIT;
    const locant_corpus_info *then = locant_corpus_info_of(kept), *now = NULL;
    locant_corpus *corpus = NULL;
    char           fresh[64] = "here are none";

    if (locant_corpus_create(&corpus, &o) == LOCANT_OK) {
        now = locant_corpus_info_of(corpus);
        snprintf(fresh, sizeof fresh, "--fresh-text takes the %zu files of now",
                 now->files);
    }
    if (now == NULL || strcmp(then->sha256, now->sha256) != 0)
        fprintf(stderr, "locant: the C headers of this machine differ from the "
                "text that %s keeps (%zu file%s, SHA-256 %.12s..), which is "
                "used; %s\n", dir, then->files, then->files == 1 ? "" : "s",
                then->sha256, fresh);
    locant_corpus_free(corpus);
}

/* The C headers that the store keeps; NULL: it keeps none. */
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
    int           status = cli_check_store(dir);
    locant_status s;

    if (status != CLI_OK)
        return status;
    s = locant_store_open_readonly(&store, dir);
    if (s == LOCANT_OK)
        s = locant_store_kept_text(out, store, sha256);
    locant_store_close(store);
    return s == LOCANT_OK ? CLI_OK : cli_error_input(s);
}

/* Options that speak of different texts. */
static int check_options(const struct cli_corpus *o)
{
    if (o->generated && o->text.n > 0)
        return cli_fail(CLI_USAGE, "--text and --generated both say what to "
                        "read; give one of them");
    if (o->kept && (o->generated || o->text.n > 0 || o->fresh || o->no_keep))
        return cli_fail(CLI_USAGE, "--kept-text names a text that is kept "
                        "already; no other option about the text goes with it");
    if (o->fresh && (o->generated || o->text.n > 0))
        return cli_fail(CLI_USAGE, "--fresh-text is about the C headers; the "
                        "text of %s is read as it is now anyway",
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
    return cli_fail(CLI_INPUT, "%s: holds no runs; 'locant train' and 'locant "
                    "report' make them, --dir names another folder", dir);
}
