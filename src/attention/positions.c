/* positions.c - positions, coordinates and documents of queries and keys */
#include "positions.h"

/* As below, of a paged row without positions or documents. */
static struct lct_extent paged_extent(const struct lct_positions *t,
                                      int64_t row)
{
    struct lct_positions_span span = lct_positions_span_of(t, row);
    int64_t first = lct_positions_first(t, row);

    if (span.from >= span.end)
        return (struct lct_extent){ 0, 0, false };
    return (struct lct_extent){ first + span.from, first + span.end - 1,
                                false };
}

struct lct_extent lct_positions_extent(const struct lct_positions *t,
                                       int64_t row)
{
    struct lct_extent x = { 0, 0, false };
    bool any = false;

    if (t->pos == NULL && t->docs == NULL && t->paged == NULL)
        return (struct lct_extent){ t->n ? t->first : 0,
                                    t->n ? t->first + t->n - 1 : 0, true };
    if (t->pos == NULL && t->docs == NULL)
        return paged_extent(t, row);
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

struct lct_extent lct_positions_query_extent(const struct lct_request *r,
                                             int64_t row)
{
    const struct lct_positions queries = lct_positions_of(r, LCT_QUERY);
    const struct lct_positions keys = lct_positions_of(r, LCT_KEY);
    struct lct_extent q = lct_positions_extent(&queries, row);
    const struct lct_extent k = lct_positions_extent(&keys, row);

    if (r->leaves == 0)
        return q;
    q.low = k.low < q.low ? k.low : q.low;
    q.high = k.high > q.high ? k.high : q.high;
    q.consecutive = false; /* some of the queries may not be */
    return q;
}

bool lct_positions_in_order(const struct lct_request *r)
{
    const struct lct_positions keys = lct_positions_of(r, LCT_KEY);

    for (int64_t row = 0; row < r->position_rows; row++) {
        int64_t doc = -1, pos = 0;

        for (int64_t j = 0; j < r->S; j++) {
            int64_t d = lct_positions_doc(&keys, row, j);
            int64_t x;

            if (d < 0)
                continue;
            x = lct_positions_at(&keys, row, j);
            if (d < doc || (d == doc && x < pos))
                return false;
            doc = d;
            pos = x;
        }
    }
    return true;
}

struct lct_positions_row lct_positions_row_of(const struct lct_positions *t,
                                              int64_t row)
{
    struct lct_positions_row r = { t, row, 0, 0 };

    if (t->docs == NULL && t->paged == NULL)
        return r;
    r.padding_pos = lct_positions_extent(t, row).low;
    while (r.padding_token < t->n &&
           lct_positions_doc(t, row, r.padding_token) < 0)
        r.padding_token++;
    return r;
}

/* lct_positions_fill() of consecutive positions and a document of 0. */
static void fill_consecutive(int64_t *pos, int64_t *docs,
                             const struct lct_positions_row *r)
{
    struct lct_positions_span span = lct_positions_span_of(r->t, r->row);
    int64_t first = lct_positions_first(r->t, r->row), n = r->t->n;

    for (int64_t i = 0; i < n; i++)
        pos[i] = i < span.from || i >= span.end ? r->padding_pos : first + i;
    for (int64_t i = 0; docs != NULL && i < n; i++)
        docs[i] = i < span.from || i >= span.end ? -1 : 0;
}

void lct_positions_fill(int64_t *pos, double *coords, int64_t *docs, int axes,
                        const struct lct_positions *t, int64_t row)
{
    struct lct_positions_row r = lct_positions_row_of(t, row);

    if (t->pos == NULL && t->docs == NULL && coords == NULL) {
        fill_consecutive(pos, docs, &r);
        return;
    }
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
