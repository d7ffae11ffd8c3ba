/*
 * study.h - what is needed to repeat a report: its configuration, text and
 * seeds, and the numbers to compare with.
 *
 * A study is one JSON document, in the store and, with the text in it, in the
 * file that goes to another machine:
 *
 *     {"format": "locant study", "version": 1, "locant": "0.1.0",
 *      "configuration": {"preset", or "runs" that were chosen, as "3,5,7-20",
 *                        "seeds", "encodings", "with", "tasks", "optimizer"
 *                        unless it is AdamW, "vocabulary"},
 *      "corpus": what lct_corpus_about() says,
 *      "runs": [{"encoding", "seed", "batches", "losses"}], one for each
 *              encoding and seed; of chosen runs, at least one,
 *      "numbers": what locant report --json prints,
 *      "text": the corpus, gzip in base64; only if asked for}
 */
#ifndef LCT_STUDY_H
#define LCT_STUDY_H
#include "results.h"
#include <locant/study.h>

struct json_t;

enum { LCT_STUDY_MOST = 1 << 29 }; /* bytes of a file; larger are refused */

/* A study that was read and checked. */
struct lct_study {
    struct json_t *root;   /* without "text" */
    char *configuration;   /* canonical text; identifies a study */
    locant_corpus *corpus; /* made from the study's text; NULL if it has none */
};

/*
 * Read the file of a study. It is not trusted: every member is checked, and
 * unknown members are refused. 'name' is for error messages. Errors: FORMAT,
 * NOMEM.
 */
locant_status lct_study_read(struct lct_study *out, const char *bytes,
                             size_t size, const char *name);
/* The same of the file at 'path'. Errors: also those of lct_read_file(). */
locant_status lct_study_open(struct lct_study *out, const char *path);
void lct_study_free(struct lct_study *s);

/* Check everything of a study except its text. */
locant_status lct_study_check(const struct json_t *root, const char *name);

/* Read study 'id' of a store, found as by locant_store_study(); to be released
   with json_decref(). */
locant_status lct_study_load(struct json_t **out, locant_store *store,
                             int64_t id);

/* The command that repeats the study, to be released. 'kept': the store in
   which it will run has the text. */
locant_status lct_study_command(char **out, const struct json_t *root,
                                bool kept);

/* The canonical text of 'configuration', to be released with free(). */
char *lct_study_key(const struct json_t *configuration);

/* Store the study of a finished report. If the same study was imported before,
   report how the losses of the two differ. */
locant_status lct_study_keep(locant_store *store, const struct lct_results *r,
                             const locant_corpus *corpus,
                             const locant_report_options *o);

/* Store a study, replacing one with the same key, text and origin. 'origin' is
   "here" or "imported". */
locant_status lct_study_record(locant_store *store, const struct json_t *study,
                               const char *key, const char *origin);
#endif
