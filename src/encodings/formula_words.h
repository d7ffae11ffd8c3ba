/* formula_words.h - words and numbers of formula(..), and errors by column */
#ifndef LCT_FORMULA_WORDS_H
#define LCT_FORMULA_WORDS_H
#include "formula_graph.h"
#include "spec_read.h"

/* Fail with a message that names the column of byte 'at' in the spec. */
#define LCT_FORMULA_REFUSE(r, at, format, ...)                                 \
    locant_fail(LOCANT_ERR_PARAM, "%s: formula: column %zu: " format, (r)->fn, \
                (size_t)(at) + 1, __VA_ARGS__)

/* Read the letters, digits and underscores of a name; n is 0 if there are
 * none. */
struct lct_token lct_formula_words_read(struct lct_reader *r);

/* Is it this word? */
bool lct_formula_words_are(const struct lct_reader *r, struct lct_token t,
                           const char *word);

/* Error: expected 'wanted' here. */
locant_status lct_formula_words_expected(struct lct_reader *r,
                                         const char *wanted);

/* Read this byte, or a finite number, or fail. */
locant_status lct_formula_words_char(struct lct_reader *r, char c);
locant_status lct_formula_words_number(double *out, struct lct_reader *r);
#endif
