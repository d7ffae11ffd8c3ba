/*
 * decode_paged.h - decode on a paged cache, piece by piece.
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
 * done, because the cache is not paged, the tile is in one
 * piece, or kernels cannot read the pieces in place.
 */
bool lct_decode_paged_scores(const struct lct_plan *p,
                             const struct lct_decode_task *f,
                             const struct lct_tile *t, int64_t i,
                             const struct lct_product *x);
bool lct_decode_paged_values(const struct lct_plan *p,
                             const struct lct_decode_task *f,
                             const struct lct_tile *t, int64_t i,
                             const struct lct_product *x);

/*
 * The address of what is read 'row' rows after the first of t, tile i of the
 * run: of the tile, then of the next head of the task or, after the last, of
 * the next tile.  It is valid.
 */
const void *lct_decode_paged_ahead(const struct lct_plan *p,
                                   const struct lct_decode_task *f,
                                   const struct lct_tile *t,
                                   enum lct_decode_rows of, int64_t i,
                                   int64_t row);
#endif
