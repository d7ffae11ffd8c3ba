/* gguf_cursor.h - reads a GGUF file from its start on, never beyond its end */
#ifndef LCT_GGUF_CURSOR_H
#define LCT_GGUF_CURSOR_H
#include "gguf.h"

struct lct_cursor {
    const char *name; /* of the file, for messages */
    const unsigned char *bytes;
    size_t size, at;
};

/* Read a number; 'what' is named if the file ends before. */
locant_status lct_cursor_u32(uint32_t *out, struct lct_cursor *c,
                             const char *what);
locant_status lct_cursor_u64(uint64_t *out, struct lct_cursor *c,
                             const char *what);

/* Read a text of at least one byte; 'what' is "key" or "tensor". */
locant_status lct_cursor_name(struct lct_text *out, struct lct_cursor *c,
                              const char *what);

/* Advance past the elements of a value, which start at c->at. */
locant_status lct_cursor_skip(struct lct_cursor *c,
                              const struct lct_gguf_value *v);

/* Bytes of one element of a type; 0 for texts, whose lengths differ. */
size_t lct_cursor_width(enum lct_gguf_type type);

/* The order of bytes, as of strcmp(). */
int lct_text_order(const struct lct_text *a, const struct lct_text *b);

/* The little-endian number of n bytes. */
uint64_t lct_little_endian(const unsigned char *p, int n);
#endif
