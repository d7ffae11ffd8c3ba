/*
 * gguf_write.h - the bytes of a GGUF file, version 3, before its tensors
 *
 * Put values and tensors in any order, then take the header; the data of the
 * tensors follow it, each at its offset.
 */
#ifndef LCT_GGUF_WRITE_H
#define LCT_GGUF_WRITE_H
#include "gguf.h"
#include "number.h"

enum { LCT_GGUF_ALIGNMENT = 32 };

/* A growing piece of memory. */
struct lct_gguf_bytes {
    unsigned char *data;
    size_t n, room;
};

/* Begin with zeros; free it also after a failure. */
struct lct_gguf_write {
    struct lct_gguf_bytes values, tensors;
    uint64_t n_values, n_tensors;
    uint64_t data; /* bytes of the tensors so far, each aligned */
    bool failed;   /* no memory */
};

/* Values.  Without memory nothing happens until the header is taken. */
void lct_gguf_write_u32(struct lct_gguf_write *w, const char *key,
                        uint32_t value);
void lct_gguf_write_f32(struct lct_gguf_write *w, const char *key, float value);
void lct_gguf_write_bool(struct lct_gguf_write *w, const char *key, bool value);
void lct_gguf_write_text(struct lct_gguf_write *w, const char *key,
                         const char *value);
/* n values of a type that is no text, little-endian one behind another. */
void lct_gguf_write_array(struct lct_gguf_write *w, const char *key,
                          enum lct_gguf_type type, const void *values,
                          size_t n);
/* An array of n texts, which follow one by one: each of the bytes of 'parts',
   one behind another. */
void lct_gguf_write_texts(struct lct_gguf_write *w, const char *key, size_t n);
void lct_gguf_write_next_text(struct lct_gguf_write *w,
                              const char *const *parts, const size_t *sizes,
                              int n);
/* A value of another file as it is. */
void lct_gguf_write_value(struct lct_gguf_write *w, const struct lct_gguf *from,
                          const struct lct_gguf_value *value);

/* A tensor, shape outermost first, behind those before it; returns its bytes.
 */
uint64_t lct_gguf_write_tensor(struct lct_gguf_write *w, const char *name,
                               const struct lct_number *type, int rank,
                               const int64_t *shape);

/* The bytes of the file before the data, which begin at a multiple of the
   alignment; to be released.  Errors: NOMEM. */
locant_status lct_gguf_write_header(unsigned char **out, size_t *size,
                                    const struct lct_gguf_write *w);
void lct_gguf_write_free(struct lct_gguf_write *w);
#endif
