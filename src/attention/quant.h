/* quant.h - rows of a quantised cache (locant/cache.h) */
#ifndef LCT_ATTENTION_QUANT_H
#define LCT_ATTENTION_QUANT_H
#include "../core/tensor.h"
#include "../kernel/kernels.h"
#include "locant/cache.h"

/* A kind with its group; kind 0: rows are not quantised. */
struct lct_quant {
    locant_quant kind;
    int64_t group;
};

/* The kind for kernels. */
static inline enum lct_stored lct_quant_stored(struct lct_quant quant)
{
    return (enum lct_stored)((int)LCT_STORED_QUANT + (int)quant.kind);
}

/* Check kind and group for rows of D channels; *bytes = bytes of a row. */
locant_status lct_quant_check(int64_t *bytes, const char *fn,
                              struct lct_quant quant, int64_t D);

/* Quantise x [D] to a row. */
void lct_quant_encode(void *row, const float *x, struct lct_quant quant,
                      int64_t D);

/* Dequantise 'rows' rows that are 'step' bytes apart to 'out' [rows, width]. */
void lct_quant_decode(float *out, int64_t width, const void *x, ptrdiff_t step,
                      struct lct_quant quant, int64_t rows, int64_t D);
#endif
