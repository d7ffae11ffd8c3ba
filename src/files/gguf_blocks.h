/*
 * gguf_blocks.h - elements of GGUF tensors: floats, or blocks of small integers
 *
 * A row consists of whole blocks.  d, m and dmin are float16; all numbers are
 * little-endian.
 */
#ifndef LCT_GGUF_BLOCKS_H
#define LCT_GGUF_BLOCKS_H
#include <stddef.h>
#include <stdint.h>

struct lct_gguf_block_type {
    const char *name;
    uint32_t id;      /* in a GGUF file */
    int64_t elements; /* of a block */
    size_t bytes;     /* of a block */
    void (*read)(float *out, const unsigned char *block);
};

/* The type of that id; NULL if it is unknown. */
const struct lct_gguf_block_type *lct_gguf_block_type(uint32_t id);

/* The names of all types, for messages: "F32, F16, ..". */
const char *lct_gguf_block_names(void);

/* Dequantise n blocks into n * t->elements floats. */
void lct_gguf_blocks_read(float *out, const struct lct_gguf_block_type *t,
                          const unsigned char *blocks, size_t n);

/* The float32 of a float16, exactly. */
float lct_gguf_half(uint16_t half);
#endif
