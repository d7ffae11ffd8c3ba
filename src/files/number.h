/*
 * number.h - how checkpoints store numbers: one by one, as safetensors does,
 * or in the blocks of small integers of GGUF
 *
 * All bytes are little-endian.  A row consists of whole blocks; a number that
 * stands alone is a block of one element.
 *
 * Source: the README of safetensors; ggml-common.h; OCP 8-bit Floating Point
 * Specification, revision 1.0 (F8_E4M3 and F8_E5M2).
 */
#ifndef LCT_NUMBER_H
#define LCT_NUMBER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A type of numbers. */
struct lct_number {
    const char *name; /* as safetensors or ggml write it: "F32", "Q4_K" */
    int gguf;         /* its id in a GGUF file, -1: none */
    int safetensors;  /* 1 if a safetensors file may have it */
    int64_t elements; /* of a block */
    size_t bytes;     /* of a block */
    /* The values of n blocks. */
    void (*floats)(float *out, const unsigned char *blocks, size_t n);
    /* NULL if floats hold the values exactly. */
    void (*doubles)(double *out, const unsigned char *blocks, size_t n);
};

/* The type of that id or of that name; NULL if it is unknown, or if a
   safetensors file may not have it. */
const struct lct_number *lct_number_gguf(uint32_t id);
const struct lct_number *lct_number_named(const char *name);
const struct lct_number *lct_number_safetensors(const char *name);

/* The names of all types, for messages: "F32, F16, ..", "F32 F64 ..". */
const char *lct_number_gguf_names(void);
const char *lct_number_safetensors_names(void);

/* The values of n blocks, n * t->elements of them. */
void lct_number_floats(float *out, const struct lct_number *t,
                       const unsigned char *blocks, size_t n);
void lct_number_doubles(double *out, const struct lct_number *t,
                        const unsigned char *blocks, size_t n);

/* Store n blocks of numbers, rounded to the nearest: F32, F16, BF16 and Q8_0.
   False: the type is another one. */
bool lct_number_store(unsigned char *out, const struct lct_number *t,
                      const float *x, size_t n);

/* The float32 of a float16, exactly. */
float lct_number_half(uint16_t half);
#endif
