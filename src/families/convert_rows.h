/*
 * convert_rows.h - the rows of q and k that a change of pairing moves
 *
 * The rows of a matrix (or the numbers of a bias, or of a norm) are 'groups'
 * groups of 'parts' heads of 'width' rows.  The first 'rotated' heads of a
 * group belong to q and k; of each, rows first .. first + dims - 1 rotate:
 *
 *     q or k alone      groups 1, parts = rotated = H
 *     q | k | v         groups 1, parts H + 2K, rotated H + K
 *     q, k, v per head  groups H, parts 3, rotated 2 (GPT-NeoX)
 *     q.., k, v         groups K, parts H/K + 2, rotated H/K + 1 (Falcon)
 *
 * half -> interleaved: row 2c of the rotated ones takes row c, row 2c + 1 takes
 * row c + dims/2; interleaved -> half is its inverse.
 */
#ifndef LCT_CONVERT_ROWS_H
#define LCT_CONVERT_ROWS_H
#include <stdbool.h>
#include <stdint.h>

struct lct_convert_rows {
    int64_t groups, parts, rotated;
    int64_t width, first, dims;
};

/* All rows that it describes. */
static inline int64_t lct_convert_rows_count(const struct lct_convert_rows *r)
{
    return r->groups * r->parts * r->width;
}

/* The row of the old tensor that is row 'row' of the new one. */
int64_t lct_convert_rows_source(const struct lct_convert_rows *r, int64_t row,
                                bool interleaved);
#endif
