/*
 * study.h - what repeats a report: its configuration, which text, seeds, and
 * the numbers to compare with.
 *
 * A study is one JSON document, in the store and, with the text in it, in the
 * file that goes to another machine:
 *
 *     {"format": "locant study", "version": 1, "locant": "0.1.0",
 *      "configuration": {"preset", "seeds", "encodings", "with", "tasks"},
 *      "corpus": what lct_corpus_about() says,
 *      "runs": [{"encoding", "seed", "batches", "losses"}],
 *      "numbers": what locant report --json prints,
 *      "text": the corpus, gzip in base64; only if asked for}
 */
#ifndef LCT_STUDY_H
#define LCT_STUDY_H
#include "results.h"
#include <locant/study.h>

struct json_t;

/* Larger files of studies are refused. */
enum { LCT_STUDY_MOST = 1 << 29 };

/* A study that was read and found whole. */
struct lct_study {
    struct json_t *root;
    char *configuration;   /* canonical text; same text: the same study */
    locant_corpus *corpus; /* of its text; NULL: it has none */
};

/*
 * Read the file of a study.  It is a stranger's: every member is judged, and
 * what is unknown is refused.  'name' is for sentences.
 * Errors: FORMAT, NOMEM.
 */
locant_status lct_study_read(struct lct_study *out, const char *bytes,
                             size_t size, const char *name);
void lct_study_free(struct lct_study *s);

/* Judge all of a study but its text. */
locant_status lct_study_check(const struct json_t *root, const char *name);

/* The command that repeats it, memory of locant_alloc(); 'kept': the store it
 * is for keeps the text. */
locant_status lct_study_command(char **out, const struct json_t *root,
                                bool kept);

/* The text of 'configuration' that two equal ones share, of malloc(). */
char *lct_study_key(const struct json_t *configuration);

/*
 * Keep the study of a report that is done, and tell how its losses compare with
 * those of the same study that was imported.
 */
locant_status lct_study_keep(locant_store *store, const struct lct_results *r,
                             const locant_corpus *corpus,
                             const locant_report_options *o);

/* In place of the same one of that origin: "here", "imported". */
locant_status lct_study_record(locant_store *store, const struct json_t *study,
                               const char *key, const char *origin);
#endif
