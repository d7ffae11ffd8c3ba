/* spec_read.h - the text of a spec, token by token */
#ifndef LCT_SPEC_READ_H
#define LCT_SPEC_READ_H
#include "spec.h"

struct lct_reader {
    const char *fn;
    const char *text;
    size_t at, size;
    int depth;
};

/* A piece of the text. */
struct lct_token {
    size_t at, n;
};

/* The next byte that is no blank, or 0 at the end; does not move. */
char lct_read_peek(struct lct_reader *r);

/* Move past that byte if it is c. */
bool lct_read_accept(struct lct_reader *r, char c);

/* Error: expected 'wanted' here. */
locant_status lct_read_error(struct lct_reader *r, const char *wanted);

bool lct_is_letter(char c);
locant_status lct_read_name(struct lct_token *out, struct lct_reader *r,
                            const char *wanted);

/* Everything that could belong to one value, for error messages. */
struct lct_token lct_read_value(struct lct_reader *r);

/* Index of the token in the list of names, or -1. */
int lct_read_find(lct_name_at at, const void *list, const struct lct_reader *r,
                  struct lct_token t);
#endif
