/*
 * study.h - one report in one file, to be repeated on another machine.
 */
#ifndef LOCANT_STUDY_H
#define LOCANT_STUDY_H

#include "lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What repeats a report elsewhere: its configuration, the SHA-256 of its text,
 * seeds, checksums of its batches, and its numbers.  A report that is done
 * leaves one in its store; docs/STORE.md describes the file of one.
 */
typedef struct locant_study {
    int64_t id;
    char    made[32];  /* time, and "here" or "imported" */
    char   *command;   /* "locant report ..", but for --dir */
    char   *sources;   /* where the text came from; "": not known */
    locant_corpus_info corpus;
    size_t  packed_bytes; /* of the text, compressed; 0: it is not kept */
} locant_study;

/*
 * A study of a store; id 0: the last one made here, else the last one.  To be
 * freed.
 * Errors: NULL, PARAM (no such study), IO, FORMAT (not what a report writes),
 * NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_study(locant_study *out, locant_store *store, int64_t id);
LOCANT_API void locant_study_free(locant_study *study);

/*
 * Write a study into one file, with_text: its text too, the file then for its
 * owner alone (mode 0600).
 * Errors: as locant_store_study(); PARAM (the text is not kept), UNSUPPORTED
 * (the file would have more than 512 MiB).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_study_export(locant_store *store, int64_t id, const char *path,
                    int with_text);

/*
 * Take such a file, and its text if it has it, into the store in 'directory',
 * made if there is none; a report of the same configuration and text then says
 * how its losses compare.  The file is believed in nothing: it is read whole,
 * and judged, before the store is opened.
 * Errors: NULL, IO, FORMAT, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_study_import(int64_t *id, const char *directory, const char *path);

#ifdef __cplusplus
}
#endif
#endif /* LOCANT_STUDY_H */
