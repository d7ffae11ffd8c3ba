/*
 * load.h - copy rows of the caller's tensors to padded tiles of float32, rotate
 * them, and copy gradients of such rows back.
 */
#ifndef LCT_ATTENTION_LOAD_H
#define LCT_ATTENTION_LOAD_H
#include "scratch.h"
#include "tables.h"
#include "tile.h"

/* The factor of query i of head h: the scale times the query's temperature. */
float lct_load_query_scale(const struct lct_plan *p, int64_t b, int64_t h,
                           int64_t i);

/* Copy rows of x, from 'at' = b, h, i on, to rows padded to 'width'. */
void lct_load_rows(const struct lct_plan *p, float *to, int64_t width,
                   const locant_tensor *x, const int64_t at[3], int64_t rows);
/* Copy padded rows back to x, rounded. */
void lct_load_rows_back(const struct lct_plan *p, const locant_tensor *x,
                        float *from, int64_t width, const int64_t at[3],
                        int64_t rows);

/* As lct_load_rows(), rotated by the schedule. */
void lct_load_rotated(const struct lct_plan *p, float *to, int64_t width,
                      const locant_tensor *x, const int64_t at[3], int64_t rows,
                      struct lct_table angles);
/* Rotate rows that are 'width' apart in place; sign -1: undo the rotation. */
void lct_load_rotate(const struct lct_plan *p, float *x, int64_t width,
                     int64_t rows, struct lct_table angles, float sign);

/*
 * If values rotate like keys: rotate rows of outputs (sign -1: back) or of dout
 * (1), 'padded_v' apart, of the queries from 'at' = b, h, i on.
 */
void lct_load_rotate_outputs(const struct lct_plan *p, float *x,
                             const int64_t at[3], int64_t rows, float sign);

/* Load queries from 'at' = b, h, i on: rotated, padded to padded_q. */
void lct_load_rotated_queries(const struct lct_plan *p, struct lct_scratch *s,
                              float *to, const int64_t at[3], int64_t rows);
/* The same, scaled. */
void lct_load_queries(const struct lct_plan *p, struct lct_scratch *s,
                      float *to, const int64_t at[3], int64_t rows);

/*
 * The rows of x from 'at' on if kernels that read 'columns' of each can read
 * them in place, else NULL.  Rows of 16-bit numbers must be aligned to words of
 * 4 bytes.
 */
const void *lct_load_in_place(const locant_tensor *x, const int64_t at[3],
                              int64_t columns);

/*
 * Do 64 rows that are 'row' floats apart, a multiple of 512 bytes, crowd into
 * an eighth of the first cache?  A product reads the rows of its right factor
 * again and again.
 */
static inline bool lct_load_crowded(size_t row)
{
    return row % 128 == 0;
}

/*
 * The caller's rows of the tile: 'rows' keys from key j of the tile on, or all
 * values.  Rows of a paged cache may be copied to the scratch.
 */
struct lct_paged_rows lct_load_key_rows(const struct lct_plan *p,
                                        const struct lct_tile *t, int64_t j,
                                        int64_t rows, struct lct_scratch *s);
struct lct_paged_rows lct_load_value_rows(const struct lct_plan *p,
                                          const struct lct_tile *t,
                                          struct lct_scratch *s);

/*
 * Keys (rotated) and values of the tile, in the caller's memory or in the
 * scratch.  *row is the distance between rows.
 */
const float *lct_load_keys(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s, size_t *row);
const float *lct_load_values(const struct lct_plan *p, const struct lct_tile *t,
                             struct lct_scratch *s, size_t *row);
#endif
