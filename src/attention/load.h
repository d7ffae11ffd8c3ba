/*
 * load.h - rows of the caller's tensors as tiles: float32, rotated, padded; and
 * gradients of such rows back.
 */
#ifndef LCT_ATTENTION_LOAD_H
#define LCT_ATTENTION_LOAD_H
#include "scratch.h"
#include "tables.h"
#include "tile.h"

/* What query i is multiplied by: the scale, and its temperature. */
float lct_load_query_scale(const struct lct_plan *p, int64_t b, int64_t i);

/* Rows of D channels, from b, h, i on, to rows of the padded width. */
void lct_load_rows(const struct lct_plan *p, float *to, const locant_tensor *x,
                   const int64_t at[3], int64_t rows);
/* And from them, rounded. */
void lct_load_rows_back(const struct lct_plan *p, const locant_tensor *x,
                        float *from, const int64_t at[3], int64_t rows);

/* Loaded, and rotated by the schedule. */
void lct_load_rotated(const struct lct_plan *p, float *to,
                      const locant_tensor *x, const int64_t at[3], int64_t rows,
                      struct lct_table angles);
/* Rows 'width' apart, rotated back in place. */
void lct_load_rotated_back(const struct lct_plan *p, float *x, int64_t width,
                           int64_t rows, struct lct_table angles);

/* Queries from b, h, i on: scaled, rotated, rows of padded_q. */
void lct_load_queries(const struct lct_plan *p, struct lct_scratch *s,
                      float *to, const int64_t at[3], int64_t rows);

/*
 * Keys (rotated) and values of the tile: the caller's own memory, or the
 * scratch.  *row is the distance between rows.
 */
const float *lct_load_keys(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s, size_t *row);
const float *lct_load_values(const struct lct_plan *p, const struct lct_tile *t,
                             struct lct_scratch *s, size_t *row);
#endif
