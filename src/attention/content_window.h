/* content_window.h - what the files of terms share */
#ifndef LCT_TERMS_INSIDE_H
#define LCT_TERMS_INSIDE_H
#include "tile.h"

/*
 * Rows that the pairs of a tile pick: rows low .. high of the table.  That of
 * pair (i, j) is at[i - j + keys - 1] along diagonals, else at[j * TILE + i].
 */
struct lct_content_picks {
    int64_t low, high;
    bool diagonal;
    const int32_t *at;
};

struct lct_content_picks
lct_content_window_picks(const struct lct_problem *p, const struct lct_tile *t,
                         const struct lct_content_table *term, int32_t *at);

/* The rows of the pairs of key j, one for each query. */
static inline const int32_t *
lct_content_window_picks_of(const struct lct_content_picks *x,
                            const struct lct_tile *t, int64_t j)
{
    return x->diagonal ? x->at + (t->keys - 1 - j) : x->at + j * LCT_TILE;
}

static inline struct lct_content_scratch *
lct_content_of(const struct lct_problem *p, const struct lct_scratch *s)
{
    return &p->terms.scratch[s - p->scratch];
}

/* The table that head h uses. */
static inline const float *
lct_content_window_table(const struct lct_problem *p,
                         const struct lct_content_table *term, int64_t h)
{
    return term->table +
           (term->heads == 1 ? 0 : h) * term->rows * p->padded;
}

/*
 * Stretches of the rows that a tile needs, each as long as a window: the next
 * after row 'from'; 'high' is one past its end.
 */
static inline int64_t lct_content_window_end(const struct lct_content_picks *x,
                                             int64_t from)
{
    return x->high + 1 - from < LCT_CONTENT_WINDOW ? x->high + 1 : from +
        LCT_CONTENT_WINDOW;
}

/* Have the window hold rows low .. high - 1: products of 'cols'. */
void lct_content_window_hold(const struct lct_problem *p,
                             const struct lct_tile *t,
                             const struct lct_content_table *term,
                             struct lct_content_window *w, const float *cols,
                             int64_t low, int64_t high);

/* to [keys, lanes] += for each pair its row of the held ones. */
void lct_content_window_gather(float *to, const struct lct_tile *t,
                               const struct lct_content_picks *x,
                               const struct lct_content_window *w);
/* The reverse. */
void lct_content_window_scatter(const float *from, const struct lct_tile *t,
                                const struct lct_content_picks *x,
                                struct lct_content_window *w);

/* Near and far (content_far.c). */
void lct_content_far_layout(struct lct_problem *p, struct lct_arena *arena);
void lct_content_far_fill(struct lct_problem *p);
void lct_content_far_open(const struct lct_problem *p, const struct lct_tile *t,
                          struct lct_scratch *s);
void lct_content_far_close(const struct lct_problem *p,
                           const struct lct_tile *t, struct lct_scratch *s);

/* Gates (content_gates.c). */
void lct_content_gates_fill(struct lct_problem *p, const locant_attention *a);
void lct_content_gates_scores(const struct lct_problem *p,
                              const struct lct_tile *t, struct lct_scratch *s);
void lct_content_gates_scores_backward(const struct lct_problem *p,
                                       const struct lct_tile *t,
                                       const struct lct_scratch *s);
void lct_content_gates_fold(const struct lct_problem *p,
                            const locant_attention *a, const locant_tensor *dx,
                            bool learns, int64_t b, int64_t rows);
#endif
