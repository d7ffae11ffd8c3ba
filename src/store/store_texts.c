/*
 * store_texts.c - the texts of runs, kept with the store.
 *
 * The C headers of a machine change with every package, and a user's files
 * change too. So the text that a run was trained on is kept beside the
 * database, compressed, under its SHA-256: texts/<sha256>.gz, readable by its
 * owner only. The SHA-256 is that of the uncompressed bytes. The file is
 * written before its row, and a row whose file is missing counts as no row.
 */
#define _GNU_SOURCE
#include "store_texts.h"
#include "../corpus/corpus_kept.h"
#include "notice.h"
#include "../files/gzip.h"
#include "../files/io.h"
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static locant_status text_path(char **out, const locant_store *s,
                               const char *sha256)
{
    return lct_store_path(out, s, "texts/%.64s.gz", sha256);
}

/* --------------------------------------------------------------------- read */

static locant_status read_file(struct lct_text_file *f, locant_store *s,
                               const char *sha256)
{
    LCT_TRY(lct_store_read_string(
        &f->about, s,
        "SELECT json_object('sha256', sha256, 'kind', kind, 'paths', paths,"
        " 'seed', seed, 'max_bytes', max_bytes, 'files', files,"
        " 'train_bytes', train_bytes, 'valid_bytes', valid_bytes,"
        " 'test_bytes', test_bytes, 'folders', json(folders))"
        " FROM texts JOIN corpora USING (sha256) WHERE sha256 = ?1",
        "s", sha256));
    if (f->about == NULL)
        return LOCANT_OK;
    LCT_TRY(text_path(&f->path, s, sha256));
    if (access(f->path, F_OK) != 0 && errno == ENOENT) {
        locant_release(f->about);
        f->about = NULL;
        return LOCANT_OK;
    }
    return lct_read_file(&f->bytes, &f->size, f->path, LCT_GZIP_MOST);
}

locant_status lct_store_text_file(struct lct_text_file *out, locant_store *s,
                                  const char *sha256)
{
    *out = (struct lct_text_file){ 0 };
    if (s->version < 5 || !lct_is_sha256(sha256))
        return LOCANT_OK;
    return read_file(out, s, sha256);
}

void lct_text_file_free(struct lct_text_file *f)
{
    locant_release(f->about);
    locant_release(f->bytes);
    locant_release(f->path);
    *f = (struct lct_text_file){ 0 };
}

locant_status lct_store_read_corpus(locant_corpus **out, locant_store *s,
                                    const char *sha256)
{
    struct lct_text_file f;
    locant_status status = lct_store_text_file(&f, s, sha256);
    const struct lct_packed packed = { f.bytes, f.size, f.path };
    json_t *about = NULL;

    *out = NULL;
    if (status == LOCANT_OK && f.about != NULL) {
        about = json_loads(f.about, 0, NULL);
        status = lct_corpus_of_text(
            out, about, json_string_value(json_object_get(about, "paths")),
            &packed);
    }
    json_decref(about);
    lct_text_file_free(&f);
    return status;
}

locant_status locant_store_headers(locant_corpus **out, locant_store *store)
{
    const locant_corpus_options standard = LOCANT_CORPUS_INIT;
    locant_status status = LOCANT_OK;
    char *sha256 = NULL;

    LCT_NOT_NULL(__func__, out);
    LCT_NOT_NULL(__func__, store);
    *out = NULL;
    if (store->version >= 5)
        status = lct_store_read_string(
            &sha256, store,
            "SELECT sha256 FROM texts JOIN corpora USING (sha256)"
            " WHERE kind = 'headers' AND seed = ?1"
            " ORDER BY used DESC LIMIT 1",
            "i", (int64_t)standard.seed);
    if (status == LOCANT_OK && sha256 != NULL)
        status = lct_store_read_corpus(out, store, sha256);
    locant_release(sha256);
    return status;
}

/* Find the SHA-256 that begins with 'prefix'; NULL if none or several do. */
static locant_status find_prefix(char **sha256, locant_store *s,
                                 const char *prefix)
{
    *sha256 = NULL;
    if (s->version < 5)
        return LOCANT_OK;
    return lct_store_read_string(
        sha256, s,
        "SELECT CASE count(*) WHEN 1 THEN min(sha256) END"
        " FROM texts"
        " WHERE substr(sha256, 1, length(?1)) = ?1",
        "s", prefix);
}

locant_status locant_store_kept_text(locant_corpus **out, locant_store *store,
                                     const char *sha256)
{
    locant_status status;
    char *whole;

    LCT_NOT_NULL(__func__, out);
    LCT_NOT_NULL(__func__, store);
    LCT_NOT_NULL(__func__, sha256);
    *out = NULL;
    LCT_TRY(find_prefix(&whole, store, sha256));
    status = whole ? lct_store_read_corpus(out, store, whole) : LOCANT_OK;
    locant_release(whole);
    if (status == LOCANT_OK && *out == NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: keeps no text whose SHA-256 "
                           "begins with '%.64s', or more than one",
                           store->directory, sha256);
    return status;
}

/* -------------------------------------------------------------------- write */

struct listener {
    locant_progress_fn progress;
    void *context;
};

