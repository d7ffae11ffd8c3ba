/* content_window.h - products of a tile with the rows that its pairs pick */
#ifndef LCT_ATTENTION_CONTENT_WINDOW_H
#define LCT_ATTENTION_CONTENT_WINDOW_H
#include "content.h"

/*
 * The rows that the pairs of a tile pick, all from 'low' to 'high'.  Pair (i,
 * j) picks row at[i - j + keys - 1] if 'diagonal', else at[j * TILE + i].
 */
struct lct_content_picks {
    int64_t low, high;
    bool diagonal;
    const int32_t *at;
};

struct lct_content_picks
lct_content_window_picks(const struct lct_plan *p, const struct lct_tile *t,
                         const struct lct_content_table *table, int32_t *at);

/* The rows that key j picks, one for each query. */
static inline const int32_t *
lct_content_window_picks_of(const struct lct_content_picks *x,
                            const struct lct_tile *t, int64_t j)
{
    return x->diagonal ? x->at + (t->keys - 1 - j) : x->at + j * LCT_TILE;
}

/* The vectors that head h uses, from row 'from' of the table on. */
static inline struct lct_product_factor
lct_content_window_vectors(const struct lct_plan *p,
                           const struct lct_content_table *table, int64_t h,
                           int64_t from)
{
    int64_t row = (table->heads == 1 ? 0 : h) * table->rows + from;

    return lct_product_rows_of(table->vectors + row * p->padded,
                               (size_t)p->padded);
}

/*
 * The end of the window that begins with row 'from'; a tile that picks more
 * rows than fit takes several windows.
 */
static inline int64_t lct_content_window_end(const struct lct_content_picks *x,
                                             int64_t from)
{
    return x->high + 1 - from < LCT_CONTENT_WINDOW ? x->high + 1
                                                   : from + LCT_CONTENT_WINDOW;
}

/* Make the window hold the products of rows low .. high - 1 with 'cols'. */
void lct_content_window_hold(const struct lct_plan *p, const struct lct_tile *t,
                             const struct lct_content_table *table,
                             struct lct_content_window *w, const float *cols,
                             int64_t low, int64_t high);

/* to [keys, lanes] += the product of each pair, if its row is in the window. */
void lct_content_window_gather(float *to, const struct lct_tile *t,
                               const struct lct_content_picks *x,
                               const struct lct_content_window *w);
/* The reverse: add each pair's entry of 'from' to its row in the window. */
void lct_content_window_scatter(const float *from, const struct lct_tile *t,
                                const struct lct_content_picks *x,
                                struct lct_content_window *w);

/* Does the window hold all rows that the tile picks? */
static inline bool lct_content_window_holds(const struct lct_content_window *w,
                                            const struct lct_content_picks *x)
{
    return x->low >= w->low && x->high < w->high;
}

/* Rows from .. from + n - 1 of a head's gradient of the vectors += 'rows'. */
void lct_content_window_add_rows(const struct lct_plan *p,
                                 const struct lct_tile *t,
                                 const struct lct_content_table *table,
                                 const float *rows,
                                 const struct lct_content_gradients *job,
                                 int64_t from, int64_t n);

/*
 * Add gradients of pairs, 'from' [keys, lanes], to the rows of table n that the
 * pairs pick.  When rows leave the window, they are complete, and two products
 * add them to the gradients of queries and of vectors.  After 'release' the
 * window has no rows.
 */
void lct_content_window_scatter_rows(const struct lct_plan *p,
                                     const struct lct_tile *t,
                                     struct lct_scratch *s, int n,
                                     const struct lct_content_picks *x,
                                     const float *from,
                                     const struct lct_content_gradients *job);
void lct_content_window_release(const struct lct_plan *p,
                                const struct lct_tile *t, struct lct_scratch *s,
                                int n, const struct lct_content_gradients *job);
#endif
