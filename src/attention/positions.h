/*
 * positions.h - where the caller's tokens sit, one at a time.
 *
 * Padding has no position: wherever one is needed, it takes the lowest of its
 * row, which an encoding knows if it knows the others.  Nor has it coordinates:
 * it takes those of the first token of its row that is none.
 */
#ifndef LCT_TOKENS_H
#define LCT_TOKENS_H
#include "problem.h"

/* Queries or keys of the caller. */
struct lct_positions {
    const locant_tensor *pos, *coords, *docs;
    int64_t n, first; /* how many; position of the first without 'pos' */
};

static inline struct lct_positions
lct_positions_of_queries(const struct lct_problem *p, const locant_attention *a)
{
    return (struct lct_positions){ a->q_pos, a->q_coords, a->q_docs, p->T,
                                p->S - p->T };
}

static inline struct lct_positions
lct_positions_of_keys(const struct lct_problem *p, const locant_attention *a)
{
    return (struct lct_positions){ a->k_pos, a->k_coords, a->k_docs, p->S, 0 };
}

static inline int64_t lct_positions_integer(const locant_tensor *t, int64_t row,
                                            int64_t i)
{
    if (t->rank == 1)
        return ((const int64_t *)t->data)[i];
    return ((const int64_t *)lct_at(t, &row, 1))[i];
}

static inline int64_t lct_positions_document(const struct lct_positions *t,
                                             int64_t row, int64_t i)
{
    return t->docs == NULL ? 0 : lct_positions_integer(t->docs, row, i);
}

static inline int64_t lct_positions_at(const struct lct_positions *t,
                                       int64_t row, int64_t i)
{
    return t->pos == NULL ? t->first + i : lct_positions_integer(t->pos, row,
                                                                 i);
}

/* Coordinates [axes] of token i. */
static inline const double *lct_positions_coords(const struct lct_positions *t,
                                                 int64_t row, int64_t i)
{
    int64_t index[2] = { row, i };

    return lct_at(t->coords, t->coords->rank == 3 ? index : index + 1,
                  t->coords->rank - 1);
}

/* Lowest and highest position of a row, padding left out. */
struct lct_extent lct_positions_extent(const struct lct_positions *t,
                                       int64_t row);

/* ---------------------------------------------------------------- padding */

/* A row of tokens, and what stands in for its padding. */
struct lct_positions_row {
    const struct lct_positions *t;
    int64_t row;
    int64_t low;   /* the position */
    int64_t token; /* whose coordinates; t->n: zeros */
};

static inline struct lct_positions_row
lct_positions_row_of(const struct lct_positions *t, int64_t row)
{
    struct lct_positions_row r = { t, row, 0, 0 };

    if (t->docs == NULL)
        return r;
    r.low = lct_positions_extent(t, row).low;
    while (r.token < t->n && lct_positions_document(t, row, r.token) < 0)
        r.token++;
    return r;
}

static inline int64_t lct_positions_row_at(const struct lct_positions_row *r,
                                           int64_t i)
{
    return lct_positions_document(r->t, r->row, i) < 0 ? r->low
                                             : lct_positions_at(r->t, r->row,
                                                                i);
}

static inline double lct_positions_row_coord(const struct lct_positions_row *r,
                                             int64_t i, int axis)
{
    i = lct_positions_document(r->t, r->row, i) < 0 ? r->token : i;
    return i == r->t->n ? 0 : lct_positions_coords(r->t, r->row, i)[axis];
}
#endif
