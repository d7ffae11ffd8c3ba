/* blocks.h - run a kernel over tensors [.., T, D] with a table row per token */
#ifndef LCT_BLOCKS_H
#define LCT_BLOCKS_H
#include "../core/tensor.h"
#include <stdbool.h>

/* One call of the kernel: some heads at consecutive tokens. */
struct lct_block_run {
    char *out;
    const char *x;
    ptrdiff_t out_row, x_row;   /* bytes from token to token */
    ptrdiff_t out_head, x_head; /* and from head to head */
    size_t first, rows, heads;  /* the first token, tokens, and heads */
    const float *table;         /* table rows of these tokens */
    const locant_tensor *shape; /* x, whose dtype and D these rows have */
};

/* What to do; its functions are called from any thread, in any order. */
struct lct_blocks {
    size_t floats; /* of the table for one token */
    size_t rows;   /* least tokens of a block, if the call has as many and they
                      fit the second-level cache */
    size_t spare;  /* floats of scratch after the table of a block */
    int outer;     /* of so many outermost indices, if there are as many, each
                      row has a table of its own: 'fill' counts token t of row
                      b as b T + t */
    bool prefetches; /* 'run' prefetches rows of 16 bits into L1 itself */
    /* Fill the table, aligned to 8 bytes, of tokens first .. first + n - 1;
     * only 'run' reads it.  NULL: it needs none. */
    void (*fill)(float *table, const void *context, size_t first, size_t n);
    void (*run)(const struct lct_block_run *r, const void *context);
    const void *context;
};

enum {
    LCT_MOST_VIEWS = 2, /* queries and keys */
    /* Least bytes of a call's results that no cache is expected to hold. */
    LCT_STREAMED_BYTES = 16 << 20
};

/*
 * Check that lct_blocks_run() accepts 'out' and x, which errors call by these
 * names: out has x's shape, but any number of channels if 'any_width'.
 */
locant_status lct_blocks_check(const char *fn, const char *const names[2],
                               const locant_tensor *out, const locant_tensor *x,
                               bool any_width);

/*
 * Apply 'b' to x[i] and out[i], i < n, which the caller has checked.  All have
 * the same number of tokens; strides, heads and dtypes may differ.
 */
locant_status lct_blocks_run(const char *fn, size_t n,
                             locant_tensor *const *out,
                             const locant_tensor *const *x,
                             const struct lct_blocks *b);
#endif
