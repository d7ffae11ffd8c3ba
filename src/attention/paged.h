/*
 * paged.h - a paged cache: keys and values in blocks of a pool, which a table
 * lists for each sequence.
 *
 * Engines see a sequence as a batch row with keys 0 .. S - 1, S the longest
 * length of the call.  Keys past a row's own length are padding, as if they had
 * a negative document; no row of the pool is read for them.
 *
 * Rows that are quantised, with or without a table, are dequantised to float32
 * when they are read.
 */
#ifndef LCT_ATTENTION_PAGED_H
#define LCT_ATTENTION_PAGED_H
#include "../core/tensor.h"
#include "locant/attention.h"
#include "quant.h"

struct lct_paged {
    const locant_tensor *table;   /* [B, blocks]; NULL: not paged */
    const locant_tensor *lengths; /* [B] */
    int64_t rows;                 /* of a block */
    int64_t blocks;               /* of a sequence, at most */
    int64_t capacity;             /* rows * blocks */
    int64_t longest;              /* of the lengths */
    struct lct_quant quant;       /* also of k and v without a table */
    int64_t D;                    /* channels of a row */
};

/* Check table and lengths of the call, for B sequences and 'a'->k. */
locant_status lct_paged_check(struct lct_paged *paged, const char *fn,
                              const locant_attention *a, int64_t B);

/* Entry i of row 'row' of an I64 or I32 tensor [.., n]. */
static inline int64_t lct_paged_integer(const locant_tensor *t, int64_t row,
                                        int64_t i)
{
    ptrdiff_t at = i;

    if (t->rank == 2)
        at += row * t->stride[0];
    return t->dtype == LOCANT_I32 ? ((const int32_t *)t->data)[at]
                                  : ((const int64_t *)t->data)[at];
}

static inline int64_t lct_paged_length(const struct lct_paged *paged, int64_t b)
{
    return lct_paged_integer(paged->lengths, 0, b);
}

/* Address of key 'at' = b, h, j in pool x; j is below the sequence's length. */
static inline void *lct_paged_at(const struct lct_paged *paged,
                                 const locant_tensor *x, const int64_t at[3])
{
    int64_t block[3] = { at[0], at[1], at[2] };

    if (paged->table != NULL) {
        block[0] = lct_paged_integer(paged->table, at[0], at[2] / paged->rows);
        block[2] = at[2] % paged->rows;
    }
    return lct_at(x, block, 3);
}

/*
 * The number of rows, at most n, from key j of sequence b on that are evenly
 * apart in memory: those of one block, and of blocks that follow it at the same
 * distance.  Without a table, n.
 */
int64_t lct_paged_run(const struct lct_paged *paged, const locant_tensor *x,
                      int64_t b, int64_t j, int64_t n);

/* Rows of k or v as a tensor, and the index of the first of them there. */
struct lct_paged_rows {
    locant_tensor x;
    int64_t at[3];
};

/*
 * Rows from 'at' = b, h, j on: in place if they are evenly apart and not
 * quantised, else copied to 'to', which has room for n dense rows.
 */
struct lct_paged_rows lct_paged_rows_of(const struct lct_paged *paged,
                                        const locant_tensor *x,
                                        const int64_t at[3], int64_t n,
                                        void *to);

/* out [D] = row 'at'. */
void lct_paged_row_to_f64(double *out, const struct lct_paged *paged,
                          const locant_tensor *x, const int64_t at[3]);

/* Are rows copied in some calls, so that there must be room for a tile? */
static inline bool lct_paged_copies(const struct lct_paged *paged)
{
    return paged->table != NULL || paged->quant.kind != LOCANT_QUANT_NONE;
}
#endif
