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

    if (role == LCT_KEY)
        return (struct lct_positions){ a->k_pos, a->k_coords, a->k_docs, r->S,
                                       0 };
    return (struct lct_positions){ a->q_pos, a->q_coords, a->q_docs, r->T,
                                   r->S - r->T };
}

/* Entry i of a row of t, which is [n] or [B, n]. */
static inline int64_t lct_positions_integer(const locant_tensor *t, int64_t row,
                                            int64_t i)
{
    if (t->rank == 1)
        return ((const int64_t *)t->data)[i];
    return ((const int64_t *)lct_at(t, &row, 1))[i];
}

/* The document of token i; negative: padding. */
static inline int64_t lct_positions_doc(const struct lct_positions *t,
                                        int64_t row, int64_t i)
{
    return t->docs == NULL ? 0 : lct_positions_integer(t->docs, row, i);
}

static inline int64_t lct_positions_at(const struct lct_positions *t,
                                       int64_t row, int64_t i)
{
    return t->pos == NULL ? t->first + i
                          : lct_positions_integer(t->pos, row, i);
}

/* Coordinates [axes] of token i. */
static inline const double *lct_positions_coords(const struct lct_positions *t,
                                                 int64_t row, int64_t i)
{
    int64_t index[2] = { row, i };

    return lct_at(t->coords, t->coords->rank == 3 ? index : index + 1,
                  t->coords->rank - 1);
}

/* Extent of a row's positions without padding; 0, 0 if all is padding. */
struct lct_extent lct_positions_extent(const struct lct_positions *t,
                                       int64_t row);

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
