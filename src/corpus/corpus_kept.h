/* corpus_kept.h - a corpus as a description and a compressed text */
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
 * folders of headers. NULL when memory is short. To be released by
 * json_decref().
 */
struct json_t *lct_corpus_about(const locant_corpus *c);

/*
 * Make a corpus from a description and a compressed text. Neither is trusted:
 * sizes are checked before memory is allocated for them, and the text is
 * checked by its SHA-256. 'paths' (a JSON list, may be NULL) is what
 * lct_corpus_recipe() returns of the corpus. Errors: FORMAT, NOMEM.
 */
locant_status lct_corpus_of_text(locant_corpus **out,
                                 const struct json_t *about, const char *paths,
                                 const struct lct_packed *text);

/* Read the sizes and names of a description into c, without the text; false if
   no locant writes them. */
bool lct_corpus_read_about(locant_corpus *c, const struct json_t *about);

/* Is it 64 hexadecimal digits, and so safe as the name of a file? */
bool lct_is_sha256(const char *text);

/* The name of a kind: "headers", "files", "generated". */
const char *lct_corpus_kind_name(locant_corpus_kind kind);
/* The kind of that name; false if there is none, or if the name is NULL. */
bool lct_corpus_kind_read(locant_corpus_kind *out, const char *name);
#endif
