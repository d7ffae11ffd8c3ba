/*
 * positions.h - positions, coordinates and documents of queries and keys.
 *
 * Padding has no position or coordinates.  Where code needs a position, it uses
 * the lowest of the row, which is valid for the encoding if the others are; for
 * coordinates it uses those of the first token that is not padding.
 */
#ifndef LCT_ATTENTION_POSITIONS_H
#define LCT_ATTENTION_POSITIONS_H
#include "request.h"

/* Positions, coordinates and documents of queries or of keys, or NULL. */
struct lct_positions {
    const locant_tensor *pos, *coords, *docs;
    int64_t n, first; /* tokens; position of the first if 'pos' is NULL */
    int64_t head;     /* whose coordinates are read, if heads have their own */
    const struct lct_paged *paged; /* NULL: as above; else 'first' counts from
                                      the length of a row, or from 0 for keys */
    bool keys;
};

/* Lowest and highest of some positions or documents. */
struct lct_extent {
    int64_t low, high;
    bool consecutive; /* each is the previous one in memory plus 1 */
};

static inline struct lct_positions lct_positions_of(const struct lct_request *r,
                                                    enum lct_role role)
{
    const locant_attention *a = r->a;
    const struct lct_paged *paged = r->paged.table == NULL ? NULL : &r->paged;

    if (role == LCT_KEY)
        return (struct lct_positions){ a->k_pos, a->k_coords, a->k_docs, r->S,
                                       0,        0,           paged,     true };
    return (struct lct_positions){ a->q_pos,
                                   a->q_coords,
                                   a->q_docs,
                                   r->T,
                                   (paged == NULL ? r->S : 0) - r->T,
                                   0,
                                   paged,
                                   false };
}

/* Entry i of a row of t, which is [n] or [B, n]. */
static inline int64_t lct_positions_integer(const locant_tensor *t, int64_t row,
                                            int64_t i)
{
    if (t->rank == 1)
        return ((const int64_t *)t->data)[i];
    return ((const int64_t *)lct_at(t, &row, 1))[i];
}

/* The position of the first token of a row if 'pos' is NULL. */
static inline int64_t lct_positions_first(const struct lct_positions *t,
                                          int64_t row)
{
    return t->paged == NULL || t->keys
               ? t->first
               : t->first + lct_paged_length(t->paged, row);
}

/* Tokens of a paged row that are not padding, whatever their documents. */
struct lct_positions_span {
    int64_t from, end;
};

static inline struct lct_positions_span
lct_positions_span_of(const struct lct_positions *t, int64_t row)
{
    int64_t first;

    if (t->paged != NULL && t->keys)
        return (struct lct_positions_span){ 0,
                                            lct_paged_length(t->paged, row) };
    first =
        t->paged == NULL || t->pos != NULL ? 0 : lct_positions_first(t, row);
    return (struct lct_positions_span){ first < 0 ? -first : 0, t->n };
}

/* The document of token i; negative: padding. */
static inline int64_t lct_positions_doc(const struct lct_positions *t,
                                        int64_t row, int64_t i)
{
    if (t->paged != NULL) {
        struct lct_positions_span span = lct_positions_span_of(t, row);

        if (i < span.from || i >= span.end)
            return -1;
    }
    return t->docs == NULL ? 0 : lct_positions_integer(t->docs, row, i);
}

static inline int64_t lct_positions_at(const struct lct_positions *t,
                                       int64_t row, int64_t i)
{
    return t->pos == NULL ? lct_positions_first(t, row) + i
                          : lct_positions_integer(t->pos, row, i);
}

/* Coordinates [axes] of token i. */
static inline const double *lct_positions_coords(const struct lct_positions *t,
                                                 int64_t row, int64_t i)
{
    int64_t index[3] = { row, t->head, i };
    int rank = t->coords->rank - 1;

    if (rank < 3) /* no heads */
        index[1] = i;
    return lct_at(t->coords, rank == 1 ? index + 1 : index, rank);
}

/*
 * Extent of what queries may sit at: of queries or, with leaves, of queries and
 * keys.  Then a process that has some of the queries and all keys has the
 * tables of the whole call.
 */
struct lct_extent lct_positions_query_extent(const struct lct_request *r,
                                             int64_t row);

/* Extent of a row's positions without padding; 0, 0 if all is padding. */
struct lct_extent lct_positions_extent(const struct lct_positions *t,
                                       int64_t row);

/* Are keys in the order of their documents and positions in memory? */
bool lct_positions_in_order(const struct lct_request *r);

/* ---------------------------------------------------------------- padding */

/* A row of tokens, and what to use as positions of its padding. */
struct lct_positions_row {
    const struct lct_positions *t;
    int64_t row;
    int64_t padding_pos;
    int64_t padding_token; /* whose coordinates padding gets; t->n: zeros */
};

struct lct_positions_row lct_positions_row_of(const struct lct_positions *t,
                                              int64_t row);

static inline int64_t lct_positions_row_at(const struct lct_positions_row *r,
                                           int64_t i)
{
    return lct_positions_doc(r->t, r->row, i) < 0
               ? r->padding_pos
               : lct_positions_at(r->t, r->row, i);
}

static inline double lct_positions_row_coord(const struct lct_positions_row *r,
                                             int64_t i, int axis)
{
    i = lct_positions_doc(r->t, r->row, i) < 0 ? r->padding_token : i;
    return i == r->t->n ? 0 : lct_positions_coords(r->t, r->row, i)[axis];
}

/* Write the positions of a row; unless NULL, also coordinates and documents. */
void lct_positions_fill(int64_t *pos, double *coords, int64_t *docs, int axes,
                        const struct lct_positions *t, int64_t row);
#endif
