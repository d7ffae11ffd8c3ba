/* convert_rows.c - see convert_rows.h */
#include "convert_rows.h"

int64_t lct_convert_rows_source(const struct lct_convert_rows *r, int64_t row,
                                bool interleaved)
{
    const int64_t head = row / r->width, within = row % r->width;
    const int64_t j = within - r->first, half = r->dims / 2;

    if (head % r->parts >= r->rotated || j < 0 || j >= r->dims)
        return row;
    if (interleaved) /* j = 2c or 2c + 1 */
        return row - j + j / 2 + (j % 2) * half;
    return row - j + 2 * (j % half) + j / half; /* j = c or c + half */
}
