/* columns.c - terminal columns by Unicode Standard Annex 11 */
#include "columns.h"

int lct_columns(int32_t c)
{
    int low = 0, high = lct_columns_rows, columns;

    if (c < 0 || c > 0x10ffff)
        return -1;
    /* the last run that starts at or before c; row 0 starts at 0 */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (lct_columns_table[middle] >> 2 <= (uint32_t)c)
            low = middle;
        else
            high = middle;
    }
    columns = (int)(lct_columns_table[low] & 3);
    return columns == 3 ? -1 : columns;
}
