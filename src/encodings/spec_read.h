/* spec_read.h - the text of a spec, token by token */
#ifndef LCT_SPEC_READ_H
#define LCT_SPEC_READ_H
#include "spec.h"

struct lct_reader {
    const char *fn; /* the public function, for error messages */
    const char *text;
    size_t at, size; /* the next byte, and the number of bytes */
    int depth;       /* of nested specs */
};

/* n bytes of the text from byte 'at' on. */
struct lct_token {
    size_t at, n;
};

/* Skip blanks; return the next byte without reading it, 0 at the end. */
char lct_read_peek(struct lct_reader *r);

/* Read that byte if it is c. */
bool lct_read_accept(struct lct_reader *r, char c);

/* Error: expected 'wanted' here. */
locant_status lct_read_error(struct lct_reader *r, const char *wanted);

bool lct_is_letter(char c);

/* Read a name, or fail: expected 'wanted' here. */
locant_status lct_read_name(struct lct_token *out, struct lct_reader *r,
                            const char *wanted);

/* Read all bytes that could belong to one value, valid or not, for an error
 * message to quote.  Before another byte, the token is that byte, not read. */
struct lct_token lct_read_value(struct lct_reader *r);

/* Index of the token in the list of names, or -1. */
int lct_read_find(lct_name_at at, const void *list, const struct lct_reader *r,
                  struct lct_token t);

/* Read the value of key k of e, which is not an expression (spec.c). */
locant_status lct_spec_read_value(locant_encoding *e, int k,
                                  struct lct_reader *r);
#endif
