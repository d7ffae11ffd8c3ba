/* text_weights.h - the attention of a model on a given text */
#ifndef LCT_TEXT_WEIGHTS_H
#define LCT_TEXT_WEIGHTS_H
#include "../corpus/vocabulary.h"
#include "../model/model.h"

enum {
    LCT_TEXT_TOKENS = 512, /* most tokens of a text that is read */
    LCT_TEXT_LABEL = 28    /* bytes of a label, with the final zero */
};

/* A text as tokens, each with a label. */
struct lct_text_tokens {
    int64_t n;
    int32_t id[LCT_TEXT_TOKENS];
    char label[LCT_TEXT_TOKENS][LCT_TEXT_LABEL];
    bool divided; /* some token continues a character */
};

/*
 * Read bytes text [size] as the tokens of a vocabulary, NULL: bytes.
 *
 * The label of a token is its text.  A space is "\u2423", the end of a line
 * "\u21b5", a tabulator "\u21e5"; other control characters and bytes that are
 * not UTF-8 are written as "\xff".  Of a character of several tokens, the first
 * has it in its label, the others begin with "\u00b7".
 *
 * Errors, in the name of 'fn': PARAM (empty, too many tokens), NOMEM.
 */
locant_status lct_text_read(struct lct_text_tokens *out, const char *fn,
                            const struct lct_vocabulary *v, const char *text,
                            size_t size);

/*
 * weight [layers, heads, n, n], to be released: the weights of query i for key
 * j; NAN for keys after the query.  The model, without memory, has space for n
 * tokens and an encoding that is defined there.
 */
locant_status lct_text_measure(double **weight, struct lct_model *m,
                               const struct lct_text_tokens *text);
#endif
