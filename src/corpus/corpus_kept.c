/*
 * corpus_kept.c - a corpus from a text that was kept, in a store or in the file
 * of a study.
 *
 * Neither is trusted. The text is checked by its SHA-256, and the sizes of its
 * splits have to fit it. The number of files and the names of folders cannot be
 * checked, but they are only printed on a page.
 */
#include "corpus_kept.h"
#include "../files/gzip.h"
#include "../files/sha256.h"
#include <jansson.h>
#include <string.h>

static const char *const kinds[] = { "headers", "files", "generated" };

const char *lct_corpus_kind_name(locant_corpus_kind kind)
{
    return kinds[kind];
}

bool lct_corpus_kind_read(locant_corpus_kind *out, const char *name)
{
    for (int i = 0; name != NULL && i < 3; i++) {
        if (strcmp(kinds[i], name) == 0) {
            *out = (locant_corpus_kind)i;
            return true;
        }
    }
    return false;
}

bool lct_is_sha256(const char *text)
{
    return text != NULL && strlen(text) == 64 &&
           strspn(text, "0123456789abcdef") == 64;
}

/* -------------------------------------------------------------------- write */

static json_t *folders_of(const locant_corpus *c)
{
    json_t *list = json_array();

    for (size_t i = 0; i < c->n_folders; i++)
        json_array_append_new(list, json_pack("[s, I]", c->folders[i].name,
                                              (json_int_t)c->folders[i].bytes));
    return list;
}

json_t *lct_corpus_about(const locant_corpus *c)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "kind",
                     kinds[c->info.kind], "sha256", c->info.sha256, "seed",
                     (json_int_t)c->seed, "max_bytes", (json_int_t)c->max_bytes,
                     "files", (json_int_t)c->info.files, "train_bytes",
                     (json_int_t)c->info.train_bytes, "valid_bytes",
                     (json_int_t)c->info.valid_bytes, "test_bytes",
                     (json_int_t)c->info.test_bytes, "folders", folders_of(c));
}

/* --------------------------------------------------------------------- read */

/* Read a count; false unless it is 1 to LCT_CORPUS_MAX_BYTES. */
static bool read_count(size_t *out, const json_t *about, const char *name)
{
    const json_int_t n = json_integer_value(json_object_get(about, name));

    *out = n >= 1 && n <= LCT_CORPUS_MAX_BYTES ? (size_t)n : 0;
    return *out > 0;
}

static bool is_printable(const char *name)
{
    for (; *name != '\0'; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f)
            return false;
    return true;
}

static void read_folders(locant_corpus *c, const json_t *about)
{
    const json_t *list = json_object_get(about, "folders"), *one;
    size_t i;

    json_array_foreach(list, i, one) {
        const char *name = json_string_value(json_array_get(one, 0));
        const json_int_t bytes = json_integer_value(json_array_get(one, 1));
        struct lct_folder *f = &c->folders[c->n_folders];

        if (c->n_folders == LCT_FOLDERS || name == NULL || bytes < 1 ||
            strlen(name) >= sizeof f->name || !is_printable(name))
            return;
        memcpy(f->name, name, strlen(name) + 1);
        f->bytes = (size_t)bytes;
        c->n_folders++;
    }
}

bool lct_corpus_read_about(locant_corpus *c, const json_t *about)
{
    locant_corpus_info *info = &c->info;
    const char *sha = json_string_value(json_object_get(about, "sha256"));

    if (!lct_corpus_kind_read(
            &info->kind, json_string_value(json_object_get(about, "kind"))) ||
        !lct_is_sha256(sha) || !read_count(&info->files, about, "files") ||
        !read_count(&info->train_bytes, about, "train_bytes") ||
        !read_count(&info->valid_bytes, about, "valid_bytes") ||
        !read_count(&info->test_bytes, about, "test_bytes") ||
        !read_count(&c->max_bytes, about, "max_bytes"))
        return false;
    memcpy(info->sha256, sha, sizeof info->sha256);
    c->seed = (uint64_t)json_integer_value(json_object_get(about, "seed"));
    info->bytes = info->train_bytes + info->valid_bytes + info->test_bytes;
    read_folders(c, about);
    return info->bytes <= LCT_CORPUS_MAX_BYTES && info->files <= info->bytes;
}

static locant_status read_text(locant_corpus *c, const struct lct_packed *text)
{
    char sha[65];

    if (c->info.bytes / LCT_GZIP_MAX_RATIO > text->size)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %zu bytes cannot hold the "
                           "%zu that its text is said to have",
                           text->name, text->size, c->info.bytes);
    c->text = locant_alloc(c->info.bytes);
    if (c->text == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %zu bytes of "
                           "text",
                           text->name, c->info.bytes);
    LCT_TRY(lct_gunzip(c->text, c->info.bytes, text->bytes, text->size,
                       text->name));
    lct_sha256_hex(sha, c->text, c->info.bytes);
    if (strcmp(sha, c->info.sha256) != 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: is damaged: its text has "
                           "SHA-256 %.12s.., expected %.12s..",
                           text->name, sha, c->info.sha256);
    return lct_corpus_find_starts(c, text->name);
}

static locant_status fill(locant_corpus *c, const json_t *about,
                          const char *paths, const struct lct_packed *text)
{
    c->keep = LOCANT_KEEP_TEXT;
    if (!lct_corpus_read_about(c, about))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: kind, SHA-256 or sizes of "
                           "its text are not what a locant writes (three "
                           "splits, at most %d bytes)",
                           text->name, LCT_CORPUS_MAX_BYTES);
    if (paths != NULL) {
        const size_t size = strlen(paths) + 1;

        c->paths = locant_alloc(size);
        if (c->paths == NULL)
            return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for paths",
                               text->name);
        memcpy(c->paths, paths, size);
    }
    return read_text(c, text);
}

locant_status lct_corpus_of_text(locant_corpus **out, const json_t *about,
                                 const char *paths,
                                 const struct lct_packed *text)
{
    locant_corpus *c = locant_alloc(sizeof *c);
    locant_status status;

    *out = NULL;
    if (c == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for its text",
                           text->name);
    status = fill(c, about, paths, text);
    if (status != LOCANT_OK)
        locant_corpus_free(c);
    else
        *out = c;
    return status;
}
