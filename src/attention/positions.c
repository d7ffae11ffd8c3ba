/* positions.c - positions, coordinates and documents of queries and keys */
#include "positions.h"

struct lct_extent lct_positions_extent(const struct lct_positions *t,
                                       int64_t row)
{
    struct lct_extent x = { 0, 0, false };
    bool any = false;

    if (t->pos == NULL && t->docs == NULL)
        return (struct lct_extent){ t->n ? t->first : 0,
                                    t->n ? t->first + t->n - 1 : 0, true };
    for (int64_t i = 0; i < t->n; i++) {
        int64_t at = lct_positions_at(t, row, i);

        if (lct_positions_doc(t, row, i) < 0)
            continue;
        x.low = !any || at < x.low ? at : x.low;
        x.high = !any || at > x.high ? at : x.high;
        any = true;
    }
    return x;
}

struct lct_positions_row lct_positions_row_of(const struct lct_positions *t,
                                              int64_t row)
{
    struct lct_positions_row r = { t, row, 0, 0 };

    if (t->docs == NULL)
        return r;
    r.padding_pos = lct_positions_extent(t, row).low;
    while (r.padding_token < t->n &&
           lct_positions_doc(t, row, r.padding_token) < 0)
        r.padding_token++;
    return r;
}

void lct_positions_fill(int64_t *pos, double *coords, int64_t *docs, int axes,
                        const struct lct_positions *t, int64_t row)
{
    struct lct_positions_row r = lct_positions_row_of(t, row);

    for (int64_t i = 0; i < t->n; i++)
        pos[i] = lct_positions_row_at(&r, i);
    if (coords != NULL)
        for (int64_t i = 0; i < t->n; i++)
            for (int c = 0; c < axes; c++)
                coords[i * axes + c] = lct_positions_row_coord(&r, i, c);
    if (docs != NULL)
        for (int64_t i = 0; i < t->n; i++)
            docs[i] = lct_positions_doc(t, row, i);
}
