/*
 * corpus.c - open the text that a command reads: files, generated text, a text
 * kept in the store, or the C headers of this machine.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "corpus.h"
#include "locant/study.h"

static void report_unreadable(const locant_corpus_info *info)
{
    if (info->unreadable > 0)
        cli_note("left out %zu unreadable file%s or folder%s of "
                 "the text; the first is '%s'",
                 info->unreadable, info->unreadable == 1 ? "" : "s",
                 info->unreadable == 1 ? "" : "s", info->unreadable_path);
}

/* Read the text that 'options' choose. */
static int read_text(locant_corpus **out, const struct cli_corpus *options)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;

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
    CLI_TRY(cli_status_input(locant_corpus_create(out, &o)));
    report_unreadable(locant_corpus_info_of(*out));
    return CLI_OK;
}

int cli_vocabulary(int *out, const char *text)
{
    int64_t n = 0;

    if (strcmp(text, "bytes") != 0 && !cli_parse_whole(&n, text, 257, 4096))
        return cli_refuse("--vocabulary '%s': should be 'bytes' or a number "
                          "from 257 to 4096",
                          text);
    *out = (int)n;
    return CLI_OK;
}

/* ------------------------------------------------------------- kept texts */

/* Warn if this machine's headers differ from the kept ones. */
static void compare_headers(const locant_corpus *kept, const char *dir)
{
    const locant_corpus_options o = LOCANT_CORPUS_INIT;
    const locant_corpus_info *then = locant_corpus_info_of(kept), *now = NULL;
    locant_corpus *corpus = NULL;
    const char *fresh = "this machine has none";

    if (locant_corpus_create(&corpus, &o) == LOCANT_OK) {
        now = locant_corpus_info_of(corpus);
        fresh = cli_text("--fresh-text reads the %zu files here", now->files);
    }
    if (now == NULL || strcmp(then->sha256, now->sha256) != 0)
        cli_note("using the C headers kept in %s (%zu file%s, "
                 "SHA-256 %.12s..), which differ from those of this machine; "
                 "%s",
                 dir, then->files, then->files == 1 ? "" : "s", then->sha256,
                 fresh);
    locant_corpus_free(corpus);
}

/*
 * Read the text with this SHA-256 from the store or, if 'sha256' is NULL, the
 * store's C headers; *out stays NULL if it has none.  The store is closed at
 * once, because the command may open it for writing.
 */
static locant_status read_kept(locant_corpus **out, const char *sha256,
                               const char *dir)
{
    locant_store *store = NULL;
    locant_status s = locant_store_open_readonly(&store, dir);

    if (s == LOCANT_OK)
        s = sha256 != NULL ? locant_store_kept_text(out, store, sha256)
                           : locant_store_headers(out, store);
    locant_store_close(store);
    return s;
}

/* Whether an option chooses a text that is read or generated. */
static int chooses(const struct cli_corpus *o)
{
    return o->generated || o->text.n > 0 || o->fresh;
}

/* Check that the options select no more than one text. */
static int check_options(const struct cli_corpus *o)
{
    if (o->generated && o->text.n > 0)
        return cli_refuse("--text and --generated both choose the text; give "
                          "only one");
    if (o->study != NULL && (o->kept != NULL || chooses(o)))
        return cli_refuse("--study chooses the text in a study; it cannot be "
                          "combined with other options about the text");
    if (o->kept != NULL && (o->no_keep || chooses(o)))
        return cli_refuse("--kept-text chooses a kept text; it cannot be "
                          "combined with other options about the text");
    if (o->fresh && (o->generated || o->text.n > 0))
        return cli_refuse("--fresh-text is for the C headers; %s always reads "
                          "its text again",
                          o->generated ? "--generated" : "--text");
    return CLI_OK;
}

static int open_text(locant_corpus **out, const struct cli_corpus *o,
                     const char *dir)
{
    if (o->study)
        return cli_status_input(locant_study_corpus(out, o->study));
    if (o->kept) {
        CLI_TRY(cli_check_store(dir));
        return cli_status_input(read_kept(out, o->kept, dir));
    }
    if (!o->generated && o->text.n == 0 && !o->fresh && dir != NULL &&
        cli_has_store(dir))
        CLI_TRY(cli_status(read_kept(out, NULL, dir)));
    if (*out == NULL)
        return read_text(out, o);
    compare_headers(*out, dir);
    return CLI_OK;
}

static void free_corpus(void *corpus)
{
    locant_corpus_free(corpus);
}

int cli_corpus_free_at_end(locant_corpus *corpus)
{
    return cli_at_end(free_corpus, corpus);
}

int cli_corpus_open(locant_corpus **out, const struct cli_corpus *options,
                    const char *dir)
{
    *out = NULL;
    CLI_TRY(check_options(options));
    CLI_TRY(open_text(out, options, dir));
    return cli_corpus_free_at_end(*out);
}
