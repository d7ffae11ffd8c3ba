/* store_texts.h - the texts of runs, in the store and beside it */
#ifndef LCT_STORE_TEXTS_H
#define LCT_STORE_TEXTS_H
#include "store.h"

/*
 * Record what 'corpus' asks to be kept of it: where its text came from, or the
 * text too, in directory/texts/<sha256>.gz; see locant_keep.  A notice through
 * 'progress', which may be NULL, says before it is done that the text of a
 * user's files is kept, and that files have another text than they had.  What
 * is there already is not written again.
 */
locant_status lct_store_keep_source(locant_store *s,
                                    const locant_corpus *corpus,
                                    locant_progress_fn progress, void *context);

/* Does lct_store_keep_source() keep the text itself? */
bool lct_text_is_kept(const locant_corpus *corpus);

/* A kept text as it lies: its description as JSON of locant_alloc(), paths
 * among it, and its file. */
struct lct_text_file {
    char *about;
    void *bytes;
    size_t size;
    char *path;
};

/* The one of that SHA-256; about is NULL if it is not kept.  To be freed, also
 * after a failure. */
locant_status lct_store_text_file(struct lct_text_file *out, locant_store *s,
                                  const char *sha256);
void lct_text_file_free(struct lct_text_file *f);

/* The corpus of that SHA-256; NULL if it is not kept. */
locant_status lct_store_read_corpus(locant_corpus **out, locant_store *s,
                                    const char *sha256);
#endif
