/* store_texts.h - the texts of runs, in the store and beside it */
#ifndef LCT_STORE_TEXTS_H
#define LCT_STORE_TEXTS_H
#include "store.h"

/*
 * Record where the text of 'corpus' came from. If lct_store_keeps_text(), write
 * the text itself to directory/texts/<sha256>.gz, unless it is there.
 * 'progress' (may be NULL) is told if the recipe gave another text before, and,
 * before it is written, that the text of a user's files will be kept.
 */
locant_status lct_store_keep_source(locant_store *s,
                                    const locant_corpus *corpus,
                                    locant_progress_fn progress, void *context);

/* Does lct_store_keep_source() keep the text itself? */
bool lct_store_keeps_text(const locant_corpus *corpus);

/* A kept text: its description as JSON (with its paths), to be released, and
   its compressed file. */
struct lct_text_file {
    char *about;
    void *bytes;
    size_t size;
    char *path;
};

/* Find the text of that SHA-256; about is NULL if it is not kept. To be freed,
   also after a failure. */
locant_status lct_store_text_file(struct lct_text_file *out, locant_store *s,
                                  const char *sha256);
void lct_text_file_free(struct lct_text_file *f);

/* Read the corpus of that SHA-256; NULL if it is not kept. */
locant_status lct_store_read_corpus(locant_corpus **out, locant_store *s,
                                    const char *sha256);
#endif
