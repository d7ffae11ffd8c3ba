/*
 * decode_paged.h - decode on a paged cache, without copying its blocks.
 *
 * A tile whose keys are evenly apart is read as without a table.  Others are
 * multiplied in pieces: scores of a key are one sum and do not depend on the
 * piece, and products with values add piece after piece in the order of keys,
 * so the bits are those of the whole tile.
 */
#ifndef LCT_ATTENTION_DECODE_PAGED_H
#define LCT_ATTENTION_DECODE_PAGED_H
#include "decode.h"

/*
 * Compute product x of the tile's keys or values in pieces.  false: nothing was
 * done, because the cache is not paged, the tile is in one piece, or kernels
 * cannot read the pieces in place.
 */
bool lct_decode_paged_scores(const struct lct_plan *p,
                             const struct lct_decode_task *f,
                             const struct lct_tile *t,
                             const struct lct_product *x);
bool lct_decode_paged_values(const struct lct_plan *p,
                             const struct lct_decode_task *f,
                             const struct lct_tile *t, int64_t i,
                             const struct lct_product *x);

/*
 * The row of x at 'at' = b, h, j, to prefetch; past the keys of the sequence
 * 'otherwise'.  Without a table, at any j, not always a valid address.
 */
const void *lct_decode_paged_ahead(const struct lct_plan *p,
                                   const locant_tensor *x, const int64_t at[3],
                                   const void *otherwise);
#endif
