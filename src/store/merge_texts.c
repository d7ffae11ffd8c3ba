/* merge_texts.c - see merge_texts.h */
#define _GNU_SOURCE
#include "merge_texts.h"
#include "../corpus/corpus_kept.h"
#include "../files/io.h"
#include "copy_rows.h"
#include "store_texts.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* The rows of a text, in tables whose key is its SHA-256. ?1 is not used. */
static const struct lct_copied_rows texts[] = {
    { "corpora",
      "SELECT sha256, kind, paths, seed, max_bytes FROM corpora WHERE ?1 = 0",
      "INSERT OR IGNORE INTO corpora SELECT ?2, ?3, ?4, ?5, ?6 WHERE ?1 = 0",
      "sssii" },
    { "texts",
      "SELECT sha256, train_bytes, valid_bytes, test_bytes, files, folders,"
      " used FROM texts WHERE ?1 = 0",
      "INSERT INTO texts SELECT ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE ?1 = 0"
      " ON CONFLICT (sha256) DO UPDATE SET used = max(used, excluded.used)",
      "siiiisi" },
};

static locant_status write_text(const locant_store *s, const char *sha256,
                                const struct lct_text_file *text)
{
    const struct lct_piece piece = { text->bytes, text->size };
    locant_status status = LOCANT_OK;
    char *folder, *path;

    LCT_TRY(lct_store_path(&folder, s, "texts"));
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        status = lct_io_error(folder, "cannot make this folder", errno);
    locant_release(folder);
    LCT_TRY(status);
    LCT_TRY(lct_store_path(&path, s, "texts/%.64s.gz", sha256));
    if (access(path, F_OK) != 0)
        status = lct_write_private(path, &piece, 1);
    locant_release(path);
    return status;
}

/* Copy the file of the first kept text after 'sha256', which becomes its. */
static locant_status copy_next_text(bool *found, char sha256[65],
                                    locant_store *to, locant_store *from)
{
    struct lct_text_file text;
    locant_status status;

    LCT_TRY(lct_store_read(
        found, from,
        "SELECT sha256 FROM texts WHERE sha256 > ?1 ORDER BY sha256 LIMIT 1",
        "s>t", sha256, sha256, (size_t)65));
    if (!*found)
        return LOCANT_OK;
    if (!lct_is_sha256(sha256))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: a kept text has no SHA-256 as its name",
                           from->path);
    status = lct_store_text_file(&text, from, sha256);
    if (status == LOCANT_OK && text.about != NULL)
        status = write_text(to, sha256, &text);
    lct_text_file_free(&text);
    return status;
}

locant_status lct_merge_texts(locant_store *to, locant_store *from)
{
    char sha256[65] = "";
    locant_status status = LOCANT_OK;
    bool found = true;

    while (found)
        LCT_TRY(copy_next_text(&found, sha256, to, from));
    LCT_TRY(lct_store_begin(to, "locant_store_merge"));
    lct_store_lock(from);
    for (int i = 0; i < 2 && status == LOCANT_OK; i++)
        status = lct_copy_rows(to, 0, from, 0, &texts[i]);
    lct_store_unlock(from);
    return lct_store_end(to, status);
}