bool lct_store_keeps_text(const locant_corpus *c)
{
    if (c->info.kind == LOCANT_CORPUS_GENERATED || c->paths == NULL)
        return false;
    return c->keep == LOCANT_KEEP_TEXT ||
           (c->keep == LOCANT_KEEP_DEFAULT &&
            c->info.kind == LOCANT_CORPUS_HEADERS);
}

/* Write the text to the disk, compressed. */
static locant_status write_text(const locant_store *s, const locant_corpus *c,
                                const char *path)
{
    struct lct_piece piece = { 0 };
    locant_status status;
    char *folder;
    void *packed;

    LCT_TRY(lct_store_path(&folder, s, "texts"));
    status = mkdir(folder, 0700) == 0 || errno == EEXIST
                 ? LOCANT_OK
                 : locant_fail(LOCANT_ERR_IO, "%s: cannot make this folder: %s",
                               folder, strerror(errno));
    locant_release(folder);
    LCT_TRY(status);
    LCT_TRY(lct_gzip(&packed, &piece.size, c->text, c->info.bytes));
    piece.data = packed;
    status = lct_write_private(path, &piece, 1);
    locant_release(packed);
    return status;
}

/* Insert or replace the row. The text used last has the largest 'used'. */
static locant_status record_text(locant_store *s, const locant_corpus *c)
{
    json_t *about = lct_corpus_about(c);
    char *folders = json_dumps(json_object_get(about, "folders"), JSON_COMPACT);
    locant_status status;

    json_decref(about);
    if (folders == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for folders",
                           s->path);
    status = lct_store_write(
        s, "locant_train",
        "INSERT OR REPLACE INTO texts VALUES (?1, ?2, ?3, ?4, ?5, ?6,"
        " 1 + coalesce((SELECT max(used) FROM texts), 0))",
        "siiiis", c->info.sha256, (int64_t)c->info.train_bytes,
        (int64_t)c->info.valid_bytes, (int64_t)c->info.test_bytes,
        (int64_t)c->info.files, folders);
    free(folders);
    return status;
}

static void tell_kept(const locant_store *s, const locant_corpus *c,
                      const struct listener *to)
{
    char message[512];

    if (c->info.kind != LOCANT_CORPUS_FILES)
        return;
    snprintf(message, sizeof message,
             "%.200s/texts keeps this text, %.1f MB"
             " of %zu file%s, for later runs and evaluations; --no-keep keeps"
             " its SHA-256 alone",
             s->directory, (double)c->info.bytes / 1e6, c->info.files,
             c->info.files == 1 ? "" : "s");
    lct_notice("train", message, to->progress, to->context);
}

static locant_status keep_text(locant_store *s, const locant_corpus *c,
                               const struct listener *to)
{
    char *last, *path;
    locant_status status;
    bool there;

    LCT_TRY(lct_store_read_string(
        &last, s,
        "SELECT used = (SELECT max(used) FROM texts) FROM texts"
        " WHERE sha256 = ?1",
        "s", c->info.sha256));
    status = text_path(&path, s, c->info.sha256);
    there = status == LOCANT_OK && last != NULL && access(path, F_OK) == 0;
    if (status == LOCANT_OK && !there) {
        tell_kept(s, c, to);
        status = write_text(s, c, path);
    }
    if (status == LOCANT_OK && (!there || strcmp(last, "1") != 0))
        status = record_text(s, c);
    locant_release(path);
    locant_release(last);
    return status;
}

/* Report that the recipe gave another text before. */
static locant_status tell_changed(locant_store *s, const struct lct_recipe *r,
                                  locant_corpus_kind kind,
                                  const struct listener *to)
{
    static const char *const what[] = {
        [LOCANT_CORPUS_HEADERS] = "the C headers of this machine have",
        [LOCANT_CORPUS_FILES] = "these files have",
        [LOCANT_CORPUS_GENERATED] = "the generator of this locant gives"
    };
    char message[256], *before;

    LCT_TRY(lct_store_read_string(
        &before, s,
        "SELECT substr(sha256, 1, 12) FROM corpora"
        " WHERE (kind, paths, seed, max_bytes) IS (?2, ?3, ?4, ?5)"
        " AND NOT EXISTS (SELECT 1 FROM corpora WHERE sha256 = ?1) LIMIT 1",
        "sssii", r->sha256, r->kind, r->paths, (int64_t)r->seed, r->max_bytes));
    if (before != NULL) {
        snprintf(message, sizeof message,
                 "%s another text than before"
                 " (SHA-256 %.12s.., was %s..): runs on it start from the"
                 " beginning",
                 what[kind], r->sha256, before);
        lct_notice("train", message, to->progress, to->context);
    }
    locant_release(before);
    return LOCANT_OK;
}

locant_status lct_store_keep_source(locant_store *s,
                                    const locant_corpus *corpus,
                                    locant_progress_fn progress, void *context)
{
    const struct listener to = { progress, context };
    struct lct_recipe recipe;

    if (corpus->keep == LOCANT_KEEP_HASH || !lct_corpus_recipe(&recipe, corpus))
        return LOCANT_OK;
    LCT_TRY(tell_changed(s, &recipe, corpus->info.kind, &to));
    LCT_TRY(lct_store_keep_corpus(s, &recipe));
    return lct_store_keeps_text(corpus) ? keep_text(s, corpus, &to) : LOCANT_OK;
}
