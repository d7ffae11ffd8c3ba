/*
 * study.h - a report as one file, to be repeated on another machine.
 */
#ifndef LOCANT_STUDY_H
#define LOCANT_STUDY_H

#include "lab.h"

LOCANT_BEGIN_DECLS

/*
 * A study holds what is needed to repeat a report elsewhere: its configuration,
 * the SHA-256 of its text, seeds, checksums of its batches, and its numbers.
 * Every finished report adds one to its store.  File format: docs/STORE.md.
 */
typedef struct locant_study {
    int64_t id;
    char    made[32];  /* time, and "here" or "imported" */
    char   *command;   /* "locant report ..", without --dir */
    char   *sources;   /* where the text came from; "": not known */
    locant_corpus_info corpus;
    size_t  packed_bytes; /* of the compressed text; 0: it is not kept */
} locant_study;

/*
 * A study of a store; id 0: the last one made here or, if there is none, the
 * last one imported.  Free it with locant_study_free().
 * Errors: NULL, PARAM (no such study), IO, FORMAT (not written by a report),
 * NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_study(locant_study *out, locant_store *store, int64_t id);
LOCANT_API void locant_study_free(locant_study *study);

/*
 * Write a study into one file.  with_text: with its text; only the owner can
 * then read the file (mode 0600).
 * Errors: as locant_store_study(); PARAM (the text is not kept), UNSUPPORTED
 * (the file would have more than 512 MiB).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_study_export(locant_store *store, int64_t id, const char *path,
                    int with_text);

/*
 * Import a file of locant_study_export(), with its text if it has one, into the
 * store in 'directory', which is created if needed.  A report of the same
 * configuration and text then shows how its losses compare.  The file is not
 * trusted: all of it is read and checked before the store is opened.
 * Errors: NULL, IO, FORMAT, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_study_import(int64_t *id, const char *directory, const char *path);

/*
 * The text in a file of locant_study_export(), by which runs on several
 * machines read the same text.  The file is not trusted.
 * Errors: NULL, IO, FORMAT, UNSUPPORTED (it has no text), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_study_corpus(locant_corpus **out, const char *path);

/* A study to be compared: a file of locant_study_export() or, if 'path' is
   NULL, study 'id' of a store, found as by locant_store_study(). */
typedef struct locant_study_source {
    const char   *path;
    locant_store *store;
    int64_t       id;
} locant_study_source;

/*
 * Compare two studies: their settings; for each encoding of both the losses,
 * the difference b - a with its interval and p corrected by Holm for the whole
 * table; and the orders of the encodings. Runs are paired by seed if both
 * studies read the same text in the same tokens, otherwise by Welch's test.
 * Losses on different texts are not compared, only orders.
 *
 * *json: all numbers (docs/NUMBERS.md), to be released with locant_release().
 * page: where one HTML page is written; NULL: none.
 * Errors: NULL, IO, FORMAT, PARAM (no such study, no encoding of both), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_study_compare(char **json, const locant_study_source *a,
                     const locant_study_source *b, const char *page);

LOCANT_END_DECLS
#endif /* LOCANT_STUDY_H */
