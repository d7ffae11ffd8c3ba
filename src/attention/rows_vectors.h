/* rows_vectors.h - products with vectors that pairs of positions pick */
#ifndef LCT_ROWS_VECTORS_H
#define LCT_ROWS_VECTORS_H
#include "rows.h"

/* Is the basis fixed?  Then queries are projected instead of its rows. */
bool lct_rows_vectors_fixed(const locant_encoding *e,
                            const struct lct_vectors *v);

/* Project the rows of a learned basis; 'backward' adds to its gradients. */
void lct_rows_vectors_project(const struct lct_rows_task *w,
                              const struct lct_rows_vectors *v);
void lct_rows_vectors_project_backward(const struct lct_content_gradient *g,
                                       const struct lct_rows_task *w,
                                       const struct lct_rows_vectors *v);

/* Scores += scale times products of queries or keys with vectors. */
void lct_rows_vectors_scores(double *scores, const struct lct_rows_task *w,
                             const struct lct_rows_vectors *v);
void lct_rows_vectors_backward(const double *dscores,
                               const struct lct_content_gradient *g,
                               const struct lct_rows_task *w,
                               const struct lct_rows_vectors *v);

/* The same for a fixed basis, with projected queries. */
void lct_rows_vectors_fixed_scores(double *scores,
                                   const struct lct_rows_task *w,
                                   const struct lct_rows_vectors *v);
void lct_rows_vectors_fixed_backward(const double *dscores,
                                     const struct lct_content_gradient *g,
                                     const struct lct_rows_task *w,
                                     const struct lct_rows_vectors *v);

/* o += weights times vectors. */
void lct_rows_vectors_values(double *o, const double *p,
                             const struct lct_rows_task *w,
                             const struct lct_rows_vectors *v);
void lct_rows_vectors_values_backward(double *dp,
                                      const struct lct_content_gradient *g,
                                      const double *p, const double *dout,
                                      const struct lct_rows_task *w,
                                      const struct lct_rows_vectors *v);
#endif
