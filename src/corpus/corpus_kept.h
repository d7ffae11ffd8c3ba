/* corpus_kept.h - a corpus from a text that was kept, and what is kept of it */
#ifndef LCT_CORPUS_KEPT_H
#define LCT_CORPUS_KEPT_H
#include "corpus.h"

struct json_t;

/* A text compressed by gzip, and its name in error messages. */
struct lct_packed {
    const void *bytes;
    size_t size;
    const char *name;
};

/*
 * The description of a corpus without its text, as JSON: kind, sha256, seed,
 * max_bytes, files, train_bytes, valid_bytes, test_bytes, and the largest
 * folders of headers. NULL when memory is short.
 */
struct json_t *lct_corpus_about(const locant_corpus *c);

/*
 * Make a corpus from a description and a compressed text. Neither is trusted:
 * sizes are checked before memory is allocated for them, and the text by its
 * SHA-256. 'paths' (a JSON list, may be NULL) is what lct_corpus_recipe()
 * returns. Errors: FORMAT, NOMEM.
 */
locant_status lct_corpus_of_text(locant_corpus **out,
                                 const struct json_t *about, const char *paths,
                                 const struct lct_packed *text);

/* Check and read the sizes and names of a description, without the text. */
bool lct_corpus_read_about(locant_corpus *c, const struct json_t *about);

/* Is it 64 hexadecimal digits, and so safe as the name of a file? */
bool lct_is_sha256(const char *text);

/* "headers", "files", "generated". */
const char *lct_corpus_kind_name(locant_corpus_kind kind);
bool lct_corpus_kind_read(locant_corpus_kind *out, const char *name);
#endif
